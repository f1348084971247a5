"""A robot's design in its file: read, saved, refused with places, and used by the commands."""

import json
from dataclasses import fields, replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml

import torseur as ts
from torseur.cli import main
from torseur.robots import Catalog, Gearbox, Motor, device

FILE = Path(__file__).parents[2] / "examples" / "mac_design.yaml"


def said(capsys, *words):
    code = main([*map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_mac_from_its_file_to_its_drives(capsys, tmp_path):
    """O-B4 without Python: d, R* and what is left; then RMS torques, O-B4's all but R = 0.107."""
    balanced = tmp_path / "balanced.yaml"
    code, found = said(capsys, "balance", FILE, "-o", balanced)
    assert code == 0
    assert found["values"]["weight.distance"] == pytest.approx(0.2666666667, abs=1e-10)
    assert found["values"]["spring.radius"] == pytest.approx(0.147771, abs=6e-7)
    assert found["value"] == pytest.approx(25.8344, abs=6e-5)
    code, sized = said(capsys, "size", balanced, "--count", 4)
    assert code == 0
    rows = sized["joints"]["joint1"]
    first = next(r for r in rows if (r["motor"], r["gearbox"]) == ("first", "G160"))
    assert first["rms_torque"] == pytest.approx(1.0761357, rel=1e-6)  # the spring is on axis 2
    assert first["peak_torque"] == pytest.approx(2.305618, rel=1e-6)
    rows = sized["joints"]["joint3"]
    third = next(r for r in rows if (r["motor"], r["gearbox"]) == ("third", "G200"))
    assert third["rms_torque"] == pytest.approx(0.9517880, rel=1e-6)
    with pytest.raises(ts.TorseurError, match="'MAC' has no device"):
        ts.robots.design(ts.load(balanced)).balance()
    code, said_ = said(capsys, "control", balanced, "--name", "hold", "-o", tmp_path / "c.c")
    assert code == 0 and said_["kind"] == "PDGravity"


def test_motions_and_paths_of_a_file_go_to_commands(capsys, tmp_path):
    code, found = said(capsys, "ik", FILE, "--path", "seam", "-o", tmp_path / "seam.csv")
    arm = ts.load(FILE)
    tips = ts.compile(arm).pose("tool", np.array(found["q"]))[:, :3, 3]
    share = ts.robots.Quintic(0.0, 0.6, 1.2)(np.array(found["time"]))[0]
    want = np.stack([0 * share + 0.9, share - 0.3, 0 * share + 0.9], 1)
    assert code == 0 and abs(tips - want).max() < 1e-9
    code, table = said(capsys, "inverse", FILE, "--motion", tmp_path / "seam.csv")
    code, named = said(capsys, "inverse", FILE, "--motion", "seam")
    for joint in ("joint1.effort", "joint2.effort", "joint3.effort"):
        a, b = (x["efforts"][joint]["largest"] for x in (table, named))
        assert a == pytest.approx(b, rel=1e-6)
    quick = ts.robots.design(arm).motion("quick")
    run = ts.inverse(arm, quick)
    assert max(abs(run[f"joint{i}.rate"]).max() for i in (1, 2, 3)) == pytest.approx(2.5, rel=1e-3)
    code, compared = said(capsys, "laws", FILE, "joint2.angle", "--motion", "swing")
    assert compared["laws"]["quintic"]["duration"] == pytest.approx(0.9408185307, abs=1e-10)
    code, wrong = said(capsys, "inverse", FILE, "--motion", "sving")
    assert code == 1 and "no motion is named 'sving'; did you mean 'swing'?" in wrong["problems"][0]


def test_a_controller_of_the_file_follows_its_path():
    arm = ts.load(FILE)
    arm = replace(
        arm,
        design={
            **arm.design,
            "controllers": {
                "weld": {"type": "computed_torque", "motion": "seam", "kp": 900, "kd": 60}
            },
        },
    )
    own = ts.robots.design(arm)
    along = own.followed("seam")
    control = own.controller()
    driven = ts.actuated(arm)
    start = dict(zip(along.coordinates, along.q[0], strict=True))
    run = ts.simulate(driven, 0.4, start, control=control, period=2e-3, rtol=1e-6, output=5)
    q = np.stack([run[n] for n in along.coordinates], 1)[-1]
    i = int(np.argmin(abs(along.times - 0.4)))
    assert abs(q - along.q[i]).max() < 2e-3 and abs(along.q[i] - along.q[0]).max() > 0.05


DEVICES = {
    "counterweight": {"mass": 21.0},
    "redistribution": {"envelope": (-0.3, 0.7), "direction": (1.0, 0.0, 0.0)},
    "spring": {"anchor": ("column", (0.0, 0.0, 0.2)), "law": ts.Spring(2e4), "rest": 1.5},
    "cam": {"phase": 0.2, "angles": {"joint2.angle": 1.0, "joint3.angle": 1.0}},
    "pulley": {"height": 0.2, "radius": 0.1, "pulley": 0.02, "top": 1.4},
    "parallelogram": {"base": "joint2", "mass": 21.0},
}
LAWS = (
    ts.robots.Trapezoidal(0.1, 2.0, speed=1.0, acceleration=4.0, deceleration=1.0),
    ts.robots.SCurve(0.0, -1.0, 3.0, 0.5, speed=1.0, acceleration=4.0, jerk=40.0),
    ts.robots.Cubic(0.0, 1.0, 2.0),
    ts.robots.Quintic(0.0, 1.0, 2.0, 0.25),
    ts.robots.Septic(0.0, 1.0, 2.0),
    ts.robots.Cycloidal(0.0, 1.0, 2.0),
    ts.robots.Spline([0.0, 0.5, 1.0, 2.0], [0.0, 0.2, -0.3, 1.0], "quintic"),
)


def test_everything_registered_is_saved_and_read_back(tmp_path):
    """Every device with bounds, every law, drives: objects, file, objects, field by field."""
    arm, made, bounds = ts.load(FILE), [], {}
    for kind, cls in device.items():
        d = cls(kind, "joint3", **DEVICES[kind])
        made.append(d)
        bounds |= dict.fromkeys(d.unknown(), (0.01, 0.5))
    assert set(DEVICES) == set(device)
    motions = {f"m{i}": {"joint2.angle": law} for i, law in enumerate(LAWS)}
    motions["t"] = {"time": [0.0, 1.0], "joint1.angle": np.array([0.0, 0.5])}
    motions["w"] = {"joint1.angle": "0.5*sin(2*t)"}
    drives = Catalog(
        [Motor("M", 1.0, 3.0, 500.0, 1e-4, curve=((0.0, 3.0), (500.0, 1.0)))],
        [Gearbox("G", 100, stiffness=(1e4, 2e4, 3e4), knees=(10, 40), rated_torque=50.0)],
    )
    arm = replace(arm, design={})
    told = ts.robots.designed(arm, devices=made, bounds=bounds, motions=motions, catalog=drives)
    for ending in ("yaml", "json"):
        told.save(tmp_path / f"m.{ending}")
        back = ts.robots.design(ts.load(tmp_path / f"m.{ending}"))
        assert back.bounds == bounds
        assert back.catalog == drives
        for a, b in zip(sorted(made, key=lambda d: d.name), back.devices, strict=True):
            for f in fields(a):
                x, y = getattr(a, f.name), getattr(b, f.name)
                assert repr(x) == repr(y), (a.name, f.name)
        t = np.linspace(-0.1, 3, 40)
        for i, law in enumerate(LAWS):
            again = back.motions[f"m{i}"]["joint2.angle"]
            assert type(again) is type(law)
            np.testing.assert_array_equal(again(t), law(t))
        assert back.motions["t"]["joint1.angle"].tolist() == [0.0, 0.5]
        assert back.motion("w") == {"joint1.angle": "0.5*sin(2*t)"}


def test_the_schema_knows_the_sections(capsys):
    main(["schema"])
    schema = jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))
    told = yaml.safe_load(FILE.read_text())
    schema.validate(told)
    for path, bad in ((("devices", "weight", "mas"), 3), (("paths", "seam", "type"), "spiral")):
        wrong = json.loads(json.dumps(told))
        at = wrong
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = bad
        with pytest.raises(jsonschema.ValidationError):
            schema.validate(wrong)


BAD = """
devices:
  weight: {type: counterweight, joint: joint7, mass: 21 m, distance: [3, 1]}
  pull: {type: sprng, joint: joint2}
  third: {type: redistribution, joint: joint3}
motions:
  swing:
    joint1.angle: {type: quintic, start: 0, end: 90 deg, duration: 2 m}
    joint9.angle: {type: quintic, start: 0, end: 1, duration: 2}
    joint2.angle: [0, 1]
    joint3.angle: {type: trapezoidal, end: 1, speeed: 3, start: 0, speed: -1}
  quick: {type: time_optimal, poses: [{joint2.angel: 1}]}
paths:
  seam: {type: line, frame: tol, start: [0, 0], end: [1, 0, 0], law: {type: quintic}}
catalog:
  motors: [{name: A, torque: 0.5 kg, peak_torque: 1, speed: 3000 rpm}]
sizing: {motion: swng, pause: 3 kg}
controllers:
  c: {type: computed_torque, motion: swng, kpp: 3}
  p: {type: pd_gravity}
balancing: {over: swng, criterion: best, joints: [joint8], at: {q: 1}}
"""


def test_every_mistake_is_told_with_its_line(tmp_path, capsys):
    text = FILE.read_text()
    text = text[: text.index("devices:")] + BAD
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    lines = text.splitlines()
    code, found = said(capsys, "check", path)
    told = found["files"][0]["problems"]
    assert code == 1

    def line(start):
        return 1 + next(i for i, x in enumerate(lines) if x.strip().startswith(start))

    wanted = [
        (line("weight:"), "devices.weight.joint = joint7: no joint is named 'joint7'"),
        (line("weight:"), "devices.weight.mass = 21 m: expected a mass"),
        (line("weight:"), "devices.weight.distance: expected one number, or [low, high]"),
        (line("pull:"), "devices.pull.type = sprng: no type is named 'sprng'; did you mean"),
        (line("third:"), "devices.third: needs 'shift' [m], or [low, high]"),
        (line("joint1.angle:"), "motions.swing.joint1.angle.duration = 2 m: expected a time"),
        (line("joint9.angle:"), "no coordinate is named 'joint9.angle'"),
        (line("joint2.angle:"), "numbers of a table need 'time' [s] in the same motion"),
        (line("joint3.angle:"), "no field is named 'speeed'; did you mean 'speed'?"),
        (line("quick:"), "motions.quick: needs 'poses': two or more"),
        (line("seam:"), "paths.seam.frame = tol: no body or frame is named 'tol'"),
        (line("seam:"), "paths.seam.start: expected [x, y, z], or {at:"),
        (line("motors:"), "catalog.motors[0].torque = 0.5 kg: expected a moment"),
        (line("motors:"), "catalog.motors[0]: needs 'inertia' [kg m^2]"),
        (line("sizing:"), "sizing.motion = swng: no motion or path is named 'swng'"),
        (line("sizing:"), "sizing.pause = 3 kg: expected a time"),
        (line("c:"), "controllers.c.motion = swng: no motion or path is named 'swng'"),
        (line("c:"), "controllers.c.kpp = 3: no field is named 'kpp'"),
        (line("p:"), "controllers.p: needs 'target'"),
        (line("balancing:"), "balancing.over = swng: no motion or path is named 'swng'"),
        (line("balancing:"), "balancing.criterion = best: no criterion is named 'best'"),
        (line("balancing:"), "balancing.joints = joint8: no joint is named 'joint8'"),
        (line("balancing:"), "balancing.at.q = 1: no coordinate is named 'q'"),
    ]
    for number, words in wanted:
        assert any(words in x and x.startswith(f"bad.yaml, line {number}:") for x in told), (
            number,
            words,
            told,
        )

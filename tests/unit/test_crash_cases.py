"""Whole crashes in files: walls, barriers, occupants and sleds, without a line of Python."""

import json

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.cli import main

C = ts.crash
RIDER = "{type: three_body, in: body, at: [-2 m, 0.4 m, 0.3 m], lap: {slack: 0 mm}}"


@pytest.fixture
def folder(tmp_path):
    assert main(["new", "k3", str(tmp_path / "k3.yaml"), "--quiet"]) == 0
    return tmp_path


def case(folder, text):
    (folder / "case.yaml").write_text(text)
    return C.load_case(folder / "case.yaml")


@pytest.mark.parametrize(
    ("wall", "same"),
    [
        ("{type: wall, angle: 30 deg, friction: 0.3}", C.Wall("30 deg", friction=0.3)),
        ("{type: wall, overlap: 40 %, side: right}", C.Wall(overlap=0.4, side="right")),
        ("{type: pole, diameter: 300 mm, y: 0.2 m}", C.Pole(0.3, 0.2)),
        (
            "{type: deformable_face, pressure: 0.3 MPa, wall: {overlap: 50 %, friction: 0.2}}",
            C.DeformableFace(0.3e6, wall=C.Wall(overlap=0.5, friction=0.2)),
        ),
        (
            "{type: deformable_face, pressure: [[0, 0], [10 cm, 0.3 MPa], [0.4, 4e5]]}",
            C.DeformableFace(((0, 0), (0.1, 0.3e6), (0.4, 0.4e6))),
        ),
        (
            "{type: moving_barrier, mass: 1.2 t, face: {thickness: 0.6 m, wall: {side: right}}}",
            None,
        ),
    ],
)
def test_every_wall_stands_in_a_file_as_in_python(folder, wall, same):
    found = case(folder, f"car: k3.yaml\nspeed: 50 km/h\ndimensions: 2\nwall: {wall}\n")
    if same is None:  # what is not said stays as it is: progressive pressures, half the width
        trolley = next(b for b in found.scene.bodies if b.name == "trolley")
        assert trolley.mass == 1200 and "face1" in [f.name for f in found.scene.forces]
        assert all(f.point[1][1] < 0 for f in found.scene.forces if f.name == "sheet_metal")
        return
    want = C.against(C.car("k3"), same, "50 km/h", 2)
    for a, b in zip(found.scene.forces, want.forces, strict=True):
        assert (a.name, a.law, getattr(a, "plane", 0)) == (b.name, b.law, getattr(b, "plane", 0))
    assert found.point == "body" and found.scene.initial == want.initial


def test_an_occupant_in_a_file_is_the_one_in_python(folder, capsys):
    text = f"car: k3.yaml\nspeed: 48 km/h\noccupants: [{RIDER}]\n"
    found = case(folder, text)
    rider = C.ThreeBody(lap=C.Belt(0.0, 120e3, 15e3))
    want = C.seated(C.against(C.car("k3"), C.Wall(), "48 km/h"), "body", rider, (-2, 0.4, 0.3))
    assert found.occupants == (("driver", "body"),)
    want = C.occupant_metrics(ts.simulate(want), carrier="body")
    out = folder / "out"
    args = ["crash", str(folder / "case.yaml"), "--json", "-o", str(out)]
    assert main(args) == 0
    said = json.loads(capsys.readouterr().out)
    for name, x in want.items():
        assert said["occupants"]["driver"][name]["value"] == pytest.approx(x, rel=1e-9)
    page = (out / "report.html").read_text()
    assert "driver: belts" in page and "head excursion" in page
    again = ts.simulate(ts.load(out / "model.yaml"))
    assert C.occupant_metrics(again, carrier="body")["hic15"] == pytest.approx(want["hic15"])


def test_a_pulse_in_a_file_drives_a_sled(folder):
    text = (
        "pulse: {time: [0 ms, 20 ms, 60 ms, 100 ms], acceleration: [0 g0, -20 g0, -25 g0, 0 g0]}\n"
        "speed: 50 km/h\nt_end: 120 ms\noccupants: [{type: one_mass, belt: {slack: 30 mm}}]\n"
    )
    run = ts.simulate(case(folder, text).scene)
    change = 9.80665 * (0.02 * 10 + 0.04 * 22.5 + 0.04 * 12.5)
    assert run["cabin.speed"][-1] == pytest.approx(50 / 3.6 - change, abs=1e-9)
    assert run.completed and run.energy_audit.relative < 1e-8


def test_the_mass_of_the_sled_decides_nothing(monkeypatch):
    from torseur.crash import sled_model

    time = np.linspace(0, 0.1, 101)
    pulse = -250 * np.sin(np.pi * time / 0.1) ** 2
    ends = []
    for mass in (1.0, 1e4):
        monkeypatch.setattr(sled_model, "SLED", mass)
        model = C.seated(C.sled(time, pulse, 14.0), "cabin", C.ThreeBody())
        run = ts.simulate(model)
        ends.append(run["driver_head.velocity.x"][-1])
        assert run.energy_audit.relative < 1e-8
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_crashes_of_the_package_run_from_the_command(tmp_path, capsys):
    from torseur.cli.commands.new import TEMPLATE_FOLDERS, list_templates

    for name in list_templates(TEMPLATE_FOLDERS[2]):
        path = tmp_path / f"{name}.yaml"
        assert main(["new", name, str(path)]) == 0
        assert f"next: torseur crash {path} -o out/" in capsys.readouterr().out
        assert main(["crash", str(path), "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert said["completed"] and said["energy_closes_to"] < 1e-8
        assert 1 < said["occupants"]["driver"]["hic15"]["value"] < 3000


def test_a_head_moves_ahead_along_the_cabin_that_turns():
    spun = C.seated(
        ts.Model(
            "spin",
            gravity=(0, 0, 0),
            bodies=(ts.Body("cabin", 1e4, inertia=(1e4, 1e4, 1e4, 0, 0, 0)),),
            joints=(ts.Joint("cabin", "world", "cabin", ts.Planar("z")),),
            initial={"cabin.rate": 10.0},
        ),
        "cabin",
        C.ThreeBody(mass=1e-3),
    )
    run = ts.simulate(spun, 0.02)
    ahead = C.occupant_metrics(run)["head_excursion"]
    assert ahead == pytest.approx(run["driver_pelvis.displacement"].max(), abs=2e-3)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("crash: x\n", "needs 'car', a vehicle, or 'pulse'"),
        ("car: k4.yaml\nspeed: 9\n", "car = k4.yaml: no such file"),
        ("car: ../k3.yaml\nspeed: 9\n", "leaves the folder"),
        ("car: k3\nspeed: 9\nwall: {type: well}\n", "no type is named 'well'; did you mean 'wall'"),
        ("car: k3\nspeed: 9\nwall: {type: wall, angel: 3}\n", "did you mean 'angle'"),
        ("car: k3\nspeed: 9 kg\n", r"line 2: speed = 9 kg: expected a speed \[m/s\]"),
        ("car: k3\nspeed: 9\nwal: {type: wall}\n", "no section is named 'wal'; did you mean"),
        ("car: k3\nspeed: 9\nscenario: un_94\n", "did you mean 'un_r94'"),
        ("car: k3\nscenario: un_r94\noverlap: 30 %\n", "has its own overlap"),
        ("car: k3\nspeed: 9\nfriction: 0.2\n", "'friction' is that of two cars"),
        ("car: k3\nspeed: 9\noccupants: [{type: dumy}]\n", "did you mean 'dummy'"),
        ("car: k3\nspeed: 9\noccupants: [{type: dummy, in: boddy}]\n", "did you mean 'body'"),
        ("car: k3\nspeed: 9\noccupants: [{type: dummy, lap: {slak: 1}}]\n", "did you mean 'slack'"),
        ("car: k3\nspeed: 9\noccupants: [{type: dummy}, {type: dummy}]\n", "another name"),
        ("car: k3\nspeed: 9\nwall: {type: wall}\nother: k3\n", "give one of 'wall'"),
        ("pulse: {time: [0, 1]}\nspeed: 3\n", "a pulse needs 'time', 'acceleration'"),
        ("pulse: 3\n", "expected 'test', or 'time' and 'acceleration'"),
        (
            "pulse: {time: [0, 1], acceleration: [0, 1]}\nspeed: 3\nwall: {type: pole}\n",
            "line 3: wall: says nothing on a sled",
        ),
        (
            "pulse: {time: [0, 1], acceleration: [0, 1], channels: [4]}\nspeed: 3\n",
            r"pulse.channels: a pulse is that of a 'test'",
        ),
        ("car: k3\nspeed: [9, 8]\n", "against: speed: expected a number"),
    ],
)
def test_a_wrong_case_is_told(folder, text, sentence):
    with pytest.raises(ts.ModelError, match=sentence):
        case(folder, text)


def test_cars_and_speeds_of_two(folder):
    text = "car: k3\nother: truck\nspeed: [50 km/h, 30 km/h]\noverlap: 50 %\ndimensions: 2\n"
    found = case(folder, text)
    assert found.scene.initial["b_truck.speed_x"] == pytest.approx(30 / 3.6)
    assert found.point == "a_body"
    named = case(folder, "car: k3\nscenario: car_to_truck\nspeed: 36 km/h\n").scene.initial
    assert set(named.values()) == {10.0}


def test_vehicles_are_mirrored_lumped_and_merged_by_includes(folder):
    (folder / "drive.yaml").write_text(
        "vehicle: drive\nbodies: {engine: {mass: 1 kg}, axle: {mass: 80 kg}}\n"
        "members: [{name: shaft, body: engine, to: axle, law: {type: spring, stiffness: 1e5}}]\n"
    )
    (folder / "side.yaml").write_text(
        "vehicle: side\nbodies: {rail: {mass: 10 kg, com: [0, 0.5, 0]}}\n"
        "members: [{name: horn, body: rail, at: [0, 0.5, 0], law: {type: crush,\n"
        "  points: [[0, 0], [0.1, 1e5]], unloading: 1e7}}]\n"
    )
    (folder / "whole.yaml").write_text(
        "vehicle: whole\nmain: chassis\ninclude:\n"
        "  - {file: k3.yaml, lump: {chassis: [body, xm]}}\n"
        "  - {file: drive.yaml}\n"
        "  - {file: side.yaml, prefix: l_}\n"
        "  - {file: side.yaml, prefix: r_, mirror: true}\n"
    )
    whole = C.load_vehicle(folder / "whole.yaml")
    masses = {b.name: float(b.mass) for b in whole.bodies}
    assert masses == {"chassis": 1210, "engine": 290, "axle": 80, "l_rail": 10, "r_rail": 10}
    assert "torque_box" not in [m.name for m in whole.members]
    assert {m.name: m.at[1] for m in whole.members if "horn" in m.name} == {
        "l_horn": 0.5, "r_horn": -0.5
    }  # fmt: skip
    (folder / "bad.yaml").write_text(
        "include: [{file: k3.yaml, lump: [1], mirror: 3}]\nmembers: []\n"
    )
    with pytest.raises(ts.ModelError, match=r"lump: expected names"):
        C.load_vehicle(folder / "bad.yaml")


def test_a_rigid_trolley_takes_the_impulse_that_its_face_is_pressed_with():
    k3 = C.car("k3")
    ends = []
    for d in (1, 2, 3):
        scene = C.against(k3, C.MovingBarrier(1814.0, face=None, speed=0.0), "48 km/h", d)
        run = ts.simulate(scene)
        force = C.wall_force(run, scene)["total"]
        push = np.sum(np.diff(run.time) * (force[1:] + force[:-1]) / 2)
        v = run["trolley.velocity.x"][-1]
        assert push == pytest.approx(1814 * v, rel=1e-4) and run.energy_audit.relative < 1e-8
        ends.append(v)
    assert np.ptp(ends) < 1e-6
    scene = C.scenario["car_to_truck"](k3)
    run = ts.simulate(scene)
    force = C.wall_force(run, scene)["total"]
    push = np.sum(np.diff(run.time) * (force[1:] + force[:-1]) / 2)
    assert push == pytest.approx(1e4 * np.ptp(run["b_truck.velocity.x"][[0, -1]]), rel=1e-3)
    scene = C.scenario["euro_ncap_mpdb"](k3, dimensions=1)
    run = ts.simulate(scene)
    force = C.wall_force(run, scene)["face"]
    push = np.sum(np.diff(run.time) * (force[1:] + force[:-1]) / 2)
    assert push == pytest.approx(1400 * np.ptp(run["trolley.velocity.x"][[0, -1]]), rel=2e-2)


def test_what_a_member_takes_is_plastic_dynamic_torn_and_friction():
    points = np.array(((0, 0), (0.05, 1e5), (0.2, 7e4), (0.6, 3e5)))
    law = ts.Crush(points.tolist(), 2e7, rate="linear")
    ends = [C.Member(n, "b", (0, y, 0), law=law) for n, y in (("l", 0.5), ("r", -0.5))]
    car = C.Vehicle("c", [ts.Body("b", 1200.0, inertia=(300, 1500, 1600, 0, 0, 0))], ends)
    run = ts.simulate(C.against(car, C.Wall("20 deg", friction=0.3), 14.0, 2))
    for n in "lr":
        parts = ("plastic", "dynamic", "torn", "friction")
        e = {k: run[f"{n}.energy.{k}"] for k in (*parts, "dissipated")}
        np.testing.assert_allclose(sum(e[k] for k in parts), e["dissipated"], atol=1e-6)
        d = run[f"{n}.largest"][-1]
        x = np.union1d(points[:, 0][points[:, 0] < d], [d])
        F = np.interp(x, *points.T)
        area = np.sum(np.diff(x) * (F[1:] + F[:-1]) / 2)
        assert e["plastic"][-1] == pytest.approx(area - F[-1] ** 2 / 4e7, rel=1e-8)
        assert (e["friction"][-1] > 100) and (e["dynamic"][-1] > 100)
    beside = ts.Parallel(ts.Crush(((0, 0), (0.6, 3e5)), 2e6), ts.Viscous(3e3))
    member = C.Member("f", "b", law=beside)
    run = ts.simulate(C.against(C.Vehicle("c", [ts.Body("b", 1000.0)], [member]), speed=10))
    lost = run["f.energy.dynamic"][-1] + run["f.energy.plastic"][-1]
    assert (
        lost == pytest.approx(run["f.energy.dissipated"][-1]) and run["f.energy.dynamic"][-1] > 1e3
    )


@pytest.mark.parametrize("angle", zoo.few([90, 110, 180], 110))
def test_a_car_is_driven_into_on_its_side_and_from_behind(angle):
    """Mirrored angles mirror the motion; momentum stays; from behind a line will do."""
    k3 = C.car("k3")

    def run_of(turn, dimensions=2):
        speeds = ("50 km/h", "20 km/h")
        scene = C.collide(k3, k3, speeds, angle=turn, dimensions=dimensions, friction=0.3)
        return scene, ts.simulate(scene)

    scene, run = run_of(f"{angle} deg")
    assert run.completed and run.energy_audit.relative < 1e-8
    assert scene.frames[-1].name == ("b_body_rear" if angle == 180 else "b_body_side")
    assert C.wall_force(run, scene)["total"].max() > 1e5
    _, other = run_of(f"-{angle} deg")
    for n, sign in (("velocity.x", 1), ("velocity.y", -1), ("angular_velocity.z", -1)):
        for body in ("a_body", "b_body"):
            got = sign * other[f"{body}.{n}"][-1]
            assert run[f"{body}.{n}"][-1] == pytest.approx(got, abs=1e-6)
    for c in "xy":
        now = sum(b.mass * np.asarray(run[f"{b.name}.velocity.{c}"]) for b in scene.bodies)
        assert now[-1] == pytest.approx(now[0], abs=1e-5)
    if angle == 180:
        _, line = run_of("180 deg", 1)
        end = run["b_body.velocity.x"][-1]
        assert line["b_body.velocity.x"][-1] == pytest.approx(end, abs=1e-6)


def test_a_face_that_looks_away_is_told():
    k3 = C.car("k3")
    with pytest.raises(ts.ModelError, match="at 0 deg its rear looks away"):
        C.collide(k3, k3, (10, 10), struck="rear")
    with pytest.raises(ts.ArgumentError, match="struck='roof'"):
        C.collide(k3, k3, (10, 10), struck="roof")
    with pytest.raises(ts.ModelError, match="the wall of its face says it"):
        C.MovingBarrier(friction=0.3)
    with pytest.raises(ts.ModelError, match="face: expected"):
        C.MovingBarrier(face=3)
    with pytest.raises(ts.ModelError, match="belt: slack: expected a number"):
        C.Belt(slack="x")
    with pytest.raises(ts.ArgumentError, match="-5 m/s drives away"):
        C.against(k3, speed=-5)


def test_what_is_wrong_with_the_whole_has_the_file_for_its_place(folder):
    with pytest.raises(ts.ModelError, match=r"t_end = 0 s.*\(case\.yaml\)"):
        case(folder, "car: k3.yaml\nspeed: 50 km/h\nt_end: 0\n").scene.check()


def test_two_cars_at_an_angle(folder):
    text = "car: k3.yaml\nother: k3.yaml\nspeed: [50 km/h, 20 km/h]\nangle: 90 deg\ndimensions: 2\n"
    speeds, k3 = ("50 km/h", "20 km/h"), C.car("k3")
    want = C.collide(k3, k3, speeds, angle="90 deg", dimensions=2)
    assert case(folder, text).scene.check().digest == want.check().digest

"""Workspaces against closed forms; the commands ik, balance, size and workspace."""

import json
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, chromium
from french_walk import untold

import torseur as ts
from torseur.cli import main
from torseur.robots.french import FRENCH

FOLDER = Path(__file__).parents[2] / "examples"


def planar(**limits):
    turn = ts.Revolute((0, -1, 0))
    return ts.Model(
        bodies=(ts.Body("a", 2.0, (0.25, 0, 0)), ts.Body("b", 1.0, (0.15, 0, 0))),
        joints=(
            ts.Joint("j1", "world", "a", turn, max_effort=20.0, **limits),
            ts.Joint("j2", "a", "b", turn, at=(0.5, 0, 0), max_effort=6.0),
        ),
        frames=(ts.Frame("tool", "b", at=(0.3, 0, 0)),),
    )


def test_two_links_in_a_plane():
    found = ts.robots.workspace(
        planar(), "tool", samples=3000, stiffness={"j1": 1e4, "j2": 5e3}, load=(0, 0, -50)
    )
    near, far = found.reach
    assert near == pytest.approx(0.2, abs=2e-3) and far == pytest.approx(0.8, abs=2e-3)
    q1, q2 = found.q.T
    g1 = 9.81 * (2 * 0.25 * np.cos(q1) + 0.5 * np.cos(q1) + 0.15 * np.cos(q1 + q2))
    np.testing.assert_allclose(found.gravity[:, 0], g1, atol=1e-12)
    area = 0.5 * 0.3 * abs(np.sin(q2)) / found.size**2
    np.testing.assert_allclose(found.manipulability, area, atol=1e-12)
    arm1, arm2 = 0.5 * np.cos(q1) + 0.3 * np.cos(q1 + q2), 0.3 * np.cos(q1 + q2)
    sag = -50 * (arm1**2 / 1e4 + arm2**2 / 5e3)
    np.testing.assert_allclose(found.deflection[:, 2], sag, atol=1e-12)
    g2 = 9.81 * 0.15 * np.cos(q1 + q2)
    limits = ((20.0, g1, arm1), (6.0, g2, arm2))
    room = np.min([(m - g * np.sign(a)) / abs(9.81 * a) for m, g, a in limits], axis=0)
    np.testing.assert_allclose(found.payload, np.maximum(room, 0), rtol=1e-6)
    worst, pose = found.worst_gravity()["j1"]
    assert worst == pytest.approx(9.81 * 1.15, rel=1e-3) and abs(np.cos(pose["j1.angle"])) > 0.99
    assert (abs(np.sin(q2[found.singular(0.01)])) < 0.1).all()


def test_limits_bound_the_space_and_dexterity_counts_orientations():
    found = ts.robots.workspace(planar(limits=("0", "pi/2")), "tool", samples=500)
    assert found.q[:, 0].min() >= 0 and found.q[:, 0].max() <= np.pi / 2
    bodies = [ts.Body(f"b{i}", 1, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(6)]
    rows = [
        (0, 0, 0, 0),
        ("-pi/2", 0, 0, 0),
        (0, 0.4, 0, 0.15),
        ("-pi/2", 0.02, 0, 0.4),
        ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0),
    ]
    arm = ts.from_dh(rows, bodies, convention="modified", frames=(ts.Frame("tool", "b5"),))
    space = ts.robots.workspace(arm, "tool", samples=50)
    inside, outside = space.dexterity([(0.4, 0.2, 0.3), (2.0, 0, 0)], 6)
    assert inside == 1.0 and outside == 0.0  # a wrist that meets turns any way


def test_volume_and_singular_loci():
    """A shell between two spheres; surfaces where the determinant of the Jacobian vanishes."""
    link = [ts.Body(n, 1.0, (0.2, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for n in "abc"]
    rows = [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.5, 0, 0)]
    tool = (ts.Frame("tool", "c", at=(0.3, 0, 0)),)
    space = ts.robots.workspace(
        ts.from_dh(rows, link, convention="modified", frames=tool), "tool", samples=2000
    )
    shell = 4 / 3 * np.pi * (0.8**3 - 0.2**3)
    assert abs(space.volume() - shell) < 4 * space._volume()[1] < 0.2 * shell
    q, places = space.loci(400)
    r, above = np.linalg.norm(places, axis=1), np.linalg.norm(places[:, :2], axis=1)
    kinds = (abs(r - 0.8) < 1e-8, abs(r - 0.2) < 1e-8, above < 1e-8)  # stretched, folded, on axis 1
    assert np.any(kinds, axis=0).all() and all(k.any() for k in kinds) and len(q) > 350


def said(capsys, *words):
    code = main([*map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_command_ik(capsys):
    code, data = said(
        capsys, "ik", FOLDER / "mac.yaml", "tool", "--at", 1.0165271, "42.978078cm", 0.81393777
    )
    assert code == 0 and len(data["solutions"]) == 4 and data["complete"]
    code, data = said(capsys, "ik", FOLDER / "mac.yaml", "tool", "--at", 3, 0, 0.7)
    assert code == 1 and "out of reach by 1.7 m" in data["problems"][0]


def test_command_balance(capsys, tmp_path):
    arm = tmp_path / "arm.yaml"
    planar().save(arm)
    words = [
        "balance",
        arm,
        "--device",
        "counterweight",
        "name=weight",
        "joint=j2",
        "mass=3",
        "--bounds",
        "distance=0:0.2",
        "--over",
        "j2.angle=0:90deg",
    ]
    code, data = said(capsys, *words, "-o", tmp_path / "done.yaml", "--report", tmp_path / "b.html")
    assert code == 0 and data["values"]["weight.distance"] == pytest.approx(0.05, abs=1e-9)
    assert any(b.name == "weight" for b in ts.load(tmp_path / "done.yaml").bodies)
    assert "<svg" in (tmp_path / "b.html").read_text()
    cycle, t = tmp_path / "cycle.csv", np.linspace(0, 1, 21)
    rows = "\n".join(f"{a},{a**3 * (10 - 15 * a + 6 * a * a)}" for a in t)
    cycle.write_text(f"time [s],j2.angle [rad]\n{rows}\n")
    more = ["--motion", cycle, "--payload", "tool=0,1", "--criterion", "energy"]
    two = [*words[:2], "--device", "counterweight", "joint=j2", "distance=0.1", *more]
    two += ["--device", "spring", "joint=j1", "anchor=0,0,0.2", "radius=0.1", "stiffness=10"]
    code, data = said(
        capsys, *two, "--bounds", "mass=0.1:9", "--pareto", "counterweight.mass", "--report",
        tmp_path / "c.html",
    )  # fmt: skip
    assert code == 0 and len(data["pareto"]) == 9 and data["pareto"][0][0] == pytest.approx(0.1)
    assert data["value"] <= min(y for _, y in data["pareto"]) * (1 + 1e-6)
    code, data = said(capsys, *words[:2], "--device", "magnet", "joint=j2")
    assert code == 1 and "no device is named 'magnet'" in data["problems"][0]


def test_command_balance_in_letters_and_its_cam(capsys, tmp_path):
    file = tmp_path / "letters.yaml"
    file.write_text(
        "schema_version: 1\ngravity: [0, 0, -g]\nbodies: {link: {mass: m, com: [x, 0, 0]}}\n"
        "joints: [{name: pin, type: revolute, parent: world, child: link, axis: [0, -1, 0]}]\n"
    )
    pull = ("spring", "joint=pin", "anchor=0,0,H", "radius=R", "stiffness=k")
    code, data = said(capsys, "balance", file, "--device", *pull, "--conditions", "k")
    assert code == 0 and data["solution"] == {"k": "g*m*x/(H*R)"} and not data["left"]
    assert main(["balance", str(file), "--device", *pull, "--conditions", "k"]) == 0
    assert "k = W/(H*R), W = g*m*x" in capsys.readouterr().out
    out = tmp_path / "cam.csv"
    words = (
        "--device",
        "cam",
        "joint=joint2",
        "--bounds",
        "amplitude=0:500",
        "--over",
        "joint2.angle=0:80deg",
    )
    code, data = said(capsys, "balance", FOLDER / "mac_design.yaml", *words, "--cam", out)
    assert code == 0 and data["cam"] == str(out) and len(out.read_text().splitlines()) == 362
    assert said(capsys, "balance", FOLDER / "mac_design.yaml", *words, "--cam", out)[0] != 0


def test_command_control(capsys, tmp_path):
    arm = tmp_path / "arm.yaml"
    planar().save(arm)
    for kind, more in (
        ("computed_torque", []),
        ("pd", ["--pose", "j1.angle=30deg"]),
        ("lqr", []),
    ):
        code, data = said(
            capsys, "control", arm, "--kind", kind, *more, "-o", tmp_path / f"{kind}.c"
        )
        assert code == 0 and data["inputs"] == ["u_j1", "u_j2"]
        assert "control(const double *restrict q" in (tmp_path / f"{kind}.c").read_text()
    assert data["slowest"] < 0 and np.shape(data["gains"]) == (2, 4)
    code, data = said(capsys, "control", arm, "--pose", "j1.angle=1", "-o", tmp_path / "c.c")
    assert code == 1 and "--pose is for pd and lqr" in data["problems"][0]


def test_command_laws(capsys, tmp_path):
    arm = tmp_path / "arm.yaml"
    planar().save(arm)
    words = ["laws", arm, "j1.angle", "--start", "0", "--end", "60deg", "--time", "800ms"]
    code, data = said(capsys, *words, "--frequencies", 4, "--report", tmp_path / "l.html")
    assert code == 0 and len(data["laws"]) == 6 and "<svg" in (tmp_path / "l.html").read_text()
    top = {k: x["top speed"] * 0.8 / np.radians(60) for k, x in data["laws"].items()}
    assert top["trapezoidal"] == pytest.approx(1.5, rel=1e-3)
    assert top["quintic"] == pytest.approx(1.875, rel=1e-3)
    code, data = said(capsys, *words[:-1], "0 s")
    assert code == 1 and "a duration above zero" in data["problems"][0]


def test_commands_size_and_workspace(capsys, tmp_path):
    arm, cycle = tmp_path / "arm.yaml", tmp_path / "cycle.csv"
    planar().save(arm)
    t = np.linspace(0, 1, 41)
    s = 10 * t**3 - 15 * t**4 + 6 * t**5
    rows = "\n".join(f"{a},{60 * b}" for a, b in zip(t, s, strict=True))
    cycle.write_text(f"time [s],j1.angle [deg]\n{rows}\n")
    code, data = said(capsys, "size", arm, "--motion", cycle, "--catalog", "example")
    assert code == 0 and data["joints"]["j1"][0]["motor"] == "M100"
    code, data = said(
        capsys, "workspace", arm, "tool", "--samples", 500, "--report", tmp_path / "w.html"
    )
    assert code == 0 and data["reach"][1] == pytest.approx(0.8, abs=0.01)
    assert "payload [kg]" in (tmp_path / "w.html").read_text()
    code, data = said(capsys, "workspace", arm, "tol")
    assert code == 1 and "did you mean 'tool'" in data["problems"][0]


def test_workspace_in_space(tmp_path, capsys):
    """The page holds the very points; its file too."""
    from base64 import b64decode

    space = ts.robots.workspace(planar(), "tool", samples=300, stiffness={"j1": 1e3})
    space.report(tmp_path / "w.html", dexterity=5)
    text = (tmp_path / "w.html").read_text()
    held = [json.loads(x.split("</script>")[0]) for x in text.split('"application/json">')[1:]]
    points = np.frombuffer(b64decode(held[0]["points"]), "<f4").reshape(-1, 3)
    np.testing.assert_allclose(points, space.points, atol=1e-6)
    names = [m["name"] for m in held[0]["maps"]]
    assert {"manipulability", "weight on j1 [N m]", "deflection [m]"} <= set(names)
    level = np.frombuffer(b64decode(held[0]["maps"][0]["level"]), np.uint8)
    assert level[np.argmax(1 / space.condition)] == 254 and level.min() == 0
    assert held[-1]["maps"][0]["name"] == "share of orientations" and "http" not in text
    assert not untold(text, FRENCH) and ">deflection [m]</option>" in text
    gap = np.linalg.norm(space.points - space.skeleton()[-1], axis=1)
    assert gap.min() < 1e-12 and len(space.skeleton()) == 3
    arm = tmp_path / "arm.yaml"
    planar().save(arm)
    code, _ = said(
        capsys, "workspace", arm, "tool", "--samples", 50, "--stiffness", "j1=1e3", "-o",
        tmp_path / "w.csv",
    )  # fmt: skip
    lines = (tmp_path / "w.csv").read_text().splitlines()
    assert code == 0 and len(lines) == 51 and lines[0].startswith("j1.angle,j2.angle,x [m]")


@pytest.mark.skipif(chromium() is None, reason="no Chromium on this machine")
def test_workspace_is_drawn_and_turns(tmp_path):
    space = ts.robots.workspace(planar(), "tool", samples=400, stiffness={"j1": 1e3, "j2": 1e3})
    space.report(tmp_path / "w.html")
    run = ts.inverse(planar(), {"j1.angle": ts.robots.Quintic(0, 1, 0.5)}, points=21)
    run.report(tmp_path / "run.html", workspace=space)
    ink = """(() => { const c = document.querySelector('.cloud canvas');
      const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      let sum = 0, n = 0;
      for (let i = 3; i < d.length; i += 4) if (d[i]) { n++; sum = (sum * 31 + i) % 1000003; }
      return [n, sum, document.querySelector('.high').textContent]; })()"""
    with Browser(tmp_path / "profile") as b:
        b.open((tmp_path / "w.html").as_uri())
        first = b.run(ink)
        b.run("document.querySelector('canvas').onkeydown(new KeyboardEvent('keydown', "
                "{key: 'ArrowLeft'})), 1")  # fmt: skip
        turned = b.run(ink)
        b.run("(() => { const s = document.querySelector('select'); s.value = 1; "
                "s.onchange(); return 1; })()")  # fmt: skip
        other = b.run(ink)
        b.run("document.getElementById('language').click()")
        told = b.run("document.querySelector('option').text")
        assert told == "1 / conditionnement" and "," in b.run(ink)[2]
        b.open((tmp_path / "run.html").as_uri() + "#tab=workspace")
        tab = b.run(ink)
        names = b.run("[...document.querySelectorAll('.cloud option')].map(o => o.text)")
        assert tab[0] > 300 and tab[2] == first[2]
        assert {"manipulability", "payload [kg]", "stiffness along the load [N/m]"} <= set(names)
    with pytest.raises(ts.TorseurError, match="workspace= takes what"):
        run.report(tmp_path / "no.html", workspace=3)
    assert first[0] > 300 and turned[1] != first[1] and other[2] != first[2]

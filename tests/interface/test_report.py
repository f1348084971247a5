"""The report as text: what it carries, how small it is, and the bundle it is made from."""

import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import zlib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.errors import TorseurError
from torseur.forces import PointForce, Spring, Wrench
from torseur.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from torseur.results import RunStatus, Trajectory
from torseur.show import Page, page
from torseur.show.mesh_files import decimate_mesh, read_mesh
from torseur.show.primitives import inertia_box, matrix_quaternion, rotation_from_z, rpy_matrix
from torseur.show.scene import build_scene
from torseur.show.signal_packing import MAX_SIGNAL_BYTES, decimate_rows, pack_signals
from torseur.simulation import simulate

ASSETS = files("torseur.show") / "assets"
WEB = Path(__file__).parents[2] / "web"


def data_of(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found[1])


def columns_of(data) -> np.ndarray:
    planes = np.frombuffer(zlib.decompress(base64.b64decode(data["columns"])), np.uint8)
    return planes.reshape(4, -1).T.copy().view("<f4").reshape(-1, data["rows"])


def rods(**options) -> ts.Model:
    return ts.Model(
        "rods",
        bodies=(
            ts.Body("upper", mass=2.0, com=(0, 0, -0.25), inertia=(0.04, 0.04, 0.001, 0, 0, 0)),
            ts.Body("lower", mass="m", com=(0, 0, "-L/2")),
        ),
        joints=(
            ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
            ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.5)),
        ),
        frames=(ts.Frame("tool", "lower", at=(0, 0, "-L")),),
        parameters={"m": 1.0, "L": 0.4},
        **options,
    )


@pytest.fixture(scope="module")
def run():
    pull = PointForce("mount", "tool", ("world", (0.8, 0, -0.3)), Spring(60.0, 0.5))
    return simulate(rods(forces=(pull,)), t_end=1.0, initial={"shoulder.angle": 1.2}, output=101)


# ---- the bundle ------------------------------------------------------------------------------


def test_the_shipped_bundle_has_the_hash_that_stands_beside_it():
    hashes = json.loads((ASSETS / "hashes.json").read_text())
    assert set(hashes) == {"report.js", "report.css", "report.html"}
    for name, want in hashes.items():
        assert hashlib.sha256((ASSETS / name).read_bytes()).hexdigest() == want, name


def test_the_bundle_carries_the_licences_of_what_it_contains():
    head = (ASSETS / "report.js").read_text()[:4000]
    for words in ("three 0.187.0", "uplot 1.6.32", "Permission is hereby granted"):
        assert words in head


@pytest.mark.skipif(
    os.environ.get("TORSEUR_BUILD_WEB") != "1" or shutil.which("npm") is None,
    reason="building the page needs npm and TORSEUR_BUILD_WEB=1",
)
def test_building_again_gives_the_same_bundle(tmp_path):
    source = tmp_path / "web"
    shutil.copytree(WEB, source, ignore=shutil.ignore_patterns("node_modules"))
    subprocess.run(["npm", "ci"], cwd=source, check=True, capture_output=True)
    subprocess.run(["node", "build.mjs", str(tmp_path / "out")], cwd=source, check=True)
    assert (tmp_path / "out" / "hashes.json").read_text() == (ASSETS / "hashes.json").read_text()


# ---- the page --------------------------------------------------------------------------------


def test_the_page_carries_the_signals_of_the_run(run):
    text = page(run)
    data = data_of(text)
    columns = columns_of(data)
    np.testing.assert_array_equal(columns[0], run.time.astype(np.float32))
    assert {s["name"] for s in data["signals"]} == set(run.signals)
    for s in data["signals"]:
        got = columns[s["column"]] if "column" in s else np.full(101, s["value"])
        np.testing.assert_array_equal(got.astype(np.float32), run[s["name"]].astype(np.float32))
        assert s["unit"] == run.units[s["name"]]
    groups = {s["name"]: tuple(s["group"]) for s in data["signals"]}
    assert groups["elbow.angle"] == ("Joints", "elbow")
    assert groups["lower.position.x"] == ("Bodies", "lower")
    assert groups["mount.force"] == ("Forces", "mount")
    assert groups["tool.velocity.z"] == ("Frames", "tool")
    assert groups["energy.residual"] == ("Energy", "energy")
    assert data["panels"]["xy"]["pairs"][0] == {
        "name": "mount",
        "x": "mount.deflection",
        "y": "mount.force",
    }
    assert (
        "<math" in text
        and "newton euler" in text
        and "largest energy" in json.dumps(data["panels"]["energy"])
    )


def test_a_common_run_stays_under_two_megabytes():
    arm = zoo.tree([ts.Revolute("z")] * 9, parents=range(-1, 8))
    run = simulate(arm, t_end=1.0, output=5001)
    text = page(run)
    data = data_of(text)
    assert len(text.encode()) < 2_000_000
    assert 300 <= data["rows"] <= 1200 and len(data["columns"]) <= MAX_SIGNAL_BYTES
    assert {f"b8.orientation.{c}" for c in "wxyz"} <= {s["name"] for s in data["signals"]}
    assert "Not shown here: 9 degrees of freedom" in text
    assert f"{data['rows']} of 5001 time points" in text


def test_names_are_text_and_never_markup():
    bad = '</script><script>alert(1)</script>{{data}}<img src=x onerror="alert(2)">'
    run = Trajectory(
        [0.0, 1.0],
        {bad: [1.0, 2.0]},
        {bad: bad},
        outcome=bad,
        provenance={"model": bad, "method": bad},
        statistics={bad: bad},
    )
    text = page(run)
    clean = page(Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"}))
    assert "<img" not in text
    assert text.count("</script>") == clean.count("</script>")
    assert data_of(text)["title"] == bad and data_of(text)["signals"][0]["name"] == bad
    assert "default-src 'none'" in text


def test_a_run_without_its_model_and_a_run_read_from_a_file(run, tmp_path):
    assert data_of(page(Trajectory([0.0], {"x": [1.0]}, {"x": "m"})))["scene"]["bodies"] == []
    back = Trajectory.load(run.save(tmp_path / "run.nc"))
    data = data_of(page(back, rods()))
    assert [b["name"] for b in data["scene"]["bodies"]] == ["upper", "lower"]


def test_values_that_are_not_finite_leave_valid_data():
    run = Trajectory(
        [0.0, 1.0, 2.0],
        {"x": [1.0, np.nan, np.inf], "y": [np.nan] * 3},
        {"x": "m", "y": "m"},
        outcome="failed",
        diagnosis=RunStatus.INTERRUPTED,
    )
    data = data_of(page(run))
    assert np.isnan(columns_of(data)[1, 1])


def test_report_writes_whole_or_not_at_all(run, tmp_path, monkeypatch):
    path = run.report(tmp_path / "run.html", title="mine", equations=False)
    assert "<title>mine</title>" in path.read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]
    with pytest.raises(TorseurError, match="no folder"):
        run.report(tmp_path / "absent" / "run.html")
    before = path.read_bytes()

    def break_down(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", break_down)
    with pytest.raises(OSError, match="disk full"):
        run.report(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["run.html"]


def test_a_notebook_shows_an_iframe(run):
    shown = Page(run, height=400)
    text = shown._repr_html_()
    inside = re.fullmatch(r'<iframe srcdoc="([^"]*)" .*height="400".*</iframe>', text, re.S)[1]
    assert html.unescape(inside) == shown.html


def test_signals_and_plots_can_be_chosen(run):
    data = data_of(page(run, signals=["elbow.angle"], plotted=["elbow.angle"]))
    poses = [n for n in run.signals if re.fullmatch(r"(upper|lower)\.(position|orientation)\..", n)]
    assert {s["name"] for s in data["signals"]} == {"elbow.angle", *poses}
    assert data["panels"]["plots"]["chosen"] == ["elbow.angle"]
    with pytest.raises(TorseurError, match=r"elbow\.angel"):
        page(run, plotted=["elbow.angel"])


def test_asking_whether_a_run_has_a_signal_computes_nothing(run):
    assert "elbow.angle" in run and "elbow.angel" not in run and run.get("elbow.angle") is not None


# ---- rows ------------------------------------------------------------------------------------


def test_thinned_rows_keep_peaks_and_ends():
    t = np.linspace(0, 1, 20_001)
    x, y = np.sin(20 * t), np.where(abs(t - 0.37) < 3e-5, 5.0, 0.0)
    rows = decimate_rows(t, [x, y], 500)
    assert rows[0] == 0 and rows[-1] == 20_000 and (np.diff(rows) > 0).all() and len(rows) == 500
    assert y[rows].max() == 5.0
    assert abs(np.interp(t, t[rows], x[rows]) - x).max() < 2e-3


def test_over_the_budget_least_wanted_signals_go_first():
    rng = np.random.default_rng(0)
    names = [f"b{i}.{q}" for i in range(20) for q in ("position.x", "angular_acceleration.x")]
    run = Trajectory(
        np.arange(2000.0), {n: rng.normal(size=2000) for n in names}, dict.fromkeys(names, "m")
    )
    got = pack_signals(run, names, needed=["b3.angular_acceleration.x"], budget=40_000)
    kept = {s["name"] for s in got["signals"]}
    assert len(got["columns"]) <= 40_000 and got["rows"] == 300
    assert "b3.angular_acceleration.x" in kept
    assert all(n.endswith("angular_acceleration.x") for n in got["left_out"]) or not any(
        n.endswith("angular_acceleration.x") for n in kept - {"b3.angular_acceleration.x"}
    )
    assert kept | set(got["left_out"]) == set(names)


# ---- geometry --------------------------------------------------------------------------------


def test_rotations_agree_with_those_of_the_mechanics():
    rng = np.random.default_rng(1)
    for _ in range(20):
        rpy = rng.uniform(-3, 3, 3)
        R = rpy_matrix(rpy)
        np.testing.assert_allclose(R, rotation_of(matrix_quaternion(R)), atol=8 * zoo.EPS)
        joint = ts.Joint("j", "world", "b", ts.Prismatic("z"), rpy=tuple(rpy))
        tree = ts.Model(bodies=(ts.Body("b", mass=1.0),), joints=(joint,)).check().floats()
        zoo.close(R, np.array(tree.links[0].X_PF.R, dtype=float), 16)
        d = rng.normal(size=3)
        zoo.close(rotation_of(rotation_from_z(d))[:, 2], d / np.linalg.norm(d), 8)


def rotation_of(q) -> np.ndarray:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_the_box_of_an_inertia_has_that_inertia():
    rng = np.random.default_rng(2)
    for _ in range(10):
        R, m, edges = rpy_matrix(rng.uniform(-3, 3, 3)), rng.uniform(1, 5), rng.uniform(0.2, 2, 3)
        A = m / 12 * (edges @ edges - edges**2)
        box = inertia_box(m, (1, 2, 3), R @ np.diag(A) @ R.T, 1e-6, 10)
        B, e = rotation_of(box["turn"]), np.array(box["size"])
        zoo.close(B @ np.diag(m / 12 * (e @ e - e**2)) @ B.T, R @ np.diag(A) @ R.T, 1e4)
    assert inertia_box(1.0, (0, 0, 0), np.zeros((3, 3)), 0.01, 1) is None


def test_scene_of_shapes_joints_and_forces(run):
    push = Wrench("push", "tool", (0, 0, 0, 1, 0, 0))
    got = build_scene(run, rods(forces=(push,)), {"m": 1.0, "L": 0.4})
    elbow = got["joints"][1]
    assert elbow["body"] == "lower" and elbow["axes"] == [{"along": [0, 1, 0], "turn": True}]
    assert got["frames"][0]["at"] == [0, 0, -0.4] and got["traced"] == ["tool"]
    assert got["size"] == pytest.approx(0.5) and got["up"] == [0, 0, 1]
    assert got["wrenches"][0]["force"] == [1, 0, 0]
    (rod,) = (p for p in got["bodies"][1]["parts"] if p["kind"] == "bar")
    assert (rod["a"], rod["b"], rod["normal"]) == ([0, 0, 0], [0, 0, -0.4], [0, 1, 0])
    assert got["normal"] == [0, 1, 0]  # it moves in a plane, and is seen along this
    shapes = (
        Box(size=(1, 2, 3)),
        Sphere(radius=0.5, color=(1, 0, 0, 0.5)),
        Cylinder(length=2),
        Capsule(at=(0, 0, "L")),
        Ellipsoid(radii=(1, 2, 3)),
        Mesh(file="absent.stl"),
    )
    model = ts.Model(
        bodies=(ts.Body("b", mass=1.0, shapes=shapes),),
        joints=(ts.Joint("j", "world", "b", ts.Prismatic("x")),),
    )
    parts = build_scene(run, model, {"L": 0.4})["bodies"][0]["parts"]
    assert [p["kind"] for p in parts] == ["box", "sphere", "cylinder", "capsule", "ellipsoid"]
    assert parts[1]["color"] == [1, 0, 0] and parts[1]["opacity"] == 0.5
    assert parts[3]["at"] == [0, 0, 0.4]


def test_a_force_along_a_slide_pushes_against_its_tension():
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", mass=2.0),),
        joints=(
            ts.Joint("s", "world", "b", ts.Prismatic("z"), rpy=(0, 0.3, 0), child_rpy=(1.0, 0, 0)),
        ),
        forces=(ts.JointForce("k", "s", Spring(50.0)),),
    )
    run = simulate(model, t_end=0.3, initial={"s.displacement": 0.1}, output=4)
    (push,) = build_scene(run, model, {})["wrenches"]
    for i in range(4):
        q = [run[f"b.orientation.{c}"][i] for c in "wxyz"]
        got = rotation_of(q) @ push["force"] * run[push["size"]][i]
        zoo.close(got, 2.0 * np.array([run[f"b.acceleration.{c}"][i] for c in "xyz"]), 1e4)


@pytest.mark.parametrize("kind", zoo.EVERY_JOINT, ids=zoo.label)
def test_every_joint_has_a_scene(kind, run):
    model = zoo.around(kind)
    got = build_scene(run, model, {})
    assert len(got["bodies"]) == 3 and all(b["parts"] for b in got["bodies"])
    for j in got["joints"]:
        for a in j["axes"]:
            assert np.linalg.norm(a["along"]) == pytest.approx(1)


# ---- meshes ----------------------------------------------------------------------------------

CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [t for a, b, c, d in FACES for t in ((a, b, c), (a, c, d))]


def test_mesh_files_are_read_and_broken_ones_are_not(tmp_path):
    obj = tmp_path / "cube.obj"
    obj.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE)
        + "".join(f"f {' '.join(f'{i + 1}/1/1' for i in f)}\n" for f in FACES)
    )
    record = np.zeros(12, [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    record["v"] = CUBE[TRIANGLES]
    binary = tmp_path / "cube.stl"
    binary.write_bytes(bytes(80) + (12).to_bytes(4, "little") + record.tobytes())
    plain = tmp_path / "plain.stl"
    plain.write_text(
        "solid\n"
        + "".join(
            "facet\nouter loop\n"
            + "".join(f"vertex {x} {y} {z}\n" for x, y, z in CUBE[list(t)])
            + "endloop\nendfacet\n"
            for t in TRIANGLES
        )
        + "endsolid\n"
    )
    collada = tmp_path / "cube.dae"
    words = " ".join(str(x) for x in CUBE.ravel() * 100)
    collada.write_text(f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
      <asset><unit meter="0.01"/></asset><library_geometries><geometry id="g"><mesh>
      <source id="s"><float_array>{words}</float_array><technique_common><accessor stride="3"/>
      </technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
      <polylist><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL"
      source="#s" offset="1"/><vcount>{"4 " * 6}</vcount>
      <p>{" ".join(f"{i} 0" for f in FACES for i in f)}</p></polylist></mesh></geometry>
      </library_geometries><library_visual_scenes><visual_scene><node><rotate>0 0 1 90</rotate>
      <node><translate>0 -100 0</translate><instance_geometry url="#g"/></node></node>
      </visual_scene></library_visual_scenes></COLLADA>""")
    box = np.sort(read_mesh(collada)[0], axis=0)
    np.testing.assert_allclose(box[[0, -1]], [(0, 0, 0), (1, 1, 1)], atol=1e-12)
    for path in (obj, binary, plain, collada):
        v, t = read_mesh(path)
        assert len(v) == 8 and len(t) == 12
        a, b, c = (v[t[:, i]] for i in range(3))
        volume = np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6
        assert abs(volume) == pytest.approx(1)
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><COLLADA>&a;</COLLADA>'
    broken = {
        "x.dae": b"",
        "bomb.dae": bomb,
        "z.dae": b"<COLLADA/>",
        "x.ply": b"",
        "x.stl": b"\xff" * 90,
        "y.obj": b"v 0 0 0\nf 1 2 9\n",
    }
    for name, content in broken.items():
        (tmp_path / name).write_bytes(content)
        assert read_mesh(tmp_path / name) is None
    assert read_mesh(tmp_path / "absent.stl") is None
    v, t = decimate_mesh(CUBE, np.array(TRIANGLES), 12)
    assert len(t) == 12


# ---- panels ----------------------------------------------------------------------------------


def test_nothing_but_its_file_names_a_panel():
    from torseur.show import panel

    words = {*panel, *(kind.title for kind in panel.values())} - {"model", "run", "Model", "Run"}
    source = Path(ts.__path__[0])
    others = [f for f in source.rglob("*.py") if f.parent.name != "panels"]
    for file in (*others, *WEB.glob("src/main.js"), *WEB.glob("src/page.html")):
        text = file.read_text(encoding="utf-8")
        assert not [w for w in words if f"tab-{w}" in text or f">{w}</" in text], file
    assert len(words) == 2 * len(panel) - 4
    order = [kind.order for kind in panel.values()]
    assert len(set(order)) == len(order)


def test_options_are_those_of_panels(run):
    with pytest.raises(TorseurError, match="no option is named 'ploted'; did you mean 'plotted'"):
        page(run, ploted=["elbow.angle"])
    assert "tab-equations" not in page(run, equations=False)


def test_data_that_json_cannot_hold_are_told_of(run):
    from torseur.show.panel_base import check_json

    with pytest.raises(TorseurError, match="panel 'mine': its data cannot stand in a page"):
        check_json("mine", {"x": float("nan")})


# ---- what is first ---------------------------------------------------------------------------


def told_by(run, **options) -> dict:
    from torseur.show import collect_contents

    return collect_contents(run, None, options)[1]


def test_what_the_outcome_says_beside_the_end_is_in_the_headline():
    """Eight joints beyond their limits were `Complete: ..., no event`."""
    bodies = [ts.Body(f"b{i}", mass=1.0) for i in range(4)]
    joints = [
        ts.Joint(f"x{i}", "world", f"b{i}", ts.Prismatic("z"), limits=(-0.1, 0.1)) for i in range(4)
    ]
    for n, english in ((1, "x0.displacement left its limits"), (4, "4 coordinates left their")):
        model = ts.Model("drop", bodies=tuple(bodies[:n]), joints=tuple(joints[:n]))
        run = simulate(model, t_end=0.5)
        (note,) = told_by(run)["notes"]
        assert note["what"].startswith(english) and "watch" not in note["what"]
        assert "limites" in note["fr"] and "limits" not in note["fr"]
        assert all(f"x{i}.displacement" in run.outcome for i in range(n))
    assert told_by(simulate(model, t_end=0.05))["notes"] == []


def test_a_body_that_only_turns_shows_its_rates():
    nut = ts.Body("nut", mass=1.0, inertia=(0.1, 0.2, 0.3))
    fly = ts.Joint("fly", "world", "nut", ts.Free())
    model = ts.Model("nut", bodies=(nut,), joints=(fly,), gravity=(0, 0, 0))
    found = told_by(simulate(model, t_end=2.0, initial={"fly.wy": 5.0, "fly.wx": 0.01}))
    assert found["panels"]["plots"]["chosen"] == ["fly.wx", "fly.wy", "fly.wz"]
    assert [c["label"] for c in found["cards"]] == [
        "Largest angular velocity", "Largest energy", "Energy error"
    ]  # fmt: skip
    assert found["scene"]["world"] == []  # no foot of a joint that holds nothing


def test_a_disc_that_rolls_has_a_mark_and_a_linkage_its_strut():
    model = ts.load(Path(__file__).parents[2] / "examples" / "bicycle.yaml")
    got = build_scene(Trajectory([0.0], {}, {}), model, dict(model.parameters))
    marks = {b["name"]: [p.get("mark", False) for p in b["parts"]] for b in got["bodies"]}
    assert marks["rear"] == marks["front"] == [True]
    points = {"upper_front": (-0.1, 0.47, 0.105), "upper_rear": (-0.25, 0.51, 0.11),
              "upper_ball": (-0.04, 0.695, 0.105), "lower_front": (0.2, 0.42, -0.27),
              "lower_rear": (-0.2, 0.47, -0.265), "lower_ball_at": (0, 0.77, -0.32),
              "tie_inner": (-0.2, 0.42, -0.12), "tie_outer": (-0.15, 0.77, -0.12),
              "wheel_center": (0, 0.7979, -0.1199)}  # fmt: skip
    held = ts.Joint("hold", "world", "knuckle", ts.double_wishbone(**points))
    strut = ts.JointForce("strut", "hold", Spring(2e4))
    corner = ts.Model(bodies=(ts.Body("knuckle", 45.0),), joints=(held,), forces=(strut,))
    (line,) = [x for x in build_scene(Trajectory([0.0], {}, {}), corner, {})["lines"]
               if x["name"] == "strut"]  # fmt: skip
    assert line["b"] == {"on": "knuckle", "at": pytest.approx([0, -0.0279, -0.2001], abs=1e-9)}
    assert line["a"]["on"] == "world" and line["a"]["at"][2] > 0.2

"""URDF against Pinocchio's own reader: real robots, edge cases, and the way out and back."""

import math
import re
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import zoo
from hypothesis import given, settings, strategies as st

import torseur as ts
from torseur import forces
from torseur.formalisms import composite_body, newton_euler
from torseur.model.formats import urdf_reader as urdf, urdf_reader as urdf_parts, urdf_writer

try:
    import pinocchio as pin
except ImportError:
    pin = None
needs_pinocchio = pytest.mark.skipif(pin is None, reason="Pinocchio is not installed (pip: pin)")


def robots() -> Path | None:
    try:
        package = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return None
    return Path(package.locate_file("cmeel.prefix/share/example-robot-data/robots"))


ROBOTS = robots()
needs_robots = pytest.mark.skipif(
    ROBOTS is None or not ROBOTS.is_dir(),
    reason="robot files are not installed (pip: example-robot-data)",
)
REAL = {
    "panda": "panda_description/urdf/panda.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "talos_arm": "talos_data/robots/talos_left_arm.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "human": "human_description/robots/human.urdf",
    "ur5": "ur_description/urdf/ur5_gripper.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "a1": "a1_description/urdf/a1.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "finger": "finger_edu_description/robots/finger_edu.urdf",
    "two_dofs": "asr_twodof_description/urdf/TwoDofs.urdf",
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
}
REPAIRED = {
    "go1": "go1_description/urdf/go1.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
}


def find(name):
    path = ROBOTS / name
    path = path if path.exists() else next(ROBOTS.rglob(Path(name).name), None)
    if path is None:
        pytest.skip(f"this version of example-robot-data has no {name}")
    return path


def quiet(call, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.ModelWarning)
        return call(*args, **options)


def slack(path) -> float:
    """Angles within 1e-9 of a right angle are taken as one: how far that may move a robot."""
    text = Path(path).read_text(errors="ignore")
    texts = re.findall(r'rpy\s*=\s*"([-+.\deE\s]*)"', text)
    angles = [float(x) for found in texts for x in found.split()]
    offs = [abs(x - round(x / (math.pi / 2)) * math.pi / 2) for x in angles]
    return sum(x for x in offs if 8e-16 < x < urdf_parts.RIGHT_ANGLE_TOLERANCE)


def both(system, model, rng, base=False):
    """One random state in the order of each library: ours, and Pinocchio's with its order of v."""
    q, v, a = zoo.state(system, rng)
    pq, order = pin.neutral(model), np.zeros(system.nv, dtype=int)
    for k in system.links:
        j = model.joints[model.getJointId("root_joint" if base and k.name == "base" else k.name)]
        x = q[k.q]
        if k.joint.nv == 6:
            pq[j.idx_q : j.idx_q + 7] = (*x[:3], *x[4:], x[3])
            order[k.v] = j.idx_v + np.array([3, 4, 5, 0, 1, 2])
        elif k.joint.nv == 3:  # planar: x, y, cos, sin; v in the body
            pq[j.idx_q : j.idx_q + 4] = (x[1], x[2], math.cos(x[0]), math.sin(x[0]))
            order[k.v] = j.idx_v + np.array([2, 0, 1])
        elif j.nq == 2:
            pq[j.idx_q : j.idx_q + 2] = math.cos(x[0]), math.sin(x[0])
            order[k.v] = j.idx_v
        else:
            pq[j.idx_q], order[k.v] = x[0], j.idx_v
    return (q, v, a), pq, order


def compare(path, k=512, **options):
    ours = quiet(ts.load, path, **options)
    system = quiet(ours.check)
    free = options.get("base") == "free"
    theirs = (
        pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        if free
        else pin.buildModelFromUrdf(str(path))
    )
    assert theirs.nv == system.nv
    data, tree = theirs.createData(), system.floats()
    extra = 1 + slack(path) * 64 / (k * zoo.EPS)
    (q, v, a), pq, order = both(system, theirs, np.random.default_rng(5), free)
    pv, pa = np.zeros((2, theirs.nv))
    pv[order], pa[order] = v, a
    theirs.gravity.linear = np.array([0, 0, -9.81])
    M = pin.crba(theirs, data, pq)
    M = np.triu(M) + np.triu(M, 1).T
    zoo.close(composite_body.mass_matrix(tree, q), M[np.ix_(order, order)], k * extra)
    zoo.close(
        newton_euler.inverse_dynamics(tree, q, v, a),
        pin.rnea(theirs, data, pq, pv, pa)[order],
        k * extra,
    )
    pin.framesForwardKinematics(theirs, data, pq)
    for name in system.bodies:
        if theirs.existFrame(name, pin.BODY):
            want = data.oMf[theirs.getFrameId(name, pin.BODY)].homogeneous
            zoo.close(pose(tree, name, q), want, k * extra)
    return ours, system


def pose(tree, name, q):
    place, T = tree.place(name), np.eye(4)
    for link in reversed(list(tree.ancestors(place.link))):
        T = T @ zoo.floats((link.X_PF @ link.joint.pose(tree.K, q[link.q])).matrix())
    return T @ zoo.floats(place.X_LB.matrix())


@needs_pinocchio
@needs_robots
@pytest.mark.parametrize("name", REAL)
def test_real_robots(name):
    compare(find(REAL[name]))


@needs_pinocchio
@needs_robots
@pytest.mark.parametrize("name", ["laikago", "a1", "solo12", "humanoid"])
def test_floating_bases(name):
    compare(find(REAL[name]), base="free")


@needs_robots
@pytest.mark.parametrize("name", REPAIRED)
def test_impossible_inertias_are_refused_or_repaired(name):
    path = find(REPAIRED[name])
    with pytest.raises(ts.ModelError, match=r"cannot have principal inertias|none may be negative"):
        quiet(ts.load, path).check()
    with pytest.warns(ts.ModelWarning) as seen:
        model = ts.load(path, repair=True)
    assert any("inertia moved by" in str(w.message) for w in seen)
    quiet(model.check)


@needs_pinocchio
@needs_robots
@pytest.mark.parametrize("name", ["panda", "ur5", "z1", "solo12", "finger", "talos_arm"])
def test_out_and_back(name, tmp_path):
    """A robot written as YAML, then as URDF again, is the same robot for Pinocchio."""
    path = find(REAL[name])
    ours = quiet(ts.load, path)
    quiet(ours.save, tmp_path / "robot.yaml")
    again = ts.load(tmp_path / "robot.yaml")
    quiet(again.save, tmp_path / "robot.urdf")
    a, b = (pin.buildModelFromUrdf(str(p)) for p in (path, tmp_path / "robot.urdf"))
    assert list(a.names) == list(b.names)
    rng = np.random.default_rng(1)
    q, v, x = (
        pin.randomConfiguration(a, *np.array([[-1.0] * a.nq, [1.0] * a.nq])),
        rng.uniform(-1, 1, a.nv),
        rng.uniform(-1, 1, a.nv),
    )
    want, got = (pin.rnea(m, m.createData(), q, v, x) for m in (a, b))
    zoo.close(got, want, 512 * (1 + slack(path) / zoo.EPS))


# ---- edge cases, written by hand -----------------------------------------------------------


def robot(*parts, name="r"):
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n' + "\n".join(parts) + "\n</robot>\n"


def link(name, mass=1.0, xyz="0.1 0.2 0.3", rpy="0.3 -0.4 0.5", more=""):
    return (
        f'<link name="{name}"><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>'
        '<inertia ixx="0.9" ixy="0.01" ixz="0.02" iyy="1.1" iyz="-0.03" izz="1.3"/></inertial>'
        f"{more}</link>"
    )


def joint(
    name, kind, parent, child, more='<axis xyz="0 0 1"/>', xyz="0.2 -0.1 0.4", rpy="0.1 0.2 -0.3"
):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/>{more}</joint>'
    )


LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="5"/>'
CASES = {
    "every joint": robot(
        link("root"),
        link("a"),
        link("b"),
        link("c"),
        link("d"),
        link("e"),
        link("f"),
        joint("ja", "revolute", "root", "a", '<axis xyz="1 2 2"/>' + LIMIT),
        joint("jb", "continuous", "a", "b", '<axis xyz="0 -1 0"/>'),
        joint("jc", "prismatic", "b", "c", '<axis xyz="0 3 4"/>' + LIMIT),
        joint("jd", "fixed", "c", "d", ""),
        joint("je", "fixed", "d", "e", ""),
        joint("jf", "revolute", "e", "f", LIMIT),
    ),
    "world root": robot(
        '<link name="world"/>',
        link("a"),
        link("b"),
        joint("ja", "revolute", "world", "a", LIMIT),
        joint("jb", "revolute", "a", "b", LIMIT),
    ),
    "mass on the root": robot(link("r", 50), link("a"), joint("j", "revolute", "r", "a", LIMIT)),
    "massless between": robot(
        '<link name="root"/>',
        '<link name="m"/>',
        link("b"),
        joint("j1", "revolute", "root", "m", LIMIT),
        joint("j2", "revolute", "m", "b", '<axis xyz="1 0 0"/>' + LIMIT),
    ),
    "branches": robot(
        *(link(n) for n in "rabcd"),
        joint("j1", "revolute", "r", "a", LIMIT),
        joint("j2", "revolute", "r", "b", LIMIT),
        joint("j3", "prismatic", "a", "c", LIMIT),
        joint("j4", "continuous", "a", "d"),
    ),
    "default axis and origin": robot(
        link("r"),
        link("a"),
        '<joint name="j" type="continuous"><parent link="r"/><child link="a"/></joint>',
    ),
    "right angles": robot(
        link("r"),
        link("a"),
        link("b"),
        joint("j", "continuous", "r", "a", rpy="1.5708 0 -1.5707963267948966"),
        joint("k", "continuous", "a", "b", rpy="0 1.570796327 3.14159"),
    ),
    "floating": robot(link("r"), link("a"), joint("j", "floating", "r", "a", "")),
    "declared children first": robot(
        joint("jb", "continuous", "a", "b"),
        joint("ja", "continuous", "r", "a"),
        link("b"),
        link("a"),
        link("r"),
    ),
}


@needs_pinocchio
@pytest.mark.parametrize("name", CASES)
def test_edge_cases(name, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(CASES[name])
    compare(path)


def written(tmp_path, text):
    path = tmp_path / "r.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_limits_damping_motor_and_axes(tmp_path):
    model = ts.load(
        written(
            tmp_path,
            robot(
                link("r"),
                link("a"),
                link("b"),
                joint(
                    "j",
                    "revolute",
                    "r",
                    "a",
                    '<axis xyz="0 0 -1"/>' + LIMIT + '<dynamics damping="0.5" friction="0.75"/>',
                ),
                joint(
                    "k",
                    "continuous",
                    "a",
                    "b",
                    '<axis xyz="0 2 0"/><limit effort="3" velocity="0"/>',
                ),
            ),
        )
    )
    (friction,) = model.forces
    assert (friction.joint, friction.law.force_) == ("j", 0.75)
    base, j, k = model.joints
    assert isinstance(base.kind, ts.Weld) and (base.parent, base.child) == ("world", "r")
    assert (j.kind, j.limits, j.damping, j.max_effort, j.max_speed) == (
        ts.Revolute("-z"),
        (-1, 2),
        0.5,
        30,
        5,
    )
    assert (k.limits, k.max_effort, k.max_speed) == (None, 3, None)
    assert model.check().coordinates == ("j.angle", "k.angle")


def test_mimic_is_a_row(tmp_path):
    mimic = '<mimic joint="j" multiplier="-2" offset="0.5"/>'
    model = ts.load(
        written(
            tmp_path,
            robot(
                link("r"),
                link("a"),
                link("b"),
                joint("j", "revolute", "r", "a", LIMIT),
                joint("k", "revolute", "a", "b", LIMIT + mimic),
            ),
        )
    )
    (row,) = model.constraints
    assert row.ratios == {"k.angle": 1, "j.angle": 2} and row.offset == 0.5
    text = urdf_writer.to_urdf(model)
    assert '<mimic joint="j" multiplier="-2" offset="0.5"/>' in text
    assert model.check().nv == 2


def test_shapes_and_meshes(tmp_path):
    (tmp_path / "pkg" / "meshes").mkdir(parents=True)
    (tmp_path / "pkg" / "meshes" / "a.stl").write_text("solid")

    def visual(g, more=""):
        return f'<visual><origin xyz="1 0 0"/><geometry>{g}</geometry>{more}</visual>'

    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    text = robot(
        red,
        link(
            "r",
            more=visual('<box size="1 2 3"/>', '<material name="red"/>')
            + visual('<sphere radius="2"/>')
            + visual('<cylinder radius="1" length="3"/>')
            + visual('<mesh filename="package://pkg/meshes/a.stl" scale="2 2 2"/>'),
        ),
    )
    model = ts.load(written(tmp_path, text))
    box, sphere, cylinder, mesh = model.bodies[0].shapes
    assert (box.size, box.color, box.at) == ((1, 2, 3), (1, 0, 0, 1), (1, 0, 0))
    assert (sphere.radius, cylinder.length, mesh.scale) == (2, 3, (2, 2, 2))
    assert Path(mesh.file) == tmp_path / "pkg" / "meshes" / "a.stl"
    lost = text.replace("pkg/meshes/a", "other/meshes/a").replace(
        "</link>", visual('<mesh filename="b.dae"/>') + "</link>"
    )
    with pytest.warns(ts.ModelWarning) as seen:
        model = ts.load(written(tmp_path, lost))
    assert [str(w.message) for w in seen] == [
        "r.urdf: mesh 'package://other/meshes/a.stl' and 1 more not found; give the folder of its "
        "package by search=; the viewer shows the body without it"
    ]
    assert len(model.bodies[0].shapes) == 3
    (tmp_path / "pkg").rename(tmp_path / "other")
    model = quiet(ts.load, written(tmp_path, lost), search=[tmp_path])
    assert len(model.bodies[0].shapes) == 4


def test_near_right_angles_warn_once(tmp_path):
    path = written(tmp_path, CASES["right angles"])
    with pytest.warns(ts.ModelWarning, match="2 angles such as 1.5708 rad are near") as seen:
        ts.load(path).check()
    assert len(seen) == 1
    model = ts.load(path, right_angles=True)
    system = model.check()
    assert all(isinstance(e, int) for e in system.links[0].X_PF.R.ravel())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot", "not XML"),
        ("", "not XML: no element found"),
        (
            '<!DOCTYPE r [<!ENTITY a "x">]><robot name="&a;"/>',
            "a document type or entity is declared",
        ),
        ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>', "a document type or entity"),
        ("<a>" * 5000, "nested more than 200 deep"),
        ("<mujoco/>", "a URDF starts with <robot>"),
        ("<robot xmlns:xacro='x'><xacro:include/></robot>", "this is a xacro file"),
        (robot(link("a"), link("b")), "links 'a', 'b' hang from no joint; a robot has one root"),
        (robot(link("a"), link("a")), "link 'a' is defined twice"),
        (robot(link("a"), joint("j", "revolut", "a", "b")), "type='revolut': expected one of"),
        (robot(link("aa"), link("b"), joint("j", "fixed", "ab", "b")), "did you mean"),
        (
            robot(link("a"), link("b"), joint("j", "revolute", "a", "b", '<axis xyz="0 0 0"/>')),
            "has no direction",
        ),
        (
            robot(link("a"), link("b"), joint("j", "revolute", "a", "b", '<axis xyz="0 1"/>')),
            "xyz='0 1': expected 3 numbers, got 2",
        ),
        (robot(link("a", mass="heavy")), "value='heavy': expected numbers"),
        (robot(link("a", mass="inf")), "value='inf': expected finite numbers"),
        (robot("<link/>"), "<link>: needs a name"),
        (robot('<link name="a"><inertial><mass value="1"/></inertial></link>'), "needs <inertia>"),
        (robot('<link name="a"><inertial><inertia ixx="1"/></inertial></link>'), "needs <mass>"),
        (
            robot(
                link("a"), link("b"), joint("j", "revolute", "a", "b", '<mimic joint="x"/>' + LIMIT)
            ),
            "mimic of joint 'j': no joint is named 'x'",
        ),
        (robot(link("a"), '<joint name="j" type="fixed"/>'), "needs <parent link=...>"),
        (
            robot(link("a"), link("world"), joint("j", "fixed", "a", "world")),
            "can only name the root",
        ),
        (b"<robot name='\xff'/>", "not XML"),
    ],
)
def test_errors(text, said, tmp_path):
    with pytest.raises(ts.ModelError) as e:
        ts.load(written(tmp_path, text))
    assert any(said in p and p.startswith("r.urdf, line ") for p in e.value.problems), e.value


@settings(max_examples=150)
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(CASES["every joint"])),
            st.integers(0, 8),
            st.text(alphabet="<>/='\"& x01.-e\n!", max_size=4),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_mutated_files(edits, tmp_path_factory):
    """Nothing but ModelError comes out of a damaged file."""
    text = CASES["every joint"]
    for at, cut, put in edits:
        text = text[:at] + put + text[at + cut :]
    path = tmp_path_factory.mktemp("fuzz") / "r.urdf"
    path.write_text(text)
    try:
        quiet(quiet(ts.load, path, repair=True).check)
    except ts.ModelError as e:
        assert e.problems


def test_other_encodings_and_endings(tmp_path):
    text = robot(link("é"), name="é").replace('1.0"', '1.0" encoding="ISO-8859-1"')
    path = tmp_path / "robot.xml"
    path.write_bytes(text.encode("latin-1"))
    assert ts.load(path).bodies[0].name == "é"
    assert urdf.is_urdf(path)


def test_dots_in_names(tmp_path):
    text = robot(link("r"), link("a.b"), joint("j.1", "continuous", "r", "a.b"))
    with pytest.warns(ts.ModelWarning, match=r"link 'a\.b' is renamed 'a_b'.* and 1 more"):
        model = ts.load(written(tmp_path, text))
    assert model.check().coordinates == ("j_1.angle",)


# ---- export --------------------------------------------------------------------------------

MOVED = pytest.mark.filterwarnings("ignore:.*move to their joints")
EXPORTED = [
    ts.Revolute((1, 2, 2)),
    ts.Prismatic("y"),
    ts.Cylindrical("x"),
    ts.Universal("x", "z"),
    ts.Spherical("zxz"),
    ts.Spherical("zyx"),
    ts.Planar((1, 2, 2)),
    ts.Weld(),
]


@needs_pinocchio
@MOVED
@pytest.mark.parametrize("kind", EXPORTED, ids=zoo.label)
def test_export(kind, tmp_path):
    """Our own model against Pinocchio's reading of what we wrote; coordinates in the same order."""
    model = zoo.tree(
        (ts.Revolute("y"), kind, ts.Revolute("x")), 2, parents=(-1, 0, 1), gravity=(0, 0, -9.81)
    )
    path = tmp_path / "m.urdf"
    model.save(path)
    theirs = pin.buildModelFromUrdf(str(path))
    system = model.check()
    assert theirs.nv == system.nv
    rng = np.random.default_rng(0)
    q, v, a = zoo.state(system, rng)
    pq = []
    for jid in range(1, theirs.njoints):
        x = q[theirs.joints[jid].idx_v]
        pq += [math.cos(x), math.sin(x)] if theirs.joints[jid].nq == 2 else [x]
    theirs.gravity.linear = np.array([0, 0, -9.81])
    got = newton_euler.inverse_dynamics(system.floats(), q, v, a)
    zoo.close(got, pin.rnea(theirs, theirs.createData(), np.array(pq), v, a), 1024)
    data = theirs.createData()
    pin.framesForwardKinematics(theirs, data, np.array(pq))
    zoo.close(
        data.oMf[theirs.getFrameId("tool", pin.BODY)].homogeneous,
        pose(system.floats(), "tool", q),
        256,
    )


@MOVED
def test_what_has_no_place_is_named(tmp_path):
    model = zoo.tree((ts.Revolute("y"), ts.Helical("x", 0.5)), 1)
    from dataclasses import replace

    model = replace(model, forces=(forces.JointForce("brake", "j0", forces.Viscous(1.0)),))
    with pytest.warns(ts.ModelWarning, match="URDF has no place for its gravity .*, force 'brake'"):
        model.save(tmp_path / "m.urdf")
    text = (tmp_path / "m.urdf").read_text()
    assert '<mimic joint="j1" multiplier="0.5" offset="0"/>' in text
    with pytest.raises(ts.ModelError, match="parameter 'm' has no number"):
        zoo.pendulum().save(tmp_path / "p.urdf")


DAMPED = {"damping": (0.1, 0.2), "limits": ((-1.0, 1.0), (-2.0, 2.0)), "max_effort": 5.0}
SAVED = [
    (ts.Cylindrical("x"), DAMPED, ""),
    (ts.Universal("x", "y"), DAMPED, ""),
    (ts.Revolute("y"), {"limits": ts.Limits(-1.0, 1.0, 1e4, 10.0)}, "stops of joint 'j'"),
    (ts.Revolute("y"), {"drive": ts.Drive(100, 2e-4, 4e3)}, "drive of joint 'j'"),
    (ts.Cylindrical("x"), {"limits": ((None, 1.0), (-2.0, np.inf))}, ""),
    (ts.Cylindrical("x"), {"armature": (0.1, 0.2)}, "armature of joint 'j'"),
    (ts.Planar((1, 1, 0)), {"damping": (0.1, 0.2, 0.3)}, ""),
    (ts.Planar("z", "translation_first"), {"damping": (0.1, 0.2, 0.3)}, "damping of joint 'j'"),
    (ts.Spherical(), {"damping": 0.1}, "damping of joint 'j'"),
    (ts.Free(), {"damping": 0.1}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "more", "lost"), SAVED)
def test_numbers_of_joints_are_written_or_named(kind, more, lost, tmp_path):
    """Of joints with several coordinates they were left out without a word."""
    body = ts.Body("b", 2.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25, 0.01, 0.02, -0.01))
    frame = ts.Frame("tool", "b")
    names = [("j", "world", "b", kind), ("j_slide", "b", "c", ts.Revolute("x"))]
    joints = [ts.Joint(*n, **(more if n[0] == "j" else {})) for n in names]
    joints.append(ts.Joint("tool_frame", "c", "d", ts.Revolute("x")))
    bodies = (body, ts.Body("c", 1.0, (0, 0.1, 0)), ts.Body("d", 1.0, (0, 0.1, 0)))
    model = ts.Model("m", bodies=bodies, joints=joints, frames=(frame,))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.save(tmp_path / "m.urdf")
    assert lost in "".join(str(w.message) for w in seen) and bool(lost) == bool(seen)
    back = ts.load(tmp_path / "m.urdf").check()
    if lost:
        return
    system = model.check()
    q = system.neutral() + (0.3 if system.nq == system.nv else 0.0)
    v = np.linspace(0.5, 1.5, system.nv)
    want, got = (ts.compile(s).inverse_dynamics(q, v, v, forces=True) for s in (system, back))
    zoo.close(got, want, 1e3)
    bounds = [j.limits for j in back.model.joints if j.limits not in (None, (-1e9, 1e9))]
    told = {None: -1e9, np.inf: 1e9}
    assert bounds == [(told.get(a, a), told.get(b, b)) for a, b in more.get("limits", ())]


@MOVED
def test_a_joint_that_follows_two_others(tmp_path):
    """The second coupling replaced the first."""
    model = zoo.tree((ts.Revolute("y"),) * 3, 1, gravity=(0, 0, -9.81))
    from dataclasses import replace

    ties = [("g", "j1.angle", -1.0, 0.3), ("h", "j2.angle", -3.0, 0.0)]
    ties = tuple(ts.Coupling(n, {"j0.angle": 2.0, other: r}, offset=c) for n, other, r, c in ties)
    replace(model, constraints=ties).save(tmp_path / "m.urdf")
    text = (tmp_path / "m.urdf").read_text()
    assert '<mimic joint="j1" multiplier="0.5" offset="0.15"/>' in text
    assert '<mimic joint="j0" multiplier="0.6666666666666666" offset="0"/>' in text


def test_limits_the_wrong_way_round_are_told(tmp_path):
    path = tmp_path / "m.urdf"
    path.write_text(
        '<robot name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/><limit lower="1" upper="-1"/></joint></robot>'
    )
    with pytest.raises(ts.ModelError, match="joint 'j': lower=1 is above upper=-1"):
        ts.load(path)

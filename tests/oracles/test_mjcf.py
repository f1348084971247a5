"""MJCF against MuJoCo itself: real models, every kind of joint, loops, motors."""

import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.formalisms import composite_body, newton_euler
from torseur.model.formats import mjcf_reader

try:
    import mujoco
except ImportError:
    mujoco = None


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo leaves its log where it stands."""
    monkeypatch.chdir(tmp_path)


pytestmark = pytest.mark.skipif(mujoco is None, reason="MuJoCo is not installed (pip: mujoco)")


def shipped(package, folder):
    """Folder of models inside an installed package, which is not imported."""
    spec = find_spec(package)
    return Path(next(iter(spec.submodule_search_locations))) / folder if spec else None


GYM = shipped("gymnasium", "envs/mujoco/assets")
SUITE = shipped("dm_control", "suite")
GYM_MODELS = [
    "ant",
    "half_cheetah",
    "hopper",
    "humanoid",
    "humanoidstandup",
    "inverted_pendulum",
    "inverted_double_pendulum",
    "pusher",
    "reacher",
    "swimmer",
    "walker2d",
    "point",
]
SUITE_MODELS = [
    "acrobot",
    "ball_in_cup",
    "cartpole",
    "cheetah",
    "finger",
    "fish",
    "hopper",
    "humanoid",
    "humanoid_CMU",
    "manipulator",
    "pendulum",
    "quadruped",
    "stacker",
    "swimmer",
    "walker",
]


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.ModelWarning)
        model = ts.load(path, **options)
        return model, model.check()


def joint_names(m):
    found = (
        mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, i) or f"joint{i}" for i in range(m.njnt)
    )
    return {name.replace(".", "_"): i for i, name in enumerate(found)}


def filled(m, system, q):
    """MuJoCo's state at our q, and where its speeds stand."""
    d, order, names = mujoco.MjData(m), np.zeros(system.nv, dtype=int), joint_names(m)
    for k in system.links:
        j = names[k.name]
        at = m.jnt_qposadr[j]
        d.qpos[at : at + k.joint.nq] = q[k.q]
        shift = [3, 4, 5, 0, 1, 2] if k.joint.nv == 6 else range(k.joint.nv)
        order[k.v] = m.jnt_dofadr[j] + np.array(list(shift))
    return d, order


def compare(path, k=512):
    if not path.exists():
        pytest.skip(f"this version of the package has no {path.name}")
    model, system = read(path)
    m = mujoco.MjModel.from_xml_path(str(path))
    assert m.nv == system.nv
    q, v, a = zoo.state(system, np.random.default_rng(3))
    d, order = filled(m, system, q)
    d.qvel[order], d.qacc[order] = v, a
    off = mujoco.mjtDisableBit
    m.opt.disableflags |= (
        off.mjDSBL_CONSTRAINT | off.mjDSBL_SPRING | off.mjDSBL_DAMPER | off.mjDSBL_ACTUATION
    )
    m.opt.viscosity = m.opt.density = 0
    mujoco.mj_inverse(m, d)
    tree = system.floats()
    zoo.close(newton_euler.inverse_dynamics(tree, q, v, a), d.qfrc_inverse[order], k)
    M = zoo.floats(composite_body.mass_matrix(tree, q))
    x = np.random.default_rng(4).uniform(-1, 1, m.nv)
    want = np.zeros(m.nv)
    mujoco.mj_mulM(m, d, want, x)
    zoo.close(M @ x[order], want[order], k)
    for b in range(1, m.nbody):
        name = (mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_BODY, b) or f"body{b}").replace(".", "_")
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = d.xmat[b].reshape(3, 3), d.xpos[b]
        zoo.close(pose(tree, tree.place(name), q), X, k)
    return model, system, m


def pose(tree, place, q):
    T = np.eye(4)
    for link in reversed(list(tree.ancestors(place.link))):
        T = T @ zoo.floats((link.X_PF @ link.joint.pose(tree.K, q[link.q])).matrix())
    return T @ zoo.floats(place.X_LB.matrix())


@pytest.mark.skipif(GYM is None, reason="gymnasium's models are not installed (pip: gymnasium)")
@pytest.mark.parametrize("name", GYM_MODELS)
def test_gymnasium(name):
    compare(GYM / f"{name}.xml")


@pytest.mark.skipif(SUITE is None, reason="the control suite is not installed (pip: dm-control)")
@pytest.mark.parametrize("name", SUITE_MODELS)
def test_control_suite(name):
    compare(SUITE / f"{name}.xml")


EVERY = """
<mujoco model="every">
  <compiler angle="degree"/>
  <option gravity="0.5 -1 -9"/>
  <worldbody>
    <body name="free" pos="1 2 3"><freejoint name="float"/>
      <geom type="box" size=".1 .2 .3" pos=".05 0 .1" euler="10 20 30"/>
      <body name="ball" pos=".3 0 .1" euler="30 0 20">
        <joint name="ball" type="ball" pos=".1 0 .02"/>
        <geom type="capsule" size=".05 .2"/>
        <body name="two" pos="0 .2 .1">
          <joint name="h1" type="hinge" axis="1 2 2" pos=".1 .2 .3" ref="25" armature=".2"/>
          <joint name="s1" type="slide" axis="0 3 4" ref=".3" damping=".4"/>
          <joint name="h2" type="hinge" axis="0 0 -1" range="-20 30" limited="true" stiffness="7"
                 springref="10" frictionloss=".2"/>
          <geom type="ellipsoid" size=".1 .2 .05"/>
          <body name="fixed" pos=".1 0 0" euler="0 90 0"><geom type="cylinder" size=".05 .1"/>
            <body name="last"><joint name="h.3" axis="0 1 0"/>
              <geom type="sphere" size=".1" pos="0 0 .2"/></body>
          </body></body></body></body>
    <body name="side" pos="0 1 0"><joint name="h4" axis="1 0 0"/>
      <geom type="box" size=".1 .1 .1" pos="0 0 -.3"/></body>
  </worldbody>
  <equality>
    <joint name="gear" joint1="h4" joint2="h1" polycoef=".1 2 0 0 0"/>
    <joint name="cam" joint1="h2" joint2="h1" polycoef="0 1 .5 0 0"/>
    <connect name="pin" body1="side" body2="last" anchor=".1 .2 .3"/>
    <weld name="glue" body1="last" body2="side" anchor=".1 0 .2"/>
  </equality>
  <actuator><motor name="motor" joint="h4" gear="30"/><position name="servo" joint="h2"/></actuator>
</mujoco>
"""


def test_every_joint(tmp_path):
    path = tmp_path / "every.xml"
    path.write_text(EVERY)
    model, *_ = compare(path)
    joints = {j.name: j for j in model.joints}
    assert joints["h1"].armature == 0.2 and joints["s1"].damping == 0.4
    assert joints["h2"].limits == pytest.approx(np.radians([-20, 30]))
    assert joints["h_3"].kind == ts.Revolute("y")
    spring, motor, friction = model.forces
    assert (friction.joint, friction.law.force_) == ("h2", 0.2)
    assert (spring.law.stiffness, spring.joint) == (7, "h2")
    assert spring.law.free_length == pytest.approx(np.radians(10))
    assert (motor.joint, motor.law.gain, motor.law.input) == ("h4", 30, "motor")
    assert [i.name for i in model.inputs] == ["motor"]
    kinds = [type(s).__name__ for b in model.bodies for s in b.shapes]
    assert kinds == ["Box", "Capsule", "Ellipsoid", "Cylinder", "Sphere", "Box"]
    with pytest.warns(ts.ModelWarning, match="every.xml: left out: actuator 'servo'"):
        mjcf_reader.load_mjcf(path)


def test_equalities_hold_where_mujoco_says(tmp_path):
    """Loops close at MuJoCo's own reference pose, and couplings are its polynomials."""
    path = tmp_path / "every.xml"
    path.write_text(EVERY)
    model, system = read(path)
    m = mujoco.MjModel.from_xml_path(str(path))
    q = np.zeros(system.nq)
    for k in system.links:
        at = m.jnt_qposadr[joint_names(m)[k.name]]
        q[k.q] = m.qpos0[at : at + k.joint.nq]
    tree = system.floats()
    assert [c.name for c in system.closures] == ["pin", "glue"]
    for c in system.closures:
        F, M = (pose(tree, place, q) for place in (c.F, c.M))
        X = np.linalg.inv(F) @ M
        zoo.close(X[:3, 3], np.zeros(3), 64)
        if c.name == "glue":
            zoo.close(X, np.eye(4), 64)
    gear, cam = model.constraints
    ref = np.radians(25)
    assert gear.ratios == {"h4.angle": 1, "h1.angle": -2.0}
    assert gear.offset == pytest.approx(0.1 - 2 * ref)
    assert "h1.angle" in cam.expression and "**2" in cam.expression


def test_round_trip_through_yaml(tmp_path):
    path = tmp_path / "every.xml"
    path.write_text(EVERY)
    model, system = read(path)
    model.save(tmp_path / "every.yaml")
    back = read(tmp_path / "every.yaml")[1]
    assert back.digest == system.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<mujoco><worldbody><body></worldbody></mujoco>", "m.xml"),
        ("<mujoco><worldbody><bodi/></worldbody></mujoco>", "unrecognized element"),
        ("<robo/>", "m.xml"),
        ("", "not XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', "document type or entity"),
    ],
)
def test_errors(text, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m.xml"
    path.write_text(text)
    with pytest.raises(ts.ModelError, match=said):
        ts.load(path)
    assert [p.name for p in tmp_path.iterdir()] == ["m.xml"]


def test_without_mujoco(tmp_path, monkeypatch):
    path = tmp_path / "m.xml"
    path.write_text("<mujoco/>")
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(ts.TorseurError, match=r'pip install "torseur\[mjcf\]"'):
        ts.load(path)


LEFT = {
    "gravcomp of body 'arm'": ('gravcomp="1"', "", ""),
    "powers of stiffness or damping of joint 'h'": ("", 'stiffness="3 4 5"', ""),
    "range or frictionloss of joint 'h'": ("", 'type="ball" frictionloss="0.1"', ""),
    "the fluid (density, viscosity)": ("", "", '<option density="1000"/>'),
    "the flag that disables spring": ("", "", '<option><flag spring="disable"/></option>'),
    "contacts of geoms": ("", "", '<worldbody><geom type="plane" size="1 1 1"/></worldbody>'),
    "range of actuator 'm'": (
        "",
        "",
        '<actuator><motor name="m" joint="h" ctrlrange="-1 1" ctrllimited="true"/></actuator>',
    ),
}


@pytest.mark.parametrize("said", LEFT)
def test_nothing_is_left_out_without_a_word(said, tmp_path):
    """Weight taken off, floors and fluids were passed over: 12 N m of an arm, a ball that fell."""
    body, joint, more = LEFT[said]
    if "stiffness" in said and not hasattr(mujoco.MjModel, "jnt_stiffnesspoly"):
        pytest.skip("this MuJoCo has none")
    path = tmp_path / "m.xml"
    path.write_text(
        f'<mujoco>{more}<worldbody><body name="arm" {body}><joint name="h" axis="0 1 0" {joint}/>'
        '<geom size="0.1" pos="0.3 0 0"/></body></worldbody></mujoco>'
    )
    with pytest.warns(ts.ModelWarning) as seen:
        ts.load(path)
    assert said in str(seen[0].message)


def test_named_sites_are_frames(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><worldbody><site name="base" pos="1 0 0"/><body name="arm"><joint axis="0 1 0"/>'
        '<geom size="0.1" pos="0.3 0 0"/><site name="tool" pos="0.1 0.2 0.3" euler="10 20 30"/>'
        "<site/></body></worldbody></mujoco>"
    )
    model, want = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(want)
    data.qpos[:] = 0.7
    mujoco.mj_kinematics(want, data)
    assert [f.name for f in model.frames] == ["base", "tool"]
    T = ts.compile(model).pose("tool", [0.7])
    np.testing.assert_allclose(T[:3, 3], data.site("tool").xpos, atol=1e-12)
    np.testing.assert_allclose(T[:3, :3].ravel(), data.site("tool").xmat, atol=1e-12)


def test_damping_of_free_bodies_and_balls(tmp_path):
    """It was read and then left out."""
    path = tmp_path / "m.xml"
    path.write_text(
        "<mujoco><worldbody><body name='f'><joint name='f' type='free' damping='0.4'/>"
        "<inertial pos='.1 .02 0' mass='1.2' fullinertia='.1 .12 .09 .01 .005 .002'/>"
        "<body name='b' pos='0.3 0 0'><joint name='b' type='ball' damping='0.3'/><inertial "
        "pos='.05 .1 -.2' mass='.7' fullinertia='.05 .04 .03 .002 .001 .003'/></body></body>"
        "</worldbody></mujoco>"
    )
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    data.qvel[:] = 0.3, -0.2, 0.5, 1.0, 2.0, -1.0, 0.5, -0.7, 1.1
    mujoco.mj_forward(theirs, data)
    order = [3, 4, 5, 0, 1, 2, 6, 7, 8]
    dyn = ts.compile(ts.load(path))
    got = dyn.inverse_dynamics(
        dyn.system.neutral(), data.qvel[order], data.qacc[order], forces=True
    )
    zoo.close(got, np.zeros(9), 1e4, scale=10.0)

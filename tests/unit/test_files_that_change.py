"""What a file changes or leaves out is named: URDF written and read, MJCF read."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.joints import joint
from torseur.scalars import exact, symbols

URDF = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1"
izz="1"/>{inertial}</inertial>{link}</link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{joint}</joint>
<transmission name="t"/><gazebo reference="a"><mu1>0.3</mu1><selfCollide>1</selfCollide></gazebo>
{robot}</robot>"""
PLAIN = {"inertial": "", "link": "", "joint": "", "robot": "", "kind": "continuous"}


def read(tmp_path, **parts):
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(**PLAIN | parts))
    return ts.load(path)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"joint": '<dynamic damping="3"/>'}, "<dynamic> "),
        ({"inertial": '<com xyz="0 0 1"/>'}, "<com> "),
        ({"link": "<inertia/>"}, "<inertia> "),
        ({"robot": "<loop/>"}, "<loop> "),
        ({"joint": '<dynamics friction="3"/>', "kind": "floating"}, "<dynamics> of joint 'j'"),
        (
            {"robot": '<gazebo reference="j"><springStiffness>9</springStiffness></gazebo>'},
            "<springStiffness> of Gazebo, of 'j'",
        ),
    ],
)
def test_tags_that_are_not_read_are_named(tmp_path, parts, told):
    with pytest.warns(ts.ModelWarning, match=f"r.urdf: not imported: {told}.*line"):
        read(tmp_path, **parts)


def test_what_says_nothing_about_a_motion_is_not(tmp_path):
    with warnings.catch_warnings(action="error"):
        read(tmp_path, joint='<dynamics damping="3"/><safety_controller k_velocity="1"/>')


def test_keyframes_of_mjcf_are_named(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='0.1'/></body></worldbody>"
        "<keyframe><key qpos='0.3'/></keyframe></mujoco>"
    )
    with pytest.warns(ts.ModelWarning, match="not imported: 1 keyframes"):
        ts.load(path)


def one(kind, **more):
    body = ts.Body("b", 1.0, inertia=(1, 1, 1, 0, 0, 0))
    return ts.Model("m", bodies=(body,), joints=(ts.Joint("j", "world", "b", kind, **more),))


def test_frames_and_speeds_that_a_urdf_changes_are_named(tmp_path):
    with pytest.warns(ts.ModelWarning, match="m: in URDF frames of bodies 'b' move to their joint"):
        ts.save(one(ts.Revolute("z"), child_at=(0, 0, 0.2)), tmp_path / "m.urdf")
    for kind in (ts.Free(speeds="mixed"), ts.Free("zyx"), ts.Free(speeds="world")):
        with pytest.warns(
            ts.ModelWarning, match="coordinates of joint 'j' become those of ts.Free"
        ):
            ts.save(one(kind), tmp_path / "m.urdf")
    with warnings.catch_warnings(action="error"):
        ts.save(one(ts.Free()), tmp_path / "m.urdf")
        ts.save(one(ts.Revolute("z"), at=(1, 2, 3)), tmp_path / "m.urdf")


@pytest.mark.parametrize("kind", [k for k in joint.examples() if k.nv], ids=zoo.label)
def test_damping_of_every_joint_is_felt(kind):
    """That of speeds which are no rates was left out without a word."""
    model = one(kind, damping=0.7)
    named = {n: 0.3 for c in kind.constants() for n in symbols(exact(c))}
    system = replace(model, parameters=named).check()
    dyn, v = ts.compile(system), np.linspace(0.2, 0.9, system.nv)
    some = zoo.state(system, np.random.default_rng(3))[0]  # no angles in line
    q = system.neutral() if kind.holonomic else some
    with_it, without = (dyn.inverse_dynamics(q, v, v, forces=f) for f in (True, False))
    np.testing.assert_allclose(with_it - without, 0.7 * v, rtol=1e-9)


@pytest.mark.parametrize("kind", [ts.Spherical(), ts.Free(speeds="mixed"), ts.Free()], ids=repr)
def test_damping_of_quaternions_takes_energy_and_stays_exact(kind):
    """A ball of equal inertias loses its speeds as exp(-c t / J)."""
    model = replace(one(kind, damping=0.7), gravity=(0, 0, 0))
    start = {f"j.{n}": 0.4 for n, _ in kind.speeds[:3]}
    run = ts.simulate(model, 2.0, start, rtol=1e-10)
    for n in start:
        np.testing.assert_allclose(run[n], 0.4 * np.exp(-0.7 * run.time), rtol=1e-7)
    assert abs(run["energy.residual"]).max() < 1e-9
    assert run["energy.dissipated"][-1] > 0.1
    own = [x for x in run.signals if x.endswith(".damping.deflection")]
    assert len(own) == kind.nv and not any(run[x].any() for x in own)

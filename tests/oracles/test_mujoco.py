"""A few trees against MuJoCo: hinges, slides, balls, a free body, armatures, a wrench.

Their free joint has its velocity in world axes and its angular velocity in body axes: `mixed` here,
with the velocity first.
"""

import numpy as np
import pytest
from zoo import floats, state, tree

from torseur import kinematics
from torseur.formalisms import articulated_body, composite_body, newton_euler
from torseur.joints import Free, Prismatic, Revolute, Spherical
from torseur.spatial import Wrench

mujoco = pytest.importorskip("mujoco")
TREES = {
    "arm": (Revolute("z"), Revolute("y"), Revolute((1, 2, 2)), Prismatic("x"), Revolute("x")),
    "balls": (Spherical(), Revolute("x"), Spherical(), Prismatic((0, 3, 4))),
    "free": (Free(speeds="mixed"), Revolute("x"), Revolute("y"), Prismatic("z")),
}
KIND = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball", Free: "free"}


def text(numbers) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def mjcf(system) -> str:
    """Body frame = our joint frame M at q = 0; one body a link, from the lowered system."""
    numbers = system.floats()

    def link(k):
        X = k.X_PF
        R = floats(X.R)
        m, h = k.inertia.mass, floats(k.inertia.h)
        c = h / m
        xx, yy, zz, xy, xz, yz = floats(k.inertia.J)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        J = J - m * (c @ c * np.eye(3) - np.outer(c, c))
        full = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        kind = KIND[type(k.joint)]
        axis = ""
        if kind in ("hinge", "slide"):
            a = floats(numbers.K.numbers(k.joint.steps()[0].axis))
            axis = f'axis="{text(a)}" armature="{float(k.armature[0])!r}"'
        inner = "".join(link(child) for child in numbers.links if child.parent == k.index)
        return (
            f'<body name="{k.body}" pos="{text(X.p)}" xyaxes="{text([R[:, 0], R[:, 1]])}">'
            f'<joint name="{k.name}" type="{kind}" {axis}/>'
            f'<inertial pos="{text(c)}" mass="{float(m)!r}" fullinertia="{text(full)}"/>'
            f"{inner}</body>"
        )

    bodies = "".join(link(k) for k in numbers.links if not k.parent)
    return (
        f'<mujoco><option gravity="{text(numbers.gravity)}"/><compiler angle="radian"/>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


@pytest.fixture(scope="module", params=TREES)
def twin(request):
    kinds = TREES[request.param]
    model = tree(kinds, seed=3, parents=None, armature=True)
    if request.param == "free":  # a free body hangs from the world, unturned
        from dataclasses import replace

        first = replace(model.joints[0], at=(0, 0, 0), rpy=(0, 0, 0))
        model = replace(model, joints=(first, *(replace(j, parent="b0") for j in model.joints[1:])))
    system = model.check()
    theirs = mujoco.MjModel.from_xml_string(mjcf(system))
    return system, theirs, mujoco.MjData(theirs)


def placed(twin, seed=0):
    """Our state, and theirs written into their data; speeds map by the matrix T."""
    system, theirs, data = twin
    q, v, a = state(system, np.random.default_rng(seed))
    T = np.zeros((system.nv, system.nv))
    for k in system.links:
        j = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, k.name)
        at, dof = theirs.jnt_qposadr[j], theirs.jnt_dofadr[j]
        data.qpos[at : at + k.joint.nq] = q[k.q]
        order = [3, 4, 5, 0, 1, 2] if isinstance(k.joint, Free) else range(k.joint.nv)
        for i, own in enumerate(order):
            T[dof + i, k.v.start + own] = 1
    data.qvel[:], data.qacc[:] = T @ v, T @ a
    data.xfrc_applied[:] = 0
    return q, v, a, T


def same(got, want):
    np.testing.assert_allclose(floats(got), want, rtol=0, atol=1e-10 * max(1, abs(want).max()))


def test_inverse_dynamics_and_mass_matrix(twin):
    system, theirs, data = twin
    q, v, a, T = placed(twin)
    wanted = data.qacc.copy()
    mujoco.mj_forward(theirs, data)
    M = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(theirs, data, M)
    same(composite_body.mass_matrix(system.floats(), q), T.T @ M @ T)
    data.qacc[:] = wanted
    mujoco.mj_inverse(theirs, data)
    same(newton_euler.inverse_dynamics(system.floats(), q, v, a), T.T @ data.qfrc_inverse)


def test_forward_dynamics_with_a_wrench(twin):
    system, theirs, data = twin
    q, v, _, T = placed(twin, 1)
    rng = np.random.default_rng(2)
    tau, F = rng.normal(size=system.nv), rng.normal(size=6)  # world axes, at the mass center
    k = system.floats().links[-1]
    X = kinematics.poses(system.floats(), q)[k.index]
    c = k.inertia.h / k.inertia.mass
    force, moment = X.unrotate(F[3:]), X.unrotate(F[:3])
    on_link = Wrench(moment + np.cross(floats(c), floats(force)), force)
    b = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, k.body)
    data.xfrc_applied[b] = np.r_[F[3:], F[:3]]
    data.qfrc_applied[:] = T @ tau
    mujoco.mj_forward(theirs, data)
    got = articulated_body.forward_dynamics(system.floats(), q, v, tau, {k.index: on_link})
    same(got, T.T @ data.qacc)


def test_poses(twin):
    system, theirs, data = twin
    q, *_ = placed(twin, 2)
    mujoco.mj_kinematics(theirs, data)
    for k, X in zip(system.links, kinematics.poses(system.floats(), q)[1:], strict=True):
        b = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, k.body)
        same(X.p, data.xpos[b])
        same(X.R.ravel(), data.xmat[b])

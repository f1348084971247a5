"""Trees, ladders and contacts of `scaling.py` by Pinocchio and MuJoCo: an evaluation, memory."""

from __future__ import annotations

import resource
import time

import numpy as np


def parents(shape: str, n: int) -> list[int]:
    """The body that each hangs from; -1 is the world."""
    if shape == "chain":
        return list(range(-1, n - 1))
    if shape == "tree":  # every body carries two
        return [(i - 1) // 2 for i in range(n)]
    return [i - 2 + i % 2 if i > 1 else i - 1 for i in range(n)]  # comb: a spine, a tooth on each


def spent(function):
    """CPU seconds of a call, and its answer."""
    before = time.process_time()
    answer = function()
    return time.process_time() - before, answer


def repeated(once, rounds: int) -> dict:
    """Best CPU time of a call over many [us], and the most memory that the process held [MB]."""
    once()
    best = min(spent(lambda: [once() for _ in range(rounds)])[0] for _ in range(4))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"evaluation": 1e6 * best / rounds, "memory": memory}


def of_pinocchio(shape: str, n: int) -> dict:
    """Its articulated-body algorithm on the same tree [us]."""
    import pinocchio as pin

    model = pin.Model()
    body = pin.Inertia(1.0, np.array((0, 0, -0.05)), np.diag((0.01, 0.01, 0.001)))
    for i, p in enumerate(parents(shape, n)):
        at = pin.SE3(np.eye(3), np.array((0, 0, -0.1 * (p >= 0))))
        model.addJoint(p + 1, pin.JointModelRY(), at, f"j{i}")
        model.appendBodyToJoint(i + 1, body, pin.SE3.Identity())
    data, x = model.createData(), np.zeros(n)
    return repeated(lambda: pin.aba(model, data, x, x, x), max(3, 100_000 // n))


def of_mujoco(shape: str, n: int) -> dict:
    """Its forward dynamics on the same tree [us]."""
    import mujoco

    spec = mujoco.MjSpec()
    made = []
    for i, p in enumerate(parents(shape, n)):
        up = spec.worldbody if p < 0 else made[p]
        b = up.add_body(name=f"b{i}", pos=(0, 0, -0.1 * (p >= 0)))
        b.mass, b.ipos, b.inertia, b.explicitinertial = (
            1.0,
            (0, 0, -0.05),
            (0.01, 0.01, 0.001),
            True,
        )
        b.add_joint(name=f"j{i}", axis=(0, 1, 0), stiffness=20.0, damping=0.05)
        made.append(b)
    return forward(spec.compile())


def forward(model) -> dict:
    """MuJoCo's `mj_forward` of a model [us], and the memory of the process."""
    import mujoco

    data = mujoco.MjData(model)
    return repeated(lambda: mujoco.mj_forward(model, data), max(2, 10_000 // model.nv))


def of_mujoco_loops(_shape: str, n: int) -> dict:
    """The ladder with its loops as (soft) equality constraints."""
    import mujoco

    spec = mujoco.MjSpec()

    def rod(up, name, at, com):
        b = up.add_body(name=name, pos=at)
        b.mass, b.ipos, b.inertia, b.explicitinertial = 1.0, com, (0.1, 0.1, 0.1), True
        b.add_joint(name=name, axis=(0, 1, 0))
        return b

    rods = [rod(spec.worldbody, f"r{i}", (float(i), 0, 0), (0, 0, 0.5)) for i in range(n + 1)]
    for i in range(n):
        rod(rods[i], f"c{i}", (0, 0, 1), (0.5, 0, 0))
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=f"c{i}", name2=f"r{i + 1}", data=[1, 0, 0, *[0] * 9],
        )  # fmt: skip
    return forward(spec.compile())


def of_pinocchio_loops(_shape: str, n: int) -> dict:
    """The ladder by its constrained dynamics, proximal as ours: rows across the plane repeat."""
    import pinocchio as pin

    model, inertia, at = pin.Model(), np.diag((0.1, 0.1, 0.1)), pin.SE3.Identity

    def place(*p):
        return pin.SE3(np.eye(3), np.array(p, dtype=float))

    rods, couplers = [], []
    for i in range(n + 1):
        rods.append(model.addJoint(0, pin.JointModelRY(), place(i, 0, 0), f"r{i}"))
        own = pin.Inertia(1.0, np.array((0, 0, 0.5)), inertia)
        model.appendBodyToJoint(rods[-1], own, at())
        if i < n:
            couplers.append(model.addJoint(rods[-1], pin.JointModelRY(), place(0, 0, 1), f"c{i}"))
            own = pin.Inertia(1.0, np.array((0.5, 0, 0)), inertia)
            model.appendBodyToJoint(couplers[-1], own, at())
    rows = [
        pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, couplers[i], place(1, 0, 0), rods[i + 1],
            place(0, 0, 1), pin.LOCAL,
        )
        for i in range(n)
    ]  # fmt: skip
    data, x = model.createData(), np.zeros(model.nv)
    kept = pin.StdVec_RigidConstraintData([r.createData() for r in rows])
    rows = pin.StdVec_RigidConstraintModel(rows)
    pin.initConstraintDynamics(model, data, rows, kept)
    settings = pin.ProximalSettings(1e-10, 1e-8, 5)

    return repeated(
        lambda: pin.constraintDynamics(model, data, x, x, x, rows, kept, settings),
        max(2, 3000 // n),
    )


def of_mujoco_contacts(_shape: str, n: int) -> dict:
    """Balls that slide along x and z, all of them on the floor, with friction."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(0, 0, 1), friction=(0.3, 0, 0))
    for i in range(n):
        b = spec.worldbody.add_body(name=f"b{i}", pos=(0, 3.0 * i, 0.0999))
        b.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.1, 0, 0), mass=1.0,
                   friction=(0.3, 0, 0))  # fmt: skip
        for axis in ((1, 0, 0), (0, 0, 1)):
            b.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    return forward(spec.compile())

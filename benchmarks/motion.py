"""Work and precision of simulations beside MuJoCo, Pinocchio with SciPy, Exudyn and Drake.

    python benchmarks/motion.py [--quick]

Times are CPU milliseconds of the calling process, best of a few; building and compiling a model is
left out on every side.  The error is that of the first joint's coordinates at the end time, against
a reference computed here at a tolerance of 1e-13.  Every peer's model must give our accelerations
at the initial state before it is timed.  For each problem and each accuracy the best setting of
each tool is shown ("-" where no setting reaches it), and the ratio of the best peer to ours.
Peers are optional: one that cannot be imported is shown as "not installed".
"""

from __future__ import annotations

import argparse
import json
import time

import gate
import numpy as np

import torseur as ts
from torseur.compiler.pyjit.translate import intrinsic as call, native
from torseur.simulation import Simulation, batch

ACCURACIES = (1e-3, 1e-6, 1e-9)


# ---- problems --------------------------------------------------------------------------------


def arm() -> ts.Model:
    """Seven joints, as an ordinary robot."""
    rows = [
        (0, 0, 0, 0.34),
        ("-pi/2", 0, 0, 0),
        ("pi/2", 0, 0, 0.4),
        ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0.4),
        ("-pi/2", 0, 0, 0),
        ("pi/2", 0, 0, 0.126),
    ]
    bodies = [
        ts.Body(f"b{i}", 5.0 - 0.5 * i, (0.01, -0.03, 0.1), (0.1, 0.09, 0.02, 0, 0, 0))
        for i in range(7)
    ]
    return ts.from_dh(rows, bodies, convention="modified", name="arm7")


def tree() -> ts.Model:
    """Thirty hinges in a branched tree."""
    rng = np.random.default_rng(3)
    bodies, joints = [], []
    for i in range(30):
        axis = "xyz"[i % 3]
        bodies.append(ts.Body(f"b{i}", 1.0, (0.05, 0.02, 0.1), (0.02, 0.02, 0.01, 0, 0, 0)))
        parent = "world" if i == 0 else f"b{max(0, i - 1 - int(rng.integers(0, 3)))}"
        joints.append(
            ts.Joint(
                f"j{i}", parent, f"b{i}", ts.Revolute(axis), at=(0, 0.05, 0.2) if i else (0, 0, 0)
            )
        )
    return ts.Model("tree30", bodies=tuple(bodies), joints=tuple(joints))


def pendula(n: int) -> ts.Model:
    bodies = tuple(
        ts.Body(f"b{i}", 1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12, 0, 0, 0)) for i in range(n)
    )
    joints = tuple(
        ts.Joint(
            f"j{i}",
            "world" if i == 0 else f"b{i - 1}",
            f"b{i}",
            ts.Revolute("z"),
            at=(1 if i else 0, 0, 0),
        )
        for i in range(n)
    )
    return ts.Model(f"pendula{n}", gravity=(0, -9.81, 0), bodies=bodies, joints=joints)


def heavy_top() -> ts.Model:
    body = ts.Body("top", 15.0, (0, 1, 0), (0.234375, 0.46875, 0.234375, 0, 0, 0))
    return ts.Model(
        "heavy_top", bodies=(body,), joints=(ts.Joint("ball", "world", "top", ts.Spherical()),)
    )


def problems(quick):
    yield arm(), 1.0, {f"joint{i}.angle": 0.3 for i in range(1, 8)}
    yield tree(), 1.0, {f"j{i}.angle": 0.1 for i in range(30)}
    yield pendula(10), 1.0, {}
    yield pendula(100), 1.0, {}
    yield heavy_top(), 2.0, {"ball.rate2": 150.0, "ball.rate3": -4.61538}
    if not quick:
        yield pendula(1000), 1.0, {}


# ---- ours ------------------------------------------------------------------------------------


def ours(system, t_end, start, method, rtol):
    run = Simulation(system, t_end, start, method, rtol, rtol, output=[t_end])
    before = time.process_time()
    run.go()
    spent = time.process_time() - before
    return 1e3 * spent, run.q


def settings_of_ours():
    for rtol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11):
        for method in ("dopri5", "dop853"):
            yield f"{method} {rtol:g}", {"method": method, "rtol": rtol}


# ---- peers -----------------------------------------------------------------------------------
# Each peer is a generator of `(label, run)`: `run()` simulates once and gives the CPU milliseconds
# and our coordinates at the end.  Settings go from coarse to fine within a method.


def _mass(link):
    """Mass, center and inertia at the center, body axes, in floats."""
    m = float(link.inertia.mass)
    c = np.array(link.inertia.h, dtype=float) / m
    xx, yy, zz, xy, xz, yz = (float(x) for x in link.inertia.J)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return m, c, J - m * (c @ c * np.eye(3) - np.outer(c, c))


def _solid(J):
    """`J` with thin rods given a little inertia about their own axis, as some peers require."""
    values, axes = np.linalg.eigh(J)
    return axes @ np.diag(np.maximum(values, 1e-9)) @ axes.T


def _axis(t, link):
    return np.array(link.joint.subspace(t.K, np.zeros(1)), dtype=float)[:3, 0]


def _frame(link):
    return np.array(link.X_PF.matrix(), dtype=float)


def agree(peer, system, q0, v0, a):
    """Refuse a peer's model whose accelerations at the initial state are not ours.

    The mass matrix of a chain has a condition that grows as the fourth power of its length, and a
    peer that factors it loses as much to rounding.
    """
    mine = ts.compile(system).forward_dynamics(q0, v0, np.zeros(system.nv))
    off = abs(a - mine).max() / max(1.0, abs(mine).max())
    if off > max(1e-6, np.finfo(float).eps * system.nv**4):
        raise RuntimeError(
            f"{peer}, {system.name}: accelerations at the start differ from ours by "
            f"{off:.1e} of the largest; the two models are not the same"
        )


def _clock(work):
    before = time.process_time()
    work()
    return 1e3 * (time.process_time() - before)


def to_mujoco(system):
    """The same tree as a MuJoCo model without contacts."""
    import mujoco

    t = system.floats()
    spec = mujoco.MjSpec()
    spec.option.gravity = [float(x) for x in t.gravity]
    spec.compiler.autolimits = False
    made = {0: spec.worldbody}
    for k in t.links:
        b = made[k.parent].add_body(name=k.body)
        T = _frame(k)
        b.pos, b.quat = T[:3, 3], _quaternion(T[:3, :3])
        m, c, J = _mass(k)
        J = _solid(J)
        b.mass, b.ipos, b.explicitinertial = m, c, True
        b.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        if k.joint.quaternion is not None:
            b.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, name=k.name)
        else:
            b.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, name=k.name, axis=_axis(t, k))
        made[k.index] = b
    model = spec.compile()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return model


def _quaternion(R):
    from torseur.signals.signals import quaternions

    return quaternions(R[None])[0]


def with_mujoco(system, t_end, q0, v0):
    import mujoco

    model = to_mujoco(system)
    # MuJoCo numbers the joints of a tree depth first
    names = [model.joint(k.name) for k in system.links]
    Q = np.concatenate([j.qposadr[0] + np.arange(4 if j.type[0] == 1 else 1) for j in names])
    V = np.concatenate([j.dofadr[0] + np.arange(3 if j.type[0] == 1 else 1) for j in names])
    data = mujoco.MjData(model)
    data.qpos[Q], data.qvel[V] = q0, v0
    mujoco.mj_forward(model, data)
    agree("MuJoCo", system, q0, v0, data.qacc[V])

    def run(kind, h):
        n = round(t_end / h)
        model.opt.integrator, model.opt.timestep = kind, t_end / n
        data = mujoco.MjData(model)
        data.qpos[Q], data.qvel[V] = q0, v0
        spent = _clock(lambda: mujoco.mj_step(model, data, n))
        return spent, data.qpos[Q]

    steps = (2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)[: 2 if system.nv > 100 else None]
    for name in ("RK4", "EULER"):
        kind = int(getattr(mujoco.mjtIntegrator, f"mjINT_{name}"))
        for h in steps:
            yield f"{name} {h:g}", lambda kind=kind, h=h: run(kind, h)


def with_pinocchio(system, t_end, q0, v0):
    """Pinocchio's aba under SciPy; a ball's quaternion is integrated as four numbers."""
    import pinocchio as pin
    from scipy.integrate import solve_ivp

    if system.nv > 100:
        return
    t = system.floats()
    model = pin.Model()
    model.gravity.linear = np.array(t.gravity, dtype=float)
    ids = {0: 0}
    for k in t.links:
        T = _frame(k)
        joint = (
            pin.JointModelSpherical()
            if k.joint.quaternion is not None
            else pin.JointModelRevoluteUnaligned(_axis(t, k))
        )
        ids[k.index] = model.addJoint(ids[k.parent], joint, pin.SE3(T[:3, :3], T[:3, 3]), k.name)
        model.appendBodyToJoint(ids[k.index], pin.Inertia(*_mass(k)), pin.SE3.Identity())
    data, zero, n = model.createData(), np.zeros(model.nv), model.nq
    ball = n != model.nv

    def flow(t, y):
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], zero)])

    def flow_of_ball(t, y):
        x, y_, z, w = y[:4] / np.sqrt(y[:4] @ y[:4])
        a, b, c = y[4:]
        rates = (
            0.5 * (w * a + y_ * c - z * b),
            0.5 * (w * b + z * a - x * c),
            0.5 * (w * c + x * b - y_ * a),
            -0.5 * (x * a + y_ * b + z * c),
        )
        return np.concatenate([rates, pin.aba(model, data, np.array([x, y_, z, w]), y[4:], zero)])

    f = flow_of_ball if ball else flow
    start = np.concatenate([q0[[1, 2, 3, 0]] if ball else q0, v0])
    agree("Pinocchio", system, q0, v0, f(0, start)[n:])

    def run(method, rtol):
        got = []
        spent = _clock(
            lambda: got.append(solve_ivp(f, (0, t_end), start, method, rtol=rtol, atol=rtol))
        )
        q = got[0].y[:n, -1]
        return spent, (q / np.linalg.norm(q))[[3, 0, 1, 2]] if ball else q

    for method in ("RK45", "DOP853"):
        for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
            yield f"{method} {rtol:g}", lambda m=method, r=rtol: run(m, r)


def with_exudyn(system, t_end, q0, v0):
    """A kinematic tree of hinges under explicit methods; planar chains also as bodies and pins.

    A body on a ball has the rotation of a free one with its inertia at the pivot under the couple
    of its weight at the center and the opposite force at the pivot: so it is given to Exudyn, in
    its Lie-group coordinates.
    """
    import exudyn as exu
    from exudyn import itemInterface as item

    t = system.floats()
    if system.name.startswith("pendula"):
        yield from _exudyn_pins(system, t_end, q0, v0)
    if system.nv > 100:
        return
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ball = system.nq != system.nv
    gravity = [float(x) for x in t.gravity]
    if ball:
        m, c, J = _mass(t.links[0])
        J = J + m * (c @ c * np.eye(3) - np.outer(c, c))
        node = mbs.AddNode(item.NodeRigidBodyRotVecLG(initialVelocities=[0, 0, 0, *v0]))
        body = mbs.AddObject(
            item.ObjectRigidBody(
                nodeNumber=node,
                physicsMass=m,
                physicsInertia=[J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1]],
            )
        )
        for at, sign in ((c, 1), (0 * c, -1)):
            mbs.AddLoad(
                item.LoadForceVector(
                    markerNumber=mbs.AddMarker(
                        item.MarcurbodyRigid(bodyNumber=body, localPosition=list(at))
                    ),
                    loadVector=[sign * m * g for g in gravity],
                )
            )
    else:
        node = mbs.AddNode(
            item.NodeGenericODE2(
                numberOfODE2Coordinates=system.nv,
                referenceCoordinates=[0.0] * system.nv,
                initialCoordinates=list(q0),
                initialCoordinates_t=list(v0),
            )
        )
        kinds = [getattr(exu.JointType, f"Revolute{k.joint.axis.upper()}") for k in t.links]
        at = {k.index: i for i, k in enumerate(t.links)}
        parts, frames = [_mass(k) for k in t.links], [_frame(k) for k in t.links]
        mbs.AddObject(
            item.ObjectKinematicTree(
                nodeNumber=node,
                gravity=gravity,
                jointTypes=kinds,
                linkParents=[at.get(k.parent, -1) for k in t.links],
                jointTransformations=exu.Matrix3DList([T[:3, :3] for T in frames]),
                jointOffsets=exu.Vector3DList([T[:3, 3] for T in frames]),
                linkInertiasCOM=exu.Matrix3DList([J for _, _, J in parts]),
                linkCOMs=exu.Vector3DList([c for _, c, _ in parts]),
                linkMasses=[m for m, _, _ in parts],
            )
        )
    mbs.Assemble()

    def solve(kind, end, steps, rtol=None):
        s = exu.SimulationSettings()
        s.solutionSettings.writeSolutionToFile = False
        s.timeIntegration.verboseMode = 0
        s.timeIntegration.endTime, s.timeIntegration.numberOfSteps = end, steps
        s.timeIntegration.automaticStepSize = rtol is not None
        if rtol is not None:
            s.timeIntegration.relativeTolerance = s.timeIntegration.absoluteTolerance = rtol
            s.timeIntegration.minimumStepSize, s.timeIntegration.initialStepSize = 1e-9, 1e-3
        s.timeIntegration.solverType = getattr(exu.DynamicSolverType, kind)
        solver = exu.MainSolverExplicit()
        if not solver.InitializeSolver(mbs, s):
            raise RuntimeError(f"Exudyn did not start on {system.name}")
        spent = _clock(lambda: solver.SolveSteps(mbs, s))
        solver.FinalizeSolver(mbs, s)
        return spent

    def run(*options):
        spent = solve(*options)
        if ball:
            R = mbs.GetNodeOutput(node, exu.OutputVariableType.RotationMatrix)
            return spent, _quaternion(np.array(R).reshape(3, 3))
        return spent, np.array(mbs.systemData.GetODE2Coordinates())

    solve("RK44", 1e-9, 1)
    agree("Exudyn", system, q0, v0, np.array(mbs.systemData.GetODE2Coordinates_tt())[-system.nv :])
    for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
        yield f"DOPRI5 {rtol:g}", lambda r=rtol: run("DOPRI5", t_end, 1, r)
    for kind in ("RK44", "RK67"):
        for h in (5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4):
            yield f"{kind} {h:g}", lambda kind=kind, h=h: run(kind, t_end, round(t_end / h))


def _exudyn_pins(system, t_end, q0, v0):
    """The chain of rods, along x and at rest, as planar bodies and pins, implicit and sparse."""
    import exudyn as exu
    from exudyn import itemInterface as item

    mbs = exu.SystemContainer().AddSystem()
    weight = [float(x) for x in system.floats().gravity]
    last = (mbs.AddObject(item.ObjectGround()), 0.0)

    def spot(body, x):
        return mbs.AddMarker(item.MarcurbodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))

    nodes = []
    for i in range(system.nv):
        nodes.append(mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[i + 0.5, 0, 0])))
        body = mbs.AddObject(
            item.ObjectRigidBody2D(physicsMass=1, physicsInertia=1 / 12, nodeNumber=nodes[-1])
        )
        mbs.AddLoad(item.LoadForceVector(markerNumber=spot(body, 0), loadVector=weight))
        mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[spot(*last), spot(body, -0.5)]))
        last = body, 0.5
    mbs.Assemble()

    def run(kind, h, end=t_end):
        s = exu.SimulationSettings()
        s.solutionSettings.writeSolutionToFile = False
        s.timeIntegration.endTime, s.timeIntegration.numberOfSteps = end, round(end / h)
        s.timeIntegration.verboseMode = 0
        s.linearSolverType = exu.LinearSolverType.EigenSparse
        s.timeIntegration.solverType = getattr(exu.DynamicSolverType, kind)
        s.timeIntegration.generalizedAlpha.useIndex2Constraints = kind == "TrapezoidalIndex2"
        s.timeIntegration.generalizedAlpha.useNewmark = kind == "TrapezoidalIndex2"
        solver = exu.MainSolverImplicitSecondOrder()
        if not solver.InitializeSolver(mbs, s):
            raise RuntimeError("Exudyn did not start")
        spent = _clock(lambda: solver.SolveSteps(mbs, s))
        solver.FinalizeSolver(mbs, s)
        return spent, np.diff(mbs.systemData.GetODE2Coordinates()[2::3], prepend=0.0)

    run("TrapezoidalIndex2", 1e-6, 1e-6)
    turns = np.array(mbs.systemData.GetODE2Coordinates_t())[2::3] / 1e-6
    agree("Exudyn with pins", system, q0, v0, np.diff(turns, prepend=0.0))
    for kind in ("TrapezoidalIndex2", "GeneralizedAlpha"):
        for h in (2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4):
            yield f"{kind} {h:g}", lambda kind=kind, h=h: run(kind, h)


def with_drake(system, t_end, q0, v0):
    """A continuous plant under its explicit integrators, error-controlled or of fixed step.

    Drake's ball joint has roll, pitch and yaw.  Its frame takes the top's own axis (body y) for
    roll, and for yaw a direction that this axis keeps away from, so that the motion stays within
    60 degrees of pitch, far from the singular 90.
    """
    from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
    from pydrake.multibody import plant as dp, tree as dt
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

    t = system.floats()
    plant = dp.MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array(t.gravity, dtype=float))
    roll, yaw = np.array((0.0, 1, 0)), np.array((-np.sqrt(0.75), 0, 0.5))
    turn = RotationMatrix(np.column_stack([roll, np.cross(yaw, roll), yaw]))
    bodies, joints = {0: plant.world_body()}, []
    for k in t.links:
        m, c, J = _mass(k)
        J = _solid(J)
        central = dt.RotationalInertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
        body = plant.AddRigidBody(k.body, dt.SpatialInertia.MakeFromCentralInertia(m, c, central))
        T = _frame(k)
        X = RigidTransform(RotationMatrix(T[:3, :3]), T[:3, 3])
        if k.joint.quaternion is not None:
            S = RigidTransform(turn)
            F = plant.AddFrame(dt.FixedOffsetFrame("F", bodies[k.parent].body_frame(), X @ S))
            M = plant.AddFrame(dt.FixedOffsetFrame("M", body.body_frame(), S))
            joints.append(plant.AddJoint(dt.BallRpyJoint(k.name, F, M)))
        else:
            F = plant.AddFrame(dt.FixedOffsetFrame(f"F_{k.name}", bodies[k.parent].body_frame(), X))
            joints.append(
                plant.AddJoint(dt.RevoluteJoint(k.name, F, body.body_frame(), _axis(t, k)))
            )
        bodies[k.index] = body
    plant.Finalize()
    ball = system.nq != system.nv
    Q = np.array([j.position_start() for j in joints])
    V = np.array([j.velocity_start() for j in joints])

    def start(context):
        q, v = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        if ball:
            v[:] = turn.matrix().T @ v0
        else:
            q[Q], v[V] = q0, v0
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)

    context = plant.CreateDefaultContext()
    start(context)
    a = plant.EvalTimeDerivatives(context).CopyToVector()[plant.num_positions() :]
    agree("Drake", system, q0, v0, turn.matrix() @ a if ball else a[V])

    def run(scheme, accuracy, h=None):
        simulator = Simulator(plant)
        ResetIntegratorFromFlags(simulator, scheme, h or (5e-3 if ball else 0.1))
        integrator = simulator.get_mutable_integrator()
        if h:
            integrator.set_fixed_step_mode(True)
        else:
            integrator.set_target_accuracy(accuracy)
            integrator.request_initial_step_size_target(1e-4 if ball else 1e-3)
        start(simulator.get_mutable_context())
        simulator.Initialize()
        spent = _clock(lambda: simulator.AdvanceTo(t_end))
        q = plant.GetPositions(simulator.get_context())
        if ball:
            R = turn @ RollPitchYaw(q).ToRotationMatrix() @ turn.inverse()
            return spent, _quaternion(R.matrix())
        return spent, q[Q]

    for scheme in ("runge_kutta3", "runge_kutta5"):
        for accuracy in 10.0 ** -np.arange(2, 14):
            yield f"{scheme} {accuracy:g}", lambda s=scheme, a=accuracy: run(s, a)
    for h in (5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4):
        yield f"fixed_runge_kutta5 {h:g}", lambda h=h: run("runge_kutta5", None, h)


PEERS = {
    "MuJoCo": with_mujoco,
    "Pinocchio + SciPy": with_pinocchio,
    "Exudyn": with_exudyn,
    "Drake": with_drake,
}


# ---- the run ---------------------------------------------------------------------------------


def best(table, limit):
    """Least time among runs at most `limit` off, and its setting."""
    return min(((t, label) for t, e, label in table or () if e <= limit), default=(np.nan, ""))


def measure(model, t_end, start, repeat):
    system = model.check()
    q0, v0 = system.state(start)
    for i in (
        k.q.start + k.joint.quaternion for k in system.links if k.joint.quaternion is not None
    ):
        q0[i : i + 4] /= np.linalg.norm(q0[i : i + 4])
    for method in ("dop853", "dopri5"):
        ours(system, 0.01, start, method, 1e-6)
    _, exact = ours(system, t_end, start, "dop853", 1e-13)
    watch = slice(0, 4) if system.links[0].joint.quaternion is not None else slice(0, 1)

    def error(q):
        d = abs(q[watch] - exact[watch]).max()
        return min(d, abs(q[watch] + exact[watch]).max()) if watch.stop == 4 else d

    tables = {"ours": []}
    patience = 8000.0 if system.nv > 100 else 1500.0
    for label, options in settings_of_ours():
        spent, q = again(
            lambda options=options: ours(system, t_end, start, **options), repeat, patience
        )
        tables["ours"].append((spent, error(q), label))
    for name, peer in PEERS.items():
        try:
            tables[name] = sweep(peer(system, t_end, q0, v0), error, repeat, patience)
        except ImportError:
            tables[name] = None
    return system, tables


def again(run, repeat, patience):
    """Least time of a run and its first answer: three times as many trials when it is short."""
    spent, q = run()
    if spent < patience / 10:
        count = 3 * repeat if spent < 20 else repeat
        spent = min([spent] + [run()[0] for _ in range(count - 1)])
    return spent, q


def sweep(settings, error, repeat, patience):
    """(time, error, label) of every setting; a method stops at 1e-10 or when it gets too slow.

    `patience` is in milliseconds: a method whose last run took longer is not refined further, and
    runs over a tenth of it are not repeated.
    """
    table, done = [], set()
    for label, run in settings:
        method = label.split()[0]
        if method in done:
            continue
        try:
            spent, q = again(run, repeat, patience)
        except (RuntimeError, ValueError):  # the peer gave up at this setting
            continue
        off = error(q) if np.isfinite(q).all() else np.inf
        table.append((spent, off, label))
        if off < 1e-10 or spent > patience:
            done.add(method)
    return table


def repeated(kernel, inputs, outputs, count):
    """A kernel called many times over, as native code."""
    for _ in range(count):
        call(kernel, inputs, outputs)


def overhead(model, start):
    """Nanoseconds of one evaluation within the integrator, and of the kernel alone.

    Both are the least of forty short measures taken in turn.
    """
    run = Simulation(model, 2.0, start, "dop853", 1e-10, 1e-10, output=[2.0])
    inp, out = run.record.kernel_inputs, run.record.kernel_outputs
    target = np.zeros(run.record.n)
    out[:3] = target.ctypes.data + 8 * np.array([0, run.record.nq, run.record.nq + run.record.nv])

    (many,) = native((globals(),), {"repeated": "iiii->"})
    words = run.kernels["flow"].abi_address, inp.ctypes.data, out.ctypes.data
    each = pure = np.inf
    for _ in range(40):
        other = Simulation(model, 2.0, start, "dop853", 1e-10, 1e-10, output=[2.0])
        each = min(each, 1e-3 * _clock(other.go) / other.record.rhs_count)
        pure = min(pure, _clock(lambda: many(*words, 2000)) / 2000)
    return 1e9 * each, 1e6 * pure


def batches(quick):
    """Simulations of 1 s per CPU second, 7-joint arm: ours with RK4 at 1 kHz, ours with steps of
    each run's own at 1e-8, and MuJoCo's with RK4 at 1 kHz."""
    count = 2000 if quick else 10000
    rng = np.random.default_rng(0)
    start = {f"joint{i}.angle": rng.uniform(-1, 1, count) for i in range(1, 8)}
    model = arm()
    batch(model, 0.01, {k: x[:16] for k, x in start.items()}, step=1e-3)
    before = time.process_time()
    batch(model, 1.0, start, step=1e-3)
    mine = count / (time.process_time() - before)
    batch(model, 0.01, {k: x[:16] for k, x in start.items()})
    before = time.process_time()
    batch(model, 1.0, start)
    own = count / (time.process_time() - before)
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return mine, own, np.nan
    mj = to_mujoco(model.check())
    mj.opt.integrator, mj.opt.timestep = int(mujoco.mjtIntegrator.mjINT_RK4), 1e-3
    some = 40
    state = np.zeros((some, mujoco.mj_stateSize(mj, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    state[:, 1:8] = np.stack(list(start.values()), axis=1)[:some]
    data = [mujoco.MjData(mj) for _ in range(2)]
    before = time.process_time()
    rollout.rollout(mj, data, state, nstep=1000)
    return mine, own, some / (time.process_time() - before)


NAMED = {  # models, on the page
    "arm7": "7R arm, 1 s",
    "tree30": "tree of 30 hinges, 1 s",
    "pendula10": "pendulum of 10, 1 s",
    "pendula100": "pendulum of 100, 1 s",
    "pendula1000": "pendulum of 1000, 1 s",
    "heavy_top": "heavy top, 2 s",
}


def cell(number: float, form: str) -> str:
    return f"{number:{form}}" if number > 0 else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", help="also write the numbers to this file")
    args = parser.parse_args()
    report = {}
    each, pure = overhead(arm(), {f"joint{i}.angle": 0.3 for i in range(1, 8)})
    print(f"7R arm: {each:.0f} ns an evaluation within dop853, kernel alone {pure:.0f} ns.")
    mine, own, theirs = batches(args.quick)
    print(
        f"7R arm, 1 s at 1 kHz, RK4, simulations a CPU second: {mine:.0f} here, "
        f"{theirs:.0f} by `mujoco.rollout`, ratio {mine / theirs:.1f}; with steps of each run's "
        f"own (`dop853`, 1e-8): {own:.0f} here.\n",
        flush=True,
    )
    report["overhead"] = {"each": each, "kernel": pure}
    report["batch"] = {"ours": mine, "adaptive": own, "mujoco": theirs}
    print(gate.row("problem", "error", "ours", *PEERS, "ratio"))
    print(gate.rule(4 + len(PEERS)))
    for model, t_end, start in problems(args.quick):
        system, tables = measure(model, t_end, start, 2 if args.quick else 3)
        for limit in ACCURACIES:
            row = {tool: best(table, limit) for tool, table in tables.items()}
            mine = row["ours"][0]
            ratio = min((row[x][0] for x in PEERS if row[x][0] > 0), default=np.nan) / mine
            cells = [
                "not installed" if tables[x] is None else cell(row[x][0], ".2f") for x in PEERS
            ]
            first = (NAMED.get(system.name, system.name), f"{limit:.0e}", f"{mine:.3f}")
            print(gate.row(*first, *cells, cell(ratio, ".1f")), flush=True)
            report[f"{system.name} {limit:g}"] = row | {"ratio": ratio}
    ratios = {name: float(row["ratio"]) for name, row in report.items() if "ratio" in row}
    gate.record("motion", ratios | {"arm7 in batches, RK4": report["batch"]["ours"] / theirs})
    if args.json:
        with open(args.json, "w") as file:
            json.dump(report, file, indent=1)


if __name__ == "__main__":
    main()

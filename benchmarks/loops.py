"""Closed loops beside peers, in one run: A01 (a constrained point) and A02 (N four-bars).

    python benchmarks/loops.py [N ...]        (N = 0: A01)

Each tool runs over its methods and settings; the table shows the least CPU time [ms] that reaches
an error of 1e-3, 1e-6 and 1e-9 in the position of the first moving pin over ten seconds (101
instants), the least error it reached, and how.  The reference is the exact reduction to one angle.
Peers (MuJoCo, Exudyn, Drake, Pinocchio) are optional; each must give our acceleration before it is
timed, and has a budget of CPU time a problem.  Times are CPU times; read the ratios.
"""

import math
import os
import sys
import time

os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")

import numpy as np
from scipy.integrate import solve_ivp

import torseur as ts
from torseur.simulate.run import Run

G, TIMES, GOALS = 9.81, np.linspace(0, 10, 101), (1e-3, 1e-6, 1e-9)
OURS = [*((m, {"rtol": r, "atol": 0.1 * r}) for m, rs in (
            ("dopri5", (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)),
            ("dop853", (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12))) for r in rs),
        *(("rk4", {"step": h}) for h in (0.04, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001))]


def angle(N) -> np.ndarray:
    """Angle of the bars from the exact reduction: I theta'' = -P g cos(theta)."""
    I, P = (N + 1) / 3 + N, (N + 1) / 2 + N
    return solve_ivp(lambda t, y: (y[1], -P * G / I * np.cos(y[0])), (0, 10), (np.pi / 2, -1.0),
                     method="DOP853", rtol=1e-13, atol=1e-14, t_eval=TIMES).y[0]


def pendulum_angle() -> np.ndarray:
    return solve_ivp(lambda t, y: (y[1], -G * np.cos(y[0])), (0, 10), (np.pi, 0.0),
                     method="DOP853", rtol=1e-13, atol=1e-14, t_eval=TIMES).y[0]


def error(theta, x, y) -> float:
    return float(max(abs(np.cos(theta) - x).max(), abs(np.sin(theta) - y).max()))


def four_bars(N) -> ts.Model:
    """N four-bars in a row: N + 1 uprights, N couplers, N loops."""
    def rod(name):
        return ts.Body(name, mass=1, com=(0.5, 0, 0), inertia=(0, "1/12", "1/12", 0, 0, 0))
    pin = ts.Revolute("z")
    bars = [ts.Joint(f"A{i}", "world", f"bar{i}", pin, at=(i, 0, 0)) for i in range(N + 1)]
    rods = [ts.Joint(f"B{i}", f"bar{i}", f"rod{i}", pin, at=(1, 0, 0)) for i in range(N)]
    loops = [ts.Loop(f"C{i}", f"bar{i + 1}", f"rod{i}", pin, at=(1, 0, 0), child_at=(1, 0, 0))
             for i in range(N)]
    return ts.Model(f"{N} four-bars", gravity=(0, -G, 0), joints=(*bars, *rods), loops=loops,
                    bodies=[rod(j.child) for j in (*bars, *rods)])


def start(N) -> dict[str, float]:
    right = np.pi / 2
    return ({f"A{i}.angle": right for i in range(N + 1)} | {f"A{i}.rate": -1 for i in range(N + 1)}
            | {f"B{i}.angle": -right for i in range(N)} | {f"B{i}.rate": 1 for i in range(N)})


def point() -> ts.Model:
    return ts.Model("A01", gravity=(0, -G, 0), bodies=(ts.Body("c"), ts.Body("bob", mass=1)),
                    joints=(ts.Joint("x", "world", "c", ts.Prismatic("x")),
                            ts.Joint("y", "c", "bob", ts.Prismatic("y"))),
                    constraints=(ts.Distance("rod", "bob", length=1),))


def ours(model, initial, see, rounds=3):
    """(error, CPU ms) of every method and setting."""
    for method, options in OURS:
        best = np.inf
        for _ in range(rounds):
            run = Run(model, 10.0, initial, method=method, output=TIMES, **options)
            before = time.thread_time()
            run.go()
            best = min(best, time.thread_time() - before)
        out = run.result()
        if out.completed and len(out.time) == len(TIMES):
            yield see(out), 1e3 * best, f"{method} {options.get('step', options.get('rtol')):g}"


# ---- peers: each takes (N, angle, rate), N = 0 for A01, and gives the acceleration of the first
# moving pin there and its methods, {name: (prepare(setting) -> go() -> positions, settings)} ------

STEPS = (0.05, 0.1 / 3, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 5e-5, 2e-5, 1e-5)
TREE = "unconstrained pin joint, "      # A01 made easier for a peer: one angle, no constraint
RETURN = 400.0, 40.0    # stiffness [1/s2] and damping [1/s] of loops that drift (Baumgarte)
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)


def pin(theta, rate=None, turn=None) -> np.ndarray:
    """Position of the first pin; with the angle's rate and its derivative, the acceleration."""
    along = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    return along if rate is None else turn * np.array((-along[1], along[0])) - rate**2 * along


def mujoco(N, theta, rate):
    """MuJoCo: `connect` (in A01 half of the mass is on the rod); steps in compiled loops."""
    import mujoco as mj

    def link(i, kind, inner=""):
        at = f"{i} 0 0" if kind == "bar" else "1 0 0"
        return (f'<body name="{kind}{i}" pos="{at}"><joint name="{kind}{i}" axis="0 0 1"/>'
                '<inertial pos=".5 0 0" mass="1" diaginertia="1e-9 .0833333333333 .0833333333333"/>'
                f"{inner}</body>")
    bodies = "".join(link(i, "bar", link(i, "rod") if i < N else "") for i in range(N + 1))
    loops = "".join(f'<connect body1="rod{i}" body2="bar{i + 1}" anchor="1 0 0"/>'
                    for i in range(N))
    turns = {f"rod{i}": -1 for i in range(N)}
    if not N:
        bodies = ('<body name="bob"><joint type="slide" axis="1 0 0"/><joint type="slide" axis='
                  '"0 1 0"/><inertial pos="0 0 0" mass=".5" diaginertia=".1 .1 .1"/></body>')
        loops = '<connect body1="bob" body2="rod" anchor="0 0 0"/>'
        tree = ('<body name="rod"><joint axis="0 0 1"/><inertial pos="1 0 0" mass="{}" '
                'diaginertia="1e-12 1e-12 1e-12"/></body>')

    def model_data(integrator, h, free=False):
        inside, closed = bodies, f"<equality>{loops}</equality>"
        if not N:
            inside, closed = (tree.format(1), "") if free else (bodies + tree.format(0.5), closed)
        text = (f'<mujoco><compiler angle="radian"/><option timestep="{h}" gravity="0 -9.81 0" '
                f'integrator="{integrator}" tolerance="1e-12" iterations="50"/>'
                f'<default><equality solref="{2 * h} 1" solimp="0.9999 0.9999 0.001"/></default>'
                f"<worldbody>{inside}</worldbody>{closed}</mujoco>")
        model = mj.MjModel.from_xml_string(text)
        if not N and not free:
            model.eq_data[0, 3:6] = 1, 0, 0
        data = mj.MjData(model)
        if N or free:
            signs = np.array([turns.get(model.joint(j).name, 1) for j in range(model.njnt)])
            data.qpos[:], data.qvel[:] = signs * theta, signs * rate
        else:
            place, speed = start_point(theta, rate)
            data.qpos[:], data.qvel[:] = (*place, theta), (*speed, rate)
        mj.mj_forward(model, data)
        return model, data

    def prepare(integrator, free=False):
        def at(h):
            model, data = model_data(integrator, h, free)
            seen, each = [data.qpos[:2].copy()], round(0.1 / h)

            def go():
                for _ in TIMES[1:]:
                    mj.mj_step(model, data, nstep=each)
                    seen.append(data.qpos[:2].copy())
                return seen_pin(N or free, np.array(seen))
            return go
        return at
    qacc = model_data("RK4", 1e-3)[1].qacc
    methods = {m: (prepare(m), STEPS[2:]) for m in ("RK4", "implicitfast")}
    if not N:
        methods[TREE + "RK4"] = prepare("RK4", True), STEPS
    return qacc[:2] if not N else pin(theta, rate, qacc[0]), methods


def exudyn(N, theta, rate):
    """Exudyn: planar bodies and pins in Cartesian coordinates, its implicit solvers.

    Its trapezoidal rule (index 2) is left out in A02, where it ends with an error of 2.
    """
    import exudyn as exu
    from exudyn import itemInterface as item
    exu.config.printToConsole = False
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(item.ObjectGround())
    x, y = np.cos(theta), np.sin(theta)

    def spot(body, at):
        return mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[*at, 0]))

    def body(at, angle, speed):
        node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[*at, angle],
                                                initialVelocities=speed))
        made = mbs.AddObject(item.ObjectRigidBody2D(mass=1, inertia=1 / 12, nodeNumber=node))
        mbs.AddLoad(item.LoadForceVector(markerNumber=spot(made, (0, 0)), loadVector=[0, -G, 0]))
        return node, made

    def pinned(one, two):
        mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[spot(*one), spot(*two)]))
    if N:
        half, bars = 0.5 * rate, []
        for i in range(N + 1):
            bars.append(body((i + x / 2, y / 2), theta, [-y * half, x * half, rate]))
            pinned((ground, (i, 0)), (bars[i][1], (-0.5, 0)))
        for i in range(N):
            _, rod = body((i + 0.5 + x, y), 0, [-y * rate, x * rate, 0])
            pinned((bars[i][1], (0.5, 0)), (rod, (-0.5, 0)))
            pinned((bars[i + 1][1], (0.5, 0)), (rod, (0.5, 0)))
        node, scale = bars[0][0], 2
    else:
        node, scale = mbs.AddNode(item.NodePoint2D(referenceCoordinates=[x, y], initialVelocities=[
            -y * rate, x * rate])), 1
        bob = mbs.AddObject(item.ObjectMassPoint2D(mass=1, nodeNumber=node))
        mbs.AddLoad(item.LoadForceVector(markerNumber=spot(bob, (0, 0)), loadVector=[0, -G, 0]))
        mbs.AddObject(item.ObjectConnectorDistance(markerNumbers=[
            spot(ground, (0, 0)), spot(bob, (0, 0))], distance=1))
    sensor = mbs.AddSensor(item.SensorNode(nodeNumber=node, storeInternal=True,
                                           outputVariableType=exu.OutputVariableType.Position))
    mbs.Assemble()

    def settings(h, end):
        s = exu.SimulationSettings()
        s.timeIntegration.numberOfSteps, s.timeIntegration.endTime = round(end / h), end
        s.timeIntegration.newton.useModifiedNewton = True
        s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        s.solution.file.write = False
        s.solution.sensors.writePeriod = 0.1
        s.linearSolver.solverType = (exu.LinearSolverType.EigenSparse if N > 2
                                     else exu.LinearSolverType.EXUdense)
        return s

    def prepare(solver):
        def at(h):
            s = settings(h, 10)

            def go():
                mbs.SolveDynamic(s, solverType=getattr(exu.DynamicSolverType, solver),
                                 showHints=False)
                return scale * mbs.GetSensorStoredData(sensor)[:, 1:3]
            return go
        return at
    mbs.SolveDynamic(settings(1e-6, 1e-5), solverType=exu.DynamicSolverType.TrapezoidalIndex2)
    after = scale * mbs.GetNodeOutput(node, exu.OutputVariableType.Velocity)[:2]
    solvers = ("GeneralizedAlpha",) if N else ("GeneralizedAlpha", "TrapezoidalIndex2")
    return ((after - rate * np.array((-y, x))) / 1e-5,
            {m: (prepare(m), STEPS[2:]) for m in solvers})


def pinocchio(N, theta, rate):
    """Pinocchio's constrained dynamics, its corrector on (A02), stepped from Python."""
    import pinocchio as pin_

    model, I3 = pin_.Model(), np.eye(3)
    model.gravity.linear = np.array((0, -G, 0))
    rod = pin_.Inertia(1.0, np.array((0.5, 0, 0)), np.diag((0, 1 / 12, 1 / 12)))

    def put(parent, joint, at, inertia, name):
        made = model.addJoint(parent, joint, pin_.SE3(I3, np.array(at, dtype=float)), name)
        model.appendBodyToJoint(made, inertia, pin_.SE3.Identity())
        return made
    tip, bars, rods = pin_.SE3(I3, np.array((1.0, 0, 0))), [], []
    for i in range(N + 1 if N else 0):
        bars.append(put(0, pin_.JointModelRZ(), (i, 0, 0), rod, f"bar{i}"))
        if i < N:
            rods.append(put(bars[i], pin_.JointModelRZ(), (1, 0, 0), rod, f"rod{i}"))
    ties = [(rods[i], tip, bars[i + 1], tip) for i in range(N)]
    if not N:       # half of the mass slides, half is at the tip of a rod
        c = put(0, pin_.JointModelPX(), (0, 0, 0), pin_.Inertia.Zero(), "x")
        bob = put(c, pin_.JointModelPY(), (0, 0, 0), pin_.Inertia(0.5, np.zeros(3), 0 * I3), "y")
        arm = put(0, pin_.JointModelRZ(), (0, 0, 0),
                  pin_.Inertia(0.5, tip.translation, 0 * I3), "rod")
        ties = [(arm, tip, bob, pin_.SE3.Identity())]
    proximal = pin_.ProximalSettings(1e-12, 1e-10, 10)
    signs, none = np.ones(model.nv), np.zeros(model.nv)
    signs[[model.joints[j].idx_v for j in rods]] = -1
    q0, v0 = signs * theta, signs * rate
    if not N:
        q0[:2], v0[:2] = start_point(theta, rate)
    loops = [pin_.RigidConstraintModel(pin_.ContactType.CONTACT_3D, model, *tie,
                                       pin_.ReferenceFrame.LOCAL) for tie in ties]
    for x in loops:
        x.setBaumgarteCorrectorParameters(pin_.BaumgarteCorrectorParameters(RETURN[0] * bool(N),
                                                                            RETURN[1] * bool(N)))
    data, states = model.createData(), [x.createData() for x in loops]
    pin_.initConstraintDynamics(model, data, loops, states)
    a, methods = python_methods(N, lambda q, v: pin_.constraintDynamics(
        model, data, q, v, none, loops, states, proximal), q0, v0, adaptive=not N)
    if not N:
        alone, still = pin_.Model(), np.zeros(1)
        alone.gravity.linear = model.gravity.linear
        alone.addJoint(0, pin_.JointModelRZ(), pin_.SE3.Identity(), "rod")
        alone.appendBodyToJoint(1, pin_.Inertia(1.0, tip.translation, 0 * I3), pin_.SE3.Identity())
        there = alone.createData()
        methods |= {TREE + name: how for name, how in python_methods(
            1, lambda q, v: pin_.aba(alone, there, q, v, still), np.array([theta]),
            np.array([rate]), adaptive=True)[1].items()}
    return a, methods


def drake(N, theta, rate):
    """Drake: its discrete solver (SAP) with constraints, or its M, h, J and J' v under Python."""
    from pydrake.math import RigidTransform
    from pydrake.multibody import plant as dp
    from pydrake.multibody import tree as dt
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
    tip, Z = np.array((1.0, 0, 0)), (0, 0, 1)

    def build(h, free=False):
        plant = dp.MultibodyPlant(time_step=h)
        if h:
            plant.set_discrete_contact_approximation(dp.DiscreteContactApproximation.kSap)
        plant.mutable_gravity_field().set_gravity_vector((0, -G, 0))

        def put(name, joint, frame, at, inertia, *axis):
            made = plant.AddRigidBody(name, inertia)
            where = plant.AddFrame(dt.FixedOffsetFrame(f"at {name}", frame, RigidTransform(at)))
            plant.AddJoint(joint(f"j {name}", where, made.body_frame(), axis))
            return made
        rod = dt.SpatialInertia.MakeFromCentralInertia(
            1.0, (0.5, 0, 0), dt.RotationalInertia(0, 1 / 12, 1 / 12))
        bars, rods, O = [], [], np.zeros(3)
        world = plant.world_frame()
        if N:
            for i in range(N + 1):
                bars.append(put(f"bar{i}", dt.RevoluteJoint, world, (i, 0, 0), rod, *Z))
            for i in range(N):
                rods.append(put(f"rod{i}", dt.RevoluteJoint, bars[i].body_frame(), tip, rod, *Z))
                if h:
                    plant.AddBallConstraint(bars[i + 1], tip, rods[i], tip)
        elif free:
            bars.append(put("bar0", dt.RevoluteJoint, world, O, dt.SpatialInertia(
                1.0, tip, dt.UnitInertia(0, 1, 1)), *Z))
        else:
            c = put("c", dt.PrismaticJoint, world, O, dt.SpatialInertia.Zero(), 1, 0, 0)
            put("bob", dt.PrismaticJoint, c.body_frame(), O,
                dt.SpatialInertia(1.0, O, dt.UnitInertia(0, 0, 0)), 0, 1, 0)
        plant.Finalize()
        signs = np.ones(plant.num_velocities())
        for x in rods:
            signs[plant.GetJointByName(f"j {x.name()}").velocity_start()] = -1
        first = (plant.GetJointByName("j bar0").velocity_start() if bars else 0)
        q, v = (signs * theta, signs * rate) if bars else start_point(theta, rate)
        return plant, bars, rods, first, q, v

    plant, bars, rods, first, q0, v0 = build(0.0)
    context, world = plant.CreateDefaultContext(), plant.world_frame()
    ends = [(rods[i].body_frame(), bars[i + 1].body_frame()) for i in range(N)]

    def acceleration(q, v):
        plant.SetPositionsAndVelocities(context, np.concatenate([q, v]))
        M = plant.CalcMassMatrix(context)
        h = plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)
        if not N:
            return kkt(M, h, q[None], np.array([-v @ v]))
        J, gamma = np.empty((2 * N, len(v))), np.empty(2 * N)
        V = dt.JacobianWrtVariable.kV
        for i, (a, b) in enumerate(ends):
            s = slice(2 * i, 2 * i + 2)
            one, two = ((plant.CalcJacobianTranslationalVelocity(context, V, x, tip, world, world),
                         plant.CalcBiasTranslationalAcceleration(context, V, x, tip, world, world),
                         plant.CalcPointsPositions(context, x, tip, world)) for x in (a, b))
            J[s] = (one[0] - two[0])[:2]
            gap, bias = (one[2] - two[2])[:2, 0], (one[1] - two[1])[:2, 0]
            gamma[s] = -bias - RETURN[0] * gap - RETURN[1] * (J[s] @ v)
        return kkt(M, h, J, gamma)

    def native(integrator=None):
        def at(value):
            made, *_, q, v = build(0.0 if integrator else value, free=not N)
            simulator = Simulator(made)
            inside = simulator.get_mutable_context()
            if integrator:
                ResetIntegratorFromFlags(simulator, integrator, 0.1).set_target_accuracy(value)
            made.SetPositionsAndVelocities(inside, np.concatenate([q, v]))
            simulator.Initialize()
            seen = [q[[first, -1]]]

            def go():
                for t in TIMES[1:]:
                    simulator.AdvanceTo(t)
                    seen.append(made.GetPositions(inside)[[first, -1]])
                return pin(np.array(seen)[:, 0])
            return go
        return at
    a, methods = python_methods(N, acceleration, q0, v0, first, not N)
    if N:
        methods["SAP"] = native(), STEPS[2:]
    else:       # AddDistanceConstraint to the world ends the process (Drake 1.51)
        methods[TREE + "RK3"] = native("runge_kutta3"), TOLERANCES
    return a, methods


# ---- what peers without a constrained integrator are given ---------------------------------------

def start_point(theta, rate):
    x, y = np.cos(theta), np.sin(theta)
    return np.array((x, y)), rate * np.array((-y, x))


def seen_pin(N, q) -> np.ndarray:
    return pin(q[:, 0]) if N else q


def kkt(M, h, J, gamma) -> np.ndarray:
    """Accelerations of M a + h = J' lambda with J a = gamma."""
    n, m = len(h), len(gamma)
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[:n, n:], K[n:, :n] = M, J.T, J
    K[range(n, n + m), range(n, n + m)] = -1e-12
    return np.linalg.solve(K, np.concatenate([-h, gamma]))[:n]


def python_methods(N, free, q0, v0, first=0, adaptive=False):
    """Runge-Kutta with fixed steps, and SciPy's DOP853, of an acceleration called from Python.

    DOP853 is left out in A02: at every tolerance tried (N = 1, 2) it leaves the branch at a
    horizontal passage, with or without a corrector.
    """
    n, shown = len(q0), [first, min(1, len(q0) - 1)]

    def acceleration(q, v):
        a = free(q, v)
        if not math.isfinite(a.sum()):
            raise FloatingPointError("the motion diverges")
        return a

    def rk4(h):
        each = round(0.1 / h)

        def go():
            q, v, seen = q0, v0, [q0[shown]]
            for _ in TIMES[1:]:
                for _ in range(each):
                    a1 = acceleration(q, v)
                    v2 = v + h / 2 * a1
                    a2 = acceleration(q + h / 2 * v, v2)
                    v3 = v + h / 2 * a2
                    a3 = acceleration(q + h / 2 * v2, v3)
                    v4 = v + h * a3
                    a4 = acceleration(q + h * v3, v4)
                    q, v = (q + h / 6 * (v + 2 * v2 + 2 * v3 + v4),
                            v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4))
                seen.append(q[shown])
            return seen_pin(N, np.array(seen))
        return go

    def dop853(rtol):
        def go():
            out = solve_ivp(lambda t, y: np.concatenate([y[n:], acceleration(y[:n], y[n:])]),
                            (0, 10), np.concatenate([q0, v0]), "DOP853", TIMES,
                            rtol=rtol, atol=0.1 * rtol)
            return seen_pin(N, out.y[shown].T)
        return go
    a = acceleration(q0, v0)
    at = q0[first]
    return (pin(at, v0[first], a[first]) if N else a[:2],
            {"RK4": (rk4, STEPS)} | ({"DOP853": (dop853, TOLERANCES)} if adaptive else {}))


# ---- the table -----------------------------------------------------------------------------------

PEERS = {"MuJoCo": mujoco, "Exudyn": exudyn, "Drake": drake, "Pinocchio": pinocchio}
BUDGET = {0: 2.0, 1: 3.0, 2: 3.0, 10: 5.0}        # CPU seconds of one peer's sweep; 8 s for others


def true_acceleration(N, theta, rate) -> np.ndarray:
    """Acceleration [m/s^2] of the first pin by torseur: what a peer's model must give as well."""
    from torseur.simulate.constrained import Constrained
    if not N:
        q, v = start_point(theta, rate)
        return Constrained(point().check()).acceleration(q, v)[0]
    system = four_bars(N).check()
    signs = np.array([-1 if name.startswith("B") else 1 for name in system.coordinates])
    a = Constrained(system).acceleration(signs * theta, signs * rate)[0]
    return pin(theta, rate, a[system.coordinates.index("A0.angle")])


def peer(build, N, exact):
    """(error, CPU ms, how) of a peer's methods, coarse settings first, within its budget."""
    theirs, expected = build(N, 1.0, -1.0)[0], true_acceleration(N, 1.0, -1.0)
    if not abs(theirs - expected).max() <= 2e-3 * abs(expected).max():
        raise ValueError(f"acceleration {theirs} instead of {expected}")
    _, methods = build(N, *((np.pi / 2, -1.0) if N else (np.pi, 0.0)))
    for name, (prepare, values) in methods.items():
        left = BUDGET.get(N, 8.0) / len(methods)
        for value in values:
            spent = np.inf
            for _ in range(3):          # as ours; once where it is long
                go = prepare(value)
                before = time.thread_time()
                try:
                    seen = go()
                except Exception as why:        # a solver that gave up at this setting
                    print(f"    {name} {value:g}: {str(why).splitlines()[-1]}", file=sys.stderr)
                    seen = np.full((1, 2), np.nan)
                once = time.thread_time() - before
                spent = min(spent, once)
                if once > 0.1 * left:
                    break
            if len(seen) == len(TIMES) and np.isfinite(seen).all():
                yield float(abs(seen - exact).max()), 1e3 * spent, f"{name} {value:g}"
            left -= spent
            if left < 2 * spent:
                break


def best(results) -> tuple[list[tuple[float, str]], float]:
    """Least time [ms] that reaches each goal, and how; the least error of all."""
    found = list(results)
    return ([min(((ms, how) for e, ms, how in found if e <= goal), default=(np.nan, "-"))
             for goal in GOALS], min((e for e, _, _ in found), default=np.nan))


def row(name, found):
    answers, least = found
    print(f"{name:22}" + "".join(f"{ms:10.3f}" if np.isfinite(ms) else f"{'-':>10}"
                                 for ms, _ in answers) + f"{least:10.1e}   "
          + "; ".join(how for _, how in answers), flush=True)


def main(sizes):
    print(f"{'CPU ms to an error of':22}" + "".join(f"{g:10.0e}" for g in GOALS)
          + f"{'least':>10}   how")
    for N in sizes:
        theta = angle(N) if N else pendulum_angle()
        title = f"A02 N={N}" if N else "A01"
        if N:
            def see(out, theta=theta):
                return error(theta, np.cos(out["A0.angle"]), np.sin(out["A0.angle"]))
            row(f"{title} torseur", best(ours(four_bars(N).check(), start(N), see)))
        else:
            def see(out, theta=theta):
                return error(theta, out["x.displacement"], out["y.displacement"])
            row(f"{title} torseur", best(ours(point().check(), {"x.displacement": -1.0}, see)))
        for name, build in PEERS.items():
            try:
                row(f"{title} {name}", best(peer(build, N, pin(theta))))
            except ImportError:
                print(f"{title} {name}: not installed")
            except ValueError as why:
                print(f"{title} {name}: not the same model, {why}")


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1:]] or [0, 1, 2, 10, 40])

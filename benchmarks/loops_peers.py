"""Peers of the benchmark of closed loops: MuJoCo, Exudyn, Drake, Pinocchio, each optional.

Each takes (N, angle, rate), N = 0 for A01, and gives the acceleration of the first moving pin there
and its methods, {name: (prepare, settings)}; `prepare(setting)` gives `go`, which is timed, and
answers the positions of the pin at `TIMES` and a function of no arguments: the energies [J] there.
"""

import math

import numpy as np
from loops_problems import TIMES, G, pin, start_point
from scipy.integrate import solve_ivp

STEPS = (0.05, 0.1 / 3, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 5e-5, 2e-5, 1e-5)
TREE = "pin joint "  # A01 made easier for a peer: one angle, no constraint
RETURN = 400.0, 40.0  # stiffness [1/s2] and damping [1/s] of loops that drift (Baumgarte)
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)


def mujoco(N, theta, rate):
    """MuJoCo: `connect` (in A01 half of the mass is on the rod); steps in compiled loops."""
    import mujoco as mj

    def link(i, kind, inner=""):
        at = f"{i} 0 0" if kind == "bar" else "1 0 0"
        return (
            f'<body name="{kind}{i}" pos="{at}"><joint name="{kind}{i}" axis="0 0 1"/>'
            '<inertial pos=".5 0 0" mass="1" diaginertia="1e-9 .0833333333333 .0833333333333"/>'
            f"{inner}</body>"
        )

    bodies = "".join(link(i, "bar", link(i, "rod") if i < N else "") for i in range(N + 1))
    loops = "".join(
        f'<connect body1="rod{i}" body2="bar{i + 1}" anchor="1 0 0"/>' for i in range(N)
    )
    turns = {f"rod{i}": -1 for i in range(N)}
    if not N:
        bodies = (
            '<body name="bob"><joint type="slide" axis="1 0 0"/><joint type="slide" axis='
            '"0 1 0"/><inertial pos="0 0 0" mass=".5" diaginertia=".1 .1 .1"/></body>'
        )
        loops = '<connect body1="bob" body2="rod" anchor="0 0 0"/>'
        tree = (
            '<body name="rod"><joint axis="0 0 1"/><inertial pos="1 0 0" mass="{}" '
            'diaginertia="1e-12 1e-12 1e-12"/></body>'
        )

    def model_data(integrator, h, free=False):
        inside, closed = bodies, f"<equality>{loops}</equality>"
        if not N:
            inside, closed = (tree.format(1), "") if free else (bodies + tree.format(0.5), closed)
        text = (
            f'<mujoco><compiler angle="radian"/><option timestep="{h}" gravity="0 -9.81 0" '
            f'integrator="{integrator}" tolerance="1e-12" iterations="50"/>'
            f'<default><equality solref="{2 * h} 1" solimp="0.9999 0.9999 0.001"/></default>'
            f"<worldbody>{inside}</worldbody>{closed}</mujoco>"
        )
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
            seen, each = [(data.qpos.copy(), data.qvel.copy())], round(0.1 / h)

            def energies():
                model.opt.enableflags |= mj.mjtEnableBit.mjENBL_ENERGY
                for data.qpos[:], data.qvel[:] in seen:
                    mj.mj_forward(model, data)
                    yield data.energy.sum()

            def go():
                for _ in TIMES[1:]:
                    mj.mj_step(model, data, nstep=each)
                    seen.append((data.qpos.copy(), data.qvel.copy()))
                return seen_pin(N or free, np.array([q for q, _ in seen])), energies

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
    ground, nodes = mbs.AddObject(item.ObjectGround()), []
    x, y = np.cos(theta), np.sin(theta)

    def spot(body, at):
        return mbs.AddMarker(item.MarcurbodyPosition(bodyNumber=body, localPosition=[*at, 0]))

    def body(at, angle, speed):
        node = mbs.AddNode(
            item.NodeRigidBody2D(referenceCoordinates=[*at, angle], initialVelocities=speed)
        )
        nodes.append(node)
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
        node, scale = (
            mbs.AddNode(
                item.NodePoint2D(
                    referenceCoordinates=[x, y], initialVelocities=[-y * rate, x * rate]
                )
            ),
            1,
        )
        nodes.append(node)
        bob = mbs.AddObject(item.ObjectMassPoint2D(mass=1, nodeNumber=node))
        mbs.AddLoad(item.LoadForceVector(markerNumber=spot(bob, (0, 0)), loadVector=[0, -G, 0]))
        mbs.AddObject(
            item.ObjectConnectorDistance(
                markerNumbers=[spot(ground, (0, 0)), spot(bob, (0, 0))], distance=1
            )
        )
    sensor = mbs.AddSensor(
        item.SensorNode(
            nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Position
        )
    )
    mbs.Assemble()

    def settings(h, end):
        s = exu.SimulationSettings()
        s.timeIntegration.numberOfSteps, s.timeIntegration.endTime = round(end / h), end
        s.timeIntegration.newton.useModifiedNewton = True
        s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        s.solution.file.write = False
        s.solution.sensors.writePeriod = 0.1
        s.linearSolver.solverType = (
            exu.LinearSolverType.EigenSparse if N > 2 else exu.LinearSolverType.EXUdense
        )
        return s

    def prepare(solver):
        def at(h):
            s = settings(h, 10)

            def solve():
                mbs.SolveDynamic(
                    s, solverType=getattr(exu.DynamicSolverType, solver), showHints=False
                )

            def energies():  # once more, with a look at all bodies
                seen = [
                    mbs.AddSensor(
                        item.SensorNode(nodeNumber=n, storeInternal=True, outputVariableType=kind)
                    )
                    for n in nodes
                    for kind in (
                        exu.OutputVariableType.Coordinates,
                        exu.OutputVariableType.Coordinates_t,
                    )
                ]
                mbs.Assemble()
                solve()
                total, inertia = 0.0, np.array((1, 1, 1 / 12)[: 3 if N else 2])
                for k, n in enumerate(nodes):
                    u, v = (mbs.GetSensorStoredData(x)[:, 1:] for x in seen[2 * k : 2 * k + 2])
                    height = mbs.GetNode(n)["referenceCoordinates"][1] + u[:, 1]
                    total = total + (v**2 @ inertia) / 2 + G * height
                return total

            def go():
                solve()
                return scale * mbs.GetSensorStoredData(sensor)[:, 1:3], energies

            return go

        return at

    mbs.SolveDynamic(settings(1e-6, 1e-5), solverType=exu.DynamicSolverType.TrapezoidalIndex2)
    after = scale * mbs.GetNodeOutput(node, exu.OutputVariableType.Velocity)[:2]
    solvers = ("GeneralizedAlpha",) if N else ("GeneralizedAlpha", "TrapezoidalIndex2")
    return (
        (after - rate * np.array((-y, x))) / 1e-5,
        {m: (prepare(m), STEPS[2:]) for m in solvers},
    )


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
    if not N:  # half of the mass slides, half is at the tip of a rod
        c = put(0, pin_.JointModelPX(), (0, 0, 0), pin_.Inertia.Zero(), "x")
        bob = put(c, pin_.JointModelPY(), (0, 0, 0), pin_.Inertia(0.5, np.zeros(3), 0 * I3), "y")
        arm = put(
            0, pin_.JointModelRZ(), (0, 0, 0), pin_.Inertia(0.5, tip.translation, 0 * I3), "rod"
        )
        ties = [(arm, tip, bob, pin_.SE3.Identity())]
    proximal = pin_.ProximalSettings(1e-12, 1e-10, 10)
    signs, none = np.ones(model.nv), np.zeros(model.nv)
    signs[[model.joints[j].idx_v for j in rods]] = -1
    q0, v0 = signs * theta, signs * rate
    if not N:
        q0[:2], v0[:2] = start_point(theta, rate)
    loops = [
        pin_.RigidConstraintModel(
            pin_.ContactType.CONTACT_3D, model, *tie, pin_.ReferenceFrame.LOCAL
        )
        for tie in ties
    ]
    for x in loops:
        x.setBaumgarteCorrectorParameters(
            pin_.BaumgarteCorrectorParameters(RETURN[0] * bool(N), RETURN[1] * bool(N))
        )
    data, states = model.createData(), [x.createData() for x in loops]
    pin_.initConstraintDynamics(model, data, loops, states)
    a, methods = python_methods(
        N,
        lambda q, v: pin_.constraintDynamics(model, data, q, v, none, loops, states, proximal),
        q0,
        v0,
        adaptive=not N,
        energy=lambda q, v: pin_.computeMechanicalEnergy(model, data, q, v),
    )
    if not N:
        alone, still = pin_.Model(), np.zeros(1)
        alone.gravity.linear = model.gravity.linear
        alone.addJoint(0, pin_.JointModelRZ(), pin_.SE3.Identity(), "rod")
        alone.appendBodyToJoint(1, pin_.Inertia(1.0, tip.translation, 0 * I3), pin_.SE3.Identity())
        there = alone.createData()
        methods |= {
            TREE + name: how
            for name, how in python_methods(
                1,
                lambda q, v: pin_.aba(alone, there, q, v, still),
                np.array([theta]),
                np.array([rate]),
                adaptive=True,
                energy=lambda q, v: pin_.computeMechanicalEnergy(alone, there, q, v),
            )[1].items()
        }
    return a, methods


def drake(N, theta, rate):
    """Drake: its discrete solver (SAP) with constraints, or its M, h, J and J' v under Python."""
    from pydrake.math import RigidTransform
    from pydrake.multibody import plant as dp, tree as dt
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
            1.0, (0.5, 0, 0), dt.RotationalInertia(0, 1 / 12, 1 / 12)
        )
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
            bars.append(
                put(
                    "bar0",
                    dt.RevoluteJoint,
                    world,
                    O,
                    dt.SpatialInertia(1.0, tip, dt.UnitInertia(0, 1, 1)),
                    *Z,
                )
            )
        else:
            c = put("c", dt.PrismaticJoint, world, O, dt.SpatialInertia.Zero(), 1, 0, 0)
            put(
                "bob",
                dt.PrismaticJoint,
                c.body_frame(),
                O,
                dt.SpatialInertia(1.0, O, dt.UnitInertia(0, 0, 0)),
                0,
                1,
                0,
            )
        plant.Finalize()
        signs = np.ones(plant.num_velocities())
        for x in rods:
            signs[plant.GetJointByName(f"j {x.name()}").velocity_start()] = -1
        first = plant.GetJointByName("j bar0").velocity_start() if bars else 0
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
            one, two = (
                (
                    plant.CalcJacobianTranslationalVelocity(context, V, x, tip, world, world),
                    plant.CalcBiasTranslationalAcceleration(context, V, x, tip, world, world),
                    plant.CalcPointsPositions(context, x, tip, world),
                )
                for x in (a, b)
            )
            J[s] = (one[0] - two[0])[:2]
            gap, bias = (one[2] - two[2])[:2, 0], (one[1] - two[1])[:2, 0]
            gamma[s] = -bias - RETURN[0] * gap - RETURN[1] * (J[s] @ v)
        return kkt(M, h, J, gamma)

    def energy(plant, context):
        return plant.CalcKineticEnergy(context) + plant.CalcPotentialEnergy(context)

    def own_energy(q, v):
        plant.SetPositionsAndVelocities(context, np.concatenate([q, v]))
        return energy(plant, context)

    def native(integrator=None):
        def at(value):
            made, *_, q, v = build(0.0 if integrator else value, free=not N)
            simulator = Simulator(made)
            inside = simulator.get_mutable_context()
            if integrator:
                ResetIntegratorFromFlags(simulator, integrator, 0.1).set_target_accuracy(value)
            made.SetPositionsAndVelocities(inside, np.concatenate([q, v]))
            simulator.Initialize()
            seen = [np.concatenate([q, v])]

            def energies():
                for state in seen:
                    made.SetPositionsAndVelocities(inside, state)
                    yield energy(made, inside)

            def go():
                for t in TIMES[1:]:
                    simulator.AdvanceTo(t)
                    seen.append(made.GetPositionsAndVelocities(inside).copy())
                return pin(np.array(seen)[:, first]), energies

            return go

        return at

    a, methods = python_methods(N, acceleration, q0, v0, first, not N, own_energy)
    if N:
        methods["SAP"] = native(), STEPS[2:]
    else:  # AddDistanceConstraint to the world ends the process (Drake 1.51)
        methods[TREE + "RK3"] = native("runge_kutta3"), TOLERANCES
    return a, methods


def seen_pin(N, q) -> np.ndarray:
    return pin(q[:, 0]) if N else q[:, :2]


def kkt(M, h, J, gamma) -> np.ndarray:
    """Accelerations of M a + h = J' lambda with J a = gamma."""
    n, m = len(h), len(gamma)
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[:n, n:], K[n:, :n] = M, J.T, J
    K[range(n, n + m), range(n, n + m)] = -1e-12
    return np.linalg.solve(K, np.concatenate([-h, gamma]))[:n]


def python_methods(N, free, q0, v0, first=0, adaptive=False, energy=None):
    """Runge-Kutta with fixed steps, and SciPy's DOP853, of an acceleration called from Python.

    DOP853 is left out in A02: it leaves the branch at a horizontal passage, corrector or not.
    """
    n, shown = len(q0), [first, min(1, len(q0) - 1)]

    def acceleration(q, v):
        a = free(q, v)
        if not math.isfinite(a.sum()):
            raise FloatingPointError("the motion diverges")
        return a

    def answer(seen):
        return (
            seen_pin(N, np.array([q[shown] for q, _ in seen])),
            lambda: [energy(q, v) for q, v in seen],
        )

    def rk4(h):
        each = round(0.1 / h)

        def go():
            q, v, seen = q0, v0, [(q0, v0)]
            for _ in TIMES[1:]:
                for _ in range(each):
                    a1 = acceleration(q, v)
                    v2 = v + h / 2 * a1
                    a2 = acceleration(q + h / 2 * v, v2)
                    v3 = v + h / 2 * a2
                    a3 = acceleration(q + h / 2 * v2, v3)
                    v4 = v + h * a3
                    a4 = acceleration(q + h * v3, v4)
                    q, v = (
                        q + h / 6 * (v + 2 * v2 + 2 * v3 + v4),
                        v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4),
                    )
                seen.append((q, v))
            return answer(seen)

        return go

    def dop853(rtol):
        def go():
            out = solve_ivp(
                lambda t, y: np.concatenate([y[n:], acceleration(y[:n], y[n:])]),
                (0, 10),
                np.concatenate([q0, v0]),
                "DOP853",
                TIMES,
                rtol=rtol,
                atol=0.1 * rtol,
            )
            return answer([(y[:n], y[n:]) for y in out.y.T])

        return go

    a = acceleration(q0, v0)
    at = q0[first]
    return (
        pin(at, v0[first], a[first]) if N else a[:2],
        {"RK4": (rk4, STEPS)} | ({"DOP853": (dop853, TOLERANCES)} if adaptive else {}),
    )


PEERS = {"MuJoCo": mujoco, "Exudyn": exudyn, "Drake": drake, "Pinocchio": pinocchio}

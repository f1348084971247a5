"""Signals by columns: against floats on every law, against calculus and Newton on a run."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from zoo import body, close, numbers

import torseur as ts
from torseur.compiler.runtime import machine
from torseur.dynamics import Moment
from torseur.dynamics.flow import Motion, start
from torseur.forces import (
    EVERY_LAW,
    JointForce,
    Parallel,
    PointForce,
    Seen,
    Spring,
    Viscous,
    Wrench,
)
from torseur.joints import Free, Prismatic, Revolute, Spherical, Universal
from torseur.kernels import motion
from torseur.kernels.motion import MotionKernels
from torseur.kernels.state_evaluation import Outputs, StateRows
from torseur.scalars import Floats, vector
from torseur.scalars.kinds import column
from torseur.scalars.kinds.column import Columns, evaluate
from torseur.simulation import simulate

G = (0.7, -1.3, -9.2)
SHIFTS = np.array([1, -8, 0, 8, -1]) / 12.0


def slope(x, h):
    """Derivative in time at the inner rows, order four."""
    return sum(c * x[i : len(x) - 4 + i] for i, c in enumerate(SHIFTS)) / h


def signal(run, name, letters="xyz"):
    return np.stack([run[f"{name}.{c}"] for c in letters], axis=1)


def turns(run, name):
    """Rotation matrices from the quaternions of a body, world from body."""
    w, x, y, z = signal(run, f"{name}.orientation", "wxyz").T
    return np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        2,
        0,
    )


# ---- the scalar ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, n",
    [
        ("tan", 1),
        ("exp", 1),
        ("log", 1),
        ("tanh", 1),
        ("abs", 1),
        ("sign", 1),
        ("asin", 1),
        ("acos", 1),
        ("atan", 1),
        ("atan2", 2),
        ("min", 2),
        ("max", 2),
    ],
)
def test_functions(name, n):
    x = np.random.default_rng(1).uniform(0.1, 0.9, (7, n)) * (1 if name == "log" else -1)
    K = Columns()
    got = K.give([K.call(name, *K.take(x))], 7)[0]
    close(got, [Floats().call(name, *row) for row in x.tolist()], 4)
    assert K.call(name, *x[0].tolist()) == pytest.approx(Floats().call(name, *x[0].tolist()))


def test_choices_divisions_and_blocks(monkeypatch):
    monkeypatch.setattr(column, "BLOCK", 5)
    x, K = np.linspace(-1, 1, 13)[:, None], Columns()

    def formula(x):
        inverse = K.divide(1, x[0])
        return K.select(K.less(x[0] * x[0], 1e-12), 7.0, inverse), K.less(x[0], 0.0) * 3, 2

    with np.errstate(all="raise"):
        got = evaluate(K, formula, x)
    want = [[7.0 if abs(e) < 1e-6 else 1 / e, 3.0 * (e < 0), 2.0] for e in x[:, 0]]
    close(got.T, want, 2)


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
def test_every_law_over_columns(law):
    rng, F, K = np.random.default_rng(3), Floats(), Columns()
    seen = []
    for _ in range(9):
        s = Seen(*rng.uniform(-0.4, 0.6, 3), u=tuple(rng.uniform(-2, 2, len(law.inputs))))
        z, m = law.start(F, s)
        seen.append(s._replace(z=tuple(rng.uniform(-1e-3, 1e-3, len(z))), m=tuple(m)))

    def answers(K, s):
        return [
            law.force(K, s),
            law.deflection(K, s),
            law.potential(K, s),
            law.mode(K, s),
            law.dissipation(K, s),
            law.supply(K, s),
            *law.zdot(K, s),
            *(g.value for g in law.guards(K, s)),
        ]

    flat = np.array([[s.x, s.rate, s.t, *s.z, *s.m, *s.u] for s in seen], dtype=float)
    nz, nm = len(seen[0].z), len(seen[0].m)

    def formula(x):
        return answers(
            K,
            Seen(
                *x[:3],
                tuple(x[3 : 3 + nz]),
                tuple(x[3 + nz : 3 + nz + nm]),
                tuple(x[3 + nz + nm :]),
            ),
        )

    want = np.array([answers(F, s) for s in seen], dtype=float)
    got = evaluate(K, formula, flat).T
    same = np.isclose(got, want, rtol=1e-13, atol=1e-300) | (np.isinf(want) & (got == want))
    assert same.all() or abs(got - want)[~same].max() <= 1e-14 * abs(want[np.isfinite(want)]).max()


# ---- a run in space, by calculus and by Newton ------------------------------------------------


def arm() -> ts.Model:
    """Bodies on different joints, one branch, with frames at their centers of mass."""
    rng = np.random.default_rng(8)
    kinds = (Free(), Revolute((1, 2, 2)), Prismatic("x"), Spherical(), Universal("x", "y"))
    up = (None, 0, 1, 1, 3)
    bodies = [body(f"b{i}", rng) for i in range(5)]
    joints = [
        ts.Joint(
            f"j{i}",
            "world" if j is None else f"b{j}",
            f"b{i}",
            kind,
            at=numbers(rng, 3),
            rpy=numbers(rng, 3),
        )
        for i, (kind, j) in enumerate(zip(kinds, up, strict=True))
    ]
    return ts.Model(
        "arm",
        gravity=G,
        bodies=bodies,
        joints=joints,
        frames=[
            ts.Frame(f"c{i}", f"b{i}", at=b.com, rpy=(0.3, -0.2, 0.1 * i))
            for i, b in enumerate(bodies)
        ],
        inputs=(ts.Input("push", unit="N", size=6),),
        forces=(
            PointForce(
                "rope",
                ("world", (0, 1, 3)),
                ("b4", (0.1, 0.2, 0.3)),
                Parallel(Spring(30.0, 1.0), Viscous(2.0)),
            ),
            JointForce("brake", "j1", Viscous(0.7)),
            Wrench("wind", "b3", (0.1, 0.2, -0.3, 1.0, 2.0, 0.5)),
        ),
    )


@pytest.fixture(scope="module")
def run():
    return simulate(
        arm(), 0.2, {"j1.rate": 2.0, "j2.speed": 1.0}, rtol=1e-12, atol=1e-13, output=201
    )


def test_velocities_and_accelerations_are_derivatives(run):
    h = run.time[1] - run.time[0]
    for name in ("b0", "b2", "b4", "c3"):
        p, v, a, w, dw = (
            signal(run, f"{name}.{x}")
            for x in (
                "position",
                "velocity",
                "acceleration",
                "angular_velocity",
                "angular_acceleration",
            )
        )
        inner, R = slice(2, -2), turns(run, name)
        np.testing.assert_allclose(slope(p, h), v[inner], atol=1e-8)
        np.testing.assert_allclose(slope(v, h), a[inner], atol=1e-6)
        np.testing.assert_allclose(slope(w, h), dw[inner], atol=1e-6)
        W = slope(R, h) @ np.swapaxes(R, 1, 2)[inner]
        np.testing.assert_allclose(
            np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1), w[inner], atol=1e-8
        )
        felt = np.einsum("nij,ni->nj", R, a)
        np.testing.assert_allclose(signal(run, f"{name}.body_acceleration"), felt, atol=1e-12)
    rate = slope(run["j1.rate"], h)
    np.testing.assert_allclose(rate, run["j1.acceleration"][2:-2], atol=1e-6)


def test_reactions_obey_newton_and_euler(run):
    """Momentum of every body, from positions and turns alone; forces from reactions."""
    h, model = run.time[1] - run.time[0], arm()
    R, p = (
        {b.name: f(run, b.name) for b in model.bodies}
        for f in (turns, lambda run, name: signal(run, f"{name}.position"))
    )
    on = {b.name: [] for b in model.bodies}  # (point, force, moment), world
    for j in model.joints:
        F, M = (
            np.einsum("nij,nj->ni", R[j.child], signal(run, f"{j.name}.reaction.{x}"))
            for x in ("force", "moment")
        )
        on[j.child].append((p[j.child], F, M))
        if j.parent != "world":
            on[j.parent].append((p[j.child], -F, -M))
    end = p["b4"] + R["b4"] @ np.array([0.1, 0.2, 0.3])
    line = np.array([0, 1, 3]) - end
    pull = run["rope.force"][:, None] * line / np.linalg.norm(line, axis=1, keepdims=True)
    on["b4"].append((end, pull, 0 * pull))
    wind = np.array([0.1, 0.2, -0.3, 1.0, 2.0, 0.5])
    on["b3"].append((p["b3"], np.tile(wind[3:], (len(end), 1)), np.tile(wind[:3], (len(end), 1))))
    for i, b in enumerate(model.bodies):
        c = signal(run, f"c{i}.position")
        force = sum(F for _, F, _ in on[b.name]) + b.mass * np.array(G)
        v = signal(run, f"c{i}.velocity")
        np.testing.assert_allclose(force[2:-2], b.mass * slope(v, h), atol=1e-5)
        J = R[b.name] @ np.array(b.inertia, dtype=float) @ np.swapaxes(R[b.name], 1, 2)
        H = np.einsum("nij,nj->ni", J, signal(run, f"{b.name}.angular_velocity"))
        moment = sum(M + np.cross(x - c, F) for x, F, M in on[b.name])
        np.testing.assert_allclose(moment[2:-2], slope(H, h), atol=1e-5)


def test_power_of_elements_is_the_rate_of_their_books(run):
    h = run.time[1] - run.time[0]
    total = run["rope.power.dissipated"] + run["brake.power.dissipated"]
    np.testing.assert_allclose(slope(run["energy.dissipated"], h), total[2:-2], atol=1e-8)
    supplied = run["wind.power.supplied"] + 0 * run["push.0"]
    np.testing.assert_allclose(slope(run["energy.supplied"], h), supplied[2:-2], atol=1e-8)
    assert abs(run["energy.residual"]).max() < 1e-9
    np.testing.assert_allclose(run["j1.effort"], -0.7 * run["j1.rate"], atol=1e-14)


def test_loops_obey_newton():
    """A four-bar: each body under its pins, the loop's among them."""
    pin = Revolute("z")

    def rod(name, L):
        J = L**3 / 6
        return ts.Body(name, mass=2 * L, com=(L / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))

    model = ts.Model(
        gravity=(0, -9.81, 0),
        bodies=(rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
        joints=(
            ts.Joint("A", "world", "crank", pin),
            ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "rocker", pin, at=(0.9, 0, 0)),
        ),
        loops=(ts.Loop("C", "rocker", "coupler", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),),
        frames=tuple(
            ts.Frame(f"{n} com", n, at=(L / 2, 0, 0))
            for n, L in (("crank", 0.3), ("coupler", 0.8), ("rocker", 0.6))
        ),
    )
    run = simulate(
        model,
        0.2,
        {"A.angle": 1.0, "A.rate": 2.0, "B.angle": -0.6, "D.angle": 1.6},
        keep=("A.angle", "A.rate"),
        rtol=1e-12,
        atol=1e-13,
        output=201,
        reactions="least_norm",  # a planar loop of pins: what is across the plane is not known
    )
    h = run.time[1] - run.time[0]

    def pull(joint, body):
        return np.einsum("nij,nj->ni", turns(run, body), signal(run, f"{joint}.reaction.force"))

    A, B, C, D = pull("A", "crank"), pull("B", "coupler"), pull("C", "coupler"), pull("D", "rocker")
    for name, mass, force in (
        ("crank", 0.6, A - B),
        ("coupler", 1.6, B + C),
        ("rocker", 1.2, D - C),
    ):
        want = mass * slope(signal(run, f"{name} com.velocity"), h) + [0, mass * 9.81, 0]
        np.testing.assert_allclose(force[2:-2], want, atol=1e-6)
    assert abs(run["constraints.residual"]).max() < 1e-12
    assert run["constraints.margin"].min() > 0.01


# ---- what is computed, and when ---------------------------------------------------------------


def chain(n, parameters=None, **options) -> ts.Model:
    """A chain of n links on hinges across each other, one meter in all."""
    L = 1 / n
    bodies = [
        ts.Body(
            f"b{i}", mass=L, com=(L / 2, 0, 0), inertia=(L**3 / 50, L**3 / 12, L**3 / 12, 0, 0, 0)
        )
        for i in range(n)
    ]
    joints = [
        ts.Joint(
            f"j{i}",
            f"b{i - 1}" if i else "world",
            f"b{i}",
            Revolute("zy"[i % 2]),
            at=(L if i else 0, 0, 0),
            **options,
        )
        for i in range(n)
    ]
    return ts.Model("chain", bodies=bodies, joints=joints, parameters=parameters or {})


def test_signals_are_lazy_and_compile_nothing(monkeypatch):
    run = simulate(chain(70), 0.01, {"j0.angle": 0.1}, method="dopri5", output=11)

    def no(*args, **options):
        raise AssertionError("compiled")

    monkeypatch.setattr(machine, "compile_module", no)
    asked, own = [], Outputs.__call__

    def counted(self, name, rows, **more):
        asked.append(name)
        return own(self, name, rows, **more)

    monkeypatch.setattr(Outputs, "__call__", counted)
    run["b69.position.x"], run["b3.position.y"], run["j3.angle"]
    assert asked == ["positions"]
    run["b69.velocity.x"], run["b69.body_acceleration.z"], run["energy.kinetic"]
    assert asked == ["positions", "velocities", "accelerations", "energies"]
    everything = run.arrays()
    assert len(asked) == len(set(asked)) and all(np.isfinite(x).all() for x in everything.values())


def test_one_row_and_many(run):
    """Rows do not see each other."""
    s = arm().check()
    out, n = Outputs(s, ()), len(run.time)
    q, v = (np.stack([run[x] for x in names], axis=1) for names in (s.coordinates, s.speeds))
    rows = StateRows(run.time, q, v, np.zeros((n, 5)), np.zeros((n, 0)), np.zeros((n, 6)))
    one = StateRows(*(x[7:8] for x in rows))
    for name in ("positions", "velocities", "energies", "elements", "applied"):
        assert (out(name, one) == out(name, rows)[:, 7:8]).all()
    total = out("applied_each", rows).reshape(-1, s.nv, n).sum(axis=0)
    close(total, out("applied", rows), 50)


# ---- long trees with elements ----------------------------------------------------------------


def long_arm(**options) -> ts.Model:
    """More than sixty speeds on every kind of joint, under elements of every kind."""
    rng = np.random.default_rng(5)
    kinds = (
        Free(),
        *(
            Revolute("x"),
            Spherical(),
            Prismatic((0, 3, 4)),
            Universal("x", "y"),
            Revolute((1, 2, 2)),
            Spherical("zyx"),
        )
        * 6,
    )
    bodies = [body(f"b{i}", rng) for i in range(len(kinds))]
    joints = [
        ts.Joint(
            f"j{i}",
            f"b{i - 1 - i % 3 // 2}" if i else "world",
            f"b{i}",
            kind,
            at=numbers(rng, 3),
            rpy=numbers(rng, 3),
            child_at=numbers(rng, 3),
        )
        for i, kind in enumerate(kinds)
    ]
    singles = [j.name for j in joints if j.kind.nv == 1]
    laws = [law for law in EVERY_LAW if not law.inputs]
    forces = [JointForce(f"f{i}", singles[i % len(singles)], law) for i, law in enumerate(laws)]
    forces += [
        PointForce("rope", ("world", (0, 1, 3)), ("b20", (0.1, 0.2, 0.3)), Spring(30.0)),
        Wrench("wind", "b30", (0.1, 0.2, -0.3, 1.0, 2.0, 0.5), input="gust"),
    ]
    return ts.Model(
        "long arm",
        gravity=G,
        bodies=bodies,
        joints=joints,
        forces=forces,
        inputs=(ts.Input("gust", unit="N", size=6),),
        **options,
    )


@pytest.mark.slow
def test_flow_of_a_long_tree_is_the_flow():
    """Straight-line elements with looped dynamics, against floats."""
    s = long_arm().check()
    kernels = MotionKernels(s)
    assert kernels.looped and s.nv > 60
    rng, F = np.random.default_rng(2), Floats()
    q = s.neutral() + 0.1 * rng.normal(size=s.nq)
    for k in s.links:
        if k.joint.quaternion is not None:
            own = slice(k.q.start + k.joint.quaternion, k.q.start + k.joint.quaternion + 4)
            q[own] /= np.linalg.norm(q[own])
    v, u = rng.normal(size=s.nv), rng.normal(size=6)
    now = start(s, F, 0.3, q, v, u)
    want = Motion(s, F).flow(
        Moment(0.3, *(vector(np.asarray(x, float).tolist()) for x in (q, v, now.z, now.m, u)))
    )
    got = kernels["flow"](0.3, q, v, np.asarray(now.z, float), np.asarray(now.m, float), u, ())
    for x, y in zip(got, want[:3], strict=True):
        close(x, y, 1e4)
    status = kernels["flow"].status
    assert status(0) == "ok" and "vdot[0]" in status(s.nq + 1)


def test_a_long_damped_chain_loses_what_its_dampers_take():
    """Parameters of elements stay arguments of the loop."""
    model, lost = chain(70, {"c": 1e-5}, damping="c"), []
    for c in (1e-5, 2e-5):
        run = simulate(
            model,
            0.02,
            {"j0.angle": 0.5, "j1.rate": 3.0},
            output=21,
            rtol=1e-9,
            parameters={"c": c},
        )
        own = sum(run[f"j{i}.damping.energy.dissipated"] for i in range(70))
        np.testing.assert_allclose(own, run["energy.dissipated"], rtol=1e-12)
        want = c * sum(run[f"j{i}.rate"] ** 2 for i in range(70))
        np.testing.assert_allclose(
            sum(run[f"j{i}.damping.power.dissipated"] for i in range(70)), want, rtol=1e-12
        )
        assert abs(run["energy.residual"]).max() < 1e-9
        lost.append(own[-1])
    assert lost[1] > 1.2 * lost[0] > 1e-7


def test_threads_share_one_kernel(monkeypatch):
    """Its code must not go with a second one that another thread made."""

    class Slow(motion.Kernel):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            time.sleep(0.01)

    monkeypatch.setattr(motion, "Kernel", Slow)
    kernels = MotionKernels(chain(2).check())
    with ThreadPoolExecutor(4) as pool:
        assert len(set(map(id, pool.map(lambda _: kernels["flow"], range(4))))) == 1


def test_which_trees_are_looped():
    heavy = chain(70, {"c": 1.0})
    heavy = replace(heavy, bodies=(replace(heavy.bodies[0], mass="c"), *heavy.bodies[1:]))
    for model, wanted in (
        (chain(60), False),
        (chain(61), True),
        (chain(61, damping=1.0), True),
        (heavy, True),  # a declared mass is computed first
    ):
        assert MotionKernels(model.check()).looped is wanted

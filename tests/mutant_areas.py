"""Quick looks at forces, constraints, integrators, compiler and equations, for planted mutants.

Each raises when something is wrong, against numbers that the code under test cannot reach: closed
forms, differences of energies, another evaluation.
"""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.dynamics import Motion, constraint_rows, start
from torseur.forces import Seen
from torseur.formalisms import composite_body, composite_derivatives, lagrange, newton_euler
from torseur.scalars import Floats, Graph, vector

F = Floats()


def near(got, want, tol=1e-9):
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    assert got.shape == want.shape and np.all(abs(got - want) <= tol * (1 + abs(want))), (got, want)


def law(x, rate=0.0, t=0.0, of=None, m=None):
    s = Seen(x, rate, t)
    return of.force(F, s._replace(m=of.start(F, s)[1] if m is None else m))


# ---- forces ----------------------------------------------------------------------------------


def laws():
    near(law(0.5, of=ts.Spring(200.0, 0.3, preload=2.0)), 42.0)
    near(law(0.0, 0.4, of=ts.Viscous(3.0)), 1.2)
    near(law(0.25, of=ts.Table(((0, 0), (0.1, 30), (0.3, 90), (0.5, 90)))), 75.0)
    near(law(0.7, of=ts.Table(((0, 0), (0.1, 30), (0.3, 50)), beyond="extend")), 90.0)
    stop = ts.Limits(-1.0, 1.0, stiffness=1e3)
    near([law(1.2, of=stop), law(-1.2, of=stop), law(0.5, of=stop)], [200.0, -200.0, 0.0])
    rub = ts.Coulomb(5.0, slip=1e-3)
    near([law(0.0, 1.0, of=rub), law(0.0, -1.0, of=rub)], [5.0, -5.0], 1e-2)
    near(law(0.2, 0.0, 0.0, of=ts.Polynomial((10.0, 0, 4.0))), 10 * 0.2 + 4 * 0.2**3)
    near(law(0.2, 0.3, 0.0, of=ts.Servo(100.0, 10.0, target=0.5)), -(100 * 0.3 - 10 * 0.3))
    near(law(0.2, 0.0, 0.5, of=ts.TimeTable(((0, 0), (1, 10)))), -5.0)


def pulling() -> ts.System:
    rng = np.random.default_rng(4)
    bodies = tuple(zoo.body(n, rng) for n in ("a", "b"))
    joints = (
        ts.Joint("one", "world", "a", ts.Revolute("y"), at=(0.1, 0.2, 0.3)),
        ts.Joint("two", "a", "b", ts.Spherical("zyx"), at=(0.4, 0.1, -0.2)),
    )
    forces = (
        ts.PointForce("pull", ("a", (0.3, 0, 0.1)), ("b", (0.1, 0.5, 0)), ts.Spring(120.0, 0.2)),
        ts.PointForce("tie", ("world", (1, 1, 0)), ("b", (0.1, 0, 0.4)), ts.Spring(70.0, 0.5)),
        ts.CoordinateForce("both", {"one.angle": 2.0, "two.angle1": -1.0}, ts.Spring(30.0)),
        ts.Bushing("rubber", "a", "b", stiffness=(9, 8, 7, 60, 50, 40), damping=(0,) * 6),
    )
    return ts.Model(bodies=bodies, joints=joints, forces=forces).check()


def loads():
    """Generalized forces are the slopes of the elements' energies."""
    system = pulling()
    q, v, _ = zoo.state(system, np.random.default_rng(2))
    v, motion = 0 * v, Motion(system, F)

    def stored(q):
        return sum(float(a.potential) for a in motion.loads(start(system, F, 0.0, q, v)).acting)

    h, slope = 1e-5, []
    for i in range(len(q)):
        e = h * np.eye(len(q))[i]
        slope.append((stored(q - e) - stored(q + e)) / (2 * h))
    rates = np.array([newton_rates(system, q, e) for e in np.eye(system.nv)])
    near(motion.applied(start(system, F, 0.0, q, v)), rates @ slope, 1e-6)


def newton_rates(system, q, v):
    from torseur import kinematics

    return np.asarray(kinematics.rates(system.floats(), q, v), dtype=float)


def forces():
    laws()
    loads()


# ---- constraints -----------------------------------------------------------------------------


def constraints():
    """Residuals by hand, and rows by differences of them."""
    made = (
        ts.Gear("gear", "turn.angle", "ball.angle1", -3, offset=0.1),
        ts.Rack("rack", "turn.angle", "slide.displacement", 0.05),
        ts.Screw("screw", "turn.angle", "slide.displacement", 0.01),
        ts.Distance("rod", ("hand", (0.1, 0.2, 0.3)), ("base", (0, 0.4, 0)), length=0.7),
        ts.PointOnPlane("plane", ("hand", (0.2, 0, 0)), "world", (0, 3, 4), height=0.3),
        ts.Driven("drive", "turn.angle", "0.6*sin(2*t) + t**2"),
        ts.Rolling("roll", "hand", radius=0.4, axis=None),
        ts.KnifeEdge("knife", "tip", (2, 1, 2)),
        ts.Distance("string", "tip", length=0.9),
    )
    system = zoo.mechanism(constraints=made).check()
    tree, t, h = system.floats(), 0.3, 1e-5
    q, v, _ = zoo.state(system, np.random.default_rng(5))
    at, own = dict(zip(system.coordinates, q, strict=True)), {e.name: e for e in system.held}
    turn, slide = at["turn.angle"], at["slide.displacement"]

    def residual(name, t=t, q=q):
        return float(own[name].residual(tree, t, q)[0])

    near(residual("gear"), turn + 3 * at["ball.angle1"] - 0.1)
    near(abs(residual("rack")), abs(slide - 0.05 * turn))
    near(abs(residual("screw")), abs(slide - 0.01 * turn))
    near(residual("drive"), turn - 0.6 * math.sin(0.6) - 0.09)
    dyn = ts.compile(system)

    def point(name, p, q=q):
        T = dyn.pose(name, q)
        return T[:3, :3] @ np.array(p) + T[:3, 3]

    d = point("hand", (0.1, 0.2, 0.3)) - point("base", (0, 0.4, 0))
    near(residual("rod"), (d @ d - 0.49) / 1.4)
    near(residual("plane"), np.array((0, 0.6, 0.8)) @ point("hand", (0.2, 0, 0)) - 0.3)
    w, u = np.split(dyn.velocity("tip", q, v), 2)
    R = dyn.pose("tip", q)[:3, :3]
    near(float(own["knife"].rate(tree, t, q, v)[0]), (R @ np.array((2, 1, 2)) / 3) @ u)
    w, u = np.split(dyn.velocity("hand", q, v), 2)
    slip = u + np.cross(w, (0, 0, -0.4))
    near(sorted(abs(np.asarray(own["roll"].rate(tree, t, q, v), float))), sorted(abs(slip[:2])))
    K = Graph()
    ts_, qs, vs = K.symbol("t"), K.symbols(system.coordinates), K.symbols(system.speeds)
    rows = constraint_rows(system.over(K), system, ts_, qs, vs)
    ports = [K.sx(vector((ts_,))), K.sx(qs), K.sx(vs)]
    f = K.lib.Function("f", ports, [K.sx(rows.psi), K.sx(rows.J), K.sx(rows.gamma)])
    psi, J, gamma = (np.array(x) for x in f(t, q, v))
    ahead, behind = (dyn.integrate(q, s * h * v) for s in (1, -1))
    forth, back = (np.array(f(t + s * h, x, v)[0]).ravel() for s, x in ((1, ahead), (-1, behind)))
    near(gamma.ravel(), -(forth - back) / (2 * h), 1e-6)
    still = np.array(f(t, q, 0 * v)[0]).ravel()
    owners = [system.held[i].name for i in rows.owners]
    rate = dict(zip(system.speeds, v, strict=True))["turn.rate"]
    near(psi[owners.index("drive"), 0], rate - 1.2 * math.cos(0.6) - 0.6)
    near(psi.ravel(), J @ v + still)
    phi = [
        (residual(n, t + h, ahead) - residual(n, t - h, behind)) / (2 * h) for n in ("rod", "plane")
    ]
    near([psi[owners.index(n), 0] for n in ("rod", "plane")], phi, 1e-6)


# ---- integrators -----------------------------------------------------------------------------


def oscillator() -> ts.Model:
    return ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("mass", mass=1.0),),
        joints=(ts.Joint("s", "world", "mass", ts.Prismatic("x")),),
        forces=(
            ts.JointForce("spring", "s", ts.Spring(4.0)),
            ts.JointForce("mark", "s", ts.Threshold(0.5)),
        ),
    )


def integrate():
    """An oscillator against its closed form, by steps of every family; its events; lanes."""
    system, want = oscillator().check(), math.cos(4.0)
    begin = {"s.displacement": 1.0}
    for method, tol in (("dopri5", 3e-6), ("dop853", 3e-6), ("rodas5p", 3e-6)):
        run = ts.simulate(system, 2.0, begin, method, rtol=1e-7, atol=1e-9)
        near(run["s.displacement"][-1], want, tol)
        assert run.statistics["steps"] < {"dopri5": 120, "dop853": 60, "rodas5p": 160}[method]
        near([e.time for e in run.events], [math.pi / 6], 1e-6)
        x = np.linspace(0, 2, 41)
        middle = ts.simulate(system, 2.0, begin, method, rtol=1e-7, atol=1e-9, output=x)
        keep = np.searchsorted(middle.time, x)
        near(middle["s.displacement"][keep], np.cos(2 * x), 1e-5)
    pushed = replace(oscillator(), forces=(ts.JointForce("f", "s", ts.Expression("-sin(3*t)")),))
    for method in ("dopri5", "dop853"):
        run = ts.simulate(pushed, 2.0, method=method, rtol=1e-9)
        near(run["s.displacement"][-1], (2.0 - math.sin(6.0) / 3) / 3, 1e-7)
    for method, order in (("rk4", 4), ("semi_implicit", 1), ("newmark", 2)):
        e = [
            abs(ts.simulate(system, 2.0, begin, method, step=h)["s.displacement"][-1] - want)
            for h in (0.02, 0.01)
        ]
        assert e[1] < 1e-1 and abs(math.log2(e[0] / e[1]) - order) < 0.5, (method, e)
    plain = ts.Model(
        gravity=(0, 0, 0),
        bodies=oscillator().bodies,
        joints=oscillator().joints,
        forces=oscillator().forces[:1],
    )
    many = ts.batch(plain, 2.0, {"s.displacement": np.linspace(0.5, 1.5, 5)}, "dopri5")
    near(many.q[:, -1, 0], want * np.linspace(0.5, 1.5, 5), 1e-5)


# ---- compiler --------------------------------------------------------------------------------


def compiler():
    """Machine code against plain floats, scalar and in lanes; sines of large angles; exports."""
    system = zoo.tree((ts.Revolute("y"), ts.Spherical(), ts.Prismatic("x")), 3).check()
    dyn, tree = ts.compile(system), system.floats()
    rng = np.random.default_rng(1)
    rows = [zoo.state(system, rng) for _ in range(9)]
    want = np.array([newton_euler.inverse_dynamics(tree, *r) for r in rows], dtype=float)
    together = dyn.inverse_dynamics(*(np.array(x) for x in zip(*rows, strict=True)))
    near(together, want, 1e-11)
    near([dyn.inverse_dynamics(*r) for r in rows], want, 1e-11)
    near(dyn.forward_dynamics(rows[0][0], rows[0][1], want[0]), rows[0][2], 1e-9)
    K = Graph()
    from torseur.compiler import Kernel

    x = K.symbols(f"x{i}" for i in range(3))
    values = vector([K.sin(x[0]), K.cos(x[0]), K.divide(x[1], x[2]), K.sqrt(x[2])])
    over = vector([K.divide(x[0], x[2]), K.divide(1, x[1])])
    more = vector([K.select(K.less(x[0], x[1]), x[2], -x[2]), K.call("min", x[0], x[1])])
    both = K.lib.vertcat(K.sx(values), K.sx(more), K.sx(over))
    f = Kernel("f", lambda: K.lib.Function("f", [K.sx(x)], [both], ["x"], ["y"]))
    for a in (
        (0.3, 2.0, 0.7),
        (4.0, -1.0, 3.0),
        (-1e4, 0.2, 2.0),
        (1e7, 5.0, 9.0),
        (2.2, 3.0, 1.0),
    ):
        s = a[2] if a[0] < a[1] else -a[2]
        hand = [math.sin(a[0]), math.cos(a[0]), a[1] / a[2], math.sqrt(a[2]), s, min(a[0], a[1])]
        hand += [a[0] / a[2], 1 / a[1]]
        near(f(np.array(a)), hand, 1e-12)
        near(f(np.tile(a, (7, 1))), np.tile(hand, (7, 1)), 1e-12)
    side_by_side()


def side_by_side():
    """Derivatives with links and pairs in vectors against composite ones in link frames."""
    from torseur.kernels import thresholds

    thresholds.MIN_SIMD_LANES = 2  # on every processor
    parents = (-1, 0, 1, 2, 2, 3, 4, 5, 6)
    kinds = [ts.Revolute("z")] * 6 + [ts.Prismatic("x")] * 3
    system = zoo.tree(kinds, 3, parents=parents, armature=True).check()
    dyn, (q, v, a) = ts.compile(system), zoo.state(system, np.random.default_rng(1))
    slopes = composite_derivatives.derivatives(system.floats(), q, v, a)
    for x, y in zip(dyn.inverse_dynamics_derivatives(q, v, a), slopes, strict=True):
        near(x, y.astype(float), 1e-11)
    M = slopes[2].astype(float)
    near(dyn.mass_matrix(q), M, 1e-12)
    tau = np.array(newton_euler.inverse_dynamics(system.floats(), q, v, a), dtype=float)
    dq, dv, dtau = dyn.forward_dynamics_derivatives(q, v, tau)
    near(dtau @ M, np.eye(system.nv), 1e-9)
    near(-M @ dq, slopes[0].astype(float), 1e-9)
    near(-M @ dv, slopes[1].astype(float), 1e-9)


# ---- equations -------------------------------------------------------------------------------


def symbolic():
    """Exact equations against floats: as they are, as Python, as SymPy, put together again."""
    parameters = {"m": 1.3, "L": 0.7, "J": 0.2}
    bodies = tuple(
        ts.Body(n, mass="m", com=("L/2", 0.1, 0), inertia=("J", "J", 0.05, 0.01, 0, 0))
        for n in ("a", "b")
    )
    joints = (
        ts.Joint("one", "world", "a", ts.Revolute("y")),
        ts.Joint("two", "a", "b", ts.Revolute("z"), at=("L", 0, 0)),
    )
    system = ts.Model(bodies=bodies, joints=joints, parameters=parameters).check()
    eq = ts.equations(system)
    q, v, a = (np.array(x) for x in ((0.3, -0.8), (0.5, 1.2), (-0.4, 0.7)))
    want = np.asarray(newton_euler.inverse_dynamics(system.floats(), q, v, a), dtype=float)
    near(eq.evaluate(q, v, a, parameters), want, 1e-12)
    rest = eq.evaluate(q, v, 0 * a, parameters)
    M = np.column_stack([eq.evaluate(q, v, e, parameters) - rest for e in np.eye(2)])
    near(eq.evaluate(q, parameters=parameters, quantity="mass_matrix"), M, 1e-12)
    space: dict = {}
    exec(eq.code("python", name="tau"), space)
    near(np.ravel(space["tau"](q, v, a, list(parameters.values()))), want, 1e-12)
    other = eq.substitute({"L": "0.7", "m": "1.3"})
    near(other.evaluate(q, v, a, {"J": 0.2}), want, 1e-12)
    import sympy

    def number(text):
        named = {str(s): s for s in text.free_symbols}
        at = dict(zip(("q1", "q2", "dq1", "dq2", "d2q1", "d2q2"), (*q, *v, *a), strict=True))
        return float(text.subs({named[n]: x for n, x in (at | parameters).items() if n in named}))

    assert isinstance(eq.sympy()[0], sympy.Expr)
    near([number(x) for x in eq.sympy()], want, 1e-12)


# ---- beams -----------------------------------------------------------------------------------


def beams():
    """Against differences of poses, energies, and the energy of strain by hand."""
    L, mu, EI, GJ, EA = 1.7, 0.6, (30.0, 50.0), 20.0, 400.0
    rod = ts.Beam("rod", length=L, EI=EI, EA=EA, GJ=GJ, mass_per_length=mu, modes=(1, 1, 0, 1),
                  slices=8)  # fmt: skip
    tip = (ts.Frame("tip", "rod", at=(L, 0, 0)),)
    hinge = ts.Joint("hinge", "world", "rod", ts.Revolute("y"))
    system = ts.Model(bodies=(rod,), joints=(hinge,), frames=tip).check()
    tree, section = system.floats(), system.links[-1].joint
    q, v, a = np.array([0.3, 0.2, -0.1, 0.4]), np.array([1, 0.5, 0.7, -0.3]), np.ones(4)
    K, h = tree.K, 1e-6

    def slope(f, x, way):
        """Derivative along a way, by differences."""
        ends = (f((x + s * h * way).tolist()) for s in (1, -1))
        return (np.asarray(next(ends), float) - np.asarray(next(ends), float)) / (2 * h)

    p, way = q[1:], v[1:]
    S = np.asarray(section.subspace(K, vector(p)), float)
    R = np.asarray(section.pose(K, vector(p)).R, float)
    near(R.T @ slope(lambda x: section.pose(K, vector(x)).p, p, way), (S @ way)[3:], 1e-7)
    W = R.T @ slope(lambda x: section.pose(K, vector(x)).R, p, way)
    near((W[2, 1], W[0, 2], W[1, 0]), (S @ way)[:3], 1e-7)
    rate = np.asarray(section.subspace_rate(K, vector(p), vector(way)), float)
    near(rate, slope(lambda x: section.subspace(K, vector(x)), p, way), 1e-7)
    X = section.pose(K, vector([0.01, 0, 0]))
    near(np.asarray(X.R, float)[2, 0], np.sin(0.01 * 1.3765054847 / L), 1e-6)
    near(float(X.p[0]), -0.5 * 1e-4 * 1.16194458 / L, 1e-4 * 1e-3)
    M = np.asarray(composite_body.mass_matrix(tree, vector(q)), float)
    rest = np.asarray(newton_euler.inverse_dynamics(tree, vector(q), vector(v), 0 * vector(v)))
    tau = np.asarray(newton_euler.inverse_dynamics(tree, vector(q), vector(v), vector(a)))
    near((tau - rest).astype(float), M @ a, 1e-9)
    T = lagrange.energies(tree, vector(q), vector(v))[0]
    near(0.5 * v @ M @ v, float(T), 1e-9)
    straight = np.asarray(composite_body.mass_matrix(tree, vector([0.0] * 4)), float)
    wanted = (mu * L**3 / 3, mu * L / 4, mu * L / 4, mu * L / 2 * (EI[0] + EI[1]) / EA)
    near(straight.diagonal(), wanted, 1e-5)
    found = {e.name: float(K.number(e.law.stiffness)) for e in system.elements}
    near(found["rod.bending_z1"], EI[0] * 1.87510407**4 / 4 / L**3, 1e-7)
    near(found["rod.torsion1"], GJ * np.pi**2 / 8 / L, 1e-9)


AREAS = {f.__name__: f for f in (forces, constraints, integrate, compiler, symbolic, beams)}


def run_test_file(file: str):
    """Run a test file below this folder, such as "show/test_tessellation.py", against a mutant.

    Raises
    ------
    AssertionError
        if a test fails.  Anything else that pytest complains of counts as a survivor.
    """
    options = ["-q", "-x", "-p", "no:cacheprovider", "--assert=plain", "--tb=no"]
    code = pytest.main([*options, str(Path(__file__).parent / file)])
    assert code != pytest.ExitCode.TESTS_FAILED

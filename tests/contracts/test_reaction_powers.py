"""Every reaction has its power: joints, loops, constraints, contacts; wrench times motion."""

import numpy as np
import pytest
from zoo import mechanism, state

import torseur as ts
from torseur import kinematics
from torseur.constraints import constraint
from torseur.dynamics.constraints.reactions import carried, multiplier_rates
from torseur.dynamics.constraints.rows import acting, constraint_rows
from torseur.joints import EVERY_JOINT
from torseur.model import Loop
from torseur.scalars import Graph, vector
from torseur.signals.names import declared_signals

LOOPS = [
    Loop("loop", "hand", "flier", j, at=(0.1, 0.2, -0.1), child_at=(-0.2, 0.1, 0.3))
    for j in EVERY_JOINT
    if j.nv < 6
]
ALSO = [pytest.param(x, marks=pytest.mark.slow) for x in LOOPS[3:]]  # one text for all loops
EVERY = (*constraint.examples(), *LOOPS[:3], *ALSO)


def made(x):
    where = "loops" if isinstance(x, Loop) else "constraints"
    return mechanism(**{where: (x,)}).check()


@pytest.mark.parametrize("x", EVERY, ids=lambda x: type(x).__name__)
def test_the_power_is_that_of_the_wrenches_on_both_bodies(x):
    """For any multipliers and speeds; of rows that join no bodies, by differences of residuals."""
    system = made(x)
    told = declared_signals(system)
    assert all(told[f"{n}.reaction.power"] == ("held_powers", "W") for n in acting(system))
    K = Graph()
    tree, t0 = system.over(K), 0.3
    t, q, v = K.symbol("t"), K.symbols(map(str, system.coordinates)), K.symbols(system.speeds)
    r = constraint_rows(tree, system, t, q, v, switched=True)
    lam = K.symbols(f"l{i}" for i in range(len(r)))
    powers = lam * multiplier_rates(tree, system, r, q, v)
    V = kinematics.twists(tree, q, v)
    held = carried(tree, system, r, q, lam)
    on_both = vector((sum((F @ V[i] for i, F in held.wrenches.items()), start=0),))
    ports = (vector((t,)), q, v, lam)
    f = K.lib.Function("power", [K.sx(x) for x in ports], [K.sx(powers), K.sx(on_both)])
    t, (q, v, _) = t0, state(system, np.random.default_rng(5))
    lam = np.random.default_rng(9).normal(size=len(r))
    got, want = (np.array(x).ravel() for x in f(t, q, v, lam))
    every = (*system.held, *system.switched)
    joins = np.array([every[i].joins for i in r.owners], dtype=bool)
    assert got[joins].sum() == pytest.approx(want[0], rel=1e-11, abs=1e-11)
    flat, h = system.floats(), 1e-5

    def residual(e, step):
        if e.speeds:
            return e.rate(flat, t, q, v).astype(float)
        return e.residual(flat, t, kinematics.integrate(flat, q, step * v)).astype(float)

    for i in {o for o, j in zip(r.owners, joins, strict=True) if not j}:
        own, e = [k for k, o in enumerate(r.owners) if o == i], every[i]
        rate = (residual(e, h) - residual(e, -h)) / (2 * h)
        if e.speeds:  # linear in v, less what time alone brings
            rate = residual(e, 0) - e.rate(flat, t, q, 0 * v).astype(float)
        assert got[own] == pytest.approx(lam[own] * rate, abs=1e-7)


PIN = ts.Revolute("z")


def rod(name, mass=1.0, length=0.5):
    J = mass * length**2 / 12
    return ts.Body(name, mass, (length / 2, 0, 0.03), (1e-3, J, J, 0, 0, 0))


def test_in_a_run_they_are_the_change_of_energy_also_where_reactions_are_unknown():
    """A four-bar of pins, hyperstatic, driven at the crank, its loop at the coupler."""
    model = ts.Model(
        "driven",
        gravity=(0, -9.81, 0),
        bodies=(rod("crank", 1, 0.3), rod("coupler", 2, 0.8), rod("rocker", 1, 0.6)),
        joints=(
            ts.Joint("A", "world", "crank", PIN),
            ts.Joint("B", "crank", "coupler", PIN, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "rocker", PIN, at=(0.9, 0, 0)),
        ),
        loops=(ts.Loop("C", "rocker", "coupler", PIN, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),),
        constraints=(
            ts.Driven("motor", "A.angle", "1 + 4*t + sin(3*t)/5"),
            ts.DryFriction("rub", "D.angle", force=0.4),
        ),
    )
    start = {"A.angle": 1.0, "B.angle": -0.6, "D.angle": 1.6}
    options = {"rtol": 1e-11, "atol": 1e-12, "output": 201, "keep": ("A.angle",)}
    run = ts.simulate(model, 0.2, start, **options)
    assert np.isnan(run["C.reaction.force.z"]).all()
    assert abs(run["C.reaction.power"]).max() < 1e-10
    P = run["motor.reaction.power"] + run["rub.reaction.power"]
    E = run["energy.kinetic"] + run["energy.potential"]
    dE = (E[:-4] - 8 * E[1:-3] + 8 * E[3:-1] - E[4:]) / (12 * 0.001)
    np.testing.assert_allclose(P[2:-2], dE, rtol=1e-7, atol=1e-7)
    assert (run["rub.reaction.power"] < -1e-3).any() and run["motor.reaction.power"].max() > 1
    inverse = ts.inverse(model, run)
    np.testing.assert_allclose(inverse["C.reaction.power"], 0, atol=1e-8)


def test_the_power_of_a_contact_of_a_damped_joint_and_their_slopes():
    """A block that slides: -mu N v and -c v^2; derivatives by parameters against differences."""
    model = ts.Model(
        "slide",
        parameters={"mu": 0.3, "c": 0.5},
        bodies=(ts.Body("a"), ts.Body("b", 2.0)),
        joints=(
            ts.Joint("x", "world", "a", ts.Prismatic("x"), damping="c"),
            ts.Joint("z", "a", "b", ts.Prismatic("z")),
        ),
        constraints=(ts.Contact("floor", "b", friction="mu"),),
    )

    def runs(more=None, **options):
        return ts.simulate(model, 0.1, {"x.speed": 2.0}, parameters=more, output=5, **options)

    run, h = runs(sensitivities=("mu", "c")), 1e-4
    v = run["x.speed"]
    np.testing.assert_allclose(run["floor.reaction.power"], -0.3 * 2 * 9.81 * v, rtol=1e-8)
    np.testing.assert_allclose(run["x.reaction.power"], -0.5 * v**2, rtol=1e-8)
    for name, at in model.parameters.items():
        up, down = (runs({name: float(at) + s}) for s in (h, -h))
        for signal in ("floor.reaction.power", "x.reaction.power", "z.reaction.power"):
            slope = (up[signal] - down[signal]) / (2 * h)
            got = run.sensitivity(signal, name)
            np.testing.assert_allclose(got, slope, rtol=1e-6, atol=1e-6)

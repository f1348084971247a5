"""A run in SIMD lanes is that of `simulate`, whatever its neighbors: every law, what touches.

Same events at the same times, same signals at the same rows, same outcomes; to the bit where
kernels for lanes round as those for one state do, else to rounding that the motion does not grow.
"""

import dataclasses
import pickle

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW
from torseur.kernels import begun

RUNS = 5
PLAIN = [law for law in EVERY_LAW if not law.inputs]
GROUPS = [PLAIN[k::9] for k in range(9)]


def blocks(laws):
    """A block of 1 kg a law, each on a rail of its own, pushed by gravity along it."""
    names = [f"b{i}" for i in range(len(laws))]
    return ts.Model(
        "blocks",
        gravity=(3.0, 0, 0),
        bodies=tuple(ts.Body(n, 1.0) for n in names),
        joints=tuple(ts.Joint(f"x{n}", "world", n, ts.Prismatic("x")) for n in names),
        forces=tuple(
            ts.JointForce(f"f{n}", f"x{n}", law) for n, law in zip(names, laws, strict=True)
        ),
    )


def same(model, initial, t_end, names, tolerance=1e-7, **options):
    """Runs of a batch, and the same one by one."""
    count = max(np.size(x) for x in initial.values())
    options = {"rtol": 1e-8, "atol": 1e-10, "output": np.linspace(0, t_end, 6)} | options
    many = ts.batch(model, t_end, initial, threads=1, **options)
    assert "lanes" in many.method
    for i in range(count):
        start = {n: float(x[i]) if np.ndim(x) else x for n, x in initial.items()}
        one = ts.simulate(model, t_end, start, **options)
        assert many.completed[i] == one.completed, (many.outcomes[i], one.outcome)
        assert [e.name for e in many.events[i]] == [e.name for e in one.events]
        np.testing.assert_allclose(
            [e.time for e in many.events[i]], [e.time for e in one.events], rtol=0, atol=tolerance
        )
        rows = np.searchsorted(one.time, many.time, side="right") - 1
        for name in names:
            want = np.where(many.time > one.time[-1], np.nan, one[name][rows])
            size = max(1.0, np.nanmax(abs(want), initial=0.0))
            np.testing.assert_allclose(many[name][i], want, rtol=0, atol=tolerance * size)
    return many


@pytest.mark.parametrize("laws", GROUPS, ids=range(len(GROUPS)))
def test_laws_begin_together_as_they_do_alone(laws):
    """To the bit, whichever way each run goes when it begins."""
    system = blocks(laws).check()
    rng = np.random.default_rng(11)
    runs = 24
    q = rng.choice([-0.3, -0.05, 0.0, 0.02, 0.04, 0.12, 0.4], (runs, system.nq))
    v = rng.choice([-1.0, 0.0, 2.0], (runs, system.nv))
    z, m = begun(system, 0.0, q, v, np.zeros((runs, 0)), np.zeros((runs, 0)))
    for i in range(runs):
        one = begun(system, 0.0, q[i], v[i], [], [])
        assert np.array_equal(z[i], one[0], equal_nan=True)
        assert np.array_equal(m[i], one[1], equal_nan=True)


def test_a_law_with_varied_numbers_begins_together_as_alone():
    law = ts.Crush((("a", 0), (0.1, "f"), (0.3, 4e5)), "k", tension="mirror", gap="g")
    names = {"a": 0.0, "f": 2e5, "k": 2e7, "g": 0.01}
    model = blocks([law])
    system = dataclasses.replace(model, parameters=names).check()
    rng = np.random.default_rng(2)
    runs = 40
    p = np.tile([system.model.parameters[n] for n in system.parameters], (runs, 1))
    p *= rng.uniform(0.9, 1.1, p.shape)
    q, v = rng.uniform(-0.2, 0.35, (runs, 1)), rng.normal(0, 1, (runs, 1))
    z, m = begun(system, 0.0, q, v, np.zeros((runs, 0)), p)
    for i in range(runs):
        one = begun(system, 0.0, q[i], v[i], [], p[i])
        assert np.array_equal(m[i], one[1]) and np.array_equal(z[i], one[0])
    assert len(np.unique(m[:, 0])) > 2  # they begin on several pieces


@pytest.mark.parametrize("laws", GROUPS, ids=range(len(GROUPS)))
def test_every_law_in_lanes_moves_as_it_does_alone(laws):
    model = blocks(laws)
    rng = np.random.default_rng(3)
    initial = {}
    for j in model.joints:
        initial[f"{j.name}.displacement"] = rng.uniform(-0.05, 0.15, RUNS)
        initial[f"{j.name}.speed"] = rng.uniform(-1.5, 1.5, RUNS)
    names = [f"{j.name}.displacement" for j in model.joints] + ["energy.residual"]
    names += [f"{f.name}.force" for f in model.forces]
    same(model, initial, 0.1, names)


def test_a_law_that_remembers_without_events_runs_in_lanes():
    """Two springs in series have a memory and no event: their batch ended in the kernel's words."""
    model = blocks([ts.Series(ts.Spring(4e2), ts.Spring(1e2))])
    assert not model.check().layout.guards
    for more in ({}, {"method": "dopri5"}, {"method": "rk4", "step": 1e-3}):
        many = same(model, {"xb0.speed": np.linspace(-1, 1, 3)}, 0.3, ("xb0.displacement",), **more)
        assert many.completed.all()


BALL = ts.Model(
    "thrown ball",
    bodies=(ts.Body("ball", mass=0.43, inertia=(0.002, 0.002, 0.002, 0, 0, 0)),),
    joints=(ts.Joint("fly", "world", "ball", ts.Free()),),
    constraints=(ts.Contact("floor", "ball", radius=0.11, restitution=0.6, friction=0.05),),
)
BLOCK = ts.Model(
    "stick-slip",
    bodies=(ts.Body("block", mass=1.0),),
    joints=(ts.Joint("slide", "world", "block", ts.Prismatic("x")),),
    forces=(ts.JointForce("spring", "slide", law=ts.Expression("400*(x - 0.1*t)")),),
    constraints=(ts.DryFriction("rub", "slide.displacement", force=20.0, static=30.0),),
)
FOUR_BAR = {"A0.rate": -1, "B0.rate": 1, "A1.rate": -1}
MECHANISMS = {
    "bounces and friction": (
        BALL,
        {"fly.pz": np.linspace(0.2, 0.5, RUNS), "fly.vx": 4.0, "fly.vy": np.linspace(-1, 1, RUNS)},
        1.0,
        {},
    ),
    "stick and slip": (BLOCK, {"slide.displacement": np.linspace(-0.05, 0.05, RUNS)}, 1.5, {}),
    "a loop": (
        "examples/four_bar.yaml",
        {n: sign * np.linspace(0.5, 2, RUNS) for n, sign in FOUR_BAR.items()},
        0.4,
        {},
    ),
    "a stiff method": (
        blocks([ts.Viscous(300.0), ts.Crush(((0, 0), (0.1, 1e3)), 1e6)]),
        {"xb0.speed": np.linspace(-1, 1, RUNS), "xb1.speed": np.linspace(0.1, 1, RUNS)},
        0.2,
        {"method": "rodas5p", "rtol": 1e-9},
    ),
    "a fixed step": (
        blocks([ts.Spring(300.0), ts.Crush(((0, 0), (0.1, 1e3)), 1e6)]),
        {"xb0.speed": np.linspace(-1, 1, RUNS), "xb1.speed": np.linspace(0.1, 1, RUNS)},
        0.2,
        {"method": "newmark", "step": 1e-3},
    ),
    "stops": (
        blocks([ts.Limits(-0.1, 0.1, restitution=0.5), ts.Limits(-0.1, 0.1, 1e4, 10.0)]),
        {"xb0.speed": np.linspace(-1, 1, RUNS), "xb1.speed": np.linspace(-1, 1, RUNS)},
        0.4,
        {},
    ),
}


@pytest.mark.parametrize("case", MECHANISMS)
def test_what_touches_what_loops_and_what_is_stiff(case):
    model, initial, t_end, options = MECHANISMS[case]
    if isinstance(model, str):
        model = ts.load(model)
    s = model.check()
    same(model, initial, t_end, (*s.coordinates, *s.speeds, "energy.residual"), **options)


def test_a_run_does_not_depend_on_its_neighbors():
    speeds = np.linspace(0.2, 2.0, 11)
    model = blocks([ts.Crush(((0, 0), (0.02, 1e2), (0.1, 3e2)), 1e4), ts.Spring(50.0)])
    many = ts.batch(model, 0.3, {"xb0.speed": speeds}, output=4, threads=2)
    few = ts.batch(model, 0.3, {"xb0.speed": speeds[[7, 2]]}, output=4, threads=1)
    away = pickle.loads(pickle.dumps(few))
    for name in ("xb0.displacement", "fb0.force", "xb1.acceleration"):
        assert (many[name][[7, 2]] == few[name]).all()
        assert (away[name] == few[name]).all() and away.events == few.events


def test_buffers_grow_and_failures_are_rows_with_their_sentences():
    """Many events in few runs, a start that cannot be, a law without a value, a stop."""
    model = blocks([ts.Limits(-0.1, 0.1, restitution=0.99), ts.Expression("-sqrt(0.3 - x)")])
    many = ts.batch(
        model,
        8.0,
        {"xb0.speed": [40.0, 1.0], "xb1.displacement": [-2.0, 0.2], "xb1.speed": [0.0, 3.0]},
        output=3,
        threads=1,
    )
    start = {"xb0.speed": 40.0, "xb1.displacement": -2.0}
    one = ts.simulate(model, 8.0, start, output=3)
    assert len(one.events) > 100 and list(many.events[0]) == list(one.events)
    assert many.completed.tolist() == [one.completed, False]
    one = ts.simulate(
        model, 8.0, {"xb0.speed": 1.0, "xb1.displacement": 0.2, "xb1.speed": 3.0}, output=3
    )
    assert "is not finite" in one.outcome and many.outcomes[1] == one.outcome
    stopped = ts.batch(model, 1.0, {"xb0.speed": [1.0, 0.1]}, stop_when="fb0", threads=1, output=2)
    assert stopped.outcomes[0].startswith("stopped at t = 0.")
    four = ts.load("examples/four_bar.yaml")
    none = ts.batch(four, 0.1, {"A0.rate": [1.0, 2.0]}, threads=1)  # against the other rates
    assert all(x.startswith("could not start: ") for x in none.outcomes)
    assert np.isnan(none["A0.angle"]).all()

"""A run in SIMD lanes is that of `simulate`, whatever its neighbours: every law, what touches.

Same events at the same times, same signals at the same rows, same outcomes; to the bit where
kernels for lanes round as those for one state do, else to rounding that the motion does not grow.
"""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW

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

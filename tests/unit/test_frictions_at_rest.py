"""Dry frictions at rest together that hold one motion: what they hold together, or a sentence."""

import numpy as np
import pytest

import torseur as ts

TOLD = "were at rest together"


def pushed():
    """A box of 2 kg on four feet, pushed by 10 N/s at a height h above the ground."""
    return ts.Model(
        "box",
        bodies=(ts.Body("b", 2.0, inertia=(0.01, 0.01, 0.01)),),
        joints=(ts.Joint("f", "world", "b", ts.Free()),),
        constraints=[
            ts.Contact(f"k{i}{j}", ("b", (x, y, -0.1)), friction=0.4, static_friction=0.6)
            for i, x in enumerate((-0.1, 0.1))
            for j, y in enumerate((-0.1, 0.1))
        ],
        forces=(
            ts.PointForce(
                "p", ("b", (0, 0, "h - 0.1")), ("world", (50, 0, "h")), ts.Expression("-10*t")
            ),
        ),
        parameters={"h": 0.0},
    )


def coupled(static):
    """Two slides that move as one, each with friction of its own, pulled ever more."""
    slides = [ts.Joint(n, "world", n.upper(), ts.Prismatic("x")) for n in ("a", "b")]
    return ts.Model(
        "slides",
        gravity=(0, 0, 0),
        bodies=(ts.Body("A", 1.0), ts.Body("B", 3.0)),
        joints=slides,
        constraints=(
            ts.Mimic("both", "b.displacement", "a.displacement"),
            ts.DryFriction("fa", "a.displacement", force=2.0, static=static),
            ts.DryFriction("fb", "b.displacement", force=1.0, static=1.0),
        ),
        forces=(ts.JointForce("pull", "a", ts.Expression("-10*t")),),
    )


def begins(run, name):
    """When something begins to move [s]."""
    return run.time[np.argmax(abs(run[name]) > 1e-7) - 1]


def test_feet_hold_what_they_hold_together():
    """Whatever each of them carries; alone and beside others, and no event before (DF.16)."""
    model, names, lets_go = pushed(), ("b.velocity.x", "b.position.x"), 0.6 * 2 * 9.81 / 10
    for height in (0.0, 0.05, 0.0875):
        run = ts.simulate(model, 1.3, {"f.pz": 0.1}, parameters={"h": height})
        assert begins(run, "b.velocity.x") == pytest.approx(lets_go, abs=2e-5)
        assert TOLD not in run.outcome and run.events[0].time == pytest.approx(lets_go, abs=2e-5)
        batch = ts.batch(
            model, 1.3, {"f.pz": [0.1, 0.1]}, parameters={"h": [height] * 2}, keep=names
        )
        assert batch.events[0][0].time == pytest.approx(lets_go, abs=3e-4)
        for name in names:
            np.testing.assert_allclose(batch[name][:, -1], run[name][-1], rtol=5e-3)


def test_frictions_of_coupled_slides():
    """Of equal static and sliding friction how they share the load does not matter."""
    run = ts.simulate(coupled(2.0), 0.6)
    assert begins(run, "a.speed") == pytest.approx(0.3, abs=1e-3) and TOLD not in run.outcome
    batch = ts.batch(coupled(4.0), 0.6, {"a.displacement": [0.0, 1e-3]}, keep=("a.speed",))
    assert all(TOLD in x and "'fa', 'fb'" in x for x in batch.outcomes)


def test_a_foot_that_carries_little_lets_the_others_hold():
    """A tripod on a slope of 17 degrees, by shares of least squares without a rest."""
    feet = [(0.10543, 0.01996, -0.1), (-0.0869, 0.08827, -0.1), (-0.00168, -0.06224, -0.1)]
    model = ts.Model(
        "tripod",
        gravity=(0.68594, -2.78544, -9.3812),
        bodies=(ts.Body("b", 2.02364, inertia=(0.010118, 0.012142, 0.016189)),),
        joints=(ts.Joint("f", "world", "b", ts.Free()),),
        constraints=[ts.Contact(f"k{i}", ("b", x), friction=0.5) for i, x in enumerate(feet)],
    )
    run = ts.simulate(model, 0.5, {"f.pz": 0.1}, max_events=60)
    assert run.completed and not run.events
    assert abs(run["b.velocity.x"]).max() < 1e-12 and abs(run["b.velocity.y"]).max() < 1e-12

"""Reactions in welds: what Newton's and Euler's laws ask of the bodies beyond."""

import numpy as np
import pytest

import torseur as ts


def arm(joint, **more):
    return ts.Model(
        bodies=(
            ts.Body("a", 2.0, (0, 0, -0.5), (0.1, 0.1, 0.01, 0, 0, 0)),
            ts.Body("b", 1.0, (0.1, 0, -0.2), (0.02, 0.03, 0.01, 0, 0, 0)),
            ts.Body("c", 0.5, (0, 0, -0.1), (0.01, 0.01, 0.01, 0, 0, 0)),
        ),
        joints=(
            ts.Joint("p", "world", "a", ts.Revolute("y")),
            ts.Joint("w", "a", "b", joint, at=(0, 0, -1), rpy=(0.3, 0.2, 0), child_at=(0.05, 0, 0)),
            ts.Joint("e", "b", "c", ts.Revolute("x"), at=(0, 0, -0.4)),
        ),
        forces=(
            ts.PointForce("k", a=("b", (0.1, 0, 0)), b=("world", (1, 0, 0)), law=ts.Spring(50.0)),
        ),
        **more,
    )


def test_a_weld_carries_what_a_hinge_carries_that_is_held_still():
    """The same arm with a driven hinge in the weld's place: six numbers, all along the motion."""
    weld = ts.simulate(arm(ts.Weld()), 1.0, {"p.angle": 0.5, "e.rate": 2.0}, rtol=1e-11)
    held = arm(ts.Revolute("z"), constraints=(ts.Driven("still", "w.angle", "0"),))
    hinge = ts.simulate(held, 1.0, {"p.angle": 0.5, "e.rate": 2.0}, rtol=1e-11)
    np.testing.assert_allclose(weld["p.angle"], hinge["p.angle"], atol=1e-8)
    for part in ("force.x", "force.y", "force.z", "moment.x", "moment.y"):
        x = weld[f"w.reaction.{part}"]
        np.testing.assert_allclose(x, hinge[f"w.reaction.{part}"], atol=1e-6)
        assert abs(x).max() > 0.01
    np.testing.assert_allclose(weld["w.reaction.moment.z"], hinge["still.multiplier"], atol=1e-6)


def test_welds_to_the_world_and_one_after_another():
    """A pile of three: each weld carries all that is above it, at rest."""
    pile = ts.Model(
        bodies=tuple(
            ts.Body(n, m) for n, m in (("a", 1.0), ("b", 2.0), ("c", 4.0), ("swing", 8.0))
        ),
        joints=(
            ts.Joint("w1", "world", "a", ts.Weld()),
            ts.Joint("w2", "a", "b", ts.Weld(), at=(0, 0, 1)),
            ts.Joint("w3", "b", "c", ts.Weld(), at=(0.5, 0, 0)),
            ts.Joint("pin", "c", "swing", ts.Prismatic("x")),
        ),
    )
    run = ts.simulate(pile, 0.1)
    for name, mass in (("w1", 15.0), ("w2", 14.0), ("w3", 12.0), ("pin", 8.0)):
        assert run[f"{name}.reaction.force.z"][-1] == pytest.approx(9.81 * mass)
    assert run["w2.reaction.moment.y"][-1] == pytest.approx(-9.81 * 12.0 * 0.5)
    cut = ts.solve.isolate(pile, ["b", "c"], [0.0], [0.0], [0.0])
    assert cut.joints == ("w2", "pin")
    np.testing.assert_allclose(cut.dynamic.force.astype(float), (0, 0, 9.81 * 6))

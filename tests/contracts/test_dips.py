"""What is touched for an instant within a step is not missed, however shallow.

A body thrown up turns a little behind where something begins: a stop, a gap that closes, a tooth,
a wall, an event that is only watched.  The instant is known in closed form.
"""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts

SPEED, G = 5.0, 9.81
APEX = SPEED**2 / 2 / G
BEGINS = {  # by where it begins: a law along z
    "rigid stop": lambda z: ts.Limits(-9.0, z, restitution=0.5),
    "compliant stop": lambda z: ts.Limits(-9.0, z, stiffness=1e4),
    "gap of a crush law": lambda z: ts.Crush(((0, 0), (1, 1e4)), 1e5, gap=z),
    "knot of a table": lambda z: ts.Table(((-9, 0), (z, 0), (z + 1, 1e4))),
}
FIXED = {"rk4": {"step": 0.05}}


def thrown(law):
    rail = ts.Joint("z", "world", "b", ts.Prismatic("z"))
    force = ts.JointForce("f", "z", law)
    return ts.Model(
        bodies=(ts.Body("b", 1.0),), joints=(rail,), forces=(force,), gravity=(0, 0, -G)
    )


def touches(z):
    """When the free flight is at z first."""
    return (SPEED - np.sqrt(SPEED**2 - 2 * G * z)) / G


@pytest.mark.parametrize("method", ["dopri5", "dop853", "rodas5p", "rk4"])
@pytest.mark.parametrize("what", BEGINS)
def test_shallow_touches_are_events(what, method):
    for depth in (1e-3, 1e-5, 1e-7):
        z = APEX * (1 - depth)
        options = FIXED.get(method, {"rtol": 1e-10})
        run = ts.simulate(
            thrown(BEGINS[what](z)), 0.9, {"z.speed": SPEED}, method=method, **options
        )
        assert run.events, f"{what} was touched {APEX * depth:.1e} m deep and not seen by {method}"
        assert run.events[0].time == pytest.approx(touches(z), abs=1e-6)


@pytest.mark.parametrize("depth", [1e-3, 1e-5])
def test_a_shallow_bounce_goes_on_as_it_must(depth):
    z = APEX * (1 - depth)
    run = ts.simulate(thrown(BEGINS["rigid stop"](z)), 0.9, {"z.speed": SPEED}, rtol=1e-11)
    left = 0.9 - touches(z)
    back = -0.5 * np.sqrt(2 * G * (APEX - z))
    assert run["z.displacement"][-1] == pytest.approx(z + back * left - G * left**2 / 2, abs=1e-8)


def test_members_of_a_batch_see_them_too():
    z = APEX * (1 - 1e-5)
    speeds = [SPEED * (1 - 1e-4), SPEED, SPEED * (1 + 1e-4)]
    start = {"z.speed": np.array(speeds)}
    many = ts.batch(thrown(BEGINS["rigid stop"](z)), 0.9, start, keep=("z.speed",))
    assert [len(e) for e in many.events] == [0, 1, 1]


def test_a_contact_that_is_grazed():
    """A block thrown under a ceiling that it reaches with a hundredth of its speed."""
    z = APEX * (1 - 1e-4)
    ceiling = ts.Contact("ceiling", "b", ("world", (0, 0, z)), (0, 0, -1), restitution=0.5)
    model = replace(thrown(ts.Viscous(0)), constraints=(ceiling,))
    run = ts.simulate(model, 0.9, {"z.speed": SPEED}, method="dop853")
    assert run.events[0].time == pytest.approx(touches(z), abs=1e-6)


def test_one_that_is_nearly_touched_is_none():
    for depth in (1e-3, 1e-6, 1e-9):
        law = BEGINS["rigid stop"](APEX * (1 + depth))
        for method in ("dopri5", "dop853"):
            run = ts.simulate(thrown(law), 0.9, {"z.speed": SPEED}, method=method, rtol=1e-11)
            assert not run.events

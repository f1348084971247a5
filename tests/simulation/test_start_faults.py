"""A start behind what only turns back comers is refused by name; one on it, to rounding, behaves.

Rigid stops wherever they are written, edges of planes, contacts, pairs: far behind, just behind,
exactly there, 1e-12 to either side; fixed and adaptive steps; lanes.  Limits that only watch are
told.  Theory: EV.9.
"""

import itertools

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW, Seen
from torseur.scalars import Floats

K = Floats({"L": 0.3})
STOP = ts.Limits(-0.4, 0.5, restitution=0.5)
BLOCK = ts.Body("b", 2.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
def test_every_law_starts_on_a_piece_whose_guards_are_right(law):
    """Where a guard is behind its zero at a start, its event has been missed for good."""
    none = (0.0,) * (len(law.inputs) + len(law.signals) + law.beside)
    for x, rate in itertools.product((-50, -0.25, -0.05, 0.0, 0.03, 0.17, 0.25, 50), (-1, 0, 1)):
        s = Seen(float(x), float(rate), u=none)
        z, m = law.start(K, s)
        rows = tuple((r.rows[0],) * 3 for r in law.lists())
        for g in law.guards(K, s._replace(z=z, m=m, rows=rows)):
            acts = g.waits == 1  # 0 only tells; 2 is refused by the run: below
            assert not acts or g.value > -1e-12, (x, rate, g)


def model(parts=(), joint=None, **more):
    slide = joint or ts.Joint("x", "world", "b", ts.Prismatic("x"))
    return ts.Model("m", gravity=(0, 0, 0), bodies=(BLOCK,), joints=(slide,), forces=parts, **more)


def pair():
    balls = BLOCK, ts.Body("c", 2.0)
    joints = (
        ts.Joint("x", "world", "b", ts.Prismatic("x")),
        ts.Joint("y", "world", "c", ts.Prismatic("x"), at=(0.75, 0, 0)),
    )
    hit = ts.ContactPair("stop", "b", "c", 0.1, 0.15, restitution=0.5)
    return ts.Model("m", gravity=(0, 0, 0), bodies=balls, joints=joints, constraints=(hit,))


WALL = ts.Contact("stop", "b", ground=("world", (0.5, 0, 0)), normal="-x", restitution=0.5)
ON_LIMIT = ts.Joint("x", "world", "b", ts.Prismatic("x"), limits=STOP)
RIGID = {  # each ends at 0.5 m and gives back half of the speed, or a quarter where two balls meet
    "force": model((ts.JointForce("stop", "x", STOP),)),
    "coordinates": model((ts.CoordinateForce("stop", {"x.displacement": 1}, STOP),)),
    "beside a damper": model((ts.JointForce("stop", "x", ts.Parallel(ts.Viscous(0.1), STOP)),)),
    "limits of a joint": model(joint=ON_LIMIT),
    "contact": model(constraints=(WALL,)),
    "pair": pair(),
}
BACK = {"beside a damper": -0.5 * np.exp(-0.1 * 0.1 / 2), "pair": 0.25}
METHODS = [{}, {"method": "rk4", "step": 0.011}, {"method": "rodas5p"}]


@pytest.mark.parametrize("way", RIGID)
def test_a_start_on_an_end_is_turned_back_and_one_behind_it_is_refused(way):
    said = {0.2: r"'(stop|x\.limits)' starts 0\.2 m ", 1e-6: "'.* starts 1e-06 m "}
    for options in METHODS:
        for e in (0.0, 1e-12, -1e-12):
            start = {"x.displacement": 0.5 + e, "x.speed": 1.0}
            run = ts.simulate(RIGID[way], 0.1, start, **options)
            assert run.completed and len(run.events) == 1, run.outcome
            assert run["x.speed"][-1] == pytest.approx(BACK.get(way, -0.5), rel=1e-8)
        for behind, text in said.items():
            with pytest.raises(ts.TorseurError, match=text):
                ts.simulate(
                    RIGID[way], 0.1, {"x.displacement": 0.5 + behind, "x.speed": -1.0}, **options
                )
    places = np.array([0.7, 0.5 + 1e-12, 0.5, 0.5 - 1e-12, 0.5 + 1e-6])
    many = ts.batch(RIGID[way], 0.1, {"x.displacement": places, "x.speed": 1.0})
    assert many.completed.tolist() == [False, True, True, True, False]
    np.testing.assert_allclose(many["x.speed"][1:4, -1], BACK.get(way, -0.5), rtol=1e-8)
    assert all("stop" in many.outcomes[i] or "x.limits" in many.outcomes[i] for i in (0, 4))


def test_the_end_of_a_run_that_stood_on_a_stop_is_a_start():
    first = ts.simulate(RIGID["force"], 2.0, {"x.speed": 1.0}, stop_when="stop: high stop")
    again = ts.simulate(RIGID["force"], 0.3, first.final)
    assert again["x.displacement"][-1] == pytest.approx(0.35, rel=1e-9) and not again.events


def test_an_end_that_starts_beside_its_plane_is_refused():
    wall = ts.PlaneForce(
        "bumper", ("b", (0.1, 0, 0)), "world", ts.Spring(100.0), "-x", edges=(-0.2, 0.2)
    )
    beside = model((wall,), ts.Joint("p", "world", "b", ts.Planar("z")))
    with pytest.raises(ts.TorseurError, match=r"'bumper' starts 0\.1 m beyond its 'slid off'"):
        ts.simulate(beside, 0.1, {"p.y": 0.3})
    assert ts.simulate(beside, 0.1, {"p.y": 0.1}).completed


def test_limits_that_only_watch_are_told_in_lanes_too():
    watched = ts.Joint("x", "world", "b", ts.Prismatic("x"), limits=(-0.1, "L"))
    many = ts.batch(
        model(joint=watched, parameters={"L": 0.1}), 0.2, {"x.speed": np.array([1.0, 0.2])}
    )
    assert "x.displacement left its limits -0.1 .. 0.1 m" in many.outcomes[0]
    assert "limits" not in many.outcomes[1] and many.completed.all()

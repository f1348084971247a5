"""A run that leaves the end of a table says so, whatever the law and wherever it sits."""

from dataclasses import replace

import pytest

import torseur as ts
from torseur.forces import EVERY_LAW

IN_TIME = [law for law in EVERY_LAW for *_, of in law.edges() if of == "t"]
OVER_X = [law for law in EVERY_LAW for *_, of in law.edges() if of == "x"]


def model(law):
    body, joint = ts.Body("b", 1.0), ts.Joint("x", "world", "b", ts.Prismatic("x"))
    inputs = tuple(ts.Input(n) for n in law.inputs)
    forces = (ts.JointForce("f", "x", law),)
    parts = {"bodies": (body,), "joints": (joint,), "forces": forces, "inputs": inputs}
    return ts.Model("m", gravity=(0, 0, 0), **parts)


def run(law, t_end, **start):
    return ts.simulate(model(law), t_end, start)


@pytest.mark.parametrize("law", IN_TIME, ids=lambda law: repr(law)[:40])
def test_functions_of_time(law):
    assert "leaves the end of its table" in run(law, 20.0).outcome
    assert run(law, 20.0).completed


def test_points_in_time():
    law = ts.TimeTable(((0, 0), (1, 2.0)))
    assert "f leaves the end of its table at t = 1 s" in run(law, 1.5).outcome
    assert "leaves" not in run(law, 1.0).outcome and "leaves" not in run(law, 0.9).outcome


WRAPS = [
    lambda law: law,
    lambda law: ts.Parallel(ts.Viscous(0.1), law),
    lambda law: ts.Series(ts.Spring(50.0), law),
    lambda law: ts.Series(ts.Spring(90.0), ts.Spring(90.0), law),
]


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("speed, word", [(3.0, "end"), (-3.0, "start"), (0.05, "")])
def test_points_over_a_deflection(wrap, speed, word):
    law = wrap(ts.Table(((-0.1, -1.0), (0.0, 0.0), (0.1, 1.0))))
    told = run(law, 0.1, **{"x.speed": speed}).outcome
    assert (f"f leaves the {word} of its table" in told) if word else ("leaves" not in told)


def test_lanes_say_so_too():
    law = ts.Series(ts.Spring(50.0), ts.Table(((-0.1, -1.0), (0.0, 0.0), (0.1, 1.0))))
    many = ts.batch(model(law), 0.1, {"x.speed": [3.0, 0.05, -3.0]})
    assert many.completed.all() and "leaves" not in many.outcomes[1]
    assert "f leaves the end" in many.outcomes[0] and "f leaves the start" in many.outcomes[2]


@pytest.mark.parametrize("kind", ["position", "speed", "acceleration"])
def test_drives_say_so_too(kind):
    drive = ts.Driven("d", "x.displacement", **{kind: ((0.0, 0.0), (0.05, 0.1), (0.1, 0.3))})
    driven = replace(model(ts.Viscous(1.0)), constraints=(drive,))
    assert "d.points leaves the end of its table at t = 0.1 s" in ts.simulate(driven, 0.2).outcome
    assert "leaves" not in ts.simulate(driven, 0.1).outcome


def test_every_law_on_points_is_here():
    names = {type(law).__name__ for law in (*IN_TIME, *OVER_X)}
    assert {"Table", "TimeTable", "TimeCurve", "Follow"} <= names


def test_inputs_by_points_are_straight_and_tell_their_end():
    """A quintic spline went through them: a push of 1 N for 0.5 s had peaks of 14 and -51 N."""
    times, push = [0, 0.5, 0.51, 1.0, 1.0, 1.5], [0, 0, 1, 1, -1, -1.0]
    pushed, inputs = model(ts.Effort(input="u")), {"u": (times, push)}
    within, beyond = (ts.simulate(pushed, t_end, inputs=inputs) for t_end in (1.5, 2.0))
    assert within["x.speed"][-1] == pytest.approx(0.495 - 0.5, rel=1e-9)
    assert beyond["x.speed"][-1] == pytest.approx(0.495 - 1.0, rel=1e-9)  # the end is held
    assert "f leaves the end of its table at t = 1.5 s" in beyond.outcome
    assert "leaves" not in within.outcome

"""A run that leaves the end of a table says so, whatever the law and wherever it sits."""

import pytest

import torseur as ts
from torseur.forces import EVERY_LAW

IN_TIME = [law for law in EVERY_LAW for *_, of in law.edges() if of == "t"]
OVER_X = [law for law in EVERY_LAW for *_, of in law.edges() if of == "x"]


def run(law, t_end, **start):
    body, joint = ts.Body("b", 1.0), ts.Joint("x", "world", "b", ts.Prismatic("x"))
    inputs = tuple(ts.Input(n) for n in law.inputs)
    forces = (ts.JointForce("f", "x", law),)
    parts = {"bodies": (body,), "joints": (joint,), "forces": forces, "inputs": inputs}
    return ts.simulate(ts.Model("m", gravity=(0, 0, 0), **parts), t_end, start)


@pytest.mark.parametrize("law", IN_TIME, ids=lambda law: repr(law)[:40])
def test_functions_of_time(law):
    assert "leaves the end of its table" in run(law, 20.0).outcome
    assert run(law, 20.0).completed


def test_points_in_time():
    law = ts.TimeTable(((0, 0), (1, 2.0)))
    assert "f leaves the end of its table at t = 1 s" in run(law, 1.5).outcome
    assert "leaves" not in run(law, 1.0).outcome and "leaves" not in run(law, 0.9).outcome


@pytest.mark.parametrize("wrap", [lambda law: law, lambda law: ts.Parallel(ts.Viscous(0.1), law)])
@pytest.mark.parametrize("speed, word", [(3.0, "end"), (-3.0, "start"), (0.05, "")])
def test_points_over_a_deflection(wrap, speed, word):
    law = wrap(ts.Table(((-0.1, -1.0), (0.0, 0.0), (0.1, 1.0))))
    told = run(law, 0.1, **{"x.speed": speed}).outcome
    assert (f"f leaves the {word} of its table" in told) if word else ("leaves" not in told)


def test_every_law_on_points_is_here():
    names = {type(law).__name__ for law in (*IN_TIME, *OVER_X)}
    assert {"Table", "TimeTable", "TimeCurve", "Follow"} <= names

"""Efforts along a motion count laws with states of their own, as a run along that motion would."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW

STATEFUL = [
    law
    for law in EVERY_LAW
    if law.states and not (law.inputs or law.signals or law.memory or law.history)
]


def model(law):
    body, joint = ts.Body("b", 1.0), ts.Joint("x", "world", "b", ts.Prismatic("x"))
    forces = (ts.JointForce("f", "x", law),)
    return ts.Model("m", gravity=(0, 0, 0), bodies=(body,), joints=(joint,), forces=forces)


@pytest.mark.parametrize("law", STATEFUL, ids=lambda law: repr(law)[:40])
def test_states_follow_as_in_a_driven_run(law):
    motion, times = "0.05*sin(3*t)", np.linspace(0, 2, 201)
    along = ts.inverse(model(law), {"x.displacement": motion}, times=times)
    driven = replace(model(law), constraints=(ts.Driven("d", "x.displacement", motion),))
    run = ts.simulate(driven, 2.0, {"x.speed": 0.15}, output=201, rtol=1e-9)
    np.testing.assert_allclose(
        along["x.effort"], run["d.multiplier"], atol=2e-3 * abs(run["d.multiplier"]).max()
    )
    assert "follow the motion" in along.outcome and abs(along["x.effort.f"]).max() > 1e-3


def test_a_bristle_that_slides_evenly_gives_the_level_of_sliding():
    run = ts.inverse(model(ts.LuGre(3.0)), {"x.displacement": "t"}, times=np.linspace(0, 1, 51))
    np.testing.assert_allclose(run["x.effort"][1:], 3.0, rtol=1e-6)

"""Options of a run: one object, or each by its name, over the model's own."""

from dataclasses import fields

import pytest

import torseur as ts
from torseur.simulation.options import NamedOptions


def pendulum(**more) -> ts.Model:
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    joint = ts.Joint("pivot", "world", "rod", ts.Revolute("y"))
    return ts.Model(bodies=(rod,), joints=(joint,), **more)


def test_the_object_and_the_names_are_one_list():
    own = [f.name for f in fields(ts.Options)]
    assert own == ["method", "rtol", "atol", *NamedOptions.__annotations__]
    for name in own:
        assert f"    {name}" in ts.Options.__doc__ or f", {name} :" in ts.Options.__doc__


def test_names_go_over_the_object_and_the_object_over_the_model():
    model = pendulum(simulation={"rtol": 1e-3, "output": 5, "t_end": 0.2})
    assert len(ts.simulate(model).time) == 5
    coarse = ts.Options(rtol=1e-5)
    run = ts.simulate(model, options=coarse)
    assert run.provenance["rtol"] == 1e-5 and len(run.time) == 5
    run = ts.simulate(model, options=coarse, rtol=1e-6, output=3)
    assert run.provenance["rtol"] == 1e-6 and len(run.time) == 3
    assert ts.simulate(model, rtol=1e-8).provenance["rtol"] == 1e-8  # said, though it is usual


def test_what_is_no_option_is_told():
    with pytest.raises(ts.ArgumentError, match="did you mean 'output'"):
        ts.simulate(pendulum(), 0.1, outptu=3)
    with pytest.raises(ts.ArgumentError, match="rtol = -1; use a number greater than zero"):
        ts.simulate(pendulum(), 0.1, options=ts.Options(rtol=-1))

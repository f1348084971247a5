"""A model carries its start: `initial` and `simulation` are used unless told otherwise."""

import numpy as np
import pytest

import torseur as ts


def car(**more):
    return ts.Model(
        "car",
        gravity=(0, 0, 0),
        bodies=(ts.Body("car", mass=1000.0), ts.Body("load", mass=100.0)),
        joints=(
            ts.Joint("x", "world", "car", ts.Prismatic("x")),
            ts.Joint("y", "car", "load", ts.Prismatic("x")),
        ),
        forces=(ts.JointForce("spring", "y", ts.Spring(1e4)),),
        **more,
    )


def test_the_model_s_start_is_used_and_each_part_of_it_may_be_told_otherwise():
    carried = car(initial={"x.speed": "36 km/h", "y.displacement": 0.1}, simulation={"t_end": 0.2})
    want = ts.simulate(car(), 0.2, {"x.speed": 10.0, "y.displacement": 0.1})
    for got in (ts.simulate(carried), ts.simulate(carried.check())):
        np.testing.assert_array_equal(got["x.displacement"], want["x.displacement"])
    assert ts.simulate(carried, 0.15).time[-1] == 0.15
    other = ts.simulate(carried, initial={"x.speed": 5.0})
    assert other["x.speed"][0] == 5.0
    assert other["y.displacement"][0] == 0.1
    fixed = ts.simulate(car(simulation={"t_end": 0.2, "method": "rk4", "step": "1 ms"}))
    assert fixed.statistics["steps"] == 200


def test_it_is_written_and_read_back(tmp_path):
    carried = car(initial={"speed": "36 km/h"}, simulation={"t_end": "200 ms", "rtol": 1e-9})
    want = ts.simulate(carried)
    for name in ("car.yaml", "car.json"):
        carried.save(tmp_path / name)
        back = ts.load(tmp_path / name)
        assert (back.initial, back.simulation) == (carried.initial, carried.simulation)
        got = ts.simulate(back)
        np.testing.assert_array_equal(got["y.displacement"], want["y.displacement"])
        assert got["x.speed"][0] == got["y.speed"][0] == 10.0


def test_what_is_wrong_with_it_is_told(tmp_path):
    for model, sentence in (
        (car(), "no end time: give t_end="),
        (car(simulation={"t_and": 1}), r"simulation: no option is named 't_and'; did"),
        (car(simulation={"t_end": "2 kg"}), "simulation.t_end = '2 kg': expected a time"),
        (
            car(initial={"z.speed": 1}, simulation={"t_end": 1}),
            r"initial: no coordinate or speed is named 'z.speed'",
        ),
    ):
        with pytest.raises(ts.TorseurError, match=sentence):
            ts.simulate(model)
    with pytest.raises(ts.ModelError, match="initial: expected names with values, got 3"):
        car(initial=3)
    (tmp_path / "m.yaml").write_text("bodies: {car: {mass: 1}}\nsimulation: 3\n")
    with pytest.raises(ts.ModelError, match=r"m.yaml: simulation: expected options such as t_end"):
        ts.load(tmp_path / "m.yaml")


def test_a_start_over_the_model_s_own_says_which_names_are_its_own():
    """A two-bar closed by a distance: the file's start is whole, the call changes one of it."""
    links = ts.Body("a", 1.0, com=(0.2, 0, 0)), ts.Body("b", 1.0, com=(0.2, 0, 0))
    joints = (
        ts.Joint("p", "world", "a", ts.Revolute("z")),
        ts.Joint("r", "a", "b", ts.Revolute("z"), at=(0.4, 0, 0)),
    )
    rod = ts.Distance("rod", ("b", (0.4, 0, 0)), "world", 0.4)
    model = ts.Model(
        "m",
        bodies=links,
        joints=joints,
        constraints=(rod,),
        initial={"p.angle": 0.3, "r.angle": 2 * np.pi / 3},
    )
    assert ts.simulate(model, 0.01, {"p.angle": 0.5})["p.angle"][0] == 0.5
    with pytest.raises(ts.AssemblyError, match=r"p.angle come from .* own initial; keep=\('r.ang"):
        ts.simulate(model, 0.01, {"r.angle": 1.0})

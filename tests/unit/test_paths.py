"""Numbers of a model by path: every one of every registered element can be read and replaced."""

import numpy as np
import pytest

import torseur as ts
from torseur.errors import ArgumentError
from torseur.forces import EVERY_LAW
from torseur.model import field_paths


def block(law):
    return ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 3.0, com=(0, 0, 0.1)),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law),),
    )


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda x: type(x).__name__)
def test_every_number_of_every_law_is_reached_and_replaced(law):
    model = block(law)
    found = list(field_paths.numbers(model))
    assert {"b.mass", "b.com[2]"} <= set(found)
    for path in found:
        old = field_paths.read(model, path)
        new = field_paths.replaced(model, path, old + 1)
        assert field_paths.read(new, path) == old + 1
        assert repr(field_paths.replaced(new, path, old)) == repr(model), path


def test_a_parameter_in_place_of_a_number_moves_alike():
    model = block(ts.Crush(((0, 0), (0.1, 2e3), (0.3, 5e3)), 1e5))
    named, names = field_paths.parametrize_paths(model, ["f.points[1].force", "b.mass", "f.scale"])
    initial = {"x.speed": 4.0}
    by_name = ts.simulate(
        named,
        0.1,
        initial,
        parameters={names["f.points[1].force"]: 1e3, names["b.mass"]: 2.0, names["f.scale"]: 1.5},
    )
    other = field_paths.replaced(
        field_paths.replaced(model, "f.points[1].force", 1e3), "b.mass", 2.0
    )
    other = field_paths.replaced(other, "f.scale", 1.5)
    by_hand = ts.simulate(other, 0.1, initial)
    assert np.isclose(by_name["x.displacement"][-1], by_hand["x.displacement"][-1], rtol=1e-12)
    assert by_hand["f.force"].max() != ts.simulate(model, 0.1, initial)["f.force"].max()


@pytest.mark.parametrize(
    "path, told",
    [
        ("q.mass", "no number is named"),
        ("b.mas", "did you mean 'mass'"),
        ("f.points[9].force", "past them"),
        ("f.points[1].moment", "moment"),
        ("f.points", "name one number"),
        ("b.scale", "no law"),
        ("b.mass[", "no path"),
    ],
)
def test_wrong_paths_are_told(path, told):
    with pytest.raises(ArgumentError, match=told):
        field_paths.read(block(ts.Crush(((0, 0), (0.1, 2e3)), 1e5)), path)


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda x: type(x).__name__)
def test_a_scaled_law_pushes_in_proportion_or_is_told(law):
    model = block(law)
    try:
        twice = field_paths.replaced(model, "f.scale", 2.0)
    except ArgumentError as e:
        assert "no law whose forces" in str(e)
        return
    back = field_paths.replaced(twice, "f.scale", 0.5)
    assert repr(back) == repr(field_paths.replaced(model, "f.scale", 1.0))


def test_a_number_has_one_parameter_and_a_factor_acts_on_those_in_its_law():
    """A second parameter in the place of a first left that without effect: a derivative of zero."""
    model = block(ts.Spring(400.0))
    with pytest.raises(
        ArgumentError, match=r"'f\.stiffness' and 'f\.law\.stiffness' are one number"
    ):
        field_paths.parametrize_paths(model, ["f.stiffness", "f.law.stiffness"])
    with pytest.raises(ArgumentError, match="are one number; name it once"):
        ts.simulate(model, 0.1, sensitivities=("f.stiffness", "f.law.stiffness"))
    run = ts.simulate(model, 0.1, {"x.displacement": 0.2}, sensitivities=("f.scale", "f.stiffness"))
    by = [run.sensitivity("x.displacement", n)[-1] for n in ("f.scale", "f.stiffness")]
    assert by[0] == pytest.approx(400.0 * by[1], rel=1e-9) and by[1] != 0


def test_units_of_columns_that_depend_on_the_coordinate():
    """A time is a time whatever is driven; what may turn or slide has no unit yet."""
    way = ts.Driven("way", "x.displacement", position=((0, 0), (1, 0.2)))
    model = ts.Model(constraints=(way,))
    found = {p: field_paths.unit(model, p) for p in field_paths.numbers(model)}
    assert found["way.position[1].time"] == "s" and found["way.position[1].deflection"] == ""

"""Bounds and priors of a fit have the unit of what they are given to: over every number of every
registered element, and every other kind of free number."""

import numpy as np
import pytest
from test_varied import KINDS, own_paths

import torseur as ts
from torseur.identify import knots, number
from torseur.identify.output_error.parameters import find_unit_problems, read_free_parameters
from torseur.model import field_paths
from torseur.scalars import units

ANY = {"weights", "ratio", "offset", "knots", "pieces", "motion"}
"""Of coordinates that may be angles or lengths; a polynomial's numbers have a unit each."""
POLYNOMIAL = {"stiffness[", "damping["}


def of_any_unit(path: str) -> bool:
    own = path.removeprefix("own.")
    return own.partition("[")[0] in ANY or own.startswith(tuple(POLYNOMIAL))


@pytest.mark.parametrize("kind", KINDS)
def test_no_number_of_an_element_takes_a_bound_of_another_unit(kind):
    told = 0
    for model in KINDS[kind]:
        for path in own_paths(model):
            wrong = [*find_unit_problems(model, path, ("3 K",))]
            assert wrong or of_any_unit(path), path
            told += len(wrong)
    assert told > 5


def swing():
    """A block on a slider behind metal, with an arm on a hinge."""
    return ts.Model(
        bodies=(ts.Body("b", 2.0), ts.Body("arm", 1.0, inertia=(1, 1, 1))),
        joints=(
            ts.Joint("x", "world", "b", ts.Prismatic("x")),
            ts.Joint("p", "b", "arm", ts.Revolute("z")),
        ),
        forces=(
            ts.JointForce("f", "x", ts.Crush(((0, 0), (0.1, 2e3), (0.2, 3e3)), 1e5, gap=0.01)),
            ts.JointForce("s", "p", ts.Spring("k")),
            ts.JointForce("d", "p", ts.Viscous(0.3)),
        ),
        parameters={"k": 3.0},
        initial={"x.speed": 1.0},
    )


FREE = {  # path: bounds with units, the same in SI, and a bound of another unit
    "f.gap": (("5 mm", "8 cm"), (0.005, 0.08), "1 kg"),
    "f.points": (("0 N", "20 kN"), (0, 2e4), "3 mm"),
    "f.points[1].deflection": (("5 cm", "15 cm"), (0.05, 0.15), "3 N"),
    "f.unloading": (("10 N/mm", "1 kN/mm"), (1e4, 1e6), "1 kN"),
    "f.scale": (("50 %", "200 %"), (0.5, 2.0), "3 N"),
    "b.mass": (("1 kg", "3 t"), (1, 3000), "1 m"),
    "arm.com[0]": (("-5 mm", "5 mm"), (-0.005, 0.005), "1 kg"),
    "arm.inertia[0]": (("5000 kg cm^2", "2 kg m^2"), (0.5, 2), "1 kg"),
    "gravity[2]": (("-2 g0", "0 m/s^2"), (-19.6133, 0), "1 N"),
    "k": (("1 N m/rad", "4 N m/rad"), (1, 4), "1 N/m"),
    "d.damping": (("0 N m s/rad", "2 N m s/rad"), (0, 2), "1 N s/m"),
    "x.speed": (("1.8 km/h", "36 km/h"), (0.5, 10), "1 m"),
    "p.angle": (("-180 deg", "180 deg"), (-np.pi, np.pi), "1 m"),
    "p.rate": (("-1 rpm", "1 rpm"), (-np.pi / 30, np.pi / 30), "1 m/s"),
}


@pytest.mark.parametrize("path", FREE)
def test_every_kind_of_free_number(path):
    bounds, si, wrong = FREE[path]
    kind = knots if path == "f.points" else number
    found = read_free_parameters(swing(), {path: kind(bounds)})
    assert (found.low[0], found.high[0]) == pytest.approx(si)
    for bad in ((wrong, bounds[1]), (bounds[0], wrong)):
        units_differ = pytest.raises(ts.ArgumentError, match=rf"'.*': {wrong}: ")
        low, high = (units.floating(x, None) for x in bad)
        if low < high:
            with units_differ:
                read_free_parameters(swing(), {path: kind(bad)})
    with pytest.raises(ts.ArgumentError, match=rf"{wrong}: "):
        given = knots((wrong, np.inf)) if path == "f.points" else number(prior=(wrong, 1.0))
        read_free_parameters(swing(), {path: given})


def test_everything_that_is_wrong_is_told_at_once():
    free = {"f.gap": ("0 mm", "1 kg"), "b.mas": (1, 3), "d.damping": (3, 1), "f.points": (0, 1e4)}
    with pytest.raises(ts.ArgumentError) as e:
        read_free_parameters(swing(), free)
    for words in (
        "'f.gap': 1 kg: expected a length [m], and [kg] is not one",
        "'mas'; did you mean 'mass'?",
        "'d.damping': number: bounds = (3, 1): the lower is not below the higher",
        "ts.identify.knots(",
    ):
        assert words in str(e.value)


def test_a_parameter_is_found_where_it_stands_alone():
    assert [*field_paths.numbers(swing(), "k")] == ["s.stiffness"]
    assert [*field_paths.numbers(swing(), "no")] == []

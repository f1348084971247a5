"""Python accepts what files accept: every number of every element may say its unit, and a wrong one
is refused.  Over every registered law, line of action, joint, constraint, drive and shape."""

from collections.abc import Mapping
from dataclasses import is_dataclass, replace

import pytest
import zoo

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import Drive, DriveStage, law, line
from torseur.joints import joint
from torseur.model.formats.deserialize import nested_units, split_unit_options
from torseur.model.formats.schema import specs
from torseur.model.shapes import EVERY_SHAPE
from torseur.scalars import digest, exact, units

OF_ANY_UNIT = {  # coordinates may be angles or lengths, so their ratios and values may be anything
    "weights", "ratios", "offset", "ratio", "knots", "pieces", "motion", "stiffness of Polynomial",
    "damping of Polynomial",
}  # fmt: skip
PARTS = (
    Drive(10, 1e-3, 1e3, 0.1, 0.2),
    DriveStage("motor", 1e-3, 10, 1e3, 0.1, 0.2),
    *(c(*s) for c, s in zip(EVERY_SHAPE, (((1, 2, 3),), (1,), (1, 2), (1, 2), ((1, 2, 3),)))),  # noqa: B905
)
ELEMENTS = [*law.examples(), *line.examples(), *joint.examples(), *constraint.examples(), *PARTS]


def wanted(x, spec, side):
    """Units of a field's numbers, one option each for turning and sliding."""
    if spec.unit is None:
        return nested_units(spec, side)
    listed = spec.table is not None and isinstance(x, list | tuple)
    found = split_unit_options((spec.table if listed else spec.unit) or "", side)
    return tuple(None if None in o else ", ".join(o) for o in found)


def said(x, unit, write):
    """Numbers as texts with their unit."""
    if isinstance(x, list | tuple):
        inner = [isinstance(e, list | tuple) for e in x]
        return tuple(
            said(e, units.column(unit, i, b), write)
            for i, (e, b) in enumerate(zip(x, inner, strict=True))
        )
    plain = isinstance(x, int | float) and not isinstance(x, bool)
    return write(x, unit) if plain else x


def rewritten(x, side, write):
    """An element whose numbers `write` wrote, field by field: (name, element)."""
    own = specs(type(x))
    for spec in own.values():
        given = getattr(x, spec.attribute)
        if spec.annotation in ("int", "bool", "str", "int | None") or isinstance(given, Mapping):
            continue
        unit = wanted(given, spec, side)[0]
        made = said(given, unit, write)
        if made == given or (is_dataclass(given) and not isinstance(given, list | tuple)):
            continue
        fields = {s.parameter: getattr(x, s.attribute) for s in own.values()}
        yield spec, unit, fields | {spec.parameter: made}


def label(x):
    return type(x).__name__


def home(x, built):
    """What a model holds of an element: a law on a slide, a part on its joint or body."""
    if isinstance(x, Drive | DriveStage):
        drive = built if isinstance(x, Drive) else Drive(stages=(built,))
        held = ts.Joint("turn", "world", "b", ts.Revolute("x"), drive=drive).drive
        return held if isinstance(x, Drive) else held.stages[0]
    if isinstance(x, tuple(EVERY_SHAPE)):
        return ts.Body("b", shapes=(built,)).shapes[0]
    if isinstance(x, tuple(joint.values())):
        return ts.Joint("j", "world", "b", built).kind
    if isinstance(x, tuple(law.values())):
        model = ts.Model(
            joints=(ts.Joint("j", "world", "b", ts.Prismatic("x")),),
            forces=(ts.JointForce("f", "j", built),),
        )
        return model.forces[0].law
    kind = "constraints" if isinstance(x, tuple(constraint.values())) else "forces"
    return getattr(replace(zoo.mechanism(), **{kind: (built,)}), kind)[0]


SIDES = {"Drive": 0, "DriveStage": 0, "Tabulated": 1} | dict.fromkeys(law, 1)


@pytest.mark.parametrize("x", ELEMENTS, ids=label)
def test_numbers_may_say_their_units(x):
    side = SIDES.get(label(x))
    right = rewritten(x, side, lambda e, unit: f"{exact(e)} {unit}" if unit else e)
    for spec, _, fields in right:
        held = home(x, type(x)(**fields))
        assert digest(held) == digest(x), (spec.name, fields[spec.parameter])


@pytest.mark.parametrize("x", ELEMENTS, ids=label)
def test_a_unit_of_another_kind_is_refused(x):
    side = SIDES.get(label(x))
    for spec, unit, fields in rewritten(x, side, lambda e, unit: f"{exact(e)} A^2/K"):
        if unit is None:
            assert OF_ANY_UNIT & {spec.name, f"{spec.name} of {label(x)}"}, spec.name
            continue
        with pytest.raises(ts.TorseurError, match=r"expected .* is not one"):
            home(x, type(x)(**fields))


CONSTRAINTS = {
    "driven": lambda at, unit: ts.Driven("c", at, position=((0, f"0 {unit}"), (1, f"5 {unit}"))),
    "friction": lambda at, unit: ts.DryFriction("c", at, force="5 N m" if unit == "rad" else "5 N"),
    "mimic": lambda at, unit: ts.Mimic("c", at, "wrist.angle1", 2, f"1 {unit}"),
    "gear": lambda at, unit: ts.Gear("c", at, "wrist.angle1", 2, f"1 {unit}"),
}


@pytest.mark.parametrize("made", CONSTRAINTS.values(), ids=CONSTRAINTS)
def test_numbers_of_a_coordinate_have_its_unit(made):
    model = zoo.mechanism()
    places = {"turn.angle": "rad", "slide.displacement": "m"}
    assert set(places) <= set(model.check().coordinates)
    for at, own in places.items():
        for unit in ("rad", "m"):
            if unit == own:
                replace(model, constraints=(made(at, unit),)).check()
                continue
            with pytest.raises(ts.ModelError, match=r"constraint 'c', \w+ = .* is not one"):
                replace(model, constraints=(made(at, unit),))


def test_calls_accept_texts_with_units_as_files_do():
    """Numbers of a run: parameters, starts, times; one, or one a run."""
    rod = ts.Body("rod", 1.0, (0, 0, "-L"), (0.1, 0.1, 0.1, 0, 0, 0))
    pin = ts.Joint("pin", "world", "rod", ts.Revolute("y"))
    model = ts.Model("m", bodies=(rod,), joints=(pin,), parameters={"L": 1.0})
    calls = [
        (ts.simulate, ("100 ms", {"pin.angle": "30 deg"}), {"parameters": {"L": "300 mm"}}),
        (ts.simulate, (0.1, {"pin.angle": 0.5235987755982988}), {"parameters": {"L": 0.3}}),
    ]
    one, two = (call(model, *given, output=11, **more) for call, given, more in calls)
    assert (
        one["pin.angle"][-1] == two["pin.angle"][-1] and one["pin.angle"][0] == 0.5235987755982988
    )
    assert list(ts.simulate(model, 0.1, output=["0 ms", "50 ms"]).time) == [0.0, 0.05]
    many = ts.batch(model, "100 ms", {"pin.angle": ["30 deg", 0.1]}, parameters={"L": "300 mm"})
    assert many["pin.angle"][:, 0].tolist() == [0.5235987755982988, 0.1]
    assert many["pin.angle"][0, -1] == pytest.approx(one["pin.angle"][-1], rel=1e-9)
    assert "30" not in many._repr_html_() and "pin.angle" in many._repr_html_()
    found = ts.modes(model, parameters={"L": "300 mm"})
    assert str(found) == str(ts.modes(model, parameters={"L": 0.3}))
    with pytest.raises(ts.ArgumentError, match=r"batch: pin\.angle = '3 kg'"):
        ts.batch(model, 0.1, {"pin.angle": "3 kg"})
    with pytest.raises(ts.ArgumentError, match=r"simulate: period = '1 N'"):
        ts.simulate(model, 0.1, period="1 N", control=lambda t, q, v: [])

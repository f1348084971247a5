"""Time where a number is constant in the equations: refused with the place, never ignored.

Placements (`at`, `rpy`) move with it: `test_rheonomic`.
"""

from dataclasses import replace

import numpy as np
import pytest
from zoo import mechanism

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.model import field_paths

MOVES = "0.1*sin(20*t)"
BOB = {"name": "bob", "mass": 1.5, "com": (0, 0, -0.8)}
PIVOT = {"name": "pivot", "parent": "world", "child": "bob", "kind": ts.Revolute("y")}
TURNED = np.diag([1, 1, 1, 1]).astype(object)
TURNED[2, 3] = MOVES

PLACES = {
    "gravity": {"gravity": (0, 0, MOVES)},
    "body 'bob', mass": {"bodies": (ts.Body(**BOB | {"mass": MOVES}),)},
    "body 'bob', com": {"bodies": (ts.Body(**BOB | {"com": (0, MOVES, 0)}),)},
    "body 'bob', inertia": {"bodies": (ts.Body(**BOB, inertia=(MOVES, 1, 1, 0, 0, 0)),)},
    "joint 'pivot', pose": {"joints": (ts.Joint(**PIVOT, pose=TURNED),)},
    "joint 'pivot', child, at": {"joints": (ts.Joint(**PIVOT, child_at=(0, 0, MOVES)),)},
    "joint 'pivot', armature": {"joints": (ts.Joint(**PIVOT, armature=MOVES),)},
    "joint 'pivot', damping": {"joints": (ts.Joint(**PIVOT, damping=MOVES),)},
    "joint 'pivot'": {"joints": (ts.Joint(**PIVOT | {"kind": ts.Helical("z", MOVES)}),)},
    "rotor 'r'": {"rotors": (ts.Rotor("r", MOVES),)},
    "constraint 'd', length": {"constraints": (ts.Distance("d", "bob", "world", MOVES),)},
}


@pytest.mark.parametrize("given", [{}, {"a": 1.0}], ids=["no parameters", "others"])
@pytest.mark.parametrize("place", PLACES)
def test_time_in_a_constant_is_told_with_its_place(place, given):
    model = {"bodies": (ts.Body(**BOB),), "joints": (ts.Joint(**PIVOT),)} | PLACES[place]
    with pytest.raises(ts.ModelError, match="depends on time") as told:
        ts.Model("m", parameters=given, **model).check()
    assert place in str(told.value)


def test_a_parameter_of_that_name_is_the_users_own():
    joint = ts.Joint(**PIVOT, at=(0, 0, "t"))
    model = ts.Model("m", bodies=(ts.Body(**BOB),), joints=(joint,), parameters={"t": 0.3})
    assert ts.compile(model).pose("bob", [0.0])[2, 3] == 0.3


def every_number():
    """Every field of every registered law, line and constraint, once: a path and its model."""
    examples = [
        *({"forces": (ts.JointForce("f", "slide", x),)} for x in law.examples()),
        *({"forces": (x,)} for x in line.examples()),
        *({"constraints": (x,)} for x in constraint.examples()),
    ]
    seen = set(field_paths.numbers(mechanism()))
    for given in examples:
        model = mechanism(**given)
        element = (*model.forces, *model.constraints)[0]
        kinds = type(element), type(getattr(element, "law", None))
        for path in field_paths.numbers(model):
            if not {path, (kinds, path)} & seen:
                seen.add((kinds, path))
                yield path, model


def test_time_in_any_number_of_an_element_is_refused_or_counted():
    """Any number is told, in the check."""
    taken = set()
    for path, model in every_number():
        timed = field_paths.replaced(model, path, f"{field_paths.read(model, path)} + t/10")
        try:
            timed.check()
        except ts.ModelError:
            continue
        element = (*timed.forces, *timed.constraints)[0]
        taken.add((type(element).__name__, path.split(".", 1)[1]))
    assert not taken


def test_a_name_that_means_nothing_is_told_wherever_it_stands():
    """In any number of any law, line and constraint, by `check()`: no run is needed for that."""
    silent = set()
    for i, (path, model) in enumerate(every_number()):
        named = field_paths.replaced(model, path, f"{field_paths.read(model, path)} + nowhere")
        declared = {"parameters": {**named.parameters, "k": 1.0}}
        try:
            replace(named, **declared if i % 2 else {"simulation": {"t_end": 1}}).check()
        except ts.ModelError:
            continue
        silent.add((path, type((*model.forces, *model.constraints)[0])))
    assert not silent


def test_the_start_that_a_model_carries_is_read_by_its_check():
    rod = {"bodies": (ts.Body(**BOB),), "joints": (ts.Joint(**PIVOT),)}
    wrong = ts.Model(
        "m",
        **rod,
        initial={"pivot.agle": 0.1, "pivot.rate": "3 m"},
        simulation={"t_end": -1.0, "keep": ["pivot.foo"], "metod": "rk4"},
    )
    with pytest.raises(ts.ModelError) as told:
        wrong.check()
    for text in ("pivot.agle", "initial.pivot.rate", "t_end = -1 s", "pivot.foo", "metod"):
        assert sum(text in x for x in told.value.problems) == 1, text


def test_all_problems_of_forces_at_once():
    """Numbers, inputs and signals of several forces, though they are found one after another."""
    forces = (
        ts.JointForce("a", "pivot", ts.Spring("kk")),
        ts.JointForce("b", "pivot", ts.Effort(input="pushh")),
        ts.JointForce("c", "pivot", ts.Expression("y", {"y": "pivot.agle"})),
    )
    model = ts.Model(
        "m",
        bodies=(ts.Body(**BOB),),
        joints=(ts.Joint(**PIVOT),),
        forces=forces,
        parameters={"k": 1.0},
    )
    with pytest.raises(ts.ModelError) as told:
        model.check()
    for text in ("kk", "pushh", "pivot.agle"):
        assert sum(text in x for x in told.value.problems) == 1, text

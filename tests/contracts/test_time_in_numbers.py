"""Time where a number is constant in the equations: refused with the place, never ignored.

Placements (`at`, `rpy`) move with it: `test_rheonomic`.
"""

import numpy as np
import pytest
from zoo import mechanism

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.model import paths

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
    """Every number of every registered law, line and constraint, with time in it."""
    examples = [
        *({"forces": (ts.JointForce("f", "slide", x),)} for x in law.examples()),
        *({"forces": (x,)} for x in line.examples()),
        *({"constraints": (x,)} for x in constraint.examples()),
    ]
    plain = set(paths.numbers(mechanism()))
    for given in examples:
        model = mechanism(**given)
        for path in paths.numbers(model):
            if path not in plain:
                yield path, model


def test_time_in_any_number_of_an_element_is_refused_or_counted():
    """Any number is told, in the check; `near` only picks a branch at the start."""
    taken = set()
    for path, model in every_number():
        timed = paths.replaced(model, path, f"{paths.read(model, path)} + t/10")
        try:
            timed.check()
        except ts.ModelError:
            continue
        element = (*timed.forces, *timed.constraints)[0]
        taken.add((type(element).__name__, path.split(".", 1)[1]))
    assert taken <= {("RollingSurface", f"near[{i}]") for i in range(3)}

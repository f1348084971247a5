"""Elements own their numbers: an array or a list that is filled anew afterwards changes nothing.

A loop that fills one array for the center of mass of each body gave every body the last one.
"""

import dataclasses

import numpy as np
import pytest

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.joints import joint
from torseur.model import shapes

FRAME = {"at": (1.0, 2.0, 3.0), "rpy": (0.1, 0.2, 0.3)}
CHILD = {"child_at": (1.0, 2.0, 3.0), "child_rpy": (0.1, 0.2, 0.3)}
MATRIX = ((1.0, 0.0, 0.0, 5.0), (0.0, 1.0, 0.0, 6.0), (0.0, 0.0, 1.0, 7.0), (0.0, 0.0, 0.0, 1.0))
INERTIA = ((1.0, 0.1, 0.0), (0.1, 2.0, 0.0), (0.0, 0.0, 2.5))
ball, twist = ts.Spherical("zxz"), ts.Revolute("z")
PARTS = [
    ts.Body("b", 1.0, (1.0, 2.0, 3.0), INERTIA),
    ts.Body("b", 1.0, inertia=(1.0, 2.0, 2.5, 0.1, 0.0, 0.0), first_moment=(1.0, 0.0, 0.0)),
    ts.Joint("j", "w", "b", ball, **FRAME, **CHILD, armature=(0.1, 0.2, 0.3), damping=(1, 2, 3.0)),
    ts.Joint("j", "world", "b", twist, pose=MATRIX, child_pose=MATRIX, limits=(-1.0, 1.0)),
    ts.Loop("l", "a", "b", twist, **FRAME, **CHILD),
    ts.Frame("f", "b", **FRAME),
    ts.Frame("f", "b", pose=MATRIX),
    ts.Model(gravity=(1.0, 2.0, 3.0)),
]  # fmt: skip
KINDS = [
    x for kinds in (joint, law, line, constraint) for k in kinds.values() for x in k.examples()
]
DRAWN = [shapes.Box((1.0, 2.0, 3.0), **FRAME), shapes.Ellipsoid((1.0, 2.0, 3.0))]


def rows(x):
    """Numbers alone, in rows or not."""
    return (
        isinstance(x, tuple) and bool(x) and all(rows(e) or isinstance(e, int | float) for e in x)
    )


def loose(x, made=list):
    """The same with numbers in lists or arrays, also those of ("body", (x, y, z))."""
    if rows(x):
        return made(x) if made is not list else [loose(e) for e in x]
    return tuple(loose(e, made) for e in x) if isinstance(x, tuple) else x


def array(x):
    """An array, or lists where rows differ in length."""
    return np.array(x, dtype=float) if len({np.shape(e) for e in x}) == 1 else loose(x)


def spoil(x):
    if isinstance(x, np.ndarray):
        x.fill(-77)
    elif isinstance(x, list):
        x[:] = [spoil(e) or -77 for e in x]
    elif isinstance(x, tuple):
        list(map(spoil, x))


@pytest.mark.parametrize("part", [*PARTS, *KINDS, *DRAWN], ids=lambda x: type(x).__name__)
def test_what_was_given_may_be_filled_anew(part):
    for field in dataclasses.fields(part):
        own = getattr(part, field.name)
        if not field.init or loose(own) == own:
            continue
        for kind in (list, array):
            given = loose(own, kind)
            made = dataclasses.replace(part, **{field.name: given})
            before = repr(made)
            spoil(given)
            assert repr(made) == before, field.name

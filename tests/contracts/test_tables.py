"""Every element that takes a table has kernels of as many operations with 60 points as with 14."""

from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.joints import joint
from torseur.kernels import interpreted, motion_kernels
from torseur.quantities.register import find

KERNELS = ("flow", "guards", "jump", "flow_jacobian", "project")


def rows(n, slope=1.0, low=0.0, high=1.0):
    x = np.linspace(low, high, n)
    return tuple(zip(x.tolist(), (slope * x + 0.1 * np.sin(9 * x)).tolist(), strict=True))


def in_pieces(n, order=8):
    t = np.linspace(0.0, 1.0, n)
    return tuple((a, b, a, 1.0, *(0.0,) * (order - 4)) for a, b in pairwise(t))


def along(n):
    s = np.linspace(0.0, 1.0, n)
    return tuple(zip(s.tolist(), np.sin(3 * s).tolist(), (s * s).tolist(), strict=True))


def pushed(made):
    return {"forces": (ts.JointForce("f", "x", made),)}


def driven(**given):
    return {"constraints": (ts.Driven("drive", "x.displacement", **given),)}


SHORT = ((0.0, 0.0), (1.0, 1e3))
EVERY = {
    ("Crush", "points"): lambda n: pushed(ts.Crush(rows(n, 1e3), 1e6)),
    ("Crush", "tension"): lambda n: pushed(ts.Crush(SHORT, 1e6, tension=rows(n, 1e3))),
    ("Crush", "unloading"): lambda n: pushed(ts.Crush(SHORT, rows(n, 1e6, 0.1))),
    ("Crush", "unloading_curve"): lambda n: pushed(
        ts.Crush(SHORT, beyond=6e2, unloading_curve=((0, 0), *rows(n, 1e7, 0.01)))
    ),
    ("Table", "points"): lambda n: pushed(ts.Table(rows(n, 1e3, -1.0))),
    ("TimeTable", "points"): lambda n: pushed(ts.TimeTable(rows(n))),
    ("TimeCurve", "pieces"): lambda n: pushed(ts.TimeCurve(in_pieces(n))),
    ("Follow", "pieces"): lambda n: pushed(ts.Follow(1.0, 0.5, in_pieces(n))),
    ("Driven", "motion"): lambda n: driven(motion=in_pieces(n, 6)),
    ("Driven", "position"): lambda n: driven(position=rows(n)),
    ("Driven", "speed"): lambda n: driven(speed=rows(n)),
    ("Driven", "acceleration"): lambda n: driven(acceleration=rows(n)),
    ("PointOnCurve", "points"): lambda n: {
        "constraints": (ts.PointOnCurve("wire", "b", "world", points=along(n)),)
    },
    ("Tabulated", "position"): lambda n: {"more": (np.linspace(0, 1, n), along(n), along(n))},
}
EVERY["Tabulated", "angles_of"] = EVERY["Tabulated", "position"]


def system(n, which):
    given = EVERY[which](n)
    bodies = [ts.Body("b", 1.0, inertia=(1, 1, 1, 0, 0, 0))]
    joints = [ts.Joint("x", "world", "b", ts.Prismatic("x"))]
    if table := given.pop("more", None):
        bodies.append(ts.Body("wheel", 1.0, (0, 0.1, 0), (1, 1, 1, 0, 0, 0)))
        joints.append(ts.Joint("w", "b", "wheel", ts.Tabulated(*table)))
    if which[0] == "PointOnCurve":
        bodies = [ts.Body("row", 1.0), ts.Body("column", 1.0), *bodies]
        joints = [ts.Joint("y", "world", "row", ts.Prismatic("y")),
                  ts.Joint("z", "row", "column", ts.Prismatic("z")),
                  ts.Joint("x", "column", "b", ts.Prismatic("x"))]  # fmt: skip
    return ts.Model("m", bodies=bodies, joints=joints, **given).check()


def tabled(x) -> bool:
    """Whether a field holds rows of numbers."""
    return isinstance(x, tuple) and len(x) > 1 and all(
        isinstance(r, tuple) and len(r) > 1 and all(isinstance(e, int | float) for e in r)
        for r in x
    )  # fmt: skip


def test_no_table_is_left_out():
    found = {
        (cls.__name__, f.name)
        for register in (law, line, constraint, joint)
        for cls in register.values()
        for example in cls.examples()
        for f in fields(example)
        if tabled(getattr(example, f.name))
    }
    assert found <= {*EVERY}


@pytest.mark.parametrize("which", EVERY, ids=" ".join)
def test_operations_do_not_grow_with_points(which):
    counts = []
    for n in (14, 60):
        made = system(n, which)
        kernels = motion_kernels(made)
        own = [k for k in KERNELS if k != "project" or made.held]
        counts.append([kernels[k].operations for k in own])
        if made.held:  # as a check of the run reads them
            for name in ("openness", "constraint_positions"):
                counts[-1].append(len(interpreted(made)._function(find(name))))
    assert counts[0] == counts[1]

"""Denavit-Hartenberg tables, in two conventions that must always be named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import values
from ..joints import Prismatic, Revolute
from ..scalar import matrix
from ..spatial import Planar, Pose
from .description import Joint, Model

CONVENTIONS = ("modified", "classic")


@dataclass(frozen=True, slots=True)
class DH:
    """One row of a table.

    Modified (Khalil-Kleinfinger): `Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r)`, with
    alpha and d of the link before.  Classic: `Rot(z, theta) Trans(z, r) Trans(x, d) Rot(x, alpha)`.
    Angles in rad, lengths in m; the joint variable adds to `theta` ("R") or to `r` ("P").
    `parent` is the index of the row before in the chain (-1: the base), for trees.
    """

    alpha: Any = 0
    d: Any = 0
    theta: Any = 0
    r: Any = 0
    joint: str = "R"
    parent: int | None = None


def from_dh(rows, bodies, *, convention: str, name: str = "robot", gravity=(0, 0, -9.81),
            joint_names=None, **model) -> Model:
    """Model of a robot from its DH table and its bodies, one a row.

    Parameters
    ----------
    rows : `DH` rows or tuples (alpha, d, theta, r[, "R" or "P"[, parent]])
    bodies : `Body` of each row, written in the row's frame
    convention : "modified" or "classic"; there is no default
    **model : other fields of `Model`: frames, forces, parameters, ...

    >>> from torseur.model import Body
    >>> bodies = [Body("a", 1), Body("b", 1, (0.2, 0, 0))]
    >>> arm = from_dh([(0, 0, 0, 0.5), ("pi/2", 0, 0, 0)], bodies, convention="modified")
    >>> [j.name for j in arm.joints]
    ['joint1', 'joint2']
    """
    if convention not in CONVENTIONS:
        raise ValueError(f"convention={convention!r}: expected 'modified' (Khalil) or 'classic'")
    rows = [row if isinstance(row, DH) else DH(*row) for row in rows]
    if len(rows) != len(bodies):
        raise ValueError(f"the table has {len(rows)} rows for {len(bodies)} bodies; give one each")
    names = joint_names or [f"joint{i + 1}" for i in range(len(rows))]
    joints = []
    for i, (row, body) in enumerate(zip(rows, bodies, strict=True)):
        if row.joint not in ("R", "P"):
            raise ValueError(f"row {i + 1}: joint {row.joint!r}: expected 'R' or 'P'")
        before = i - 1 if row.parent is None else row.parent
        if not -1 <= before < i:
            raise ValueError(f"row {i + 1}: parent {before} must be -1 (base) or an earlier row")
        alpha, d, theta, r = map(values.exact, (row.alpha, row.d, row.theta, row.r))
        X = Pose(Planar(0, values.cos(alpha), values.sin(alpha)).matrix, matrix(((d, 0, 0),))[0])
        Z = Pose(Planar(2, values.cos(theta), values.sin(theta)).matrix, matrix(((0, 0, r),))[0])
        kind = Revolute("z") if row.joint == "R" else Prismatic("z")
        if convention == "modified":
            ends = {"pose": (X @ Z).matrix()}
        else:
            X = Pose(X.turns, X.p)                  # Trans(x, d) Rot(x, alpha): they commute
            ends = {"pose": Z.matrix() if row.joint == "P" else None,
                    "child_pose": ((X if row.joint == "P" else Z @ X).inverse()).matrix()}
        joints.append(Joint(names[i], "world" if before < 0 else bodies[before].name, body.name,
                            kind, **ends))
    return Model(name=name, gravity=gravity, bodies=tuple(bodies), joints=tuple(joints), **model)

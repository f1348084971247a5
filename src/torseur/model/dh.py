"""Denavit-Hartenberg tables in the modified and the classic convention.

Modified (Khalil and Kleinfinger 1986): `Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r)`.
Frame i lies on joint i.  alpha and d describe the transform from the previous frame.

Classic (Denavit and Hartenberg 1955): `Rot(z, theta) Trans(z, r) Trans(x, d) Rot(x, alpha)`.
Frame i lies on joint i + 1.  alpha and d describe the transform from joint i.

The two tables of one robot hold the same numbers.  alpha and d are shifted by one row.  Every table
names its convention.  Theory: DH.1 to DH.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelWarning, said, shown, unknown_name_message
from ..scalars import Number, Value, arguments, units, vector
from ..scalars.values import value
from ..spatial import IDENTITY, Inertia, PlanarRotation, Pose
from .description import Body

CONVENTIONS = ("modified", "classic")
UNITS = {"alpha": "rad", "d": "m", "theta": "rad", "r": "m"}


@dataclass(frozen=True, slots=True)
class DH:
    """One row of a table.

    Angles in rad, lengths in m, or texts with units ("90 deg", "4 mm"); the joint variable adds to
    `theta` ("R") or to `r` ("P").
    `parent` is the index of the row before in the chain (-1: the base), for trees; by default the
    row above.  `more` are fields of the row's joint: name, limits, max_effort, max_speed, damping,
    armature, drive; its dry `friction` [N m or N], an element `<joint>_friction`; and the `payload`
    of its body, a mass [kg] or {"mass": m, "at": point in the row's frame [m]}, a body
    `<body>_payload`.  Rows given as dictionaries hold them beside the others.
    """

    alpha: Any = 0
    d: Any = 0
    theta: Any = 0
    r: Any = 0
    joint: str = "R"
    parent: int | None = None
    more: Mapping[Any, Any] = field(default_factory=dict, repr=False, compare=False)


JOINT_FIELDS = ("name", "limits", "max_effort", "max_speed", "damping", "armature", "drive")
"""Fields of a row that are its joint's."""
ELEMENT_FIELDS = ("friction", "payload")
"""Fields of a row that are elements of their own."""


@dataclass(frozen=True, slots=True)
class DHSource:
    """The row of a table from which `from_dh` built a joint.

    Writers use it to write the row again.
    """

    row: DH
    convention: str
    base: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class DHTable:
    """A table with its convention; `base` [4 x 4] leads from the world to the first row.

    >>> table = DHTable([(0, 0, 0, 0.5), ("pi/2", 0, 0, 0), (0, 0.4, 0, 0)], "modified")
    >>> print(table)
    modified Denavit-Hartenberg: Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r)
    row  after  joint   alpha    d  theta        r  frame's origin     its x        its z
      1   base      R       0    0     q1      0.5  (0, 0, 0.5)        (1, 0, 0)    (0, 0, 1)
      2      1      R  90 deg    0     q2        0  (0, 0, 0.5)        (1, 0, 0)    (0, -1, 0)
      3      2      R       0  0.4     q3        0  (0.4, 0, 0.5)      (1, 0, 0)    (0, -1, 0)
    """

    rows: tuple[Any, ...]
    convention: str
    base: Any = None

    def __post_init__(self):
        if not (isinstance(self.convention, str) and self.convention in CONVENTIONS):
            raise ArgumentError(
                f"convention={shown(self.convention)}: expected 'modified' (Khalil) or 'classic'"
            )
        raw_rows = arguments.listed("DH table", "rows", self.rows, "[{'alpha': 'pi/2', 'd': 0.4}]")
        rows, problems = [], []
        for i, row in enumerate(raw_rows):
            try:
                rows.append(_row_in_si(i, _parse_row(i, row)))
                _check_row(i, rows[-1])
            except ArgumentError as e:
                problems.append(str(e))
        if self.base is not None:
            try:
                _pose_from_matrix(self.base)
            except (TypeError, ValueError) as e:
                problems.append(f"base: {said(e)}")
        if problems:
            raise ArgumentError("\n".join(problems))
        object.__setattr__(self, "rows", tuple(rows))

    def parent(self, i: int) -> int:
        """Index of the row before row `i`; -1 is the base."""
        p = self.rows[i].parent
        return i - 1 if p is None else p

    def _base(self) -> Pose:
        return IDENTITY if self.base is None else _pose_from_matrix(self.base)

    def step(self, i: int, q: float | Number | Value = 0) -> Pose:
        """Pose of frame i in the frame before, with the joint at `q`."""
        row = self.rows[i]
        theta: Any = value.exact(row.theta)
        r: Any = value.exact(row.r)
        theta, r = (theta + q, r) if row.joint == "R" else (theta, r + q)
        X, Z = x_screw_pose(row), elementary_pose(2, theta, (0, 0, r))
        if self.convention == "modified":
            return X @ Z  # DH.1
        return Z @ X  # DH.2

    def frames(self, q: Sequence[float] | None = None) -> list[Pose]:
        """Poses of all rows' frames in the world, with the joints at `q` (default: zero)."""
        out: list[Pose] = []
        for i in range(len(self.rows)):
            before = self.parent(i)
            outer = self._base() if before < 0 else out[before]
            out.append(outer @ self.step(i, 0 if q is None else value.exact(q[i])))
        return out

    def to(self, convention: str) -> DHTable:
        """The same robot in the other convention.

        Serial chains always have one; in a tree, rows that branch from one frame must share alpha
        and d to have a classic table.  The alpha and d before the first joint of a modified table
        become the `base` of the classic one; those after the last joints of a classic table are
        tool frames, see `tools`.

        >>> DHTable([(0, 0, 0, 0.5), ("pi/2", 0.1, 0, 0)], "modified").to("classic").rows[0]
        DH(alpha='pi/2', d=0.1, theta=0, r=0.5, joint='R', parent=None)
        """
        if convention not in CONVENTIONS:
            raise ArgumentError(f"convention={convention!r}: expected 'modified' or 'classic'")
        if convention == self.convention:
            return self
        n = len(self.rows)
        if convention == "modified":
            above = [DH() if (p := self.parent(i)) < 0 else self.rows[p] for i in range(n)]
            rows = tuple(
                replace(row, alpha=up.alpha, d=up.d)  # DH.3
                for row, up in zip(self.rows, above, strict=True)
            )
            return DHTable(rows, convention, self.base)
        link_offsets: dict[int, tuple[Any, ...]] = {}
        for i, row in enumerate(self.rows):
            p, link_offset = self.parent(i), (row.alpha, row.d)
            first_offset = link_offsets.setdefault(p, link_offset)
            if tuple(map(value.exact, first_offset)) != tuple(map(value.exact, link_offset)):
                where = "the base" if p < 0 else f"row {p + 1}"
                raise ArgumentError(
                    f"row {i + 1}: no classic table: the rows after {where} leave "
                    f"it with different alpha and d, {first_offset} and {link_offset}; keep it"
                )
        rows = tuple(
            replace(row, alpha=link_offsets.get(i, (0, 0))[0], d=link_offsets.get(i, (0, 0))[1])
            for i, row in enumerate(self.rows)
        )
        start = x_screw_pose(DH(*link_offsets.get(-1, (0, 0))))
        is_identity = start.p[0] == 0 and (start.R == IDENTITY.R).all()
        base = self.base if is_identity else (self._base() @ start).matrix()
        return DHTable(rows, convention, base)

    def tools(self) -> list[Pose]:
        """Pose, in the modified frame of a row's link, of its classic frame."""
        if self.convention == "classic":
            return [x_screw_pose(row) for row in self.rows]
        after = {self.parent(i): row for i, row in reversed(list(enumerate(self.rows)))}
        return [x_screw_pose(after[i]) if i in after else IDENTITY for i in range(len(self.rows))]

    def carry(self, bodies, to: str) -> list[Body]:
        """Transform bodies from the frames of this table to those of the other convention."""
        if to == self.convention:
            return list(bodies)
        tools = self.tools()
        return [
            _transform_body(b, X if to == "modified" else X.inverse())
            for b, X in zip(bodies, tools, strict=True)
        ]

    def __str__(self):
        order = ("Rot(x, alpha) Trans(x, d)", "Rot(z, theta) Trans(z, r)")
        order = order if self.convention == "modified" else (order[1], "Trans(x, d) Rot(x, alpha)")
        cells = [
            (
                "row",
                "after",
                "joint",
                "alpha",
                "d",
                "theta",
                "r",
                "frame's origin",
                "its x",
                "its z",
            )
        ]
        for i, (row, X) in enumerate(zip(self.rows, self.frames(), strict=True)):
            p, q = self.parent(i), f"q{i + 1}"
            theta, r = _angle_text(row.theta), _length_text(row.r)
            theta, r = (_sum_text(theta, q), r) if row.joint == "R" else (theta, _sum_text(r, q))
            cells.append(
                (
                    str(i + 1),
                    "base" if p < 0 else str(p + 1),
                    row.joint,
                    _angle_text(row.alpha),
                    _length_text(row.d),
                    theta,
                    r,
                    _point_text(X.p),
                    _point_text(X.R[:, 0]),
                    _point_text(X.R[:, 2]),
                )
            )
        widths = [max(len(row[k]) for row in cells) for k in range(10)]
        widths = [max(w, m) for w, m in zip(widths, (3, 5, 5, 6, 3, 5, 7, 17, 11, 0), strict=True)]
        lines = [
            "  ".join(
                c.ljust(w) if k > 6 else c.rjust(w)
                for k, (c, w) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        return "\n".join([f"{self.convention} Denavit-Hartenberg: {' '.join(order)}", *lines])


def _parse_row(i: int, row: Any) -> DH:
    """Convert a row to `DH`: from a `DH`, a sequence of numbers, or a dictionary of fields."""
    if isinstance(row, DH):
        return row
    row_fields = [f.name for f in fields(DH) if f.name != "more"]
    if isinstance(row, Mapping):
        names = [*row_fields, *JOINT_FIELDS, *ELEMENT_FIELDS]
        if bad := [
            unknown_name_message("column", n, names, f"row {i + 1}") for n in row if n not in names
        ]:
            raise ArgumentError("\n".join(bad))
        extra = {n: x for n, x in row.items() if n in (*JOINT_FIELDS, *ELEMENT_FIELDS)}
        return DH(**{n: x for n, x in row.items() if n in row_fields}, more=extra)
    cells: Any = list(row) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else []
    if not 1 <= len(cells) <= len(row_fields):
        raise ArgumentError(
            f"row {i + 1}: expected {', '.join(row_fields[:4])} and perhaps joint and "
            f"parent, got {shown(row)}"
        )
    return DH(*cells)


def _check_row(i: int, row: DH) -> None:
    """Raise `ArgumentError` for an invalid joint type, parent or number; warn about degrees."""
    if row.joint not in ("R", "P"):
        raise ArgumentError(f"row {i + 1}: joint {row.joint!r}: expected 'R' or 'P'")
    p = row.parent
    if p is not None and not (isinstance(p, int) and -1 <= p < i):
        raise ArgumentError(
            f"row {i + 1}: parent {p!r} must be -1 (base) or an earlier row, counted from 0"
        )
    for name in UNITS:
        try:
            x = value.exact(getattr(row, name))
        except (TypeError, ValueError) as e:
            raise ArgumentError(f"row {i + 1}: {name}: {said(e)}") from None
        if UNITS[name] == "rad" and (message := arguments.degrees(x)):
            warnings.warn(f"row {i + 1}, {name}: {message}", ModelWarning, stacklevel=5)


def _row_in_si(i: int, row: DH) -> DH:
    """The row with texts such as "90 deg" or "350 mm" converted to SI."""
    read = {}
    for name, unit in UNITS.items():
        try:
            read[name] = units.read(getattr(row, name), unit)
        except ValueError as e:
            text = shown(getattr(row, name))
            raise ArgumentError(f"row {i + 1}: {name} = {text}: {said(e)}") from None
    return row if all(x is getattr(row, n) for n, x in read.items()) else replace(row, **read)


def elementary_pose(axis: int, angle, p) -> Pose:
    return Pose(PlanarRotation(axis, value.cos(angle), value.sin(angle)).matrix, vector(p))


def x_screw_pose(row) -> Pose:
    """Pose Rot(x, alpha) Trans(x, d).  The two factors commute."""
    return elementary_pose(0, value.exact(row.alpha), (value.exact(row.d), 0, 0))


def _pose_from_matrix(T) -> Pose:
    T = value.exacts(T, (4, 4))
    if [x for x in T[3] if isinstance(x, value.Value)] or list(T[3]) != [0, 0, 0, 1]:
        raise ValueError("its last row is not 0, 0, 0, 1 (is it transposed?)")
    return Pose(T[:3, :3], vector(T[:3, 3]))


def _transform_body(body: Body, X: Pose) -> Body:
    """Express a body given in frame B in frame A, where `X` is the pose of B in A."""
    J = np.asarray(body.inertia, dtype=object)
    J = value.exacts(J if J.shape == (6,) else J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], (6,))
    mass = value.exact(body.mass)
    if body.first_moment is not None:
        inertia = Inertia(mass, value.exacts(body.first_moment, (3,)), J).moved(X)
        return replace(body, first_moment=tuple(inertia.h), inertia=tuple(inertia.J))
    com = value.exacts(body.com, (3,))
    if body.about == "com":
        return replace(body, com=tuple(X.point(com)), inertia=tuple(X.tensor(J)))
    inertia = Inertia(mass, vector(mass * c for c in com), J).moved(X)
    return replace(body, com=tuple(X.point(com)), inertia=tuple(inertia.J))


def _sum_text(constant: str, q: str) -> str:
    return q if constant == "0" else f"{q} + {constant}"


def _angle_text(x) -> str:
    x = value.exact(x)
    n = value.quarter(x)
    if n is not None:
        return f"{90 * n} deg" if n else "0"
    return repr(x) if isinstance(x, value.Value) else f"{np.degrees(float(x)):.6g} deg"


def _length_text(x) -> str:
    x = value.exact(x)
    return repr(x) if isinstance(x, value.Value) else f"{float(x):.6g}"


def _point_text(p) -> str:
    return f"({', '.join(_length_text(x) for x in p)})"


__all__ = [
    "CONVENTIONS",
    "DH",
    "ELEMENT_FIELDS",
    "JOINT_FIELDS",
    "DHSource",
    "DHTable",
    "elementary_pose",
    "x_screw_pose",
]

"""A point on a curve: three rows, and a coordinate without inertia that says where.

Theory: CO.11, CO.12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..joints import AbstractJoint, splined
from ..model import PointOnCurve
from ..numbers import Value, matrix, symbol, symbols, vector
from ..spatial import IDENTITY, Inertia
from .core import Link
from .rows import Bound, Relative


@dataclass(frozen=True, slots=True)
class Parameter(AbstractJoint):
    """Moves nothing: its coordinate is the parameter of a curve."""

    coordinates: ClassVar = (("parameter", "1"),)
    speeds: ClassVar = (("rate", "1/s"),)

    def pose(self, K, q):
        return IDENTITY

    def subspace(self, K, q):
        return matrix(((0,),) * 6)

    def closure(self, K, X_FM):
        raise TypeError("the parameter of a curve closes no loop")


@dataclass(frozen=True, slots=True, eq=False)
class CurveRows(Relative):
    """Components of M's origin in F against those of a curve of F at its parameter."""

    equations: tuple = ()  # three expressions of `parameter`, or
    knots: tuple = ()  # a table, joined by splines
    points: tuple = ()
    closed: bool = False
    parameter: str = "s"
    slot: int = 0  # of the parameter in q

    def at(self, K, s) -> np.ndarray:
        """The point of the curve, components in F."""
        if self.points:
            return splined(K, self.knots, self.points, s, self.closed)
        bound = Bound(K, {self.parameter: s})
        return vector(bound.number(e) for e in self.equations)

    def closure(self, K, X_FM):
        """Up to the curve, which no motion of M moves."""
        return X_FM.p

    def residual(self, tree, t, q):
        return self.pose(tree, q).p - self.at(tree.K, q[self.slot])  # CO.11

    def numbers(self):
        own = symbols(vector(e for e in self.equations if isinstance(e, Value)))
        table = (x for row in (self.knots, *self.points) for x in row)
        return (
            *Relative.numbers(self),
            self.slot,
            int(self.closed),
            *table,
            *(symbol(n) for n in own if n != self.parameter),
        )


def with_parameters(links, constraints) -> tuple[Link, ...]:
    """Links, and one more for the parameter of each curve."""
    links = list(links)
    for c in constraints:
        if isinstance(c, PointOnCurve):
            nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
            none = vector((0,))
            links.append(
                Link(
                    len(links) + 1,
                    c.name,
                    c.name,
                    0,
                    Parameter(),
                    IDENTITY,
                    Inertia(0, vector((0, 0, 0)), vector((0,) * 6)),
                    none,
                    none,
                    slice(nq, nq + 1),
                    slice(nv, nv + 1),
                    True,
                )
            )
    return tuple(links)


def lower(lowering, c: PointOnCurve, where: str) -> CurveRows:
    """The rows of a description; problems in the user's names."""
    F, M = lowering.place(c.on, where), lowering.place(c.point, where)
    if not (path := lowering.links_of(F, M)):
        lowering.problems.append(f"{where}: its point {c.point!r} cannot move against {c.on!r}")
    problem = _problem(c)
    if problem:
        lowering.problems.append(f"{where} {problem}")
    read = tuple(lowering.expression(e, where, extra=(c.parameter,))[0] for e in c.curve)
    if read and not any(isinstance(e, Value) and c.parameter in symbols(e) for e in read):
        lowering.problems.append(
            f"{where}: no expression of its curve has the parameter {c.parameter!r} in it"
        )
    points, knots = _table(c) if c.points and not problem else ((), ())
    k = next((k for k in lowering.links if k.name == c.name and k.auxiliary), None)
    return CurveRows(
        c.name,
        (*path, *([k.index] if k else ())),
        ("x", "y", "z"),
        ("m",) * 3,
        F=F,
        M=M,
        equations=read,
        points=points,
        knots=knots,
        closed=bool(c.closed),
        parameter=c.parameter,
        slot=k.q.start if k else 0,
    )


def _problem(c) -> str:
    """What is wrong with the numbers of a curve, if anything."""
    if bool(c.curve) == bool(c.points):
        return "needs a curve: give either curve= (three expressions) or points= (a table)"
    if c.curve:
        if c.closed:
            return "is closed: that is for a table of points; an expression closes by itself"
        return "" if len(c.curve) == 3 else f"has {len(c.curve)} expressions; give x, y and z"
    try:
        table, knots = np.asarray(c.points, dtype=float), np.asarray(c.knots, dtype=float)
    except (TypeError, ValueError):
        return "has a table with something that is not a number in it"
    if table.ndim != 2 or table.shape[1] != 3 or len(table) < 4:
        return f"has points of shape {table.shape}; give at least four, each with x, y and z"
    if not (np.isfinite(table).all() and np.isfinite(knots).all()):
        return "has a table with a number in it that is not finite"
    if knots.size and (len(knots) != len(table) or (np.diff(knots) <= 0).any()):
        return f"has {len(knots)} knots for {len(table)} points; give one a point, increasing"
    if not knots.size and (np.linalg.norm(np.diff(table, axis=0), axis=1) == 0).any():
        return "has two neighbouring points that are the same; take one out, or give knots"
    if c.closed and abs(table[-1] - table[0]).max() > 1e-12 * abs(table).max():
        return "is closed, but its last point is not the first; repeat the first at the end"
    return ""


def _table(c) -> tuple[tuple, tuple]:
    table = np.array(c.points, dtype=float)
    knots = np.asarray(c.knots, dtype=float)
    if c.closed:
        table[-1] = table[0]
    if not knots.size:
        steps = np.linalg.norm(np.diff(table, axis=0), axis=1)
        knots = np.concatenate([[0.0], np.cumsum(steps)])
    return tuple(map(tuple, table.tolist())), tuple(knots.tolist())

"""Constraint of a point on a curve, with the curve's parameter as a coordinate without inertia.

Equations CO.11, CO.12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..joints import AbstractJoint, splined
from ..register import derived, freeze_fields
from ..scalars import Bound, Value, matrix, symbol, symbols, vector
from ..spatial import IDENTITY
from .base import Constraint, Relative, constraint

if TYPE_CHECKING:
    from ..spatial import Pose


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class PointOnCurve(Constraint):
    """A point stays on a curve of `on`: three expressions of one parameter, or a table of points.

    The parameter becomes a coordinate, `<name>.parameter`, with the speed `<name>.rate`: a start
    may name it, a run shows it, `ts.Driven` or `ts.Gear` may lead the point along the curve by it.

    Parameters
    ----------
    point : the point, a body or frame or a pair ("body", (x, y, z))
    on : body or frame that carries the curve; components below are along its axes
    curve : expressions x, y, z [m] of `parameter` and of the model's parameters
    points : (n, 3) points [m] joined by cubic splines (twice smooth), in place of `curve`
    knots : increasing values of the parameter at these points; their chord lengths [m] from the
        first when left out.  Beyond the ends the end pieces go on.
    closed : the points go round: the last repeats the first, and the parameter goes on and on
    parameter : name of the parameter in the expressions

    Three multipliers: the force [N] of the curve on the point along x, y, z of `on`.

    >>> PointOnCurve("wire", "bead", curve=("cos(s)/2", "sin(s)/2", "s/10")).on
    'world'
    """

    name: str
    point: Any
    on: str = "world"
    curve: Any = ()
    points: Any = ()
    knots: Any = ()
    parameter: str = "s"
    closed: bool = False
    inside: ClassVar = {"point": "m", "points": "m"}

    def __post_init__(self):
        freeze_fields(self)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", "tip", "base", ("L*cos(s)", "sin(s)", "s**2/3")),
            cls(
                "c",
                ("hand", (0.2, 0, 0.1)),
                "other",
                points=((-2, 0, 1), (-1, 0.3, 0), (0, 0, 0.2), (1, 0.5, 0.1), (2, 0, 0)),
                knots=(-4, -1, 0, 2, 3),
            ),
            cls("c", "tip", points=((0, 0, 0), (1, 0.5, 0), (2, 0, 0.25), (0, 0, 0)), closed=True),
        )

    def own_coordinate(self):
        return CurveParameter()

    def drawn(self):
        mark = {"shape": "curve", "on": self.on, "coordinate": f"{self.name}.parameter"}
        if self.points:
            return (mark | {"points": self.points},)
        return (mark | {"curve": self.curve, "parameter": self.parameter},)

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.on, where), to.fixed_frame(self.point, where)
        if not (path := to.links_of(F, M)):
            to.problems.append(f"{where}: its point {self.point!r} cannot move against {self.on!r}")
        problem = _curve_problem(self)
        if problem:
            to.problems.append(f"{where} {problem}")
        s = self.parameter
        equations = tuple(to.expression(e, where, extra=(s,))[0] for e in self.curve)
        if equations and not any(isinstance(e, Value) and s in symbols(e) for e in equations):
            to.problems.append(f"{where}: no expression of its curve has the parameter {s!r} in it")
        points, knots = _spline_table(self) if self.points and not problem else ((), ())
        k = to.auxiliary_link(self)
        return [
            CurveRows(
                self.name,
                (*path, *([k.index] if k else ())),
                ("x", "y", "z"),
                ("m",) * 3,
                F=F,
                M=M,
                equations=equations,
                points=points,
                knots=knots,
                closed=bool(self.closed),
                parameter=s,
                slot=k.q.start if k else 0,
            )
        ]


@dataclass(frozen=True, slots=True)
class CurveParameter(AbstractJoint):
    """Joint without motion: its coordinate is the parameter of a curve."""

    coordinates: ClassVar = (("parameter", "1"),)
    speeds: ClassVar = (("rate", "1/s"),)

    def pose(self, K: Any, q: np.ndarray):
        return IDENTITY

    def subspace(self, K: Any, q: np.ndarray):
        return matrix(((0,),) * 6)

    def closure(self, K: Any, X_FM: Pose):
        raise TypeError("the parameter of a curve closes no loop")


@dataclass(frozen=True, slots=True, eq=False)
class CurveRows(Relative):
    """Rows of the origin of M minus the point of a curve of F at its parameter, CO.11."""

    equations: tuple = ()  # three expressions of `parameter`, or
    knots: tuple = ()  # a table, joined by splines
    points: tuple = ()
    closed: bool = False
    parameter: str = "s"
    slot: int = 0  # of the parameter in q

    def at(self, K: Any, s) -> np.ndarray:
        """(3,): point of the curve in F."""
        if self.points:
            return splined(K, self.knots, (self.points,), s, self.closed)
        bound = Bound(K, {self.parameter: s})
        return vector(bound.number(e) for e in self.equations)

    @derived
    def formulas(self):
        return self.equations

    def closure(self, K: Any, X_FM: Pose):
        """(3,): origin of M in F; the curve's point does not depend on the pose."""
        return X_FM.p

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self.pose(tree, q).p - self.at(tree.K, q[self.slot])  # CO.11

    def numbers(self):
        names = symbols(vector(e for e in self.equations if isinstance(e, Value)))
        table = (x for row in (self.knots, *self.points) for x in row)
        return (
            *Relative.numbers(self),
            self.slot,
            int(self.closed),
            *table,
            *(symbol(n) for n in names if n != self.parameter),
        )


def _curve_problem(c) -> str:
    """Problem of the numbers of a curve, or ""."""
    if bool(c.curve) == bool(c.points):
        return "needs a curve: give either curve= (three expressions) or points= (a table)"
    if c.curve:
        if c.knots:
            return "has knots: they are for a table of points"
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
        return "has two neighboring points that are the same; take one out, or give knots"
    if c.closed and abs(table[-1] - table[0]).max() > 1e-12 * abs(table).max():
        return "is closed, but its last point is not the first; repeat the first at the end"
    return ""


def _spline_table(c) -> tuple[tuple, tuple]:
    """Points and knots; knots are chord lengths [m] if they are not given."""
    table = np.array(c.points, dtype=float)
    knots = np.asarray(c.knots, dtype=float)
    if c.closed:
        table[-1] = table[0]
    if not knots.size:
        steps = np.linalg.norm(np.diff(table, axis=0), axis=1)
        knots = np.concatenate([[0.0], np.cumsum(steps)])
    return tuple(map(tuple, table.tolist())), tuple(knots.tolist())

"""A point on a curve given by a parameter, as a description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class PointOnCurve:
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

    def __post_init__(self):
        for field in ("curve", "knots"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        object.__setattr__(self, "points", tuple(tuple(p) for p in self.points))

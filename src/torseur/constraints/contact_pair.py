"""Two convex bodies that push on each other, never pull.  Theory: CO.20 to CO.22."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..joints import unit_axis
from ..scalars import vector
from ._contact_data import landing
from ._support_functions import Unknown, outline, tangents
from .base import Constraint, constraint
from .rolling_pair import Meeting, MeetingSlip, meeting, solids

LOOKS = 400  # turns of the search for the normal at a start,
CLOSE = 1e-12  # [m] at which nothing is left of it,
NEWTON, DIFFERENCE = 8, 1e-6  # and turns after it, with slopes by these differences


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class ContactPair(Constraint):
    """Convex surfaces of two bodies push on each other and never pull: they meet, slide, part.

    `a` and `b` are bodies or frames, `shape_a` [m] and `shape_b` [m] as the `shape` of
    `RollingSurface`: one number (a sphere), two (the outside of a torus about z), three (an
    ellipsoid), or a support function.  Two spheres need no more; otherwise the unit normal from a
    to b becomes a coordinate (`<name>.nx`, `.ny`, `.nz`, axes of a), which is found at the start.

    `restitution`, `friction`, `static_friction` and `rest_speed` [m/s] as those of `Contact`.
    Balls that touch already when one is struck are struck together, by one law for all: for blows
    that pass from one to the next leave a gap between them.

    Multipliers: the force [N] on b along the normal, and along two directions across it.

    >>> ContactPair("hit", "cue", "eight", 0.028, 0.028, restitution=0.95).restitution
    0.95
    """

    name: str
    a: str
    b: str
    shape_a: Any
    shape_b: Any
    restitution: Any = 0
    friction: Any = 0
    static_friction: Any = None
    rest_speed: Any = 1e-3
    inside: ClassVar = {"restitution": "", "friction": "", "static_friction": ""}

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (
            cls("c", "other", "hand", 0.1, "L", friction=0.2),
            cls("c", "base", "tip", (0.4, 0.3, "L"), 0.2, friction=0.2, static_friction=0.3),
            cls("c", "other", "tip", "0.3 + 0.02*x*y", (0.2, 0.1), restitution=0.5),
        )

    @property
    def _round(self) -> bool:
        both = (outline(self.shape_a), outline(self.shape_b))
        return all(s is not None and s.support is None and len(s.sizes) == 1 for s in both)

    def own_coordinate(self):
        return None if self._round else Unknown(("nx", "ny", "nz"), "1", tuple(unit_axis("z")))

    def drawn(self):
        return solids(self)

    def rows(self, to):
        k = None if self._round else to.auxiliary_link(self)
        links, common = meeting(self, to, k)
        law, rough = landing(self, to, to.where(self))
        found: list = [Approach(self.name, links, ("normal",), ("m",), contact=law, **common)]
        if k:
            across = ("across1", "across2", "unit")
            found.append(CommonNormal(self.name, links, across, ("m", "m", "1"), **common))
        if rough is not None:
            slips, units = ("slip1", "slip2"), ("m/s", "m/s")
            found.append(MeetingSlip(self.name, links, slips, units, True, rough, **common))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Approach(Meeting):
    """How far two surfaces are apart along their common normal; F is that of the first."""

    def closure(self, K, X_FM):
        n = self.direction(K, X_FM)
        near, far = self.inner.touch(K, n)[0], self.outer.touch(K, X_FM.unrotate(-n))[0]
        return vector((n @ X_FM.p - near - far,))  # CO.20


@dataclass(frozen=True, slots=True, eq=False)
class CommonNormal(Meeting):
    """The normal along which two surfaces face each other, whether they touch or not."""

    def closure(self, K, X_FM):
        own, other = self.points(K, X_FM)
        n, d = vector(self.at), X_FM.p + X_FM.rotate(other) - own
        return vector((*(e @ d for e in tangents(K, n)), n @ n - 1))  # CO.21

    def astray(self, by):
        return (
            f"contact {self.name!r}: at the start no point of one surface faces one of the other, "
            f"the nearest are {by} apart across their normal: a flat side (as the hollow of a "
            "torus) is turned to the other body; start where round parts face each other"
        )

    def first(self, tree, q):
        """The direction in which they are farthest apart, by Gilbert's steps."""
        K, X_FM = tree.K, self.pose(tree, q)

        def gap(n):
            near, far = self.inner.touch(K, n)[1], self.outer.touch(K, X_FM.unrotate(-n))[1]
            return np.asarray(X_FM.p + X_FM.rotate(far) - near, dtype=float)

        with np.errstate(all="ignore"):
            n = refined(K, gap, farthest(gap, np.asarray(X_FM.p, dtype=float)))
        return slice(*self.slots), n


def farthest(gap, y) -> np.ndarray:
    """The unit vector along which two bodies are farthest apart, from a point of their difference.

    >>> farthest(lambda n: np.array([0.0, 0.0, 3.0]) - 2 * n, np.array([1.0, 0.0, 3.0])).round(3)
    array([0., 0., 1.])
    """
    n = y / np.linalg.norm(y) if y.any() else np.array([0.0, 0.0, 1.0])
    for _ in range(LOOKS):
        step = gap(n) - y
        if not y @ step < 0:  # nothing, or no nearer point: CO.22
            break
        y = y + step * min(1.0, -(y @ step) / (step @ step))
        if not np.linalg.norm(y) > CLOSE:
            break
        n = y / np.linalg.norm(y)
    return n


def refined(K, gap, n) -> np.ndarray:
    """The unit vector along which `gap` points, by Newton's steps from one nearby (floats)."""
    for _ in range(NEWTON):
        sides = np.array([np.asarray(e, dtype=float) for e in tangents(K, n)])
        off = sides @ gap(n)
        if not np.isfinite(off).all():  # told where the state is assembled
            break
        slopes = [
            sides @ (gap(n + e * DIFFERENCE) - gap(n - e * DIFFERENCE)) / (2 * DIFFERENCE)
            - e @ sides.T * (n @ gap(n))
            for e in sides
        ]
        move = np.linalg.lstsq(np.array(slopes).T, -off, rcond=None)[0] @ sides
        n = n + move / max(1.0, 10 * np.linalg.norm(move))
        n = n / np.linalg.norm(n)
    return n

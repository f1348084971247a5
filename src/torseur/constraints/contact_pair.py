"""Unilateral contact of two convex bodies.

The common normal at the start is found by Gilbert's algorithm (the distance of convex bodies), then
by Newton's method.  Equations CO.20 to CO.22.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..joints import unit_axis
from ..scalars import vector
from ._contact_data import contact_laws
from ._support_functions import ContactUnknowns, tangents, unchecked_shape
from .base import Constraint, constraint
from .rolling_pair import PairContact, PairSlip, draw_solids, pair_fields

if TYPE_CHECKING:
    from ..spatial import Pose

MAX_GILBERT_STEPS = 400  # of the search for the normal at a start
DISTANCE_ATOL = 1e-12  # [m] at which it ends
NEWTON_STEPS = 8  # after it
NORMAL_STEP = 1e-6  # of the unit normal, for derivatives by central differences


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
        """One instance of every variant with its own formula."""
        return (
            cls("c", "other", "hand", 0.1, "L", friction=0.2),
            cls("c", "base", "tip", (0.4, 0.3, "L"), 0.2, friction=0.2, static_friction=0.3),
            cls("c", "other", "tip", "0.3 + 0.02*x*y", (0.2, 0.1), restitution=0.5),
        )

    @property
    def _are_spheres(self) -> bool:
        shapes = (unchecked_shape(self.shape_a), unchecked_shape(self.shape_b))
        return all(s is not None and s.support is None and len(s.sizes) == 1 for s in shapes)

    def own_coordinate(self):
        if self._are_spheres:
            return None
        return ContactUnknowns(("nx", "ny", "nz"), "1", tuple(unit_axis("z")))

    def drawn(self):
        return draw_solids(self)

    def rows(self, to: Any):
        """Constraint elements: gap, common normal (unless both are spheres), slip with friction."""
        k = None if self._are_spheres else to.auxiliary_link(self)
        links, common = pair_fields(self, to, k)
        law, friction = contact_laws(self, to, to.where(self))
        elements: list = [
            PairDistance(self.name, links, ("normal",), ("m",), contact=law, **common)
        ]
        if k:
            across = ("across1", "across2", "unit")
            elements.append(CommonNormal(self.name, links, across, ("m", "m", "1"), **common))
        if friction is not None:
            labels, units = ("slip1", "slip2"), ("m/s", "m/s")
            elements.append(PairSlip(self.name, links, labels, units, True, friction, **common))
        return elements


@dataclass(frozen=True, slots=True, eq=False)
class PairDistance(PairContact):
    """Distance of two surfaces along their common normal, CO.20; F is the frame of the first."""

    def closure(self, K: Any, X_FM: Pose):
        n = self.direction(K, X_FM)
        h_a, h_b = self.inner.touch(K, n)[0], self.outer.touch(K, X_FM.unrotate(-n))[0]
        return vector((n @ X_FM.p - h_a - h_b,))  # CO.20


@dataclass(frozen=True, slots=True, eq=False)
class CommonNormal(PairContact):
    """Rows of the common normal of two surfaces, whether they touch or not; CO.21."""

    def closure(self, K: Any, X_FM: Pose):
        p_a, p_b = self.points(K, X_FM)
        n, d = vector(self.at), X_FM.p + X_FM.rotate(p_b) - p_a
        return vector((*(e @ d for e in tangents(K, n)), n @ n - 1))  # CO.21

    def astray(self, by):
        return (
            f"contact {self.name!r}: at the start no point of one surface faces one of the other, "
            f"the nearest are {by} apart across their normal: a flat side (as the hollow of a "
            "torus) is turned to the other body; start where round parts face each other"
        )

    def first(self, tree: Any, q: np.ndarray):
        """Direction of the largest distance between the surfaces, by Gilbert's algorithm."""
        K, X_FM = tree.K, self.pose(tree, q)

        def gap(n):
            p_a, p_b = self.inner.touch(K, n)[1], self.outer.touch(K, X_FM.unrotate(-n))[1]
            return np.asarray(X_FM.p + X_FM.rotate(p_b) - p_a, dtype=float)

        with np.errstate(all="ignore"):
            n = refine_normal(K, gap, separating_direction(gap, np.asarray(X_FM.p, dtype=float)))
        return slice(*self.slots), n


def separating_direction(gap, y) -> np.ndarray:
    """(3,): unit vector along which two bodies have the largest distance, CO.22.

    `gap(n)` is the point of their Minkowski difference in the direction n, y a point of it.

    >>> center = np.array([0.0, 0.0, 3.0])
    >>> separating_direction(lambda n: center - 2 * n, np.array([1.0, 0.0, 3.0])).round(3)
    array([0., 0., 1.])
    """
    n = y / np.linalg.norm(y) if y.any() else np.array([0.0, 0.0, 1.0])
    for _ in range(MAX_GILBERT_STEPS):
        step = gap(n) - y
        if not y @ step < 0:  # no nearer point, CO.22
            break
        y = y + step * min(1.0, -(y @ step) / (step @ step))
        if not np.linalg.norm(y) > DISTANCE_ATOL:
            break
        n = y / np.linalg.norm(y)
    return n


def refine_normal(K: Any, gap, n) -> np.ndarray:
    """(3,): unit vector parallel to `gap`, by Newton's method from a near one (floats)."""
    for _ in range(NEWTON_STEPS):
        axes = np.array([np.asarray(e, dtype=float) for e in tangents(K, n)])
        residual = axes @ gap(n)
        if not np.isfinite(residual).all():  # reported where the state is assembled
            break
        derivatives = [
            axes @ (gap(n + e * NORMAL_STEP) - gap(n - e * NORMAL_STEP)) / (2 * NORMAL_STEP)
            - e @ axes.T * (n @ gap(n))
            for e in axes
        ]
        step = np.linalg.lstsq(np.array(derivatives).T, -residual, rcond=None)[0] @ axes
        n = n + step / max(1.0, 10 * np.linalg.norm(step))
        n = n / np.linalg.norm(n)
    return n

"""Complex joints (Fayet et al., 2005): one degree of freedom whose screw varies along the motion.

A final class writes `motion(K, s)`, the pose as a function of its coordinate, over any scalar.
Theory: CJ.1 to CJ.4.
"""

from __future__ import annotations

import abc
from contextlib import suppress
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, TorseurError, said
from ..register import derived
from ..scalars import Floats, Jet, Jets, Stairs, part, spline, vector
from ..spatial import IDENTITY, Pose, axial
from .base import TURN, AbstractJoint


class ComplexJoint(AbstractJoint):
    """One coordinate, and a pose that is any smooth function of it."""

    __slots__ = ()
    coordinate = "travel"
    unit = "m"
    picture: ClassVar = "track"
    functional: ClassVar[bool] = True
    closed_form: ClassVar[bool] = True  # no iteration, no pieces: a ring may hold its formulas

    @derived
    def coordinates(self):
        return ((self.coordinate, self.unit),)

    @derived
    def speeds(self):
        return (("rate", "rad/s"),) if self.unit == "rad" else (("speed", f"{self.unit}/s"),)

    @derived
    def holonomic(self):
        return True

    @abc.abstractmethod
    def motion(self, K, s) -> Pose:
        """`X_FM` at the coordinate `s`, over scalars that may carry derivatives."""

    def angles(self):
        return ()

    def pose(self, K, q):
        return K.kept(self, "pose", q[0], lambda: self.motion(K, q[0]))

    def _jets(self, K, s):
        X = K.kept(self, "jets", s, lambda: self.motion(Jets(K), Jet(K, s, 1)))
        return X.R, X.p

    def subspace(self, K, q):
        return self.moved(K, q[0])[1].reshape(6, 1)

    def moved(self, K, s) -> tuple[Pose, np.ndarray]:
        """The pose at a value of the coordinate, and the screw there (components in M)."""
        R, p = self._jets(K, s)
        X = Pose(part(R, "x"), part(p, "x"))
        back = X.R.T
        return X, vector((*axial(back @ part(R, "d")), *(back @ part(p, "d"))))  # CJ.2

    def screw_slope(self, K, q) -> np.ndarray:
        """Derivative of the screw (components in M) with respect to the coordinate, shape (6,)."""
        R, p = self._jets(K, q[0])
        back, turned = part(R, "x").T, part(R, "d").T
        return vector(
            (*axial(back @ part(R, "e")), *(turned @ part(p, "d") + back @ part(p, "e")))
        )  # CJ.3

    def subspace_rate(self, K, q, v):
        return (self.screw_slope(K, q) * v[0]).reshape(6, 1)

    def mirrored(self) -> ComplexJoint:
        """The same joint mirrored in the x-z plane of F.

        With `M = diag(1, -1, 1)` its pose is `M R M`, `M p` at the same coordinate (CJ.10).
        """
        raise ArgumentError(f"{type(self).__name__} does not say its mirror image")

    def unclosable(self):
        with suppress(TorseurError):  # of a parameter: there is a line to read
            try:
                self.reading(Floats(), IDENTITY)
            except TypeError as e:
                return said(e)
        return None

    def reading(self, K, X_FM) -> tuple[Any, int]:
        """The coordinate that a pose of this joint has."""
        raise TypeError(
            f"{type(self).__name__} cannot close a loop: no component of its position "
            "is linear in its coordinate; make it a joint of the tree instead"
        )

    def closure(self, K, X_FM):
        """Five residuals: the pose against the pose of the joint at the coordinate read from it."""
        s, k = self.reading(K, X_FM)
        X = self.motion(K, s)
        apart = X.inverse() @ X_FM
        across = [i for i in range(3) if i != k]
        return np.concatenate([vector((X_FM.p - X.p)[across]), axial(apart.R)])  # CJ.4

    @derived
    def closing(self):
        return (("across1", "m"), ("across2", "m"), *TURN)


def is_upside_down(sequence: str) -> tuple[int, ...]:
    """Signs of the angles of a mirrored rotation: those about x and z change sign."""
    return tuple(1 if axis == "y" else -1 for axis in sequence)


def splined(K: Any, knots: Any, tables: Any, s: Any, closed: bool = False) -> np.ndarray:
    """Columns of tables at the value `s` of their coordinate, by cubic splines over any scalar.

    A closed table begins again after its end, where its columns have their first values.
    """
    if closed:
        turn = knots[-1] - knots[0]
        s = s - turn * K.call("floor", (s - knots[0]) * (1 / turn))
    origin, *c = K.stairs(_splines(knots, tables, closed), s)
    x = s - origin
    return vector(
        c[j] + x * (c[j + 1] + x * (c[j + 2] + x * c[j + 3])) for j in range(0, len(c), 4)
    )


@lru_cache(maxsize=64)
def _splines(knots, tables, closed: bool) -> Stairs:
    """Start of each segment and its coefficients, column by column."""
    pieces = spline(knots, np.hstack(tables), "periodic" if closed else "not-a-knot")
    rows = pieces.transpose(0, 2, 1).reshape(len(pieces), -1)
    return Stairs(knots[1:-1], np.column_stack([knots[:-1], rows]))

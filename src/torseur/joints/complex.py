"""Complex joints (Fayet et al., 2005): one degree of freedom whose screw varies along the motion.

A final class writes `motion(K, s)`, the pose as a function of its coordinate, over any scalar.
Theory: CJ.1 to CJ.4.
"""

from __future__ import annotations

import abc
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, TorseurError, said
from ..numbers import Floats, vector
from ..register import derived
from ..spatial import IDENTITY, Pose, axial
from ._jets import Jet, Jets, part
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
        R, p = self._jets(K, q[0])
        back = part(R, "x").T
        return vector((*axial(back @ part(R, "d")), *(back @ part(p, "d")))).reshape(6, 1)  # CJ.2

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
        """The same joint on the other side of the x-z plane of F: y turns over.

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
        """Five residuals: the pose against the joint's own at the coordinate read from it."""
        s, k = self.reading(K, X_FM)
        X = self.motion(K, s)
        apart = X.inverse() @ X_FM
        across = [i for i in range(3) if i != k]
        return np.concatenate([vector((X_FM.p - X.p)[across]), axial(apart.R)])  # CJ.4

    @derived
    def closing(self):
        return (("across1", "m"), ("across2", "m"), *TURN)


def turned_over(sequence: str) -> tuple[int, ...]:
    """Signs of the angles of a mirrored rotation: those about x and z turn the other way."""
    return tuple(1 if axis == "y" else -1 for axis in sequence)


def splined(K: Any, knots: Any, table: Any, s: Any, closed: bool = False) -> np.ndarray:
    """Columns of a table at the value `s` of its coordinate, by cubic splines over any scalar.

    A closed table begins again after its end, where its columns have their first values.
    """
    pieces = spline(np.array(knots), np.array(table), closed)  # (n - 1, 4, columns)
    if closed:
        turn = knots[-1] - knots[0]
        s = s - turn * K.call("floor", (s - knots[0]) * (1 / turn))
    columns = range(pieces.shape[2])
    flat = abs(pieces[:, 1:]).max(axis=(0, 1)) == 0
    chosen = [[float(c) for c in pieces[0][:, j]] for j in columns]
    origin = knots[0]
    for knot, piece in zip(knots[1:-1], pieces[1:], strict=True):
        before = K.less(s, knot)
        origin = K.select(before, origin, knot)
        chosen = [
            [float(piece[0, j]), 0, 0, 0]
            if flat[j]
            else [
                K.select(before, c, float(p)) for c, p in zip(chosen[j], piece[:, j], strict=True)
            ]
            for j in columns
        ]
    x = s - origin
    return vector(
        c0 if flat[j] else c0 + x * (c1 + x * (c2 + x * c3))
        for j, (c0, c1, c2, c3) in enumerate(chosen)
    )


def spline(x, y, closed=False) -> np.ndarray:
    """Coefficients (n - 1, 4, columns), lowest power first, of the not-a-knot cubic spline.

    Of the periodic one when `closed`: the last row of y is the first.
    """
    n, h = len(x), np.diff(x)
    A, b = np.zeros((n, n)), np.zeros((n, y.shape[1]))  # for the slopes at the knots
    d = np.diff(y, axis=0) / h[:, None]
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i], 2 * (h[i - 1] + h[i]), h[i - 1]
        b[i] = 3 * (h[i] * d[i - 1] + h[i - 1] * d[i])
    if closed:
        A[0, [n - 2, 0, 1]] = h[0], 2 * (h[-1] + h[0]), h[-1]
        b[0] = 3 * (h[0] * d[-1] + h[-1] * d[0])
        A[n - 1, [0, n - 1]] = 1, -1
    for row, (i, j) in (
        ()
        if closed
        else (  # third derivative continuous
            (0, (0, 1)),
            (n - 1, (n - 2, n - 3)),
        )
    ):
        a, c = h[i], h[j]
        ends = (0, 1, 2) if row == 0 else (n - 1, n - 2, n - 3)
        A[row, ends[0]], A[row, ends[1]], A[row, ends[2]] = c * c, c * c - a * a, -a * a
        b[row] = 2 * (c * c * d[i] - a * a * d[j])
    m = np.linalg.solve(A, b)
    c2 = (3 * d - 2 * m[:-1] - m[1:]) / h[:, None]
    c3 = (m[:-1] + m[1:] - 2 * d) / (h * h)[:, None]
    return np.stack([y[:-1], m[:-1], c2, c3], axis=1)

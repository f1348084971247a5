"""Complex joints (document 000): one degree of freedom whose screw varies along the motion.

A final class writes `motion(K, s)`, the pose as a function of its coordinate, over any scalar.
Theory: CJ.1 to CJ.4.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError
from ..numbers import Value, exact, nominal, parse, symbol, symbols, vector
from ..spatial import SEQUENCES, Pose, angles_to_matrix, axial
from ._jets import Jet, Jets, part
from .base import AbstractJoint


class ComplexJoint(AbstractJoint):
    """One coordinate, and a pose that is any smooth function of it."""

    __slots__ = ()
    coordinate = "travel"
    unit = "m"

    @property
    def coordinates(self):
        return ((self.coordinate, self.unit),)

    @property
    def speeds(self):
        return (("rate", "rad/s"),) if self.unit == "rad" else (("speed", f"{self.unit}/s"),)

    @property
    def holonomic(self):
        return True

    @abc.abstractmethod
    def motion(self, K, s) -> Pose:
        """`X_FM` at the coordinate `s`, over scalars that may carry derivatives."""

    def angles(self):
        return ()

    def pose(self, K, q):
        return self.motion(K, q[0])

    def _jets(self, K, s):
        X = self.motion(Jets(K), Jet(K, s, 1))
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

    def reading(self, K, X_FM):
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


@dataclass(frozen=True, slots=True)
class Guided(ComplexJoint):
    """A pose given by six expressions of the coordinate.

    Parameters
    ----------
    position : three expressions [m], components in F
    angles_of : three expressions [rad], intrinsic, in the order of `sequence`
    coordinate, unit : name of the coordinate, as used in the expressions, and its unit

    >>> from torseur.numbers import Floats
    >>> j = Guided(("0.1*z**2", 0, "z"), ("-0.35*z", 0, 0), coordinate="z")
    >>> j.pose(Floats(), [0.2]).p.tolist()
    [0.004000000000000001, 0.0, 0.2]
    """

    position: Any = (0, 0, 0)
    angles_of: Any = (0, 0, 0)
    sequence: str = "xyz"
    coordinate: str = "travel"
    unit: str = "m"

    def __post_init__(self):
        if self.sequence not in SEQUENCES:
            raise ArgumentError(
                f"Guided(sequence={self.sequence!r}): expected one of "
                + ", ".join(map(repr, SEQUENCES))
            )
        for name in ("position", "angles_of"):
            given = getattr(self, name)
            if len(given) != 3:
                raise ArgumentError(
                    f"Guided({name}=...): expected three expressions, got {len(given)}"
                )
            try:
                read = tuple(parse(e) if isinstance(e, str) else exact(e) for e in given)
            except (TypeError, ValueError) as e:
                raise ArgumentError(f"Guided({name}=...): {e}") from None
            object.__setattr__(self, name, read)

    def motion(self, K, s):
        J = Named(K, {self.coordinate: s})
        angles = [J.number(e) for e in self.angles_of]
        return Pose(
            angles_to_matrix(K, self.sequence, angles), vector(J.number(e) for e in self.position)
        )

    def reading(self, K, X_FM):
        for k, e in enumerate(self.position):
            if (line := _line(e, self.coordinate)) is not None:
                offset, slope = line
                return (X_FM.p[k] - K.number(exact(offset))) * K.number(exact(1 / slope)), k
        return ComplexJoint.reading(self, K, X_FM)

    def constants(self):
        names = symbols(vector((*self.position, *self.angles_of)))
        return tuple(symbol(n) for n in names if n != self.coordinate)


def _line(e, name):
    """(offset, slope) of an expression that is linear in `name` and has no other symbol."""
    if not isinstance(e, Value):
        return None
    try:
        at = [nominal(e, {name: x}) for x in (0.0, 1.0, -1.0, 0.5)]
    except (TorseurError, ArithmeticError, ValueError):  # a parameter without a number
        return None
    slope = at[1] - at[0]
    linear = abs(at[1] + at[2] - 2 * at[0]) + abs(at[3] - at[0] - slope / 2) < 1e-14
    return (at[0], slope) if linear and slope else None


class Named:
    """A scalar kind with the coordinate's name bound."""

    def __init__(self, K, names):
        self._K, self._names = K, names

    def __getattr__(self, name):
        return getattr(self._K, name)

    def number(self, x):
        return x.over(self) if hasattr(x, "over") else self._K.number(x)

    def parameter(self, name):
        return self._names[name] if name in self._names else self._K.parameter(name)


@dataclass(frozen=True, slots=True)
class Tabulated(ComplexJoint):
    """A pose given by a table over the coordinate, joined by cubic splines (twice smooth).

    Parameters
    ----------
    knots : increasing values of the coordinate, at least four
    position : (n, 3) positions [m], components in F
    angles_of : (n, 3) angles [rad], intrinsic, in the order of `sequence`

    Outside the table the end pieces go on.

    >>> from torseur.numbers import Floats
    >>> z = (-0.1, -0.05, 0.0, 0.05, 0.1)
    >>> j = Tabulated(z, [(0, x * x, x) for x in z], [(0, 0, 0)] * 5)
    >>> j.pose(Floats(), [0.03]).p.astype(float).round(12).tolist()
    [0.0, 0.0009, 0.03]
    """

    knots: tuple = ()
    position: tuple = ()
    angles_of: tuple = ()
    sequence: str = "xyz"
    coordinate: str = "travel"
    unit: str = "m"

    def __post_init__(self):
        if self.sequence not in SEQUENCES:
            raise ArgumentError(
                f"Tabulated(sequence={self.sequence!r}): expected one of "
                + ", ".join(map(repr, SEQUENCES))
            )
        x = _finite(self.knots, "knots")
        if x.ndim != 1 or len(x) < 4 or (np.diff(x) <= 0).any():
            raise ArgumentError("Tabulated(knots=...): expected at least four increasing numbers")
        table = np.hstack(
            [_finite(getattr(self, n), n, (len(x), 3)) for n in ("position", "angles_of")]
        )
        object.__setattr__(self, "knots", tuple(map(float, x)))
        object.__setattr__(self, "position", tuple(map(tuple, table[:, :3].tolist())))
        object.__setattr__(self, "angles_of", tuple(map(tuple, table[:, 3:].tolist())))

    def motion(self, K, s):
        values = splined(K, self.knots, np.hstack([self.position, self.angles_of]), s)
        return Pose(angles_to_matrix(K, self.sequence, values[3:]), values[:3])

    def reading(self, K, X_FM):
        x, table = np.array(self.knots), np.array(self.position)
        for k in range(3):
            slope = (table[-1, k] - table[0, k]) / (x[-1] - x[0])
            offset = table[0, k] - slope * x[0]
            if slope and abs(table[:, k] - offset - slope * x).max() < 1e-14:
                return (X_FM.p[k] - float(offset)) * float(1 / slope), k
        return ComplexJoint.reading(self, K, X_FM)


def _finite(given, name, shape=None) -> np.ndarray:
    """Numbers of a table, or an error with the name of the argument."""
    try:
        x = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"Tabulated({name}=...): expected numbers") from None
    if shape and x.shape != shape:
        raise ArgumentError(
            f"Tabulated({name}=...): expected three numbers a knot, shape {shape}, got {x.shape}"
        )
    if not np.isfinite(x).all():
        raise ArgumentError(
            f"Tabulated({name}=...): expected finite numbers, got {x[~np.isfinite(x)][0]}"
        )
    return x


def splined(K, knots, table, s, closed=False) -> np.ndarray:
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


__all__ = ["ComplexJoint", "Guided", "Tabulated", "spline", "splined"]

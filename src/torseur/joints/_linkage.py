"""Wheel suspensions as joints with the wheel travel as coordinate.  CJ.5 to CJ.9.

F is the chassis, whose axes hold the hardpoints [m]. M is at the wheel center, parallel to F in the
design position. For an angle of the lower arm the massless linkage has a closed-form solution.
Newton's method finds the angle of a given travel.
"""

from __future__ import annotations

import abc
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, said
from ..scalars import Floats, Jet, Jets, exact, exacts, nominal, part, symbols, units, vector
from ..spatial import Pose, cross
from .complex import ComplexJoint

NEWTON = 4  # iterations from a parabola: rounding for any travel the arms allow


class Linkage(ComplexJoint):
    """A knuckle whose pose follows in closed form from the angle of its lower arm."""

    __slots__ = ()
    picture = "linkage"
    closed_form = False  # the turn that gives a travel is iterated
    points: ClassVar[tuple[str, ...]]  # names of its hardpoints
    wheel_center: Any
    tie_inner: Any
    rack: Any  # displacement of the rack [m]
    knuckle_points: tuple[str, ...] = ("lower_ball_at", "tie_outer")
    kingpin: ClassVar[tuple[str, bool]]  # upper point of the steering axis; is it on the knuckle?

    def _read(self):
        for name in self.points:
            try:
                point = tuple(exacts(units.read(getattr(self, name), "m"), (3,)))
            except (TypeError, ValueError) as e:
                raise ArgumentError(f"{type(self).__name__}({name}=...): {said(e)}") from None
            object.__setattr__(self, name, point)
        try:
            object.__setattr__(self, "rack", exact(units.read(self.rack, "m")))
        except (TypeError, ValueError) as e:
            raise ArgumentError(f"{type(self).__name__}(rack=...): {said(e)}") from None
        if not symbols(vector(self.constants())) and (wrong := self.faults(Floats())):
            raise ArgumentError(f"{type(self).__name__}: {wrong[0]}")

    def point(self, name) -> np.ndarray:
        """A hardpoint as numbers [m]."""
        return np.array([nominal(exact(e), {}) for e in getattr(self, name)])

    @abc.abstractmethod
    def knuckle(self, K, turn) -> Pose:
        """Pose of the knuckle at an angle `turn` [rad] of the lower arm from design."""

    def lower_ball(self, K, turn) -> np.ndarray:
        """The lower ball joint: on a circle about the line of the arm's pivots."""
        names = ("lower_front", "lower_rear", "lower_ball_at")
        front, rear, ball = (K.numbers(getattr(self, n)) for n in names)
        return turned(K, front, rear, ball, turn)

    def turn(self, K, travel):
        """Angle of the lower arm [rad] at a wheel travel [m], and the jet of the height there."""
        return K.kept(self, "turn", travel, lambda: self._solve_arm_angle(K, travel))

    def _solve_arm_angle(self, K, travel):
        J, center = Jets(K), K.number(self.wheel_center[2])

        def height(b):
            return self.knuckle(J, Jet(K, b, 1)).p[2] - center

        h = height(0)
        b = K.divide(travel - h.x, h.d)
        b = b - K.divide(h.e * b * b, 2 * h.d)  # CJ.8
        for _ in range(NEWTON):
            h = height(b)
            b = b - K.divide(h.x - travel, h.d)
        return b, height(b)

    def motion(self, K, s):
        if not isinstance(K, Jets):
            return self.knuckle(K, self.turn(K, s)[0])
        base = K.base
        b, h = self.turn(base, s.x)
        X = self.knuckle(K, Jet(base, b, 1))
        d1 = base.divide(1, h.d)
        d2 = -h.e * d1 * d1 * d1  # CJ.9

        def by_travel(a):
            parts = zip(*(part(a, which).ravel() for which in "xde"), strict=True)
            return vector(Jet(base, x, d * d1, e * d1 * d1 + d * d2) for x, d, e in parts).reshape(
                a.shape
            )

        return Pose(by_travel(X.R), by_travel(X.p))

    def mirrored(self) -> Any:
        """The linkage of the other side.  The rack is one bar, so its displacement stays."""
        own: Any = self
        points = {n: getattr(self, n) for n in self.points}
        return replace(own, **{n: (x, -exact(y), z) for n, (x, y, z) in points.items()})  # CJ.10

    def rods(self) -> tuple[tuple[str, str], ...]:
        """Hardpoints that rods join: on the chassis, and on the knuckle."""
        return ()

    def bars(self):
        center = [exact(e) for e in self.wheel_center]
        slid = (self.tie_inner[0], exact(self.tie_inner[1]) + self.rack, self.tie_inner[2])

        def carried(name):
            return "M", tuple(
                exact(e) - c for e, c in zip(getattr(self, name), center, strict=True)
            )

        arms = ((("F", getattr(self, a)), carried(b)) for a, b in self.rods())
        stubs = ((carried(n), ("M", (0, 0, 0))) for n in self.knuckle_points)
        return (*arms, (("F", slid), carried("tie_outer")), *stubs)

    def wheels(self):
        center = exact(self.wheel_center[2])
        heights = tuple(exact(getattr(self, n)[2]) - center for n in self.knuckle_points)
        return (((0, 0, 0), (0, 1, 0), heights),)

    def reading(self, K, X_FM):
        return X_FM.p[2] - K.number(self.wheel_center[2]), 2

    def constants(self):
        return (*(e for name in self.points for e in getattr(self, name)), self.rack)

    def tie_rod(self, K) -> tuple[np.ndarray, Any]:
        """The inner end where the rack has put it, and the rod's length."""
        inner, outer = (K.numbers(getattr(self, n)) for n in ("tie_inner", "tie_outer"))
        return inner + vector((0, K.number(self.rack), 0)), length(K, outer - inner)

    def faults(self, K):
        try:
            X = self.knuckle(K, 0.0)
            moved = self.knuckle(Jets(K), Jet(K, 0.0, 1)).p[2].d
        except (AttributeError, ValueError, ZeroDivisionError):  # no jet: nothing moves
            steered = "" if self.rack == 0 else f", with the rack at {K.number(self.rack):g} m"
            return (
                "the hardpoints do not form a linkage that "
                f"can move{steered}; check that no three of them are in line",
            )
        off = X.p - K.numbers(self.wheel_center)
        gap = max(map(abs, (*off, *(X.R - np.eye(3)).ravel())))
        if (K.number(self.rack) == 0 and gap > 1e-9) or abs(moved) < 1e-9:
            return ("the linkage is at a dead point in its design position; check the hardpoints",)
        return ()


def length(K, x):
    return K.sqrt(x @ x)


def scaled(K, x, by):
    """A vector divided by a number."""
    r = K.divide(1, by)
    return vector(e * r for e in x)


def turned(K, a, b, p, angle) -> np.ndarray:
    """The point `p` rotated about the line from `a` to `b`."""
    u = scaled(K, b - a, length(K, b - a))
    r = p - a
    along = vector(e * (u @ r) for e in u)
    side = r - along
    c, s = K.cos(angle), K.sin(angle)
    return a + along + vector(e * c for e in side) + vector(e * s for e in cross(u, side))  # CJ.5


def circle_point(K, center, first, second, radius, point, distance, side):
    """Point of a circle at a distance from a given point.

    The circle has a center, two unit vectors in its plane and a radius. `side`, +1 or -1, selects
    one of the two points.
    """
    d = point - center
    a, b = first @ d, second @ d
    c = K.divide(radius * radius + d @ d - distance * distance, 2 * radius)
    n2 = a * a + b * b
    w = K.sqrt(n2 - c * c)
    inverse = K.divide(1, n2)
    cosine, sine = (a * c - b * w * side) * inverse, (b * c + a * w * side) * inverse  # CJ.6
    arm = vector(x * cosine + y * sine for x, y in zip(first, second, strict=True))
    return center + vector(radius * x for x in arm)


def triad(K, n, e) -> np.ndarray:
    """Columns n, e, n x e of two unit vectors at right angles."""
    return np.stack([vector(n), vector(e), cross(n, e)], axis=1)


def outer_point(K, low, n, height, radius, inner, rod, side):
    """Unit vector from the axis through `low` along `n` to the outer end of the tie rod."""
    center = low + vector(height * x for x in n)
    d = inner - center
    across = d - vector((d @ n) * x for x in n)
    first = scaled(K, across, length(K, across))
    end = circle_point(K, center, first, cross(n, first), radius, inner, rod, side)
    return scaled(K, end - center, radius)


def sign(K, x):
    """+1 or -1 over any scalar: with names in the hardpoints it follows their values."""
    return K.select(K.less(x, 0), -1, 1)

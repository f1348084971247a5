"""Convex surfaces that roll and touch, by the point whose outward normal is known.

Theory: CO.13 to CO.16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..joints import AbstractJoint
from ..register import derived
from ..scalars import Jet, Jets, matrix, part, vector
from ..scalars.values import value
from ..spatial import HALF, IDENTITY, cross

NEAR = 1e-4  # sine of how near to lying flat, and curvature that is none: a run ends there
SMALL, RATE = 1e-5, 5e4  # of the unit normal, for radii of curvature by differences
HOLLOWED = 1e-3  # of the width: a radius of curvature below minus that is no convex body's
ASIDE = (3, -5, 7)  # a direction that no normal is likely to have: tangents are across it
FLAT = "lies flat, touching all around"
HOLLOW = "has no contact there, its support function is not that of a convex body"


@dataclass(frozen=True, slots=True, eq=False)
class ContactShape:
    """A sphere, a torus about z, an ellipsoid, or a support function, about a frame's origin."""

    sizes: tuple = ()  # radius; ring and tube; three semi-axes
    support: Any = None  # an expression of x, y, z, the components of a unit normal

    def touch(self, K, u) -> tuple[Any, np.ndarray]:
        """Distance of the tangent plane with outward unit normal u, and where it touches."""
        sizes = [K.number(x) for x in self.sizes]
        if self.support is not None:
            h, slope = sloped(K, self.support, u)
            return h, slope + u * (h - u @ slope)  # CO.13
        if len(sizes) == 1:
            return sizes[0], u * sizes[0]
        if len(sizes) == 2:
            ring, tube = sizes
            flat = K.sqrt(u[0] * u[0] + u[1] * u[1])
            round_ = vector((K.divide(u[0], flat), K.divide(u[1], flat), 0))
            return ring * flat + tube, round_ * ring + u * tube  # CO.14
        d = vector(s * s * x for s, x in zip(sizes, u, strict=True))
        h = K.sqrt(u @ d)
        return h, vector(K.divide(x, h) for x in d)  # CO.14

    @derived
    def loses(self) -> tuple[str, ...]:
        """What its point of contact may lose, one text a number of `edges`."""
        if self.support is not None:
            return (FLAT, HOLLOW)
        return (FLAT,) if len(self.sizes) == 2 else ()

    def edges(self, K, u) -> tuple:
        """How far from that it is still, where its outward normal is u: CO.19."""
        if self.support is None:
            return (K.sqrt(u[0] * u[0] + u[1] * u[1]) - NEAR,) if self.loses else ()
        wide = self.touch(K, u)[1] - self.touch(K, -u)[1]
        width = K.sqrt(wide @ wide)
        sides = tangents(K, u)
        moved = [
            (self.touch(K, u + e * SMALL)[1] - self.touch(K, u - e * SMALL)[1]) * RATE
            for e in sides
        ]
        least, both = bending(K, [[e @ p for p in moved] for e in sides])
        return K.divide(width, both) - NEAR, K.divide(least, width) + HOLLOWED

    def numbers(self):
        named = (n for n in value.symbols(vector((self.support,))) if n not in "xyz")
        own = map(value.symbol, named) if self.support is not None else ()
        return (*self.sizes, *own)


def tangents(K, u) -> list[np.ndarray]:
    """Two unit vectors across a unit vector, and across each other."""
    t = cross(u, vector(ASIDE))
    size = K.sqrt(t @ t)
    first = vector(K.divide(x, size) for x in t)
    return [first, cross(u, first)]


def bending(K, B) -> tuple:
    """The lesser principal value of a symmetric 2 x 2 array, and the sum of both."""
    both, apart, mixed = B[0][0] + B[1][1], B[0][0] - B[1][1], B[0][1] + B[1][0]
    return (both - K.sqrt(apart * apart + mixed * mixed)) * HALF, both


def sloped(K, expression, p) -> tuple[Any, np.ndarray]:
    """Value and gradient of an expression of x, y, z."""
    jets = [
        Jets(
            K, {n: Jet(K, x, int(i == j)) for j, (n, x) in enumerate(zip("xyz", p, strict=True))}
        ).number(expression)
        for i in range(3)
    ]
    if not isinstance(jets[0], Jet):  # a constant
        return jets[0], vector((0, 0, 0))
    return jets[0].x, part(vector(jets), "d")


def shape(to, given, where) -> ContactShape:
    """A shape as described: a number, two, three, or the text of a support function."""
    if _is_support(given):
        return ContactShape(support=to.expression(given, where, extra="xyz")[0])
    several = given if isinstance(given, tuple | list) else (given,)
    sizes = tuple(to.number(x, f"{where}, shape [m]") for x in several)
    if len(sizes) not in (1, 2, 3):
        to.problems.append(
            f"{where}: a shape of {len(sizes)} numbers; give a radius, the two radii of a torus, "
            "three semi-axes, or a support function of x, y, z"
        )
        return ContactShape((1,))
    for x in sizes:
        if (size := to.nominal(x)) is not None and size <= 0:
            to.problems.append(f"{where} has a size of {size:g} m; use more than zero")
    return ContactShape(sizes)


def outline(given) -> ContactShape | None:
    """A shape as described, unchecked: for pictures."""
    if given is None:
        return None
    try:
        if _is_support(given):
            return ContactShape(support=value.exact(given))
        several = given if isinstance(given, tuple | list) else (given,)
        return ContactShape(tuple(map(value.exact, several)))
    except (TypeError, ValueError):  # told by `shape`
        return None


def _is_support(given) -> bool:
    """Whether a shape is the text of a support function."""
    try:
        named = value.symbols(value.exact(given)) if isinstance(given, str) else ()
    except ValueError:  # told where it is read
        return False
    return any(c in named for c in "xyz")


@dataclass(frozen=True, slots=True)
class Unknown(AbstractJoint):
    """Moves nothing: three coordinates that a constraint solves for, and where they start."""

    names: tuple[str, str, str]
    unit: str
    start: tuple

    @derived
    def coordinates(self):
        return tuple((n, self.unit) for n in self.names)

    @derived
    def speeds(self):
        per = "1/s" if self.unit == "1" else f"{self.unit}/s"
        return tuple((f"{n}_rate", per) for n in self.names)

    def neutral(self):
        return np.array([float(value.nominal(x, {})) for x in self.start])

    def pose(self, K, q):
        return IDENTITY

    def subspace(self, K, q):
        return matrix(((0,) * 3,) * 6)

    def closure(self, K, X_FM):
        raise TypeError("the unknowns of a contact close no loop")

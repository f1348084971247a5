"""Convex surfaces by their support functions: contact point for an outward normal, curvature.

Equations CO.13 to CO.16, CO.19.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..joints import AbstractJoint
from ..register import derived
from ..scalars import Jet, Jets, matrix, part, vector
from ..scalars.values import value
from ..spatial import HALF, IDENTITY, cross

if TYPE_CHECKING:
    from ..spatial import Pose

MIN_SINE = 1e-4  # of the angle to lying flat, and relative curvature: a run ends there
NORMAL_STEP, INVERSE_STEP = 1e-5, 5e4  # of the unit normal, for curvature by central differences
MAX_HOLLOW_RADIUS = 1e-3  # of the width: a radius of curvature below minus that is not convex
REFERENCE_DIRECTION = (3, -5, 7)  # that no normal is likely to have: tangents are across it
FLAT = "lies flat, touching all around"
HOLLOW = "has no contact there, its support function is not that of a convex body"


@dataclass(frozen=True, slots=True, eq=False)
class ContactShape:
    """A sphere, a torus about z, an ellipsoid, or a support function, about a frame's origin."""

    sizes: tuple = ()  # radius; ring and tube; three semi-axes
    support: Any = None  # an expression of x, y, z, the components of a unit normal

    def touch(self, K: Any, u) -> tuple[Any, np.ndarray]:
        """Distance of the tangent plane with outward unit normal u, and the contact point."""
        sizes = [K.number(x) for x in self.sizes]
        if self.support is not None:
            h, gradient = value_and_gradient(K, self.support, u)
            return h, gradient + u * (h - u @ gradient)  # CO.13
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
        """Texts for the numbers of `edges`."""
        if self.support is not None:
            return (FLAT, HOLLOW)
        return (FLAT,) if len(self.sizes) == 2 else ()

    def edges(self, K: Any, u) -> tuple:
        """Distances to the ends of validity at the outward normal u, CO.19."""
        if self.support is None:
            return (K.sqrt(u[0] * u[0] + u[1] * u[1]) - MIN_SINE,) if self.loses else ()
        diameter = self.touch(K, u)[1] - self.touch(K, -u)[1]
        width = K.sqrt(diameter @ diameter)
        axes = tangents(K, u)
        rates = [  # of the contact point
            (self.touch(K, u + e * NORMAL_STEP)[1] - self.touch(K, u - e * NORMAL_STEP)[1])
            * INVERSE_STEP
            for e in axes
        ]
        smallest, total = principal_curvatures(K, [[e @ p for p in rates] for e in axes])
        return K.divide(width, total) - MIN_SINE, K.divide(smallest, width) + MAX_HOLLOW_RADIUS

    def numbers(self):
        if self.support is None:
            return self.sizes
        names = (n for n in value.symbols(vector((self.support,))) if n not in "xyz")
        return (*self.sizes, *map(value.symbol, names))


def tangents(K: Any, u) -> list[np.ndarray]:
    """Two unit vectors perpendicular to a unit vector and to each other."""
    t = cross(u, vector(REFERENCE_DIRECTION))
    size = K.sqrt(t @ t)
    first = vector(K.divide(x, size) for x in t)
    return [first, cross(u, first)]


def principal_curvatures(K: Any, B) -> tuple:
    """Smaller principal value of a symmetric 2 x 2 array, and the sum of both."""
    total, difference, mixed = B[0][0] + B[1][1], B[0][0] - B[1][1], B[0][1] + B[1][0]
    return (total - K.sqrt(difference * difference + mixed * mixed)) * HALF, total


def value_and_gradient(K: Any, expression, p) -> tuple[Any, np.ndarray]:
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


def contact_shape(to: Any, description, where: str) -> ContactShape:
    """Shape from one, two or three numbers, or the text of a support function, after checks."""
    if _is_support(description):
        return ContactShape(support=to.expression(description, where, extra="xyz")[0])
    numbers = description if isinstance(description, tuple | list) else (description,)
    sizes = tuple(to.number(x, f"{where}, shape [m]") for x in numbers)
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


def unchecked_shape(description) -> ContactShape | None:
    """Shape without checks, for pictures; None if it is invalid or missing."""
    if description is None:
        return None
    try:
        if _is_support(description):
            return ContactShape(support=value.exact(description))
        numbers = description if isinstance(description, tuple | list) else (description,)
        return ContactShape(tuple(map(value.exact, numbers)))
    except (TypeError, ValueError):  # `contact_shape` reports it
        return None


def _is_support(description) -> bool:
    """Whether a shape is the text of a support function."""
    try:
        names = value.symbols(value.exact(description)) if isinstance(description, str) else ()
    except ValueError:  # reported where it is read
        return False
    return any(c in names for c in "xyz")


@dataclass(frozen=True, slots=True)
class ContactUnknowns(AbstractJoint):
    """Joint without motion: three coordinates that a constraint solves for, with start values."""

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

    def pose(self, K: Any, q: np.ndarray):
        return IDENTITY

    def subspace(self, K: Any, q: np.ndarray):
        return matrix(((0,) * 3,) * 6)

    def closure(self, K: Any, X_FM: Pose):
        raise TypeError("the unknowns of a contact close no loop")

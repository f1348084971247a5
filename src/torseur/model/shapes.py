# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Shapes of bodies for viewers.  No equation depends on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..register import freeze_fields
from .quantity_fields import quantity


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Shape:
    """A shape on a body: center `at` [m], orientation `rpy` [rad], `color` (red, green, blue,
    opacity from 0 to 1).
    """

    at: Any = quantity((0, 0, 0), "m", (3,))
    rpy: Any = quantity((0, 0, 0), "rad", (3,))
    color: Any = quantity(None, "", (4,), (3,))

    def __post_init__(self):
        freeze_fields(self)


@dataclass(frozen=True, slots=True, eq=False)
class Box(Shape):
    """A box with edges `size` [m] along x, y, z."""

    size: Any = quantity((1, 1, 1), "m", (3,))


@dataclass(frozen=True, slots=True, eq=False)
class Sphere(Shape):
    """A sphere."""

    radius: Any = quantity(1, "m")


@dataclass(frozen=True, slots=True, eq=False)
class Cylinder(Shape):
    """A cylinder along z, centerd."""

    radius: Any = quantity(1, "m")
    length: Any = quantity(1, "m")


@dataclass(frozen=True, slots=True, eq=False)
class Capsule(Shape):
    """A cylinder along z with hemispherical ends; `length` is the distance of their centers."""

    radius: Any = quantity(1, "m")
    length: Any = quantity(1, "m")


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid with half axes `radii` along x, y, z."""

    radii: Any = quantity((1, 1, 1), "m", (3,))


@dataclass(frozen=True, slots=True, eq=False)
class Mesh(Shape):
    """A mesh file, its vertices multiplied by `scale`."""

    file: str = ""
    scale: Any = quantity((1, 1, 1), "", (3,))


EVERY_SHAPE = (Box, Sphere, Cylinder, Capsule, Ellipsoid, Mesh)

"""A position in Cartesian, cylindrical or spherical coordinates.  Theory: JO.6.

Cylindrical: radius, azimuth about z, height along z.  Spherical: radius, azimuth about z, elevation
above the plane of x and y.
"""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError
from ..scalars import matrix, vector
from ..spatial import cross
from ._elementary_sequence import ElementaryStep
from .base import both_ways

POSITIONS = {
    "cartesian": (("px", "m"), ("py", "m"), ("pz", "m")),
    "cylindrical": (("radius", "m"), ("azimuth", "rad"), ("height", "m")),
    "spherical": (("radius", "m"), ("azimuth", "rad"), ("elevation", "rad")),
}
RATES = {
    "cartesian": (("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s")),
    "cylindrical": (("radial_speed", "m/s"), ("azimuth_rate", "rad/s"), ("climb", "m/s")),
    "spherical": (
        ("radial_speed", "m/s"),
        ("azimuth_rate", "rad/s"),
        ("elevation_rate", "rad/s"),
    ),
}
CLOSE = 1e-3  # radius [m] at which a run is told that the azimuth is about to be lost
SINGULAR_SINE = 0.017452406437283512  # sine of one degree


def named(kind, joint: str):
    """Names and units of the coordinates.  An unknown type raises an error."""
    if kind not in POSITIONS:
        known = ", ".join(map(repr, POSITIONS))
        raise ArgumentError(f"{joint}(position={kind!r}): expected {known}")
    return POSITIONS[kind]


def slides(kind) -> tuple[ElementaryStep, ...]:
    """Elementary motions, where the coordinates are such."""
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1)) if kind == "cartesian" else ()
    return tuple(ElementaryStep(False, e, i) for i, e in enumerate(axes))


def place(K, kind, c) -> np.ndarray:
    """The position, components in F."""
    if kind == "cartesian":
        return vector(c)
    r, (ca, sa) = c[0], _pair(K, c[1])
    if kind == "cylindrical":
        return vector((r * ca, r * sa, c[2]))
    ce, se = _pair(K, c[2])
    return vector((r * ce * ca, r * ce * sa, r * se))


def columns(K, kind, c) -> tuple[np.ndarray, tuple]:
    """Unit vectors along which the coordinates move the position, and how far: P = U diag(l)."""
    if kind == "cartesian":
        return matrix(((1, 0, 0), (0, 1, 0), (0, 0, 1))), (1, 1, 1)
    r, (ca, sa) = c[0], _pair(K, c[1])
    if kind == "cylindrical":
        return matrix(((ca, -sa, 0), (sa, ca, 0), (0, 0, 1))), (1, r, 1)
    ce, se = _pair(K, c[2])
    U = matrix(((ce * ca, -sa, -se * ca), (ce * sa, ca, -se * sa), (se, 0, ce)))
    return U, (1, r * ce, r)


def slope(K, kind, c) -> np.ndarray:
    """P, 3 x 3: the velocity is `P cdot`."""
    U, sizes = columns(K, kind, c)
    return matrix([[x * s for x, s in zip(row, sizes, strict=True)] for row in U])


def slope_rate(K, kind, c, dc) -> np.ndarray:
    """Rate of P."""
    U, sizes = columns(K, kind, c)
    if kind == "cartesian":
        return matrix(((0,) * 3,) * 3)
    r, dr, da = c[0], dc[0], dc[1]
    if kind == "cylindrical":
        w, grows = vector((0, 0, da)), (0, dr, 0)
    else:
        (ce, se), (ca, sa), de = _pair(K, c[2]), _pair(K, c[1]), dc[2]
        w = vector((sa * de, -ca * de, da))
        grows = (0, dr * ce - r * se * de, dr)
    turned = [cross(w, U[:, i]) * sizes[i] + U[:, i] * grows[i] for i in range(3)]
    if kind == "cylindrical":
        turned[2] = vector((0, 0, 0))
    return matrix(turned).T


def rates(K, kind, c, u) -> np.ndarray:
    """Rates of the coordinates of a velocity with components in F."""
    if kind == "cartesian":
        return vector(u)
    U, sizes = columns(K, kind, c)
    along = U.T @ u
    return vector(
        x if isinstance(s, int) else K.divide(x, s) for x, s in zip(along, sizes, strict=True)
    )


def divisors(kind, names) -> tuple[str, ...]:
    """Divisors of `rates`."""
    if kind == "cartesian":
        return ()
    return (names[0],) if kind == "cylindrical" else (names[0], f"cos({names[2]})")


def edges(K, kind, c) -> tuple:
    """Where the coordinates fail."""
    if kind == "cartesian":
        return ()
    text = "radius nears 0 m, where the azimuth is singular"
    out: tuple = both_ways(text, "m", c[0], CLOSE)
    if kind == "spherical":
        text = "elevation nears 90 or -90 deg, where the azimuth is singular"
        out += both_ways(text, "1", K.cos(c[2]), SINGULAR_SINE)
    return out


def _pair(K, angle):
    return K.cos(angle), K.sin(angle)

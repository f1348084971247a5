"""Natural modes of uniform beams, as seen from one of their sections.

Functions of the share xi = x / L of the length.  Theory: BE.6, BE.7.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

PANELS = 40  # of the integrals of products of slopes, for each half wave


class ModeShape(NamedTuple):
    """One mode: deflection and slope by xi, its wave number, and the mean square of the mode."""

    deflection: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    wave: float
    square: float


def roots(ends: str, count: int) -> list[float]:
    """Wave numbers `beta L` of bending.

    >>> [round(x, 8) for x in roots("clamped-free", 3)]
    [1.87510407, 4.69409113, 7.85475744]
    """
    if ends == "pinned-pinned":
        return [np.pi * (j + 1) for j in range(count)]
    sign = 1.0 if ends == "clamped-free" else -1.0
    first = 0.5 if ends == "clamped-free" else 1.5
    out = []
    for j in range(count):
        x = np.pi * (j + first)
        for _ in range(60):  # Newton; the start is within 0.3, and near for all but the first
            f = np.cos(x) + sign / np.cosh(x)
            step = f / (-np.sin(x) - sign * np.tanh(x) / np.cosh(x))
            x -= step
            if abs(step) < 4e-16 * x:
                break
        out.append(float(x))
    return out


def bending(ends: str, count: int, origin: float) -> list[ModeShape]:
    """Bending modes, without the deflection and the slope that they have at `origin`.

    The deflection of the mode itself is one at its tip, or between pins where it is largest.
    """
    found = []
    for b in roots(ends, count):
        phi, slope = (_pinned if ends == "pinned-pinned" else _hung)(b, ends)
        square = 0.5 if ends == "pinned-pinned" else 0.25
        found.append(_seen_from(phi, slope, origin, b, square))
    return found


def _pinned(b: float, ends: str):
    return (lambda x: np.sin(b * x)), (lambda x: b * np.cos(b * x))


def _hung(b: float, ends: str):
    """Clamped and free, or free at both ends: written with exponentials that do not grow."""
    s = -1.0 if ends == "clamped-free" else 1.0
    if s > 0:  # sigma = (cosh - cos) / (sinh - sin)
        below = np.sinh(b) - np.sin(b)
        sigma = (np.cosh(b) - np.cos(b)) / below
        less = (np.cos(b) - np.sin(b) - np.exp(-b)) / below  # 1 - sigma, without canceling
    else:  # sigma = (sinh - sin) / (cosh + cos)
        below = np.cosh(b) + np.cos(b)
        sigma = (np.sinh(b) - np.sin(b)) / below
        less = (np.exp(-b) + np.cos(b) + np.sin(b)) / below

    def phi(x):
        grows, falls = 0.5 * less * np.exp(b * x), 0.5 * (1 + sigma) * np.exp(-b * x)
        return grows + falls + s * (np.cos(b * x) - sigma * np.sin(b * x))

    def slope(x):
        grows, falls = 0.5 * less * np.exp(b * x), 0.5 * (1 + sigma) * np.exp(-b * x)
        return b * (grows - falls - s * (np.sin(b * x) + sigma * np.cos(b * x)))

    tip = phi(np.float64(1.0))
    return (lambda x: phi(x) / tip), (lambda x: slope(x) / tip)


def along(ends: str, count: int, origin: float) -> list[ModeShape]:
    """Axial and torsional modes, without the motion that they have at `origin`."""
    found = []
    for j in range(count):
        b = np.pi * (j + 1.0 if ends == "free-free" else j + 0.5)
        phi, slope = _wave(float(b), 1.0 if ends == "free-free" else 0.0)
        moved = _less(phi, float(phi(origin)))
        found.append(ModeShape(moved, slope, float(b), 0.5))
    return found


def _less(phi, there: float):
    return lambda x: phi(x) - there


def _wave(b: float, cosine: float):
    """A sine, or a cosine, that is one at the tip."""
    sine, tip = 1.0 - cosine, np.cos(b) if cosine else np.sin(b)

    def phi(x):
        return (cosine * np.cos(b * x) + sine * np.sin(b * x)) / tip

    def slope(x):
        return b * (sine * np.cos(b * x) - cosine * np.sin(b * x)) / tip

    return phi, slope


def _seen_from(phi, slope, origin: float, b: float, square: float) -> ModeShape:
    d, s = float(phi(origin)), float(slope(origin))
    if origin == 0 and abs(d) < 1e-12 and abs(s) < 1e-12 * b:
        d = s = 0.0
    return ModeShape(
        lambda x: phi(x) - d - s * (x - origin), lambda x: slope(x) - s, float(b), square
    )


def bows(shapes: list[ModeShape], origin: float, xi: float) -> np.ndarray:
    """Integrals of products of slopes from `origin` to xi, shape (n, n)."""
    if not shapes or xi == origin:
        return np.zeros((len(shapes), len(shapes)))
    nodes, weights = gauss(PANELS + int(4 * max(s.wave for s in shapes)))
    x = origin + (xi - origin) * nodes
    slopes = np.array([s.slope(x) for s in shapes])
    return (xi - origin) * (slopes * weights) @ slopes.T


@lru_cache(maxsize=32)
def gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre between 0 and 1."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2

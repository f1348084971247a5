"""Curves and surfaces given by formulas, as points to draw."""

from __future__ import annotations

import numpy as np

from ..scalars import vector
from .model_numbers import Numbers

CURVE = 160  # points of a curve
NET = 22  # meshes of a net, each way


def points_of_curve(n: Numbers, mark, low: float, high: float) -> list[list[float]]:
    """Points of a curve a little beyond the part that was used: of its formulas, or its table."""
    if "points" in mark:
        return n.array(mark["points"]).tolist()
    reach = max(high - low, 1.0)
    out = []
    for s in np.linspace(low - 0.25 * reach, high + 0.25 * reach, CURVE):
        try:
            out.append([n.formula(e, **{mark["parameter"]: float(s)}) for e in mark["curve"]])
        except (ArithmeticError, ValueError):  # a root of a negative number, a pole
            continue
    return [p for p in out if np.isfinite(p).all()]


def grid_of_surface(n: Numbers, equation: str, path, least: float) -> np.ndarray | None:
    """A net (rows, columns, 3) on the sheet of f(x, y, z) = 0 nearest to a path in its axes.

    Along the direction in which f grows fastest, Newton's method from the path's own height.
    """

    def f(p):
        return n.formula(equation, x=float(p[0]), y=float(p[1]), z=float(p[2]))

    def slope(p, k, h=1e-6):
        e = np.zeros(3)
        e[k] = h * max(1.0, abs(p[k]))
        return (f(p + e) - f(p - e)) / (2 * e[k])

    try:
        middle = path.mean(axis=0)
        k = int(np.argmax([abs(slope(path[0], i)) for i in range(3)]))
        i, j = (m for m in range(3) if m != k)
        half = np.maximum(np.ptp(path, axis=0) / 2 * 1.2, least)
        net = np.empty((NET, NET, 3))
        for a, u in enumerate(np.linspace(-1, 1, NET)):
            for b, v in enumerate(np.linspace(-1, 1, NET)):
                p = middle.copy()
                p[i], p[j] = middle[i] + u * half[i], middle[j] + v * half[j]
                near = np.argmin((path[:, i] - p[i]) ** 2 + (path[:, j] - p[j]) ** 2)
                p[k] = path[near, k]
                net[a, b] = _root(f, slope, p, k)
    except (ArithmeticError, ValueError):
        return None
    return net if np.isfinite(net).all() else _filled(net)


def _root(f, slope, p, k) -> np.ndarray:
    """Newton's method along one coordinate; NaN where it does not arrive."""
    for _ in range(12):
        try:
            value, grow = f(p), slope(p, k)
        except (ArithmeticError, ValueError):
            break
        if not grow:
            break
        p[k] -= value / grow
        if abs(value / grow) < 1e-9 * max(1.0, abs(p[k])):
            return p
    p[k] = np.nan
    return p


def _filled(net) -> np.ndarray | None:
    """A net without the rows and columns that have no point of the surface, if enough is left."""
    good = np.isfinite(net).all(axis=2)
    rows = good.mean(axis=1) > 0.5
    net = net[rows]
    columns = np.isfinite(net).all(axis=(0, 2)) if len(net) else np.zeros(0, bool)
    net = net[:, columns]
    return net if min(net.shape[:2]) >= 3 else None


def grid_of_solid(n: Numbers, of, implicit: str | None) -> np.ndarray | None:
    """A net around a convex surface: by its normals, or by rays from the origin."""
    net = np.empty((NET + 1, 2 * NET + 1, 3))
    for a, theta in enumerate(np.linspace(1e-3, np.pi - 1e-3, NET + 1)):
        for b, phi in enumerate(np.linspace(0, 2 * np.pi, 2 * NET + 1)):
            u = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
            try:
                net[a, b] = (
                    np.array(of.touch(n.K, vector(u.tolist()))[1], float)
                    if of is not None
                    else u * _ray(n, implicit, u)
                )
            except (ArithmeticError, ValueError):
                return None
    return net if np.isfinite(net).all() else None


def _ray(n: Numbers, implicit, u) -> float:
    """How far from the origin a ray leaves the solid where the formula is of one sign."""

    def f(r):
        return n.formula(implicit, x=float(r * u[0]), y=float(r * u[1]), z=float(r * u[2]))

    inside, low, high = f(0.0), 0.0, 1e-3
    while f(high) * inside > 0 and high < 1e4:
        low, high = high, 1.6 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) * inside > 0 else (low, middle)
    return (low + high) / 2

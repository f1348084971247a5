"""Points on parametric curves, implicit surfaces and convex surfaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..scalars import vector
from .model_numbers import ModelNumbers

POINTS_PER_CURVE = 160  # points of a curve
CELLS_PER_EDGE = 22  # meshes of a net, each way


def sample_curve(
    n: ModelNumbers, mark: Mapping[str, Any], low: float, high: float
) -> list[list[float]]:
    """Sample a curve, from its table or its formulas, slightly beyond the used range."""
    if "points" in mark:
        return n.array(mark["points"]).tolist()
    reach = max(high - low, 1.0)
    out = []
    for s in np.linspace(low - 0.25 * reach, high + 0.25 * reach, POINTS_PER_CURVE):
        try:
            out.append(
                [n.evaluate_formula(e, **{mark["parameter"]: float(s)}) for e in mark["curve"]]
            )
        except (ArithmeticError, ValueError):  # a root of a negative number, a pole
            continue
    return [p for p in out if np.isfinite(p).all()]


def sample_surface(
    n: ModelNumbers, equation: str, path: np.ndarray, min_extent: float
) -> np.ndarray | None:
    """Sample the sheet of f(x, y, z) = 0 nearest to a path: a grid (rows, columns, 3), or None.

    Newton's method along the direction of the steepest derivative starts from the height of the
    path.
    """

    def f(p):
        return n.evaluate_formula(equation, x=float(p[0]), y=float(p[1]), z=float(p[2]))

    def partial_derivative(p, k, h=1e-6):
        e = np.zeros(3)
        e[k] = h * max(1.0, abs(p[k]))
        return (f(p + e) - f(p - e)) / (2 * e[k])

    try:
        middle = path.mean(axis=0)
        k = int(np.argmax([abs(partial_derivative(path[0], i)) for i in range(3)]))
        i, j = (m for m in range(3) if m != k)
        half = np.maximum(np.ptp(path, axis=0) / 2 * 1.2, min_extent)
        grid = np.empty((CELLS_PER_EDGE, CELLS_PER_EDGE, 3))
        for a, u in enumerate(np.linspace(-1, 1, CELLS_PER_EDGE)):
            for b, v in enumerate(np.linspace(-1, 1, CELLS_PER_EDGE)):
                p = middle.copy()
                p[i], p[j] = middle[i] + u * half[i], middle[j] + v * half[j]
                nearest = np.argmin((path[:, i] - p[i]) ** 2 + (path[:, j] - p[j]) ** 2)
                p[k] = path[nearest, k]
                grid[a, b] = _solve_newton(f, partial_derivative, p, k)
    except (ArithmeticError, ValueError):
        return None
    return grid if np.isfinite(grid).all() else _drop_invalid_rows(grid)


def _solve_newton(f, partial_derivative, p, k) -> np.ndarray:
    """Solve f = 0 along one coordinate by Newton's method. NaN marks a failure."""
    for _ in range(12):
        try:
            value, slope = f(p), partial_derivative(p, k)
        except (ArithmeticError, ValueError):
            break
        if not slope:
            break
        p[k] -= value / slope
        if abs(value / slope) < 1e-9 * max(1.0, abs(p[k])):
            return p
    p[k] = np.nan
    return p


def _drop_invalid_rows(grid) -> np.ndarray | None:
    """Drop rows and columns of a grid without surface points. None if fewer than three remain."""
    is_valid = np.isfinite(grid).all(axis=2)
    rows = is_valid.mean(axis=1) > 0.5
    grid = grid[rows]
    columns = np.isfinite(grid).all(axis=(0, 2)) if len(grid) else np.zeros(0, bool)
    grid = grid[:, columns]
    return grid if min(grid.shape[:2]) >= 3 else None


def sample_convex_surface(n: ModelNumbers, surface: Any, implicit: str | None) -> np.ndarray | None:
    """Sample a convex surface by its support function, or by rays from the origin."""
    grid = np.empty((CELLS_PER_EDGE + 1, 2 * CELLS_PER_EDGE + 1, 3))
    for a, theta in enumerate(np.linspace(1e-3, np.pi - 1e-3, CELLS_PER_EDGE + 1)):
        for b, phi in enumerate(np.linspace(0, 2 * np.pi, 2 * CELLS_PER_EDGE + 1)):
            u = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
            try:
                grid[a, b] = (
                    np.array(surface.touch(n.K, vector(u.tolist()))[1], float)
                    if surface is not None
                    else u * _ray_length(n, implicit, u)
                )
            except (ArithmeticError, ValueError):
                return None
    return grid if np.isfinite(grid).all() else None


def _ray_length(n: ModelNumbers, implicit, u) -> float:
    """Distance from the origin at which a ray leaves an implicit solid, by bisection."""

    def f(r):
        return n.evaluate_formula(implicit, x=float(r * u[0]), y=float(r * u[1]), z=float(r * u[2]))

    center_value, low, high = f(0.0), 0.0, 1e-3
    while f(high) * center_value > 0 and high < 1e4:
        low, high = high, 1.6 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) * center_value > 0 else (low, middle)
    return (low + high) / 2

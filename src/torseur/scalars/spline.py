"""Cubic splines through points: twice smooth, by one sweep along the points.  Theory: CO.12."""

from __future__ import annotations

import numpy as np


def spline(x, y, ends: str = "not-a-knot") -> np.ndarray:
    """Coefficients (n - 1, 4, columns), lowest power first, of cubic pieces through points.

    `ends`: "not-a-knot" (the first two pieces are one cubic, and the last two), "natural" (straight
    at both ends) or "periodic" (the last row of y is the first).

    >>> (spline([0, 1, 3, 4], [[0], [1], [9], [16]])[:, :, 0].round(12) + 0.0).tolist()
    [[0.0, 0.0, 1.0, 0.0], [1.0, 2.0, 1.0, 0.0], [9.0, 6.0, 1.0, 0.0]]
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    h = np.diff(x)
    d = np.diff(y, axis=0) / h[:, None]
    low, mid, up = np.append(h[1:], 0.0), np.zeros(len(x)), np.append(0.0, h[:-1])
    mid[1:-1] = 2 * (h[:-1] + h[1:])  # of the slopes at the knots
    b = np.zeros_like(y)
    b[1:-1] = 3 * (h[1:, None] * d[:-1] + h[:-1, None] * d[1:])
    if ends == "periodic":
        m = _round(low, mid, up, b, h, d)
    else:
        for end, away in ((0, 1), (-1, -2)):
            if ends == "natural":
                mid[end], other, b[end] = 2.0, 1.0, 3 * d[end]
            else:  # the third derivative is continuous
                a, c = h[end], h[away]
                mid[end], other = c, a + c
                b[end] = ((a + 2 * (a + c)) * c * d[end] + a * a * d[away]) / (a + c)
            (up if end == 0 else low)[end] = other
        m = _solve_tridiagonal(low, mid, up, b)
    c2 = (3 * d - 2 * m[:-1] - m[1:]) / h[:, None]
    c3 = (m[:-1] + m[1:] - 2 * d) / (h * h)[:, None]
    return np.stack([y[:-1], m[:-1], c2, c3], axis=1)


def overshoot(x, y, curve) -> str:
    """Remark on a curve that overshoots its points, or "".  CO.23

    The limit is half of the range of the four points around and a twentieth of the whole range.


    >>> overshoot([0, 1, 2], [0, 1, 0], lambda s: 1 - (s - 1) ** 2)
    ''
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    at = x[:-1, None] + np.diff(x)[:, None] * np.arange(1, 16) / 16
    c = curve(at)
    near = np.stack([np.r_[y[0], y[:-2]], y[:-1], y[1:], np.r_[y[2:], y[-1]]])
    low, high = near.min(axis=0), near.max(axis=0)
    beyond = np.maximum(c - high[:, None], low[:, None] - c)
    beyond[beyond.max(axis=1) <= (high - low) / 2] = 0
    i, j = np.unravel_index(int(beyond.argmax()), beyond.shape)
    if beyond[i, j] <= max(np.ptp(y) / 20, 1e-9 * abs(y).max()):
        return ""
    return (
        f"the spline through its points comes to {c[i, j]:.4g} at {at[i, j]:.4g} s, between points "
        f"of {y[i]:.4g} and {y[i + 1]:.4g}: give more points where they step"
    )


def _solve_tridiagonal(low, mid, up, b) -> np.ndarray:
    """Solution of a tridiagonal system: row i has low[i - 1], mid[i], up[i]."""
    low, mid, up, b = low.tolist(), mid.tolist(), up.tolist(), b.copy()
    for i in range(1, len(mid)):
        w = low[i - 1] / mid[i - 1]
        mid[i] -= w * up[i - 1]
        b[i] -= w * b[i - 1]
    b[-1] /= mid[-1]
    for i in range(len(mid) - 2, -1, -1):
        b[i] = (b[i] - up[i] * b[i + 1]) / mid[i]
    return b


def _round(low, mid, up, b, h, d) -> np.ndarray:
    """Slopes of a closed line: its first row ties the first slope to that before the last."""
    mid, b = mid[:-1].copy(), b[:-1].copy()
    mid[0], b[0] = 2 * (h[0] + h[-1]), 3 * (h[0] * d[-1] + h[-1] * d[0])
    low, up, corner, other = low[:-1], up[:-1].copy(), h[0], h[-2]
    up[0] = h[-1]
    mid[0] -= corner  # the corners are a product of two columns
    mid[-1] -= other
    u = np.zeros((len(mid), 1))
    u[0], u[-1] = corner, other
    found = _solve_tridiagonal(low, mid, up, np.hstack([b, u]))
    m, z = found[:, :-1], found[:, -1:]
    m = m - z * ((m[0] + m[-1]) / (1 + z[0] + z[-1]))
    return np.vstack([m, m[:1]])

"""The largest rate at every point of a path, within bounds.  Theory: TO.3 to TO.6."""

from __future__ import annotations

import numpy as np

from ..errors import TorseurError


def profile(grid, A, B, C, top, who, names, limits):
    """Largest s'^2 at every point: sets from which the end can be reached, from the end; then as
    quick as they allow, from the start."""  # TO.3, TO.4
    n, h = len(grid), np.diff(grid)
    stand = C > 1e-9 * (1 + abs(C))
    if stand.any():
        i, k = np.argwhere(stand)[0]
        k = int(np.argmax(C[i]))
        joint, limit = _named(names[k], limits)
        raise TorseurError(
            f"time_optimal: at {grid[i]:.3g} of the path joint {joint!r} needs "
            f"{limit + C[i, k]:.6g} to stand still, {C[i, k]:.4g} more than its max_effort "
            f"{limit:g}; raise the limit, balance the arm, or take another way"
        )
    # each step must hold its bounds at both of its ends, x there being the state before and after
    hi = np.zeros(n)
    for i in range(n - 2, -1, -1):
        a, b, c = _both(A, B, C, i, h[i])
        hi[i] = _highest(a, b, c, h[i], hi[i + 1], top[i])
        if hi[i] < 0:
            raise TorseurError(
                f"time_optimal: at {grid[i]:.3g} of the path nothing can be slow enough to go on; "
                "give more points="
            )
    x = np.zeros(n)
    active = [""] * n
    for i in range(n - 1):
        a, b, c = _both(A, B, C, i, h[i])
        high, which = _pushes(a, b, c, x[i], h[i], hi[i + 1], top[i + 1])
        x[i + 1] = min(max(x[i] + 2 * h[i] * high, 0.0), hi[i + 1])
        if which >= 0:
            active[i] = names[which % len(names)]
        elif top[i + 1] <= hi[i + 1] * (1 + 1e-9) and x[i + 1] >= top[i + 1] * (1 - 1e-9):
            active[i] = str(who[i + 1])
        else:
            active[i] = "braking"
    return x, tuple(active)


def _named(name, limits):
    joint = name.rpartition(".")[0]
    return joint, next(e for n, _, e, _ in limits if n == joint)


def _both(A, B, C, i, h):
    """Bounds of the step from point i in (u, x_i): at its start, and at its end with
    `x_{i+1} = x_i + 2 h u`.  # TO.5"""
    a = np.concatenate([A[i], A[i + 1] + 2 * h * B[i + 1]])
    b = np.concatenate([B[i], B[i + 1]])
    c = np.concatenate([C[i], C[i + 1]])
    return a, b, c


def _highest(a, b, c, h, most, top):
    """Largest x with some u: `a u + b x + c <= 0`, `0 <= x + 2 h u <= most`, `0 <= x <= top`.

    The largest x of a polygon in the plane is found by turning every pair of bounds that push u
    from below and from above into a bound of x.  # TO.6
    """
    a = np.concatenate([a, [2 * h, -2 * h]])
    b = np.concatenate([b, [1.0, -1.0]])
    c = np.concatenate([c, [-most, 0.0]])
    size = abs(a).max()
    up, down = a > 1e-14 * size, a < -1e-14 * size
    flat = ~(up | down)
    high, low = top, 0.0
    for slope, rest in zip(b[flat], c[flat], strict=True):
        if slope > 0:
            high = min(high, -rest / slope)
        elif slope < 0:
            low = max(low, -rest / slope)
        elif rest > 1e-9:
            return -1.0
    # u <= (-b x - c) / a for up, u >= (-b x - c) / a for down
    p, r = (-b[up] / a[up], -c[up] / a[up]), (-b[down] / a[down], -c[down] / a[down])
    slope = (r[0][:, None] - p[0][None, :]).ravel()
    gap = (p[1][None, :] - r[1][:, None]).ravel()
    plus, minus = slope > 1e-300, slope < -1e-300
    if plus.any():
        high = min(high, float((gap[plus] / slope[plus]).min()))
    if minus.any():
        low = max(low, float((gap[minus] / slope[minus]).max()))
    return high if high >= low - 1e-12 * (1 + abs(low)) else -1.0


def _pushes(a, b, c, x, h, most, top):
    """Largest u at x, and which bound it is (-1: the set ahead)."""
    rest = -(b * x + c)
    size = abs(a).max(initial=1e-300)
    up, down = a > 1e-14 * size, a < -1e-14 * size
    limit = (min(most, top) - x) / (2 * h)
    high, which = limit, -1
    if up.any():
        each = rest[up] / a[up]
        k = int(np.argmin(each))
        if each[k] < high:
            high, which = float(each[k]), int(np.flatnonzero(up)[k])
    low = -x / (2 * h)
    if down.any():
        low = max(low, float((rest[down] / a[down]).max()))
    return max(high, min(low, limit)), which


__all__ = ["profile"]

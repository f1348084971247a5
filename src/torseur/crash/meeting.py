"""Two vehicles that meet, each with one of its faces.  Theory: CV.6, CV.7, CV.9."""

from __future__ import annotations

import numpy as np

from .faces import Face
from .parts import TOUCH


def meet(parts, a: Face, b: Face, facing, speeds, shift, turn, friction, cell_mass, carried=False):
    """Put two vehicles face to face; b's face is turned by half a turn and `turn`.  CV.6

    The world's axes are those of a's face.  F is where the middle of b's face stands, at `shift`
    across from a's; the nearest ends touch.
    """
    mine, theirs = facing
    yaw = np.pi + turn
    c, s = (np.cos(yaw), np.sin(yaw)) if turn else (-1.0, 0.0)
    front = max((f.tip[0] for f in theirs), default=b.plane)
    y = a.middle + shift
    if mine:
        F = np.array([min(c * f.tip[0] + s * (f.tip[1] - y) for f in mine) / c, y])
    else:
        ahead = min(c * (f.tip[0] - front) - s * (f.tip[1] - b.middle) for f in theirs)
        F = np.array([a.plane - ahead, y])
    turned = np.array([[c, -s], [s, c]])
    (v, u), origin = speeds, F - turned @ (front, b.middle)
    both = bool(mine and theirs) and not carried
    if both:
        near = np.array([F[0], a.middle + shift / 2])
        origin, middle = _touching(mine, theirs, origin, near, c, s)
    parts.vehicle(a.vehicle, (0.0, 0.0), -a.angle, *v)
    parts.vehicle(b.vehicle, origin, yaw - b.angle, *u)
    if not theirs:
        half, name = b.width / 2, b.frame(parts)
        edges = None if b.name == "front" else (b.middle - half, b.middle + half)
        for f in mine:
            across = -s * (f.tip[0] - F[0]) + c * (f.tip[1] - F[1]) + b.middle
            parts.press(f, name, (front, across), "x", friction, edges)
        return
    if not mine:
        name = a.frame(parts)
        for f in theirs:
            parts.press(f, name, (a.plane, float((origin + turned @ f.tip[:2])[1])), "x", friction)
        return
    across = [-s * (f.tip[0] - F[0]) + c * (f.tip[1] - F[1]) + b.middle for f in mine]
    places = _met(across, [f.tip[1] for f in theirs])
    for i, (ours, others) in enumerate(places, 1):
        name, y = f"cell{i}", float(np.mean([theirs[k].tip[1] for k in others]))
        if both:
            parts.between(name, cell_mass)
            ends = (a.frame(parts), (*middle[0], 0.0)), (b.frame(parts), (*middle[1], 0.0))
            for side, facing, who in (("a", mine, ours), ("b", theirs, others)):
                for k in who:
                    parts.meet(facing[k], *ends, name, side, friction)
            continue
        parts.cell(name, b.vehicle.main, (front, y, 0.0), cell_mass, 0.0)
        for k in ours:
            parts.press(mine[k], name, (0.0, across[k] - y), "x", friction)
        for k in others:
            parts.press(theirs[k], name, (0.0, theirs[k].tip[1] - y), "-x", friction)


def _touching(mine, theirs, origin, near, c, s):
    """Where b stands such that its ends and a's touch one plane, half way between both faces; and
    the place of that plane nearest to `near`, in axes of a's face and of b's.  CV.7"""
    n = np.array([1 - c, -s])
    n /= np.linalg.norm(n)
    turn = np.array([[c, -s], [s, c]])
    reach = max(n @ f.tip[:2] for f in mine)
    back = min(n @ (origin + turn @ f.tip[:2]) for f in theirs)
    origin = origin + (reach - back) * n
    middle = near + (reach - n @ near) * n
    return origin, (middle, turn.T @ (middle - origin))


def _met(ours, theirs) -> list[tuple[list[int], list[int]]]:
    """Who meets in one cell: each end with the nearest of the other side, all that hang together.

    >>> _met([0.0, 0.5], [0.5, 0.0]), _met([0.4, 0.7], [0.2, 0.5])
    ([([0], [1]), ([1], [0])], [([0, 1], [0, 1])])
    """

    def nearest(y, others):
        least = min(abs(z - y) for z in others)
        first = next(z for z in others if abs(z - y) == least)
        return {k for k, z in enumerate(others) if abs(z - first) < TOUCH}

    groups = [({i}, nearest(y, theirs)) for i, y in enumerate(ours)]
    groups += [(nearest(y, ours), {j}) for j, y in enumerate(theirs)]
    out: list[tuple[set, set]] = []
    for a, b in groups:
        touched = [g for g in out if g[0] & a or g[1] & b]
        out = [g for g in out if g not in touched]
        out.append((a.union(*(g[0] for g in touched)), b.union(*(g[1] for g in touched))))
    return sorted((sorted(a), sorted(b)) for a, b in out)

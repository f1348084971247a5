"""Who faces what; two vehicles nose to nose, or one in the other's side.  Theory: CV.6, CV.9."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from ..model import Frame
from .parts import TOUCH, Facing


def facing_of(vehicle, covered, name) -> list[Facing]:
    """Free ends that stand before something that covers y from ... to ... of the vehicle.  CV.4"""
    low, high = covered
    out, free = [], [m for m in vehicle.members if m.free]
    flat = not any(m.tip[1] or float(m.width) for m in free)
    for m in free:
        tip, half = m.tip, (vehicle.width if flat else float(m.width)) / 2
        if half == 0 or (low == -np.inf and high == np.inf):
            if low <= tip[1] <= high:
                out.append(Facing(m, 1.0, tip))
            continue
        left, right = max(low, tip[1] - half), min(high, tip[1] + half)
        if right > left:
            at = np.array([tip[0], (left + right) / 2, tip[2]])
            out.append(Facing(m, (right - left) / (2 * half), at))
    if not out:
        ends = ", ".join(f"{m.name} at y = {m.tip[1]:g} m" for m in free)
        raise ModelError(
            [
                f"vehicle {vehicle.name!r}: no free end meets {name!r}, which covers y from "
                f"{low:.4g} to {high:.4g} m (free ends: {ends or 'none'}); give members a width, "
                "or change overlap or side"
            ]
        )
    return out


def before(x, other, shift, turn) -> list[Facing]:
    """Free ends of a vehicle that stand before the other one."""
    if not any(m.free for m in x.members):
        return []
    half, c = other.width / 2, np.cos(turn)
    whole = not shift and other.width >= x.width
    covered = (-np.inf, np.inf) if whole else ((shift - half) / c, (shift + half) / c)
    return facing_of(x, covered, other.name)


def meet(parts, a, b, facing, speeds, shift, turn, friction, cell_mass, carried=False):
    """Put two vehicles nose to nose; `b` is turned by half a turn and `turn`.  CV.6

    F is where the middle of b's front stands, at `shift` across; the nearest ends touch.
    """
    mine, theirs = facing
    yaw = np.pi + turn
    c, s = (np.cos(yaw), np.sin(yaw)) if turn else (-1.0, 0.0)
    front = max((f.tip[0] for f in theirs), default=0.0)
    if mine:
        F = np.array([min(c * f.tip[0] + s * (f.tip[1] - shift) for f in mine) / c, shift])
    else:
        F = np.array([-min(c * (f.tip[0] - front) - s * f.tip[1] for f in theirs), shift])
    (v, u), origin = speeds, F - front * np.array([c, s])
    both = bool(mine and theirs) and not carried
    if both:
        origin, middle = _touching(mine, theirs, origin, np.array([F[0], shift / 2]), c, s)
    parts.vehicle(a, (0.0, 0.0), 0.0, v)
    parts.vehicle(b, origin, yaw, u)
    if not mine or not theirs:
        soft, rigid, at = (mine, b, front) if mine else (theirs, a, 0.0)
        for f in soft:
            y = c * (f.tip[1] - shift) if mine else shift + c * f.tip[1]
            parts.press(f, rigid.main, (at, y), "x", friction)
        return
    across = [-s * (f.tip[0] - F[0]) + c * (f.tip[1] - shift) for f in mine]  # in b's axes
    places = _met(across, [f.tip[1] for f in theirs])
    for i, (ours, others) in enumerate(places, 1):
        name, y = f"cell{i}", float(np.mean([theirs[k].tip[1] for k in others]))
        if both:
            parts.between(name, cell_mass)
            ends = (a.main, (*middle[0], 0.0)), (b.main, (*middle[1], 0.0))
            for side, facing, who in (("a", mine, ours), ("b", theirs, others)):
                for k in who:
                    parts.meet(facing[k], *ends, name, side, friction)
            continue
        parts.cell(name, b.main, (front, y, 0.0), cell_mass, 0.0)
        for k in ours:
            parts.press(mine[k], name, (0.0, across[k] - y), "x", friction)
        for k in others:
            parts.press(theirs[k], name, (0.0, theirs[k].tip[1] - y), "-x", friction)


FACES = ("front", "side", "rear")
LIMITS = np.radians((75.0, 135.0))  # angles from which the other is struck on its side, its rear


def struck_face(turn: float, face: str | None = None) -> str:
    """Which face of the other vehicle is struck at an angle, unless it is said.

    >>> struck_face(0.3), struck_face(-np.pi / 2), struck_face(np.pi)
    ('front', 'side', 'rear')
    """
    if face is not None:
        return face
    turn = abs((turn + np.pi) % (2 * np.pi) - np.pi)
    return FACES[int(np.searchsorted(LIMITS, turn - 1e-12))]


def strike(parts, a, b, face, part, speeds, turn, friction) -> None:
    """A vehicle against the side or the rear of another, which is rigid there.  CV.9"""
    nose = max((float(m.tip[0]) for m in b.members if m.free), default=0.0)
    length, width, _ = b.size
    right = np.sin(turn) > 0
    if face == "rear":
        quarter, half, middle = np.pi, width / 2, (nose - length, 0.0)
    else:
        quarter, half = (-np.pi / 2 if right else np.pi / 2), length / 2
        middle = (nose - length / 2, -width / 2 if right else width / 2)
    turned = (turn + quarter + np.pi) % (2 * np.pi) - np.pi  # as if it were a front
    shift = (1 - part) * (a.width / 2 + half)
    c, s = -np.cos(turned), -np.sin(turned)  # its outward normal
    if c > -1e-6:
        raise ModelError([f"vehicle {b.name!r}: at {np.degrees(turn):g} deg its {face} looks away "
                          f"from {a.name!r}"])  # fmt: skip
    facing = facing_of(a, ((shift - half) / -c, (shift + half) / -c), b.name)
    F = np.array([min(c * f.tip[0] + s * (f.tip[1] - shift) for f in facing) / c, shift])
    yaw = np.pi + turn
    R = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    parts.vehicle(a, (0.0, 0.0), 0.0, speeds[0])
    parts.vehicle(b, F - R @ middle, yaw, speeds[1])
    name = f"{b.main}_{face}"
    parts.frames.append(Frame(name, b.main, (*middle, 0.0), (0.0, 0.0, quarter)))
    for f in facing:
        y = -s * (f.tip[0] - F[0]) + c * (f.tip[1] - F[1])  # along the face
        parts.press(f, name, (0.0, y), "x", friction, (-half, half))


def _touching(mine, theirs, origin, near, c, s):
    """Where b stands such that its ends and a's touch one plane, half way between both fronts; and
    the place of that plane nearest to `near`, in axes of a and of b.  CV.7"""
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

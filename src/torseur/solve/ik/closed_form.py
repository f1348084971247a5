"""Six joints with a closed form: three axes that meet, three of one plane, or three slides.

Theory: IK.5 to IK.10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .product_of_exponentials import (
    NEAR,
    JointScrew,
    angle_between,
    circle_roots,
    dot,
    inverted,
    wave_roots,
)
from .subproblems import lifted, orient, plane, reach

Solver = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Why a chain has a closed form, and it: `solve(G)` for motions G of the tool from its place at
    zero, (poses, 4, 4), gives (poses, branches, joints), NaN where there is none."""

    name: str
    solve: Solver
    turns: Callable[[np.ndarray], list[tuple[str, np.ndarray]]]
    """Quantities whose signs tell branches apart: word and values, from q (rows, joints)."""
    how: str = "closed form"


def _rest(chain, i, G):
    """Joints around three in the middle, as motions after which `W = Ea Eb Ec G` is left for those
    three; and their places in the chain."""
    seq = [s.back() for s in reversed(chain[:i])]
    seq += [s.back().carried(G) for s in reversed(chain[i + 3 :])]
    return seq, [*reversed(range(i)), *reversed(range(i + 3, 6))]


def _product(seq, q, G):
    """`E1 ... En G` with q of shape (poses, branches, n)."""
    out = np.broadcast_to(G[:, None], (*q.shape[:2], 4, 4))
    for k in reversed(range(len(seq))):
        out = lifted(seq[k]).motion(q[..., k]) @ out
    return out


def wrist(chain, i, c, scale):
    """Three axes that meet: their point is brought by the other three joints.  # IK.8"""

    def solve(G):
        seq, order = _rest(chain, i, G)
        x = (G[:, :3, :3] @ c) + G[:, :3, 3]
        first, second, third = seq
        q3 = reach(first, second, third, x, np.broadcast_to(c, x.shape), scale)
        W = _product(seq, q3, G)
        first, second, third = chain[i : i + 3]
        w = orient(first, second, third, W[..., :3, :3])  # (poses, k, 2, 3)
        q = np.full((*w.shape[:3], 6), np.nan)
        q[..., order] = q3[:, :, None]
        q[..., i : i + 3] = w
        return q.reshape(len(G), -1, 6)

    def turns(q):
        arm = arm_turns(chain, c, q) if i == 3 else []
        return [*arm, *wrist_turns(chain[i : i + 3], q[:, i : i + 3])]

    return Family("three axes that meet", solve, turns)


def wrist_turns(screws, q):
    a, b, c = screws
    return [("not flipped|flipped", dot(a.axis, np.cross(b.axis, b.spin(q[:, 1], c.axis))))]


def arm_turns(chain, c, q):
    """Where the shoulder and the elbow of a carrier of three joints stand."""
    a, b, d = chain[:3]
    if not (a.turns and b.turns and d.turns):
        return []
    wrist = a.move(q[:, 0], b.move(q[:, 1], d.move(q[:, 2], np.broadcast_to(c, (len(q), 3)))))
    h2 = a.spin(q[:, 0], np.broadcast_to(b.axis, wrist.shape))
    front = dot(np.cross(h2, a.axis), wrist - a.point)
    home = dot(np.cross(b.axis, a.axis), c - a.point)
    h3 = a.spin(q[:, 0], b.spin(q[:, 1], np.broadcast_to(d.axis, wrist.shape)))
    o2 = a.move(q[:, 0], np.broadcast_to(b.point, wrist.shape))
    o3 = a.move(q[:, 0], b.move(q[:, 1], np.broadcast_to(d.point, wrist.shape)))
    bend = dot(h3, np.cross(o3 - o2, wrist - o3))
    if np.linalg.norm(np.cross(b.axis, d.axis)) > 1e-6 or (
        np.linalg.norm(np.cross(a.axis, b.axis)) < 1e-6
    ):
        return [("elbow +|elbow -", bend)]
    return [
        ("front|back", front * (-1 if home < -1e-9 else 1)),
        ("elbow up|elbow down", bend * np.sign(front)),
    ]


def planar(chain, i, h, scale):
    """Three joints of one plane: the others bring its normal and its height right.  # IK.9"""

    def setting(G):
        seq, order = _rest(chain, i, G)
        a, b, c = seq
        N = len(G)
        pc = np.broadcast_to(c.point, (N, 3))
        cross = np.cross(b.axis, c.axis)
        s2 = dot(cross, cross)
        with np.errstate(invalid="ignore", divide="ignore"):
            t = dot(np.cross(c.point - b.point, b.axis), cross) / s2
        meet = np.broadcast_to(c.point + np.where(s2 > NEAR, t, 0.0)[..., None] * c.axis, (N, 3))
        pc = np.where(np.broadcast_to(s2 > NEAR, (N,))[:, None], meet, pc)
        p0 = dot(h, moved(inverted(G), pc))
        axis, goal = np.broadcast_to(c.axis, (N, 3)), G[:, :3, :3] @ h
        A, B = lifted(a), lifted(b)

        def tilt(qa, qb):
            u = B.back().spin(qb, A.back().spin(qa, np.broadcast_to(h, (*qa.shape, 3))))
            return dot(axis[:, None], u) - dot(axis, goal)[:, None]

        def rise(qa, qb):
            return (
                dot(h, A.move(qa, B.move(qb, np.broadcast_to(pc[:, None], (*qa.shape, 3)))))
                - p0[:, None]
            ) / scale

        return seq, order, goal, tilt, rise

    def solve(G):
        seq, order, goal, tilt, rise = setting(G)
        N = len(G)
        some = np.broadcast_to(np.array([0.3, 1.7, 4.1]), (N, 3))
        lone = [abs(np.stack(_linear(f, some)[:2])).max(initial=0.0) < 1e-10 for f in (rise, tilt)]
        if lone[0] or lone[1]:
            first, second = (rise, tilt) if lone[0] else (tilt, rise)

            def at(q):
                return first(np.broadcast_to(q, (N, len(q))), np.zeros((N, len(q))))

            qa = np.repeat(wave_roots(at, 1), 2, axis=-1)
            two = circle_roots(*_linear(second, qa))
            qb = np.where(np.arange(4) % 2 == 0, two[..., 0], two[..., 1])
        else:

            def resultant(q):
                q = np.broadcast_to(q, (N, len(q)))
                (A1, B1, C1), (A2, B2, C2) = _linear(rise, q), _linear(tilt, q)
                return (
                    (B1 * C2 - B2 * C1) ** 2 + (C1 * A2 - C2 * A1) ** 2 - (A1 * B2 - A2 * B1) ** 2
                )

            qa = wave_roots(resultant, 4)
            (A1, B1, C1), (A2, B2, C2) = _linear(rise, qa), _linear(tilt, qa)
            det = np.sign(A1 * B2 - A2 * B1)
            qb = np.arctan2((A2 * C1 - A1 * C2) * det, (B1 * C2 - B2 * C1) * det)
        A, B, C = map(lifted, seq)
        came = B.back().spin(qb, A.back().spin(qa, np.broadcast_to(h, (*qa.shape, 3))))
        free = np.linalg.norm(np.cross(C.axis, goal[:, None]), axis=-1) < 1e-8
        qc = np.where(free, 0 * qa, angle_between(C, goal[:, None], came))
        q3 = np.stack([qa, qb, qc], -1)
        W = _product(seq, q3, G)
        k = q3.shape[1]
        first, second, third = chain[i : i + 3]
        w = plane(first, second, third, h, W.reshape(-1, 4, 4), scale)
        m = w.shape[1]
        q = np.full((N, k, m, 6), np.nan)
        q[..., order] = q3[:, :, None]
        q[..., i : i + 3] = w.reshape(N, k, m, 3)
        return q.reshape(N, -1, 6)

    def turns(q):
        T = _chain_motion(chain, q)
        _, order, _, tilt, rise = setting(T)
        qa, qb = q[:, order[:1]], q[:, order[1:2]]

        def slope(f, x, y, dx, dy):
            return (f(x + dx, y + dy) - f(x - dx, y - dy))[:, 0]

        e = 1e-6
        words = []
        some = np.broadcast_to(np.array([0.3, 1.7, 4.1]), (len(q), 3))
        if abs(np.stack(_linear(rise, some)[:2])).max(initial=0.0) < 1e-10:
            words = [
                ("shoulder left|shoulder right", slope(rise, qa, qb, e, 0)),
                ("wrist up|wrist down", slope(tilt, qa, qb, 0, e)),
            ]
        return [*words, *bend(chain[i : i + 3], h, q[:, i : i + 3])]

    return Family("three parallel axes", solve, turns)


def bend(screws, h, q):
    a, b, c = screws
    if not (a.turns and b.turns and c.turns):
        return []
    o3 = b.move(q[:, 1], np.broadcast_to(c.point, (len(q), 3)))
    return [("elbow up|elbow down", dot(h, np.cross(b.point - a.point, o3 - b.point)))]


def _linear(f, qa):
    """(A, B, C) of f = A cos(qb) + B sin(qb) + C at given qa, each (poses, k)."""
    zero = np.zeros_like(qa)
    f0, f1, f2 = f(qa, zero), f(qa, zero + np.pi / 2), f(qa, zero + np.pi)
    C = (f0 + f2) / 2
    return (f0 - f2) / 2, f1 - C, C


def _chain_motion(chain, q):
    out = np.broadcast_to(np.eye(4), (len(q), 4, 4))
    for k, s in enumerate(chain):
        out = out @ s.motion(q[:, k])
    return out


def turns_and_slides(chain):
    """Three turns make the orientation alone; three slides then make the place."""
    R = [k for k, s in enumerate(chain) if s.turns]
    P = [k for k, s in enumerate(chain) if not s.turns]

    def solve(G):
        first, second, third = (chain[k] for k in R)
        w = orient(first, second, third, G[:, :3, :3])
        q = np.zeros((*w.shape[:2], 6))
        q[..., R] = w
        flat = q.reshape(-1, 6)
        base = _chain_motion(chain, flat)[:, :3, 3]
        M = np.empty((len(flat), 3, 3))
        for j, k in enumerate(P):
            one = flat.copy()
            one[:, k] = 1
            M[:, :, j] = _chain_motion(chain, one)[:, :3, 3] - base
        left = np.repeat(G[:, :3, 3], w.shape[1], axis=0) - base
        flat[:, P] = (np.linalg.pinv(np.nan_to_num(M)) @ left[..., None])[..., 0]
        return flat.reshape(q.shape)

    return Family(
        "three turns, three slides", solve, lambda q: wrist_turns([chain[k] for k in R], q[:, R])
    )


def moved(G, p):
    return (G[:, :3, :3] @ p[..., None])[..., 0] + G[:, :3, 3]


# --------------------------------------------------------------------------------------------
# Chains whose geometry gives every solution in closed form: which they are, and how.
#
# Theory: IK.5 to IK.10.


def meeting(screws: Sequence[JointScrew], scale: float) -> np.ndarray | None:
    """The point where turning axes all meet, if they do and are not parallel.  # IK.8"""
    if not all(s.turns for s in screws):
        return None
    if any(np.linalg.norm(np.cross(a.axis, b.axis)) < 1e-6 for a, b in pairwise(screws)):
        return None
    P = [np.eye(3) - np.outer(s.axis, s.axis) for s in screws]
    b = sum(p @ s.point for p, s in zip(P, screws, strict=True))
    c = np.linalg.solve(sum(P), b)
    off = max(np.linalg.norm(p @ (c - s.point)) for p, s in zip(P, screws, strict=True))
    return c if off < NEAR * scale * 10 else None


def normal_of(screws: Sequence[JointScrew]) -> np.ndarray | None:
    """The normal of the plane that joints move in: turns along it, slides across it, at least one
    turn; None if there is none."""
    turning = [s for s in screws if s.turns]
    if not turning:
        return None
    n = turning[0].axis
    for s in screws:
        off = np.linalg.norm(np.cross(n, s.axis)) if s.turns else abs(n @ s.axis)
        if off > NEAR * 10:
            return None
    return n


def closed_form(
    chain: Sequence[JointScrew], tip: np.ndarray, task: str, scale: float
) -> Family | None:
    """The closed form of a chain for a task ("pose" or "position"), or None."""
    n = len(chain)
    if task == "position":
        return _point(chain, tip, scale) if n == 3 else _flat_point(chain, tip, scale)
    if n == 6:
        return _six(chain, scale)
    if n <= 4 and (found := _parallel(chain, scale)):
        return found
    if n == 3 and meeting(chain, scale) is not None:
        a, b, c = chain
        return Family(
            "three axes that meet",
            lambda G: orient(a, b, c, G[:, :3, :3]),
            lambda q: wrist_turns(chain, q),
        )
    if n in (4, 5):
        return _extended(chain, tip, scale)
    return None


def _six(chain, scale):
    turning = [s for s in chain if s.turns]
    if len(turning) == 3 and all(
        np.linalg.norm(np.cross(a.axis, b.axis)) > 1e-6 for a, b in pairwise(turning)
    ):
        return turns_and_slides(chain)
    for i in (3, 0, 1, 2):
        if (c := meeting(chain[i : i + 3], scale)) is not None:
            return wrist(chain, i, c, scale)
    for i in (1, 2, 0, 3):
        outside = [*chain[:i], *chain[i + 3 :]]
        if (h := normal_of(chain[i : i + 3])) is not None and all(s.turns for s in outside):
            return planar(chain, i, h, scale)
    return None


def _parallel(chain, scale):
    """Every turn about one direction: SCARA and planar arms.  # IK.10"""
    turning = [s for s in chain if s.turns]
    if not turning:
        return None
    h = turning[0].axis
    rise = [
        k for k, s in enumerate(chain) if not s.turns and np.linalg.norm(np.cross(h, s.axis)) < NEAR
    ]
    flat = [k for k in range(len(chain)) if k not in rise]
    if len(rise) > 1 or len(flat) != 3 or normal_of([chain[k] for k in flat]) is None:
        return None
    three = [chain[k] for k in flat]

    def solve(G):
        up = G[:, :3, 3] @ h
        W = G.copy()
        W[:, :3, 3] -= up[:, None] * h
        first, second, third = three
        w = plane(first, second, third, h, W, scale)
        q = np.empty((*w.shape[:2], len(chain)))
        q[..., flat] = w
        for k in rise:
            q[..., k] = (up * (chain[k].axis @ h))[:, None]
        return q

    return Family("axes along one direction", solve, lambda q: bend(three, h, q[:, flat]))


def _point(chain, tip, scale):
    """Three joints that bring a point.  # IK.5"""
    if (h := normal_of(chain)) is not None or meeting(chain, scale) is not None:
        return None
    return Family(
        "three joints and a point",
        lambda G: reach(
            chain[0],
            chain[1],
            chain[2],
            np.broadcast_to(tip, (len(G), 3)),
            moved(G, np.broadcast_to(tip, (len(G), 3))),
            scale,
        ),
        lambda q: arm_turns(chain, tip, q) if h is None else [],
    )


def _flat_point(chain, tip, scale):
    """Two joints of a plane that bring a point."""
    if len(chain) != 2 or (h := normal_of(chain)) is None:
        return None
    last = JointScrew(h, tip, True)

    def solve(G):
        goal = moved(G, np.broadcast_to(tip, (len(G), 3)))
        W = np.broadcast_to(np.eye(4), (len(G), 4, 4)).copy()
        W[:, :3, 3] = goal - tip
        return plane(chain[0], chain[1], last, h, W, scale)[..., :2]

    return Family(
        "two joints of a plane", solve, lambda q: bend([*chain, last], h, np.c_[q, 0 * q[:, 0]])
    )


def _extended(chain, tip, scale):
    """Four or five joints: turns that must come out as zero are added at the end.  # IK.10"""
    n = len(chain)
    for more in _additions(chain, tip, scale):
        family = _six([*chain, *more], scale)
        if family is not None:

            def solve(G, family=family):
                q = family.solve(G)
                bad = np.asarray(
                    (abs((q[..., n:] + np.pi) % (2 * np.pi) - np.pi) > 1e-4).any(axis=-1)
                )
                return np.where(bad[..., None], np.nan, q[..., :n])

            def turns(q, family=family):
                return family.turns(np.c_[q, np.zeros((len(q), 6 - n))])

            return Family(family.name, solve, turns)
    return None


def _additions(chain, tip, scale):
    """Turns to try at the end of a chain of four or five joints."""
    last = chain[-1]
    if not last.turns:
        return
    if len(chain) == 5 and (c := meeting(chain[3:], scale)) is not None:
        across = np.cross(chain[3].axis, last.axis)
        yield [JointScrew(across / np.linalg.norm(across), c, True)]
    seed = np.array([0.36, 0.48, 0.8])
    first = np.cross(last.axis, seed)
    first /= np.linalg.norm(first)
    on = last.point + last.axis * (last.axis @ (tip - last.point))
    second = np.cross(last.axis, first)
    if len(chain) == 4:
        yield [JointScrew(first, on, True), JointScrew(second, on, True)]
    else:
        yield [JointScrew(first, on, True)]
        yield [JointScrew(second, on, True)]

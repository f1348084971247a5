"""Chains whose geometry gives every solution in closed form: which they are, and how.

Theory: IK.5 to IK.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .ik_families import (
    Family,
    arm_turns,
    bend,
    moved,
    planar,
    turns_and_slides,
    wrist,
    wrist_turns,
)
from .ik_parts import orient, plane, reach
from .ik_screws import NEAR, JointScrew


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

"""Closed forms of inverse kinematics for arms whose geometry has one (Pieper 1968).

Three axes that meet (spherical wrist), three parallel axes, three prismatic joints, and chains of
fewer joints.  Theory: IK.5 to IK.10.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .product_of_exponentials import (
    GEOMETRY_RTOL,
    JointScrew,
    dot_product,
    invert_pose,
    solve_rotation_angle,
    solve_sinusoid,
    solve_trigonometric,
)
from .subproblems import add_branch_axis, solve_orientation, solve_planar, solve_point

Solver = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class ClosedForm:
    """Closed form of a chain, and the geometry that it follows from.

    `solve(G)` for motions G of the frame from its pose at zero, (poses, 4, 4), gives (poses,
    branches, joints), NaN where there is no solution.
    """

    name: str
    solve: Solver
    branch_signs: Callable[[np.ndarray], list[tuple[str, np.ndarray]]]
    """Quantities whose signs tell branches apart: word and values, from q (rows, joints)."""
    method: str = "closed form"


def _outer_joints(chain: Sequence[JointScrew], i: int, G: np.ndarray):
    """Joints around three in the middle, for which `W = Ea Eb Ec G` remains; and their indices."""
    seq = [s.inverse() for s in reversed(chain[:i])]
    seq += [s.inverse().transformed_by(G) for s in reversed(chain[i + 3 :])]
    return seq, [*reversed(range(i)), *reversed(range(i + 3, 6))]


def _multiply_motions(seq: Sequence[JointScrew], q: np.ndarray, G: np.ndarray):
    """`E1 ... En G` with q of shape (poses, branches, n)."""
    out = np.broadcast_to(G[:, None], (*q.shape[:2], 4, 4))
    for k in reversed(range(len(seq))):
        out = add_branch_axis(seq[k]).exponential(q[..., k]) @ out
    return out


def solve_spherical_wrist(chain: Sequence[JointScrew], i: int, c: np.ndarray, scale: float):
    """Closed form of six joints with three axes that meet: the other three bring their point
    (IK.8).
    """

    def solve(G):
        seq, order = _outer_joints(chain, i, G)
        x = (G[:, :3, :3] @ c) + G[:, :3, 3]
        first, second, third = seq
        q3 = solve_point(first, second, third, x, np.broadcast_to(c, x.shape), scale)
        W = _multiply_motions(seq, q3, G)
        first, second, third = chain[i : i + 3]
        wrist_angles = solve_orientation(first, second, third, W[..., :3, :3])  # (poses, k, 2, 3)
        q = np.full((*wrist_angles.shape[:3], 6), np.nan)
        q[..., order] = q3[:, :, None]
        q[..., i : i + 3] = wrist_angles
        return q.reshape(len(G), -1, 6)

    def branch_signs(q):
        arm = arm_signs(chain, c, q) if i == 3 else []
        return [*arm, *wrist_signs(chain[i : i + 3], q[:, i : i + 3])]

    return ClosedForm("three axes that meet", solve, branch_signs)


def wrist_signs(screws: Sequence[JointScrew], q: np.ndarray):
    """Quantity whose sign tells a flipped wrist."""
    a, b, c = screws
    return [
        (
            "not flipped|flipped",
            dot_product(a.axis, np.cross(b.axis, b.rotate_direction(q[:, 1], c.axis))),
        )
    ]


def arm_signs(chain: Sequence[JointScrew], c: np.ndarray, q: np.ndarray):
    """Quantities whose signs tell shoulder and elbow branches of three joints."""
    a, b, d = chain[:3]
    if not (a.is_revolute and b.is_revolute and d.is_revolute):
        return []
    wrist = a.move_point(
        q[:, 0], b.move_point(q[:, 1], d.move_point(q[:, 2], np.broadcast_to(c, (len(q), 3))))
    )
    h2 = a.rotate_direction(q[:, 0], np.broadcast_to(b.axis, wrist.shape))
    front = dot_product(np.cross(h2, a.axis), wrist - a.point)
    home = dot_product(np.cross(b.axis, a.axis), c - a.point)
    h3 = a.rotate_direction(
        q[:, 0], b.rotate_direction(q[:, 1], np.broadcast_to(d.axis, wrist.shape))
    )
    o2 = a.move_point(q[:, 0], np.broadcast_to(b.point, wrist.shape))
    o3 = a.move_point(q[:, 0], b.move_point(q[:, 1], np.broadcast_to(d.point, wrist.shape)))
    bend = dot_product(h3, np.cross(o3 - o2, wrist - o3))
    if np.linalg.norm(np.cross(b.axis, d.axis)) > 1e-6 or (
        np.linalg.norm(np.cross(a.axis, b.axis)) < 1e-6
    ):
        return [("elbow +|elbow -", bend)]
    return [
        ("front|back", front * (-1 if home < -1e-9 else 1)),
        ("elbow up|elbow down", bend * np.sign(front)),
    ]


SAMPLE_ANGLES = np.array([0.3, 1.7, 4.1])  # [rad] at which a function is tested for zero
DEPENDENCE_TOLERANCE = 1e-10  # of Fourier coefficients that are zero


class ParallelAxesSolver:
    """Closed form with three joints of one plane, whose normal is h (IK.9).

    The other three joints a, b, c bring the normal and the height of the plane.  Of two equations,
    `tilt` is that of the normal and `rise` that of the height.  Both are sinusoidal in the angle of
    b.
    """

    def __init__(self, chain: Sequence[JointScrew], i: int, h: np.ndarray, scale: float):
        self.chain, self.i, self.h, self.scale = chain, i, h, scale

    def _create_equations(self, G: np.ndarray):
        """Outer joints, their indices, the image of h, and the functions `tilt` and `rise`."""
        h = self.h
        seq, order = _outer_joints(self.chain, self.i, G)
        a, b, c = seq
        N = len(G)
        pc = np.broadcast_to(c.point, (N, 3))
        cross = np.cross(b.axis, c.axis)
        s2 = dot_product(cross, cross)
        with np.errstate(invalid="ignore", divide="ignore"):
            t = dot_product(np.cross(c.point - b.point, b.axis), cross) / s2
        intersection = np.broadcast_to(
            c.point + np.where(s2 > GEOMETRY_RTOL, t, 0.0)[..., None] * c.axis, (N, 3)
        )
        pc = np.where(np.broadcast_to(s2 > GEOMETRY_RTOL, (N,))[:, None], intersection, pc)
        p0 = dot_product(h, transform_points(invert_pose(G), pc))
        axis, goal = np.broadcast_to(c.axis, (N, 3)), G[:, :3, :3] @ h
        A, B = add_branch_axis(a), add_branch_axis(b)

        def tilt(qa, qb):
            u = _rotate_back(A, B, qa, qb, h)
            return dot_product(axis[:, None], u) - dot_product(axis, goal)[:, None]

        def rise(qa, qb):
            point = np.broadcast_to(pc[:, None], (*qa.shape, 3))
            moved = A.move_point(qa, B.move_point(qb, point))
            return (dot_product(h, moved) - p0[:, None]) / self.scale

        return seq, order, goal, tilt, rise

    def solve(self, G: np.ndarray) -> np.ndarray:
        """Solutions (poses, branches, 6) of motions G (poses, 4, 4)."""
        chain, i, h = self.chain, self.i, self.h
        seq, order, goal, tilt, rise = self._create_equations(G)
        N = len(G)
        qa, qb = _solve_tilt_and_rise(tilt, rise, N)
        A, B, C = map(add_branch_axis, seq)
        rotated = _rotate_back(A, B, qa, qb, h)
        is_free = np.linalg.norm(np.cross(C.axis, goal[:, None]), axis=-1) < 1e-8
        qc = np.where(is_free, 0 * qa, solve_rotation_angle(C, goal[:, None], rotated))
        q3 = np.stack([qa, qb, qc], -1)
        W = _multiply_motions(seq, q3, G)
        k = q3.shape[1]
        first, second, third = chain[i : i + 3]
        w = solve_planar(first, second, third, h, W.reshape(-1, 4, 4), self.scale)
        m = w.shape[1]
        q = np.full((N, k, m, 6), np.nan)
        q[..., order] = q3[:, :, None]
        q[..., i : i + 3] = w.reshape(N, k, m, 3)
        return q.reshape(N, -1, 6)

    def branch_signs(self, q: np.ndarray) -> list[tuple[str, np.ndarray]]:
        """Quantities whose signs tell shoulder, wrist and elbow branches."""
        _, order, _, tilt, rise = self._create_equations(_chain_motion(self.chain, q))
        qa, qb = q[:, order[:1]], q[:, order[1:2]]
        e = 1e-6  # [rad] of difference quotients
        signs = []
        samples = np.broadcast_to(SAMPLE_ANGLES, (len(q), 3))
        if _is_independent(rise, samples):
            signs = [
                ("shoulder left|shoulder right", (rise(qa + e, qb) - rise(qa - e, qb))[:, 0]),
                ("wrist up|wrist down", (tilt(qa, qb + e) - tilt(qa, qb - e))[:, 0]),
            ]
        screws = self.chain[self.i : self.i + 3]
        return [*signs, *elbow_sign(screws, self.h, q[:, self.i : self.i + 3])]


def solve_parallel_axes(
    chain: Sequence[JointScrew], i: int, h: np.ndarray, scale: float
) -> ClosedForm:
    """Closed form with joints i to i + 2 in a plane of normal h (IK.9)."""
    solver = ParallelAxesSolver(chain, i, h, scale)
    return ClosedForm("three parallel axes", solver.solve, solver.branch_signs)


def _rotate_back(A: JointScrew, B: JointScrew, qa: np.ndarray, qb: np.ndarray, h: np.ndarray):
    """Direction h after the inverse rotations of A and B."""
    h = np.broadcast_to(h, (*qa.shape, 3))
    return B.inverse().rotate_direction(qb, A.inverse().rotate_direction(qa, h))


def _is_independent(f: Callable[..., np.ndarray], samples: np.ndarray) -> bool:
    """Whether a function of two angles does not depend on the second one."""
    A, B, _ = _fourier_coefficients(f, samples)
    return bool(abs(np.stack([A, B])).max(initial=0.0) < DEPENDENCE_TOLERANCE)


def _solve_tilt_and_rise(
    tilt: Callable[..., np.ndarray], rise: Callable[..., np.ndarray], N: int
) -> tuple[np.ndarray, np.ndarray]:
    """Zeros (qa, qb) of both functions, (poses, branches) each; qb is eliminated by a resultant."""
    samples = np.broadcast_to(SAMPLE_ANGLES, (N, 3))
    is_independent = [_is_independent(f, samples) for f in (rise, tilt)]
    if any(is_independent):
        first, second = (rise, tilt) if is_independent[0] else (tilt, rise)

        def single(q: np.ndarray) -> np.ndarray:
            return first(np.broadcast_to(q, (N, len(q))), np.zeros((N, len(q))))

        qa = np.repeat(solve_trigonometric(single, 1), 2, axis=-1)
        pairs = solve_sinusoid(*_fourier_coefficients(second, qa))
        return qa, np.where(np.arange(4) % 2 == 0, pairs[..., 0], pairs[..., 1])

    def resultant(q: np.ndarray) -> np.ndarray:
        q = np.broadcast_to(q, (N, len(q)))
        A1, B1, C1 = _fourier_coefficients(rise, q)
        A2, B2, C2 = _fourier_coefficients(tilt, q)
        return (B1 * C2 - B2 * C1) ** 2 + (C1 * A2 - C2 * A1) ** 2 - (A1 * B2 - A2 * B1) ** 2

    qa = solve_trigonometric(resultant, 4)
    A1, B1, C1 = _fourier_coefficients(rise, qa)
    A2, B2, C2 = _fourier_coefficients(tilt, qa)
    det = np.sign(A1 * B2 - A2 * B1)
    return qa, np.arctan2((A2 * C1 - A1 * C2) * det, (B1 * C2 - B2 * C1) * det)


def elbow_sign(screws: Sequence[JointScrew], h: np.ndarray, q: np.ndarray):
    """Quantity whose sign tells the elbow branch of three joints of a plane."""
    a, b, c = screws
    if not (a.is_revolute and b.is_revolute and c.is_revolute):
        return []
    o3 = b.move_point(q[:, 1], np.broadcast_to(c.point, (len(q), 3)))
    return [("elbow up|elbow down", dot_product(h, np.cross(b.point - a.point, o3 - b.point)))]


def _fourier_coefficients(f: Callable[..., np.ndarray], qa: np.ndarray):
    """(A, B, C) of f = A cos(qb) + B sin(qb) + C at given qa, each (poses, k)."""
    zero = np.zeros_like(qa)
    f0, f1, f2 = f(qa, zero), f(qa, zero + np.pi / 2), f(qa, zero + np.pi)
    C = (f0 + f2) / 2
    return (f0 - f2) / 2, f1 - C, C


def _chain_motion(chain: Sequence[JointScrew], q: np.ndarray):
    out = np.broadcast_to(np.eye(4), (len(q), 4, 4))
    for k, s in enumerate(chain):
        out = out @ s.exponential(q[:, k])
    return out


def solve_decoupled(chain: Sequence[JointScrew]):
    """Closed form of three revolute, three prismatic joints: orientation, then position."""
    R = [k for k, s in enumerate(chain) if s.is_revolute]
    P = [k for k, s in enumerate(chain) if not s.is_revolute]

    def solve(G):
        first, second, third = (chain[k] for k in R)
        w = solve_orientation(first, second, third, G[:, :3, :3])
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

    return ClosedForm(
        "three turns, three slides", solve, lambda q: wrist_signs([chain[k] for k in R], q[:, R])
    )


def transform_points(G: np.ndarray, p: np.ndarray):
    return (G[:, :3, :3] @ p[..., None])[..., 0] + G[:, :3, 3]


# --------------------------------------------------------------------------------------------
# Chains whose geometry gives every solution in closed form: which they are, and how.
#
# Theory: IK.5 to IK.10.


def find_common_point(screws: Sequence[JointScrew], scale: float) -> np.ndarray | None:
    """The point where revolute axes meet that are not parallel, or None (IK.8)."""
    if not all(s.is_revolute for s in screws):
        return None
    if any(np.linalg.norm(np.cross(a.axis, b.axis)) < 1e-6 for a, b in pairwise(screws)):
        return None
    P = [np.eye(3) - np.outer(s.axis, s.axis) for s in screws]
    b = sum(p @ s.point for p, s in zip(P, screws, strict=True))
    c = np.linalg.solve(sum(P), b)
    off = max(np.linalg.norm(p @ (c - s.point)) for p, s in zip(P, screws, strict=True))
    return c if off < GEOMETRY_RTOL * scale * 10 else None


def find_plane_normal(screws: Sequence[JointScrew]) -> np.ndarray | None:
    """Normal of the plane of a planar chain with a revolute joint, or None.

    Revolute axes are along it, prismatic ones across it.
    """
    revolutes = [s for s in screws if s.is_revolute]
    if not revolutes:
        return None
    n = revolutes[0].axis
    for s in screws:
        off = np.linalg.norm(np.cross(n, s.axis)) if s.is_revolute else abs(n @ s.axis)
        if off > GEOMETRY_RTOL * 10:
            return None
    return n


def find_family(
    chain: Sequence[JointScrew], tip: np.ndarray, task: str, scale: float
) -> ClosedForm | None:
    """The closed form of a chain for a task ("pose" or "position"), or None."""
    n = len(chain)
    if task == "position":
        return (
            _find_point_family(chain, tip, scale)
            if n == 3
            else _find_planar_point_family(chain, tip, scale)
        )
    if n == 6:
        return _find_six_joint_family(chain, scale)
    if n <= 4 and (found := _find_parallel_family(chain, scale)):
        return found
    if n == 3 and find_common_point(chain, scale) is not None:
        a, b, c = chain
        return ClosedForm(
            "three axes that meet",
            lambda G: solve_orientation(a, b, c, G[:, :3, :3]),
            lambda q: wrist_signs(chain, q),
        )
    if n in (4, 5):
        return _find_extended_family(chain, tip, scale)
    return None


def _find_six_joint_family(chain: Sequence[JointScrew], scale: float):
    """Closed form of six joints: decoupled, spherical wrist or parallel axes, else None."""
    revolutes = [s for s in chain if s.is_revolute]
    if len(revolutes) == 3 and all(
        np.linalg.norm(np.cross(a.axis, b.axis)) > 1e-6 for a, b in pairwise(revolutes)
    ):
        return solve_decoupled(chain)
    for i in (3, 0, 1, 2):
        if (c := find_common_point(chain[i : i + 3], scale)) is not None:
            return solve_spherical_wrist(chain, i, c, scale)
    for i in (1, 2, 0, 3):
        others = [*chain[:i], *chain[i + 3 :]]
        if (h := find_plane_normal(chain[i : i + 3])) is not None and all(
            s.is_revolute for s in others
        ):
            return solve_parallel_axes(chain, i, h, scale)
    return None


def _find_parallel_family(chain: Sequence[JointScrew], scale: float):
    """Closed form with all revolute axes in one direction: SCARA and planar arms (IK.10)."""
    revolutes = [s for s in chain if s.is_revolute]
    if not revolutes:
        return None
    h = revolutes[0].axis
    slides = [
        k
        for k, s in enumerate(chain)
        if not s.is_revolute and np.linalg.norm(np.cross(h, s.axis)) < GEOMETRY_RTOL
    ]
    planar_joints = [k for k in range(len(chain)) if k not in slides]
    if (
        len(slides) > 1
        or len(planar_joints) != 3
        or find_plane_normal([chain[k] for k in planar_joints]) is None
    ):
        return None
    joints = [chain[k] for k in planar_joints]

    def solve(G):
        up = G[:, :3, 3] @ h
        W = G.copy()
        W[:, :3, 3] -= up[:, None] * h
        first, second, third = joints
        w = solve_planar(first, second, third, h, W, scale)
        q = np.empty((*w.shape[:2], len(chain)))
        q[..., planar_joints] = w
        for k in slides:
            q[..., k] = (up * (chain[k].axis @ h))[:, None]
        return q

    return ClosedForm(
        "axes along one direction", solve, lambda q: elbow_sign(joints, h, q[:, planar_joints])
    )


def _find_point_family(chain: Sequence[JointScrew], tip: np.ndarray, scale: float):
    """Closed form of three joints that bring a point (IK.5)."""
    if (h := find_plane_normal(chain)) is not None or find_common_point(chain, scale) is not None:
        return None
    return ClosedForm(
        "three joints and a point",
        lambda G: solve_point(
            chain[0],
            chain[1],
            chain[2],
            np.broadcast_to(tip, (len(G), 3)),
            transform_points(G, np.broadcast_to(tip, (len(G), 3))),
            scale,
        ),
        lambda q: arm_signs(chain, tip, q) if h is None else [],
    )


def _find_planar_point_family(chain: Sequence[JointScrew], tip: np.ndarray, scale: float):
    """Closed form of two joints of a plane that bring a point."""
    if len(chain) != 2 or (h := find_plane_normal(chain)) is None:
        return None
    last = JointScrew(h, tip, True)

    def solve(G):
        goal = transform_points(G, np.broadcast_to(tip, (len(G), 3)))
        W = np.broadcast_to(np.eye(4), (len(G), 4, 4)).copy()
        W[:, :3, 3] = goal - tip
        return solve_planar(chain[0], chain[1], last, h, W, scale)[..., :2]

    return ClosedForm(
        "two joints of a plane",
        solve,
        lambda q: elbow_sign([*chain, last], h, np.c_[q, 0 * q[:, 0]]),
    )


def _find_extended_family(chain: Sequence[JointScrew], tip: np.ndarray, scale: float):
    """Closed form of four or five joints: added revolute joints must have angle zero (IK.10)."""
    n = len(chain)
    for added in _added_joints(chain, tip, scale):
        family = _find_six_joint_family([*chain, *added], scale)
        if family is not None:

            def solve(G: np.ndarray, family=family):
                q = family.solve(G)
                bad = np.asarray(
                    (abs((q[..., n:] + np.pi) % (2 * np.pi) - np.pi) > 1e-4).any(axis=-1)
                )
                return np.where(bad[..., None], np.nan, q[..., :n])

            def branch_signs(q: np.ndarray, family=family):
                return family.branch_signs(np.c_[q, np.zeros((len(q), 6 - n))])

            return ClosedForm(family.name, solve, branch_signs)
    return None


def _added_joints(chain: Sequence[JointScrew], tip: np.ndarray, scale: float):
    """Revolute joints to try at the end of a chain of four or five joints."""
    last = chain[-1]
    if not last.is_revolute:
        return
    if len(chain) == 5 and (c := find_common_point(chain[3:], scale)) is not None:
        across = np.cross(chain[3].axis, last.axis)
        yield [JointScrew(across / np.linalg.norm(across), c, True)]
    seed = np.array([0.36, 0.48, 0.8])
    first = np.cross(last.axis, seed)
    first /= np.linalg.norm(first)
    point = last.point + last.axis * (last.axis @ (tip - last.point))
    second = np.cross(last.axis, first)
    if len(chain) == 4:
        yield [JointScrew(first, point, True), JointScrew(second, point, True)]
    else:
        yield [JointScrew(first, point, True)]
        yield [JointScrew(second, point, True)]

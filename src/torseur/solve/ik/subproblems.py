"""Subproblems of three joints: bring a point, an orientation, or a planar motion.

They extend the Paden-Kahan subproblems to any combination of revolute and prismatic joints.  All
solutions in closed form, for many poses at once.  Theory: IK.5 to IK.8.
"""

from __future__ import annotations

import numpy as np

from .product_of_exponentials import (
    GEOMETRY_RTOL,
    JointScrew,
    dot_product,
    solve_joint_equation,
    solve_rotation_angle,
    solve_sinusoid,
)


def add_branch_axis(s: JointScrew) -> JointScrew:
    """The screw with an axis for branches after that of the poses."""
    return JointScrew(s.axis[..., None, :], s.point[..., None, :], s.is_revolute, s.sign)


def solve_point(
    a: JointScrew, b: JointScrew, c: JointScrew, x: np.ndarray, p: np.ndarray, scale: float
) -> np.ndarray:
    """All (qa, qb, qc) with `Ea Eb Ec x = p`, (poses, branches, 3); x, p: (poses, 3) (IK.5)."""
    if not a.is_revolute and c.is_revolute:  # read from the other end
        return solve_point(c.inverse(), b.inverse(), a.inverse(), p, x, scale)[..., ::-1]
    if not a.is_revolute:
        return _solve_outer_prismatic(a, b, c, x, p, scale)
    a, b, c = (
        JointScrew(
            np.broadcast_to(s.axis, x.shape),
            np.broadcast_to(s.point, x.shape),
            s.is_revolute,
            s.sign,
        )
        for s in (a, b, c)
    )
    angles = (_solve_two_revolutes if b.is_revolute else _solve_revolute_prismatic)(
        a, b, add_branch_axis(c), x[:, None], p, scale
    )
    qb, qc = angles
    y = add_branch_axis(b).move_point(qb, add_branch_axis(c).move_point(qc, x[:, None]))
    A = add_branch_axis(a)
    qa = solve_rotation_angle(A, y - A.point, p[:, None] - A.point)
    return np.stack([qa, qb, qc], -1)


def _solve_two_revolutes(
    a: JointScrew, b: JointScrew, c: JointScrew, x: np.ndarray, p: np.ndarray, scale: float
):
    """Angles of b and c where joints a and b are revolute.

    The height of the point along axis a and its distance from it do not change.  Both are linear in
    the point after joint b.
    """
    cross = np.cross(a.axis, b.axis)
    s2 = dot_product(cross, cross)
    offset = b.point - a.point
    is_skew = s2 > GEOMETRY_RTOL
    # feet of the common perpendicular
    with np.errstate(invalid="ignore", divide="ignore"):
        ta = np.where(
            is_skew, dot_product(np.cross(offset, b.axis), cross) / s2, dot_product(offset, a.axis)
        )
        tb = np.where(is_skew, dot_product(np.cross(offset, a.axis), cross) / s2, 0.0)
    oa, ob = a.point + ta[:, None] * a.axis, b.point + tb[:, None] * b.axis
    e = ob - oa
    a2 = dot_product(e, e)
    is_offset = a2 > (GEOMETRY_RTOL * scale) ** 2
    k = dot_product(a.axis, b.axis)
    t = a.axis - k[:, None] * b.axis  # |t|^2 = s2, across e and b
    r2, z = dot_product(p - oa, p - oa), dot_product(a.axis, p - oa)

    def parts(q):
        """Of the point at angles q of c: along e, along t, across b (squared); and itself."""
        y = c.move_point(q, x) - ob[:, None]
        u = (r2[:, None] - a2[:, None] - dot_product(y, y)) / 2
        h = dot_product(b.axis[:, None], y)
        w = z[:, None] - k[:, None] * h
        return u, w, dot_product(y, y) - h * h, y

    def residual(q):
        u, w, across, _ = parts(np.broadcast_to(q, (len(p), len(q))))
        return (
            s2[:, None] * u * u + a2[:, None] * w * w - a2[:, None] * s2[:, None] * across
        ) / scale**4

    def linear_residual(q):
        u, w, *_ = parts(np.broadcast_to(q, (len(p), len(q))))
        return np.where(is_offset[:, None], w / scale, u / scale**2)

    general = (is_offset & is_skew)[:, None]
    q4 = solve_joint_equation(c, residual, 2, scale)
    q2 = np.repeat(solve_joint_equation(c, linear_residual, 1, scale), 2, axis=-1)
    qc = np.where(general, q4, q2)
    u, w, _, y = parts(qc)
    with np.errstate(invalid="ignore", divide="ignore"):
        goal = (u / a2[:, None])[..., None] * e[:, None] + (w / s2[:, None])[..., None] * t[:, None]
    B = add_branch_axis(b)
    unique = solve_rotation_angle(B, y, goal)
    # one of e, t is nothing: the other says where b puts the point, on two ways
    d, value = np.where(is_offset[:, None], e, t)[:, None], np.where(is_offset[:, None], u, w)
    A_ = dot_product(d, y)
    B_ = dot_product(d, np.cross(B.axis, y))
    two = b.sign * solve_sinusoid(A_, B_, -value, scale**2)
    pair = np.where(np.arange(qc.shape[-1]) % 2 == 0, two[..., 0], two[..., 1])
    return np.where(general, unique, pair), qc


def _solve_revolute_prismatic(
    a: JointScrew, b: JointScrew, c: JointScrew, x: np.ndarray, p: np.ndarray, scale: float
):
    """Displacement of b and angle of c where joint a is revolute and b prismatic."""
    n, d = a.axis, b.axis * b.sign
    cosine = dot_product(n, d)
    is_regular = abs(cosine) > 1e-7
    z, r2 = dot_product(n, p - a.point), dot_product(p - a.point, p - a.point)

    def slide(q):
        y = c.move_point(q, x) - a.point[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            s = (z[:, None] - dot_product(n[:, None], y)) / np.where(is_regular, cosine, 1.0)[
                :, None
            ]
        return s, y

    def radius(q):
        s, y = slide(np.broadcast_to(q, (len(p), len(q))))
        y = y + d[:, None] * s[..., None]
        return (dot_product(y, y) - r2[:, None]) / scale**2

    def height(q):
        _, y = slide(np.broadcast_to(q, (len(p), len(q))))
        return (z[:, None] - dot_product(n[:, None], y)) / scale

    roots = [solve_joint_equation(c, radius, 2, scale), solve_joint_equation(c, height, 1, scale)]
    roots[0] = _pad_branches(roots[0], 4)
    roots[1] = np.repeat(_pad_branches(roots[1], 2), 2, axis=-1)
    qc = np.where(is_regular[:, None], *roots)
    s, y = slide(qc)
    half = dot_product(d[:, None], y)
    with np.errstate(invalid="ignore"):
        root = np.sqrt(np.maximum(half**2 - dot_product(y, y) + r2[:, None], 0) + 0 * qc)
    pair = -half + np.where(np.arange(4) % 2 == 0, root, -root)
    return np.where(is_regular[:, None], s, pair), qc


def _pad_branches(q: np.ndarray, k: int):
    """Branches extended by NaN to k of them."""
    return np.concatenate([q, np.full((*q.shape[:-1], max(k - q.shape[-1], 0)), np.nan)], -1)[
        ..., :k
    ]


def _solve_outer_prismatic(
    a: JointScrew, b: JointScrew, c: JointScrew, x: np.ndarray, p: np.ndarray, scale: float
):
    """Prismatic joints a and c, with a revolute or prismatic joint between them."""
    n = len(p)
    da, db, dc = (np.broadcast_to(s.axis * s.sign, x.shape) for s in (a, b, c))
    if not b.is_revolute:
        M = np.stack([da, db, dc], -1)
        is_regular = abs(np.linalg.det(M)) > 1e-9
        q = np.full((n, 1, 3), np.nan)
        q[is_regular, 0] = np.linalg.solve(M[is_regular], (p - x)[is_regular][..., None])[..., 0]
        return q
    h, o = np.broadcast_to(b.axis, x.shape), np.broadcast_to(b.point, x.shape)
    ha, hc = dot_product(h, da), dot_product(h, dc)
    if (abs(ha) > abs(hc) + 1e-12).all():  # the first slide from the last
        return _solve_outer_prismatic(c.inverse(), b.inverse(), a.inverse(), p, x, scale)[..., ::-1]
    height = dot_product(h, p - x)

    def last(q):  # the last slide from the first
        with np.errstate(invalid="ignore", divide="ignore"):
            return (height[:, None] - ha[:, None] * q) / hc[:, None]

    def gap(q):
        q = np.broadcast_to(q, (n, len(q)))
        y = x[:, None] + dc[:, None] * last(q)[..., None] - o[:, None]
        g = p[:, None] - da[:, None] * q[..., None] - o[:, None]
        return (dot_product(y, y) - dot_product(g, g)) / scale**2

    qa = solve_joint_equation(JointScrew(da, o, False), gap, 1, scale)
    qc = last(qa)
    B = JointScrew(h[:, None], o[:, None], True, b.sign)
    qb = solve_rotation_angle(
        B,
        x[:, None] + dc[:, None] * qc[..., None] - o[:, None],
        p[:, None] - da[:, None] * qa[..., None] - o[:, None],
    )
    return np.stack([qa, qb, qc], -1)


def solve_orientation(a: JointScrew, b: JointScrew, c: JointScrew, R: np.ndarray) -> np.ndarray:
    """Both (qa, qb, qc) whose rotations make R, (..., 2, 3) (IK.6).

    Where axes a and c coincide only the sum is determined: a stays at zero.
    """
    A, B, C = (
        JointScrew(np.broadcast_to(s.axis, (*R.shape[:-2], 3))[..., None, :], s.point, True, s.sign)
        for s in (a, b, c)
    )
    ha, hb, hc = A.axis, B.axis, C.axis
    R = R[..., None, :, :]
    goal = (R @ hc[..., None])[..., 0]
    k = dot_product(hb, hc) * dot_product(ha, hb)
    qb = b.sign * solve_sinusoid(
        (dot_product(ha, hc) - k)[..., 0],
        dot_product(ha, np.cross(hb, hc))[..., 0],
        (k - dot_product(ha, goal))[..., 0],
    )
    rotated = B.rotate_direction(qb, hc)
    is_free = np.linalg.norm(np.cross(ha, rotated), axis=-1) < 1e-8
    qa = np.where(is_free, 0.0, solve_rotation_angle(A, rotated, goal))
    reference = np.where((abs(hc[..., :1]) < 0.7), [1.0, 0, 0], [0, 1.0, 0])
    reference = np.cross(hc, reference)
    image = (
        np.swapaxes(R, -1, -2)
        @ A.rotate_direction(qa, B.rotate_direction(qb, reference))[..., None]
    )[..., 0]
    qc = -solve_rotation_angle(C, reference, image)
    return np.stack([qa, qb, qc], -1)


def solve_planar(
    a: JointScrew, b: JointScrew, c: JointScrew, normal: np.ndarray, W: np.ndarray, scale: float
) -> np.ndarray:
    """All (qa, qb, qc) whose motions in one plane make W, (poses, branches, 3) (IK.7).

    Revolute axes are along `normal`, prismatic ones across it.  W must be a motion of that plane.
    """
    if not c.is_revolute and a.is_revolute:
        from .product_of_exponentials import invert_pose

        return solve_planar(c.inverse(), b.inverse(), a.inverse(), normal, invert_pose(W), scale)[
            ..., ::-1
        ]
    n = len(W)
    normal = np.broadcast_to(normal, (n, 3))
    reference = np.cross(normal, np.where(abs(normal[:, :1]) < 0.7, [1.0, 0, 0], [0, 1.0, 0]))
    total = solve_rotation_angle(
        JointScrew(normal, 0 * normal, True),
        reference,
        (W[:, :3, :3] @ reference[..., None])[..., 0],
    )[:, None]
    signs = [s.sign * dot_product(s.axis, normal)[..., None] * s.is_revolute for s in (a, b, c)]
    if not c.is_revolute:  # slides at both ends
        if not b.is_revolute:
            return np.full((n, 0, 3), np.nan)
        qb = signs[1] * total
        y = add_branch_axis(b).move_point(qb, np.zeros((n, 1, 3)))
        offset = W[:, None, :3, 3] - y
        da, dc = (np.broadcast_to(s.axis * s.sign, (n, 3)) for s in (a, c))
        M = np.stack([da, add_branch_axis(b).rotate_direction(qb, dc[:, None])[:, 0]], -1)
        q = np.linalg.pinv(M) @ offset[:, 0, :, None]
        return np.stack([q[:, 0], qb, q[:, 1]], -1)
    o = np.broadcast_to(c.point, (n, 3))
    goal = (W[:, :3, :3] @ o[..., None])[..., 0] + W[:, :3, 3]
    qa, qb = _solve_two_planar(a, b, o, goal, normal, scale)
    qc = signs[2] * (total - signs[0] * qa - signs[1] * qb)
    return np.stack([qa, qb, qc], -1)


def _solve_two_planar(
    a: JointScrew, b: JointScrew, x: np.ndarray, y: np.ndarray, normal: np.ndarray, scale: float
):
    """(qa, qb), each (poses, 2), with `Ea Eb x = y` apart from the height along the normal."""

    def project(v):
        return v - dot_product(v, normal)[..., None] * normal

    if a.is_revolute and b.is_revolute:
        e, r, g = project(b.point - a.point), project(x - b.point), project(y - a.point)
        qb = b.sign * solve_sinusoid(
            2 * dot_product(e, r),
            2 * dot_product(e, np.cross(b.axis, r)),
            dot_product(e, e) + dot_product(r, r) - dot_product(g, g),
            scale**2,
        )
    elif a.is_revolute:
        r, g, d = (
            project(x - a.point),
            project(y - a.point),
            np.broadcast_to(b.axis * b.sign, x.shape),
        )
        h = dot_product(d, r)
        discriminant = h * h - dot_product(r, r) + dot_product(g, g)
        with np.errstate(invalid="ignore"):
            root = np.sqrt(np.where(abs(discriminant) < GEOMETRY_RTOL * scale**2, 0, discriminant))
        qb = np.stack([root - h, -root - h], -1)
    elif b.is_revolute:
        qb, qa = _solve_two_planar(b.inverse(), a.inverse(), y, x, normal, scale)
        return qa, qb
    else:
        M = np.stack([np.broadcast_to(s.axis * s.sign, x.shape) for s in (a, b)], -1)
        q = np.linalg.pinv(M) @ project(y - x)[..., None]
        return q[:, 0], q[:, 1]
    A, B = add_branch_axis(a), add_branch_axis(b)
    qa = solve_rotation_angle(A, B.move_point(qb, x[:, None]) - A.point, y[:, None] - A.point)
    return qa, qb


__all__ = ["add_branch_axis", "solve_orientation", "solve_planar", "solve_point"]

"""Three joints that bring a point, an orientation or a planar motion where it is wanted.

All solutions, in closed form; many poses at once.  Theory: IK.5 to IK.8.
"""

from __future__ import annotations

import numpy as np

from .product_of_exponentials import NEAR, JointScrew, angle_between, circle_roots, dot, roots_along


def lifted(s: JointScrew) -> JointScrew:
    """With an axis for branches after the poses'."""
    return JointScrew(s.axis[..., None, :], s.point[..., None, :], s.turns, s.sign)


def reach(a: JointScrew, b: JointScrew, c: JointScrew, x, p, scale: float) -> np.ndarray:
    """Every (qa, qb, qc) with `Ea Eb Ec x = p`, (poses, branches, 3); x, p: (poses, 3).  # IK.5"""
    if not a.turns and c.turns:  # read from the other end
        return reach(c.back(), b.back(), a.back(), p, x, scale)[..., ::-1]
    if not a.turns:
        return _slides_at_ends(a, b, c, x, p, scale)
    a, b, c = (
        JointScrew(
            np.broadcast_to(s.axis, x.shape), np.broadcast_to(s.point, x.shape), s.turns, s.sign
        )
        for s in (a, b, c)
    )
    found = (_two_turns if b.turns else _turn_and_slide)(a, b, lifted(c), x[:, None], p, scale)
    qb, qc = found
    y = lifted(b).move(qb, lifted(c).move(qc, x[:, None]))
    A = lifted(a)
    qa = angle_between(A, y - A.point, p[:, None] - A.point)
    return np.stack([qa, qb, qc], -1)


def _two_turns(a, b, c, x, p, scale):
    """Angles of b and c where axes a and b turn: the point keeps its height along a and its
    distance from a, and both are linear in where b puts it."""
    cross = np.cross(a.axis, b.axis)
    s2 = dot(cross, cross)
    apart = b.point - a.point
    skew = s2 > NEAR
    # feet of the common perpendicular
    with np.errstate(invalid="ignore", divide="ignore"):
        ta = np.where(skew, dot(np.cross(apart, b.axis), cross) / s2, dot(apart, a.axis))
        tb = np.where(skew, dot(np.cross(apart, a.axis), cross) / s2, 0.0)
    oa, ob = a.point + ta[:, None] * a.axis, b.point + tb[:, None] * b.axis
    e = ob - oa
    a2 = dot(e, e)
    far = a2 > (NEAR * scale) ** 2
    k = dot(a.axis, b.axis)
    t = a.axis - k[:, None] * b.axis  # |t|^2 = s2, across e and b
    r2, z = dot(p - oa, p - oa), dot(a.axis, p - oa)

    def parts(q):
        """Of the point at angles q of c: along e, along t, across b (squared); and itself."""
        y = c.move(q, x) - ob[:, None]
        u = (r2[:, None] - a2[:, None] - dot(y, y)) / 2
        h = dot(b.axis[:, None], y)
        w = z[:, None] - k[:, None] * h
        return u, w, dot(y, y) - h * h, y

    def both(q):
        u, w, across, _ = parts(np.broadcast_to(q, (len(p), len(q))))
        return (
            s2[:, None] * u * u + a2[:, None] * w * w - a2[:, None] * s2[:, None] * across
        ) / scale**4

    def one(q):
        u, w, *_ = parts(np.broadcast_to(q, (len(p), len(q))))
        return np.where(far[:, None], w / scale, u / scale**2)

    general = (far & skew)[:, None]
    q4 = roots_along(c, both, 2, scale)
    q2 = np.repeat(roots_along(c, one, 1, scale), 2, axis=-1)
    qc = np.where(general, q4, q2)
    u, w, _, y = parts(qc)
    with np.errstate(invalid="ignore", divide="ignore"):
        goal = (u / a2[:, None])[..., None] * e[:, None] + (w / s2[:, None])[..., None] * t[:, None]
    B = lifted(b)
    straight = angle_between(B, y, goal)
    # one of e, t is nothing: the other says where b puts the point, on two ways
    d, want = np.where(far[:, None], e, t)[:, None], np.where(far[:, None], u, w)
    A_ = dot(d, y)
    B_ = dot(d, np.cross(B.axis, y))
    two = b.sign * circle_roots(A_, B_, -want, scale**2)
    pair = np.where(np.arange(qc.shape[-1]) % 2 == 0, two[..., 0], two[..., 1])
    return np.where(general, straight, pair), qc


def _turn_and_slide(a, b, c, x, p, scale):
    """Axis a turns, b slides."""
    n, d = a.axis, b.axis * b.sign
    along = dot(n, d)
    plain = abs(along) > 1e-7
    z, r2 = dot(n, p - a.point), dot(p - a.point, p - a.point)

    def slide(q):
        y = c.move(q, x) - a.point[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            s = (z[:, None] - dot(n[:, None], y)) / np.where(plain, along, 1.0)[:, None]
        return s, y

    def radius(q):
        s, y = slide(np.broadcast_to(q, (len(p), len(q))))
        y = y + d[:, None] * s[..., None]
        return (dot(y, y) - r2[:, None]) / scale**2

    def height(q):
        _, y = slide(np.broadcast_to(q, (len(p), len(q))))
        return (z[:, None] - dot(n[:, None], y)) / scale

    roots = [roots_along(c, radius, 2, scale), roots_along(c, height, 1, scale)]
    roots[0] = _padded(roots[0], 4)
    roots[1] = np.repeat(_padded(roots[1], 2), 2, axis=-1)
    qc = np.where(plain[:, None], *roots)
    s, y = slide(qc)
    half = dot(d[:, None], y)
    with np.errstate(invalid="ignore"):
        root = np.sqrt(np.maximum(half**2 - dot(y, y) + r2[:, None], 0) + 0 * qc)
    pair = -half + np.where(np.arange(4) % 2 == 0, root, -root)
    return np.where(plain[:, None], s, pair), qc


def _padded(q, k):
    return np.concatenate([q, np.full((*q.shape[:-1], max(k - q.shape[-1], 0)), np.nan)], -1)[
        ..., :k
    ]


def _slides_at_ends(a, b, c, x, p, scale):
    """First and last slide: a turn between them, or three slides."""
    n = len(p)
    da, db, dc = (np.broadcast_to(s.axis * s.sign, x.shape) for s in (a, b, c))
    if not b.turns:
        M = np.stack([da, db, dc], -1)
        good = abs(np.linalg.det(M)) > 1e-9
        q = np.full((n, 1, 3), np.nan)
        q[good, 0] = np.linalg.solve(M[good], (p - x)[good][..., None])[..., 0]
        return q
    h, o = np.broadcast_to(b.axis, x.shape), np.broadcast_to(b.point, x.shape)
    ha, hc = dot(h, da), dot(h, dc)
    if (abs(ha) > abs(hc) + 1e-12).all():  # the first slide from the last
        return _slides_at_ends(c.back(), b.back(), a.back(), p, x, scale)[..., ::-1]
    lead = dot(h, p - x)

    def last(q):  # the last slide from the first
        with np.errstate(invalid="ignore", divide="ignore"):
            return (lead[:, None] - ha[:, None] * q) / hc[:, None]

    def gap(q):
        q = np.broadcast_to(q, (n, len(q)))
        y = x[:, None] + dc[:, None] * last(q)[..., None] - o[:, None]
        g = p[:, None] - da[:, None] * q[..., None] - o[:, None]
        return (dot(y, y) - dot(g, g)) / scale**2

    qa = roots_along(JointScrew(da, o, False), gap, 1, scale)
    qc = last(qa)
    B = JointScrew(h[:, None], o[:, None], True, b.sign)
    qb = angle_between(
        B,
        x[:, None] + dc[:, None] * qc[..., None] - o[:, None],
        p[:, None] - da[:, None] * qa[..., None] - o[:, None],
    )
    return np.stack([qa, qb, qc], -1)


def orient(a: JointScrew, b: JointScrew, c: JointScrew, R) -> np.ndarray:
    """Both (qa, qb, qc) whose turns make the rotation R, (..., 2, 3).  # IK.6

    Where axes a and c fall together only the sum is known: a stays at zero.
    """
    A, B, C = (
        JointScrew(np.broadcast_to(s.axis, (*R.shape[:-2], 3))[..., None, :], s.point, True, s.sign)
        for s in (a, b, c)
    )
    ha, hb, hc = A.axis, B.axis, C.axis
    R = R[..., None, :, :]
    goal = (R @ hc[..., None])[..., 0]
    k = dot(hb, hc) * dot(ha, hb)
    qb = b.sign * circle_roots(
        (dot(ha, hc) - k)[..., 0], dot(ha, np.cross(hb, hc))[..., 0], (k - dot(ha, goal))[..., 0]
    )
    came = B.spin(qb, hc)
    free = np.linalg.norm(np.cross(ha, came), axis=-1) < 1e-8
    qa = np.where(free, 0.0, angle_between(A, came, goal))
    side = np.where((abs(hc[..., :1]) < 0.7), [1.0, 0, 0], [0, 1.0, 0])
    side = np.cross(hc, side)
    seen = (np.swapaxes(R, -1, -2) @ A.spin(qa, B.spin(qb, side))[..., None])[..., 0]
    qc = -angle_between(C, side, seen)
    return np.stack([qa, qb, qc], -1)


def plane(a: JointScrew, b: JointScrew, c: JointScrew, normal, W, scale: float) -> np.ndarray:
    """Every (qa, qb, qc) whose motions in one plane make W, (poses, branches, 3).  # IK.7

    Turning axes are along `normal`, slides across it; W must be a motion of that plane.
    """
    if not c.turns and a.turns:
        from .product_of_exponentials import inverted

        return plane(c.back(), b.back(), a.back(), normal, inverted(W), scale)[..., ::-1]
    n = len(W)
    normal = np.broadcast_to(normal, (n, 3))
    side = np.cross(normal, np.where(abs(normal[:, :1]) < 0.7, [1.0, 0, 0], [0, 1.0, 0]))
    total = angle_between(
        JointScrew(normal, 0 * normal, True), side, (W[:, :3, :3] @ side[..., None])[..., 0]
    )[:, None]
    signs = [s.sign * dot(s.axis, normal)[..., None] * s.turns for s in (a, b, c)]
    if not c.turns:  # slides at both ends
        if not b.turns:
            return np.full((n, 0, 3), np.nan)
        qb = signs[1] * total
        y = lifted(b).move(qb, np.zeros((n, 1, 3)))
        left = W[:, None, :3, 3] - y
        da, dc = (np.broadcast_to(s.axis * s.sign, (n, 3)) for s in (a, c))
        M = np.stack([da, lifted(b).spin(qb, dc[:, None])[:, 0]], -1)
        q = np.linalg.pinv(M) @ left[:, 0, :, None]
        return np.stack([q[:, 0], qb, q[:, 1]], -1)
    o = np.broadcast_to(c.point, (n, 3))
    goal = (W[:, :3, :3] @ o[..., None])[..., 0] + W[:, :3, 3]
    qa, qb = _two_in_plane(a, b, o, goal, normal, scale)
    qc = signs[2] * (total - signs[0] * qa - signs[1] * qb)
    return np.stack([qa, qb, qc], -1)


def _two_in_plane(a, b, x, y, normal, scale):
    """(qa, qb), each (poses, 2), with `Ea Eb x = y` up to height along the normal."""

    def flat(v):
        return v - dot(v, normal)[..., None] * normal

    if a.turns and b.turns:
        e, r, g = flat(b.point - a.point), flat(x - b.point), flat(y - a.point)
        qb = b.sign * circle_roots(
            2 * dot(e, r),
            2 * dot(e, np.cross(b.axis, r)),
            dot(e, e) + dot(r, r) - dot(g, g),
            scale**2,
        )
    elif a.turns:
        r, g, d = flat(x - a.point), flat(y - a.point), np.broadcast_to(b.axis * b.sign, x.shape)
        h = dot(d, r)
        inside = h * h - dot(r, r) + dot(g, g)
        with np.errstate(invalid="ignore"):
            root = np.sqrt(np.where(abs(inside) < NEAR * scale**2, 0, inside))
        qb = np.stack([root - h, -root - h], -1)
    elif b.turns:
        qb, qa = _two_in_plane(b.back(), a.back(), y, x, normal, scale)
        return qa, qb
    else:
        M = np.stack([np.broadcast_to(s.axis * s.sign, x.shape) for s in (a, b)], -1)
        q = np.linalg.pinv(M) @ flat(y - x)[..., None]
        return q[:, 0], q[:, 1]
    A, B = lifted(a), lifted(b)
    qa = angle_between(A, B.move(qb, x[:, None]) - A.point, y[:, None] - A.point)
    return qa, qb


__all__ = ["lifted", "orient", "plane", "reach"]

"""A serial chain as screws, and the angles that its geometry gives in closed form.

Every function is about many poses at once: leading axes broadcast, and a solution that does not
exist is NaN.  Theory: IK.1 to IK.8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NEAR = 1e-9  # below this share of the chain's size, lines meet and directions agree
CLOSE = 1e-3  # a root this near the unit circle is tried: double roots are that blurred


def dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def turn(axis, angle) -> np.ndarray:
    """Rotation matrices about unit axes [rad], (..., 3, 3)."""
    axis, angle = np.asarray(axis, float), np.asarray(angle, float)
    shape = np.broadcast_shapes(axis.shape[:-1], angle.shape)
    x, y, z = np.moveaxis(np.broadcast_to(axis, (*shape, 3)), -1, 0)
    c, s = np.cos(angle), np.sin(angle)
    C = 1 - c
    rows = [
        c + x * x * C,
        x * y * C - z * s,
        x * z * C + y * s,
        x * y * C + z * s,
        c + y * y * C,
        y * z * C - x * s,
        x * z * C - y * s,
        y * z * C + x * s,
        c + z * z * C,
    ]
    return np.stack(np.broadcast_arrays(*rows), -1).reshape(*shape, 3, 3)


@dataclass(frozen=True, slots=True, eq=False)
class JointScrew:
    """A joint that turns about, or slides along, a line: unit `axis`, `point` on it, world axes."""

    axis: np.ndarray  # (..., 3)
    point: np.ndarray  # (..., 3)
    turns: bool
    sign: float = 1.0  # -1: taken backwards

    def motion(self, q) -> np.ndarray:
        """Its 4 x 4 motion, (..., 4, 4).  # IK.1"""
        q = self.sign * np.asarray(q, float)
        shape = np.broadcast_shapes(q.shape, self.axis.shape[:-1])
        E = np.zeros((*shape, 4, 4))
        E[..., 3, 3] = 1
        if self.turns:
            R = turn(self.axis, q)
            E[..., :3, :3] = R
            E[..., :3, 3] = self.point - (R @ self.point[..., None])[..., 0]
        else:
            E[..., :3, :3] = np.eye(3)
            E[..., :3, 3] = self.axis * q[..., None]
        return E

    def move(self, q, x) -> np.ndarray:
        """Where a point goes, (..., 3)."""
        q = self.sign * np.asarray(q, float)
        if not self.turns:
            return x + self.axis * q[..., None]
        return self.point + spun(self.axis, q, x - self.point)

    def spin(self, q, x) -> np.ndarray:
        """Where a direction goes, (..., 3)."""
        return (
            spun(self.axis, self.sign * np.asarray(q, float), x)
            if self.turns
            else x + 0 * (np.asarray(q, float)[..., None])
        )

    def back(self) -> JointScrew:
        """The same joint, its motion inverted."""
        return JointScrew(self.axis, self.point, self.turns, -self.sign)

    def carried(self, G) -> JointScrew:
        """The joint moved by G: its motion is `G E G^-1`, (..., 4, 4)."""
        R, p = G[..., :3, :3], G[..., :3, 3]
        return JointScrew(
            (R @ self.axis[..., None])[..., 0],
            (R @ self.point[..., None])[..., 0] + p,
            self.turns,
            self.sign,
        )


def spun(axis, angle, x):
    """Directions turned about unit axes [rad]."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    return x * c + np.cross(axis, x) * s + axis * (dot(axis, x)[..., None] * (1 - c))


def inverted(T):
    """The inverse of a rigid motion, (..., 4, 4)."""
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    out = np.zeros(T.shape)
    out[..., :3, :3] = R
    out[..., :3, 3] = -(R @ T[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1
    return out


def angle_between(screw: JointScrew, a, b):
    """Angle of `screw` that takes direction a to b (their parts across its axis).  # IK.2"""
    h = screw.axis
    across = dot(a, b) - dot(h, a) * dot(h, b)
    return screw.sign * np.arctan2(dot(h, np.cross(a, b)), across)


def circle_roots(A, B, C, scale=1.0):
    """Both angles with `A cos + B sin + C = 0`, (..., 2); just out of reach counts as touching.

    Where A and B vanish with C every angle serves: 0 is given.  # IK.3
    """
    A, B, C = np.broadcast_arrays(A, B, C)
    r = np.hypot(A, B)
    free = r <= NEAR * scale
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.where(free, np.where(abs(C) <= NEAR * scale, 0.0, np.nan), -C / np.where(r, r, 1))
        x = np.where(abs(x) < 1 + 1e-7, np.clip(x, -1, 1), np.nan)
    half, phase = np.arccos(x), np.arctan2(B, A)
    roots = np.stack([phase + half, phase - half], -1)
    return np.where(free[..., None], np.where(np.isnan(x)[..., None], np.nan, 0.0), roots)


def wave_roots(function, degree: int):
    """Every angle where a trigonometric polynomial vanishes, (..., 2 degree).

    `function(angles)` gives its values, (..., k) for k angles.  Its Fourier coefficients are those
    of a polynomial in z = exp(i angle), whose roots on the unit circle are wanted.  # IK.4
    """
    n = 2 * degree + 1
    at = 2 * np.pi * np.arange(n) / n
    c = np.fft.fftshift(np.fft.fft(function(at), axis=-1), axes=-1) / n  # z^-degree ... z^degree
    size = abs(c).max(axis=-1)
    out = np.full((*c.shape[:-1], 2 * degree), np.nan)
    top = np.zeros(c.shape[:-1], int)
    for k in range(1, degree + 1):
        top = np.where(abs(c[..., degree + k]) > 1e-12 * size, k, top)
    for k in range(1, degree + 1):
        here = (top == k) & np.isfinite(size) & (size > 0)
        if here.any():
            z = _polynomial_roots(c[here][:, degree - k : degree + k + 1])
            on = abs(abs(z) - 1) < CLOSE
            out[here, : 2 * k] = np.where(on, np.angle(z), np.nan)
    return out


def line_roots(function, degree: int, scale: float):
    """Every real zero of a polynomial of a length, (..., degree); `function(lengths)`.  # IK.4"""
    n = degree + 1
    at = np.cos(np.pi * np.arange(n) / max(degree, 1)) if degree else np.zeros(1)
    V = np.linalg.inv(np.vander(at, n, increasing=True))
    c = function(scale * at) @ V.T
    size = abs(c).max(axis=-1)
    out = np.full((*c.shape[:-1], degree), np.nan)
    top = np.zeros(c.shape[:-1], int)
    for k in range(1, n):
        top = np.where(abs(c[..., k]) > 1e-12 * size, k, top)
    for k in range(1, n):
        here = (top == k) & np.isfinite(size) & (size > 0)
        if here.any():
            z = _polynomial_roots(c[here][:, : k + 1])
            real = abs(z.imag) < CLOSE * np.maximum(1, abs(z))
            out[here, :k] = np.where(real, z.real, np.nan) * scale
    return out


def _polynomial_roots(c):
    """Roots of polynomials given by coefficients of growing powers, (m, degree)."""
    n = c.shape[-1] - 1
    M = np.zeros((len(c), n, n), dtype=c.dtype)
    M[:, 1:, :-1] = np.eye(n - 1)
    M[:, :, -1] = -c[:, :-1] / c[:, -1:]
    return np.linalg.eigvals(M)


def roots_along(screw: JointScrew, function, degree: int, scale: float):
    """Zeros of a function of one joint, trigonometric or polynomial."""
    if screw.turns:
        return wave_roots(function, degree)
    return line_roots(function, 2 * degree, scale)


def branch(roots, *others):
    """A new axis for the branches of `roots`, flattened into the last branch axis of `others`."""
    k = roots.shape[-1]
    grown = [np.repeat(x, k, axis=-1) for x in others]
    return [*grown, roots.reshape(*roots.shape[:-2], -1)]


__all__ = [
    "NEAR",
    "JointScrew",
    "angle_between",
    "branch",
    "circle_roots",
    "dot",
    "inverted",
    "line_roots",
    "roots_along",
    "spun",
    "turn",
    "wave_roots",
]

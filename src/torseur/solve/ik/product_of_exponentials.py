"""Product of exponentials of a serial chain (Brockett 1984), and equations of one joint angle.

All functions take many poses at once: leading axes broadcast, and a solution that does not exist is
NaN.  Rotations between directions and sinusoidal equations are the Paden-Kahan subproblems 1 to 3
(Murray, Li and Sastry 1994, section 3.2).  Theory: IK.1 to IK.8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

GEOMETRY_RTOL = 1e-9  # below this share of the chain's size, lines meet and directions agree
ROOT_TOLERANCE = 1e-3  # a root this near the unit circle is tried: double roots are that blurred


def dot_product(a: np.ndarray, b: np.ndarray):
    """Scalar products along the last axis."""
    return np.einsum("...i,...i->...", a, b)


def rotation_matrix(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
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
    """Revolute or prismatic joint: unit `axis` and a `point` on it, world axes."""

    axis: np.ndarray  # (..., 3)
    point: np.ndarray  # (..., 3)
    is_revolute: bool
    sign: float = 1.0  # -1: taken backwards

    def exponential(self, q: Any) -> np.ndarray:
        """Its 4 x 4 motion exp(S q), (..., 4, 4) (IK.1)."""
        q = self.sign * np.asarray(q, float)
        shape = np.broadcast_shapes(q.shape, self.axis.shape[:-1])
        E = np.zeros((*shape, 4, 4))
        E[..., 3, 3] = 1
        if self.is_revolute:
            R = rotation_matrix(self.axis, q)
            E[..., :3, :3] = R
            E[..., :3, 3] = self.point - (R @ self.point[..., None])[..., 0]
        else:
            E[..., :3, :3] = np.eye(3)
            E[..., :3, 3] = self.axis * q[..., None]
        return E

    def move_point(self, q: Any, x: np.ndarray) -> np.ndarray:
        """Image of a point, (..., 3)."""
        q = self.sign * np.asarray(q, float)
        if not self.is_revolute:
            return x + self.axis * q[..., None]
        return self.point + rotate_vectors(self.axis, q, x - self.point)

    def rotate_direction(self, q: Any, x: np.ndarray) -> np.ndarray:
        """Image of a direction, (..., 3)."""
        return (
            rotate_vectors(self.axis, self.sign * np.asarray(q, float), x)
            if self.is_revolute
            else x + 0 * (np.asarray(q, float)[..., None])
        )

    def inverse(self) -> JointScrew:
        """The same joint with inverse motion."""
        return JointScrew(self.axis, self.point, self.is_revolute, -self.sign)

    def transformed_by(self, G: np.ndarray) -> JointScrew:
        """The joint after a motion G (..., 4, 4): its motion is `G E G^-1`."""
        R, p = G[..., :3, :3], G[..., :3, 3]
        return JointScrew(
            (R @ self.axis[..., None])[..., 0],
            (R @ self.point[..., None])[..., 0] + p,
            self.is_revolute,
            self.sign,
        )


def rotate_vectors(axis: np.ndarray, angle: np.ndarray, x: np.ndarray):
    """Vectors rotated about unit axes [rad] (Rodrigues' formula)."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    return x * c + np.cross(axis, x) * s + axis * (dot_product(axis, x)[..., None] * (1 - c))


def invert_pose(T: np.ndarray):
    """Inverse of a rigid motion, (..., 4, 4)."""
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    out = np.zeros(T.shape)
    out[..., :3, :3] = R
    out[..., :3, 3] = -(R @ T[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1
    return out


def solve_rotation_angle(screw: JointScrew, a: np.ndarray, b: np.ndarray):
    """Angle of a screw that rotates direction a to b, apart from parts along its axis (IK.2).

    Paden-Kahan subproblem 1.
    """
    h = screw.axis
    cosine = dot_product(a, b) - dot_product(h, a) * dot_product(h, b)
    return screw.sign * np.arctan2(dot_product(h, np.cross(a, b)), cosine)


def solve_sinusoid(A: Any, B: Any, C: Any, scale: float = 1.0):
    """Both angles with `A cos + B sin + C = 0`, (..., 2) (IK.3).

    Slightly unreachable values count as reached.  Where A, B and C vanish, every angle is a
    solution, and 0 is returned.
    """
    A, B, C = np.broadcast_arrays(A, B, C)
    r = np.hypot(A, B)
    is_free = r <= GEOMETRY_RTOL * scale
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.where(
            is_free, np.where(abs(C) <= GEOMETRY_RTOL * scale, 0.0, np.nan), -C / np.where(r, r, 1)
        )
        x = np.where(abs(x) < 1 + 1e-7, np.clip(x, -1, 1), np.nan)
    half, phase = np.arccos(x), np.arctan2(B, A)
    roots = np.stack([phase + half, phase - half], -1)
    return np.where(is_free[..., None], np.where(np.isnan(x)[..., None], np.nan, 0.0), roots)


def solve_trigonometric(function: Callable[[np.ndarray], np.ndarray], degree: int):
    """All zeros of a trigonometric polynomial, (..., 2 degree) (IK.4).

    `function(angles)` gives its values, (..., k) for k angles.  Its Fourier coefficients are those
    of a polynomial in z = exp(i angle).  The zeros are its roots on the unit circle.
    """
    n = 2 * degree + 1
    angles = 2 * np.pi * np.arange(n) / n
    # z^-degree ... z^degree
    c = np.fft.fftshift(np.fft.fft(function(angles), axis=-1), axes=-1) / n
    size = abs(c).max(axis=-1)
    out = np.full((*c.shape[:-1], 2 * degree), np.nan)
    highest = np.zeros(c.shape[:-1], int)
    for k in range(1, degree + 1):
        highest = np.where(abs(c[..., degree + k]) > 1e-12 * size, k, highest)
    for k in range(1, degree + 1):
        rows = (highest == k) & np.isfinite(size) & (size > 0)
        if rows.any():
            z = _polynomial_roots(c[rows][:, degree - k : degree + k + 1])
            is_root = abs(abs(z) - 1) < ROOT_TOLERANCE
            out[rows, : 2 * k] = np.where(is_root, np.angle(z), np.nan)
    return out


def solve_polynomial(function: Callable[[np.ndarray], np.ndarray], degree: int, scale: float):
    """All real zeros of a polynomial of a length, (..., degree).  `function(lengths)` (IK.4)."""
    n = degree + 1
    nodes = np.cos(np.pi * np.arange(n) / max(degree, 1)) if degree else np.zeros(1)
    V = np.linalg.inv(np.vander(nodes, n, increasing=True))
    c = function(scale * nodes) @ V.T
    size = abs(c).max(axis=-1)
    out = np.full((*c.shape[:-1], degree), np.nan)
    highest = np.zeros(c.shape[:-1], int)
    for k in range(1, n):
        highest = np.where(abs(c[..., k]) > 1e-12 * size, k, highest)
    for k in range(1, n):
        rows = (highest == k) & np.isfinite(size) & (size > 0)
        if rows.any():
            z = _polynomial_roots(c[rows][:, : k + 1])
            real = abs(z.imag) < ROOT_TOLERANCE * np.maximum(1, abs(z))
            out[rows, :k] = np.where(real, z.real, np.nan) * scale
    return out


def _polynomial_roots(c: np.ndarray):
    """Roots (m, degree) of polynomials with ascending coefficients (companion matrix)."""
    n = c.shape[-1] - 1
    M = np.zeros((len(c), n, n), dtype=c.dtype)
    M[:, 1:, :-1] = np.eye(n - 1)
    M[:, :, -1] = -c[:, :-1] / c[:, -1:]
    return np.linalg.eigvals(M)


def solve_joint_equation(
    screw: JointScrew, function: Callable[[np.ndarray], np.ndarray], degree: int, scale: float
):
    """Zeros of a function of one joint, trigonometric or polynomial."""
    if screw.is_revolute:
        return solve_trigonometric(function, degree)
    return solve_polynomial(function, 2 * degree, scale)


def combine_branches(roots: np.ndarray, *others: np.ndarray):
    """Branches of `roots`, flattened into the last branch axis of `others`."""
    k = roots.shape[-1]
    grown = [np.repeat(x, k, axis=-1) for x in others]
    return [*grown, roots.reshape(*roots.shape[:-2], -1)]


__all__ = [
    "GEOMETRY_RTOL",
    "JointScrew",
    "combine_branches",
    "dot_product",
    "invert_pose",
    "rotate_vectors",
    "rotation_matrix",
    "solve_joint_equation",
    "solve_polynomial",
    "solve_rotation_angle",
    "solve_sinusoid",
    "solve_trigonometric",
]

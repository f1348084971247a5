"""All solutions of the general 6R arm as an eigenvalue problem (Raghavan and Roth 1993).

Fourteen equations without the last joint are linear in the sines and cosines of each angle.  The
first two angles are eliminated linearly.  A matrix pencil in the half-angle tangent of the third
remains, as in Manocha and Canny (1994).  Theory: IK.16 to IK.18.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .closed_form import ClosedForm
from .product_of_exponentials import JointScrew, invert_pose

SAMPLE_ANGLES = 2 * np.pi * np.arange(3) / 3
# 1, c, s from samples
FOURIER_FROM_SAMPLES = np.linalg.inv(
    np.stack([np.ones(3), np.cos(SAMPLE_ANGLES), np.sin(SAMPLE_ANGLES)], 1)
)
# 1, c, s over 1 + x^2, by powers of x
FOURIER_FROM_HALF_TANGENT = np.array([[1.0, 0, 1], [1, 0, -1], [0, 2, 0]])
# where each half-tangent has its zero
HALF_TANGENT_ORIGINS = ((0.61, -1.13, 2.02), (-2.31, 0.83, 0.47))
# imaginary share up to which a root is tried: double roots are that blurred
MAX_IMAGINARY_PART = 1e-3


def find_general_family(chain: Sequence[JointScrew], scale: float) -> ClosedForm | None:
    """Closed form of six revolute joints.  None for other chains, or if every elimination
    degenerates.
    """
    if len(chain) != 6 or not all(s.is_revolute for s in chain):
        return None
    samples = np.random.default_rng(5).uniform(-2, 2, (2, 6))
    poses = [_chain_pose(chain, q) for q in samples]
    for first in range(6):
        for is_reversed in (False, True):
            if all(
                _RaghavanRothElimination(
                    _rotate_chain(chain, G, first, is_reversed), scale
                ).is_regular(G)
                for G in poses
            ):
                name = "six turns, an eigenvalue problem"
                return ClosedForm(
                    name,
                    _EliminationOrder(chain, scale, first, is_reversed),
                    lambda q: [],
                    "elimination",
                )
    return None


class _EliminationOrder:
    """Solutions by the elimination that begins with joint `first`, forwards or reversed."""

    def __init__(self, chain: Sequence[JointScrew], scale: float, first: int, back: bool):
        """Order of the joints.  An elimination that begins with joint 1 serves all poses."""
        self.chain, self.scale, self.first, self.is_reversed = chain, scale, first, back
        self.order = np.roll(np.arange(6), -first)
        if back:
            self.order = self.order[::-1]
        self.elimination = (
            None
            if first
            else _RaghavanRothElimination(_rotate_chain(chain, np.eye(4), 0, back), scale)
        )

    def __call__(self, G: np.ndarray):
        """Solutions (poses, 32, 6) of motions G (poses, 4, 4)."""
        if self.elimination is not None:
            found = self.elimination(G)
        else:
            own = (
                _RaghavanRothElimination(
                    _rotate_chain(self.chain, g, self.first, self.is_reversed), self.scale
                )
                for g in G
            )
            found = np.concatenate([e(g[None]) for e, g in zip(own, G, strict=True)])
        out = np.empty_like(found)
        out[..., self.order] = found
        return out


def _chain_pose(chain: Sequence[JointScrew], q: np.ndarray):
    T = np.eye(4)
    for s, x in zip(chain, q, strict=True):
        T = T @ s.exponential(x)
    return T


def _rotate_chain(chain: Sequence[JointScrew], G: np.ndarray, first: int, is_reversed: bool):
    """The same loop equation begun with another joint, or reversed.

    `E_1 E_2 ... = G` is `E_2 ... (G^-1 E_1 G) = G`.
    """
    X = invert_pose(G)
    last = [
        JointScrew(X[:3, :3] @ s.axis, X[:3, :3] @ s.point + X[:3, 3], s.is_revolute, s.sign)
        for s in chain[:first]
    ]
    turned = [*chain[first:], *last]
    return _reverse_chain(turned) if is_reversed else turned


def _reverse_chain(chain: Sequence[JointScrew]):
    """The chain from its end: the same angles in reversed order."""
    return [JointScrew(s.axis, s.point, s.is_revolute, -s.sign) for s in reversed(chain)]


class _RaghavanRothElimination:
    """Equations of one chain, of which only a part depends on the pose."""

    def __init__(self, chain: Sequence[JointScrew], scale: float):
        self.chain, self.scale = chain, scale
        self.is_reversed = chain[0].sign < 0
        # (14, 3, 3, 3) of joints 3, 4, 5
        self.left = self._equation_coefficients(2, 5, np.eye(4)[None])[0]

    def _equation_coefficients(self, first: int, last: int, G: np.ndarray):
        """Coefficients (poses, 14, 3 a joint) of the equations over 1, cos, sin of the angles
        (IK.16).

        Joints `first` to `last` transform axis 6.  The joints before them, inverted, transform G
        times axis 6.
        """
        axis, point = self.chain[5].axis, self.chain[5].point / self.scale
        joints = range(first, last)
        angles = np.array(np.meshgrid(*[SAMPLE_ANGLES] * len(joints), indexing="ij")).reshape(
            len(joints), -1
        )
        X = np.tile(np.eye(4), (angles.shape[1], 1, 1))
        for j, x in zip(joints, angles, strict=True):
            E = self.chain[j].exponential(x)
            E[..., :3, 3] /= self.scale
            X = X @ E if first else invert_pose(E) @ X
        X = X[None] @ G[:, None]
        l = X[..., :3, :3] @ axis
        p = X[..., :3, :3] @ point + X[..., :3, 3]
        pp, pl = (p * p).sum(-1, keepdims=True), (p * l).sum(-1, keepdims=True)
        rows = np.concatenate([l, p, pp, pl, np.cross(p, l), pp * l - 2 * pl * p], -1)  # IK.16
        y = np.moveaxis(rows, -1, 1).reshape(len(G), 14, *[3] * len(joints))
        for k in range(len(joints)):
            y = np.moveaxis(np.tensordot(y, FOURIER_FROM_SAMPLES, axes=(2 + k, 1)), -1, 2 + k)
        return y

    def _matrix_pencil(self, right: np.ndarray, chart: Sequence[float]):
        """Matrices (12, 12) of x^0, x^1, x^2 for the half-angle tangent x of joint 3 (IK.17)."""
        Q = right.reshape(14, 9)[:, 1:]  # the constant stays on the left
        left = self.left.copy()
        left[:, 0, 0, 0] -= right[:, 0, 0]
        U, s, _ = np.linalg.svd(Q)
        K = np.einsum("re,eabc->rabc", U[:, 8:].T, left)
        for k, zero in enumerate(chart):
            c, s = np.cos(zero), np.sin(zero)
            # of angle = zero + own
            basis = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ FOURIER_FROM_HALF_TANGENT
            K = np.moveaxis(np.tensordot(K, basis, axes=(1 + k, 0)), -1, 1 + k)
        M = np.zeros((3, 12, 4, 3))
        equations = np.moveaxis(K, 1, 0)
        M[:, :6, :3], M[:, 6:, 1:] = equations, equations  # and once more, times x of the fourth
        return M.reshape(3, 12, 12)

    def is_regular(self, G: np.ndarray):
        """Whether the pencil is regular: its determinant does not vanish identically."""
        right = self._equation_coefficients(0, 2, self._scaled_target(G)[None])[0]
        M = self._matrix_pencil(right, HALF_TANGENT_ORIGINS[0])
        x = 0.37
        s = np.linalg.svd(M[0] + x * M[1] + x * x * M[2], compute_uv=False)
        return bool(s[-1] > 1e-9 * s[0])

    def _scaled_target(self, G: np.ndarray):
        """Motion that the chain must make, with lengths over the scale."""
        T = invert_pose(G) if self.is_reversed else G.copy()
        T[..., :3, 3] /= self.scale
        return T

    def __call__(self, G: np.ndarray):
        """Angles (poses, 32, 6), NaN where there are fewer solutions."""
        out = np.full((len(G), 32, 6), np.nan)
        rights = self._equation_coefficients(0, 2, self._scaled_target(G))
        for i, right in enumerate(rights):
            rows = np.concatenate(
                [self._middle_angles(right, chart) for chart in HALF_TANGENT_ORIGINS]
            )
            q = self._outer_angles(rows, right, G[i])
            out[i, : len(q)] = q[:32]
        return out

    def _middle_angles(self, right: np.ndarray, chart: Sequence[float]):
        """Angles of joints 3, 4, 5 from the real eigenvalues (IK.18)."""
        from scipy.linalg import eig

        M = self._matrix_pencil(right, chart)
        I, O = np.eye(12), np.zeros((12, 12))
        if np.linalg.cond(M[2]) < 1e6:  # the pencil is a matrix, several times quicker
            w, V = np.linalg.eig(
                np.block([[O, I], [-np.linalg.solve(M[2], np.hstack(list(M[:2])))]])
            )
        else:
            A, B = np.block([[O, I], [-M[0], -M[1]]]), np.block([[I, O], [O, M[2]]])
            w, V = eig(A, B, check_finite=False)
        with np.errstate(all="ignore"):
            real = np.isfinite(w) & (abs(np.imag(w)) < MAX_IMAGINARY_PART * (1 + abs(w)))
        x3, v = np.real(w[real]), V[:12, real].T.reshape(-1, 4, 3)
        if not len(x3):
            return np.zeros((0, 3))
        largest = np.argmax(abs(v[:, :3].reshape(len(v), -1)), axis=1)  # where ratios are safest
        i, j = largest // 3, largest % 3
        k = np.arange(len(v))
        with np.errstate(all="ignore"):
            x4 = (v[k, i + 1, j] / v[k, i, j]).real
            row = np.argmax(abs(v).sum(axis=2), axis=1)
            first = abs(v[k, row, 0]) >= abs(v[k, row, 2])
            x5 = np.where(first, v[k, row, 1] / v[k, row, 0], v[k, row, 2] / v[k, row, 1]).real
        angles = 2 * np.arctan(np.stack([x3, x4, x5], 1)) + chart
        return angles[np.isfinite(angles).all(axis=1)]

    def _outer_angles(self, rows: np.ndarray, right: np.ndarray, G: np.ndarray):
        """Angles of joints 1, 2 by the linear equations, of joint 6 by the rest of the pose."""
        if not len(rows):
            return np.zeros((0, 6))
        waves = [np.stack([np.ones(len(rows)), np.cos(x), np.sin(x)], 1) for x in rows.T]
        y = np.einsum("eabc,na,nb,nc->en", self.left, *waves) - right[:, 0, 0][:, None]
        Q = right.reshape(14, 9)[:, 1:]
        solution = np.linalg.lstsq(Q, y, rcond=1e-12)[0]  # c2, s2, c1, c1c2, c1s2, s1, s1c2, s1s2
        q = np.zeros((len(rows), 6))
        q[:, 1], q[:, 0] = (
            np.arctan2(solution[1], solution[0]),
            np.arctan2(solution[5], solution[2]),
        )
        q[:, 2:5] = rows
        last = self.chain[5]
        reference = np.cross(last.axis, np.eye(3)[np.argmin(abs(last.axis))])
        reference /= np.linalg.norm(reference)
        T = np.tile(np.eye(4), (len(rows), 1, 1))
        for j in range(5):
            T = T @ self.chain[j].exponential(q[:, j])
        target = invert_pose(G) if self.is_reversed else G
        R = np.swapaxes(T[:, :3, :3], 1, 2) @ target[:3, :3]
        image = R @ reference
        q[:, 5] = last.sign * np.arctan2(image @ np.cross(last.axis, reference), image @ reference)
        return q


__all__ = ["find_general_family"]

"""What a weighted solution behind the low pass is worth.  Theory: ID.22, ID.28."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEVELS, SHARES = 60, 3  # steps of levels; times that what the parameters took is found anew
LEAST, NONE = 1e-12, 1e-100  # of what is expected, at least; a size that stands for zero


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Unknowns `x = H (A' b W + ...)` of amplitudes of cosines, weights as used."""

    A: np.ndarray  # weighted rows, (frequencies * joints, unknowns)
    H: np.ndarray
    pulled: np.ndarray  # squares of the prior's rows, in H
    W: np.ndarray  # weights, (frequencies, joints)
    residuals: np.ndarray  # of the rows without weights

    def covariance(self, shapes, known, C) -> np.ndarray:
        """Of the unknowns: noise as it is, and what the prior pulls with spread C of the first.

        `shapes` are those of the variances of noise and of slow errors over the frequencies, a row
        each, `known` is added to them; (frequencies, joints).
        """
        A, W, k = self.A, self.W, len(C)
        took = np.einsum("ij,ij->i", A @ self.H, A).reshape(W.shape)
        share = 1 - took
        for _ in range(SHARES):
            S = variances(self.residuals**2, np.maximum(share, 1e-9), shapes, known)
            noise = self.H @ (A.T @ (A * (S * W**2).reshape(-1, 1))) @ self.H
            again = np.einsum("ij,ij->i", A @ noise, A).reshape(W.shape)
            share = 1 - 2 * took + again / (W**2 * S)
        pulled = self.pulled.copy()
        pulled[:k, :k] = pulled[:k, :k] @ C @ pulled[:k, :k]
        return noise + self.H @ pulled @ self.H


def variances(squares, share, shapes, known) -> np.ndarray:
    """Of each joint's rows by restricted maximum likelihood: noise, and slow errors where there
    are any.

    `share` of a row's variance is expected in the squares of its residuals.  Slow errors must
    be worth the number that they cost (Akaike 1974).
    """
    alone, both = (_fitted(squares, share, shapes[:n], known) for n in (1, 2))
    gain = (share * np.log(alone / both) + squares * (1 / alone - 1 / both)).sum(axis=0)
    return np.where(gain > 2, both, alone)


def _fitted(squares, share, shapes, known) -> np.ndarray:
    """Variances with the likeliest sizes of these shapes."""
    start = np.maximum((squares - known).mean(axis=0), LEAST * squares.mean(axis=0) + NONE)
    sizes = np.tile(start, (len(shapes), 1))
    for _ in range(LEVELS):
        S = shapes.T @ sizes + known
        wanted = shapes @ (share / S)
        seen = np.maximum(shapes @ (squares / S**2), LEAST * wanted)
        sizes = np.maximum(sizes * np.sqrt(seen / wanted), NONE)  # ID.22
    return shapes.T @ sizes + known

"""Noise of measured coordinates in the columns of accelerations, taken off.  Theory: ID.29."""

from __future__ import annotations

import numpy as np

from .filtering import steepness

NOTHING = 1e-6  # of the squares of accelerations: noise below need not be looked at
MOST = 0.9  # share of a direction's squares that may be taken off as noise
ORDER = 4  # of the low pass, forward and backward


def left_by(band: float, f) -> np.ndarray:
    """What the low pass leaves of amplitudes at frequencies f."""
    return 1 / (1 + (f / band) ** (2 * ORDER))


def acceleration_noise(data, f) -> np.ndarray | None:
    """Variances that noise of coordinates has in rows of accelerations, (frequencies, joints).

    White noise of the samples, through the low pass and two differences; None: hardly any.
    """
    if data.noise is None or data.passed is None or data.band is None:
        return None
    fine = data.passed.pieces[0][2]
    left = left_by(data.band, f)
    twice = steepness(f, fine) ** 2
    share = fine / float(np.median(np.diff(data.time)))  # of the samples that are rows
    found = (share**0.5 * left * twice)[:, None] ** 2 * data.noise**2
    return found if (found.sum(axis=0) > NOTHING * (data.a**2).sum(axis=0)).any() else None


class Blur:
    """Squares of columns that come from noise of the coordinates: rows j shake, columns of i.

    The last column is of masses that are known.
    """

    def __init__(self, motion, noise):
        problem, n = motion.problem, len(motion.problem.data)
        kept, ten = np.array(motion.kept), motion.plain.shape[2]
        self.noise = noise
        self.squares: list[list[np.ndarray]] = []
        data, known = problem.data, problem.lin.known
        still = np.zeros_like(data.v)
        rest = known(data.q, still, still)
        rotors = {i: c for c, (_, _, kind, i) in enumerate(problem.lin.columns) if kind == "rotor"}
        for j in range(problem.nv):
            D = np.zeros((n, problem.nv, len(problem.lin.columns)))
            D[:, :, :ten] = motion.moved(j, np.ones(n))
            if j in rotors:
                D[:, j, rotors[j]] = 1.0
            given = known(data.q, still, still + np.eye(problem.nv)[j]) - rest
            D = np.concatenate([D[:, :, kept], given[:, :, None]], axis=2)
            self.squares.append([X.T @ X / n for X in np.swapaxes(D, 0, 1)])

    def of(self, weights, gains) -> np.ndarray:
        """What noise adds to the squares of weighted columns, on average: ID.29."""
        share = (weights**2).T @ self.noise * gains[:, None] ** 2  # (row, joint that shakes)
        return np.einsum("ij,jikl->kl", share, np.array(self.squares))

    def in_rows(self, beta, gains) -> np.ndarray:
        """Variances of the rows that come from it, (frequencies, joints)."""
        one = np.append(beta, 1.0)
        heard = [[one @ square @ one for square in own] for own in self.squares]
        return self.noise @ np.array(heard) * gains**2

    def taken_off(self, root, weights, gains) -> tuple[np.ndarray, np.ndarray]:
        """T with `(A'A + P'P - noise)^-1 = root T T' root'`, of `root root' = (A'A + P'P)^-1`;
        and what noise took from `A'b` with the masses that are known, through `root'`."""
        N = self.of(weights, gains)
        k = len(N) - 1
        size, V = np.linalg.eigh(root[:k].T @ N[:k, :k] @ root[:k])
        return V / np.sqrt(1 - np.clip(size, 0.0, MOST)), root[:k].T @ N[:k, k]

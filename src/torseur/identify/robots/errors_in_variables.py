"""Errors in variables: bias correction for noise in accelerations, and total least squares.

Noise of measured coordinates enters the columns of the regressor through the accelerations and
biases least squares towards zero.  Its expected squares are subtracted from the normal equations
(Fuller 1987).  Total least squares is the estimator without known noise (Golub and Van Loan 1980).
Equations ID.6, ID.9, ID.29.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...signal_processing import differentiation_gain, zero_phase_gain

MIN_NOISE_FRACTION = 1e-6  # of the squares of accelerations: smaller noise has no effect
MAX_NOISE_FRACTION = 0.9  # of the squares of a direction: that is subtracted at most


def acceleration_noise_variance(data: Any, frequencies: np.ndarray) -> np.ndarray | None:
    """Variance of accelerations by noise of coordinates, (frequencies, joints); None: no effect.

    White noise of the samples behind the low pass and two differentiations.
    """
    if data.q_noise is None or data.motion is None or data.cutoff is None:
        return None
    step = data.motion.segments[0][2]
    gain = zero_phase_gain(data.cutoff, frequencies)
    squared = differentiation_gain(frequencies, step) ** 2
    decimation = step / float(np.median(np.diff(data.time)))
    variance = (decimation**0.5 * gain * squared)[:, None] ** 2 * data.q_noise**2
    if (variance.sum(axis=0) > MIN_NOISE_FRACTION * (data.a**2).sum(axis=0)).any():
        return variance
    return None


class ErrorsInVariables:
    """Expected squares of the regressor's columns by noise of the coordinates (bias correction).

    `squares[j][i]` are products of the columns in rows of joint i for accelerations of joint j.
    The last column is that of the known masses.
    """

    def __init__(self, spectral: Any, variance: np.ndarray):
        problem, n = spectral.problem, len(spectral.problem.data)
        independent, inertial = np.array(spectral.independent), spectral.inertial.shape[2]
        self.variance = variance  # of accelerations, (frequencies, joints)
        data, known_efforts = problem.data, problem.lin.known_efforts
        zero = np.zeros_like(data.v)
        at_rest = known_efforts(data.q, zero, zero)
        rotors = {i: c for c, (_, _, kind, i) in enumerate(problem.lin.columns) if kind == "rotor"}
        squares = []
        for j in range(problem.nv):
            D = np.zeros((n, problem.nv, len(problem.lin.columns)))
            D[:, :, :inertial] = spectral.acceleration_columns(j, np.ones(n))
            if j in rotors:
                D[:, j, rotors[j]] = 1.0
            known_mass_efforts = known_efforts(data.q, zero, zero + np.eye(problem.nv)[j]) - at_rest
            D = np.concatenate([D[:, :, independent], known_mass_efforts[:, :, None]], axis=2)
            squares.append([X.T @ X / n for X in np.swapaxes(D, 0, 1)])
        self.squares = np.array(squares)

    def expected_squares(self, weights: np.ndarray, gains: np.ndarray) -> np.ndarray:
        """Expected contribution of the noise to the squares of weighted columns: ID.29."""
        noise = (weights**2).T @ self.variance * gains[:, None] ** 2  # (row, accelerated joint)
        return np.einsum("ij,jikl->kl", noise, self.squares)

    def row_variances(self, beta: np.ndarray, gains: np.ndarray) -> np.ndarray:
        """Variances of the rows by this noise for base parameters beta, (frequencies, joints)."""
        x = np.append(beta, 1.0)
        effort_squares = [[x @ square @ x for square in squares] for squares in self.squares]
        return self.variance @ np.array(effort_squares) * gains**2

    def correct_bias(
        self, root: np.ndarray, weights: np.ndarray, gains: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Corrections of the normal equations `A'A + P'P`, whose inverse is `root root'`.

        Returns T with `(A'A + P'P - N)^-1 = root T T' root'`, N the expected squares, and the
        product of known masses and noise that `A'b` lacks, times `root'`.
        """
        N = self.expected_squares(weights, gains)
        k = len(N) - 1
        noise_fraction, V = np.linalg.eigh(root[:k].T @ N[:k, :k] @ root[:k])
        return V / np.sqrt(1 - np.clip(noise_fraction, 0.0, MAX_NOISE_FRACTION)), root[:k].T @ N[
            :k, k
        ]


def solve_total_least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Total least squares of `A x = b` for columns of equal size: ID.6."""
    size = np.linalg.norm(b) or 1.0
    _, _, V = np.linalg.svd(np.column_stack([A, b / size]), full_matrices=False)
    return -V[-1, :-1] / V[-1, -1] * size


def total_least_squares_correction(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squares that total least squares subtracts from the diagonal of A'A: ID.9."""
    size, scale = np.linalg.norm(b) or 1.0, np.sqrt((A**2).sum(axis=0))
    scale[scale == 0] = 1
    smallest = np.linalg.svd(np.column_stack([A / scale, b / size]), compute_uv=False)[-1]
    return (smallest * scale) ** 2

"""Covariance of base parameters: sandwich estimator (Huber-White, HAC) with noise levels by REML.

The residuals of inverse dynamics are correlated in time and differ in size, so the inverse of the
normal matrix is no covariance.  The sandwich estimator propagates the noise as it is (Newey and
West 1987).  Restricted maximum likelihood (REML) separates noise from slow model errors by
frequency.  Equations ID.9, ID.19, ID.22, ID.25, ID.28.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from .errors_in_variables import total_least_squares_correction
from .friction import parameter_derivatives, prior_precision

REML_STEPS = 60  # of the noise levels
DEGREES_OF_FREEDOM_STEPS = 3  # of the share of the variance that the parameters absorb
MIN_LEVEL = 1e-12  # of the mean square
ZERO_LEVEL = 1e-100
FILTERED_CORRELATION_TIME = 5.0  # samples: white noise behind the low pass, ten samples a period
DRIFT_BATCHES = 20
AIC_PENALTY = 2.0  # Akaike: gain in twice the log likelihood that one more level must bring


# ---- sandwich estimator ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class LinearEstimator:
    """Unknowns `x = gain b` of rows `b = A x + noise`, one a frequency (or sample) and joint."""

    A: np.ndarray  # (frequencies, joints, unknowns)
    gain: np.ndarray  # (unknowns, frequencies * joints)
    residuals: np.ndarray  # (frequencies, joints)
    bias_gain: np.ndarray  # derivative of the unknowns by errors of the prior and other biases
    prior_covariance: np.ndarray  # of these
    joint_correlation: np.ndarray | None = None  # of the noise of the joints; ID.19

    @classmethod
    def from_normal_equations(
        cls,
        A: np.ndarray,
        Z: np.ndarray,
        weights: np.ndarray,
        H: np.ndarray,
        bias_gain: np.ndarray,
        prior_covariance: np.ndarray,
        residuals: np.ndarray,
    ) -> LinearEstimator:
        """`x = H Z' W^2 b` with weights W and instruments Z, which are A for least squares."""
        weighted = (Z * weights[:, :, None] ** 2).reshape(-1, Z.shape[2])
        return cls(A, H @ weighted.T, residuals, bias_gain, prior_covariance)

    def average_with(self, other: LinearEstimator) -> LinearEstimator:
        """The mean of two estimators of the same unknowns."""
        gain, bias_gain = (self.gain + other.gain) / 2, (self.bias_gain + other.bias_gain) / 2
        return replace(self, gain=gain, bias_gain=bias_gain)

    @property
    def bias_covariance(self) -> np.ndarray:
        """Covariance by errors of the prior."""
        return self.bias_gain @ self.prior_covariance @ self.bias_gain.T

    def noise_covariance(self, variances: np.ndarray) -> np.ndarray:
        """Sandwich covariance of the estimates for noise of variances (frequencies, joints)."""
        root = self.gain * np.sqrt(variances).ravel()
        if self.joint_correlation is None:
            return root @ root.T
        parts = root.reshape(len(root), *variances.shape)
        correlated = np.einsum("ij,knj->kni", self.joint_correlation, parts)
        return correlated.reshape(root.shape) @ root.T

    def covariance(self, shapes: np.ndarray, coordinate_noise: np.ndarray) -> np.ndarray:
        """Covariance of the unknowns, noise levels by REML.

        `shapes` (levels, frequencies) are the spectra of noise and of slow errors,
        `coordinate_noise` (frequencies, joints) variances that are added to them.
        """
        size = self.residuals.shape
        A = self.A.reshape(-1, self.A.shape[2])
        leverage = (A * self.gain.T).sum(axis=1).reshape(size)
        fraction = 1 - leverage  # of a row's variance in the square of its residual
        for _ in range(DEGREES_OF_FREEDOM_STEPS):
            S = estimate_variances(
                self.residuals**2, np.maximum(fraction, 1e-9), shapes, coordinate_noise
            )
            noise = self.noise_covariance(S)
            fraction = 1 - 2 * leverage + ((A @ noise) * A).sum(axis=1).reshape(size) / S
        return noise + self.bias_covariance


def estimate_variances(
    squares: np.ndarray, fraction: np.ndarray, shapes: np.ndarray, coordinate_noise: np.ndarray
) -> np.ndarray:
    """Variances of each joint's rows by REML: noise, and slow errors where the AIC prefers them.

    `fraction` is the expected share of a row's variance in the square of its residual.
    """
    noise, both = (_fit_levels(squares, fraction, shapes[:n], coordinate_noise) for n in (1, 2))
    gain = (fraction * np.log(noise / both) + squares * (1 / noise - 1 / both)).sum(axis=0)
    return np.where(gain > AIC_PENALTY, both, noise)


def _fit_levels(
    squares: np.ndarray, fraction: np.ndarray, shapes: np.ndarray, coordinate_noise: np.ndarray
) -> np.ndarray:
    """Variances with the most likely levels of these spectra, by multiplicative updates; ID.22."""
    start = np.maximum(
        (squares - coordinate_noise).mean(axis=0), MIN_LEVEL * squares.mean(axis=0) + ZERO_LEVEL
    )
    levels = np.tile(start, (len(shapes), 1))
    for _ in range(REML_STEPS):
        S = shapes.T @ levels + coordinate_noise
        expected = shapes @ (fraction / S)
        observed = np.maximum(shapes @ (squares / S**2), MIN_LEVEL * expected)
        levels = np.maximum(levels * np.sqrt(observed / expected), ZERO_LEVEL)
    return shapes.T @ levels + coordinate_noise


# ---- covariance of an estimate -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class NuisanceParameters:
    """Sensor gains and friction parameters: columns next to those of the base parameters."""

    columns: np.ndarray  # (rows, joints, unknowns)
    prior: np.ndarray  # weights of their priors, squared
    variance: np.ndarray  # before the measurements

    @classmethod
    def at_solution(
        cls, problem: Any, p: np.ndarray, w: np.ndarray, level: np.ndarray, gains: Any
    ) -> NuisanceParameters:
        """Columns at parameters p; `level`: weighted noise variance of a row of each joint."""
        shape, prior, variance = problem.b.shape, [], []
        columns = [np.zeros((*shape, 0))]
        if gains is not None:
            rigid, values = problem.lin.rigid_columns, problem.lin.sensor_gains(problem.nv)
            weights = gains.prior_weights(w)
            for i, weight, sigma in zip(gains.joints, weights, gains.sigma, strict=True):
                columns.append(np.zeros((*shape, 1)))
                columns[-1][:, i, 0] = problem.Y[:, i][:, rigid] @ p[rigid] / values[i]
                prior.append(weight**2)
                variance.append(sigma**2)
        for kind, i, derivative in parameter_derivatives(problem, p):
            parameter = problem.lin.friction_parameter(kind, i)
            precision, sigma = prior_precision(kind, parameter)
            columns.append(np.zeros((*shape, 1)))
            columns[-1][:, i, 0] = derivative
            prior.append(level[i] * precision)
            variance.append(sigma**2)
        return cls(np.concatenate(columns, axis=2), np.array(prior), np.array(variance))


def estimate_covariance(
    problem: Any,
    solutions: list[tuple[np.ndarray, float]],
    p: np.ndarray,
    s: np.ndarray,
    correlation_times: np.ndarray,
    method: str,
    gains: Any = None,
    spectral: Any = None,
) -> np.ndarray:
    """Covariance of base parameters at p, the mean of solutions with (weights, prior strength).

    Residuals of the joints have standard deviations s and correlation times [samples].  With a
    `spectral` problem (behind a low pass) noise and slow errors are separated by frequency.
    """
    k, T = len(problem.base), correlation_times
    if spectral is not None:
        T = np.maximum(T, FILTERED_CORRELATION_TIME)
    r, estimators = problem.residuals(p), []
    for w, strength in solutions:
        nuisance = NuisanceParameters.at_solution(problem, p, w, (w * s) ** 2 * T, gains)
        estimators.append(_linearize_solution(problem, nuisance, p, w, strength, method, spectral))
    estimator = reduce(LinearEstimator.average_with, estimators)  # of two at most
    if method == "iv":  # noise of one joint's acceleration is in the efforts of all joints
        size = np.sqrt(np.maximum((r**2).mean(axis=0), 1e-300))
        correlation = (r / size).T @ (r / size) / len(r)
        estimator = replace(estimator, joint_correlation=correlation)
    if spectral is None:
        noise = estimator.noise_covariance(np.broadcast_to(s**2 * T, r.shape))
        return (noise + estimator.bias_covariance)[:k, :k]
    coordinate_noise = spectral.spectrum.coordinate_noise  # noise of coordinates
    if spectral.errors_in_variables is not None:
        coordinate_noise = spectral.errors_in_variables.row_variances(
            problem.base.values(p), spectral.gains
        )
    return estimator.covariance(spectral.filtered_shapes, coordinate_noise)[:k, :k]


def _linearize_solution(
    problem: Any,
    nuisance: NuisanceParameters,
    p: np.ndarray,
    w: np.ndarray,
    strength: float,
    method: str,
    spectral: Any,
) -> LinearEstimator:
    """Solution with its nuisance parameters, linear in the noise, and its biases.

    Biases are those of the prior, of noise of coordinates (least squares), and of the bias
    correction where no noise is (total least squares).
    """
    base, independent = problem.base, list(problem.base.independent)
    k, n = len(independent), nuisance.columns.shape[2]

    def transform(X: np.ndarray) -> np.ndarray:
        return X if spectral is None else spectral.cosines.transform(X)

    beta = np.append(base.values(p), np.zeros(n))
    A = transform(np.concatenate([problem.Y[:, :, independent], nuisance.columns], axis=2))
    Z = A
    if method in ("irls", "iv"):
        instruments = np.concatenate([problem.Z[:, :, independent], nuisance.columns], axis=2)
        Z = transform(instruments * problem.row_weights[:, :, None] ** 2)
    P, C = np.zeros((k + n, k + n)), np.eye(k + n + 2)
    P[k:, k:], C[k:-2, k:-2] = np.diag(nuisance.prior), np.diag(nuisance.variance)
    C[:k, :k] = (base.B * problem.counted_scale**2) @ base.B.T
    if problem.prior is not None:
        P[:k, :k] = strength**2 * problem.current_prior.rows.T @ problem.current_prior.rows
    correction = np.zeros(k + n)
    if method == "tls":
        correction[:k] = total_least_squares_correction(*problem.stack_rows(w, strength))
    W = np.broadcast_to(w, A.shape[:2])
    M = np.einsum("fik,fil->kl", Z * W[:, :, None] ** 2, A, optimize=True) + P
    H, attenuation = _invert_scaled(M - np.diag(correction)), np.zeros(k + n)
    if method != "iv" and spectral is not None and spectral.errors_in_variables is not None:
        N = spectral.errors_in_variables.expected_squares(W, spectral.gains)
        attenuation[:k] = N[:k] @ np.append(beta[:k], 1.0)  # ID.29
        attenuation[:k] += N[:k, :k] @ (H @ attenuation)[:k]  # second order: beta is biased too
    bias_gain = np.column_stack([H @ P, _invert_scaled(M) @ (correction * beta), H @ attenuation])
    residuals = transform(problem.residuals(p))
    return LinearEstimator.from_normal_equations(A, Z, W, H, bias_gain, C, residuals)


def _invert_scaled(M: np.ndarray) -> np.ndarray:
    """Pseudoinverse of a normal matrix whose columns have any units."""
    d = 1 / np.sqrt(np.maximum(np.abs(np.diag(M)), 1e-300))
    return d[:, None] * np.linalg.pinv(d[:, None] * M * d, rcond=1e-15) * d


def append_friction_parameters(
    spectral: Any, p: np.ndarray, prior_covariance: np.ndarray
) -> LinearEstimator:
    """Estimator of a spectral problem with the friction parameters as further unknowns.

    `prior_covariance` is that of the base parameters before the measurements.  The inverse of the
    enlarged normal matrix follows from the Schur complement.
    """
    A, H, prior, W, residuals = spectral.solution
    derivatives = parameter_derivatives(spectral.problem, p)
    n, k, m = len(H), len(prior_covariance), len(derivatives)
    X = np.zeros((len(spectral.problem.data), W.shape[1], m))
    level = (W**2 * spectral.spectrum.variances).mean(axis=0)
    weights, sigma = np.zeros(m), np.ones(m)
    for j, (kind, i, derivative) in enumerate(derivatives):
        X[:, i, j] = derivative
        parameter = spectral.problem.lin.friction_parameter(kind, i)
        precision, sigma[j] = prior_precision(kind, parameter)
        weights[j] = level[i] * precision  # ID.22
    Z = (spectral.cosines.transform(X) * W[:, :, None]).reshape(len(A), m)
    G = H @ (A.T @ Z)
    C = np.linalg.pinv(Z.T @ Z + np.diag(weights) - (A.T @ Z).T @ G, hermitian=True)
    inverse = np.block([[H + G @ C @ G.T, -G @ C], [-C @ G.T, C]])
    all_priors, covariance = np.zeros((2, n + m, n + m))
    all_priors[:n, :n], all_priors[n:, n:] = prior, np.diag(weights)
    covariance[:k, :k], covariance[n:, n:] = prior_covariance, np.diag(sigma**2)
    covariance[k:n, k:n] = np.diag(1 / np.diag(prior)[k:])  # springs, gains, compliances
    rows = (np.hstack([A, Z]) / W.reshape(-1, 1)).reshape(*W.shape, n + m)
    return LinearEstimator.from_normal_equations(
        rows, rows, W, inverse, inverse @ all_priors, covariance, residuals
    )


# ---- autocorrelation and information -----------------------------------------------------------


def autocorrelation_time(r: np.ndarray) -> float:
    """Integrated autocorrelation time of a series [samples] (Sokal): 1 for white noise."""
    r = r - r.mean()
    n = len(r)
    power = float(r @ r)
    if n < 16 or power == 0:
        return 1.0
    spectrum = np.abs(np.fft.rfft(r, 1 << (2 * n - 1).bit_length())) ** 2  # a power of two is fast
    correlation = np.fft.irfft(spectrum)[: n // 4] / power
    total = 2 * np.cumsum(correlation) - 1
    window = int(np.argmax(np.arange(len(total)) >= 5 * total)) if len(total) else 0
    return float(np.clip(total[window], 1.0, n / 10))


def batch_correlation_time(r: np.ndarray, batches: int = DRIFT_BATCHES) -> float:
    """Autocorrelation time by means of batches [samples]: slow drifts count in full."""
    length = len(r) // batches
    if length < 2:
        return 1.0
    means = r[: length * batches].reshape(batches, length).mean(axis=1)
    return float(max(1.0, length * means.var() / max(r.var(), 1e-300)))


def variance_reduction(problem: Any, s: np.ndarray, correlation_times: np.ndarray) -> np.ndarray:
    """Share of each base parameter's prior variance that the rows remove: 1 all, 0 none; ID.25."""
    independent = list(problem.base.independent)
    prior = problem.initial_prior.rows.T @ problem.initial_prior.rows
    information: Any = sum(
        R[:, independent].T @ R[:, independent] / (s[i] ** 2 * correlation_times[i])
        for i, R in enumerate(problem.factors)
    )
    d = 1 / np.sqrt(np.diag(prior))
    scaled = np.eye(len(d)) * 1e-15 + d[:, None] * (information + prior) * d
    posterior = d * np.diag(np.linalg.inv(scaled)) * d
    return 1 - posterior / np.diag(np.linalg.inv(prior))  # ID.25

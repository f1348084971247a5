"""Frequency-domain regression: slow model errors against noise, springs, soft drives and gains.

The rows of a motion behind a low pass become amplitudes of cosines (DCT).  Their variances are
those of white noise and of slow model errors, with levels by restricted maximum likelihood (REML).
Weighting by them is generalized least squares (whitening).  Equations ID.22, ID.23.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...signal_processing import zero_phase_gain
from .covariance import append_friction_parameters
from .errors_in_variables import ErrorsInVariables, acceleration_noise_variance
from .prior import GaussianPrior, empirical_bayes_scales
from .sensor_gains import (
    GAIN_BOUNDS,
    GAIN_SIGMA,
    MAX_GAIN_STEP,
    correlated_fraction,
    model_error_fraction,
    motion_frequency,
)

MAX_FREQUENCY = 1.2  # times the cutoff: the low pass leaves nothing above
MAX_STEP = 1.5  # median steps: a longer one is a gap
PASSES = 12  # of the estimation
UNBOUNDED_PASSES = 6  # before springs and compliances below zero are fixed at zero
FIXED_SCALE = 1e-12  # of the prior of a spring or compliance that is fixed at zero
MIN_ERROR_FRACTION = 0.2  # of the model in the residuals (ID.18), for gains to be estimated
SPRING_SCALE = 0.5  # usual spring, in usual offsets per radian or meter
CORNER_FREQUENCY = 2.0  # of slow errors, in frequencies of the motion: errors of poses double it


class CosineTransform:
    """Discrete cosine transform of the segments of a motion, up to the cutoff of its low pass."""

    def __init__(self, time: np.ndarray, cutoff: float):
        from scipy.fft import dct

        self.dct = dct
        step = float(np.median(np.diff(time)))
        gaps = np.flatnonzero(np.diff(time) > MAX_STEP * step) + 1
        self.segments, frequencies = [], []
        for low, high in pairwise([0, *gaps.tolist(), len(time)]):
            f = np.arange(high - low) / (2 * (high - low) * step)
            f = f[f < MAX_FREQUENCY * cutoff]
            self.segments.append((slice(low, high), len(f)))
            frequencies.append(f)
        self.frequencies = np.concatenate(frequencies)  # [Hz]

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Amplitudes of the columns of X, (frequencies, ...), first axis of X time."""
        parts = (self.dct(X[rows], axis=0, norm="ortho")[:n] for rows, n in self.segments)
        return np.concatenate(list(parts))


class ErrorSpectrum:
    """Variances of each joint's rows: white noise and slow errors.

    ID.22: `S = s0 + s1 / (1 + (f / f0)^2)`, f0 twice the frequency of the motion.
    """

    def __init__(self, cosines: CosineTransform, data: Any, residuals: np.ndarray, power: float):
        f = cosines.frequencies
        corner = max(CORNER_FREQUENCY * motion_frequency(data), 1e-9)
        self.shapes = np.stack([np.ones(len(f)), 1 / (1 + (f / corner) ** 2)])
        start = (cosines.transform(residuals) ** 2).mean(axis=0)
        floor = (1e-7**2) * (data.tau**2).mean() + 1e-300
        self.levels, self.power = np.maximum(np.stack([start, start]), floor), power
        self.coordinate_noise = np.zeros_like(self.levels[:1])  # noise of coordinates, ID.29

    @property
    def variances(self) -> np.ndarray:
        """(frequencies, joints)."""
        return self.shapes.T @ self.levels + self.coordinate_noise

    @property
    def weights(self) -> np.ndarray:
        """Inverse standard deviations; between joints an inverse power of their level: ID.6."""
        logs = -0.5 * np.log(self.variances)
        level = logs.mean(axis=0)
        return np.exp(logs + (self.power - 1) * (level - level.mean()))

    def update_levels(self, residuals: np.ndarray, leverage: np.ndarray) -> None:
        """One step of REML: the leverage of the parameters counts as lost degrees of freedom."""
        S = self.variances
        observed = self.shapes @ (residuals**2 / S**2)
        expected = self.shapes @ (np.maximum(1 - leverage, 1e-9) / S)
        self.levels *= np.sqrt(np.maximum(observed, 1e-12 * expected) / expected)


class SpectralProblem:
    """Least squares in the frequency domain: base parameters, springs, gains and compliances."""

    def __init__(
        self, problem: Any, p: np.ndarray, prior_weight: float, power: float, with_gains: bool
    ):
        self.problem, self.prior_weight = problem, prior_weight
        data, lin, nv = problem.data, problem.lin, problem.nv
        self.cosines = CosineTransform(data.time, data.cutoff)
        self.gains = lin.sensor_gains(nv)
        self.inertial = problem.inertial / self.gains[:, None]  # regressor for gains of one
        self.independent = list(problem.base.independent)
        size = np.sqrt((data.tau**2).mean(axis=0))
        reference = int(np.argmax(size))
        self.free_gains = [i for i in range(nv) if i != reference] if with_gains else []
        self._set_springs(with_gains)
        self._set_compliances(p, with_gains)
        self.kinds = np.array([kind for _, _, kind, _ in lin.columns])
        self.B, self.counted_scale = problem.base.B, problem.scales.scale
        self.prior = GaussianPrior.from_scale(self.B, problem.scales.scale / prior_weight)
        self.b = self.cosines.transform(data.tau - lin.known_efforts(data.q, data.v, data.a))
        self.spectrum = ErrorSpectrum(self.cosines, data, problem.residuals(p), power)
        noise = acceleration_noise_variance(data, self.cosines.frequencies)
        self.errors_in_variables = None if noise is None else ErrorsInVariables(self, noise)
        self._constant_columns: tuple[np.ndarray, np.ndarray] | None = None

    def _set_springs(self, enabled: bool) -> None:
        """Springs of hoses and cables at joints with an offset; usual sizes by those of offsets.

        Hoses do not depend on the strength of a joint, only on rotation or translation.
        """
        problem, lin = self.problem, self.problem.lin
        offsets = {i: c for c, (_, _, kind, i) in enumerate(lin.columns) if kind == "offset"}
        self.spring_joints = [i for i in offsets if i in problem.row_paths] if enabled else []
        self.offsets = [offsets[i] for i in self.spring_joints]
        self.spring_centers = np.array([problem.row_paths[i].x.mean() for i in self.spring_joints])
        angular = np.array([lin.speeds[i][2] for i in self.spring_joints], bool)
        logs = np.log(problem.scales.scale[self.offsets])
        self.spring_scales = SPRING_SCALE * np.exp([logs[angular == x].mean() for x in angular])
        self.springs = np.zeros(len(self.spring_joints))

    def _set_compliances(self, p: np.ndarray, enabled: bool) -> None:
        """Soft drives: second derivatives of the efforts accelerate the links."""
        ddtau = self.problem.data.ddtau
        self.soft_joints, self.compliance_columns, scales = [], [], []
        for i, acceleration in enumerate(ddtau.T if enabled and ddtau is not None else ()):
            columns = self.acceleration_columns(i, acceleration)
            inertia = float((columns @ p[: columns.shape[2]])[:, i] @ acceleration)
            inertia /= max(float(acceleration @ acceleration), 1e-300)
            if inertia > 0:
                self.soft_joints.append(i)
                self.compliance_columns.append(columns)
                natural = (2 * np.pi * self.problem.data.cutoff) ** 2
                scales.append(1 / (inertia * natural))  # ID.23
        self.compliance_scales = np.array(scales)
        self.compliances = np.zeros(len(self.soft_joints))

    def acceleration_columns(self, i: int, acceleration: np.ndarray) -> np.ndarray:
        """Inertial regressor of an acceleration of joint i alone, (n, nv, 10 links)."""
        data, regressor = self.problem.data, self.problem.lin.inertial_regressor
        zero, a = np.zeros_like(data.v), np.zeros_like(data.a)
        a[:, i] = acceleration
        return regressor(data.q, zero, a) - regressor(data.q, zero, zero)

    def columns(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Transformed columns of base parameters, and of springs, gains and compliances, at p.

        Springs are linear.  Gains and compliances enter by their derivatives.
        """
        if self._constant_columns is None or self.free_gains or self.soft_joints:
            self._constant_columns = self._compute_columns(p)
        return self._constant_columns

    def _compute_columns(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Columns at parameters p and the current gains and compliances."""
        problem, gains, a = self.problem, self.gains, self.problem.data.a
        first, nv = self.inertial.shape[2], problem.nv
        rigid = self.inertial - sum(
            c * D for c, D in zip(self.compliances, self.compliance_columns, strict=True)
        )
        Y = np.concatenate([rigid * gains[:, None], problem.Y[:, :, first:]], axis=2)
        rotor_efforts, load = {}, rigid @ p[:first]
        for c, (_, _, kind, i) in enumerate(problem.lin.columns):
            if kind == "rotor":
                Y[:, i, c] = gains[i] * a[:, i]
                rotor_efforts[i] = p[c] * a[:, i]
        springs, free, soft = len(self.spring_joints), self.free_gains, self.compliance_columns
        extra = np.zeros((len(Y), nv, springs + len(free) + len(soft)))
        for k, (i, center) in enumerate(zip(self.spring_joints, self.spring_centers, strict=True)):
            extra[:, i, k] = problem.row_paths[i].x - center
        for k, i in enumerate(free, springs):
            extra[:, i, k] = load[:, i] + rotor_efforts.get(i, 0.0)
        for k, D in enumerate(soft, springs + len(free)):
            extra[:, :, k] = -(D @ p[:first]) * gains
        return (
            self.cosines.transform(Y[:, :, self.independent]),
            self.cosines.transform(extra),
        )

    def prior_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and right-hand side of the priors, for changes of gains and compliances."""
        problem, gains = self.problem, self.gains[self.free_gains]
        k, n = len(self.independent), len(self.spring_joints)
        sigma = np.hypot(GAIN_SIGMA, gains - 1)  # ID.20
        weights = np.concatenate(
            [self.prior_weight / self.spring_scales, 1 / sigma, 1 / self.compliance_scales]
        )
        P = np.zeros((k + len(weights), k + len(weights)))
        P[:k, :k] = self.prior.rows
        P[k:, k:] = np.diag(weights)
        means = [np.zeros(n), (1 - gains) / sigma, -self.compliances / self.compliance_scales]
        return P, np.concatenate([P[:k, :k] @ (problem.base.B @ problem.prior_mean), *means])

    def step(self, p: np.ndarray, fix_negative: bool) -> np.ndarray:
        """One pass: new parameters, gains, springs, compliances, spectrum and prior."""
        problem, k, n = self.problem, len(self.independent), len(self.spring_joints)
        X, extra = self.columns(p)
        if self.errors_in_variables is not None:
            beta = problem.base.values(p)
            self.spectrum.coordinate_noise = self.errors_in_variables.row_variances(
                beta, self.gains
            )
        W = self.spectrum.weights
        A = (np.concatenate([X, extra], axis=2) * W[:, :, None]).reshape(W.size, -1)
        P, prior_rhs = self.prior_rows()
        M = np.vstack([A, P])
        scale = np.sqrt((M**2).sum(axis=0)) + 1e-300
        Q, R = np.linalg.qr(M / scale)
        root = np.linalg.pinv(R, rcond=1e-14) / scale[:, None]
        projected = Q.T @ np.concatenate([(self.b * W).ravel(), prior_rhs])
        if self.errors_in_variables is not None:
            T, missing = self.errors_in_variables.correct_bias(root, W, self.gains)
            root, projected = root @ T, T.T @ (projected + missing)
        x = root @ projected
        r = self.b - np.concatenate([X, extra], axis=2) @ x
        H = root @ root.T
        self.solution = A, H, P.T @ P, W, r
        self.spectrum.update_levels(r, (Q[: W.size] ** 2).sum(axis=1).reshape(W.shape))
        self.springs = x[k : k + n]
        first = k + n + len(self.free_gains)
        compliances = self.compliances + x[first:]
        if fix_negative:
            self.spring_scales[self.springs < 0] = FIXED_SCALE
            self.compliance_scales[compliances < 0] = FIXED_SCALE
        change = np.clip(x[k + n : first], -MAX_GAIN_STEP, MAX_GAIN_STEP)
        self.gains[self.free_gains] = np.clip(self.gains[self.free_gains] + change, *GAIN_BOUNDS)
        self.compliances = np.maximum(0.0, compliances)
        mean = problem.prior_mean
        p = mean + self.prior.lift @ (x[:k] - problem.base.B @ mean)
        self._update_prior(p, H[:k, :k])
        return p

    def _update_prior(self, p: np.ndarray, covariance: np.ndarray) -> None:
        """Empirical Bayes: wider prior for kinds of parameters larger than usual; ID.28."""
        scale = self.problem.scales.scale
        reductions = self.prior.variance_reduction(self.B, covariance)
        sizes = (p - self.problem.prior_mean) / scale
        factor, counted = empirical_bayes_scales(
            self.kinds, sizes, reductions, 1 / self.prior_weight
        )
        self.prior = GaussianPrior.from_scale(self.B, factor * scale)
        self.counted_scale = counted * scale

    @property
    def filtered_shapes(self) -> np.ndarray:
        """Spectra of noise and slow errors behind the low pass, (2, frequencies)."""
        gain = zero_phase_gain(self.problem.data.cutoff, self.cosines.frequencies)
        return self.spectrum.shapes * gain**2

    def covariance(self, p: np.ndarray) -> np.ndarray:
        """Covariance of base parameters and springs after the last step: ID.22."""
        n, B = len(self.independent) + len(self.spring_joints), self.problem.base.B
        estimator = append_friction_parameters(self, p, (B * self.counted_scale**2) @ B.T)
        return estimator.covariance(self.filtered_shapes, self.spectrum.coordinate_noise)[:n, :n]

    def finish(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters and covariance; the problem takes gains, springs and compliances.

        Springs act from zero, so the offsets change by spring times center.
        """
        covariance = self.covariance(p)
        values = {("gain", i): float(self.gains[i]) for i in self.free_gains}
        self.springs[self.spring_scales <= FIXED_SCALE] = 0.0
        for kind, joints, numbers in (
            ("spring", self.spring_joints, self.springs),
            ("compliance", self.soft_joints, self.compliances),
        ):
            values |= {
                (kind, i): float(x) for i, x in zip(joints, numbers, strict=True) if x > 1e-9
            }
        p = p.copy()
        p[self.offsets] -= self.springs * self.spring_centers
        self.problem.set_nonlinear({**self.problem.lin.nonlinear, **values}, p)
        shift = -self.problem.base.B[:, self.offsets] * self.spring_centers
        T = np.hstack([np.eye(len(self.independent)), shift])
        return p, T @ covariance @ T.T


def estimate_in_frequency_domain(
    problem: Any, p: np.ndarray, prior_weight: float, power: float, gains: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Parameters and their covariance from an even motion; the problem takes gains and springs."""
    spectral = SpectralProblem(problem, p, prior_weight, power, with_gains=False)
    gains = gains and model_error_fraction(problem, p) > MIN_ERROR_FRACTION
    for _ in range(UNBOUNDED_PASSES):
        p = spectral.step(p, fix_negative=False)
    if gains and correlated_fraction(problem, p) > MIN_ERROR_FRACTION:
        spectral = SpectralProblem(problem, p, prior_weight, power, with_gains=True)
    for k in range(PASSES):
        p = spectral.step(p, UNBOUNDED_PASSES <= k < PASSES - 1)
    return spectral.finish(p)

"""Least squares for robot parameters: ordinary, weighted, IRLS, total, instrumental variables.

Weighted least squares weights the joints by their residuals.  IRLS reduces the weight of outliers
(Huber 1964).  Instrumental variables (Janot, Vandanjon and Gautier 2014) and total least squares
take errors of the measured motion into account.  All methods work on one triangular (QR) factor per
joint, so new weights need no new decomposition.  Equations ID.6, ID.7, ID.9, ID.19.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import physical_consistency
from .base_parameters import Base
from .covariance import autocorrelation_time, estimate_covariance, variance_reduction
from .errors_in_variables import solve_total_least_squares
from .filtering import friction_paths
from .friction import (
    FRICTION,
    LOG_SIGMA,
    PreslidingDistance,
    cauchy_weight,
    coordinate_paths,
    neighbor_values,
    parameter_derivatives,
    prior_deviation,
    scale_parameter,
)
from .noise_spectrum import SpectralProblem, estimate_in_frequency_domain
from .prior import GaussianPrior, estimate_scales, widen_prior
from .regressor import LinearModel
from .sensor_gains import estimate_gains, linearize_gains, residual_correlation_times

WEIGHT_EXPONENTS = {"ols": 0.0, "balanced": 0.75, "wls": 1.0, "irls": 1.0, "tls": 0.5, "iv": 1.0}
"""Weights of joints are their residuals to the power of minus this."""
METHODS_WITH_GAINS = ("balanced", "wls", "irls")
MIN_RESIDUAL = 1e-7  # of the effort: smaller residuals are rounding
HUBER_THRESHOLD = 1.5  # standard deviations
MIN_FOLLOWING_FRACTION = 0.9  # of the rows follow the row above: then friction may have presliding
PRESLIDING_PENALTY = 0.02  # of the squares, by which presliding must be better than a width
PRIOR_WEIGHT = 4.5  # of the prior, in standard deviations of the mean residual
NO_PRIOR_WEIGHT = 1e-5  # with prior=None: only parameters without any information are fixed
MAX_PRIOR_RESIDUAL = 1.1  # of the residual without a prior, geometric mean of the joints
MAX_LOG_STEP = 0.5  # of a friction parameter in one Gauss-Newton step
REFINEMENT_ROUNDS, REFINEMENT_STEPS = 10, 12
PARAMETER_TOLERANCE = 1e-13  # of the logarithm of friction parameters


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters `p`, base parameters `beta` with covariance, and statistics of the residuals."""

    lin: LinearModel  # with the estimated friction parameters, gains, springs and compliances
    p: np.ndarray
    beta: np.ndarray
    covariance: np.ndarray
    sigma: np.ndarray  # standard deviation of the residuals of each joint
    weights: np.ndarray
    correlation_times: np.ndarray  # of the residuals of each joint [samples]
    variance_reduction: np.ndarray  # share of each base parameter's prior variance removed
    consistency_ratio: np.ndarray  # of each joint's residual, with and without consistency


class SampleProblem:
    """Rows of one set of samples as triangular factors by joint, and their solution."""

    def __init__(
        self,
        lin: LinearModel,
        base: Base,
        data: Any,
        prior: str | None = "zero",
        instruments: Any = None,
    ):
        self.base, self.data, self.prior, self.instruments = base, data, prior, instruments
        self.b = data.tau - lin.known_efforts(data.q, data.v, data.a)
        self.fixed_efforts = lin.fixed_body_efforts(data.q, data.v, data.a)
        self.Y = lin.regressor(data.q, data.v, data.a, self.load, data.motion)
        self.inertial = self.Y[:, :, : 10 * len(lin.links)]
        self.Z = self.Y  # instruments: columns of a motion without errors of measurement
        if instruments is not None:
            x = instruments
            self.Z = lin.regressor(x.q, x.v, x.a, self.load, x.motion)
            self.instrument_paths = friction_paths(lin.system, x.q, x.v, x.motion)
        self.lin, self.nv = lin, data.tau.shape[1]
        self.row_weights = np.ones(self.b.shape)  # of single samples
        self.row_paths = coordinate_paths(lin.system, data.q, data.v)
        self.sample_paths = friction_paths(lin.system, data.q, data.v, data.motion)
        self.scales = estimate_scales(lin, data)
        self.prior_mean = lin.values() if prior == "model" else np.zeros(len(self.scales.scale))
        self.initial_prior = GaussianPrior.from_scale(base.B, self.scales.scale)
        self.current_prior = self.initial_prior  # empirical Bayes widens it
        self.counted_scale = self.scales.scale  # of the prior, in the covariance
        self.active_columns = [self._find_active_columns(i) for i in range(self.nv)]
        self.blocks: list[Any] = [None] * self.nv  # rows of each joint, its active columns
        self.factors: list[Any] = [self._factorize_joint(i) for i in range(self.nv)]

    def _find_active_columns(self, i: int) -> np.ndarray:
        """Columns that can act on joint i; the others are zero in its rows."""
        possible = [
            joint == i if kind in FRICTION else kind == "shaft"
            for _, _, kind, joint in self.lin.columns
        ]
        return np.flatnonzero(possible | (self.Y[:, i] != 0).any(axis=0))

    def _factorize_joint(self, i: int) -> np.ndarray:
        """Triangular factor of a joint's rows, all columns and the efforts."""
        active = self.active_columns[i]
        self.blocks[i] = block = self.Y[:, i][:, active]
        return self._factorize(i, np.column_stack([block, self.b[:, i]]), active, self.Y.shape[2])

    def _factorize(self, i: int, columns: np.ndarray, indices: Any, count: int) -> np.ndarray:
        """Triangular factor of weighted columns; all but the last go to `indices` of `count`."""
        R: Any = np.linalg.qr(columns * self.row_weights[:, i : i + 1], mode="r")
        factor = np.zeros((len(R), count + 1))
        factor[:, indices], factor[:, -1] = R[:, :-1], R[:, -1]
        return factor

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """Measured less modeled efforts, (samples, joints)."""
        efforts = (A @ p[c] for A, c in zip(self.blocks, self.active_columns, strict=True))
        return self.b - np.stack([*efforts], axis=1)

    def residual_sigma(self, p: np.ndarray, floor: float = MIN_RESIDUAL) -> np.ndarray:
        """Standard deviation of each joint's residuals, with degrees of freedom."""
        freedom = max(1, len(self.b) - len(self.base) / self.nv)
        s = np.sqrt((self.residuals(p) ** 2).sum(axis=0) / freedom)
        return np.maximum(s, floor * np.sqrt((self.b**2).mean()) + 1e-300)

    def stack_rows(self, w: np.ndarray, strength: float) -> tuple[np.ndarray, np.ndarray]:
        """Weighted rows of the base parameters, and below them those of the prior."""
        independent, k = list(self.base.independent), self.Y.shape[2]
        A = [wi * R[:, independent] for wi, R in zip(w, self.factors, strict=True)]
        b = [wi * R[:, k] for wi, R in zip(w, self.factors, strict=True)]
        if self.prior is not None:
            rows = self.current_prior.rows
            A.append(strength * rows)
            b.append(strength * rows @ (self.base.B @ self.prior_mean))  # ID.7
        return np.concatenate(A), np.concatenate(b)

    def solve(self, w: np.ndarray, strength: float, method: str) -> np.ndarray:
        """Parameters for given weights of joints and strength of the prior."""
        mean, lift = self.prior_mean, self.current_prior.lift
        if method == "iv":
            beta = np.linalg.solve(*self.instrumental_equations(w, strength))
            return mean + lift @ (beta - self.base.B @ mean)
        A, b = self.stack_rows(w, strength)
        scale = np.sqrt((A**2).sum(axis=0))
        scale[scale == 0] = 1
        if method == "tls":
            beta = solve_total_least_squares(A / scale, b) / scale
        else:
            beta = np.linalg.lstsq(A / scale, b, rcond=1e-13)[0] / scale  # ID.6
        return mean + lift @ (beta - self.base.B @ mean)

    def instrumental_equations(
        self, w: np.ndarray, strength: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """`Z'Y` and `Z'b` of the base parameters, weighted, with the prior: ID.19."""
        c = list(self.base.independent)
        H: Any = sum(x**2 * self.Z[:, i][:, c].T @ self.Y[:, i][:, c] for i, x in enumerate(w))
        g: Any = sum(x**2 * self.Z[:, i][:, c].T @ self.b[:, i] for i, x in enumerate(w))
        if self.prior is not None:
            P = strength**2 * self.current_prior.rows.T @ self.current_prior.rows
            H, g = H + P, g + P @ (self.base.B @ self.prior_mean)
        return H, g

    def make_consistent(self, w: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Consistent parameters whose efforts are nearest to those of p: ID.8.

        Distances count at the samples, and equally at random states in the measured range, so that
        the constraints change nothing in directions that the samples do not show.
        """
        args = (self.base.B, self.base.independent, self.scales, self.prior_mean)
        equivalent = physical_consistency.find_equivalent_consistent(self.lin, p, *args)
        if equivalent is not None:
            return equivalent
        k, data, scale = self.Y.shape[2], self.data, self.scales.scale
        rng = np.random.default_rng(0)
        q = data.q.copy()
        for j in range(q.shape[1]):
            if not any(i <= j < i + 4 for i in self.lin.system.quaternions):
                q[:, j] = rng.uniform(q[:, j].min(), q[:, j].max(), len(q))
        v, a, load = (x[rng.permutation(len(x))] for x in (data.v, data.a, self.load))
        Y = self.lin.regressor(q, v, a, load)
        H = sum(
            wi**2 * (R[:, :k].T @ R[:, :k] + X.T @ X)
            for wi, R, X in zip(w, self.factors, np.swapaxes(Y, 0, 1), strict=True)
        )
        noise = float(np.sqrt(np.mean((w * self.residual_sigma(p, 0.0)) ** 2)))  # of one sample
        ridge = max(noise, 1e-6 * float(np.sqrt(np.trace(H @ np.diag(scale**2)))))  # ID.8
        g = H @ p + ridge**2 / scale**2 * self.prior_mean
        H = H + np.diag(ridge**2 / scale**2)
        p = physical_consistency.solve_consistent(self.lin, H, g, self.scales)
        nearest = physical_consistency.find_equivalent_consistent(self.lin, p, *args)
        return p if nearest is None else nearest

    # ---- friction parameters -------------------------------------------------------------------

    def update_friction_parameters(self, p: np.ndarray, refine: bool) -> bool:
        """Choose the parameters of friction models from a grid, joint by joint; whether any
        changed.

        The cost of a value is its residual with new coefficients, and the prior (ID.5).
        """
        values = dict(self.lin.nonlinear)
        r = self.residuals(p)
        for i in range(self.nv):
            columns = {
                c: kind
                for c, (_, _, kind, joint) in enumerate(self.lin.columns)
                if joint == i and (kind == "rotor" or kind in FRICTION)
            }
            for place, kind in enumerate(columns.values()):
                if not (candidates := self._candidate_values(kind, i)):
                    continue
                X = self.Y[:, i, [*columns]]
                target = r[:, i] + X @ p[[*columns]]
                current = self.lin.friction_parameter(kind, i)
                candidates = (current, *neighbor_values(current)) if refine else candidates
                residuals = [self._residual_with(kind, i, x, X, place, target) for x in candidates]
                best = min(residuals, key=lambda e: float(e @ e))
                power = float((best**2).mean()) * autocorrelation_time(best)
                costs = [
                    float(e @ e) * (1 + PRESLIDING_PENALTY * isinstance(x, PreslidingDistance))
                    + power * float(np.log1p(prior_deviation(kind, x) ** 2))
                    for x, e in zip(candidates, residuals, strict=True)
                ]
                if current in candidates and min(costs) >= costs[candidates.index(current)] * (
                    1 - 1e-12
                ):
                    continue
                values[kind, i] = candidates[int(np.argmin(costs))]
        if changed := values != self.lin.nonlinear:
            self.set_nonlinear(values, p)
        return changed

    def _candidate_values(self, kind: str, i: int) -> tuple[Any, ...]:
        """Start values of a friction parameter; presliding distances if the rows are a motion."""
        if kind == "rotor":
            return ()
        model, path = FRICTION[kind], self.row_paths.get(i)
        is_motion = path is not None and path.follows.mean() > MIN_FOLLOWING_FRACTION
        return model.parameter_grid + (model.distance_grid if is_motion else ())

    def friction_column(
        self, lin: LinearModel, kind: str, i: int, instruments: bool = False
    ) -> np.ndarray:
        """Column of a friction model in its joint's rows, of the data or of the instruments."""
        data: Any = self.instruments if instruments else self.data
        paths = self.instrument_paths if instruments else self.sample_paths
        return lin.joint_column(kind, i, data.v, data.a, self.load, paths.get(i), data.motion)

    def _residual_with(
        self, kind: str, i: int, x: Any, X: np.ndarray, place: int, target: np.ndarray
    ) -> np.ndarray:
        """Residual of a joint's efforts with a friction parameter x, coefficients fitted."""
        X = X.copy()
        lin = replace(self.lin, nonlinear={**self.lin.nonlinear, (kind, i): x})
        X[:, place] = self.friction_column(lin, kind, i)
        w = self.row_weights[:, i : i + 1]
        coefficients, *_ = np.linalg.lstsq(X * w, target * w[:, 0], rcond=None)
        return (target - X @ coefficients) * w[:, 0]

    @property
    def load(self) -> np.ndarray:
        """Efforts that the joints transmit, for load-dependent friction."""
        return getattr(self, "_load", self.b + self.fixed_efforts)

    def set_nonlinear(self, values: dict[Any, Any], p: np.ndarray | None = None) -> None:
        """Take friction parameters, gains and springs, and the load of parameters p."""
        old, old_gains = self.lin.nonlinear, self.lin.sensor_gains(self.nv)
        self.lin = replace(self.lin, nonlinear=values)
        gains = self.lin.sensor_gains(self.nv)
        for i, path in self.row_paths.items():
            self.b[:, i] -= (values.get(("spring", i), 0.0) - old.get(("spring", i), 0.0)) * path.x
        if (gains != old_gains).any():
            self.inertial *= (gains / old_gains)[:, None]
        if p is not None and self.lin.load_dependent:
            first = self.inertial.shape[2]
            self._load = self.inertial @ p[:first] / gains + self.fixed_efforts
        first = self.inertial.shape[2]
        for c, (_, _, kind, i) in enumerate(self.lin.columns[first:], first):
            if kind == "shaft":
                continue
            self.Y[:, i, c] = self.friction_column(self.lin, kind, i)
            if self.instruments is not None:
                self.Z[:, i, c] = self.friction_column(self.lin, kind, i, instruments=True)
        for i, gain in enumerate(gains / old_gains):
            new_values, old_values = (
                {n: (x, type(x)) for n, x in numbers.items() if n[1] == i and n[0] != "gain"}
                for numbers in (values, old)
            )
            if new_values != old_values or self.lin.load_dependent:
                self.factors[i] = self._factorize_joint(i)
            elif gain != 1:
                rigid = self.lin.rigid_columns
                self.factors[i][:, rigid] *= gain
                self.blocks[i][:, np.isin(self.active_columns[i], rigid)] *= gain

    def set_huber_weights(self, p: np.ndarray, s: np.ndarray) -> None:
        """Weights of single samples: 1 within 1.5 standard deviations, smaller beyond."""
        r = np.abs(self.residuals(p)) / s
        self.row_weights = np.sqrt(np.minimum(1.0, HUBER_THRESHOLD / np.maximum(r, 1e-300)))
        self.factors = [self._factorize_joint(i) for i in range(self.nv)]

    def gauss_newton_step(
        self, p: np.ndarray, w: np.ndarray, strength: float
    ) -> tuple[dict[Any, Any], float] | None:
        """One Gauss-Newton step of friction parameters, linear parameters eliminated.

        Returns the nonlinear parameters and the largest step of a logarithm, or None without any.
        """
        if not (derivatives := parameter_derivatives(self, p)):
            return None
        A, b = self.stack_rows(w, strength)
        independent = list(self.base.independent)
        k, m = len(independent), len(derivatives)
        rows, rhs = [], []
        for i in range(self.nv):
            active = [n for n, c in enumerate(independent) if c in {*self.active_columns[i]}]
            local = [n for n, (_, joint, _) in enumerate(derivatives) if joint == i]
            columns = [self.Y[:, i, independent[n]] for n in active]
            columns += [derivatives[n][2] for n in local]
            block = np.column_stack([*columns, self.b[:, i]])
            R = w[i] * self._factorize(i, block, active + [k + n for n in local], k + m)
            rows.append(R[:, :-1])
            rhs.append(R[:, -1])
        if self.prior is not None:
            rows.append(np.hstack([A[-k:], np.zeros((k, m))]))
            rhs.append(b[-k:])
            prior_rows, prior_rhs = self._friction_prior_rows(p, w, k, derivatives)
            rows += prior_rows
            rhs += prior_rhs
        M, y = np.concatenate(rows), np.concatenate(rhs)
        scale = np.sqrt((M**2).sum(axis=0)) + 1e-300
        step = (np.linalg.lstsq(M / scale, y, rcond=1e-12)[0] / scale)[k:]
        values = {**self.lin.nonlinear}
        for (kind, i, _), s in zip(derivatives, step, strict=True):
            factor = np.exp(np.clip(s, -MAX_LOG_STEP, MAX_LOG_STEP))
            values[kind, i] = scale_parameter(self.lin.friction_parameter(kind, i), factor)
        return values, float(abs(step).max())

    def _friction_prior_rows(
        self, p: np.ndarray, w: np.ndarray, k: int, derivatives: list[Any]
    ) -> tuple[list[np.ndarray], list[list[float]]]:
        """Rows of the priors of friction parameters, behind k base parameters."""
        r, rows, rhs = self.residuals(p), [], []
        for n, (kind, i, _) in enumerate(derivatives):
            parameter = self.lin.friction_parameter(kind, i)
            if isinstance(parameter, PreslidingDistance):
                continue
            deviation = prior_deviation(kind, parameter)
            weight = w[i] * np.sqrt(
                cauchy_weight(deviation) * (r[:, i] ** 2).mean() * autocorrelation_time(r[:, i])
            )
            row = np.zeros(k + len(derivatives))
            row[k + n] = weight / LOG_SIGMA
            rows.append(row[None])
            rhs.append([-weight * deviation])
        return rows, rhs


def estimate_parameters(
    lin: LinearModel,
    base: Base,
    data: Any,
    *,
    method: str = "balanced",
    prior: str | None = "zero",
    physical: bool = False,
    instruments: Any = None,
    gains: bool = True,
) -> Estimate:
    """Parameters from samples; arguments as of `robot`, `physical`: consistent ones."""
    problem = SampleProblem(lin, base, data, prior, instruments)
    w, T = _reweight(problem, method)
    strength = prior_strength(problem, w, method)
    p = problem.solve(w, strength, method)
    has_parameters = any(FRICTION[n].parameter_grid for n in lin.friction)
    if has_parameters:
        p, strength = _refine_with_prior(problem, p, w, strength, method)
    in_frequency_domain = method == "balanced" and data.cutoff is not None  # ID.22
    gains = gains and prior is not None
    has_gains = gains and method in METHODS_WITH_GAINS and not in_frequency_domain
    has_gains = has_gains and estimate_gains(
        problem, w, lambda: prior_strength(problem, w, method), method
    )
    if has_gains:
        strength = prior_strength(problem, w, method)
        p = problem.solve(w, strength, method)
        if has_parameters:
            p = refine_friction_parameters(problem, p, w, strength, method)
    solutions, covariance = [(w, strength)], None
    if in_frequency_domain:
        weight = PRIOR_WEIGHT if prior is not None else NO_PRIOR_WEIGHT
        power = WEIGHT_EXPONENTS[method]
        p, covariance = estimate_in_frequency_domain(problem, p, weight, power, gains)
    else:
        p = widen_prior(problem, p, w, strength, method)
        if method == "balanced":  # the error of a mean is at most the mean of the errors
            equal = np.ones(problem.nv)
            solutions.append((equal, prior_strength(problem, equal, "ols")))
            p = (p + problem.solve(*solutions[1], "ols")) / 2
    unconstrained = s = problem.residual_sigma(p)
    if physical:
        p = problem.make_consistent(w, p)
        s = problem.residual_sigma(p)
    if covariance is None:
        columns = linearize_gains(problem, p) if has_gains else None
        spectral = None
        if data.cutoff is not None:
            spectral = SpectralProblem(problem, p, 1.0, 1.0, with_gains=False)
        covariance = estimate_covariance(problem, solutions, p, s, T, method, columns, spectral)
    reduction = variance_reduction(problem, s, T)
    beta, ratio = base.values(p), s / unconstrained
    return Estimate(problem.lin, p, beta, covariance, s, w, T, reduction, ratio)


def _reweight(problem: SampleProblem, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the joints by iterated least squares, and correlation times of the residuals.

    Friction parameters change between the passes.
    """
    lin, w, strength, T = problem.lin, np.ones(problem.nv), 0.0, np.ones(problem.nv)
    p = problem.solve(w, strength, method)
    passes = {"ols": 3, "wls": 2, "tls": 3}.get(method, 6)
    has_parameters = any(FRICTION[n].parameter_grid for n in lin.friction) or lin.load_dependent
    count = max(passes, 6 if has_parameters else 0)
    for k in range(count):
        if has_parameters:
            problem.update_friction_parameters(p, refine=k > 3)
        s = problem.residual_sigma(p)
        T = np.array([autocorrelation_time(r) for r in problem.residuals(p).T])
        w = (s / np.exp(np.log(s).mean())) ** -WEIGHT_EXPONENTS[method]
        if method == "irls":
            problem.set_huber_weights(p, s)
        if k < count - 1:
            p = problem.solve(w, prior_strength(problem, w, method), method)
    return w, T


def prior_strength(problem: SampleProblem, w: np.ndarray, method: str) -> float:
    """Weight of the prior: standard deviation of the mean residual, drifts in full; ID.7.

    It is smaller if the prior would raise the residuals by more than 10 %.
    """
    if problem.prior is None:
        return 0.0
    p = problem.solve(w, 0.0, method)
    T, s = residual_correlation_times(problem.residuals(p)), problem.residual_sigma(p, 0.0)
    strength = PRIOR_WEIGHT * float(np.sqrt(((w * s) ** 2 * T**1.5).mean()))
    for _ in range(30):
        ratio = problem.residual_sigma(problem.solve(w, strength, method), 0.0) / s
        if np.log(ratio).mean() <= np.log(MAX_PRIOR_RESIDUAL):
            break
        strength /= 2
    return strength


def _refine_with_prior(
    problem: SampleProblem, p: np.ndarray, w: np.ndarray, strength: float, method: str
) -> tuple[np.ndarray, float]:
    """Refined friction parameters, and a weaker prior as long as the residuals fall by half."""
    for _ in range(REFINEMENT_ROUNDS):
        p = refine_friction_parameters(problem, p, w, strength, method)
        if (weaker := prior_strength(problem, w, method)) >= 0.5 * strength:
            break
        strength = weaker
        p = problem.solve(w, strength, method)
    return p, strength


def refine_friction_parameters(
    problem: SampleProblem, p: np.ndarray, w: np.ndarray, strength: float, method: str
) -> np.ndarray:
    """Friction parameters to rounding error, by Gauss-Newton while the residual falls."""
    best, accepted = (w * problem.residual_sigma(p)).sum(), (dict(problem.lin.nonlinear), p)
    for _ in range(REFINEMENT_STEPS):
        result = problem.gauss_newton_step(p, w, strength)
        if result is None:
            break
        values, step = result
        problem.set_nonlinear(values, p)
        p = problem.solve(w, strength, method)
        cost = (w * np.sqrt((problem.residuals(p) ** 2).mean(axis=0))).sum()
        if cost > best * (1 + 1e-9):
            break
        best, accepted = cost, (values, p)
        if step < PARAMETER_TOLERANCE:
            break
    problem.set_nonlinear(*accepted)
    return accepted[1]

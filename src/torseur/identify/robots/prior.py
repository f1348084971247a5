"""Gaussian prior of the parameters, and empirical Bayes estimation of its scales.

The prior has mean zero (or the model's parameters) and the usual size of a robot's parameters as
standard deviation.  Where the measurements show larger parameters, empirical Bayes (evidence
maximization, MacKay 1992) widens the prior of all parameters of that kind.  Equations ID.7, ID.28.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .friction import FRICTION
from .regressor import LinearModel

EVIDENCE_PASSES = 6  # of the empirical Bayes scaling


@dataclass(frozen=True, slots=True)
class ParameterScales:
    """Usual size of every parameter of a robot."""

    mass: float  # of a link [kg]
    length: float  # of a link [m]
    scale: np.ndarray  # of every parameter


def estimate_scales(lin: LinearModel, data: Any) -> ParameterScales:
    """Usual sizes from reach, gravity and efforts of a robot."""
    length, reach = _link_length(lin, data)
    effort = np.sqrt((data.tau**2).mean(axis=0)) + 1e-12
    friction = np.sqrt(effort * np.exp(np.log(effort).mean()))  # grows slower than the effort
    K = lin.system.floats().K
    gravity = float(np.linalg.norm([float(K.number(x)) for x in lin.system.gravity]))
    mass = 0.0
    for i, _, angular in lin.speeds:
        lever = reach if angular else 1.0
        acceleration = max(gravity, lever * float(np.sqrt((data.a[:, i] ** 2).mean())))
        mass = max(mass, float(effort[i]) / (acceleration * lever + 1e-12))
    inertial = mass * np.array([3, *[3 * length] * 3, *[length**2] * 6])
    others = []
    for _, _, kind, i in lin.columns[10 * len(lin.links) :]:
        if kind == "shaft":
            unit_effort = np.zeros(data.tau.shape)
            lin.shafts[i].add_effort(unit_effort, data.q, data.v, 1.0)
            rms = np.sqrt((unit_effort**2).mean(axis=0)).max()
            others.append(float(effort.max() / (rms + 1e-12)))
            continue
        angular = lin.speeds[i][2]
        speed = float(np.sqrt((data.v[:, i] ** 2).mean())) + 1e-12
        if kind == "rotor":
            others.append(mass * (length**2 if angular else 1.0))
        elif FRICTION[kind].load_dependent:
            others.append(0.2)
        else:
            speeds = speed * np.linspace(0.01, 1, 100)  # some shapes are largest near rest
            shape = FRICTION[kind]().column(speeds, lin.friction_parameter(kind, i))
            size = float(np.abs(shape).max()) + 1e-12
            others.append(friction[i] / size * (0.1 if kind == "offset" else 1.0))
    return ParameterScales(
        mass, length, np.concatenate([np.tile(inertial, len(lin.links)), others])
    )


def _link_length(lin: LinearModel, data: Any) -> tuple[float, float]:
    """Mean length of a link, and the reach of the robot [m]."""
    K = lin.system.floats().K
    distance, reach = {0: 0.0}, 0.0
    for k in lin.system.links:
        step = float(np.linalg.norm([float(K.number(x)) for x in k.X_PF.p]))
        if any(not u.startswith("rad") for _, u in k.joint.coordinates):
            step += float(np.ptp(data.q[:, k.q], axis=0).max())
        distance[k.index] = distance[k.parent] + step
        reach = max(reach, distance[k.index])
    reach = max(reach, 0.1)
    moving = sum(not k.auxiliary and k.joint.nv > 0 for k in lin.system.links)
    return reach / max(1, moving), reach


@dataclass(frozen=True, slots=True, eq=False)
class GaussianPrior:
    """Prior `p ~ N(mean, diag(scale)^2)` in terms of the base parameters `beta = B p`; ID.7."""

    scale: np.ndarray  # standard deviation of every parameter
    rows: np.ndarray  # L: rows `L beta` of unit variance
    lift: np.ndarray  # from base parameters to the most likely parameters p

    @classmethod
    def from_scale(cls, B: np.ndarray, scale: np.ndarray) -> GaussianPrior:
        variance = scale**2
        rows = np.linalg.inv(np.linalg.cholesky((B * variance) @ B.T))
        return cls(scale, rows, (variance[:, None] * B.T) @ rows.T @ rows)

    def variance_reduction(self, B: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        """Share of each parameter's variance that the data remove: `1 - var(p_i) / S_i^2`."""
        explained = self.lift * (B.T - self.lift @ covariance / self.scale[:, None] ** 2)
        return np.clip(explained.sum(axis=1), 0.0, 1.0)


def empirical_bayes_scales(
    kinds: np.ndarray, sizes: np.ndarray, reductions: np.ndarray, min_scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Scales of the prior by kind of parameter, and scales that the covariance counts; ID.28.

    `sizes` are the parameters in usual sizes, `reductions` the shares of their variance that the
    data remove.  No scale is below `min_scale`.
    """
    scale, counted = np.empty(len(sizes)), np.empty(len(sizes))
    for kind in {*kinds}:
        members = kinds == kind
        number = reductions[members].sum()  # effective number of parameters
        mean = max(((sizes[members] ** 2).sum() + min_scale**2) / (number + 1), min_scale**2)
        scale[members], counted[members] = np.sqrt(mean), mean ** (number / (number + 1) / 2)
    return scale, counted


def widen_prior(
    problem: Any, p: np.ndarray, weights: np.ndarray, strength: float, method: str
) -> np.ndarray:
    """Parameters after empirical Bayes scaling of the prior of a problem; ID.28."""
    noise = float(np.sqrt(np.mean((weights * problem.residual_sigma(p, 0.0)) ** 2)))
    if problem.prior is None or not strength or not noise:
        return p
    kinds = np.array([kind for _, _, kind, _ in problem.lin.columns])
    usual, B = problem.scales.scale, problem.base.B
    min_scale = noise / strength  # standard deviation of the prior in usual sizes
    for _ in range(EVIDENCE_PASSES):
        A, _ = problem.stack_rows(weights, strength)
        d = np.sqrt((A**2).sum(axis=0)) + 1e-300
        inverse = np.linalg.pinv((A / d).T @ (A / d), rcond=1e-15, hermitian=True) / d / d[:, None]
        prior = GaussianPrior.from_scale(B, min_scale * problem.current_prior.scale)
        reductions = prior.variance_reduction(B, noise**2 * inverse)
        sizes = (p - problem.prior_mean) / usual
        scale, counted = empirical_bayes_scales(kinds, sizes, reductions, min_scale)
        problem.current_prior = GaussianPrior.from_scale(B, scale / min_scale * usual)
        problem.counted_scale = counted * usual
        p = problem.solve(weights, strength, method)
    return p

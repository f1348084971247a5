"""Bounded minimization of joint efforts: nonlinear least squares, minimax, exact gradients.

The root mean square is minimized by least squares, the mean by smoothed absolute values, and the
peak in epigraph form by SQP, with an exchange algorithm over an interval.  Equations BA.3, BA.4,
BA.13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...model import Model
from .device_models import StateSamples, complete_samples, make_symbolic_efforts
from .devices.base import Device
from .gravity_efforts import JointEfforts, PoseSet

CRITERION_UNITS = {"rms": "N m", "peak": "N m", "mean": "N m", "energy": "J"}


def minimize_criterion(
    model: Model,
    devices: Sequence[Device],
    fixed: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]],
    poses: PoseSet,
    criterion: str,
    joints: Sequence[str],
):
    """Optimal values of the variables in `bounds`, and the minimum of the criterion."""
    names = list(bounds)
    f = make_symbolic_efforts(model, devices, fixed, names, joints, tuple(poses.payloads))
    poses = poses.dense_poses(criterion)
    samples = complete_samples(f, model, poses)
    low, high = np.array([bounds[n] for n in names]).T if names else (np.zeros(0), np.zeros(0))
    size = high - low

    def efforts(x: np.ndarray, rows: tuple[np.ndarray, ...] = samples):
        tau, slope = f(rows, low + x * size)
        return tau, slope * size

    def cost(x: np.ndarray):
        return evaluate_criterion(criterion, efforts(x)[0], poses, joints)

    if not names:
        return {}, evaluate_criterion(criterion, f(samples, ())[0], poses, joints)
    best: Any = None
    for x0 in sorted(_start_points(len(names)), key=cost)[: 3 if len(names) > 1 else 2]:
        x = _minimize_locally(criterion, efforts, cost, x0, poses, joints)
        y = cost(x)
        if best is None or y < best[1] - 1e-13 * abs(best[1]):
            best = x, y
    x, y = best
    if criterion == "peak" and poses.interval is not None:
        x, y = _minimize_interval_peak(efforts, x, poses, model, f)
    return dict(zip(names, map(float, low + x * size), strict=True)), y


def _start_points(n: int):
    from scipy.stats import qmc

    inner = qmc.Halton(n, scramble=False).random(24 if n == 1 else 48 * n)
    return [*inner, np.full(n, 0.5)]


def evaluate_criterion(
    criterion: str, tau: np.ndarray, poses: PoseSet, joints: Sequence[str]
) -> float:
    """Criterion of efforts (n, joints): RMS, peak or mean [N m], or energy of a cycle [J]."""
    match criterion:
        case "rms":
            return float(np.sqrt((poses.weights[:, None] * tau**2).sum()))  # BA.3
        case "peak":
            return float(abs(tau).max())
    return float((_effort_weights(criterion, poses, joints) * abs(tau)).sum())


def _effort_weights(kind: str, poses: PoseSet, joints: Sequence[str]) -> np.ndarray:
    """Weights (n, joints) of the absolute efforts: fractions of time, or distances [rad] for
    energy.
    """
    if kind == "mean":
        return np.broadcast_to(poses.weights[:, None], (len(poses.q), len(joints)))
    speeds = [poses.system.link(j).v.start for j in joints]
    return (poses.weights * poses.span)[:, None] * abs(poses.v[:, speeds])  # BA.13


def _minimize_locally(
    kind: str,
    efforts: Callable[..., tuple[np.ndarray, np.ndarray]],
    cost: Callable[[np.ndarray], float],
    x0: np.ndarray,
    poses: PoseSet,
    joints: Sequence[str],
):
    """Local minimum of a criterion from the start `x0`, all variables scaled to 0 to 1."""
    if kind == "peak":
        # exact where nothing is left
        rms_solution = _minimize_locally("rms", efforts, cost, x0, poses, joints)
        return min(_minimax(efforts, x0), rms_solution, key=cost)
    if kind == "rms":
        return _snap_to_bounds(_least_squares(efforts, np.sqrt(poses.weights)[:, None], x0), cost)
    w = _effort_weights(kind, poses, joints)
    x, size = np.asarray(x0, float), float(abs(w * efforts(x0)[0]).max())
    if size < 1e-14:  # nothing is left to lower
        return x
    best = x
    for soft in (1e-1, 1e-2, 1e-3, 1e-5, 1e-7):  # sizes as roots, ever sharper
        x = _least_squares(efforts, w / (soft * size), x, "soft_l1")
        best = min(best, x, key=cost)
    return _snap_to_bounds(best, cost)


def _least_squares(
    efforts: Callable[..., tuple[np.ndarray, np.ndarray]],
    w: np.ndarray,
    x0: np.ndarray,
    loss: str = "linear",
):
    """Minimum of the weighted sum of squares (or of a robust loss) with the exact Jacobian."""
    from scipy.optimize import least_squares

    return least_squares(
        lambda x: (w * efforts(x)[0]).ravel(),
        np.clip(x0, 1e-9, 1 - 1e-9),
        jac=lambda x: (w[..., None] * efforts(x)[1]).reshape(-1, len(x0)),
        bounds=(0, 1),
        loss=loss,
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        max_nfev=200,
    ).x


def _snap_to_bounds(x: np.ndarray, cost: Callable[[np.ndarray], float]):
    """Variables within 1e-6 of a bound moved onto it if the cost does not grow."""
    x = x.copy()
    for i in range(len(x)):
        for end in (0.0, 1.0):
            if 0 < abs(x[i] - end) < 1e-6:
                y = x.copy()
                y[i] = end
                if cost(y) <= cost(x) * (1 + 1e-12):
                    x = y
    return x


def _minimax(efforts: Callable[..., tuple[np.ndarray, np.ndarray]], x0: np.ndarray):
    """Minimum of the peak in epigraph form, min t with -t <= tau <= t, by SLSQP.  # BA.4"""
    from scipy.optimize import minimize

    def parts(x: np.ndarray):
        tau, slope = efforts(x)
        return tau.ravel(), slope.reshape(-1, len(x0))

    def value(x: np.ndarray):
        return float(abs(parts(x)[0]).max())

    x, t = np.asarray(x0, float), value(x0)
    for _ in range(6):
        scale = max(t, 1e-12)
        tau, _ = parts(x)
        large = np.flatnonzero(abs(tau) > 0.3 * t) if len(tau) > 400 else np.arange(len(tau))

        def constraint_values(y: np.ndarray, large: np.ndarray = large, scale: float = scale):
            tau = parts(y[:-1])[0][large] / scale
            return np.concatenate([y[-1] - tau, y[-1] + tau])

        def constraint_jacobian(y: np.ndarray, large: np.ndarray = large, scale: float = scale):
            J = parts(y[:-1])[1][large] / scale
            one = np.ones((len(J), 1))
            return np.block([[-J, one], [J, one]])

        solution = minimize(
            lambda y: y[-1],
            np.append(x, 1.0),
            jac=lambda y: np.append(np.zeros(len(y) - 1), 1.0),
            constraints={"type": "ineq", "fun": constraint_values, "jac": constraint_jacobian},
            bounds=[(0, 1)] * len(x) + [(0, None)],
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 100},
        )
        y = np.clip(solution.x[:-1], 0, 1)
        new = value(y)
        if new < t:
            better, x, t = t - new, y, new
            if better < 1e-11 * t:
                break
        else:
            break
    return _snap_to_bounds(x, value)


def _minimize_interval_peak(
    efforts: Callable[..., tuple[np.ndarray, np.ndarray]],
    x: np.ndarray,
    poses: PoseSet,
    model: Model,
    f: JointEfforts,
):
    """Minimum of the peak over an interval by exchange: add the worst poses, solve again."""
    q, _, i = poses.refine_interval()
    s = model.check()
    dense = complete_samples(f, model, StateSamples.at_rest(q, s.nv))
    sample_sets: list[tuple] = [complete_samples(f, model, poses)]
    for _ in range(8):
        tau, _ = efforts(x, dense)
        if not abs(tau).max() > 1e-9:
            return x, float(abs(tau).max())
        peaks = _local_maxima(abs(tau).max(axis=1))
        extra = _refine_peaks(efforts, x, q, peaks, i, model, f)
        sample_sets.append(extra)
        rows = tuple(np.concatenate(p) for p in zip(*sample_sets, strict=True))
        new = _minimax(lambda y, rows=rows: efforts(y, rows), x)
        if abs(new - x).max() < 1e-10:
            x = new
            break
        x = new
    tau, _ = efforts(x, dense)
    last = _refine_peaks(efforts, x, q, _local_maxima(abs(tau).max(axis=1)), i, model, f)
    return x, float(abs(efforts(x, last)[0]).max())


def _local_maxima(y: np.ndarray):
    """Indices of the local maxima above half of the largest value, ends included."""
    padded = np.concatenate([[-np.inf], y, [-np.inf]])
    top = np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:]))
    return top[y[top] > 0.5 * y.max()]


def _refine_peaks(
    efforts: Callable[..., tuple[np.ndarray, np.ndarray]],
    x: np.ndarray,
    q: np.ndarray,
    peaks: np.ndarray,
    i: int,
    model: Model,
    f: JointEfforts,
):
    """Samples at the local maxima between poses, located by Brent's method."""
    from scipy.optimize import minimize_scalar

    nv, out = model.check().nv, []
    for k in peaks:
        a, b = q[max(k - 1, 0), i], q[min(k + 1, len(q) - 1), i]

        def size(angle: float, k: int = k):
            row = q[k : k + 1].copy()
            row[0, i] = angle
            return -float(
                abs(efforts(x, complete_samples(f, model, StateSamples.at_rest(row, nv)))[0]).max()
            )

        optimum = minimize_scalar(size, bounds=(a, b), method="bounded", options={"xatol": 1e-10})
        peak_angle = min((q[k, i], a, b, optimum.x), key=size)
        row = q[k : k + 1].copy()
        row[0, i] = peak_angle
        out.append(complete_samples(f, model, StateSamples.at_rest(row, nv)))
    return tuple(np.concatenate(p) for p in zip(*out, strict=True))


__all__ = ["CRITERION_UNITS", "evaluate_criterion", "minimize_criterion"]

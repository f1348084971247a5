"""Reference solutions of the constrained equation in NumPy, and motions by fixed steps.

Null space (singular values), elimination (coordinate partitioning) and penalty (augmented
Lagrangian).  Slow and independent of the kernels, which they check.  Equations CS.1 to CS.4.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import IntegrationError, TorseurError, unknown_name_message
from . import coordinate_partitioning
from .solution_methods import SOLUTIONS


class SpeedPartition(NamedTuple):
    """Partition of the generalized speeds: indices of the independent and of the dependent ones."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...]


def solve(x, force, solution: str, **options) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and multipliers from the `StateTerms` x, by a method other than multipliers."""
    if solution not in SOLUTIONS:
        raise TorseurError(unknown_name_message("solution", solution, SOLUTIONS, "acceleration"))
    methods = {
        "null_space": solve_by_null_space,
        "elimination": solve_by_elimination,
        "penalty": solve_by_penalty,
    }
    return methods[solution](x, force, **options)


def solve_by_null_space(x, force):
    """Accelerations in an orthonormal basis of the null space of J, CS.1."""
    N, particular = null_space(x.J, x.gamma)
    y = np.linalg.solve(N.T @ x.M @ N, N.T @ (force - x.M @ particular))  # CS.1
    a = N @ y + particular
    return a, least_multipliers(x, a, force)


def solve_by_elimination(x, force, choice=None):
    """Accelerations by elimination of the dependent speeds (coordinate partitioning); CS.2."""
    independent, dependent = map(
        list, choice or coordinate_partitioning.independent_speeds(x.J, x.M)
    )
    T, c = np.zeros((len(force), len(independent))), np.zeros(len(force))
    T[independent, range(len(independent))] = 1
    JD = x.J[:, dependent]
    T[dependent] = -np.linalg.lstsq(JD, x.J[:, independent], rcond=None)[0]  # CS.2
    c[dependent] = np.linalg.lstsq(JD, x.gamma, rcond=None)[0]
    y = np.linalg.solve(T.T @ x.M @ T, T.T @ (force - x.M @ c)) if independent else np.zeros(0)
    a = T @ y + c
    return a, least_multipliers(x, a, force)


def solve_by_penalty(x, force, weight=1e4, iterations=100):
    """Accelerations by penalties with augmented Lagrangian iterations until they converge; CS.3.

    Raises an error if they do not.
    """
    scale = np.linalg.norm(x.M, 2)
    P = weight * scale * x.J.T
    A, lam, a = x.M + P @ x.J, np.zeros(len(x.gamma)), np.zeros(len(force))
    change = last = 0.0
    for i in range(iterations):  # CS.3
        before, a = a, np.linalg.solve(A, force + P @ x.gamma + x.J.T @ lam)
        lam = lam - weight * scale * (x.J @ a - x.gamma)
        last, change = change, abs(a - before).max(initial=0.0)
        if i > 1 and change <= 1e-14 * abs(a).max(initial=0.0):
            break
    # the remaining change, of a geometric series
    remaining = change * last / (last - change) if change < last else change
    free = np.linalg.norm(force) / (scale or 1.0)  # the only scale of a mechanism that cannot move
    total = abs(a).max(initial=0.0) + free
    size = abs(x.J) @ (abs(a) + free) + abs(x.gamma)
    residual = abs(x.J @ a - x.gamma)
    start = f"acceleration: penalties of weight {weight:g}"
    if len(residual) and remaining > 1e-9 * total and change > 1e-11 * total:
        raise TorseurError(
            f"{start} have not settled after {iterations} iterations (off by "
            f"{remaining / total:.1g} of the accelerations): the constraints are nearly singular "
            "here; use solution='null_space', or raise weight= or iterations="
        )
    limits = np.maximum(size, size.max(initial=0.0))
    if (residual > 1e-8 * limits).any():
        raise TorseurError(
            f"{start} leave the constraints off by {(residual / limits).max():.1g} of their terms "
            f"after {iterations} iterations: they are nearly singular here; use "
            "solution='null_space', or raise weight= or iterations="
        )
    return a, lam


def least_multipliers(x, a, force) -> np.ndarray:
    """Multipliers of least norm that belong to accelerations a."""
    return np.linalg.lstsq(x.J.T, x.M @ a - force, rcond=None)[0]


def null_space(J, gamma) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal basis (nv, k) of the null space of J, and the least a with `J a = gamma`."""
    n = J.shape[1]
    if not J.size:
        return np.eye(n), np.zeros(n)
    U, s, Vt = np.linalg.svd(J)
    rank = int((s > 1e-9 * s[0]).sum())
    particular = Vt[:rank].T @ ((U.T @ gamma)[:rank] / s[:rank])
    return Vt[rank:].T, particular


def better(J, M, before: SpeedPartition | None) -> SpeedPartition:
    """Independent speeds at a position; those of `before` while they are well conditioned, CS.4.

    They are while the smallest singular value of the dependent columns is above a third of the
    value that a new choice would give.
    """
    new = SpeedPartition(*map(tuple, coordinate_partitioning.independent_speeds(J, M)))
    if before is None or len(before.dependent) < len(new.dependent):
        return new
    if len(before.dependent) > len(new.dependent):  # a singular position, which the motion leaves
        return before
    old, other = (coordinate_partitioning.least(J, M, c.dependent) for c in (before, new))
    return before if old > other / 3 else new  # CS.4


def run(c, state, times, tau=None, solution="multipliers", substeps=1, project=True, **options):
    """Fixed-step Runge-Kutta of order 4 of a `Constrained`, with projection after each step."""
    q, v = state
    c.choices = []
    effort = tau or (lambda t, q, v: np.zeros(c.system.nv))
    Q, V, L = (
        [q],
        [v],
        [c.acceleration(q, v, effort(times[0], q, v), times[0], solution, **options)[1]],
    )
    for t0, t1 in pairwise(times):
        h = (t1 - t0) / substeps
        for i in range(substeps):
            if solution == "elimination":
                options = {"choice": _update_choice(c, t0 + i * h, q, options.get("choice"))}
            q, v = _runge_kutta_step(c, t0 + i * h, h, q, v, effort, solution, options)
            if project:
                q, v = c.project(q, v, t0 + (i + 1) * h)
        if not np.isfinite(q).all():
            raise IntegrationError(f"{c.system.name}: the state is not finite at {t1:g} s")
        Q.append(q)
        V.append(v)
        L.append(c.acceleration(q, v, effort(t1, q, v), t1, solution, **options)[1])
    return np.array(Q), np.array(V), np.array(L)


def _update_choice(c, t, q, before) -> SpeedPartition:
    """Independent speeds at time t; a change is recorded in `c.choices`."""
    choice = c.independent(q, t, before)
    if choice != before:
        c.choices.append((t, tuple(c.system.speeds[i] for i in choice.independent)))
    return choice


def _runge_kutta_step(c, t, h, q, v, effort, solution, options):
    """Coordinates and speeds after a step h [s] of the classical Runge-Kutta method."""

    def f(t, q, v):
        return c.rates(q, v), c.acceleration(q, v, effort(t, q, v), t, solution, **options)[0]

    k1 = f(t, q, v)
    k2 = f(t + h / 2, q + h / 2 * k1[0], v + h / 2 * k1[1])
    k3 = f(t + h / 2, q + h / 2 * k2[0], v + h / 2 * k2[1])
    k4 = f(t + h, q + h * k3[0], v + h * k3[1])
    q, v = (
        x + h / 6 * (a + 2 * b + 2 * c_ + d)
        for x, a, b, c_, d in zip((q, v), k1, k2, k3, k4, strict=True)
    )
    return c.system.unit(q), v

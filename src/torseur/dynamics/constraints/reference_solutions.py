"""Four solutions of the constrained equation in plain NumPy, and motions by fixed steps.

Slow and separate from the kernels, which they check.  Theory: CS.1 to CS.4.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...errors import IntegrationError, TorseurError, unknown_name
from . import mobility
from .solution_methods import SOLUTIONS


class SpeedPartition(NamedTuple):
    """Partition of the generalized speeds: indices of the independent and of the dependent ones."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...]


def solve(x, force, solution, **options) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and multipliers from the `Terms` x, by one of the three last solutions."""
    if solution not in SOLUTIONS:
        raise TorseurError(unknown_name("solution", solution, SOLUTIONS, "acceleration"))
    return {"null_space": by_null_space, "elimination": by_elimination, "penalty": by_penalty}[
        solution
    ](x, force, **options)


def by_null_space(x, force):
    """An orthonormal basis of the motions allowed, by singular values."""
    N, particular = null_space(x.J, x.gamma)
    y = np.linalg.solve(N.T @ x.M @ N, N.T @ (force - x.M @ particular))  # CS.1
    a = N @ y + particular
    return a, least_multipliers(x, a, force)


def by_elimination(x, force, choice=None):
    """Dependent speeds solved for, an equation of the independent ones."""
    independent, dependent = map(list, choice or mobility.independent_speeds(x.J, x.M))
    T, c = np.zeros((len(force), len(independent))), np.zeros(len(force))
    T[independent, range(len(independent))] = 1
    JD = x.J[:, dependent]
    T[dependent] = -np.linalg.lstsq(JD, x.J[:, independent], rcond=None)[0]  # CS.2
    c[dependent] = np.linalg.lstsq(JD, x.gamma, rcond=None)[0]
    y = np.linalg.solve(T.T @ x.M @ T, T.T @ (force - x.M @ c)) if independent else np.zeros(0)
    a = T @ y + c
    return a, least_multipliers(x, a, force)


def by_penalty(x, force, weight=1e4, iterations=100):
    """Stiff constraints with augmented iterations, until they hold; else a sentence."""
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
    rest = change * last / (last - change) if change < last else change  # of a geometric series
    free = np.linalg.norm(force) / (scale or 1.0)  # of what cannot move, nothing else is left
    whole = abs(a).max(initial=0.0) + free
    size = abs(x.J) @ (abs(a) + free) + abs(x.gamma)
    left = abs(x.J @ a - x.gamma)
    if len(left) and rest > 1e-9 * whole and change > 1e-11 * whole:
        raise TorseurError(
            f"acceleration: penalties of weight {weight:g} have not settled after {iterations} "
            f"iterations (off by {rest / whole:.1g} of the accelerations): the constraints are "
            "nearly singular here; use solution='null_space', or raise weight= or iterations="
        )
    if len(left) and (left > 1e-8 * np.maximum(size, size.max())).any():
        raise TorseurError(
            f"acceleration: penalties of weight {weight:g} leave the constraints off by "
            f"{(left / np.maximum(size, size.max())).max():.1g} of their terms after {iterations} "
            "iterations: they are nearly singular here; use solution='null_space', or raise "
            "weight= or iterations="
        )
    return a, lam


def least_multipliers(x, a, force) -> np.ndarray:
    """The multipliers of least norm that belong to accelerations."""
    return np.linalg.lstsq(x.J.T, x.M @ a - force, rcond=None)[0]


def null_space(J, gamma) -> tuple[np.ndarray, np.ndarray]:
    """An orthonormal basis of the motions allowed, and the least motion with `J a = gamma`."""
    n = J.shape[1]
    if not J.size:
        return np.eye(n), np.zeros(n)
    U, s, Vt = np.linalg.svd(J)
    rank = int((s > 1e-9 * s[0]).sum())
    particular = Vt[:rank].T @ ((U.T @ gamma)[:rank] / s[:rank])
    return Vt[rank:].T, particular


def better(J, M, before: SpeedPartition | None) -> SpeedPartition:
    """Independent speeds at a position; those of `before` while they stay good.

    They are good while no dependent speed runs away: the least singular value of the dependent
    columns has not fallen below a third of what another choice would give.
    """
    new = SpeedPartition(*map(tuple, mobility.independent_speeds(J, M)))
    if before is None or len(before.dependent) < len(new.dependent):
        return new
    if len(before.dependent) > len(new.dependent):  # a singular position: it will pass
        return before
    old, fresh = (mobility.least(J, M, c.dependent) for c in (before, new))
    return before if old > fresh / 3 else new  # CS.4


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
                options = {"choice": _choose(c, t0 + i * h, q, options.get("choice"))}
            q, v = _step(c, t0 + i * h, h, q, v, effort, solution, options)
            if project:
                q, v = c.project(q, v, t0 + (i + 1) * h)
        if not np.isfinite(q).all():
            raise IntegrationError(f"{c.system.name}: the state is not finite at {t1:g} s")
        Q.append(q)
        V.append(v)
        L.append(c.acceleration(q, v, effort(t1, q, v), t1, solution, **options)[1])
    return np.array(Q), np.array(V), np.array(L)


def _choose(c, t, q, before):
    choice = c.independent(q, t, before)
    if choice != before:
        c.choices.append((t, tuple(c.system.speeds[i] for i in choice.independent)))
    return choice


def _step(c, t, h, q, v, effort, solution, options):
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

"""Fits of models to tests: nonlinear least squares on derivatives that run beside the motion.

Theory: ID.11 to ID.14.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError
from .experiment import Experiment, free_of
from .fitted import Fit
from .problem import Problem, model_of

STAGES = ((0.2, 1e-2, 4), (0.5, 1e-2, 4), (1.0, 1e-2, 6))
"""Parts of the time that are fitted first, how well, and in how many evaluations."""
SLOWLY = tuple((part / 12, 1e-2, 6) for part in range(1, 13))
"""The same in small parts, for a start from which the first way did not arrive."""
FIRM, LOOSE = 10.0, 0.1
"""Weights, while stages last, of neighbours that leave their starts by different factors: where the
noise is known, and where signals count by their spread."""
APART = 1 / 3  # of that weight, between the laws
RISES = 1e3  # weight of a last slope that would fall where a law goes on with it
NOISY = 4.0  # standard deviations of chi2 by which a good fit may be over one
SMALL = 1e-6  # mean square of residuals, in spreads, of a good fit without told sigmas


def fit(
    experiments: Any,
    free: Any,
    *,
    starts: int = 3,
    seed: int = 0,
    tolerance: float = 1e-8,
    max_evaluations: int = 60,
    rtol: float = 1e-9,
) -> Fit:
    """Numbers of a model from tests.

    Parameters
    ----------
    experiments : `Experiment`s, all fitted at once
    free : {path: bounds}: "engine.mass": (250, 350), a `number(...)` with a prior, and
        "front.points": `knots(...)` for the forces of a law; names of initial values and declared
        parameters too
    starts : at most so many: the model's own numbers, then, while what is left over is more than
        noise, others within half and twice of them and their bounds; the best is kept
    seed : of the other starts
    tolerance : relative change of cost and numbers at which a fit ends
    max_evaluations : of all runs together, at most for each start
    rtol : of the runs

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("b", 2.0),), parameters={"k": 150.0}, gravity=(0, 0, 0),
    ...     joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),), initial={"x.speed": 1.0},
    ...     forces=(ts.JointForce("f", "x", ts.Spring("k")),))
    >>> t = np.linspace(0, 1, 50)
    >>> found = fit([Experiment(model, {"x.displacement": (t, 0.1 * np.sin(10 * t))})],
    ...             free={"k": (50, 400)})
    >>> round(found.values["k"], 6), found.unreached
    (200.0, ())
    """
    experiments = [experiments] if isinstance(experiments, Experiment) else list(experiments)
    if not experiments or not all(isinstance(e, Experiment) for e in experiments):
        raise ArgumentError("fit: expected a list of ts.identify.Experiment")
    numbers = free_of(model_of(experiments[0]), free)
    problem = Problem(experiments, numbers, rtol)
    try:
        return _best(problem, starts, seed, tolerance, max_evaluations)
    finally:
        problem.tally.end()


class Search:
    """Ways from a start to the least squares of a problem."""

    def __init__(self, problem: Problem, tolerance: float, most: int):
        self.problem, self.tolerance, self.most = problem, tolerance, most
        free = problem.free
        self.low, self.high = free.low / problem.scale, free.high / problem.scale

    def __call__(self, x0, stages=STAGES):
        """From a start: first the beginning of the tests, then more of them, then all."""
        p = self.problem
        u = x0 / p.scale
        alike = self.alike(u)
        for part, loose, few in stages:
            p.part = part
            if np.any(p.at(np.clip(u, self.low, self.high))[1]):  # something is felt by then
                u = self._solve(u, alike, loose, few).x
        p.part = 1.0
        return self._solve(u, alike[:0], self.tolerance, self.most)

    def alike(self, u) -> np.ndarray:
        """Rows that hold knots of a law, and laws, to common factors of their starts: ID.14."""
        p, n = self.problem, len(u)
        groups = [[i for i in g if u[i] != 0] for g in p.free.groups]
        groups = [g for g in groups if g]
        weight, rows = (FIRM if p.known else LOOSE), []
        for g in groups:
            for i, j in pairwise(g):
                row = np.zeros(n)
                row[i], row[j] = -weight / u[i], weight / u[j]
                rows.append(row)
        every = [i for g in groups for i in g]
        for g in groups if len(groups) > 1 else ():
            row = np.zeros(n)
            row[g] += APART * weight / (u[g] * len(g))
            row[every] -= APART * weight / (u[every] * len(every))
            rows.append(row)
        return np.array(rows).reshape(-1, n)

    def _solve(self, u0, alike, tolerance, most):
        from scipy.optimize import least_squares

        p = self.problem

        def falling(u):
            """Rows of last slopes that fall: a model with them is refused."""
            rows = np.zeros((len(p.free.rising), len(u)))
            for row, (i, j) in zip(rows, p.free.rising, strict=True):
                if 1.001 * u[i] * p.scale[i] > u[j] * p.scale[j]:
                    row[i], row[j] = 1.001 * RISES, -RISES * p.scale[j] / p.scale[i]
            return rows

        return least_squares(
            lambda u: np.concatenate([p.at(u)[0], alike @ u, falling(u) @ u]),
            np.clip(u0, self.low, self.high),
            jac=lambda u: np.concatenate([p.at(u)[1], alike, falling(u)]),
            bounds=(self.low, self.high),
            method="dogbox",
            x_scale=1.0,
            ftol=tolerance,
            xtol=tolerance,
            gtol=None,
            max_nfev=most,
        )


def _best(problem, starts, seed, tolerance, most) -> Fit:
    from scipy.stats import qmc

    free, search = problem.free, Search(problem, tolerance, most)
    found = [search(free.start)]
    a, b = np.sort([0.5 * free.start, 2 * free.start], axis=0)
    low, high = np.maximum(a, free.low), np.minimum(b, free.high)
    others = qmc.LatinHypercube(len(free.names), rng=seed)
    if starts > 1 and not _good(problem, found):
        found.append(search(free.start, SLOWLY))
    while len(found) < starts and not _good(problem, found):
        u = others.random(1)[0]
        found.append(search(low + u * (high - low)))
    best = min(found, key=lambda s: s.cost)
    costs = np.array([s.cost for s in found])
    x = best.x * problem.scale
    for i, j in free.rising:  # held by rows of a finite weight: the last bit is put right here
        x[j] = max(x[j], x[i])
    return Fit(problem, x, costs, problem.evaluations, str(best.message))


def _good(problem, found) -> bool:
    """Whether the best so far leaves no more than noise: ID.14."""
    best = min(found, key=lambda s: s.cost)
    left = max(1, len(best.fun) - len(best.x))
    return 2 * best.cost / left < (1 + NOISY * (2 / left) ** 0.5 if problem.known else SMALL)

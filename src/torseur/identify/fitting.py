"""Fits of models to tests: nonlinear least squares on derivatives that run beside the motion.

Theory: ID.11 to ID.14.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown
from .experiment import Experiment
from .fitted import Fit
from .free import curves_of, free_of
from .problem import LEAST, Problem, started, told
from .remainders import exact, noise_left, noise_of, only_noise

FIRST = 0.06  # of the time: the shortest window, or the first times where there are many
GROWS = 1.25  # from window to window
WIDE = 0.5  # of its size: how far a number is believed to be from its start while windows last
STAGES = (0.2, 4), (0.5, 4), (1.0, 6)
"""Another way: parts of the time that are fitted first, and in how many evaluations."""
SLOWLY = tuple((part / 12, 6) for part in range(1, 13))
FIRM = 10.0  # sigmas: knots of a law, while these last, leave their starts by one factor
APART = 1 / 3  # of that weight, between the laws
SLIGHT = 1e-3  # of its start: a knot that is less is not held
LOOSE, FEW = 1e-2, 4  # how well the whole time is fitted before the last fit; evaluations
QUICK = 15  # evaluations in which a method that is quick near a minimum has met it
ROUGHLY = 1e-4  # how well the other one meets it
TENTH = 0.1  # standard deviations: as near as a minimum is met
GAIN = 1e-3  # of the cost: a search that brings less has ended
RISES = 1e-9  # of its size, at least: the last knot of a law that goes on with its last slope


def fit(
    experiments: Any,
    free: Any,
    *,
    starts: int = 3,
    seed: int = 0,
    tolerance: float = 1e-8,
    max_evaluations: int = 100,
    rtol: float = 1e-9,
) -> Fit:
    """Numbers of a model from tests.

    Parameters
    ----------
    experiments : `Experiment`s, all fitted at once
    free : {path: bounds}: "engine.mass": (250, 350), a `number(...)` with a prior, and
        "front.points": `knots(...)` for the forces of a law; names of initial values and declared
        parameters too
    starts : at most so many: the model's own numbers, by other ways too where the first leaves
        more than noise, or noise and knots of a law are free, then, as long as more than noise is
        left, others within half and twice of them and their bounds; the best is kept
    seed : of the other starts
    tolerance : relative change of cost and numbers at which a fit ends
    max_evaluations : of all runs together, at most for each way from a start
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
    _check_numbers(starts, tolerance, max_evaluations, rtol)
    curves = curves_of(free)
    models = [started(e, curves) for e in experiments]
    numbers = free_of(models[0], free)
    numbers.check_starts(models, [told(e, curves) for e in experiments])
    problem = Problem(experiments, numbers, rtol)
    try:
        return _best(problem, starts, seed, tolerance, max_evaluations)
    finally:
        problem.tally.end()


def _check_numbers(starts, tolerance, most, rtol) -> None:
    """Numbers that a search can have."""
    for name, x in (("starts", starts), ("max_evaluations", most)):
        if not (isinstance(x, int | np.integer) and x >= 1):
            raise ArgumentError(f"fit: {name} = {shown(x)}; expected 1, 2, 3 ...")
    for name, x in (("tolerance", tolerance), ("rtol", rtol)):
        if not (isinstance(x, int | float) and 1e-15 < x < 1):
            raise ArgumentError(f"fit: {name} = {shown(x)}; expected a number from 1e-15 to 1")


class Search:
    """Ways from a start to the least squares of a problem.

    Its unknowns are scaled numbers, but of a law that goes on with its last slope, which must not
    fall, the rise to the last knot in place of that knot: then bounds are all that holds them.
    """

    def __init__(self, problem: Problem, tolerance: float, most: int):
        self.problem, self.tolerance, self.most = problem, tolerance, most
        free = problem.free
        self.low, self.high = free.low / problem.scale, free.high / problem.scale
        self.numbers = np.eye(len(self.low))  # from unknowns
        for i, j in free.rising:
            self.numbers[j, i] = problem.scale[i] / problem.scale[j]
            self.low[j], self.high[j] = RISES, np.inf

    def _unknowns(self, x) -> np.ndarray:
        """Of numbers of a model, within bounds."""
        u = np.linalg.solve(self.numbers, x / self.problem.scale)
        return np.clip(u, self.low, self.high)

    def __call__(self, x0, led: bool):
        """From a start: windows that grow, each a linear least squares; all the time, loosely;
        then the motion as it is, without beliefs in the start: ID.14."""
        p = self.problem
        u = start = self._unknowns(x0)
        belief = np.diag(noise_of(p) * p.scale / (WIDE * p.size))
        p.led = led
        first = min(FIRST, *(LEAST / len(t.grid) for t in p.trials))
        for k in range(int(np.log(first) / -np.log(GROWS)), 0, -1):
            p.part = GROWS**-k
            u = self._step(u, belief, start)
        p.part = 1.0
        u = self._solve(u, belief, start, LOOSE, FEW).x
        p.led = False
        return self._least(u)

    def together(self, x0, stages):
        """From a start: parts of the time, knots held to common factors of their starts: ID.14."""
        p, u = self.problem, self._unknowns(x0)
        alike, none = self.alike(self.numbers @ u), np.zeros(len(u))
        for part, few in stages:
            p.part = part
            if np.any(p.at(self.numbers @ u)[1]):  # something is felt by then
                u = self._solve(u, alike, none, LOOSE, few).x
        p.part = 1.0
        return self._least(u)

    def alike(self, u) -> np.ndarray:
        """Rows that hold knots of a law, and laws, to common factors of their starts: ID.14."""
        p, n = self.problem, len(u)
        groups = [[i for i in g if abs(u[i]) > SLIGHT] for g in p.free.groups]
        groups = [g for g in groups if g]
        weight, rows = FIRM * (1.0 if p.known else 0.01), []
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

    def _rows(self, u, belief, start):
        """Everything at u: residuals and derivatives, beliefs in numbers."""
        r, D = self.problem.at(self.numbers @ u)
        belief = belief @ self.numbers
        return np.append(r, belief @ (u - start)), np.concatenate([D @ self.numbers, belief])

    def _step(self, u, belief, start):
        """Where linear least squares within bounds would go from here."""
        from scipy.optimize import lsq_linear

        r, D = self._rows(u, belief, start)
        room = self.low - u - 1e-9, self.high - u + 1e-9
        return np.clip(u + lsq_linear(D, -r, room).x, self.low, self.high)

    def _least(self, u):
        """The motion as it is, all the time, to where its derivatives promise no less: ID.14."""
        none, left = np.zeros((0, len(u))), self.most

        def solved(u, tolerance, most, method):
            nonlocal left
            s = self._solve(u, none, u, tolerance, most, method)
            left -= s.nfev
            return s

        found = solved(u, self.tolerance, min(QUICK, left), "dogbox")
        if self._settled(found):
            return found
        falls = True
        while left > 0 and falls:  # each begins with steps of any length again
            lower = solved(found.x, max(self.tolerance, ROUGHLY), left, "trf")
            falls = lower.cost < (1 - GAIN) * found.cost
            found = min(lower, found, key=lambda s: s.cost)
        last = solved(found.x, self.tolerance, min(QUICK, left), "dogbox") if left > 0 else found
        return min(last, found, key=lambda s: s.cost)

    def _settled(self, s) -> bool:
        """Whether linear least squares within bounds, from here, would change the numbers by less
        than a tenth of what noise does."""
        from scipy.optimize import lsq_linear

        lower = lsq_linear(s.jac, -s.fun, (self.low - s.x - 1e-9, self.high - s.x + 1e-9)).cost
        return bool(2 * (s.cost - lower) <= TENTH**2 * noise_left(self.problem, s.fun))

    def _solve(self, u0, belief, start, tolerance, most, method="dogbox"):
        from scipy.optimize import least_squares

        return least_squares(
            lambda u: self._rows(u, belief, start)[0],
            u0,
            jac=lambda u: self._rows(u, belief, start)[1],
            bounds=(self.low, self.high),
            method=method,
            x_scale=1.0,
            ftol=tolerance,
            xtol=tolerance,
            gtol=None,
            max_nfev=most,
        )


def _best(problem, starts, seed, tolerance, most) -> Fit:
    from scipy.stats import qmc

    free, search, leads = problem.free, Search(problem, tolerance, most), problem.leads
    found = [search(free.start, leads)]
    a, b = np.sort([0.5 * free.start, 2 * free.start], axis=0)
    low, high = np.maximum(a, free.low), np.minimum(b, free.high)
    others = qmc.LatinHypercube(len(free.names), rng=seed)

    def best():
        return min(found, key=lambda s: s.cost)

    def good():
        return only_noise(problem, best().fun)

    def unsure():  # other minima may hide in noise
        return starts > 1 and bool(free.groups) and best().cost > exact(problem)

    for stages in (STAGES, (), SLOWLY)[: 2 + (starts > 1)]:
        if not good() or (stages and unsure()):
            found.append(search.together(free.start, stages))
    falls = unsure()
    while falls:
        before = best()
        found.append(search.together(search.numbers @ before.x * problem.scale, SLOWLY))
        falls = best().cost < (1 - GAIN) * before.cost
    first = len(found)
    while len(found) < first + starts - 1 and not good():
        found.append(search(low + others.random(1)[0] * (high - low), leads))
    least = best()
    costs = np.array([s.cost for s in found])
    x = free.level(search.numbers @ least.x * problem.scale)[0]  # bounds of the last knots
    return Fit(problem, x, costs, ceil(problem.evaluations - 1e-9), str(least.message))

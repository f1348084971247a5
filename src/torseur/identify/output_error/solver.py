"""Fits of models to tests: nonlinear least squares on derivatives that run beside the motion.

Theory: ID.11 to ID.14.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from ...errors import ArgumentError, shown, system_of
from .experiment import Experiment
from .parameters import curves_of, free_of
from .residual_analysis import exact, noise_of, only_noise, precision
from .residuals import LEAST, Problem, started, told
from .result import Fit
from .trust_region import Descent, descended, promised

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
ENDS = 3  # ways that are followed to their end where more than noise is left over
ROUGHLY = 1e-4  # how well trf meets a minimum
QUICK = 10  # evaluations of all the time, in each way
GAIN = 1e-3  # of the cost: a way whose derivatives promise less has ended
HOPS, HOP = 2, 7  # searches from around the lowest, and evaluations of each
FAR, AROUND = 12.0, 0.3  # noise, in what was told, and sizes, by which these starts are away
SLIGHT_SIZE = 0.05  # of a usual size, at least
REWEIGHED, ALIKE = 6, 1.1  # times; ratio of the changes of weights that does no harm
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
    for e in experiments:
        if not hasattr(e.model, "check"):
            system_of(e.model, "fit, the model of an experiment")
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
        u = self._solve(u, belief, start, LOOSE, FEW, LOOSE).x
        p.led = False
        return self.least(u, QUICK)

    def together(self, x0, stages):
        """From a start: parts of the time, knots held to common factors of their starts: ID.14."""
        p, u = self.problem, self._unknowns(x0)
        alike, none = self.alike(self.numbers @ u), np.zeros(len(u))
        for part, few in stages:
            p.part = part
            if np.any(p.at(self.numbers @ u)[1]):  # something is felt by then
                u = self._solve(u, alike, none, LOOSE, few, LOOSE).x
        p.part = 1.0
        return self.least(u, QUICK)

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
        r, D = self._rows(u, belief, start)
        return u + promised(r, D, self.low - u, self.high - u)[0]

    def at(self, x) -> Descent:
        """A start, as it is."""
        u = self._unknowns(x)
        r, D = self._rows(u, np.zeros((0, len(u))), u)
        return Descent(u, r, D, False)

    def least(self, u, most: int, gain: float = GAIN) -> Descent:
        """The motion as it is, all the time, without beliefs."""
        none = np.zeros((0, len(u)))
        return self._solve(u, none, u, self.tolerance, min(most, self.most), gain)

    def _solve(self, u, belief, start, tolerance, most, gain) -> Descent:
        def rows(u):
            return self._rows(u, belief, start)

        return descended(rows, u, self.low, self.high, tolerance, most, gain)

    def last(self, s: Descent, good: Callable[[Descent], bool]) -> Descent:
        """From the lowest, SciPy's `least_squares`: where more than noise is left over, trf again
        and again while that brings something; then dogbox to the tolerance: ID.14."""
        from scipy.optimize import least_squares

        left, none = self.most, np.zeros((0, len(s.x)))

        def solved(s: Descent, method: str, tolerance: float) -> Descent:
            nonlocal left
            if not s.jac.any():  # nothing is felt here
                return s
            found = least_squares(
                lambda u: self._rows(u, none, u)[0],
                s.x,
                jac=lambda u: self._rows(u, none, u)[1],
                bounds=(self.low, self.high),
                method=method,
                ftol=tolerance,
                xtol=tolerance,
                gtol=None,
                max_nfev=left,
            )
            left -= found.nfev
            new = Descent(found.x, found.fun, found.jac, found.status > 0)
            return min(s, new, key=lambda s: (s.cost, not s.settled))

        falls = not good(s)
        while falls and left > 0:  # each begins with steps of any length again
            before, s = s, solved(s, "trf", max(self.tolerance, ROUGHLY))
            falls = s.cost < (1 - GAIN) * before.cost and not good(s)
        s = self.least(s.x, max(left, 1), self.tolerance)
        return solved(s, "dogbox", self.tolerance) if left > 0 else s

    def hop(self, s: Descent, normal) -> Descent:
        """From a place that is as far from a minimum as noise that is a multiple of the told one
        may lead, numbers within a part of their sizes: ID.14."""
        size = np.maximum(abs(s.x), SLIGHT_SIZE) * AROUND
        L = np.linalg.cholesky(s.jac.T @ s.jac / FAR**2 + np.diag(size**-2.0))
        u = s.x + np.linalg.solve(L.T, normal)
        return self.least(u, HOP, LOOSE)


class Ways:
    """Where the ways that were tried have ended."""

    def __init__(self, search: Search, starts: int, seed: int):
        self.search, self.problem, self.starts = search, search.problem, starts
        self.found: list[Descent] = []
        self.normal = np.random.default_rng(seed).standard_normal

    @property
    def best(self) -> Descent:
        return min(self.found, key=lambda s: (s.cost, not s.settled))

    def noise(self, s: Descent) -> bool:
        """Whether what is left over there is noise."""
        return only_noise(self.problem, s.fun, s.jac)

    @property
    def good(self) -> bool:
        return self.noise(self.best)

    @property
    def unsure(self) -> bool:
        """Whether other minima may hide in noise."""
        more = self.starts > 1 and bool(self.problem.free.groups)
        return more and self.best.cost > exact(self.problem)

    @property
    def alone(self) -> bool:
        """Whether nothing else has met the lowest."""
        return sum(s.cost < (1 + LOOSE) * self.best.cost for s in self.found) < 2

    def slowly(self, x) -> None:
        self.found.append(self.search.together(x, SLOWLY))

    def slowly_again(self) -> None:
        """From the lowest, as long as that brings something."""
        falls = True
        while falls and not self.good:
            before = self.best
            self.slowly(self.search.numbers @ before.x * self.problem.scale)
            falls = self.best.cost < (1 - GAIN) * before.cost

    def hop(self, times: int) -> None:
        for _ in range(times if self.unsure else 0):
            self.found.append(self.search.hop(self.best, self.normal(len(self.problem.scale))))
            if self.best is self.found[-1]:  # the same way, farther
                self.found[-1] = self.search.least(self.best.x, QUICK)

    def end(self) -> None:
        """SciPy's last word, from the lowest."""
        if self.best.cost > exact(self.problem) or not self.best.settled:
            ends = sorted(self.found, key=lambda s: s.cost)[: 1 if self.good else ENDS]
            self.found += [self.search.last(s, self.noise) for s in ends]

    def by_noise(self) -> Descent:
        """From the lowest, signals whose sigma nobody told counting by their own noise; by what is
        left over of all, beside beliefs, where that is more than noise: ID.13."""
        s, p = self.best, self.problem
        beliefs = len(s.fun) > len(p.weights)
        for _ in range(REWEIGHED):
            good = self.noise(s)
            if s.cost <= exact(p) or not (good or beliefs):
                break
            precise = precision(p, s.fun, s.jac, good)
            change = precise / p.precise
            if not beliefs and not any(n in t.sigma for t, n in p.signals):
                change /= change.min()  # all together count beside nothing
            if max(change.max(), 1 / change.min()) <= ALIKE:
                break
            p.weighted(precise)
            s = self.search.last(self.search.at(self.search.numbers @ s.x * p.scale), self.noise)
        return s


def _best(problem, starts, seed, tolerance, most) -> Fit:
    from scipy.stats import qmc

    free, search, leads = problem.free, Search(problem, tolerance, most), problem.leads
    ways = Ways(search, starts, seed)
    found = ways.found
    found.append(search(free.start, leads))
    if not ways.good or ways.unsure:
        found.append(search.together(free.start, STAGES))
    if slow := starts > 1 and not ways.good:
        ways.slowly(free.start)
        ways.slowly_again()
    if not ways.good:
        found.append(search.last(search.at(free.start), ways.noise))
    ways.hop(HOPS)
    if ways.unsure and ways.alone and not slow:
        ways.slowly(free.start)
    ways.hop(starts - 1 - HOPS)  # more, where more were asked for
    a, b = np.sort([0.5 * free.start, 2 * free.start], axis=0)
    low, high = np.maximum(a, free.low), np.minimum(b, free.high)
    others, first = qmc.LatinHypercube(len(free.names), rng=seed), len(found)
    while len(found) < first + starts - 1 and not ways.good:
        found.append(search(low + others.random(1)[0] * (high - low), leads))
    ways.end()
    costs = np.array([s.cost for s in found])
    least = ways.by_noise()
    x = free.level(search.numbers @ least.x * problem.scale)[0]  # bounds of the last knots
    problem.check(least.fun)
    if not least.jac.any(axis=0).all():
        x = problem.as_told(x)
    outcome = "settled" if least.settled else f"not settled in {most} evaluations"
    return Fit(problem, x, costs, ceil(problem.evaluations - 1e-9), outcome)

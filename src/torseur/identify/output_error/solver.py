"""Output error method: parameters of a model by nonlinear least squares on simulated signals.

The search combines Gauss-Newton steps in a box-shaped trust region, growing time windows with state
resets, parts of the time with scaled curves, restarts around the best point, and SciPy's
`least_squares` at the end.  Equations ID.11 to ID.14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from ...errors import ArgumentError, as_system, shown
from .experiment import Experiment
from .parameters import curve_paths, read_free_parameters
from .residual_analysis import is_noise, noise_level, rounding_cost, signal_weights
from .residuals import MIN_TIMES, ResidualProblem, model_of_test, started_model
from .result import Fit

# ---- trust region ------------------------------------------------------------------------------

INITIAL_BOX = 0.5  # of the scale of a parameter
SHRINK_BELOW, GROW_ABOVE = 0.25, 0.75  # ratio of actual and predicted reduction
BOUND_MARGIN = 1e-9  # scaled: `lsq_linear` needs some distance between bounds


@dataclass(frozen=True, slots=True, eq=False)
class SearchPoint:
    """Unknowns, residuals and Jacobian; `converged` if the last step met its tolerance."""

    x: np.ndarray
    fun: np.ndarray
    jac: np.ndarray
    converged: bool

    @property
    def cost(self) -> float:
        """Half the sum of squares."""
        return float(self.fun @ self.fun) / 2


def bounded_gauss_newton_step(
    r: np.ndarray, D: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, float]:
    """Step within `low` and `high` that minimizes `|r + D d|^2`, and the predicted reduction.

    Unknowns without effect do not move.
    """
    from scipy.optimize import lsq_linear

    is_felt, d = D.any(axis=0), np.zeros(D.shape[1])
    R: Any = np.linalg.qr(np.column_stack([D[:, is_felt], r]), mode="r")  # fewer rows, same squares
    A, b, low, high = R[:, :-1], R[:, -1], low[is_felt], high[is_felt]
    if is_felt.any():
        x = lsq_linear(A, -b, (low - BOUND_MARGIN, high + BOUND_MARGIN)).x
        d[is_felt] = np.clip(x, low, high)
    return d, float(r @ r - np.sum((A @ d[is_felt] + b) ** 2))


def minimize_in_boxes(
    residuals: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    u: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    tolerance: float,
    max_evaluations: int,
    min_reduction: float,
) -> SearchPoint:
    """Gauss-Newton with a box-shaped trust region within bounds.

    It ends when steps are below `tolerance` of the unknowns, or when the predicted reduction is
    below `min_reduction` of the sum of squares.

    SciPy's `least_squares` needs 10 evaluations instead of 8 on exact data of K3, and 30 to 40
    instead of 24 to 33 on noisy data (`trf`; `dogbox` 30 to 36).  Its `dogbox` stops where a step
    meets a bound, again and again if many unknowns start on their bounds.  Its `trf` creeps along
    bounds: from starts around K3's minima it ended at half squares of 12 732 of 12 737 where these
    boxes went on. A step of a box is the exact linear least-squares solution within the bounds, so
    unknowns leave and meet any number of bounds in one evaluation.
    """
    u = np.clip(u, low, high)
    r, D = residuals(u)
    box = INITIAL_BOX
    while True:
        d, predicted = bounded_gauss_newton_step(
            r, D, np.maximum(low - u, -box), np.minimum(high - u, box)
        )
        size, squares = float(abs(d).max()), float(r @ r)
        if size <= tolerance * max(1.0, abs(u).max()) or predicted <= min_reduction * squares:
            return SearchPoint(u, r, D, True)
        max_evaluations -= 1
        if max_evaluations <= 0:
            return SearchPoint(u, r, D, False)
        new_u = u + d
        new_r, new_D = residuals(new_u)
        ratio = (squares - float(new_r @ new_r)) / predicted
        if ratio < SHRINK_BELOW:
            box = SHRINK_BELOW * size
        elif ratio > GROW_ABOVE and size >= 0.95 * box:
            box = 2 * box
        if ratio > 0:
            u, r, D = new_u, new_r, new_D


# ---- fit ---------------------------------------------------------------------------------------


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
    """Parameters of a model from tests, by the output error method.

    Parameters
    ----------
    experiments : `Experiment`s, all fitted at once
    free : {path: bounds}: "engine.mass": (250, 350), a `number(...)` with a prior, and
        "front.points": `knots(...)` for the forces of a law; names of initial values and declared
        parameters too
    starts : largest number of starts: the model's own numbers, by several search strategies if the
        residuals exceed the noise, or if there is noise and knots of a law are free; then, as long
        as the residuals exceed the noise, numbers within half and twice of them and their bounds;
        the best is kept
    seed : of the other starts
    tolerance : relative change of cost and parameters at which a fit ends
    max_evaluations : of all tests together, for each search from a start
    rtol : of the runs

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("b", 2.0),), parameters={"k": 150.0}, gravity=(0, 0, 0),
    ...     joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),), initial={"x.speed": 1.0},
    ...     forces=(ts.JointForce("f", "x", ts.Spring("k")),))
    >>> t = np.linspace(0, 1, 50)
    >>> result = fit([Experiment(model, {"x.displacement": (t, 0.1 * np.sin(10 * t))})],
    ...              free={"k": (50, 400)})
    >>> round(result.values["k"], 6), result.unreached
    (200.0, ())
    """
    experiments = [experiments] if isinstance(experiments, Experiment) else list(experiments)
    if not experiments or not all(isinstance(e, Experiment) for e in experiments):
        raise ArgumentError("fit: expected a list of ts.identify.Experiment")
    for e in experiments:
        if not hasattr(e.model, "check"):
            as_system(e.model, "fit, the model of an experiment")
    _check_options(starts, tolerance, max_evaluations, rtol)
    curves = curve_paths(free)
    models = [started_model(e, curves) for e in experiments]
    parameters = read_free_parameters(models[0], free)
    parameters.check_starts(models, [model_of_test(e, curves) for e in experiments])
    problem = ResidualProblem(experiments, parameters, rtol)
    try:
        return _search_minimum(problem, starts, seed, tolerance, max_evaluations)
    finally:
        problem.tally.end()


def _check_options(starts: Any, tolerance: Any, max_evaluations: Any, rtol: Any) -> None:
    for name, x in (("starts", starts), ("max_evaluations", max_evaluations)):
        if not (isinstance(x, int | np.integer) and x >= 1):
            raise ArgumentError(f"fit: {name} = {shown(x)}; expected 1, 2, 3 ...")
    for name, x in (("tolerance", tolerance), ("rtol", rtol)):
        if not (isinstance(x, int | float) and 1e-15 < x < 1):
            raise ArgumentError(f"fit: {name} = {shown(x)}; expected a number from 1e-15 to 1")


# ---- search strategies -------------------------------------------------------------------------

FIRST_WINDOW = 0.06  # of the time
WINDOW_GROWTH = 1.25
WINDOW_PRIOR = 0.5  # of a large change: standard deviation of a parameter in the windows
STAGES = (0.2, 4), (0.5, 4), (1.0, 6)
"""Parts of the time that are fitted with scaled curves, and evaluations of each."""
FINE_STAGES = tuple((part / 12, 6) for part in range(1, 13))
CURVE_WEIGHT = 10.0  # sigmas, of the rows that keep the shape of a curve
CURVES_FACTOR = 1 / 3  # of that weight, between curves
MIN_KNOT = 1e-3  # of its scale: a smaller knot has no such row
LOOSE_TOLERANCE, LOOSE_EVALUATIONS = 1e-2, 4  # of intermediate searches
QUICK_EVALUATIONS = 10  # of all the time, in each search
MIN_REDUCTION = 1e-3  # of the cost: a search that predicts less ends
TRF_TOLERANCE = 1e-4  # of searches by `trf`
FINISHED_SEARCHES = 3  # that continue to the end if residuals exceed the noise
RESTARTS, RESTART_EVALUATIONS = 2, 7  # around the best point
RESTART_NOISE, RESTART_SIZE = 12.0, 0.3  # distance in noise, and in sizes of parameters
MIN_RESTART_SIZE = 0.05  # of the scale
REWEIGHTING_PASSES, MAX_WEIGHT_RATIO = 6, 1.1  # a smaller change of weights has no effect
MIN_RISE = 1e-9  # scaled, of the last knot of a law that extrapolates its slope


class Search:
    """Search strategies from a start to a minimum.

    Unknowns are scaled parameters.  For a law that extrapolates its last slope, which must not
    fall, the rise to the last knot replaces that knot, so that bounds are the only constraints.
    """

    def __init__(self, problem: ResidualProblem, tolerance: float, max_evaluations: int):
        self.problem, self.tolerance = problem, tolerance
        self.max_evaluations = max_evaluations
        free = problem.free
        self.low, self.high = free.low / problem.scale, free.high / problem.scale
        self.T = np.eye(len(self.low))  # scaled parameters are T times unknowns
        for i, j in free.rising:
            self.T[j, i] = problem.scale[i] / problem.scale[j]
            self.low[j], self.high[j] = MIN_RISE, np.inf

    def to_unknowns(self, x: np.ndarray) -> np.ndarray:
        """Unknowns of parameters x, within bounds."""
        u = np.linalg.solve(self.T, x / self.problem.scale)
        return np.clip(u, self.low, self.high)

    def to_parameters(self, u: np.ndarray) -> np.ndarray:
        return self.T @ u * self.problem.scale

    def search_windows(self, x0: np.ndarray, with_resets: bool) -> SearchPoint:
        """Growing time windows with state resets, one step each, then all the time: ID.14.

        A prior at the start holds parameters that a short window does not show.
        """
        p = self.problem
        u = start = self.to_unknowns(x0)
        prior = np.diag(noise_level(p) * p.scale / (WINDOW_PRIOR * p.large_change))
        p.with_resets = with_resets
        first = min(FIRST_WINDOW, *(MIN_TIMES / len(t.grid) for t in p.trials))
        for k in range(int(np.log(first) / -np.log(WINDOW_GROWTH)), 0, -1):
            p.part = WINDOW_GROWTH**-k
            r, D = self._evaluate(u, prior, start)
            u = u + bounded_gauss_newton_step(r, D, self.low - u, self.high - u)[0]
        p.part = 1.0
        u = self._minimize(u, prior, start, LOOSE_TOLERANCE, LOOSE_EVALUATIONS, LOOSE_TOLERANCE).x
        p.with_resets = False
        return self.minimize(u, QUICK_EVALUATIONS)

    def search_scaled_curves(
        self, x0: np.ndarray, stages: tuple[tuple[float, int], ...]
    ) -> SearchPoint:
        """Parts of the time, with rows that keep the shapes of curves, then all the time: ID.14."""
        p, u = self.problem, self.to_unknowns(x0)
        rows, zero = self._shape_rows(self.T @ u), np.zeros(len(u))
        for part, evaluations in stages:
            p.part = part
            if np.any(p.evaluate(self.T @ u)[1]):  # some parameter has an effect by then
                u = self._minimize(u, rows, zero, LOOSE_TOLERANCE, evaluations, LOOSE_TOLERANCE).x
        p.part = 1.0
        return self.minimize(u, QUICK_EVALUATIONS)

    def _shape_rows(self, u: np.ndarray) -> np.ndarray:
        """Rows that hold the knots of a curve, and curves, to common factors of their starts."""
        p, n = self.problem, len(u)
        groups = [[i for i in g if abs(u[i]) > MIN_KNOT] for g in p.free.groups]
        groups = [g for g in groups if g]
        weight, rows = CURVE_WEIGHT * (1.0 if p.has_sigmas else 0.01), []
        for g in groups:
            for i, j in pairwise(g):
                row = np.zeros(n)
                row[i], row[j] = -weight / u[i], weight / u[j]
                rows.append(row)
        every = [i for g in groups for i in g]
        for g in groups if len(groups) > 1 else ():
            row = np.zeros(n)
            row[g] += CURVES_FACTOR * weight / (u[g] * len(g))
            row[every] -= CURVES_FACTOR * weight / (u[every] * len(every))
            rows.append(row)
        return np.array(rows).reshape(-1, n)

    def _evaluate(
        self, u: np.ndarray, prior: np.ndarray, mean: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and Jacobian at unknowns u, and rows of a prior with this mean."""
        r, D = self.problem.evaluate(self.T @ u)
        prior = prior @ self.T
        return np.append(r, prior @ (u - mean)), np.concatenate([D @ self.T, prior])

    def _minimize(
        self,
        u: np.ndarray,
        prior: np.ndarray,
        mean: np.ndarray,
        tolerance: float,
        max_evaluations: int,
        min_reduction: float,
    ) -> SearchPoint:
        """Minimum of the residuals and of a prior of the search, within bounds."""
        return minimize_in_boxes(
            lambda u: self._evaluate(u, prior, mean),
            u,
            self.low,
            self.high,
            tolerance,
            max_evaluations,
            min_reduction,
        )

    def minimize(
        self, u: np.ndarray, max_evaluations: int, min_reduction: float = MIN_REDUCTION
    ) -> SearchPoint:
        """Minimum over all the time, without a prior of the search."""
        none, count = np.zeros((0, len(u))), min(max_evaluations, self.max_evaluations)
        return self._minimize(u, none, u, self.tolerance, count, min_reduction)

    def evaluate_start(self, x: np.ndarray) -> SearchPoint:
        """The point of parameters x."""
        u = self.to_unknowns(x)
        return SearchPoint(u, *self._evaluate(u, np.zeros((0, len(u))), u), False)

    def restart_around(self, point: SearchPoint, normal: np.ndarray) -> SearchPoint:
        """Minimum from a random point around another one: ID.14.

        Its distance is a multiple of that which noise may cause, and a part of the parameters.
        """
        size = np.maximum(abs(point.x), MIN_RESTART_SIZE) * RESTART_SIZE
        precision = point.jac.T @ point.jac / RESTART_NOISE**2 + np.diag(size**-2.0)
        u = point.x + np.linalg.solve(np.linalg.cholesky(precision).T, normal)
        return self.minimize(u, RESTART_EVALUATIONS, LOOSE_TOLERANCE)

    def finish(self, point: SearchPoint, is_good: Callable[[SearchPoint], bool]) -> SearchPoint:
        """Minimum to the tolerance, by SciPy's `least_squares`: ID.14.

        `trf` repeats while it reduces residuals that exceed the noise, since each call starts with
        a large trust region again.  Boxes and `dogbox` end the search.
        """
        from scipy.optimize import least_squares

        evaluations, none = self.max_evaluations, np.zeros((0, len(point.x)))

        def solve(s: SearchPoint, method: str, tolerance: float) -> SearchPoint:
            """The better of a point and the end of a search from there."""
            nonlocal evaluations
            if not s.jac.any():  # no parameter has an effect
                return s
            result = least_squares(
                lambda u: self._evaluate(u, none, u)[0],
                s.x,
                jac=lambda u: self._evaluate(u, none, u)[1],
                bounds=(self.low, self.high),
                method=method,
                ftol=tolerance,
                xtol=tolerance,
                gtol=None,
                max_nfev=evaluations,
            )
            evaluations -= result.nfev
            new = SearchPoint(result.x, result.fun, result.jac, result.status > 0)
            return min(s, new, key=lambda s: (s.cost, not s.converged))

        improves = not is_good(point)
        while improves and evaluations > 0:
            before, point = point, solve(point, "trf", max(self.tolerance, TRF_TOLERANCE))
            improves = point.cost < (1 - MIN_REDUCTION) * before.cost and not is_good(point)
        point = self.minimize(point.x, max(evaluations, 1), self.tolerance)
        return solve(point, "dogbox", self.tolerance) if evaluations > 0 else point


class SearchHistory:
    """Points where searches have ended, and the strategies that follow from the best of them."""

    def __init__(self, search: Search, starts: int, seed: int):
        self.search, self.problem, self.starts = search, search.problem, starts
        self.points: list[SearchPoint] = []
        self.normal = np.random.default_rng(seed).standard_normal

    @property
    def best(self) -> SearchPoint:
        return min(self.points, key=lambda s: (s.cost, not s.converged))

    def is_noise(self, point: SearchPoint) -> bool:
        """Whether the residuals of a point are noise."""
        return is_noise(self.problem, point.fun, point.jac)

    @property
    def is_good(self) -> bool:
        return self.is_noise(self.best)

    @property
    def may_have_other_minima(self) -> bool:
        """Whether noise may hide other minima: curves are free, and data are not exact."""
        has_curves = self.starts > 1 and bool(self.problem.free.groups)
        return has_curves and self.best.cost > rounding_cost(self.problem)

    @property
    def is_single(self) -> bool:
        """Whether only one search has reached the lowest cost."""
        limit = (1 + LOOSE_TOLERANCE) * self.best.cost
        return sum(s.cost < limit for s in self.points) < 2

    def search_fine_stages(self, x: np.ndarray) -> None:
        self.points.append(self.search.search_scaled_curves(x, FINE_STAGES))

    def repeat_fine_stages(self) -> None:
        """From the best point, while that reduces the cost."""
        improves = True
        while improves and not self.is_good:
            before = self.best
            self.search_fine_stages(self.search.to_parameters(before.x))
            improves = self.best.cost < (1 - MIN_REDUCTION) * before.cost

    def restart(self, count: int) -> None:
        """Searches from random points around the best one."""
        for _ in range(count if self.may_have_other_minima else 0):
            normal = self.normal(len(self.problem.scale))
            self.points.append(self.search.restart_around(self.best, normal))
            if self.best is self.points[-1]:  # go on from there
                self.points[-1] = self.search.minimize(self.best.x, QUICK_EVALUATIONS)

    def finish_searches(self) -> None:
        """The best points to their tolerance."""
        if self.best.cost > rounding_cost(self.problem) or not self.best.converged:
            best = sorted(self.points, key=lambda s: s.cost)
            best = best[: 1 if self.is_good else FINISHED_SEARCHES]
            self.points += [self.search.finish(s, self.is_noise) for s in best]

    def reweight_signals(self) -> SearchPoint:
        """The best point, with weights of signals without a given sigma by their noise: ID.13.

        If residuals exceed the noise, all of them have one weight next to priors.
        """
        point, p = self.best, self.problem
        has_priors = len(point.fun) > len(p.weights)
        for _ in range(REWEIGHTING_PASSES):
            is_good = self.is_noise(point)
            if point.cost <= rounding_cost(p) or not (is_good or has_priors):
                break
            factors = signal_weights(p, point.fun, point.jac, is_good)
            change = factors / p.weight_factors
            if not has_priors and not any(n in t.sigma for t, n in p.signals):
                change /= change.min()  # a common factor has no effect
            if max(change.max(), 1 / change.min()) <= MAX_WEIGHT_RATIO:
                break
            p.set_weights(factors)
            start = self.search.evaluate_start(self.search.to_parameters(point.x))
            point = self.search.finish(start, self.is_noise)
        return point


def _search_minimum(
    problem: ResidualProblem, starts: int, seed: int, tolerance: float, max_evaluations: int
) -> Fit:
    """All strategies, from the model's own numbers and from a Latin hypercube around them."""
    from scipy.stats import qmc

    free, with_resets = problem.free, problem.allows_resets
    search = Search(problem, tolerance, max_evaluations)
    history = SearchHistory(search, starts, seed)
    points = history.points
    points.append(search.search_windows(free.start, with_resets))
    if not history.is_good or history.may_have_other_minima:
        points.append(search.search_scaled_curves(free.start, STAGES))
    if with_fine_stages := starts > 1 and not history.is_good:
        history.search_fine_stages(free.start)
        history.repeat_fine_stages()
    if not history.is_good:
        points.append(search.finish(search.evaluate_start(free.start), history.is_noise))
    history.restart(RESTARTS)
    if history.may_have_other_minima and history.is_single and not with_fine_stages:
        history.search_fine_stages(free.start)
    history.restart(starts - 1 - RESTARTS)
    a, b = np.sort([0.5 * free.start, 2 * free.start], axis=0)
    low, high = np.maximum(a, free.low), np.minimum(b, free.high)
    hypercube, count = qmc.LatinHypercube(len(free.names), rng=seed), len(points)
    while len(points) < count + starts - 1 and not history.is_good:
        x = low + hypercube.random(1)[0] * (high - low)
        points.append(search.search_windows(x, with_resets))
    history.finish_searches()
    costs = np.array([s.cost for s in points])
    best = history.reweight_signals()
    x = free.with_rising_slopes(search.to_parameters(best.x))[0]  # bounds of the last knots
    problem.check_completion(best.fun)
    if not best.jac.any(axis=0).all():
        x = problem.restore_unfelt(x)
    outcome = f"not converged in {max_evaluations} evaluations"
    outcome = "converged" if best.converged else outcome
    return Fit(problem, x, costs, ceil(problem.evaluations - 1e-9), outcome)

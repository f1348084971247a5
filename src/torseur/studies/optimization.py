"""Optimization of a model: SLSQP with exact gradients, Pareto fronts by NSGA-II.

A Sobol sequence samples the box of parameters in SIMD lanes.  SLSQP (Kraft 1988) continues from the
best sample.  Gradients come from the sensitivities of the motion if the measures have a derivative
and the model has sensitivities, else from central differences.  Several objectives give a Pareto
front by NSGA-II (Deb 2002, pymoo).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TorseurError, needs, shown, unknown_name_message
from ..model import Model, field_paths
from ..results import Runs, Trajectory
from ..scalars import arguments
from ..simulation import Tally
from ..views import PrintedAnswer
from . import sampling
from .distributions import Distribution, Uniform, number
from .metrics import Measure
from .plan import Plan, check_plan, make_plan

if TYPE_CHECKING:
    import pandas

FAILED_VALUE = 1e30  # of an objective or a bound, if the run failed
MAX_CORNER_NAMES = 8  # of a box whose corners are all sampled
DIFFERENCE_STEP = 1e-4  # of the box, of central differences
BOUND_TOLERANCE = 1e-6  # of the box: nearer numbers are on the bound
CONSTRAINT_TOLERANCE = 1e-4  # of a limit, that the optimum may violate
ACTIVE_TOLERANCE = 1e-5  # of a limit: nearer measures are on it
MAX_ITERATIONS = 200  # of SLSQP

Evaluation = tuple[dict[str, float], dict[str, np.ndarray]]
"""{measure: value} and {measure: gradient in the unit box}."""


# ---- results -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Front:
    """A Pareto front.  `table` has one row per point that no other point dominates."""

    table: pandas.DataFrame
    objectives: tuple[str, ...]
    model_of: Callable[[int], Model] = field(repr=False)
    evaluations: int = 0

    def __len__(self) -> int:
        return len(self.table)

    def plot(self) -> Any:
        """Objectives against the first one; a Matplotlib figure."""
        with needs("plot", "a figure"):
            from matplotlib.figure import Figure

        first, *others = self.objectives
        fig = Figure(figsize=(5.0, 3.4 * len(others)), layout="constrained")
        axes = np.ravel(fig.subplots(len(others), 1, squeeze=False))
        for ax, name in zip(axes, others, strict=True):
            ax.plot(self.table[first], self.table[name], ".")
            ax.set_xlabel(first)
            ax.set_ylabel(name)
        return fig


@dataclass(frozen=True, repr=False)
class Optimum(PrintedAnswer):
    """Result of `optimize`: `values` by name, `value` of the objective, `model` with them.

    `completed` is true if the search converged within all limits.  Else `message` has the reason.
    """

    values: dict[str, float]
    value: float
    kept: dict[str, float]
    model: Model
    run: Trajectory
    active: dict[str, str]
    gradient: str
    evaluations: int
    completed: bool
    message: str
    tried: pandas.DataFrame = field(repr=False)

    def __str__(self):
        active_bounds = {n: f" ({end} end)" for n, end in self.active.items() if n in self.values}
        values = ", ".join(
            f"{n} = {x:.6g}{active_bounds.get(n, '')}" for n, x in self.values.items()
        )
        measures = ", ".join(f"{n} {x:.6g}" for n, x in self.kept.items())
        status = f"after {self.evaluations} members" if self.completed else f"NOT: {self.message}"
        return f"Optimum({values}: {measures}; {status})"


# ---- public functions --------------------------------------------------------------------------


def optimize(
    model: Model,
    *,
    vary: Mapping[str, Any],
    minimize: Measure | Mapping[str, Measure] | None = None,
    maximize: Measure | Mapping[str, Measure] | None = None,
    subject_to: Mapping[str, tuple[Measure, Any, Any]] | None = None,
    t_end: float | None = None,
    samples: int | None = None,
    gradient: str = "auto",
    tolerance: float = 1e-8,
    generations: int = 40,
    population: int = 48,
    seed: int = 0,
    **options: Any,
) -> Optimum | Front:
    """Parameters in a box that minimize or maximize a measure of the motion.

    Parameters
    ----------
    vary : names, as for `ts.study`, with (low, high) or `ts.studies.Uniform(low, high)`
    minimize, maximize : one measure (`Peak`, `Final`, `Metric`, ... of `ts.studies`); several with
        names, or one of each, give a Pareto front (needs `torseur[optimize]`)
    subject_to : names with (measure, low, high); None for no bound
    samples : number of samples of the box before the search (8 a name, at least 16)
    gradient : "exact", "differences", or "auto": exact if it exists
    tolerance : of SciPy's SLSQP, on the objective over its spread in the box
    generations, population : of NSGA-II, for fronts
    **options : of `ts.simulate`

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),), parameters={"k": 1.0},
    ...     joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),), initial={"x.speed": 1.0},
    ...     forces=(ts.JointForce("f", "x", ts.Spring("k")),))
    >>> best = optimize(block, vary={"k": (1.0, 9.0)}, minimize=ts.studies.Final("x.displacement"),
    ...                 t_end=1.5)
    >>> best.gradient, round(best.values["k"], 3)
    ('exact', 8.974)
    """
    problem = OptimizationProblem(
        model, vary, minimize, maximize, subject_to or {}, {"t_end": t_end, **options}
    )
    if len(problem.objectives) > 1:
        return compute_pareto_front(problem, generations, population, seed)
    if gradient not in ("auto", "exact", "differences"):
        raise ArgumentError(
            f"optimize: gradient = {gradient!r}; use 'auto', 'exact' or 'differences'"
        )
    return _minimize_from_samples(problem, samples, gradient, tolerance, seed)


def worst_case(
    model: Model,
    *,
    vary: Mapping[str, Any],
    of: Measure,
    by: str = "max",
    t_end: float | None = None,
    samples: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Optimum:
    """The largest (or, `by="min"`, smallest) value of a measure in a box of parameters.

    Samples and corners of the box give a start for a gradient method.  Arguments as of `optimize`.

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> worst = worst_case(block, vary={"x.speed": (1, 2), "x.displacement": (0, 1)}, t_end=1.0,
    ...                    of=ts.studies.Final("x.displacement"))
    >>> round(worst.value, 9)
    3.0
    """
    if by not in ("max", "min"):
        raise ArgumentError(unknown_name_message("kind", by, ("max", "min"), "worst_case"))
    low, high = (None, of) if by == "max" else (of, None)
    problem = OptimizationProblem(model, vary, low, high, {}, {"t_end": t_end, **options})
    n = len(problem.box)
    if n <= MAX_CORNER_NAMES:
        problem.extra_samples = np.array(list(product((0.0, 1.0), repeat=n)))
    return _minimize_from_samples(problem, samples, "auto", 1e-10, seed)


# ---- problem -----------------------------------------------------------------------------------


class OptimizationProblem:
    """A box of parameters, the measures of its runs, and their gradients."""

    def __init__(
        self,
        model: Model,
        vary: Any,
        minimize: Measure | Mapping[str, Measure] | None,
        maximize: Measure | Mapping[str, Measure] | None,
        subject_to: Mapping[str, Any],
        options: dict[str, Any],
    ):
        """Read ranges, objectives and constraints, and make the plan."""
        self.model = model
        vary = arguments.mapping("optimize", "vary", vary, "{'k': (10, 80)}")
        self.box = {n: _read_range(n, s) for n, s in vary.items()}
        expressions = {n: _bound_expressions(s) for n, s in vary.items()}
        if not self.box:
            raise ArgumentError("optimize: vary= is empty")
        self.low, self.high = np.array(list(self.box.values())).T
        measures = self._read_objectives(minimize, maximize)
        expressions |= self._read_constraints(subject_to, measures)
        bad = [n for n, m in measures.items() if not isinstance(m, Measure) or m.shape()]
        if bad:
            raise ArgumentError(
                f"optimize: {', '.join(map(repr, bad))} is not one number a member; use a measure "
                "such as ts.studies.Peak or ts.studies.Metric"
            )
        centers = {n: np.array([0.5 * (a + b)]) for n, (a, b) in self.box.items()}
        self.plan: Plan = make_plan(model, dict.fromkeys(centers), centers, measures, options)
        check_plan(self.plan, expressions, "optimize")
        self.bench = self.plan.benches[0]
        self.extra_samples = np.zeros((0, len(self.box)))  # of the unit box
        self.history: list[tuple[np.ndarray, dict[str, np.ndarray]]] = []
        self.tally = Tally("optimize: members")

    def _read_objectives(self, minimize: Any, maximize: Any) -> dict[str, Measure]:
        """Objectives with their signs, as {name: measure}."""
        self.signs: dict[str, float] = {}
        measures: dict[str, Measure] = {}
        for objective, sign, verb in ((minimize, 1.0, "minimize"), (maximize, -1.0, "maximize")):
            if isinstance(objective, Mapping):
                named = objective
            else:
                named = {"objective": objective} if objective else {}
            for name, measure in named.items():
                name = name if name not in measures else f"{name} ({verb}d)"
                measures[name], self.signs[name] = measure, sign
        if not measures:
            raise ArgumentError(
                "optimize: give minimize= or maximize=, such as ts.studies.Peak('x.speed')"
            )
        self.objectives = tuple(measures)
        return measures

    def _read_constraints(
        self, subject_to: Mapping[str, Any], measures: dict[str, Measure]
    ) -> dict[str, list[str]]:
        """Add the bounded measures to `measures`, and return {name: texts with units}."""
        self.constraints: list[tuple[str, float, float]] = []  # sign * (value - bound) >= 0
        expressions = {}
        for name, constraint in subject_to.items():
            try:
                measure, low, high = constraint
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"optimize: subject_to {name!r} is {shown(constraint)}; expected (measure, "
                    "low, high), None for no bound"
                ) from None
            measures[name], expressions[name] = measure, _bound_expressions((low, high))
            if None not in (low, high) and number(low, name) > number(high, name):
                raise ArgumentError(
                    f"optimize: subject_to {name!r}: low = {low} is above high = {high}"
                )
            self.constraints += [(name, 1.0, number(low, name))] if low is not None else []
            self.constraints += [(name, -1.0, number(high, name))] if high is not None else []
        return expressions

    def to_parameters(self, U: np.ndarray) -> np.ndarray:
        """Parameters of points of the unit box."""
        return self.low + np.clip(U, 0.0, 1.0) * (self.high - self.low)

    def evaluate(self, U: np.ndarray) -> dict[str, np.ndarray]:
        """{measure: values} at points of the unit box, (points, names), in SIMD lanes."""
        X = self.to_parameters(U)
        plan = replace(
            self.plan,
            branch=np.zeros(len(X), np.int64),
            values=dict(zip(self.box, X.T, strict=True)),
            chunk=len(X),
        )
        plan.__dict__["benches"] = self.plan.benches
        columns = plan.compute(0)
        values = {n: np.where(columns["completed"], columns[n], np.nan) for n in self.plan.keep}
        self.history.append((X, values))
        self.tally.add(len(X))
        return values

    def evaluate_exactly(self, u: np.ndarray) -> Evaluation | None:
        """Measures and their exact gradients at a point, or None if there are none."""
        if self.bench.changed or not all(m.has_slope for m in self.plan.keep.values()):
            return None
        x = self.to_parameters(u)
        directions = {n: self.bench.roles[n][1] for n in self.box}
        try:
            run = self.bench.run(
                dict(zip(self.box, x.tolist(), strict=True)), tuple(directions.values())
            )
            gradients = {
                n: np.array([m.slope(run, directions[v]) for v in self.box])
                * (self.high - self.low)
                for n, m in self.plan.keep.items()
            }
        except TorseurError:
            return None
        if not run.completed:
            return None
        values = {n: float(m.evaluate_runs(Runs.of([run]))[0]) for n, m in self.plan.keep.items()}
        self.history.append((x[None], {n: np.array([y]) for n, y in values.items()}))
        self.tally.add()
        return values, gradients

    def evaluate_by_differences(self, u: np.ndarray) -> Evaluation:
        """Measures and their gradients by central differences, all runs at once."""
        n = len(u)
        up, down = np.minimum(u + DIFFERENCE_STEP, 1.0), np.maximum(u - DIFFERENCE_STEP, 0.0)
        U = np.tile(u, (2 * n + 1, 1))
        each = np.arange(n)
        U[1 + each, each], U[1 + n + each, each] = up, down
        values = self.evaluate(U)
        gradients = {k: (y[1 : n + 1] - y[n + 1 :]) / (up - down) for k, y in values.items()}
        return {k: float(y[0]) for k, y in values.items()}, gradients

    def table(self) -> pandas.DataFrame:
        """Every run of the search."""
        with needs("studies", "a table"):
            import pandas

        X = np.concatenate([x for x, _ in self.history])
        values = {n: np.concatenate([v[n] for _, v in self.history]) for n in self.plan.keep}
        return pandas.DataFrame({**dict(zip(self.box, X.T, strict=True)), **values})

    def model_with(self, values: Mapping[str, float]) -> Model:
        """The model with these parameters, initial states and inputs."""
        model = self.model
        for name, x in values.items():
            role = self.bench.roles[name][0]
            if role == "initial":
                model = replace(model, initial={**dict(model.initial), name: x})
            elif name in model.parameters:
                model = replace(model, parameters={**dict(model.parameters), name: x})
            elif role == "inputs":
                inputs = {**dict(model.simulation.get("inputs", {})), name: x}
                model = replace(model, simulation={**model.simulation, "inputs": inputs})
            else:
                model = field_paths.replaced(model, name, x)
        return model


def _bound_expressions(bounds: Any) -> list[str]:
    """Arguments of a range given as texts, which have units."""
    limits = (bounds.low, bounds.high) if isinstance(bounds, Uniform) else bounds
    return [x for x in limits if isinstance(x, str)]


def _read_range(name: str, bounds: Any) -> tuple[float, float]:
    """Bounds (low, high) of a quantity, or an error."""
    if isinstance(bounds, Uniform):
        bounds = (bounds.low, bounds.high)
    if isinstance(bounds, Distribution) or not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ArgumentError(
            f"optimize: {name!r} varies by {shown(bounds)}; expected (low, high) or "
            "ts.studies.Uniform"
        )
    low, high = (number(x, name) for x in bounds)
    if not low < high:
        raise ArgumentError(f"optimize: {name!r}: low = {low:g} is not below high = {high:g}")
    return low, high


# ---- one objective -----------------------------------------------------------------------------


class _GradientFunction:
    """Objective, constraints and gradients at a point of the unit box (cached)."""

    def __init__(self, problem: OptimizationProblem, gradient: str):
        self.problem, self.gradient = problem, gradient
        self.used: set[str] = set()
        self._last: tuple[bytes, Evaluation] | None = None

    def __call__(self, u: np.ndarray) -> Evaluation:
        """Finite values and gradients; failed runs have very large objectives."""
        key = u.tobytes()
        if self._last is None or self._last[0] != key:
            values, gradients = self._evaluate(u)
            (objective,) = self.problem.objectives
            failed = self.problem.signs[objective] * FAILED_VALUE
            values = {k: x if np.isfinite(x) else failed for k, x in values.items()}
            self._last = key, (values, {k: np.nan_to_num(g) for k, g in gradients.items()})
        return self._last[1]

    def _evaluate(self, u: np.ndarray) -> Evaluation:
        """Exact derivatives if they are wanted and exist, else differences."""
        exact = None if self.gradient == "differences" else self.problem.evaluate_exactly(u)
        if exact is None and self.gradient == "exact":
            raise TorseurError(
                "optimize: no exact gradient here: a measure without a slope, a number that "
                "changes the structure, or a run without sensitivities; use gradient='auto'"
            )
        self.used.add("differences" if exact is None else "exact")
        return self.problem.evaluate_by_differences(u) if exact is None else exact


def _minimize_from_samples(
    problem: OptimizationProblem,
    samples: int | None,
    gradient: str,
    tolerance: float,
    seed: int,
) -> Optimum:
    """SLSQP from the best sample of the box."""
    from scipy.optimize import minimize

    n = len(problem.box)
    count = max(16, 8 * n) if samples is None else int(samples)
    cube = {name: Uniform(0.0, 1.0) for name in problem.box}
    U = np.stack(list(sampling.draw_samples(cube, "sobol", count, seed).values()), axis=1)
    U = np.concatenate([problem.extra_samples, U])
    values = problem.evaluate(U)
    (name,) = problem.objectives
    sign = problem.signs[name]
    y = sign * values[name]
    if not np.isfinite(y).any():
        raise TorseurError(
            "optimize: no member of the box has the objective; look at one run first"
        )
    spreads = {k: float(np.nanmax(v) - np.nanmin(v)) or 1.0 for k, v in values.items()}
    scale = float(np.nanmax(y) - np.nanmin(y)) or 1.0
    violations = (
        np.maximum(0.0, -s * (values[k] - b) / spreads[k]) for k, s, b in problem.constraints
    )
    violation = np.nan_to_num(sum(violations, np.zeros(len(U))), nan=np.inf)
    order = np.lexsort((np.where(np.isfinite(y), y, np.inf), violation))
    function = _GradientFunction(problem, gradient)
    constraints = [
        {
            "type": "ineq",
            "fun": lambda u, k=k, s=s, b=b: s * (function(u)[0][k] - b) / spreads[k],
            "jac": lambda u, k=k, s=s: s * function(u)[1][k] / spreads[k],
        }
        for k, s, b in problem.constraints
    ]
    result = minimize(
        lambda u: sign * function(u)[0][name] / scale,
        U[order[0]],
        jac=lambda u: sign * function(u)[1][name] / scale,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * n,
        constraints=constraints,
        options={"ftol": tolerance, "maxiter": MAX_ITERATIONS},
    )
    u = np.clip(result.x, 0.0, 1.0)
    u = np.where(u < BOUND_TOLERANCE, 0.0, np.where(u > 1.0 - BOUND_TOLERANCE, 1.0, u))
    return _make_optimum(problem, u, bool(result.success), str(result.message), function.used)


def _make_optimum(
    problem: OptimizationProblem, u: np.ndarray, completed: bool, message: str, used: set[str]
) -> Optimum:
    """Result at a point of the unit box.  It is not completed if a constraint is violated."""
    (name,) = problem.objectives
    x = problem.low + u * (problem.high - problem.low)
    values = dict(zip(problem.box, x.tolist(), strict=True))
    problem.tally.end()
    run = problem.bench.run(values)
    signals = {k: float(m.evaluate_runs(Runs.of([run]))[0]) for k, m in problem.plan.keep.items()}
    active = {
        k: "low" if x == 0.0 else "high"
        for k, x in zip(problem.box, u, strict=True)
        if x in (0.0, 1.0)
    }
    violated = []
    for k, s, b in problem.constraints:
        size = max(abs(b), abs(signals[k]), 1e-300)
        if abs(signals[k] - b) <= ACTIVE_TOLERANCE * size:
            active[k] = "low" if s > 0 else "high"
        if not s * (signals[k] - b) >= -CONSTRAINT_TOLERANCE * max(abs(b), abs(signals[k])):
            relation = "below" if s > 0 else "above"
            violated.append(f"{k!r} is {signals[k]:g}, {relation} its limit {b:g}")
    if violated:
        completed = False
        message = f"no member within the limits was found: {'; '.join(violated)}"
    gradient = "both" if len(used) > 1 else next(iter(used), "differences")
    table = problem.table()
    return Optimum(
        values,
        signals[name],
        signals,
        problem.model_with(values),
        run,
        active,
        gradient,
        len(table),
        completed,
        message,
        table,
    )


# ---- several objectives ------------------------------------------------------------------------


def compute_pareto_front(
    problem: OptimizationProblem, generations: int, population: int, seed: int
) -> Front:
    """Pareto front by NSGA-II.  Each generation runs in SIMD lanes."""
    with needs("optimize", "a Pareto front"):
        import pandas
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem as PymooProblem
        from pymoo.optimize import minimize

    names, constraints = problem.objectives, problem.constraints

    class BoxProblem(PymooProblem):
        def __init__(self):
            n, m = len(problem.box), len(constraints)
            super().__init__(n_var=n, n_obj=len(names), n_ieq_constr=m, xl=0.0, xu=1.0)

        def _evaluate(self, U: np.ndarray, out: dict[str, Any], *args, **kwargs):
            values = {k: np.nan_to_num(y, nan=FAILED_VALUE) for k, y in problem.evaluate(U).items()}
            out["F"] = np.stack([problem.signs[k] * values[k] for k in names], axis=1)
            if constraints:
                out["G"] = np.stack([s * (b - values[k]) for k, s, b in constraints], axis=1)

    result = minimize(BoxProblem(), NSGA2(pop_size=population), ("n_gen", generations), seed=seed)
    if result.X is None:
        raise TorseurError("optimize: no member meets every bound of subject_to; widen the box")
    U = np.atleast_2d(result.X)
    X = problem.low + U * (problem.high - problem.low)
    values = problem.evaluate(U)
    evaluations = sum(len(x) for x, _ in problem.history)
    table = pandas.DataFrame({**dict(zip(problem.box, X.T, strict=True)), **values})
    table = table.sort_values(names[0], ignore_index=True)

    def model_of(row: int) -> Model:
        return problem.model_with({n: float(table[n][row]) for n in problem.box})

    return Front(table, names, model_of, evaluations)

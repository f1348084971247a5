"""`optimize`: the best numbers of a model, by SciPy with exact gradients where there are any.

A box of numbers is looked over by a design, in lanes; from its best member a gradient method goes
on.  Gradients come from the sensitivities of the motion where the measures have a slope and the
model has sensitivities, else from central differences whose members run side by side.  Several
objectives: a Pareto front, by pymoo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TorseurError, needs, shown, unknown_name
from ..model import Model, field_paths
from ..results import Runs, Trajectory
from ..scalars import arguments
from ..simulation import Tally
from ..views import PrintedAnswer
from . import sampling
from .distributions import Distribution, Uniform, number
from .metrics import Measure
from .plan import Plan, planned, told_at_once

if TYPE_CHECKING:
    import pandas

# --------------------------------------------------------------------------------------------
# Several objectives at once: points of a box that none beats in all of them, by pymoo.


FAILED_OBJECTIVE = 1e30  # in place of what a member that failed has not


@dataclass(frozen=True)
class Front:
    """A Pareto front: `table` has a row a point, none of which is beaten in every objective."""

    table: pandas.DataFrame
    objectives: tuple[str, ...]
    model_of: Callable[[int], Model] = field(repr=False)
    evaluations: int = 0

    def __len__(self) -> int:
        return len(self.table)

    def plot(self):
        """Objectives against each other; a Matplotlib figure."""
        with needs("plot", "a figure"):
            from matplotlib.figure import Figure

        first, *others = self.objectives
        fig = Figure(figsize=(5.0, 3.4 * len(others)), layout="constrained")
        for ax, name in zip(np.ravel(fig.subplots(len(others), 1, squeeze=False)), others,
                            strict=True):  # fmt: skip
            ax.plot(self.table[first], self.table[name], ".")
            ax.set_xlabel(first)
            ax.set_ylabel(name)
        return fig


def front(problem: Seeking, generations: int, population: int, seed: int) -> Front:
    """Points that nothing beats in every objective, by NSGA-II; generations run in lanes."""
    with needs("optimize", "a Pareto front"):
        import pandas
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem as Moo
        from pymoo.optimize import minimize

    names, bounds = problem.objectives, problem.bounds

    class Members(Moo):
        def __init__(self):
            n = len(problem.box)
            super().__init__(n_var=n, n_obj=len(names), n_ieq_constr=len(bounds), xl=0.0, xu=1.0)

        def _evaluate(self, U, out, *args, **kwargs):
            found = {k: np.nan_to_num(y, nan=FAILED_OBJECTIVE) for k, y in problem.at(U).items()}
            out["F"] = np.stack([problem.signs[k] * found[k] for k in names], axis=1)
            if bounds:
                out["G"] = np.stack([s * (b - found[k]) for k, s, b in bounds], axis=1)

    found = minimize(Members(), NSGA2(pop_size=population), ("n_gen", generations), seed=seed)
    if found.X is None:
        raise TorseurError("optimize: no member meets every bound of subject_to; widen the box")
    U = np.atleast_2d(found.X)
    X = problem.low + U * (problem.high - problem.low)
    kept = problem.at(U)
    evaluations = sum(len(x) for x, _ in problem.tried)
    table = pandas.DataFrame({**dict(zip(problem.box, X.T, strict=True)), **kept})
    table = table.sort_values(names[0], ignore_index=True)

    def model_of(row: int) -> Model:
        return problem.written({n: float(table[n][row]) for n in problem.box})

    return Front(table, names, model_of, evaluations)


MOST_CORNERS = 8  # names of a box of which every corner is looked at
STEP = 1e-4  # of the box, of central differences
AT_BOUND = 1e-6  # of the box: a number is at its bound
BEYOND = 1e-4  # of a limit: what the search may leave of it
BAD = 1e30  # in place of what a member that failed has not


@dataclass(frozen=True, repr=False)
class Optimum(PrintedAnswer):
    """What `optimize` found: `values` by name, `value` of the objective, `model` with them.

    `completed` is whether the search came to its end within all limits; `message` says why not.
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
        ends = {n: f" ({end} end)" for n, end in self.active.items() if n in self.values}
        found = ", ".join(f"{n} = {x:.6g}{ends.get(n, '')}" for n, x in self.values.items())
        kept = ", ".join(f"{n} {x:.6g}" for n, x in self.kept.items())
        told = f"after {self.evaluations} members" if self.completed else f"NOT: {self.message}"
        return f"Optimum({found}: {kept}; {told})"


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
    """The numbers in a box that make a measure of the motion smallest or largest.

    Parameters
    ----------
    vary : names, as for `ts.study`, with (low, high) or `ts.studies.Uniform(low, high)`
    minimize, maximize : one measure (`Peak`, `Final`, `Metric`, ... of `ts.studies`); several with
        names, or one of each, give a Pareto front (needs `torseur[optimize]`)
    subject_to : names with (measure, low, high); None where there is no bound
    samples : members that look over the box first (8 a name, at least 16)
    gradient : "exact", "differences", or "auto": exact where it exists
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
    problem = Seeking(model, vary, minimize, maximize, subject_to or {}, t_end, options)
    if len(problem.objectives) > 1:
        return front(problem, generations, population, seed)
    if gradient not in ("auto", "exact", "differences"):
        raise ArgumentError(
            f"optimize: gradient = {gradient!r}; use 'auto', 'exact' or 'differences'"
        )
    return _descent(problem, samples, gradient, tolerance, seed)


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
    """The member of a box with the largest (or, `by="min"`, smallest) value of a measure.

    The box is looked over by a design and at its corners, then a gradient method goes on from the
    worst of them; arguments as for `optimize`.

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> found = worst_case(block, vary={"x.speed": (1, 2), "x.displacement": (0, 1)}, t_end=1.0,
    ...                    of=ts.studies.Final("x.displacement"))
    >>> round(found.value, 9)
    3.0
    """
    if by not in ("max", "min"):
        raise ArgumentError(unknown_name("kind", by, ("max", "min"), "worst_case"))
    low, high = (None, of) if by == "max" else (of, None)
    problem = Seeking(model, vary, low, high, {}, t_end, options)
    n = len(problem.box)
    if n <= MOST_CORNERS:
        problem.first = np.array(list(product((0.0, 1.0), repeat=n)))
    return _descent(problem, samples, "auto", 1e-10, seed)


class Seeking:
    """A box, measures of the members in it, and their derivatives."""

    def __init__(self, model, vary, minimize, maximize, subject_to, t_end, options):
        self.model = model
        vary = arguments.mapping("optimize", "vary", vary, "{'k': (10, 80)}")
        self.box = {n: _ends(n, s) for n, s in vary.items()}
        texts = {n: _texts(s) for n, s in vary.items()}
        if not self.box:
            raise ArgumentError("optimize: vary= names nothing")
        self.low, self.high = np.array(list(self.box.values())).T
        self.signs: dict[str, float] = {}
        keep: dict[str, Measure] = {}
        for given, sign, word in ((minimize, 1.0, "minimize"), (maximize, -1.0, "maximize")):
            named = given if isinstance(given, Mapping) else {"objective": given} if given else {}
            for name, measure in named.items():
                name = name if name not in keep else f"{name} ({word}d)"
                keep[name], self.signs[name] = measure, sign
        if not keep:
            raise ArgumentError(
                "optimize: give minimize= or maximize=, such as ts.studies.Peak('x.speed')"
            )
        self.objectives = tuple(keep)
        self.bounds: list[tuple[str, float, float]] = []  # sign * value + shift >= 0
        for name, given in subject_to.items():
            try:
                measure, low, high = given
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"optimize: subject_to {name!r} is {shown(given)}; expected (measure, low, "
                    "high), None where there is no bound"
                ) from None
            keep[name], texts[name] = measure, _texts((low, high))
            if None not in (low, high) and number(low, name) > number(high, name):
                raise ArgumentError(
                    f"optimize: subject_to {name!r}: low = {low} is above high = {high}"
                )
            self.bounds += [(name, 1.0, number(low, name))] if low is not None else []
            self.bounds += [(name, -1.0, number(high, name))] if high is not None else []
        bad = [n for n, m in keep.items() if not isinstance(m, Measure) or m.shape()]
        if bad:
            raise ArgumentError(
                f"optimize: {', '.join(map(repr, bad))} is not one number a member; use a measure "
                "such as ts.studies.Peak or ts.studies.Metric"
            )
        rows = {n: np.array([0.5 * (a + b)]) for n, (a, b) in self.box.items()}
        self.plan: Plan = planned(
            model, dict.fromkeys(rows), rows, keep, {"t_end": t_end, **options}
        )
        told_at_once(self.plan, texts, "optimize")
        self.bench = self.plan.benches[0]
        self.first = np.zeros((0, len(self.box)))  # places to look at besides those of a design
        self.tried: list[tuple[np.ndarray, dict[str, np.ndarray]]] = []
        self.tally = Tally("optimize: members")

    def at(self, U: np.ndarray) -> dict[str, np.ndarray]:
        """Everything kept at places of the unit box, (members, names): side by side, in lanes."""
        X = self.low + np.clip(U, 0.0, 1.0) * (self.high - self.low)
        columns = dict(zip(self.box, X.T, strict=True))
        plan = Plan(self.plan.branches, self.plan.labels, np.zeros(len(X), np.int64), columns,
                    self.plan.keep, self.plan.options, len(X))  # fmt: skip
        plan.__dict__["benches"] = self.plan.benches
        found = plan.compute(0)
        found = {n: np.where(found["completed"], found[n], np.nan) for n in self.plan.keep}
        self.tried.append((X, found))
        self.tally.add(len(X))
        return found

    def exact(self, u: np.ndarray) -> tuple[dict[str, float], dict[str, np.ndarray]] | None:
        """Measures and their exact slopes by the unit box, or none where there are none."""
        if self.bench.changed or not all(m.sloped for m in self.plan.keep.values()):
            return None
        x = self.low + np.clip(u, 0.0, 1.0) * (self.high - self.low)
        named = {n: self.bench.route[n][1] for n in self.box}
        try:
            run = self.bench.run(
                dict(zip(self.box, x.tolist(), strict=True)), tuple(named.values())
            )
            slopes = {
                n: np.array([m.slope(run, named[v]) for v in self.box]) * (self.high - self.low)
                for n, m in self.plan.keep.items()
            }
        except TorseurError:
            return None
        if not run.completed:
            return None
        values = {n: float(m.over(Runs.of([run]))[0]) for n, m in self.plan.keep.items()}
        self.tried.append((x[None], {n: np.array([y]) for n, y in values.items()}))
        self.tally.add()
        return values, slopes

    def differences(self, u: np.ndarray) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        """Measures and their slopes by central differences, all members at once."""
        n = len(u)
        up, down = np.minimum(u + STEP, 1.0), np.maximum(u - STEP, 0.0)
        U = np.tile(u, (2 * n + 1, 1))
        each = np.arange(n)
        U[1 + each, each], U[1 + n + each, each] = up, down
        found = self.at(U)
        slopes = {k: (y[1 : n + 1] - y[n + 1 :]) / (up - down) for k, y in found.items()}
        return {k: float(y[0]) for k, y in found.items()}, slopes

    def named(self, u: np.ndarray) -> dict[str, float]:
        """Numbers by name."""
        return dict(zip(self.box, (self.low + u * (self.high - self.low)).tolist(), strict=True))

    def table(self):
        """Every member tried."""
        with needs("studies", "a table"):
            import pandas

        X = np.concatenate([x for x, _ in self.tried])
        kept = {n: np.concatenate([f[n] for _, f in self.tried]) for n in self.plan.keep}
        return pandas.DataFrame({**dict(zip(self.box, X.T, strict=True)), **kept})

    def written(self, values: Mapping[str, float]) -> Model:
        """The model with these numbers in it."""
        return written(self.model, values, self.bench.route)


def written(model: Model, values: Mapping[str, float], route: Mapping) -> Model:
    """A model with some numbers: paths, parameters, and its start."""
    for name, x in values.items():
        kind = route[name][0]
        if kind == "initial":
            model = replace(model, initial={**dict(model.initial), name: x})
        elif name in model.parameters:
            model = replace(model, parameters={**dict(model.parameters), name: x})
        elif kind == "inputs":
            inputs = {**dict(model.simulation.get("inputs", {})), name: x}
            model = replace(model, simulation={**model.simulation, "inputs": inputs})
        else:
            model = field_paths.replaced(model, name, x)
    return model


def _texts(given: Any) -> list[str]:
    ends = (given.low, given.high) if isinstance(given, Uniform) else given
    return [x for x in ends if isinstance(x, str)]


def _ends(name: str, given) -> tuple[float, float]:
    if isinstance(given, Uniform):
        given = (given.low, given.high)
    if isinstance(given, Distribution) or not isinstance(given, tuple | list) or len(given) != 2:
        raise ArgumentError(
            f"optimize: {name!r} varies by {shown(given)}; expected (low, high) or "
            "ts.studies.Uniform"
        )
    low, high = (number(x, name) for x in given)
    if not low < high:
        raise ArgumentError(f"optimize: {name!r}: low = {low:g} is not below high = {high:g}")
    return low, high


def _descent(problem: Seeking, samples, gradient, tolerance, seed) -> Optimum:
    """A look over the box, then SLSQP from its best member."""
    from scipy.optimize import minimize

    n = len(problem.box)
    count = max(16, 8 * n) if samples is None else int(samples)
    spread = {name: Uniform(0.0, 1.0) for name in problem.box}
    U = np.stack(list(sampling.rows(spread, "sobol", count, seed).values()), axis=1)
    U = np.concatenate([problem.first, U])
    looked = problem.at(U)
    (name,) = problem.objectives
    sign = problem.signs[name]
    y = sign * looked[name]
    if not np.isfinite(y).any():
        raise TorseurError(
            "optimize: no member of the box has the objective; look at one run first"
        )
    scale = float(np.nanmax(y) - np.nanmin(y)) or 1.0
    sizes = {k: float(np.nanmax(v) - np.nanmin(v)) or 1.0 for k, v in looked.items()}
    lacks = sum((np.maximum(0.0, -s * (looked[k] - b) / sizes[k]) for k, s, b in problem.bounds),
                np.zeros(len(U)))  # fmt: skip
    order = np.lexsort((np.where(np.isfinite(y), y, np.inf), np.nan_to_num(lacks, nan=np.inf)))
    used: list[str] = []
    memo: dict[bytes, tuple[dict, dict]] = {}

    def both(u):
        key = u.tobytes()
        if key not in memo:
            found = None if gradient == "differences" else problem.exact(u)
            if found is None and gradient == "exact":
                raise TorseurError(
                    "optimize: no exact gradient here: a measure without a slope, a number that "
                    "changes the structure, or a run without sensitivities; use gradient='auto'"
                )
            used.append("differences" if found is None else "exact")
            values, slopes = problem.differences(u) if found is None else found
            memo.clear()
            memo[key] = (
                {k: x if np.isfinite(x) else sign * BAD for k, x in values.items()},
                {k: np.nan_to_num(g) for k, g in slopes.items()},
            )
        return memo[key]

    limits = [
        {"type": "ineq", "fun": lambda u, k=k, s=s, b=b: s * (both(u)[0][k] - b) / sizes[k],
         "jac": lambda u, k=k, s=s: s * both(u)[1][k] / sizes[k]}
        for k, s, b in problem.bounds
    ]  # fmt: skip
    found = minimize(
        lambda u: sign * both(u)[0][name] / scale,
        U[order[0]],
        jac=lambda u: sign * both(u)[1][name] / scale,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * n,
        constraints=limits,
        options={"ftol": tolerance, "maxiter": 200},
    )
    u = np.clip(found.x, 0.0, 1.0)
    u = np.where(u < AT_BOUND, 0.0, np.where(u > 1.0 - AT_BOUND, 1.0, u))
    return _told(problem, u, name, bool(found.success), str(found.message), used)


def _told(problem: Seeking, u, name, completed, message, used) -> Optimum:
    values = problem.named(u)
    problem.tally.end()
    run = problem.bench.run(values)
    kept = {k: float(m.over(Runs.of([run]))[0]) for k, m in problem.plan.keep.items()}
    active = {k: "low" if x == 0.0 else "high" for k, x in zip(problem.box, u, strict=True)
              if x in (0.0, 1.0)}  # fmt: skip
    for k, s, b in problem.bounds:
        if abs(kept[k] - b) <= 1e-5 * max(abs(b), abs(kept[k]), 1e-300):
            active[k] = "low" if s > 0 else "high"
    tried = problem.table()
    beyond = [f"{k!r} is {kept[k]:g}, {'below' if s > 0 else 'above'} its limit {b:g}"
              for k, s, b in problem.bounds
              if not s * (kept[k] - b) >= -BEYOND * max(abs(b), abs(kept[k]))]  # fmt: skip
    if beyond:
        completed, message = False, f"no member within the limits was found: {'; '.join(beyond)}"
    how = "exact" if set(used) == {"exact"} else "differences" if "exact" not in used else "both"
    return Optimum(values, kept[name], kept, problem.written(values), run, active, how, len(tried),
                   completed, message, tried)  # fmt: skip

"""Tolerance analysis of a mechanism: worst case, root sum of squares (RSS) and Monte Carlo.

Derivatives by central differences at the tolerances give the worst case and the statistical
estimate.  Runs at the corners of the box and random samples check them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TorseurError, as_system, needs, unknown_name_message
from ..model import Model, field_paths
from ..scalars import Floats, arguments
from ..scalars.values import value
from ..views import PrintedAnswer
from .distributions import Distribution, Normal, Uniform, number, refuse_percentage
from .metrics import Measure, SignalAt
from .parameter_study import Study, study
from .plan import find_unit_problems, read_limit
from .statistics import ProbabilityEstimate, estimate_probability

if TYPE_CHECKING:
    import pandas

MAX_CORNER_NAMES = 10  # of a box whose corners are all run; else the worst by derivatives
SIGMAS = 3.0  # standard deviations of a part within its tolerance
START_DURATION = 1e-6  # [s] of a run that only has its start


@dataclass(frozen=True, repr=False)
class Tolerances(PrintedAnswer):
    """Effect of tolerances on a measure; arrays if the measure has several numbers.

    `worst` and `rss` are half widths by derivatives; `corners` (low, high) of runs at corners of
    the box; `drawn` the study of random samples; `table` the contribution of each part.
    """

    nominal: np.ndarray
    table: pandas.DataFrame
    derivatives: np.ndarray = field(repr=False)  # (names, numbers)
    worst: np.ndarray = field(default_factory=lambda: np.zeros(0))
    rss: np.ndarray = field(default_factory=lambda: np.zeros(0))
    corners: tuple[np.ndarray, np.ndarray] = (np.zeros(0), np.zeros(0))
    drawn: Study | None = field(default=None, repr=False)

    def inside(
        self, low: Any = -np.inf, high: Any = np.inf, confidence: float = 0.95
    ) -> ProbabilityEstimate:
        """Probability that all numbers are between two limits, with its interval (of `drawn`)."""
        if self.drawn is None:
            raise ArgumentError("tolerances: no members were drawn; give samples=")
        y = self.drawn["of"].reshape(len(self.drawn), -1)
        low, high = (read_limit(self.drawn.plan, "of", x, "tolerances") for x in (low, high))
        return estimate_probability(((y >= low) & (y <= high)).all(axis=1), confidence)


def tolerances(
    model: Model,
    parts: Mapping[str, Any],
    of: Measure | str,
    *,
    t_end: float | None = None,
    samples: int = 0,
    spread: str = "normal",
    seed: int = 0,
    engine: Any = "lanes",
    **options: Any,
) -> Tolerances:
    """Effect of tolerances of a model's numbers on a measure of its motion or of its assembly.

    Parameters
    ----------
    parts : names, as for `ts.study` ("crank.length", "pin.at[0]", "f.stiffness"), with half a
        tolerance each, a number or a text with its unit ("0.05 mm")
    of : a measure of the run; or the name of a signal, at the assembled start
    t_end : [s]; not needed for the start
    samples : number of random samples, "normal" (three sigmas within the tolerance) or "uniform"

    >>> import torseur as ts
    >>> arm = ts.Model(gravity=(0, 0, 0), parameters={"L": 0.5},
    ...     bodies=(ts.Body("rod", 1.0, com=("L", 0, 0)),),
    ...     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("z")),),
    ...     frames=(ts.Frame("tip", "rod", at=("2*L", 0, 0)),))
    >>> result = tolerances(arm, {"L": "0.1 mm", "pivot.angle": 1e-3}, "tip.position.x")
    >>> round(float(result.nominal), 6), round(float(result.worst), 6)
    (1.0, 0.0002)
    """
    if spread not in ("normal", "uniform"):
        raise ArgumentError(
            unknown_name_message("spread", spread, ("normal", "uniform"), "tolerances")
        )
    half = _read_tolerances(model, parts)
    if isinstance(of, str):
        of, t_end = SignalAt(of, at=[0.0]), START_DURATION if t_end is None else t_end
        options = {"output": 2, **options}
    nominal = {n: _nominal_value(model, n) for n in half}
    for name, tolerance in parts.items():
        refuse_percentage(f"tolerances: {name!r}", tolerance, nominal[name])
    call = {"keep": {"of": of}, "t_end": t_end, "engine": engine, "progress": False, **options}
    expressions = {n: [x] for n, x in parts.items() if isinstance(x, str)}
    evaluate = _box_function(model, nominal, half, call, expressions)
    n, t = len(half), np.array(list(half.values()))
    y = evaluate(np.vstack([np.zeros(n), np.eye(n), -np.eye(n)]))
    derivatives = (y[1 : n + 1] - y[n + 1 :]) / (2 * t[:, None])
    worst = (abs(derivatives) * t[:, None]).sum(axis=0)
    rss = np.sqrt(((derivatives * t[:, None]) ** 2).sum(axis=0))
    corners = np.vstack([evaluate(_corner_signs(derivatives)), y])
    drawn = None
    if samples:
        box = _sampled_box(nominal, half, spread)
        drawn = study(model, vary=box, samples=samples, design="random", seed=seed, **call)
    shape = of.shape()
    results = [
        x.reshape(shape) if shape and len(x) > 1 else x[0]
        for x in (y[0], worst, rss, corners.min(axis=0), corners.max(axis=0))
    ]
    table = _contribution_table(nominal, t, derivatives, rss)
    return Tolerances(
        results[0], table, derivatives, results[1], results[2], (results[3], results[4]), drawn
    )


def _read_tolerances(model: Model, parts: Any) -> dict[str, float]:
    """{name: half width} in SI."""
    parts = arguments.mapping("tolerances", "parts", parts, "{'L': '0.1 mm'}")
    as_system(model, "tolerances")
    half = {n: number(x, n) for n, x in parts.items()}
    bad = [n for n, x in half.items() if not (isinstance(n, str) and x > 0)]
    if bad or not half:
        names = ", ".join(map(repr, bad)) or "nothing"
        raise ArgumentError(f"tolerances: {names}; give names with half widths greater than zero")
    return half


def _box_function(
    model: Model,
    nominal: dict[str, float],
    half: dict[str, float],
    call: dict[str, Any],
    expressions: dict[str, list[str]],
) -> Callable[[Any], np.ndarray]:
    """Function from points of the box, in half widths, to the measure, (points, numbers)."""
    x0, t = np.array(list(nominal.values())), np.array(list(half.values()))

    def evaluate(points: Any) -> np.ndarray:
        """Values of the measure (points, numbers) by one study of all points."""
        X = x0 + np.asarray(points) * t
        runs = study(model, vary=dict(zip(half, X.T.tolist(), strict=True)), **call)
        if expressions and (
            problems := [*find_unit_problems(runs.plan, expressions, "tolerances")]
        ):
            raise ArgumentError("\n".join(problems))
        expressions.clear()
        if not runs["completed"].all():
            bad = int(np.argmin(runs["completed"]))
            values = ", ".join(f"{k} = {v:g}" for k, v in zip(half, X[bad], strict=True))
            raise TorseurError(f"tolerances: {values}: {runs['outcome'][bad]}")
        return runs["of"].reshape(len(X), -1)

    return evaluate


def _corner_signs(derivatives: np.ndarray) -> np.ndarray:
    """Signs of all corners of a box, or of those that are the worst by derivatives."""
    n = len(derivatives)
    if n <= MAX_CORNER_NAMES:
        return np.array(list(product((-1.0, 1.0), repeat=n)))
    signs = np.where(derivatives.T >= 0, 1.0, -1.0)
    return np.unique(np.vstack([signs, -signs]), axis=0)


def _sampled_box(
    nominal: dict[str, float], half: dict[str, float], spread: str
) -> dict[str, Distribution]:
    """Distributions within the tolerances."""
    if spread == "uniform":
        return {n: Uniform(x - half[n], x + half[n]) for n, x in nominal.items()}
    return {n: Normal(x, half[n] / SIGMAS, x - half[n], x + half[n]) for n, x in nominal.items()}


def _contribution_table(
    nominal: dict[str, float], t: np.ndarray, derivatives: np.ndarray, rss: np.ndarray
) -> pandas.DataFrame:
    """Contribution of each part to the number with the largest RSS."""
    with needs("studies", "a table"):
        import pandas

    column = int(np.argmax(rss))
    contribution = (derivatives[:, column] * t) ** 2 / (rss[column] ** 2 or 1.0)
    table = pandas.DataFrame(
        {
            "nominal": list(nominal.values()),
            "tolerance": t,
            "slope": derivatives[:, column],
            "contribution": abs(derivatives[:, column]) * t,
            "share": contribution,
        },
        index=list(nominal),
    )
    return table.sort_values("share", ascending=False, kind="stable")


def _nominal_value(model: Model, name: str) -> float:
    """Number of a name in the model: a parameter, an initial state or a field."""
    parameters = value.nominals(dict(model.parameters))
    if name in parameters:
        return parameters[name]
    system = model.check()
    if name in (*system.coordinates, *system.speeds):
        q, v = system.state(dict(model.initial))
        return float([*q, *v][(*system.coordinates, *system.speeds).index(name)])
    return float(Floats(parameters).number(value.exact(field_paths.read(model, name))))

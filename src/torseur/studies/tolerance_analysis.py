"""`tolerances`: what tolerances of parts do to a measure of the mechanism.

Three answers beside each other: by slopes, the worst case (sums of sizes) and the statistical one
(roots of sums of squares); by members at the corners of the box; and by members drawn from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TorseurError, needs, system_of, unknown_name
from ..model import Model, field_paths
from ..scalars import Floats, arguments
from ..scalars.values import value
from ..views import PrintedAnswer
from . import statistics
from .distributions import Normal, Uniform, number, refuse_share
from .metrics import Measure, SignalAt
from .parameter_study import Study, study
from .plan import limit, misfits

if TYPE_CHECKING:
    import pandas

MOST_CORNERS = 10  # names of which every corner is tried; of more, those that slopes say are worst
SIGMAS = 3.0  # standard deviations of a part within its tolerance
INSTANT = 1e-6  # a run that only has its start [s]


@dataclass(frozen=True, repr=False)
class Tolerances(PrintedAnswer):
    """What tolerances make of a measure; arrays where the measure has several numbers.

    `worst` and `rss` are half widths by slopes; `corners` (low, high) by members at corners of the
    box; `drawn` the study of members drawn from it; `table` says what each part contributes.
    """

    nominal: np.ndarray
    table: pandas.DataFrame
    slopes: np.ndarray = field(repr=False)  # (names, numbers)
    worst: np.ndarray = field(default_factory=lambda: np.zeros(0))
    rss: np.ndarray = field(default_factory=lambda: np.zeros(0))
    corners: tuple[np.ndarray, np.ndarray] = (np.zeros(0), np.zeros(0))
    drawn: Study | None = field(default=None, repr=False)

    def inside(self, low: Any = -np.inf, high: Any = np.inf, confidence: float = 0.95):
        """Probability that all numbers lie between two limits, with its interval (of `drawn`)."""
        if self.drawn is None:
            raise ArgumentError("tolerances: no members were drawn; give samples=")
        y = self.drawn["of"].reshape(len(self.drawn), -1)
        low, high = (limit(self.drawn.plan, "of", x, "tolerances") for x in (low, high))
        return statistics.chance(((y >= low) & (y <= high)).all(axis=1), confidence)


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
    """How tolerances of numbers of a model spread to a measure of its motion or of its assembly.

    Parameters
    ----------
    parts : names, as for `ts.study` ("crank.length", "pin.at[0]", "f.stiffness"), with half a
        tolerance each, a number or a text with its unit ("0.05 mm")
    of : a measure of the run; or the name of a signal, at the assembled start
    t_end : [s]; not needed for the start
    samples : members to draw, if any, "normal" (three sigmas within the tolerance) or "uniform"

    >>> import torseur as ts
    >>> arm = ts.Model(gravity=(0, 0, 0), parameters={"L": 0.5},
    ...     bodies=(ts.Body("rod", 1.0, com=("L", 0, 0)),),
    ...     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("z")),),
    ...     frames=(ts.Frame("tip", "rod", at=("2*L", 0, 0)),))
    >>> found = tolerances(arm, {"L": "0.1 mm", "pivot.angle": 1e-3}, "tip.position.x")
    >>> round(float(found.nominal), 6), round(float(found.worst), 6)
    (1.0, 0.0002)
    """
    if spread not in ("normal", "uniform"):
        raise ArgumentError(unknown_name("spread", spread, ("normal", "uniform"), "tolerances"))
    parts = arguments.mapping("tolerances", "parts", parts, "{'L': '0.1 mm'}")
    system_of(model, "tolerances")
    half = {n: number(x, n) for n, x in parts.items()}
    bad = [n for n, x in half.items() if not (isinstance(n, str) and x > 0)]
    if bad or not half:
        said = ", ".join(map(repr, bad)) or "nothing"
        raise ArgumentError(f"tolerances: {said}; give names with half widths greater than zero")
    if isinstance(of, str):
        of, t_end = SignalAt(of, at=[0.0]), INSTANT if t_end is None else t_end
        options = {"output": 2, **options}
    middle = {n: _nominal(model, n) for n in half}
    for name, given in parts.items():
        refuse_share(f"tolerances: {name!r}", given, middle[name])
    x0, t = np.array(list(middle.values())), np.array(list(half.values()))
    n = len(t)
    call = {"keep": {"of": of}, "t_end": t_end, "engine": engine, "progress": False, **options}

    told = {n: [x] for n, x in parts.items() if isinstance(x, str)}

    def members(signs) -> np.ndarray:
        X = x0 + np.asarray(signs) * t
        found = study(model, vary=dict(zip(half, X.T.tolist(), strict=True)), **call)
        if told and (wrong := [*misfits(found.plan, told, "tolerances")]):
            raise ArgumentError("\n".join(wrong))
        told.clear()
        if not found["completed"].all():
            bad = int(np.argmin(found["completed"]))
            place = ", ".join(f"{k} = {v:g}" for k, v in zip(half, X[bad], strict=True))
            raise TorseurError(f"tolerances: {place}: {found['outcome'][bad]}")
        return found["of"].reshape(len(X), -1)

    y = members(np.vstack([np.zeros(n), np.eye(n), -np.eye(n)]))
    slopes = (y[1 : n + 1] - y[n + 1 :]) / (2 * t[:, None])
    worst = (abs(slopes) * t[:, None]).sum(axis=0)
    rss = np.sqrt(((slopes * t[:, None]) ** 2).sum(axis=0))
    if n <= MOST_CORNERS:
        signs = np.array(list(product((-1.0, 1.0), repeat=n)))
    else:
        toward = np.where(slopes.T >= 0, 1.0, -1.0)
        signs = np.unique(np.vstack([toward, -toward]), axis=0)
    ends = np.vstack([members(signs), y])
    drawn = None
    if samples:
        cut = Normal if spread == "normal" else Uniform
        box = {
            k: cut(a, h / SIGMAS, a - h, a + h) if cut is Normal else cut(a - h, a + h)
            for (k, a), h in zip(middle.items(), t, strict=True)
        }
        drawn = study(model, vary=box, samples=samples, design="random", seed=seed, **call)
    shape = of.shape()
    found = [x.reshape(shape) if shape and len(x) > 1 else x[0] for x in
             (y[0], worst, rss, ends.min(axis=0), ends.max(axis=0))]  # fmt: skip
    table = _table(middle, t, slopes, rss)
    return Tolerances(found[0], table, slopes, found[1], found[2], (found[3], found[4]), drawn)


def _table(middle, t, slopes, rss) -> pandas.DataFrame:
    with needs("studies", "a table"):
        import pandas

    at = int(np.argmax(rss))  # the number that spreads most
    share = (slopes[:, at] * t) ** 2 / (rss[at] ** 2 or 1.0)
    out = pandas.DataFrame(
        {
            "nominal": list(middle.values()),
            "tolerance": t,
            "slope": slopes[:, at],
            "contribution": abs(slopes[:, at]) * t,
            "share": share,
        },
        index=list(middle),
    )
    return out.sort_values("share", ascending=False, kind="stable")


def _nominal(model: Model, name: str) -> float:
    """The number that a name has in the model."""
    parameters = value.nominals(dict(model.parameters))
    if name in parameters:
        return parameters[name]
    system = model.check()
    if name in (*system.coordinates, *system.speeds):
        q, v = system.state(dict(model.initial))
        return float([*q, *v][(*system.coordinates, *system.speeds).index(name)])
    return float(Floats(parameters).number(value.exact(field_paths.read(model, name))))

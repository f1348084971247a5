"""Free parameters of an output error fit: bounds, priors, knots of force laws.  Equation ID.12."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import ArgumentError, ModelError, said, shown
from ...model import Model, field_paths
from ...scalars import units
from ...scalars.values import value
from ...system import initial_values_of_parameter
from .experiment import number_pair

MESSAGE_START = "fit, free numbers: "


@dataclass(frozen=True, slots=True)
class Number:
    """A free number of a model: within `bounds`, near `prior` (value, sigma)."""

    bounds: tuple[float, float] = (-np.inf, np.inf)
    prior: tuple[float, float] | None = None
    texts: tuple[str, ...] = field(default=(), repr=False)  # arguments with units


@dataclass(frozen=True, slots=True)
class Knots:
    """Free forces of a law's points, but the first; see `knots`."""

    bounds: tuple[float, float] = (0.0, np.inf)
    smooth: float = 0.0
    texts: tuple[str, ...] = field(default=(), repr=False)


def number(bounds: Any = (-np.inf, np.inf), prior: Any = None) -> Number:
    """A free number: `bounds` (low, high), `prior` (value, sigma), in SI or with units.

    Units must be those of the number in the model, which `fit` checks.

    >>> number((250, 350), prior=(300, 20)), number(("5 mm", "80 mm")).bounds
    (Number(bounds=(250.0, 350.0), prior=(300.0, 20.0)), (0.005, 0.08))
    """
    gaussian = None if prior is None else number_pair(prior, "number", "prior", "(value, sigma)")
    if gaussian is not None and not gaussian[1] > 0:
        raise ArgumentError(f"number: prior = {shown(prior)}: its sigma is not greater than zero")
    return Number(_read_bounds(bounds, "number"), gaussian, _texts_with_units(bounds, prior))


def knots(bounds: Any = (0.0, np.inf), smooth: float = 0.0) -> Knots:
    """Free forces of a law's points [N]; the first point and the abscissae stay.

    `bounds` (low, high) [N] of each force.  `smooth` is the weight of second differences of the
    forces over their mean: with 1, a second difference of the size of the mean counts as one
    standard deviation.  A law that continues with its last slope must not have a falling last
    slope: a last point below the one before it then starts level with it.

    >>> knots(bounds=(0, 5e5), smooth=0.1)
    Knots(bounds=(0.0, 500000.0), smooth=0.1)
    """
    return Knots(_read_bounds(bounds, "knots"), float(smooth), _texts_with_units(bounds))


def _texts_with_units(*pairs: Any) -> tuple[str, ...]:
    return tuple(x for pair in pairs for x in pair or () if units.has_unit(x))


def _read_bounds(bounds: Any, where: str) -> tuple[float, float]:
    low, high = number_pair(bounds, where, "bounds", "(low, high)")
    if not low < high:
        raise ArgumentError(f"{where}: bounds = {shown(bounds)}: the lower is not below the higher")
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class FreeParameters:
    """All free parameters: paths, bounds, priors, and rows of smoothness."""

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    priors: tuple[Any, ...]  # (index, value, sigma)
    smooth: tuple[Any, ...]  # (indices of three neighbors, weight)
    groups: tuple[tuple[int, ...], ...] = ()  # indices of the knots of each law
    rising: tuple[tuple[int, int], ...] = ()  # last two knots of laws that extrapolate their slope
    curves: tuple[str, ...] = ()  # paths of the points of laws whose forces are free

    @property
    def scale(self) -> np.ndarray:
        """Scale of each parameter: its start, a tenth of the span of its bounds, or one unit."""
        span = np.where(np.isfinite(self.high - self.low), self.high - self.low, 10.0)
        return np.where(self.start != 0, abs(self.start), 0.1 * span)

    @property
    def large_change(self) -> np.ndarray:
        """Large change of each parameter: its start, or half of the span of its bounds."""
        return np.where(self.start != 0, self.scale, 5 * self.scale)

    def with_rising_slopes(self, x: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """Parameters whose last slopes do not fall, and the pairs of which the second changed."""
        falling = [(i, j) for i, j in self.rising if not x[i] <= x[j] <= self.high[j]]
        x = np.array(x, float)
        for i, j in falling:
            x[j] = min(max(x[i], x[j]), self.high[j])
        return x, falling

    def check_starts(self, models: Sequence[Model], given_models: Sequence[Model]) -> None:
        """Raise if tests with different initial states share a free one, or if an initial state is
        an expression of a free parameter, whose derivatives it would lack."""
        for name in self.names:
            started = [with_initial_states(m, [name]) for m in models]
            starts = dict.fromkeys(_read_value(m, name) for m in started if name in m.initial)
            if len(starts) > 1:
                raise ArgumentError(
                    f"fit: {name!r} is free, one number for all tests, but they start at "
                    f"{', '.join(f'{x:g}' for x in starts)}; use one start, or leave it fixed"
                )
            for model in given_models if name in models[0].parameters else ():
                for start in initial_values_of_parameter(model.check(), name):
                    raise ArgumentError(
                        f"fit: {name!r} is free and gives the start {start!r}; give that start as "
                        f"a number, and free {start!r} itself"
                    )


def curve_paths(free: Any) -> tuple[str, ...]:
    """Paths of laws' points whose forces are free, from the argument of `fit`."""
    items = free.items() if isinstance(free, Mapping) else ()
    return tuple(path for path, spec in items if isinstance(spec, Knots))


def with_rising_curves(model: Model, curves: Iterable[str]) -> Model:
    """The model with these curves' last points raised, where the last slope falls."""
    for path in curves:
        forces = _force_paths(model, path)
        if len(forces) > 1 and _extrapolates(model, path):
            before = _read_value(model, forces[-2])
            if _read_value(model, forces[-1]) < before:
                model = field_paths.replaced(model, forces[-1], before)
    return model


def read_free_parameters(model: Model, free: Any) -> FreeParameters:
    """Free parameters of a model from the argument of `fit`; one message with all faults."""
    if not isinstance(free, Mapping) or not free:
        raise ArgumentError(
            f"fit: free = {shown(free)}; expected {{'engine.mass': (250, 350), "
            "'front.points': ts.identify.knots()}"
        )
    names: list[str] = []
    low, high, priors, smooth, groups, rising = [], [], [], [], [], []
    problems: list[str] = []
    texts: dict[str, tuple[str, tuple[str, ...]]] = {}  # {first name of a path: (path, texts)}
    for path, entry in free.items():
        try:
            spec = entry if isinstance(entry, Knots | Number) else number(entry)
            paths = _knot_paths(model, path) if isinstance(spec, Knots) else [path]
        except ArgumentError as e:
            problems.append(f"{path!r}: {e}")
            continue
        first = len(names)
        names += paths
        low += [spec.bounds[0]] * len(paths)
        high += [spec.bounds[1]] * len(paths)
        texts[paths[0]] = path, spec.texts
        if isinstance(spec, Number):
            priors += [] if spec.prior is None else [(first, *map(float, spec.prior))]
            continue
        groups.append(tuple(range(first, len(names))))
        if len(paths) > 1 and _extrapolates(model, path):
            rising.append((len(names) - 2, len(names) - 1))
        if spec.smooth > 0:
            inner = range(first + 1, len(names) - 1)
            smooth += [((i - 1, i, i + 1), spec.smooth) for i in inner]
    start, start_problems = _read_starts(with_initial_states(model, names), names, texts)
    problems += start_problems
    if not problems:  # else a bound of another unit would be reported twice
        problems = [
            f"{n} = {x:g} is outside ({a:g}, {b:g}): the model's own number is where a fit starts"
            for n, x, a, b in zip(names, start, low, high, strict=True)
            if not a <= x <= b
        ]
    if problems:
        raise ArgumentError(MESSAGE_START + "\n  - ".join(problems))
    return FreeParameters(
        tuple(names),
        np.array(low, float),
        np.array(high, float),
        start,
        tuple(priors),
        tuple(smooth),
        tuple(groups),
        tuple(rising),
        curve_paths(free),
    )


def _read_starts(
    model: Model, names: list[str], texts: dict[str, tuple[str, tuple[str, ...]]]
) -> tuple[np.ndarray, list[str]]:
    """Values of free parameters in the model, and problems with them or with units of texts."""
    start, problems = np.zeros(len(names)), []
    for i, name in enumerate(names):
        try:
            start[i] = _read_value(model, name)
            path, given_texts = texts.get(name, (name, ()))
            problems += [f"{path!r}: {x}" for x in find_unit_problems(model, name, given_texts)]
        except ArgumentError as e:
            hint = ", or all forces of a curve by ts.identify.knots(...)"
            problems.append(f"{e}{hint * name.endswith('.points')}")
    return start, problems


def _force_paths(model: Model, path: str) -> list[str]:
    """Paths of the forces of a law's points, but the first."""
    numbers = [n for n in field_paths.numbers(model) if n.startswith(f"{path}[")]
    return [n for n in numbers if n.endswith(".force") and f"{path}[0]" not in n]


def _knot_paths(model: Model, path: str) -> list[str]:
    """Paths of the forces of a law's points; raises if there are none."""
    if forces := _force_paths(model, path):
        return forces
    raise ArgumentError("no points with forces; knots() are for a law's points, 'front.points'")


def find_unit_problems(model: Model, name: str, texts: Iterable[str]) -> Iterator[str]:
    """Problems of texts whose unit is not that of a number, or of those of a declared parameter.

    The model itself reads the texts.
    """
    texts = tuple(texts)
    state = _state_units(model) if texts and name not in model.parameters else {}
    if name.endswith(f".{field_paths.SCALE}"):
        state[name] = ""  # a factor
    paths = [*field_paths.numbers(model, name)] if name in model.parameters else [name]
    for text in dict.fromkeys(texts):
        for path in paths:
            try:
                if name in state:
                    units.quantity(text, state[name])
                elif field_paths.read(field_paths.replaced(model, path, text), path) == text:
                    yield f"{text}: it has no unit; write a number"
            except (ModelError, ValueError) as e:  # the last words are about the unit
                yield f"{text}: {said(e).rpartition(': ')[2]}"


def _state_units(model: Model) -> dict[str, str]:
    """Units of coordinates and speeds."""
    system = model.check()
    return {p.name: p.unit for p in system.ports if p.name in {*system.coordinates, *system.speeds}}


def with_initial_states(model: Model, names: Iterable[str]) -> Model:
    """The model with explicit initial states for free coordinates and speeds that are zero."""
    names = tuple(names)
    owners = {n.partition(".")[0] for n in names if n not in (*model.initial, *model.parameters)}
    if not owners & {j.name for j in model.joints}:
        return model
    system = model.check()
    state = {*system.coordinates, *system.speeds}
    zeros = {n: 0.0 for n in names if n in state and n not in model.initial}
    return replace(model, initial={**model.initial, **zeros}) if zeros else model


def _extrapolates(model: Model, path: str) -> bool:
    """Whether the law of these points continues with its last slope, which must not fall."""
    name = path.partition(".")[0]
    law = next((f.law for f in model.forces if f.name == name and hasattr(f, "law")), None)
    return getattr(law, "beyond", None) == "extend"


def _read_value(model: Model, name: str) -> float:
    """Number of a model: a parameter, an initial state or the field of a path."""
    parameters, initial = dict(model.parameters), dict(model.initial)
    if name in parameters:
        return float(parameters[name])
    if name in initial:
        return value.nominal(value.exact(initial[name]), {})
    x = value.exact(field_paths.read(model, name))
    if isinstance(x, value.Value):
        raise ArgumentError(f"fit: {name!r} is the expression {x}; free the parameters in it")
    return float(x)

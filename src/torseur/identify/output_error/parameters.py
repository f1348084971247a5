"""Numbers of a model that may change in a fit: bounds, priors, knots of laws.

Theory: ID.12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import ArgumentError, ModelError, said, shown
from ...model import field_paths
from ...scalars import units
from ...scalars.values import value
from ...system import starts_of
from .experiment import two

FREE = "fit, free numbers: "  # before what is wrong with them


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a model that may change: between `bounds`, near `prior` (value, sigma)."""

    bounds: tuple[float, float] = (-np.inf, np.inf)
    prior: tuple[float, float] | None = None
    said: tuple[str, ...] = field(default=(), repr=False)  # texts with units, as they were given


@dataclass(frozen=True, slots=True)
class Knots:
    """Forces of a law's points, but the first; see `knots`."""

    bounds: tuple[float, float] = (0.0, np.inf)
    smooth: float = 0.0
    said: tuple[str, ...] = field(default=(), repr=False)


def number(bounds: Any = (-np.inf, np.inf), prior: Any = None) -> Number:
    """A number that may change: `bounds` (low, high), `prior` (value, sigma), in SI or with units.

    Units must be those of what they are given to, which `fit` says.

    >>> number((250, 350), prior=(300, 20)), number(("5 mm", "80 mm")).bounds
    (Number(bounds=(250.0, 350.0), prior=(300.0, 20.0)), (0.005, 0.08))
    """
    near = None if prior is None else two(prior, "number", "prior", "(value, sigma)")
    if near is not None and not near[1] > 0:
        raise ArgumentError(f"number: prior = {shown(prior)}: its sigma is not greater than zero")
    return Number(_bounds(bounds, "number"), near, _said(bounds, prior))


def knots(bounds: Any = (0.0, np.inf), smooth: float = 0.0) -> Knots:
    """Forces of a law's points [N]: the first point and the abscissae stay.

    `bounds` (low, high) [N] of each; `smooth` is the weight of second differences of the forces
    over their mean: 0 leaves the curve alone, 1 makes a bend as large as the mean count as one
    standard deviation.  Of a law that goes on with its last slope, which must not fall, a last
    point that starts below the one before it starts level with it.

    >>> knots(bounds=(0, 5e5), smooth=0.1)
    Knots(bounds=(0.0, 500000.0), smooth=0.1)
    """
    return Knots(_bounds(bounds, "knots"), float(smooth), _said(bounds))


def _said(*pairs) -> tuple[str, ...]:
    """Texts with units among what was given."""
    return tuple(x for pair in pairs for x in pair or () if units.has_unit(x))


def _bounds(given, where) -> tuple[float, float]:
    low, high = two(given, where, "bounds", "(low, high)")
    if not low < high:
        raise ArgumentError(f"{where}: bounds = {shown(given)}: the lower is not below the higher")
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class FreeNumbers:
    """Every free number: paths, bounds, priors, and rows of smoothness."""

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    priors: tuple[Any, ...]  # (place, value, sigma)
    smooth: tuple[Any, ...]  # (places of three neighbors, weight)
    groups: tuple[tuple[int, ...], ...] = ()  # places of the knots of each law
    rising: tuple[tuple[int, int], ...] = ()  # last two knots of laws that go on with their slope
    curves: tuple[str, ...] = ()  # paths of the points of laws whose forces are free

    @property
    def scale(self) -> np.ndarray:
        """A usual size of each: its start, a part of what its bounds allow, or its unit."""
        span = np.where(np.isfinite(self.high - self.low), self.high - self.low, 10.0)
        return np.where(self.start != 0, abs(self.start), 0.1 * span)

    @property
    def size(self) -> np.ndarray:
        """How much of each a change is large: its start, or a half of what its bounds allow."""
        return np.where(self.start != 0, self.scale, 5 * self.scale)

    def level(self, x) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """Numbers with last slopes that do not fall, last knots within bounds, and the pairs of
        places of which the second was moved."""
        off = [(i, j) for i, j in self.rising if not x[i] <= x[j] <= self.high[j]]
        x = np.array(x, float)
        for i, j in off:
            x[j] = min(max(x[i], x[j]), self.high[j])
        return x, off

    def check_starts(self, models, told_models) -> None:
        """A free start is one number: tests that start differently cannot share it, and no start
        may be made, as it was told, of a free parameter, whose derivatives would lack it."""
        for name in self.names:
            own = [with_starts(m, [name]) for m in models]
            told = dict.fromkeys(_value(m, name) for m in own if name in m.initial)
            if len(told) > 1:
                raise ArgumentError(
                    f"fit: {name!r} is free, one number for all tests, but they start at "
                    f"{', '.join(f'{x:g}' for x in told)}; start them alike, or leave it fixed"
                )
            for model in told_models if name in models[0].parameters else ():
                for start in starts_of(model.check(), name):
                    raise ArgumentError(
                        f"fit: {name!r} is free and gives the start {start!r}; tell that start as "
                        f"a number, and free {start!r} itself"
                    )


def curves_of(free) -> tuple[str, ...]:
    """Paths of laws' points whose forces are free, by the user's words."""
    own = free.items() if isinstance(free, Mapping) else ()
    return tuple(path for path, given in own if isinstance(given, Knots))


def leveled(model, curves):
    """A model whose last slopes of these curves do not fall, so that it may be a start."""
    for path in curves:
        *_, before, last = "", "", *_forces(model, path)
        if before and _goes_on(model, path):
            least = _value(model, before)
            if _value(model, last) < least:
                model = field_paths.replaced(model, last, least)
    return model


def free_of(model, free) -> FreeNumbers:
    """Free numbers of a model, `leveled`, by the user's words; what is wrong with them is told at
    once."""
    if not isinstance(free, Mapping) or not free:
        raise ArgumentError(
            f"fit: free = {shown(free)}; expected {{'engine.mass': (250, 350), "
            "'front.points': ts.identify.knots()}"
        )
    names: list[str] = []
    low, high, priors, smooth, groups, rising = [], [], [], [], [], []
    problems: list[str] = []
    texts: dict[str, tuple[str, tuple[str, ...]]] = {}  # of paths, by their first number
    for path, given in free.items():
        try:
            spec = given if isinstance(given, Knots | Number) else number(given)
            own = _knots(model, path) if isinstance(spec, Knots) else [path]
        except ArgumentError as e:
            problems.append(f"{path!r}: {e}")
            continue
        first = len(names)
        names += own
        low += [spec.bounds[0]] * len(own)
        high += [spec.bounds[1]] * len(own)
        texts[own[0]] = path, spec.said
        if isinstance(spec, Number):
            priors += [] if spec.prior is None else [(first, *map(float, spec.prior))]
            continue
        groups.append(tuple(range(first, len(names))))
        if len(own) > 1 and _goes_on(model, path):
            rising.append((len(names) - 2, len(names) - 1))
        if spec.smooth > 0:
            inner = range(first + 1, len(names) - 1)
            smooth += [((i - 1, i, i + 1), spec.smooth) for i in inner]
    model, start = with_starts(model, names), np.zeros(len(names))
    for i, name in enumerate(names):
        try:
            start[i] = _value(model, name)
            path, told = texts.get(name, (name, ()))
            problems += [f"{path!r}: {x}" for x in _misfits(model, name, told)]
        except ArgumentError as e:
            hint = ", or all forces of a curve by ts.identify.knots(...)"
            problems.append(f"{e}{hint * name.endswith('.points')}")
    if not problems:  # else a bound of another unit would be told twice
        problems = [
            f"{n} = {x:g} is outside ({a:g}, {b:g}): the model's own number is where a fit starts"
            for n, x, a, b in zip(names, start, low, high, strict=True)
            if not a <= x <= b
        ]
    if problems:
        raise ArgumentError(FREE + "\n  - ".join(problems))
    return FreeNumbers(
        tuple(names),
        np.array(low, float),
        np.array(high, float),
        start,
        tuple(priors),
        tuple(smooth),
        tuple(groups),
        tuple(rising),
        curves_of(free),
    )


def _forces(model, path) -> list[str]:
    """Paths of the forces of a law's points, but the first."""
    own = [n for n in field_paths.numbers(model) if n.startswith(f"{path}[")]
    return [n for n in own if n.endswith(".force") and f"{path}[0]" not in n]


def _knots(model, path) -> list[str]:
    """The same, where there are any."""
    if forces := _forces(model, path):
        return forces
    raise ArgumentError("no points with forces; knots() are for a law's points, 'front.points'")


def _misfits(model, name, texts) -> Iterator[str]:
    """What is wrong with texts whose unit is not that of a number: as the model itself reads them
    in its place, or in those of a declared parameter."""
    state = _state(model) if texts and name not in model.parameters else {}
    if name.endswith(f".{field_paths.SCALE}"):
        state[name] = ""  # a factor
    places = [*field_paths.numbers(model, name)] if name in model.parameters else [name]
    for text in dict.fromkeys(texts):
        for place in places:
            try:
                if name in state:
                    units.quantity(text, state[name])
                elif field_paths.read(field_paths.replaced(model, place, text), place) == text:
                    yield f"{text}: it has no unit; write a number"
            except (ModelError, ValueError) as e:  # the last words are about the unit
                yield f"{text}: {said(e).rpartition(': ')[2]}"


def _state(model) -> dict[str, str]:
    """Units of coordinates and speeds at the start."""
    system = model.check()
    return {p.name: p.unit for p in system.ports if p.name in {*system.coordinates, *system.speeds}}


def with_starts(model, names):
    """The model, its start written out for free coordinates and speeds that it leaves at zero."""
    owners = {n.partition(".")[0] for n in names if n not in (*model.initial, *model.parameters)}
    if not owners & {j.name for j in model.joints}:
        return model
    system = model.check()
    state = {*system.coordinates, *system.speeds}
    bare = {n: 0.0 for n in names if n in state and n not in model.initial}
    return replace(model, initial={**model.initial, **bare}) if bare else model


def _goes_on(model, path) -> bool:
    """Whether the law of these points goes on with its last slope, which must not fall."""
    own = path.partition(".")[0]
    law = next((f.law for f in model.forces if f.name == own and hasattr(f, "law")), None)
    return getattr(law, "beyond", None) == "extend"


def _value(model, name) -> float:
    if name in model.parameters:
        return float(model.parameters[name])
    if name in model.initial:
        return value.nominal(value.exact(model.initial[name]), {})
    x = value.exact(field_paths.read(model, name))
    if isinstance(x, value.Value):
        raise ArgumentError(f"fit: {name!r} is the expression {x}; free the parameters in it")
    return float(x)

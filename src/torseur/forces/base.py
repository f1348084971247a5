"""The contract of a force law: what it says of itself, and nothing of where it acts.

A law sees a deflection `x` and its rate, the time, its own continuous states `z`, its memory `m`
and its inputs `u`; it answers with the tension `T` conjugate to `x`, so that a coordinate q gets
the generalized force `-T dx/dq`.  Its books must close:  `T rate = d(potential)/dt + dissipation
- supply`.  Theory: FO.1 to FO.3.
"""

from __future__ import annotations

import abc
import copy
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from ..errors import said, shown
from ..register import Register, derived, type_of
from ..scalars import Floats
from ..scalars.values import value as values
from ._nested_tuples import even, leaves, plain

law = Register("law", f"{__package__}.laws")
line = Register("line of action", f"{__package__}.lines")


class Seen(NamedTuple):
    """What a law sees."""

    x: Any  # deflection [m or rad]
    rate: Any  # its rate
    t: Any = 0  # time [s]
    z: tuple = ()  # own continuous states
    m: tuple = ()  # own memory
    u: tuple = ()  # own inputs
    rows: tuple = ()  # of each of its lists, the rows before, at and after the present number
    places: tuple = ()  # of each named signal: "q", "v", ..., or "x" where it is the deflection


class Listed(NamedTuple):
    """A list that is data, not code: plain numbers, which a jump finds by the number in memory.

    `place` is where the number of the present row is in the law's own memory.
    """

    place: int
    rows: tuple[tuple[float, ...], ...]


class Guard(NamedTuple):
    """A number that is positive in the present mode; an event is its fall to zero.

    `of` says what it compares, and so its unit: "x", "rate", "force" or "t".  `waits`: what happens
    where it stands on zero, at a start or after another event.  1: the motion shows whether the
    present mode is the right one, and the law moves on without a word; 2: that is an event; 0:
    nothing.  `told`: whether users see its events.  `part`: which part of a law it belongs to.
    """

    name: str
    value: Any
    of: str = "x"
    waits: int = 1
    told: bool = True
    part: tuple = ()


class Push(NamedTuple):
    """A push of `value + gain * input` along x [N or N m]."""

    input: str
    gain: Any
    value: Any


class Law(abc.ABC):
    """One law, over any scalar `K`.  A final subclass is a frozen dataclass.

    `units` gives the unit of each number of its description; `states` and `memory` name the
    numbers it keeps, with units; `modes` names the values of `mode`.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    units: ClassVar[dict[str, str]] = {}
    positive: ClassVar[tuple[str, ...]] = ()  # parameters that must be more than zero
    not_negative: ClassVar[tuple[str, ...]] = ()  # and those that must be zero or more
    scales: ClassVar[tuple[str, ...] | None] = None  # factors of its force; None: all in newtons
    states: ClassVar[tuple[tuple[str, str], ...]] = ()
    memory: ClassVar[tuple[tuple[str, str], ...]] = ()
    modes: ClassVar[tuple[str, ...]] = ("acting",)
    history: ClassVar[bool] = False  # whether its memory says more than x, rate and t do
    friction: ClassVar[tuple[str, ...]] = ()  # "dry", "viscous", both: where it is no more
    motor: bool = False  # whether inputs, time or a controller say what it gives
    timed: ClassVar[bool] = False  # whether it is a formula of time, with pulses that none tells of
    shows: ClassVar[int] = 1  # of the force that users see: 1 a tension, -1 a push
    inputs: tuple[str, ...] = ()  # names of the model's inputs that it reads
    signals: tuple[str, ...] = ()  # names of coordinates and speeds, after the inputs
    beside: ClassVar[int] = 0  # how many numbers its line adds to `Seen.u`, after all others
    words: ClassVar[dict[str, tuple[str, ...]]] = {}  # texts that a field takes besides numbers
    tables: ClassVar[dict[str, str]] = {}  # units of columns, where a field takes points too
    extras: ClassVar[tuple[tuple[str, str], ...]] = ()  # further signals, with units
    picture: ClassVar[str] = "coil"  # how a view shows it; see `pictures`

    @abc.abstractmethod
    def force(self, K, s: Seen) -> Any:
        """Tension conjugate to the deflection [N or N m]."""

    @derived
    def pictures(self) -> tuple[str, ...]:
        """How a view shows it: "coil", "damper", "brake", "crush", "stop", "drive", or several."""
        return (self.picture,)

    def deflection(self, K, s: Seen):
        """What the signal `deflection` shows; by default x itself."""
        return s.x

    @derived
    def deflects(self) -> tuple[str, ...]:
        """What it uses of the deflection of its line: `x`, `rate`, both or neither."""
        return ("x", "rate")

    @derived
    def starts_by_sign(self) -> bool:
        """Whether `start` asks of the rate its sign alone."""
        return False

    @derived
    def push(self) -> Push | None:
        """The input it pushes along x with, where it does nothing else."""
        return None

    @derived
    def range(self) -> tuple | None:
        """Low and high end of the deflections that a law of stops leaves free."""
        return None

    @derived
    def rated(self) -> bool:
        """Whether part of what it dissipates is `dynamic`."""
        return False

    @derived
    def affine(self) -> bool:
        """Whether, in its present mode, the tension is a straight line of x alone."""
        return False

    @derived
    def loses(self) -> bool:
        """Whether its `dissipation` says anything."""
        return type(self).dissipation is not Law.dissipation

    @derived
    def conserves(self) -> bool:
        """Whether what `dissipation` says comes back: stored energy that has no formula."""
        return False

    @derived
    def positional(self) -> bool:
        """Whether it is a function of its named signals, and of nothing else."""
        return False

    def at_rest(self, K, s: Seen):
        """What is left of the tension when every speed is zero."""
        return self.force(K, s._replace(rate=0))

    def potential(self, K, s: Seen):
        """Energy that can come back [J]."""
        return 0

    def dissipation(self, K, s: Seen):
        """Power lost [W]."""
        return 0

    def supply(self, K, s: Seen):
        """Power brought from outside [W]."""
        return 0

    def tangent(self, K, s: Seen):
        """Slope of the tension by x, of a law that is `affine` [N/m or N m/rad]."""
        raise NotImplementedError

    def softest(self, K) -> tuple:
        """Least slopes of a law that is `affine`, as the deflection grows and as it shrinks."""
        raise NotImplementedError

    def lists(self) -> tuple[Listed, ...]:
        """Lists of plain numbers, as long as one likes; jumps see their rows in `Seen.rows`."""
        return ()

    def dynamic(self, K, s: Seen):
        """Part of the dissipation that is due to the rate [W]."""
        return 0

    def torn(self, K, s: Seen):
        """Energy that events have taken away so far [J], from memory."""
        return 0

    def extra(self, K, s: Seen) -> tuple:
        """Values of `extras`."""
        return ()

    def zdot(self, K, s: Seen) -> tuple:
        """Rates of the states."""
        return ()

    def start(self, K, s: Seen) -> tuple[tuple, tuple]:
        """States and memory at the start; `K` can branch on plain numbers."""
        return (0.0,) * len(self.states), (0.0,) * len(self.memory)

    def guards(self, K, s: Seen) -> tuple[Guard, ...]:
        """Guards of every mode; one that is not armed now answers 1."""
        return ()

    def jump(self, K, k: int, s: Seen) -> tuple[tuple, tuple]:
        """States and memory after the event of guard `k`."""
        return s.z, s.m

    def impulse(self, K, k: int, s: Seen):
        """Rate after the event of guard `k`; None leaves the speeds alone."""
        return None

    def knots(self, K) -> tuple:
        """Deflections x at which the law changes its piece, at least when it is new."""
        return ()

    def steps(self) -> tuple[tuple[Any, float], ...]:
        """Vertical steps: deflection x, and half of the rise of the tension there [N or N m].

        `force` leaves them out: each is a row of the line (`StepRow`); `potential` counts them.
        """
        return ()

    def flattened(self, lifts) -> Law:
        """Itself without its steps, with a constant tension in place of each."""
        return self

    def times(self, K) -> tuple:
        """Times at which the law changes its piece [s]."""
        return ()

    def edges(self) -> tuple[tuple[int, int, str], ...]:
        """Tables that end: slot of the piece's number in the memory, the number of the piece after
        the end (0 is the one before the start), and what it is over, "x" or "t"."""
        return ()

    def shares(self, K, s: Seen) -> dict[str, Any]:
        """Numbers of its own in proportion to which a part of the tension is: {number: factor}."""
        return {}

    def mode(self, K, s: Seen):
        """Index in `modes` of the present mode."""
        return 0

    def numbers(self):
        """Numbers of the description as exact values, without those of plain tables."""
        for f in fields(self):
            yield from numbers_in(getattr(self, f.name))

    def texts(self) -> Iterator[Any]:
        """Numbers of the description that are expressions, those of its parts included."""
        for f in fields(self):
            words, given = (*self.inputs, *self.words.get(f.name, ())), getattr(self, f.name)
            for x in leaves(given) if plain(given) is None else ():
                if isinstance(x, Law):
                    yield from x.texts()
                elif isinstance(x, str | values.Value) and f.name in self.units and x not in words:
                    yield values.exact(x)

    def at(self, numbers: Mapping[str, float]) -> Law:
        """The law with numbers for the names in it, as far as they are known.

        >>> from torseur.forces import Spring
        >>> Spring("2*k", "rest").at({"k": 50.0})
        Spring(stiffness=100.0, free_length='rest', preload=0)
        """
        made = self
        for f in fields(self):
            words = (*self.inputs, *self.words.get(f.name, ()))
            old = getattr(self, f.name)
            new = _filled(old, numbers, words if f.name in self.units else None)
            if new is not old:
                made = copy.copy(self) if made is self else made
                object.__setattr__(made, f.name, new)
        return made

    def faults(self) -> tuple[str, ...]:
        """What is no number, or out of its range; `problems` may count on the others.

        >>> from torseur.forces import Coulomb
        >>> Coulomb(float("nan"), slip=0).faults()
        ('needs force [N]: expected a finite number, got nan', 'needs slip above zero, got 0')
        """
        out = []
        optional = {f.name for f in fields(self) if f.default is None}
        several = {f.name for f in fields(self) if type_of(f) == "tuple"}
        for name, unit in self.units.items():
            given, called = getattr(self, name), name.rstrip("_")
            words = (*self.inputs, *self.words.get(name, ()))
            if (given is None and name in optional) or given in words:
                continue
            listed = name in several or (name in self.tables and isinstance(given, tuple))
            rows = plain(given) if listed else None
            if listed and rows is None and not even(given):
                out.append(
                    f"needs {called} [{unit}]: numbers, or rows of numbers, got {shown(given)}"
                )
                continue
            try:
                found = [] if rows is not None else leaves(given) if listed else [given]
                known = [x for x in map(values.exact, found) if not isinstance(x, values.Value)]
            except (TypeError, ValueError) as e:
                out.append(f"needs {called} [{unit}]: {said(e)}")
                continue
            known = known if rows is None else rows.ravel().tolist()
            if name in self.positive and any(x <= 0 for x in known):
                out.append(f"needs {called} above zero, got {given}")
            if name in self.not_negative and any(x < 0 for x in known):
                out.append(f"needs {called} of zero or more, got {given}")
        return tuple(out)

    def doubts(self, over: Callable[[Any], Any]) -> Any:
        """Which of many values of the names in it may be refused; `over` gives a number for each.

        All of them (True), unless a law knows better; none where it has no rule.
        """
        return bool(type(self).problems is not Law.problems or self.positive or self.not_negative)

    def faults_at(self, numbers: Mapping[str, float]) -> tuple[str, ...]:
        """What is wrong where the names in it have these values."""
        if (at := self.at(numbers)) is self:
            return ()
        found = at.faults() or at.problems()
        if not found:  # but perhaps with its parts
            return tuple(x for part in getattr(self, "laws", ()) for x in part.faults_at(numbers))
        names = dict.fromkeys(n for x in self.texts() for n in values.symbols(x) if n in numbers)
        told = ", ".join(f"{n} = {numbers[n]:g}" for n in names)
        return tuple(f"{text} (with {told})" for text in found)

    def problems(self) -> tuple[str, ...]:
        """What is wrong with the numbers, as sentences without a subject."""
        return ()

    def get(self, K, name: str):
        """A parameter as a scalar."""
        x = getattr(self, name)
        return float(x) if isinstance(K, Floats) and type(x) in PLAIN else K.number(values.exact(x))


PLAIN = (float, int)


class Source(Law):
    """A law whose work comes from outside: users see its push along x, not a tension."""

    __slots__ = ()
    shows = -1
    picture = "drive"
    motor = True

    @derived
    def deflects(self) -> tuple[str, ...]:
        return ()

    def supply(self, K, s):
        return -(self.force(K, s) * s.rate)


def numbers_in(x):
    """Numbers inside a part of a description as exact values, without those of plain tables."""
    if plain(x) is None and isinstance(x, Law | tuple | list):
        for e in x.numbers() if isinstance(x, Law) else x:
            yield from numbers_in(e)
    elif isinstance(x, values.Value | Fraction) or (
        isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)
    ):
        yield values.exact(x)


def _filled(x, numbers, words):
    """A part of a description with numbers for names; without `words`, texts stay as they are."""
    if isinstance(x, Law):
        return x.at(numbers)
    if plain(x) is None and isinstance(x, tuple):
        new = tuple(_filled(e, numbers, words) for e in x)
        return x if all(a is b for a, b in zip(x, new, strict=True)) else new
    return x if words is None or x in words else values.filled(x, numbers)

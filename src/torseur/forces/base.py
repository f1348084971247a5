"""Contract of a force law.  FO.1 to FO.3.

A law sees a deflection `x` and its rate, the time, its continuous states `z`, its history variables
`m` and its inputs `u`. It returns the tension `T` conjugate to `x`, so that a coordinate q gets the
generalized force `-T dx/dq`. Its energy balance must close:
`T rate = d(potential)/dt + dissipation - supply`. A law does not know where it acts.
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
from ._nested_tuples import flatten_nested, float_table, is_rectangular

law = Register("law", f"{__package__}.laws")
line = Register("line of action", f"{__package__}.lines")


class Seen(NamedTuple):
    """State that a law sees."""

    x: Any  # deflection [m or rad]
    rate: Any  # its rate
    t: Any = 0  # time [s]
    z: tuple = ()  # own continuous states
    m: tuple = ()  # own history variables
    u: tuple = ()  # own inputs
    rows: tuple = ()  # of each of its lists, the rows before, at and after the present number
    places: tuple = ()  # of each named signal: "q", "v", ..., or "x" where it is the deflection


class TableRows(NamedTuple):
    """Rows of plain numbers as data.  A reset reads the row whose number is in the history.

    `place` is the slot of the number of the present row in the law's history variables.
    """

    place: int
    rows: tuple[tuple[float, ...], ...]


class Guard(NamedTuple):
    """Event function: positive in the present mode, with an event where it falls to zero.

    `of` is the quantity it compares: "x", "rate", "force" or "t". `waits` tells what happens where
    it is zero at a start or after another event. 1: it waits on the switching surface until the
    motion leaves it, then the law changes its segment silently. 2: leaving is an event. 0: nothing.
    `told`: whether its events are reported. `part`: the part of a composite law it belongs to.
    """

    name: str
    value: Any
    of: str = "x"
    waits: int = 1
    told: bool = True
    part: tuple = ()


class InputPush(NamedTuple):
    """A force `value + gain * input` along x [N or N m]."""

    input: str
    gain: Any
    value: Any


class Law(abc.ABC):
    """One law, over any scalar `K`.  A final subclass is a frozen dataclass.

    `units` gives the unit of each number of its description. `states` and `memory` name its
    continuous states and history variables, with units. `modes` names the values of `mode`.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    units: ClassVar[dict[str, str]] = {}
    positive: ClassVar[tuple[str, ...]] = ()  # parameters that must be positive
    not_negative: ClassVar[tuple[str, ...]] = ()  # parameters that must not be negative
    scales: ClassVar[tuple[str, ...] | None] = None  # factors of its force; None: all in N
    states: ClassVar[tuple[tuple[str, str], ...]] = ()
    memory: ClassVar[tuple[tuple[str, str], ...]] = ()
    modes: ClassVar[tuple[str, ...]] = ("acting",)
    history: ClassVar[bool] = False  # whether it depends on its history
    friction: ClassVar[tuple[str, ...]] = ()  # "dry", "viscous" or both, if it is only that
    motor: bool = False  # whether inputs, time or a controller set it
    timed: ClassVar[bool] = False  # whether it is a formula of time without breakpoints
    shows: ClassVar[int] = 1  # sign of the force shown: 1 tension, -1 push
    inputs: tuple[str, ...] = ()  # inputs of the model that it reads
    signals: tuple[str, ...] = ()  # names of coordinates and speeds, after the inputs
    beside: ClassVar[int] = 0  # count of numbers that its line appends to `u`
    words: ClassVar[dict[str, tuple[str, ...]]] = {}  # words that a field accepts besides numbers
    tables: ClassVar[dict[str, str]] = {}  # units of columns of fields that accept points
    extras: ClassVar[tuple[tuple[str, str], ...]] = ()  # further signals, with units
    picture: ClassVar[str] = "coil"  # symbol in views; see `pictures`

    @abc.abstractmethod
    def force(self, K, s: Seen) -> Any:
        """Tension conjugate to the deflection [N or N m]."""

    @derived
    def pictures(self) -> tuple[str, ...]:
        """Symbols in views: "coil", "damper", "brake", "crush", "stop", "drive"."""
        return (self.picture,)

    def deflection(self, K, s: Seen):
        """Value of the signal `deflection`, by default x."""
        return s.x

    @derived
    def deflects(self) -> tuple[str, ...]:
        """Which of `x` and `rate` of its line it uses."""
        return ("x", "rate")

    @derived
    def starts_by_sign(self) -> bool:
        """Whether `start` uses only the sign of the rate."""
        return False

    @derived
    def push(self) -> InputPush | None:
        """The input that it applies along x, if it does nothing else."""
        return None

    @derived
    def range(self) -> tuple | None:
        """Free range of deflections of a law of stops."""
        return None

    @derived
    def rated(self) -> bool:
        """Whether part of its dissipation depends on the rate (`dynamic`)."""
        return False

    @derived
    def affine(self) -> bool:
        """Whether the tension is affine in x alone within each mode."""
        return False

    @derived
    def loses(self) -> bool:
        """Whether it has a `dissipation`."""
        return type(self).dissipation is not Law.dissipation

    @derived
    def conserves(self) -> bool:
        """Whether its `dissipation` is stored energy without a formula."""
        return False

    @derived
    def positional(self) -> bool:
        """Whether it is a function of its named signals alone."""
        return False

    def at_rest(self, K, s: Seen):
        """Tension at zero speeds."""
        return self.force(K, s._replace(rate=0))

    def potential(self, K, s: Seen):
        """Stored energy [J]."""
        return 0

    def dissipation(self, K, s: Seen):
        """Dissipated power [W]."""
        return 0

    def supply(self, K, s: Seen):
        """Power supplied from outside [W]."""
        return 0

    def tangent(self, K, s: Seen):
        """Derivative of the tension by x, of an `affine` law [N/m or N m/rad]."""
        raise NotImplementedError

    def softest(self, K) -> tuple:
        """Smallest tangents of an `affine` law, for growing and for shrinking deflection."""
        raise NotImplementedError

    def lists(self) -> tuple[TableRows, ...]:
        """Tables of plain numbers as data.  Resets see their rows in `rows` of the state."""
        return ()

    def dynamic(self, K, s: Seen):
        """Rate-dependent part of the dissipation [W]."""
        return 0

    def torn(self, K, s: Seen):
        """Energy lost in events so far [J], from the history variables."""
        return 0

    def extra(self, K, s: Seen) -> tuple:
        """Values of `extras`."""
        return ()

    def zdot(self, K, s: Seen) -> tuple:
        """Rates of the states."""
        return ()

    def start(self, K, s: Seen) -> tuple[tuple, tuple]:
        """States and history variables at the start.  Plain numbers permit branches."""
        return (0.0,) * len(self.states), (0.0,) * len(self.memory)

    def guards(self, K, s: Seen) -> tuple[Guard, ...]:
        """Event functions of all modes.  An inactive one returns 1."""
        return ()

    def jump(self, K, k: int, s: Seen) -> tuple[tuple, tuple]:
        """Reset: states and history variables after the event of guard `k`."""
        return s.z, s.m

    def impulse(self, K, k: int, s: Seen):
        """Rate after the event of guard `k`.  None leaves the speeds unchanged."""
        return None

    def knots(self, K) -> tuple:
        """Deflections x on the switching surfaces of an unused law."""
        return ()

    def steps(self) -> tuple[tuple[Any, float], ...]:
        """Vertical steps: deflection x, and half of the rise of the tension there [N or N m].

        `force` omits them, because each becomes a constraint row (`StepRow`). `potential` includes
        them.
        """
        return ()

    def flattened(self, lifts) -> Law:
        """The law with a constant tension in place of each step."""
        return self

    def times(self, K) -> tuple:
        """Times at which the law changes its segment [s]."""
        return ()

    def edges(self) -> tuple[tuple[int, int, str], ...]:
        """Ends of tables: slot of the segment number in the history, number of the outer segment
        behind the end (0 is the one before the start), and the variable, "x" or "t"."""
        return ()

    def shares(self, K, s: Seen) -> dict[str, Any]:
        """Own numbers to which a part of the tension is proportional: {number: factor}."""
        return {}

    def mode(self, K, s: Seen):
        """Index in `modes` of the present mode."""
        return 0

    def numbers(self):
        """Exact numbers of the description, without those of plain tables."""
        for f in fields(self):
            yield from exact_numbers(getattr(self, f.name))

    def texts(self) -> Iterator[Any]:
        """Numbers of the description that are expressions, nested laws included."""
        for f in fields(self):
            keywords, value = (*self.inputs, *self.words.get(f.name, ())), getattr(self, f.name)
            for x in flatten_nested(value) if float_table(value) is None else ():
                if isinstance(x, Law):
                    yield from x.texts()
                elif (
                    isinstance(x, str | values.Value) and f.name in self.units and x not in keywords
                ):
                    yield values.exact(x)

    def at(self, numbers: Mapping[str, float]) -> Law:
        """The law with known values in place of names.

        >>> from torseur.forces import Spring
        >>> Spring("2*k", "rest").at({"k": 50.0})
        Spring(stiffness=100.0, free_length='rest', preload=0)
        """
        law = self
        for f in fields(self):
            keywords = (*self.inputs, *self.words.get(f.name, ()))
            old = getattr(self, f.name)
            new = _with_values(old, numbers, keywords if f.name in self.units else None)
            if new is not old:
                law = copy.copy(self) if law is self else law
                object.__setattr__(law, f.name, new)
        return law

    def faults(self) -> tuple[str, ...]:
        """Values that are not numbers or out of range.  `problems` relies on the others.

        >>> from torseur.forces import Coulomb
        >>> Coulomb(float("nan"), slip=0).faults()
        ('needs force [N]: expected a finite number, got nan', 'needs slip above zero, got 0')
        """
        out = []
        optional = {f.name for f in fields(self) if f.default is None}
        several = {f.name for f in fields(self) if type_of(f) == "tuple"}
        for name, unit in self.units.items():
            value, called = getattr(self, name), name.rstrip("_")
            keywords = (*self.inputs, *self.words.get(name, ()))
            if (value is None and name in optional) or value in keywords:
                continue
            listed = name in several or (name in self.tables and isinstance(value, tuple))
            rows = float_table(value) if listed else None
            if listed and rows is None and not is_rectangular(value):
                out.append(
                    f"needs {called} [{unit}]: numbers, or rows of numbers, got {shown(value)}"
                )
                continue
            try:
                entries = [] if rows is not None else flatten_nested(value) if listed else [value]
                numbers = [x for x in map(values.exact, entries) if not isinstance(x, values.Value)]
            except (TypeError, ValueError) as e:
                out.append(f"needs {called} [{unit}]: {said(e)}")
                continue
            numbers = numbers if rows is None else rows.ravel().tolist()
            if name in self.positive and any(x <= 0 for x in numbers):
                out.append(f"needs {called} above zero, got {value}")
            if name in self.not_negative and any(x < 0 for x in numbers):
                out.append(f"needs {called} of zero or more, got {value}")
        return tuple(out)

    def doubts(self, over: Callable[[Any], Any]) -> Any:
        """Which of many values of its names may be invalid.  `over` evaluates a number for all.

        True (any) unless a law has a sharper rule, False where it has no rule.
        """
        return bool(type(self).problems is not Law.problems or self.positive or self.not_negative)

    def faults_at(self, numbers: Mapping[str, float]) -> tuple[str, ...]:
        """Problems where the names in it have these values."""
        if (at := self.at(numbers)) is self:
            return ()
        problems = at.faults() or at.problems()
        if not problems:  # but perhaps with its parts
            return tuple(x for part in getattr(self, "laws", ()) for x in part.faults_at(numbers))
        names = dict.fromkeys(n for x in self.texts() for n in values.symbols(x) if n in numbers)
        values_text = ", ".join(f"{n} = {numbers[n]:g}" for n in names)
        return tuple(f"{text} (with {values_text})" for text in problems)

    def problems(self) -> tuple[str, ...]:
        """Problems of the numbers, as messages without a subject."""
        return ()

    def get(self, K, name: str):
        """A parameter as a scalar."""
        x = getattr(self, name)
        return (
            float(x)
            if isinstance(K, Floats) and type(x) in PLAIN_TYPES
            else K.number(values.exact(x))
        )


PLAIN_TYPES = (float, int)


class Source(Law):
    """A law whose work comes from outside.  Users see its push along x, not a tension."""

    __slots__ = ()
    shows = -1
    picture = "drive"
    motor = True

    @derived
    def deflects(self) -> tuple[str, ...]:
        return ()

    def supply(self, K, s):
        return -(self.force(K, s) * s.rate)


def exact_numbers(x):
    """Exact numbers inside a part of a description, without those of plain tables."""
    if float_table(x) is None and isinstance(x, Law | tuple | list):
        for e in x.numbers() if isinstance(x, Law) else x:
            yield from exact_numbers(e)
    elif isinstance(x, values.Value | Fraction) or (
        isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x)
    ):
        yield values.exact(x)


def _with_values(x, numbers, keywords):
    """A part of a description with values for names.  Without keywords, texts stay."""
    if isinstance(x, Law):
        return x.at(numbers)
    if float_table(x) is None and isinstance(x, tuple):
        new = tuple(_with_values(e, numbers, keywords) for e in x)
        return x if all(a is b for a, b in zip(x, new, strict=True)) else new
    return x if keywords is None or x in keywords else values.filled(x, numbers)

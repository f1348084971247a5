"""Contract of a line of action: data, resolution of names, action, symbols.  FO.12 to FO.17.

Geometry is in this folder, laws are in `laws`.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...errors import NotInRing, TorseurError
from ...register import derived
from ...scalars import vector
from ...scalars.values import value
from ...spatial import FixedFrame, Pose, Wrench, cross
from ..base import Law, Seen, TableRows


class ForceAction(NamedTuple):
    """Action of one element at one time."""

    seen: Seen
    force: Any  # T, or the magnitude of a wrench's law
    deflection: Any
    efforts: tuple[tuple[int, Any], ...]  # (speed, generalized force)
    wrenches: tuple[tuple[int, Wrench], ...]  # (link, wrench on it, in its frame)
    potential: Any
    dissipation: Any
    supply: Any
    zdot: tuple[Any, ...]
    six: tuple[Any, ...] | None = None  # components, for wrenches and bushings


class LawAction:
    """As `ForceAction`, for an element with a law: energies are computed on request."""

    six = None

    def __init__(
        self, K: Any, law: Law, seen: Seen, T: Any, efforts: Any, wrenches: Any, line_power: Any
    ):
        self.K, self.law, self.seen, self.line_power = K, law, seen, line_power
        self.efforts, self.wrenches = efforts, wrenches
        self.force = T if law.shows > 0 else -T

    @cached_property
    def deflection(self):
        return self.law.deflection(self.K, self.seen)

    @cached_property
    def potential(self):
        return self.law.potential(self.K, self.seen)

    @cached_property
    def dissipation(self):
        return self.law.dissipation(self.K, self.seen) + self.line_power

    @cached_property
    def supply(self):
        return self.law.supply(self.K, self.seen)

    @cached_property
    def zdot(self) -> tuple[Any, ...]:
        return tuple(self.law.zdot(self.K, self.seen))


class Resolved(NamedTuple):
    """Resolved ends of a line: frames, or coordinates (slot, speed slot, weight) with unit."""

    ends: tuple[FixedFrame, ...] = ()
    weights: tuple[tuple[int | None, int, Any], ...] = ()  # slots of q (none: no deflection), v
    unit: str = "m"


@dataclass(frozen=True, slots=True, eq=False)
class ForceElement:
    """A line of action in a system: names resolved, with its slots of z, m and u."""

    name: str
    line: Line
    where: Resolved
    z: slice
    m: slice
    u: tuple[int, ...] = ()  # slots of the inputs: the law's, then the line's
    seen: tuple[tuple[str, int], ...] = ()  # (array, slot) of the named signals
    lists: tuple[TableRows, ...] = ()  # of its law, with slots of m
    d: range = range(0)  # its part of the gathered rows
    law: Any = None  # acting law of its line, or None

    ends = derived(lambda self: self.where.ends)
    weights = derived(lambda self: self.where.weights)
    states = derived(lambda self: self.law.states if self.law else ())
    memory = derived(lambda self: self.law.memory if self.law else ())

    @derived
    def angular(self) -> bool:
        """Whether the deflection is an angle."""
        return self.where.unit == "rad"

    def act(self, K, motion, state) -> ForceAction | LawAction:
        """Action at one state; `motion` holds pose and twist of every link."""
        return self.line.act(K, motion, self, state)

    def look(self, state, x, rate, inputs: int | None = None) -> Seen:
        """State that the law sees at a deflection and rate, with the first `inputs` of `u`."""
        named = self.named(state)[: len(self.law.signals) if self.law else 0]
        z, m = tuple(state.z[self.z]), tuple(state.m[self.m])
        u = (*(state.u[i] for i in self.u[:inputs]), *named)
        rows = self._rows(state.d) if len(state.d) else ()
        return Seen(x, rate, state.t, z, m, u, rows, self.places[: len(named)])

    @derived
    def places(self) -> tuple[str, ...]:
        """Array of each named signal: "q", "v", ..., or "x" for the deflection itself."""
        one = self.weights[0][0] if len(self.weights) == 1 and self.weights[0][2] == 1 else None
        return tuple("x" if (array, i) == ("q", one) else array for array, i in self.seen)

    def named(self, state) -> tuple[Any, ...]:
        """Values of the named signals of the law, then of the line."""
        for array, i in self.seen:
            if i >= len(getattr(state, array)):  # multipliers that are not solved for here
                raise NotInRing(
                    f"force {self.name!r} sees multipliers or reactions, which this quantity does "
                    "not compute"
                )
        return tuple(getattr(state, place)[i] for place, i in self.seen)

    def _rows(self, gathered) -> tuple[Any, ...]:
        """Three gathered rows of each table of the law."""
        out, at = [], self.d.start
        for x in self.lists:
            n = len(x.rows[0])
            out.append(tuple(tuple(gathered[at + i * n : at + (i + 1) * n]) for i in range(3)))
            at += 3 * n
        return tuple(out)

    def begin(self, K, s: Seen) -> tuple[tuple, tuple]:
        """Initial states and history variables of its law.  Errors name the element."""
        try:
            return self.law.start(K, s)
        except TorseurError as why:
            if type(why) is not TorseurError:
                raise
            raise TorseurError(f"force {self.name!r}: {why}") from None

    def answers(self, K, s: Seen, T, efforts=(), wrenches=(), line_power=0) -> LawAction:
        """Action with the energies of the law; `line_power` is dissipated by the line itself."""
        return LawAction(K, self.law, s, T, efforts, wrenches, line_power)


class Line(abc.ABC):
    """Where a law acts: a frozen dataclass with names that `check` resolves.

    Examples refer to the mechanism of the contract test, as those of `constraints.Constraint`,
    with the inputs push (one number) and load (six).
    """

    __slots__ = ()
    name: str
    law: Any = None  # a `Law`, where it has one
    key: ClassVar[str | None] = None
    """Key in model files that selects this line, as in `joint: elbow`."""
    deflection: ClassVar[str | None] = None
    """Unit of the deflection, where the line alone determines it: "m" between points."""
    inside: ClassVar[dict[str, Any]] = {}
    """Units of numbers inside its fields, for columns such as "rad, m"."""
    inputs = ()  # inputs that the line reads itself
    signals: tuple[str, ...] = ()  # signals that the line reads itself
    linear: bool = True  # whether the action is linear in the tension
    weighted: bool = False  # whether law and coordinate weights are all

    @derived
    def acting(self) -> Law | None:
        """Its law, with states, history variables and guards of the line."""
        return self.law

    @abc.abstractmethod
    def problems(self, model):
        """Problems, as messages."""

    def warnings(self, model):
        """Warnings: permitted, and most likely not intended."""
        return ()

    @abc.abstractmethod
    def resolved(self, system) -> Resolved:
        """Names resolved to frames or coordinates of a system."""

    @abc.abstractmethod
    def act(self, K, motion, element: ForceElement, state) -> ForceAction | LawAction:
        """Action on the mechanism, over any scalar."""

    def constants(self) -> tuple[Any, ...]:
        """Expressions of parameters in its own text."""
        return ()

    @derived
    def loses(self) -> bool:
        """Whether the line itself dissipates, beside its law."""
        return False

    @derived
    def timed(self) -> bool:
        """Whether the line itself is a formula of time."""
        return False

    def returns(self, element: ForceElement) -> bool:
        """Whether its power is a function of positions: stored where it has a potential, supplied
        from outside where it has none."""
        return False

    def drawn(self) -> tuple[dict[str, Any], ...]:
        """Marks for views, each with its `shape` (see `show.element_marks`).

        "segment" between ends `a` and `b`, "arrow" `at` an end, "joint" at a joint, "coordinates"
        at several, "plane", "wheel"; `looks` are the symbols of its law (`Law.pictures`).
        """
        return ()

    @derived
    def looks(self) -> tuple[str, ...]:
        """Symbols of its law."""
        return self.law.pictures if self.law is not None else ("coil",)

    @classmethod
    @abc.abstractmethod
    def examples(cls) -> tuple[Any, ...]:
        """One instance of every variant with its own formula."""


class CoordinateLine(Line):
    """A law on a weighted sum of coordinates."""

    __slots__ = ()
    weighted = True

    def act(self, K, motion, element, state):
        x = rate = 0
        for i, j, weight in element.weights:
            w = K.number(weight)
            x, rate = x + w * (0 if i is None else state.q[i]), rate + w * state.v[j]  # FO.14
        s = element.look(state, x, rate)
        T = self.law.force(K, s)
        efforts = tuple((j, -(K.number(weight) * T)) for _, j, weight in element.weights)
        return element.answers(K, s, T, efforts)


def resolve_frame(system, end) -> FixedFrame:
    """Fixed frame at the origin of a body or frame, or at a point there."""
    name, point = (end, None) if isinstance(end, str) else end
    P = system.places[name]
    if point is None:
        return P
    return P.moved(Pose(p=vector(value.exact(x) for x in point)))


def point_motion(K, motion, frame) -> tuple[np.ndarray, np.ndarray, Pose]:
    """Position and velocity of a frame's origin, world axes, and the pose of its link."""
    link, r = motion[frame.link], K.numbers(frame.X_LB.p)
    if not frame.link:
        return link.X_W.point(r), vector((0, 0, 0)), link.X_W
    return link.X_W.point(r), link.X_W.rotate(link.V.linear + cross(link.V.angular, r)), link.X_W


def angular_velocity(motion, frame) -> np.ndarray:
    """Angular velocity of a frame's link, world axes."""
    link = motion[frame.link]
    return link.X_W.rotate(link.V.angular) if frame.link else vector((0, 0, 0))


def point_wrench(K, X_WL, frame, force) -> tuple[int, Wrench]:
    """World force at a frame's origin as a wrench on the link."""
    f = X_WL.unrotate(force)
    return frame.link, Wrench(cross(K.numbers(frame.X_LB.p), f), f)

"""The contract of a line of action: its data, how it is resolved, how it acts, how it is drawn.

Theory: FO.12 to FO.17.  Geometry is here and in the files beside, laws are in `laws`.
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
from ...spatial import Place, Pose, Wrench, cross
from ..base import Law, Listed, Seen


class Acting(NamedTuple):
    """One element at one instant."""

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


class ByLaw:
    """The same as `Acting` for an element with a law: its books are asked for one by one."""

    six = None

    def __init__(
        self, K: Any, law: Law, seen: Seen, T: Any, efforts: Any, wrenches: Any, lost: Any
    ):
        self.K, self.law, self.seen, self.lost = K, law, seen, lost
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
        return self.law.dissipation(self.K, self.seen) + self.lost

    @cached_property
    def supply(self):
        return self.law.supply(self.K, self.seen)

    @cached_property
    def zdot(self) -> tuple[Any, ...]:
        return tuple(self.law.zdot(self.K, self.seen))


class Resolved(NamedTuple):
    """Where a line acts: the places it joins, or the coordinates (their slot, that of the speed,
    weight) with the unit of their sum."""

    ends: tuple[Place, ...] = ()
    weights: tuple[tuple[int | None, int, Any], ...] = ()  # slots of q (none: no deflection), v
    unit: str = "m"


@dataclass(frozen=True, slots=True, eq=False)
class ForceElement:
    """A line of action in a system: its names resolved, with its own slots of z, m and u."""

    name: str
    line: Line
    where: Resolved
    z: slice
    m: slice
    u: tuple[int, ...] = ()  # slots of the inputs: the law's, then the line's
    seen: tuple[tuple[str, int], ...] = ()  # (place, slot) of the named signals the law sees
    lists: tuple[Listed, ...] = ()  # of its law; places are those of m
    d: range = range(0)  # the part of what a jump gathers that is its own
    law: Any = None  # that of its line, with what the line adds; None for a line without

    ends = derived(lambda self: self.where.ends)
    weights = derived(lambda self: self.where.weights)
    states = derived(lambda self: self.law.states if self.law else ())
    memory = derived(lambda self: self.law.memory if self.law else ())

    @derived
    def angular(self) -> bool:
        """Whether its deflection is an angle."""
        return self.where.unit == "rad"

    def act(self, K, moving, now) -> Acting | ByLaw:
        """What it does at one moment; `moving` holds pose and twist of every link."""
        return self.line.act(K, moving, self, now)

    def look(self, now, x, rate, inputs: int | None = None) -> Seen:
        """What its law sees at a deflection and its rate; of `u` its first `inputs`."""
        named = self.named(now)[: len(self.law.signals) if self.law else 0]
        z, m = tuple(now.z[self.z]), tuple(now.m[self.m])
        u = (*(now.u[i] for i in self.u[:inputs]), *named)
        rows = self._rows(now.d) if len(now.d) else ()
        return Seen(x, rate, now.t, z, m, u, rows, self.places[: len(named)])

    @derived
    def places(self) -> tuple[str, ...]:
        """Where each named signal is: "q", "v", ..., or "x" where it is the deflection itself."""
        one = self.weights[0][0] if len(self.weights) == 1 and self.weights[0][2] == 1 else None
        return tuple("x" if (place, i) == ("q", one) else place for place, i in self.seen)

    def named(self, now) -> tuple[Any, ...]:
        """The named signals that its law, and then its line, see."""
        for place, i in self.seen:
            if i >= len(getattr(now, place)):  # multipliers, where nobody solved for them
                raise NotInRing(
                    f"force {self.name!r} sees multipliers or reactions, which this question does "
                    "not solve for"
                )
        return tuple(getattr(now, place)[i] for place, i in self.seen)

    def _rows(self, gathered) -> tuple[Any, ...]:
        """Three rows of each list of its law."""
        out, at = [], self.d.start
        for x in self.lists:
            n = len(x.rows[0])
            out.append(tuple(tuple(gathered[at + i * n : at + (i + 1) * n]) for i in range(3)))
            at += 3 * n
        return tuple(out)

    def begin(self, K, s: Seen) -> tuple[tuple, tuple]:
        """States and memory of its law at a start; what cannot start says whose law it is."""
        try:
            return self.law.start(K, s)
        except TorseurError as why:
            if type(why) is not TorseurError:
                raise
            raise TorseurError(f"force {self.name!r}: {why}") from None

    def answers(self, K, s: Seen, T, efforts=(), wrenches=(), lost=0) -> ByLaw:
        """The books of its law beside what it does; `lost` is power that the line itself takes."""
        return ByLaw(K, self.law, s, T, efforts, wrenches, lost)


class Line(abc.ABC):
    """Where a law acts: a frozen dataclass, with names that `check` resolves.

    Examples stand in the mechanism of the contract test, as those of `constraints.Constraint`,
    with inputs push (one number) and load (six).
    """

    __slots__ = ()
    name: str
    law: Any = None  # a `Law`, where it has one
    key: ClassVar[str | None] = None
    """Key by which a law says, in a file, that it acts on such a line: `joint: elbow`."""
    deflection: ClassVar[str | None] = None
    """Unit of what its law sees, where the line alone says it: "m" between points."""
    inside: ClassVar[dict[str, Any]] = {}
    """Units of numbers that stand inside its ends and other fields; of columns: "rad, m"."""
    inputs = ()  # names of the model's inputs that the line reads, beside its law's
    signals: tuple[str, ...] = ()  # names of signals that the line reads, beside its law's
    linear: bool = True  # whether what it does is linear in the tension of its law
    weighted: bool = False  # whether its law and weights of coordinates say all that it does

    @derived
    def acting(self) -> Law | None:
        """Its law, with states, memory and guards that the line adds."""
        return self.law

    @abc.abstractmethod
    def problems(self, model):
        """What is wrong with it, as sentences."""

    def warnings(self, model):
        """What is allowed and most likely not meant, as sentences."""
        return ()

    @abc.abstractmethod
    def resolved(self, system) -> Resolved:
        """Its names as places or coordinates of a system."""

    @abc.abstractmethod
    def act(self, K, moving, element: ForceElement, now) -> Acting | ByLaw:
        """What it does to the mechanism, over any scalar."""

    def constants(self) -> tuple[Any, ...]:
        """Expressions of parameters alone in a text of its own."""
        return ()

    @derived
    def loses(self) -> bool:
        """Whether the line itself, beside its law, takes energy out of the motion."""
        return False

    @derived
    def timed(self) -> bool:
        """Whether the line itself, beside its law, is a formula of time."""
        return False

    def returns(self, element: ForceElement) -> bool:
        """Whether what it takes out of the motion, a function of positions, is stored where it has
        a potential, and supplied from outside where it has none."""
        return False

    def drawn(self) -> tuple[dict[str, Any], ...]:
        """How a view shows it: marks, each with its `shape` (see `show.drawings`).

        "segment" between ends `a` and `b`, "arrow" `at` an end, "joint" at a joint, "coordinates"
        at several, "plane", "wheel"; `looks` are those of its law (`Law.pictures`).
        """
        return ()

    @derived
    def looks(self) -> tuple[str, ...]:
        """Words for how its law looks."""
        return self.law.pictures if self.law is not None else ("coil",)

    @classmethod
    @abc.abstractmethod
    def examples(cls) -> tuple[Any, ...]:
        """One of every variant with a formula of its own."""


class CoordinateLine(Line):
    """A law on a weighted sum of coordinates."""

    __slots__ = ()
    weighted = True

    def act(self, K, moving, element, now):
        x = rate = 0
        for i, j, weight in element.weights:
            w = K.number(weight)
            x, rate = x + w * (0 if i is None else now.q[i]), rate + w * now.v[j]  # FO.14
        s = element.look(now, x, rate)
        T = self.law.force(K, s)
        efforts = tuple((j, -(K.number(weight) * T)) for _, j, weight in element.weights)
        return element.answers(K, s, T, efforts)


def place_of(system, end) -> Place:
    """The place of a body's or frame's origin, or of a point there."""
    name, point = (end, None) if isinstance(end, str) else end
    P = system.places[name]
    if point is None:
        return P
    return P.moved(Pose(p=vector(value.exact(x) for x in point)))


def point(K, moving, place) -> tuple[np.ndarray, np.ndarray, Pose]:
    """Position and velocity of a place's origin, world axes, and the pose of its link."""
    link, r = moving[place.link], K.numbers(place.X_LB.p)
    if not place.link:
        return link.X_W.point(r), vector((0, 0, 0)), link.X_W
    return link.X_W.point(r), link.X_W.rotate(link.V.linear + cross(link.V.angular, r)), link.X_W


def turning(moving, place) -> np.ndarray:
    """Angular velocity of a place's link, world axes."""
    link = moving[place.link]
    return link.X_W.rotate(link.V.angular) if place.link else vector((0, 0, 0))


def push(K, X_WL, place, force) -> tuple[int, Wrench]:
    """World force at a place's origin as a wrench on the link."""
    f = X_WL.unrotate(force)
    return place.link, Wrench(cross(K.numbers(place.X_LB.p), f), f)

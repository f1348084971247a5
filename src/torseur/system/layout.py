"""Layout: array, slot, name and unit of every number of a motion.

Arrays: t, q, v, z (states of elements, then accumulated energies), m (history variables), u
(inputs), p (parameters), lam (multipliers, one for each constraint row), and the event functions.
Kernels, runs and signals read the layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ..errors import TorseurError, unknown_name_message
from ..joints import TIME
from ..scalars import Floats
from .link import Block, coordinate_blocks

if TYPE_CHECKING:  # rooms of elements are opened only for systems that have some
    from ..forces import ForceElement, Seen, TableRows
    from .system import System

LINEAR_UNITS = {"x": "m", "rate": "m/s", "force": "N", "t": "s"}
ANGULAR_UNITS = {"x": "rad", "rate": "rad/s", "force": "N m", "t": "s"}
"""Units of event functions by the quantity they watch."""
MIN_GROUPED_CONSTRAINTS = 30  # from this number on, one of each equivalence class is examined


@dataclass(frozen=True, slots=True)
class Entry:
    """One named number: entry `slot` of an array."""

    name: str
    unit: str
    place: str  # t, q, v, z, m, u, p or lam
    slot: int


class Ports(Sequence[Entry]):
    """The named numbers of one array, in order.

    >>> Ports("v", [("elbow.rate", "rad/s"), ("slide.rate", "m/s")]).slot("slide.rate")
    1

    By number or by name: `system.layout.q["elbow.angle"].slot`.
    """

    __slots__ = ("_ports", "place")

    def __init__(self, place: str, named: Iterable[tuple[str, str]]):
        self.place = place
        self._ports = tuple(Entry(n, unit, place, i) for i, (n, unit) in enumerate(named))

    def __len__(self) -> int:
        return len(self._ports)

    @overload
    def __getitem__(self, i: int | str) -> Entry: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, i: Any) -> Any:
        return self._ports[self.slot(i) if isinstance(i, str) else i]

    def _ipython_key_completions_(self) -> list[str]:
        """What `system.layout.q["el<Tab>` offers."""
        return list(self.names)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._ports)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self._ports)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(p.unit for p in self._ports)

    def slot(self, name: str) -> int:
        """Slot of the number of this name."""
        for p in self._ports:
            if p.name == name:
                return p.slot
        raise TorseurError(
            unknown_name_message(f"number of {self.place}", name, self.names, "layout")
        )

    def __repr__(self) -> str:
        return f"{self.place}: " + ", ".join(f"{p.name} [{p.unit}]" for p in self._ports)


class EventFunction(NamedTuple):
    """An event function: owner, meaning of its zero, unit, and whether the event is reported."""

    owner: str
    what: str
    unit: str
    told: bool = True  # otherwise it concerns a memory only
    waits: int = 0  # where it stands on zero: see `forces.Guard`
    part: tuple = ()  # of the law of its owner
    acts: bool = True  # otherwise it only tells
    ends: bool = False  # whether nothing is valid behind it: the run stops there

    @property
    def name(self) -> str:
        return f"{self.owner}: {self.what}"

    @property
    def leaves(self) -> bool:  # its zero the wrong way by an event, which acts
        return self.waits == 2


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """Layout of the numbers of one system.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> system = ts.Model(
    ...     bodies=(rod,),
    ...     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y"), damping=0.1),),
    ...     forces=(ts.JointForce("watch", "pivot", ts.Threshold(0.5)),),
    ... ).check()
    >>> system.layout
    t: t [s]
    q: pivot.angle [rad]
    v: pivot.rate [rad/s]
    z: energy.dissipated [J], energy.supplied [J], pivot.damping.energy.dissipated [J]
    guards: watch: rises [rad], watch: falls [rad]
    >>> system.layout.v.slot("pivot.rate"), system.layout.books
    (0, slice(0, 3, None))
    """

    system: System

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks of coordinates, in the order of q and v."""
        return coordinate_blocks(self.system.links)

    @cached_property
    def t(self) -> Ports:
        return Ports("t", [("t", "s")])

    @cached_property
    def q(self) -> Ports:
        """Coordinates, such as "elbow.angle"."""
        return Ports("q", self._joint_numbers("coordinates"))

    @cached_property
    def v(self) -> Ports:
        """Speeds, such as "elbow.rate"."""
        return Ports("v", self._joint_numbers("speeds"))

    def _joint_numbers(self, what):
        links = self.system.links
        named = ((links[b.links[0] - 1].joint, b.name) for b in self.blocks)
        return ((f"{name}.{n}", unit) for joint, name in named for n, unit in getattr(joint, what))

    @cached_property
    def z(self) -> Ports:
        """States of force elements, then accumulated energies (see `books`)."""
        s = self.system
        named = [(f"{e.name}.{n}", unit) for e in s.elements for n, unit in e.states]
        if self.has_energies:
            named += [("energy.dissipated", "J"), ("energy.supplied", "J")]
        named += [(f"{s.elements[i].name}.energy.dissipated", "J") for i in self.losing]
        named += [(f"{s.elements[i].name}.energy.dynamic", "J") for i in self.rated]
        named += [(f"{s.elements[i].name}.energy.friction", "J") for i in self.rubbing]
        return Ports("z", named)

    @cached_property
    def states(self) -> slice:
        """The part of z that acts on the motion: states of force elements."""
        return slice(0, sum(len(e.states) for e in self.system.elements))

    @property
    def books(self) -> slice:
        """Accumulated energies in z: dissipated and supplied in total, then by element.

        They do not act on the motion and are outside the error norm of adaptive steps.
        """
        return slice(self.states.stop, len(self.z))

    @cached_property
    def has_energies(self) -> bool:
        """Whether any element can dissipate or supply energy."""
        s = self.system
        moved = s.rheonomic or any(e.drives for e in s.held)
        return bool(s.elements or s.switched or moved)

    @cached_property
    def losing(self) -> tuple[int, ...]:
        """Indices of dissipating force elements, each with its own accumulated energy."""
        losing = (e.line.loses or (e.law is not None and e.law.loses) for e in self.system.elements)
        return tuple(i for i, yes in enumerate(losing) if yes)

    @cached_property
    def rated(self) -> tuple[int, ...]:
        """Indices of force elements whose rate-dependent dissipation is accumulated apart."""
        return tuple(
            i for i, e in enumerate(self.system.elements) if e.law is not None and e.law.rated
        )

    @cached_property
    def rubbing(self) -> tuple[int, ...]:
        """Indices of force elements whose line dissipates beside a law with history (friction)."""
        with_law = ((i, e) for i, e in enumerate(self.system.elements) if e.law is not None)
        return tuple(i for i, e in with_law if e.law.history and e.line.loses)

    @cached_property
    def by_joint(self) -> dict[str, int]:
        """Index of the link outboard of each joint."""
        return {k.name: k.index - 1 for k in reversed(self.system.links)}

    @cached_property
    def coordinate_slots(self) -> dict[str, tuple[int, int, str]]:
        """Slot in q, slot in v and unit of coordinates whose speeds are their rates."""
        return {
            f"{k.name}.{n}": (k.q.start + i, k.v.start + i, unit)
            for k in self.system.owners
            if k.joint.holonomic
            for i, (n, unit) in enumerate(k.joint.coordinates)
        }

    @cached_property
    def element_energies(self) -> dict[int, list[tuple[str, int]]]:
        """Accumulated energies of each force element: kind and slot in z."""
        out: dict[int, list[tuple[str, int]]] = {}
        slot = self.states.stop + 2 * self.has_energies
        for what in ("losing", "rated", "rubbing"):
            for i in getattr(self, what):
                out.setdefault(i, []).append((what, slot))
                slot += 1
        return out

    @cached_property
    def m(self) -> Ports:
        """History variables of force elements, then of contacts and dry frictions."""
        s = self.system
        named = [(f"{e.name}.{n}", unit) for e in s.elements for n, unit in e.memory]
        return Ports("m", named + [(f"{e.name}.{n}", "1") for e in s.switched for n in e.memory])

    @cached_property
    def lists(self) -> tuple[TableRows, ...]:
        """Lists of force elements that are data: the number of a row is in m."""
        return tuple(x for e in self.system.elements for x in e.lists)

    @property
    def gathered(self) -> int:
        """Count of numbers that a reset gathers from lists: three rows of each."""
        return sum(3 * len(x.rows[0]) for x in self.lists)

    @cached_property
    def switches(self) -> tuple[slice, ...]:
        """The part of m that belongs to each of `system.switched`."""
        out, at = [], sum(len(e.memory) for e in self.system.elements)
        for e in self.system.switched:
            out.append(slice(at, at + len(e.memory)))
            at = out[-1].stop
        return tuple(out)

    @cached_property
    def sees(self) -> tuple[tuple[str, int], ...]:
        """Multipliers and reactions that laws see, solved together with the motion."""
        every = (x for e in self.system.elements for x in e.seen)
        return tuple(dict.fromkeys(x for x in every if x[0] in ("lam", "reactions")))

    @cached_property
    def inputs(self) -> dict[str, slice]:
        """The part of u that belongs to each input."""
        out, at = {}, 0
        for e in self.system.inputs:
            out[e.name] = slice(at, at + e.size)
            at += e.size
        return out

    @cached_property
    def u(self) -> Ports:
        """Inputs.  The entries of a vector input are "push.0", "push.1", ..."""
        return Ports(
            "u",
            (
                (e.name if e.size == 1 else f"{e.name}.{i}", e.unit)
                for e in self.system.inputs
                for i in range(e.size)
            ),
        )

    @cached_property
    def p(self) -> Ports:
        """Declared parameters.  Their units are not known."""
        return Ports("p", ((n, "") for n in self.system.parameters))

    @cached_property
    def rows(self) -> tuple[list[int], ...]:
        """Rows of each element of `held` and `switched` that have a multiplier."""
        return tuple(_existing_rows(self.system, (*self.system.held, *self.system.switched)))

    @cached_property
    def lam(self) -> Ports:
        """Multipliers, such as "motor.multiplier", of rows that depend on the motion or on time."""
        s, named = self.system, []
        every = (*s.held, *s.switched)
        for e, rows in zip(every, self.rows, strict=True):
            alone = not e.contact and sum(x.size for x in every if x.name == e.name) == 1
            for i in rows:
                name = e.name if alone else f"{e.name}.{e.labels[i]}"
                named.append((f"{name}.multiplier", e.efforts[i]))
        return Ports("lam", named)

    @cached_property
    def guards(self) -> tuple[EventFunction, ...]:
        """Event functions of joints and rows, of elements, then of contacts and dry frictions."""
        s = self.system
        K = Floats({n: 1.0 if x is None else x for n, x in s.parameters.items()})
        own = [
            EventFunction(k.name, what, unit, acts=False)
            for k in s.links
            for what, unit, _ in k.joint.edges(K, [float("nan")] * k.joint.nq)
        ]
        own += [
            EventFunction(e.name, what, "1", acts=False, ends=True)
            for e in (*s.held, *s.switched)
            for what in e.loses
        ]
        own += [
            EventFunction(
                e.name,
                g.name,
                (ANGULAR_UNITS if e.angular else LINEAR_UNITS)[g.of],
                g.told,
                g.waits,
                g.part,
            )
            for e in s.elements
            if e.law is not None
            for g in e.law.guards(K, _blank_state(e))
        ]
        return (*own, *(EventFunction(e.name, *what) for e in s.switched for what in e.watched))

    def __repr__(self) -> str:
        every = (self.t, self.q, self.v, self.z, self.m, self.u, self.p, self.lam)
        lines = [repr(ports) for ports in every if ports]
        watched = ", ".join(f"{g.name} [{g.unit}]" for g in self.guards)
        return "\n".join([*lines, *([f"guards: {watched}"] if watched else ())])


def _blank_state(element: ForceElement) -> Seen:
    """A state of NaN: the names of event functions do not depend on the state."""
    from ..forces import Seen

    nan = float("nan")
    law = element.law
    inputs = (nan,) * (len(element.u) + len(law.signals) + law.beside)
    return Seen(nan, nan, nan, (nan,) * len(law.states), (0.0,) * len(law.memory), inputs)


def _existing_rows(system, elements) -> Iterator[list[int]]:
    """Rows of each element that depend on coordinates, speeds or time, by a graph.

    The other rows, such as the third dimension of a planar loop, are redundant.
    """
    if not elements:
        return
    from ..scalars import Graph

    K = Graph()
    names = dict.fromkeys((*system.parameters, *system.symbols))  # those without a value, too
    K.parameters.update(zip(names, K.symbols(names), strict=True))
    tree = system.over(K)
    t = K.parameters[TIME] if system.rheonomic else K.symbol("t")
    q, v = (K.symbols(f"{x}{i}" for i in range(n)) for x, n in (("q", system.nq), ("v", system.nv)))
    variables = K.lib.vertcat(t.x, K.sx(q), K.sx(v))
    rows_of_class: dict[int, list[int]] = {}  # by the first of those that are alike
    for e, first in zip(elements, _representatives(system, elements), strict=True):
        if first not in rows_of_class:
            residual = e.rate(tree, t, q, v) if e.speeds else e.residual(tree, t, q)
            rows = [i for i, x in enumerate(residual) if K.lib.depends_on(K.sx(x), variables)]
            rows_of_class[first] = rows
        yield rows_of_class[first]


def _representatives(system, elements) -> list[int]:
    """Index of the first equivalent element of each element."""
    firsts = list(range(len(elements)))
    if len(elements) >= MIN_GROUPED_CONSTRAINTS:
        from .equivalence_classes import NotEquivalent, equivalent_constraints

        with suppress(NotEquivalent, TorseurError):  # numbers that are parameters
            for own, _ in equivalent_constraints(system):
                for i in own:
                    firsts[i] = own[0]
    return firsts

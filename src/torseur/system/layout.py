"""Where every number of a motion lives: its place, its slot, its name and its unit.

Places: t, q, v, z (states of elements, then books of energy), m (memory), u (inputs), p
(parameters), lam (one a constraint row) and guards.  Kernels, runs and signals ask here alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ..errors import TorseurError, unknown_name
from ..joints import TIME
from ..scalars import Floats
from .link import Block, blocks_of

if TYPE_CHECKING:  # rooms of elements are opened only for systems that have some
    from ..forces import ForceElement, Listed, Seen
    from .system import System

LINEAR = {"x": "m", "rate": "m/s", "force": "N", "t": "s"}
ANGULAR = {"x": "rad", "rate": "rad/s", "force": "N m", "t": "s"}
"""Unit of a guard, by what it watches."""
MANY = 30  # constraints of which only those that differ are looked at


@dataclass(frozen=True, slots=True)
class Entry:
    """One named number: the entry `slot` of a place."""

    name: str
    unit: str
    place: str  # t, q, v, z, m, u, p or lam
    slot: int


class Ports(Sequence[Entry]):
    """The named numbers of one place, in order.

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
        """Where the number of this name is."""
        for p in self._ports:
            if p.name == name:
                return p.slot
        raise TorseurError(unknown_name(f"number of {self.place}", name, self.names, "layout"))

    def __repr__(self) -> str:
        return f"{self.place}: " + ", ".join(f"{p.name} [{p.unit}]" for p in self._ports)


class Watched(NamedTuple):
    """A guard: whose it is, what its fall to zero means, its unit, and whether users are told."""

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
    """Where the numbers of one system are.

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
        return blocks_of(self.system.links)

    @cached_property
    def t(self) -> Ports:
        return Ports("t", [("t", "s")])

    @cached_property
    def q(self) -> Ports:
        """Coordinates, such as "elbow.angle"."""
        return Ports("q", self._of_joints("coordinates"))

    @cached_property
    def v(self) -> Ports:
        """Speeds, such as "elbow.rate"."""
        return Ports("v", self._of_joints("speeds"))

    def _of_joints(self, what):
        links = self.system.links
        named = ((links[b.links[0] - 1].joint, b.name) for b in self.blocks)
        return ((f"{name}.{n}", unit) for joint, name in named for n, unit in getattr(joint, what))

    @cached_property
    def z(self) -> Ports:
        """States of force elements, then the books: see `books`."""
        s = self.system
        named = [(f"{e.name}.{n}", unit) for e in s.elements for n, unit in e.states]
        if self.keeps_books:
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
        """The part of z that acts on nothing: energy dissipated and supplied in all, then by each.

        They are outside the error norm of adaptive steps.
        """
        return slice(self.states.stop, len(self.z))

    @cached_property
    def keeps_books(self) -> bool:
        """Whether anything can take energy out of the motion or put it in."""
        s = self.system
        moved = s.rheonomic or any(e.drives for e in s.held)
        return bool(s.elements or s.switched or moved)

    @cached_property
    def losing(self) -> tuple[int, ...]:
        """Which force elements dissipate: each has a book of its own, after the two of all."""
        losing = (e.line.loses or (e.law is not None and e.law.loses) for e in self.system.elements)
        return tuple(i for i, yes in enumerate(losing) if yes)

    @cached_property
    def rated(self) -> tuple[int, ...]:
        """Which force elements have a book of what they dissipate by their rate, after `losing`."""
        return tuple(
            i for i, e in enumerate(self.system.elements) if e.law is not None and e.law.rated
        )

    @cached_property
    def rubbing(self) -> tuple[int, ...]:
        """Which force elements have a book of what their line takes beside their law: friction of
        laws with a history, after `rated`."""
        with_law = ((i, e) for i, e in enumerate(self.system.elements) if e.law is not None)
        return tuple(i for i, e in with_law if e.law.history and e.line.loses)

    @cached_property
    def by_joint(self) -> dict[str, int]:
        """Which link hangs from each joint."""
        return {k.name: k.index - 1 for k in reversed(self.system.links)}

    @cached_property
    def coordinate_slots(self) -> dict[str, tuple[int, int, str]]:
        """Of coordinates whose speeds are their rates: place in q, place in v, and unit."""
        return {
            f"{k.name}.{n}": (k.q.start + i, k.v.start + i, unit)
            for k in self.system.owners
            if k.joint.holonomic
            for i, (n, unit) in enumerate(k.joint.coordinates)
        }

    @cached_property
    def own_books(self) -> dict[int, list[tuple[str, int]]]:
        """Books that belong to one force element each, by its index: which one, and its slot."""
        out: dict[int, list[tuple[str, int]]] = {}
        slot = self.states.stop + 2 * self.keeps_books
        for what in ("losing", "rated", "rubbing"):
            for i in getattr(self, what):
                out.setdefault(i, []).append((what, slot))
                slot += 1
        return out

    @cached_property
    def m(self) -> Ports:
        """Memory of force elements, then of contacts and dry frictions: see `switches`."""
        s = self.system
        named = [(f"{e.name}.{n}", unit) for e in s.elements for n, unit in e.memory]
        return Ports("m", named + [(f"{e.name}.{n}", "1") for e in s.switched for n in e.memory])

    @cached_property
    def lists(self) -> tuple[Listed, ...]:
        """Lists of force elements that are data: the number of a row is in m."""
        return tuple(x for e in self.system.elements for x in e.lists)

    @property
    def gathered(self) -> int:
        """How many numbers a jump finds in lists: three rows of each."""
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
        """Multipliers and reactions that laws see: they are solved for together with the motion."""
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
        """Inputs; those of several numbers are called "push.0", "push.1"."""
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
        """Declared parameters; a description does not say their units."""
        return Ports("p", ((n, "") for n in self.system.parameters))

    @cached_property
    def rows(self) -> tuple[list[int], ...]:
        """Rows of each element of `held` and `switched` that have a multiplier."""
        return tuple(_existing(self.system, (*self.system.held, *self.system.switched)))

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
    def guards(self) -> tuple[Watched, ...]:
        """Guards of joints and rows (`edges`), of elements, then of contacts and dry frictions."""
        s = self.system
        K = Floats({n: 1.0 if x is None else x for n, x in s.parameters.items()})
        own = [
            Watched(k.name, what, unit, acts=False)
            for k in s.links
            for what, unit, _ in k.joint.edges(K, [float("nan")] * k.joint.nq)
        ]
        own += [
            Watched(e.name, what, "1", acts=False, ends=True)
            for e in (*s.held, *s.switched)
            for what in e.loses
        ]
        own += [
            Watched(
                e.name, g.name, (ANGULAR if e.angular else LINEAR)[g.of], g.told, g.waits, g.part
            )
            for e in s.elements
            if e.law is not None
            for g in e.law.guards(K, _blank(e))
        ]
        return (*own, *(Watched(e.name, *what) for e in s.switched for what in e.watched))

    def __repr__(self) -> str:
        every = (self.t, self.q, self.v, self.z, self.m, self.u, self.p, self.lam)
        lines = [repr(ports) for ports in every if ports]
        watched = ", ".join(f"{g.name} [{g.unit}]" for g in self.guards)
        return "\n".join([*lines, *([f"guards: {watched}"] if watched else ())])


def _blank(element: ForceElement) -> Seen:
    """A moment that no law can stumble over: what guards are called does not depend on it."""
    from ..forces import Seen

    nan = float("nan")
    law = element.law
    given = (nan,) * (len(element.u) + len(law.signals) + law.beside)
    return Seen(nan, nan, nan, (nan,) * len(law.states), (0.0,) * len(law.memory), given)


def _existing(system, elements) -> Iterator[list[int]]:
    """Rows of each element that depend on coordinates, speeds or time; a graph can tell.

    The others, such as the third dimension of a planar loop, hold by themselves.
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
    moving = K.lib.vertcat(t.x, K.sx(q), K.sx(v))
    found: dict[int, list[int]] = {}  # by the first of those that are alike
    for e, first in zip(elements, _firsts(system, elements), strict=True):
        if first not in found:
            residual = e.rate(tree, t, q, v) if e.speeds else e.residual(tree, t, q)
            rows = [i for i, x in enumerate(residual) if K.lib.depends_on(K.sx(x), moving)]
            found[first] = rows
        yield found[first]


def _firsts(system, elements) -> list[int]:
    """Of each element the first that is alike; where there are few, each is looked at."""
    firsts = list(range(len(elements)))
    if len(elements) >= MANY:
        from .equivalence_classes import Unlike, alike_rows

        with suppress(Unlike, TorseurError):  # numbers that are parameters
            for own, _ in alike_rows(system):
                for i in own:
                    firsts[i] = own[0]
    return firsts

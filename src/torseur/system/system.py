"""The checked mechanism: immutable, ordered and numbered, as formalisms need it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..errors import ArgumentError, TorseurError, shown, unknown_name_message
from ..joints import TIME
from ..scalars import IDLE, Floats, arguments, digest, vector
from ..scalars.values import value
from ..spatial import FixedFrame, evaluate_pose
from ..views import view
from .link import Closure, Link, Tree

if TYPE_CHECKING:
    from ..constraints import ConstraintElement
    from ..forces import ForceElement
    from ..model import Model
    from .layout import Entry, Layout


def _finite_numbers(name: str, x, unit: str):
    """A finite number, or an array of them, of a state."""
    try:
        numbers = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        numbers = np.asarray(np.nan)
    if not np.isfinite(numbers).all():
        raise ArgumentError(f"state: {name} [{unit}]: expected a finite number, got {shown(x)}")
    return numbers if numbers.ndim else float(numbers)


T = TypeVar("T")


class Named(Mapping[str, T]):
    """Elements by name, in order.  The error for an unknown name suggests the closest one.

    >>> Named("joint", {"elbow": 1})["elbwo"]
    Traceback (most recent call last):
    torseur.errors.TorseurError: ...no joint is named 'elbwo'; did you mean 'elbow'?...
    """

    def __init__(self, kind: str, held: Mapping[str, T]):
        self.kind, self._held = kind, dict(held)

    def __getitem__(self, name: str) -> T:
        if name not in self._held:
            raise TorseurError(unknown_name_message(self.kind, name, self._held, "the system"))
        return self._held[name]

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return f"{self.kind}s: {', '.join(self._held)}"

    def _ipython_key_completions_(self) -> list[str]:
        """What `system.joints["el<Tab>` offers."""
        return list(self._held)


@dataclass(frozen=True, eq=False)
class System:
    """A checked mechanism.  Made by `Model.check()`; changed only by changing the model."""

    name: str = field(metadata=IDLE)
    gravity: np.ndarray
    links: tuple[Link, ...]
    places: Mapping[str, FixedFrame]
    closures: tuple[Closure, ...]
    parameters: Mapping[str, float | None]
    inputs: tuple[Any, ...]
    forces: tuple[Any, ...]
    warnings: tuple[str, ...] = field(metadata=IDLE)
    bodies: tuple[str, ...] = field(metadata=IDLE)
    model: Model = field(metadata=IDLE)
    constraints: tuple[ConstraintElement, ...] = ()
    derived: Mapping[str, value.Value] = field(default_factory=dict)  # parameters of parameters
    strains: tuple[Any, ...] = ()  # forces of what beams store
    # derived from the above: forces and joint dampers,
    elements: tuple[ForceElement, ...] = field(default=(), metadata=IDLE)
    # bilateral constraints with loops; contacts, then dry frictions
    held: tuple[ConstraintElement, ...] = field(default=(), metadata=IDLE)
    switched: tuple[ConstraintElement, ...] = field(default=(), metadata=IDLE)

    @cached_property
    def layout(self) -> Layout:
        """Array, slot, name and unit of every number of a motion."""
        from .layout import Layout

        return Layout(self)

    @cached_property
    def joints(self) -> Named[Link]:
        """Every joint that moves, by name: `system.joints["elbow"].v` are its speeds in v."""
        return Named("joint", {k.name: k for k in self.owners})

    @cached_property
    def rheonomic(self) -> bool:
        """Whether time moves a placement: kernels then take `t` [s]."""
        return any(k.joint.rheonomic for k in self.links)

    @cached_property
    def made(self) -> dict[Any, Any]:
        """Cached results by function (see `once`)."""
        return {}

    @cached_property
    def nq(self) -> int:
        return self.links[-1].q.stop if self.links else 0

    @cached_property
    def nv(self) -> int:
        return self.links[-1].v.stop if self.links else 0

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of q, such as "elbow.angle"."""
        return self.layout.q.names

    @cached_property
    def quaternions(self) -> np.ndarray:
        """Slot in q of the first component of each unit quaternion (w, x, y, z)."""
        links = (k for k in self.links if k.joint.quaternion is not None)
        return np.array([k.q.start + k.joint.quaternion for k in links], dtype=np.int64)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """Names of blocks that several links read: beams."""
        return tuple(dict.fromkeys(k.name for k in self.links if k.reads))

    @cached_property
    def owners(self) -> tuple[Link, ...]:
        """The first link of every block of coordinates, in the order of q and v."""
        return tuple(k for k in self.links if not k.reads)

    @cached_property
    def slices(self) -> frozenset[int]:
        """Indices of links that are slices of beams."""
        return frozenset(i for k in self.links if k.reads for i in (k.index, k.reads))

    def has_reaction(self, link: Link) -> bool:
        """Whether the inboard joint of a link has a reaction to show."""
        return not (link.auxiliary or link.index in self.slices)

    def alone(self, what: str) -> None:
        """Raise an error if several links share coordinates, for code for rigid bodies alone."""
        if self.shared:
            one, *more = map(repr, self.shared)
            raise TorseurError(
                f"{what}: beam {one}{f' and {len(more)} more' * bool(more)} of {self.name!r} "
                "bends, and this is for rigid bodies alone; replace it by a ts.Body"
            )

    def unit(self, q: Any, where: str = "q") -> Any:
        """Coordinates (..., nq) with every quaternion at unit length; see `orientations.unit`."""
        from .quaternions import normalize_quaternions

        return normalize_quaternions(self, q, where)

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Names of v, such as "elbow.rate"."""
        return self.layout.v.names

    @cached_property
    def ports(self) -> tuple[Entry, ...]:
        """Every number that can be given: coordinates, speeds, inputs and parameters."""
        at = self.layout
        return (*at.q, *at.v, *at.u, *at.p)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of every body and frame whose pose can be asked."""
        return tuple(self.places)

    def bind_parameters(self, K: Any) -> None:
        """Bind the values of the parameters in the scalars `K`."""
        for name, x in self.parameters.items():
            if x is not None and K.nominals.setdefault(name, x) != x:
                raise TorseurError(
                    f"parameter {name!r} of {self.name!r} is {x:g}, but these "
                    f"scalars already hold {K.nominals[name]:g}; use new ones"
                )
            if x is not None and name not in K.parameters:
                given = self.derived.get(name)
                K.parameters[name] = K.exact(x) if given is None else K.number(given)
        if self.rheonomic and TIME not in K.parameters and (now := K.time()) is not None:
            K.parameters[TIME] = now

    def over(self, K: Any) -> Tree:
        """The numbers of this system as scalars of kind `K`."""
        self.bind_parameters(K)
        places = {n: FixedFrame(p.link, evaluate_pose(K, p.X_LB)) for n, p in self.places.items()}
        return Tree(
            K,
            tuple(k.over(K) for k in self.links),
            K.numbers(self.gravity),
            self.nq,
            self.nv,
            places,
        )

    def valued(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Value of every parameter: as given, by its expression of others, or the model's own."""
        out: dict[str, Any] = {}
        for name, x in self.parameters.items():
            out[name] = values.get(name, x)
            used = value.symbols(self.derived[name]) if name in self.derived else ()
            if name not in values and any(out[n] != self.parameters[n] for n in used):
                out[name] = value.nominal(self.derived[name], out)
        return out

    def floats(self, parameters: Mapping[str, float] | None = None) -> Tree:
        """The tree over plain floats, at nominal or given parameters."""
        return self.over(Floats(parameters))

    def neutral(self) -> np.ndarray:
        """Coordinates with every joint's frames coinciding, shape (nq,)."""
        return self._neutral_state[0][: self.nq].copy()

    @cached_property
    def _neutral_state(self) -> tuple[np.ndarray, dict[str, int]]:
        """Neutral q and zero v in one array, and the slot of each name."""
        rest = np.concatenate([*(k.joint.neutral() for k in self.owners), np.zeros(self.nv)])
        return rest, {n: i for i, n in enumerate((*self.coordinates, *self.speeds))}

    def spelt(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """Replace `readings` of joints (such as angles of a quaternion) by their coordinates.

        Texts with units, such as "30 deg", are converted.
        """
        from .initial_state import read_expressions

        out = arguments.mapping("state", "coordinates and speeds", named, "{'elbow.angle': 0.3}")
        if any(isinstance(x, str) for x in out.values()):
            out |= read_expressions(self, out)
        for k in self.links:
            readings = [f"{k.name}.{n}" for n, _ in k.joint.readings]
            if not any(n in out for n in readings):
                continue
            units = [u for _, u in k.joint.readings]
            values = [
                _finite_numbers(n, out.pop(n, 0.0), u) for n, u in zip(readings, units, strict=True)
            ]
            coordinates = {f"{k.name}.{n}": x for n, x in k.joint.entered(values).items()}
            if both := [n for n in coordinates if n in out]:
                raise ArgumentError(
                    f"state: {readings[0]}, ... and {both[0]} give the same orientation twice; "
                    "give one of them"
                )
            out |= coordinates
        return out

    def state(
        self, named: Mapping[str, float] = {}, *, unit: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """`q, v` with the named coordinates and speeds set, the others neutral and at rest.

        Quaternions are normalized, unless `unit=False`.
        """
        from .initial_state import told_degrees

        named = self.spelt(named)
        x, slots = self._neutral_state[0].copy(), self._neutral_state[1]
        unknown = [
            unknown_name_message("coordinate or speed", n, slots, "state")
            for n in named
            if n not in slots
        ]
        if unknown:
            raise TorseurError("\n".join(unknown))
        problems = []
        for name, entry in named.items():
            try:
                number = x[slots[name]] = float(entry)
            except (TypeError, ValueError, OverflowError):
                number = np.nan
            if not isfinite(number):
                label = f"{name} [{next(p.unit for p in self.ports if p.name == name)}]"
                problems.append(f"state: {label}: expected a finite number, got {shown(entry)}")
            elif abs(number) > 6.5 and type(entry) in (int, float):
                told_degrees(self, name, entry)
        if problems:
            raise ArgumentError("\n".join(problems))
        q, v = x[: self.nq], x[self.nq :]
        return self.unit(q, "state") if unit else q, v

    def numbers(self) -> Iterator[Any]:
        """Iterate over the exact numbers of the system."""
        yield from self.gravity
        for link in self.links:
            yield from link.numbers()
        for place in (*self.places.values(), *(p for c in self.closures for p in (c.F, c.M))):
            yield from place.X_LB.R.ravel()
            yield from place.X_LB.p
        for element in self.constraints:
            yield from element.numbers()

    @cached_property
    def leaves(self) -> tuple[value.Value, ...]:
        """Symbols and irrational constants in the system, in order of appearance."""
        return value.leaves(vector(self.numbers()))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """Names of parameters the equations depend on."""
        return tuple(leaf.args[0] for leaf in self.leaves if leaf.op == "symbol")

    @cached_property
    def digest(self) -> str:
        """Hash of everything that determines the mathematics; names of bodies do not."""
        return digest(self)

    def link(self, joint: str) -> Link:
        """The link whose inboard joint has this name."""
        if joint in self.layout.by_joint:
            return self.links[self.layout.by_joint[joint]]
        raise TorseurError(
            unknown_name_message("joint", joint, [k.name for k in self.links], "system")
        )

    def __reduce__(self):
        return type(self.model).check, (self.model,)

    def _repr_html_(self) -> str:
        return view("system_html")(self)

    def __repr__(self):
        joints = len(self.links) - len(self.slices)
        return (
            f"System({self.name!r}: {joints} joints, {self.nv} degrees of freedom"
            f"{f', {len(self.closures)} loops' * bool(self.closures)})"
        )

"""A vehicle: bodies, the members that crush between and before them, wheels, named points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import ModelError, TorseurError, said, shown, unknown_name_message
from ...model import Body, description
from ...scalars import units
from ...scalars.values import value
from ..criteria.metric_value import G0
from ..mass_properties import (
    body_mass,
    box_inertia,
    center_of_mass,
    combine_bodies,
    inertia_matrix,
    mirror_body,
)
from .members import Member, Wheel, flipped, is_real

MIRRORED = {"y": "-y", "-y": "y"}
SIZE = (4.5, 1.8, 1.5)  # length, width, height [m] of a vehicle that does not say: a placeholder


@dataclass(frozen=True, slots=True, eq=False)
class Vehicle:
    """Bodies and members, ready to meet a wall (`against`) or another vehicle (`collide`).

    Parameters
    ----------
    bodies : `ts.Body`, in axes of the vehicle; one without inertia gets that of a box of the
        vehicle's `size` where a scenario turns it
    members : see `Member`
    points : names of accelerometers and intrusion points: `{"floor": ("body", (0, 0, 0))}`
    main : the body that carries the others in the plane and in space; the heaviest unless said
    size : length, width, height [m]; overlaps are parts of the width.  Its length is counted from
        the foremost free end, or from x = 0
    wheels : see `Wheel`; without them nothing carries the car and scenarios have no gravity
    parameters : names with numbers, which masses, laws and speeds may use: `mass="m_engine"`

    >>> from torseur.forces import Crush
    >>> front = Member("front", "car", law=Crush(((0, 0), (0.1, 4e5)), 2e7))
    >>> car = Vehicle("car", bodies=(Body("car", mass=1500.0),), members=(front,))
    >>> car.prefixed("a_").members[0].name, car.mass
    ('a_front', 1500.0)
    """

    name: str
    bodies: Sequence[Body]
    members: Sequence[Member] = ()
    points: Mapping[Any, Any] = field(default_factory=dict)
    main: str = ""
    size: Any = SIZE
    wheels: Sequence[Wheel] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        for name in ("bodies", "members", "wheels"):
            value = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise ModelError([f"vehicle {self.name!r}: {name}: expected a list or a tuple"])
            object.__setattr__(self, name, tuple(value))
        for name in ("points", "parameters"):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                raise ModelError([f"vehicle {self.name!r}: {name}: expected a dictionary"])
            object.__setattr__(self, name, dict(value))
        parameters = description.convert_parameters_to_si(self.parameters)
        object.__setattr__(self, "parameters", parameters)
        length_problems = list(self._read_lengths())
        if problems := length_problems + list(self.problems()):
            raise ModelError(problems)
        object.__setattr__(self, "main", self.main or self.heaviest)
        object.__setattr__(self, "size", tuple(float(x) for x in self.size))

    def _read_lengths(self):
        """Convert texts with units in size and points to numbers [m]; yield problems."""
        try:
            object.__setattr__(self, "size", units.read(self.size, "m"))
            points = {n: units.read(at, "m", names=True) for n, at in self.points.items()}
            object.__setattr__(self, "points", points)
        except ValueError as e:
            yield f"vehicle {self.name!r}: {said(e)}"

    def problems(self):
        """Everything wrong with the description, as sentences."""
        who = f"vehicle {self.name!r}"
        if not self.bodies:
            yield f"{who}: needs at least one body"
        for b in self.bodies:
            if not isinstance(b, Body):
                yield f"{who}: bodies: expected ts.Body, got {shown(b)}"
            else:
                yield from self._mass_problems(b, who)
        bodies = [b.name for b in self.bodies if isinstance(b, Body)]
        parts = [
            *self.members,
            *(w for w in self.wheels if is_real(getattr(w, "mass", 0)) and w.mass),
        ]
        names = Counter([*bodies, *(m.name for m in parts if isinstance(m, Member | Wheel))])
        for n, count in names.items():
            if count > 1:
                yield (f"{who}: {count} bodies, members or wheels are named {n!r}; names must be "
                       "unique")  # fmt: skip
        if self.main and self.main not in bodies:
            yield unknown_name_message("body", self.main, bodies, f"{who}: main")
        for m in self.members:
            if isinstance(m, Member):
                yield from m.problems(bodies, who)
            else:
                yield f"{who}: members: expected ts.crash.Member, got {shown(m)}"
        for w in self.wheels:
            if isinstance(w, Wheel):
                yield from w.problems(who)
            else:
                yield f"{who}: wheels: expected ts.crash.Wheel, got {shown(w)}"
        for n, position in self.points.items():
            pair = isinstance(position, tuple | list) and len(position) == 2
            body = position if isinstance(position, str) else position[0] if pair else None
            if body not in bodies:
                yield unknown_name_message("body", str(body), bodies, f"{who}: point {n!r}")
            elif pair and not is_real(position[1], 3):
                yield f"{who}: point {n!r}: expected (body, (x, y, z)) [m], got {shown(position)}"
        if not is_real(self.size, 3) or min(map(float, self.size)) <= 0:
            yield f"{who}: size: expected length, width, height [m], got {shown(self.size)}"

    def _mass_problems(self, b, who):
        try:
            fine = 0 < body_mass(b, self.nominal_parameters) < np.inf
        except (TypeError, ValueError, ArithmeticError, KeyError, TorseurError):
            fine = False
        if not fine:
            rule = "a number above zero, or a name of its parameters"
            yield f"{who}: body {b.name!r} has mass {shown(b.mass)}; use {rule}"

    @property
    def nominal_parameters(self) -> dict[str, float]:
        """Numbers of its parameters."""
        return value.nominals(self.parameters)

    @property
    def heaviest(self) -> str:
        """The body of the largest mass."""
        return max(self.bodies, key=lambda b: body_mass(b, self.nominal_parameters)).name

    @property
    def mass(self) -> float:
        """Of all bodies and wheels [kg]."""
        parameters = self.nominal_parameters
        return float(sum(body_mass(b, parameters) for b in (*self.bodies, *self.unsprung)))

    @property
    def unsprung(self) -> tuple[Body, ...]:
        """Bodies of the wheels that have a mass."""
        return tuple(w.body for w in self.wheels if float(w.mass))

    @property
    def nose(self) -> float:
        """How far its foremost free end is ahead of its origin [m]."""
        tips = (float(m.tip[0]) for m in self.members if m.free and m.face == "front")
        return max(tips, default=0.0)

    def slide(self, name: str) -> str:
        """Along which of its axes a body moves before the main one: "y" where all of its members
        point sideways, "x" else."""
        axes = [m.axis for m in self.members if name in (m.body, m.to)]
        return "y" if axes and all(abs(a[1]) > abs(a[0]) for a in axes) else "x"

    @property
    def unattached_bodies(self) -> list[str]:
        """Bodies from which no chain of members leads to a free end: nothing would stop them."""
        attached = {m.body for m in self.members if m.free}
        pairs = [{m.body, str(m.to)} for m in self.members if not m.free]
        while added := {n for pair in pairs if pair & attached for n in pair} - attached:
            attached |= added
        return [b.name for b in self.bodies if attached and b.name not in attached]

    @property
    def width(self) -> float:
        """Across the car [m]."""
        return self.size[1]

    def wheel_loads(self) -> np.ndarray:
        """Static wheel loads [N]: least squares in balance with the weight."""
        total = combine_bodies((*self.bodies, *self.unsprung), self.name, self.nominal_parameters)
        positions = np.array([np.asarray(w.at, dtype=float) for w in self.wheels]) - total.com
        rows = np.vstack([np.ones(len(positions)), positions[:, 0], positions[:, 1]])
        loads = np.linalg.lstsq(rows, [self.mass * G0, 0, 0], rcond=None)[0]
        if abs(rows @ loads - [self.mass * G0, 0, 0]).max() > 1e-6 * self.mass * G0:
            raise ModelError([f"vehicle {self.name!r}: its wheels cannot hold its weight level"])
        return loads

    def body(self, name: str) -> Body:
        """A body by its name."""
        for b in self.bodies:
            if b.name == name:
                return b
        raise ModelError(
            [
                unknown_name_message(
                    "body", name, [b.name for b in self.bodies], f"vehicle {self.name!r}"
                )
            ]
        )

    def prefixed(self, prefix: str) -> Vehicle:
        """The same vehicle with `prefix` before the names of bodies, members, points, wheels."""
        if not prefix:
            return self
        rename = {b.name: f"{prefix}{b.name}" for b in self.bodies}
        return replace(
            self,
            name=f"{prefix}{self.name}",
            bodies=[replace(b, name=rename[b.name]) for b in self.bodies],
            members=[
                replace(
                    m, name=f"{prefix}{m.name}", body=rename[m.body], to=m.to and rename.get(m.to)
                )
                for m in self.members
            ],
            points={
                f"{prefix}{n}": (rename[body], at)
                for n, (body, at) in ((n, _pair(p)) for n, p in self.points.items())
            },
            wheels=[replace(w, name=f"{prefix}{w.name}") for w in self.wheels],
            main=rename[self.main],
        )

    def mirrored(self) -> Vehicle:
        """Left and right exchanged: y becomes -y everywhere."""
        return replace(
            self,
            bodies=[mirror_body(b) for b in self.bodies],
            members=[
                replace(m, at=flipped(m.at), direction=MIRRORED.get(m.direction, m.direction)
                        if isinstance(m.direction, str) else flipped(m.direction))
                for m in self.members
            ],
            points={n: (b, flipped(at)) for n, (b, at) in
                    ((n, _pair(p)) for n, p in self.points.items())},
            wheels=[replace(w, at=flipped(w.at)) for w in self.wheels],
        )  # fmt: skip

    def with_laws(self, **laws) -> Vehicle:
        """The vehicle with the laws of some members replaced, by name."""
        names = [m.name for m in self.members]
        problems = [unknown_name_message("member", n, names, f"vehicle {self.name!r}")
                 for n in laws if n not in names]  # fmt: skip
        if problems:
            raise ModelError(problems)
        return replace(
            self, members=[replace(m, law=laws.get(m.name, m.law)) for m in self.members]
        )

    def lumped(self, names: Iterable[str], name: str | None = None) -> Vehicle:
        """Several bodies as one rigid body, without the members between them.

        Mass, center of mass and inertia are combined. A main body without inertia takes that of its
        box.
        """
        names = tuple(names)
        parts = [self.body(n) for n in names]
        for i, b in enumerate(parts):  # the main body's box goes with it: see `bodies`
            if (
                b.name == self.main
                and is_real(b.mass)
                and not np.any(inertia_matrix(b, self.nominal_parameters))
            ):
                parts[i] = replace(
                    b,
                    inertia=box_inertia(b.mass, self.size),
                    about="com",
                    first_moment=None,
                    com=tuple(center_of_mass(b, self.nominal_parameters)),
                )
        if named := [b.name for b in parts if not is_real(b.mass)]:
            raise ModelError([f"vehicle {self.name!r}: the mass of {named[0]!r} is a name; bodies "
                              "are lumped by numbers"])  # fmt: skip
        if len(parts) < 2:
            raise ModelError([f"vehicle {self.name!r}: lumping needs two bodies or more"])
        name = name or names[0]
        into = dict.fromkeys(names, name)
        return replace(
            self,
            bodies=[
                combine_bodies(parts, name) if b.name == names[0] else b
                for b in self.bodies
                if b.name not in names[1:]
            ],
            members=[
                replace(m, body=into.get(m.body, m.body), to=m.to and into.get(m.to, m.to))
                for m in self.members
                if not (m.body in into and m.to in into)
            ],
            points={n: (into.get(b, b), at) for n, (b, at) in
                    ((n, _pair(p)) for n, p in self.points.items())},
            main=into.get(self.main, self.main),
        )  # fmt: skip

    def merged(self, other: Vehicle, name: str | None = None) -> Vehicle:
        """Two graphs as one: bodies of the same name are one body, of the first's mass.

        So a drive line of `engine` and `axle` can be hung on a car that has an `engine`.
        """
        bodies = {b.name for b in self.bodies}
        twice = {m.name for m in self.members} & {m.name for m in other.members}
        if twice:
            raise ModelError(
                [
                    f"vehicles {self.name!r} and {other.name!r} both have a member {n!r}; "
                    "rename one"
                    for n in sorted(twice)
                ]
            )
        return replace(
            self,
            name=name or self.name,
            bodies=(*self.bodies, *(b for b in other.bodies if b.name not in bodies)),
            members=(*self.members, *other.members),
            points={**other.points, **self.points},
            wheels=(*self.wheels, *other.wheels),
            parameters=shared_parameters(self, other),
        )


def shared_parameters(*vehicles: Vehicle) -> dict[str, Any]:
    """Parameters of several vehicles.  A name in two of them is one number."""
    out: dict[str, Any] = {}
    for v in vehicles:
        for n, x in v.parameters.items():
            if n in out and out[n] != x:
                raise ModelError([f"vehicle {v.name!r}: its parameter {n!r} is {shown(x)}, that of "
                                  f"another vehicle {shown(out[n])}; rename one"])  # fmt: skip
            out[n] = x
    return out


def _pair(position):
    return (position, (0.0, 0.0, 0.0)) if isinstance(position, str) else (position[0], position[1])

# ruff: noqa: RUF009  (`description.quantity` makes a field, as `dataclasses.field` does)
"""A vehicle: bodies, the members that crush between and before them, named points.

Axes of a vehicle: x forward, y to the left, z up; every body's frame is the vehicle's own at the
start, so all places are in these axes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ModelError, shown, unknown_name
from ..forces import Law
from ..model import Body, description
from .lumps import inertia_matrix, mass_of, together
from .measure import G0

SIZE = (4.5, 1.8, 1.5)  # length, width, height [m] of a vehicle that does not say: a placeholder


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A law with a root on one body, and a root on another or a free end.

    Parameters
    ----------
    name : unique in its vehicle; signals are called after it
    body : the body of its rear root
    at : that root, in axes of the vehicle [m]
    to : the body of its front root (its deflection is how far the rear closes up along x), or
        None: a free end, which meets whatever the scenario puts in front of it
    law : a law of deflection [m], such as `ts.Crush`
    reach : from the root to the free end, along x [m]
    width : of what it presses with, across the car [m]; zero for a point.  An obstacle that covers
        a part of it meets that part of its law.  Where every free end of a vehicle is a point in
        its middle, as in one dimension, each presses over the whole width of the car

    >>> from torseur.forces import Crush
    >>> Member("rail", "body", at=(1.2, 0.5, 0.4), law=Crush(((0, 0), (0.1, 9e4)), 2e7)).free
    True
    """

    name: str
    body: str
    at: Any = description.quantity((0.0, 0.0, 0.0), "m", (3,))
    to: str | None = None
    law: Any = None
    reach: Any = description.quantity(0.0, "m")
    width: Any = description.quantity(0.0, "m")

    def __post_init__(self):
        if isinstance(self.to, tuple | list) and len(self.to) == 2:  # (body, place) will do
            object.__setattr__(self, "to", self.to[0])

    @property
    def free(self) -> bool:
        return self.to is None

    @property
    def tip(self) -> np.ndarray:
        """The free end at the start, in axes of the vehicle [m]."""
        return np.array(self.at, dtype=float) + (float(self.reach), 0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Wheel:
    """A tyre under the main body, for runs in space: `at` its contact with the ground [m].

    It pushes with `stiffness` [N/m], tyre and suspension in series (the default is a placeholder
    of a passenger car), never pulls, and rubs with Coulomb's coefficient `friction`.
    """

    name: str
    at: Any = description.quantity((0.0, 0.0, 0.0), "m", (3,))
    stiffness: Any = description.quantity(2.0e4, "N/m")
    friction: Any = description.quantity(0.0, "")


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
    size : length, width, height [m]; overlaps are parts of the width
    wheels : see `Wheel`; without them nothing carries the car and scenarios have no gravity

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

    def __post_init__(self):
        for name in ("bodies", "members", "wheels"):
            given = getattr(self, name)
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise ModelError([f"vehicle {self.name!r}: {name}: expected a list or a tuple"])
            object.__setattr__(self, name, tuple(given))
        object.__setattr__(self, "points", dict(self.points))
        if found := list(self.problems()):
            raise ModelError(found)
        heaviest = max(self.bodies, key=mass_of).name
        object.__setattr__(self, "main", self.main or heaviest)
        object.__setattr__(self, "size", tuple(float(x) for x in self.size))

    def problems(self):
        """Everything wrong with the description, as sentences."""
        who = f"vehicle {self.name!r}"
        if not self.bodies:
            yield f"{who}: needs at least one body"
        for b in self.bodies:
            if not isinstance(b, Body):
                yield f"{who}: bodies: expected ts.Body, got {shown(b)}"
            elif not _real(b.mass) or mass_of(b) <= 0:
                yield f"{who}: body {b.name!r} has mass {shown(b.mass)}; use a number above zero"
        known = [b.name for b in self.bodies if isinstance(b, Body)]
        names = Counter([*known, *(m.name for m in self.members if isinstance(m, Member))])
        for n, count in names.items():
            if count > 1:
                yield f"{who}: {count} bodies or members are named {n!r}; names must be unique"
        if self.main and self.main not in known:
            yield unknown_name("body", self.main, known, f"{who}: main")
        for m in self.members:
            yield from _member_problems(m, known, who)
        for n, place in self.points.items():
            pair = isinstance(place, tuple | list) and len(place) == 2
            body = place if isinstance(place, str) else place[0] if pair else None
            if body not in known:
                yield unknown_name("body", str(body), known, f"{who}: point {n!r}")
            elif pair and not _real(place[1], 3):
                yield f"{who}: point {n!r}: expected (body, (x, y, z)) [m], got {shown(place)}"
        if not _real(self.size, 3) or min(map(float, self.size)) <= 0:
            yield f"{who}: size: expected length, width, height [m], got {shown(self.size)}"

    @property
    def mass(self) -> float:
        """Of all bodies [kg]."""
        return float(sum(mass_of(b) for b in self.bodies))

    @property
    def width(self) -> float:
        """Across the car [m]."""
        return self.size[1]

    def wheel_loads(self) -> np.ndarray:
        """What each wheel carries at rest [N]: the least squares that hold the weight."""
        whole = together(self.bodies, self.name)
        places = np.array([np.asarray(w.at, dtype=float) for w in self.wheels]) - whole.com
        rows = np.vstack([np.ones(len(places)), places[:, 0], places[:, 1]])
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
            [unknown_name("body", name, [b.name for b in self.bodies], f"vehicle {self.name!r}")]
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
            bodies=[_mirrored_body(b) for b in self.bodies],
            members=[replace(m, at=_flip(m.at)) for m in self.members],
            points={n: (b, _flip(at)) for n, (b, at) in
                    ((n, _pair(p)) for n, p in self.points.items())},
            wheels=[replace(w, at=_flip(w.at)) for w in self.wheels],
        )  # fmt: skip

    def with_laws(self, **laws) -> Vehicle:
        """The vehicle with the laws of some members replaced, by name."""
        known = [m.name for m in self.members]
        wrong = [unknown_name("member", n, known, f"vehicle {self.name!r}")
                 for n in laws if n not in known]  # fmt: skip
        if wrong:
            raise ModelError(wrong)
        return replace(
            self, members=[replace(m, law=laws.get(m.name, m.law)) for m in self.members]
        )

    def lumped(self, names: Iterable[str], name: str | None = None) -> Vehicle:
        """Several bodies as one rigid body; members between them vanish.

        Mass, centre of mass and inertia are those of the bodies together.
        """
        names = tuple(names)
        parts = [self.body(n) for n in names]
        if len(parts) < 2:
            raise ModelError([f"vehicle {self.name!r}: lumping needs two bodies or more"])
        name = name or names[0]
        into = dict.fromkeys(names, name)
        return replace(
            self,
            bodies=[
                together(parts, name) if b.name == names[0] else b
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
        known = {b.name for b in self.bodies}
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
            bodies=(*self.bodies, *(b for b in other.bodies if b.name not in known)),
            members=(*self.members, *other.members),
            points={**other.points, **self.points},
            wheels=(*self.wheels, *other.wheels),
        )


def _real(x, size=None) -> bool:
    try:
        found = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        return False
    return found.shape == (() if size is None else (size,)) and bool(np.isfinite(found).all())


def _member_problems(m, known, who):
    if not isinstance(m, Member):
        yield f"{who}: members: expected ts.crash.Member, got {shown(m)}"
        return
    who = f"{who}: member {m.name!r}"
    for end in (m.body, m.to):
        if end is not None and end not in known:
            yield unknown_name("body", end, known, who)
    if m.to == m.body:
        yield f"{who}: both its roots are on {m.body!r}"
    if not isinstance(m.law, Law):
        yield f"{who}: expected a law such as ts.Crush(points, unloading), got {shown(m.law)}"
    if not _real(m.at, 3):
        yield f"{who}: at: expected x, y, z [m], got {shown(m.at)}"
    for name in ("reach", "width"):
        if not _real(getattr(m, name)) or float(getattr(m, name)) < 0:
            yield f"{who}: {name}: expected a length [m], got {shown(getattr(m, name))}"


def _pair(place):
    return (place, (0.0, 0.0, 0.0)) if isinstance(place, str) else (place[0], place[1])


def _flip(at):
    return (at[0], -at[1], at[2])


def _mirrored_body(b: Body) -> Body:
    I = np.array(inertia_matrix(b))
    S = np.diag([1.0, -1.0, 1.0])
    return replace(b, com=_flip(b.com), inertia=S @ I @ S)

"""Links and constraints that are alike but for their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..scalars import Floats, Value, digest, vector
from ..scalars.values import value
from ..spatial import Place, Pose
from .cache import once

if TYPE_CHECKING:
    from ..constraints import ConstraintElement
    from .system import Link, System


class Unlike(Exception):
    """A part of a model that no kind can be made of: straight-line code serves it."""


def _number(x: Any) -> Any:
    """A number as a float, or as the expression of parameters that it is."""
    return x if isinstance(x, Value) and value.symbols(x) else Floats().number(x)


def _numbers(link: Link) -> list:
    """Every number of a link: rotation, position, inertia, armature."""
    X, I = link.X_PF, link.inertia
    return [*map(_number, (*X.R.ravel(), *X.p, *I.parameters(), *link.armature))]


def _filled(x: Any) -> Any:
    """What is alike of two numbers: both are zero, both are not, or both have names in them."""
    return "named" if isinstance(x, Value) else x != 0


def _spelt(x: Any) -> str:
    try:
        return digest(x)
    except TypeError as error:
        raise Unlike("a value without a digest") from error


def quarter(X: Pose) -> tuple | None:
    """The rotation of a pose that turns by right angles."""
    own = X.R.ravel().tolist()
    return tuple(own) if all(isinstance(e, int) for e in own) else None


class Links:
    """The numbers of all links of a system, and what is alike of them."""

    def __init__(self, system: System):
        self.system = system
        self.numbers = [_numbers(k) for k in system.links]
        self.gravity = [*map(_number, system.gravity)]
        self.shapes = [
            (_spelt(k.joint), k.auxiliary, quarter(k.X_PF), *map(_filled, own))
            for k, own in zip(system.links, self.numbers, strict=True)
        ]


@once()
def links_of(system: System) -> Links:
    """The numbers of all links of a system."""
    return Links(system)


@once()
def alike_rows(system: System) -> list[tuple[list[int], list[Outline]]]:
    """Constraints, held and switched, by what they are apart from their numbers."""
    return alike(links_of(system), (*system.held, *system.switched))


def grouped(keys: Iterable) -> dict[Any, list[int]]:
    """Places of equal keys."""
    groups: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        groups.setdefault(key, []).append(i)
    return groups


def slots(links: Iterable[Link], what: str) -> list[int]:
    """Where the coordinates or speeds of some links are."""
    return [i for k in links for i in range(getattr(k, what).start, getattr(k, what).stop)]


@dataclass(frozen=True, eq=False)
class Outline:
    """An element whose numbers have names, `_r0_` and so on, and what else it is."""

    element: ConstraintElement
    numbers: list[Any]
    key: tuple


def masked(system: System, element: ConstraintElement) -> Outline:
    """An element with names instead of numbers, those made of parameters too."""
    numbers: list[Any] = []
    key: list = []
    own = [system.links[i - 1] for i in element.links]
    at = {0: 0} | {k.index: n for n, k in enumerate(own, 1)}
    places = {x: {s: n for n, s in enumerate(slots(own, x))} for x in "qv"}

    def take(x: Any) -> Any:
        x = _number(x)
        key.append(_filled(x))
        if not key[-1]:
            return 0
        numbers.append(x)
        return value.symbol(f"_r{len(numbers) - 1}_")

    def walk(x: Any) -> Any:
        if isinstance(x, Fraction) or (
            isinstance(x, Value) and system.parameters.keys() >= {*value.symbols(x)}
        ):
            return take(x)  # other numbers stay: those of tables have no names
        if isinstance(x, tuple):
            key.append(len(x))
            return tuple(map(walk, x))
        if isinstance(x, Place):
            key.append(at.get(x.link, -1))
            return Place(x.link, walk(x.X_LB))
        if isinstance(x, Pose):
            key.append(quarter(x))
            R = x.turns if key[-1] else vector(map(take, x.R.ravel())).reshape(3, 3)
            return Pose(R, vector(map(take, x.p)))
        key.append(_spelt(x))
        return x

    changed = {}
    for f in fields(element):
        x = getattr(element, f.name)
        if f.name in ("coordinates", "rates"):  # names and slots
            table = places["q" if f.name == "coordinates" else "v"]
            key.append(tuple((n, table[i]) for n, i in x))
        elif f.name not in ("name", "links"):
            changed[f.name] = walk(x)
    return Outline(replace(element, **changed), numbers, (type(element), *key))


def alike(
    links: Links, elements: Iterable[ConstraintElement]
) -> list[tuple[list[int], list[Outline]]]:
    """Constraints by what they are apart from their numbers, with the links that they read."""
    every, keys = [masked(links.system, e) for e in elements], []
    for m in every:
        own = [links.system.links[i - 1] for i in m.element.links]
        at = {0: 0} | {k.index: n for n, k in enumerate(own, 1)}
        parts = ((at.get(k.parent, -1), links.shapes[k.index - 1]) for k in own)
        keys.append((m.key, *parts))
    return [(own, [every[i] for i in own]) for own in grouped(keys).values()]

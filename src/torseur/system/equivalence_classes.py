"""Equivalence classes of links and constraints: equal up to their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..scalars import Floats, Value, digest, vector
from ..scalars.values import value
from ..spatial import FixedFrame, Pose
from .cache import once

if TYPE_CHECKING:
    from ..constraints import ConstraintElement
    from .system import Link, System


class NotEquivalent(Exception):
    """A part has no equivalence class. Straight-line code serves it."""


def _number(x: Any) -> Any:
    """A number as a float, or as the expression of parameters that it is."""
    return x if isinstance(x, Value) and value.symbols(x) else Floats().number(x)


def _numbers(link: Link) -> list:
    """All numbers of a link: rotation, position, inertia, armature."""
    X, I = link.X_PF, link.inertia
    return [*map(_number, (*X.R.ravel(), *X.p, *I.parameters(), *link.armature))]


def _kind_of_number(x: Any) -> Any:
    """Class of a number: zero, nonzero, or with names in it."""
    return "named" if isinstance(x, Value) else x != 0


def _digest_of(x: Any) -> str:
    try:
        return digest(x)
    except TypeError as error:
        raise NotEquivalent("a value without a digest") from error


def quarter(X: Pose) -> tuple | None:
    """Rotation matrix of a pose as a tuple, if its angles are right angles."""
    own = X.R.ravel().tolist()
    return tuple(own) if all(isinstance(e, int) for e in own) else None


class Links:
    """Numbers of all links of a system, and a structure key for each."""

    def __init__(self, system: System):
        self.system = system
        self.numbers = [_numbers(k) for k in system.links]
        self.gravity = [*map(_number, system.gravity)]
        self.shapes = [
            (_digest_of(k.joint), k.auxiliary, quarter(k.X_PF), *map(_kind_of_number, own))
            for k, own in zip(system.links, self.numbers, strict=True)
        ]


@once()
def links_of(system: System) -> Links:
    """Numbers of all links of a system, cached."""
    return Links(system)


@once()
def equivalent_constraints(system: System) -> list[tuple[list[int], list[MaskedElement]]]:
    """Bilateral and unilateral constraints by equivalence class."""
    return alike(links_of(system), (*system.held, *system.switched))


def grouped(keys: Iterable) -> dict[Any, list[int]]:
    """Indices of equal keys."""
    groups: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        groups.setdefault(key, []).append(i)
    return groups


def slots(links: Iterable[Link], what: str) -> list[int]:
    """Slots of the coordinates or speeds of some links."""
    return [i for k in links for i in range(getattr(k, what).start, getattr(k, what).stop)]


@dataclass(frozen=True, eq=False)
class MaskedElement:
    """An element with symbols `_r0_`, `_r1_`, ... for its numbers, the numbers, and its key."""

    element: ConstraintElement
    numbers: list[Any]
    key: tuple


def mask_numbers(system: System, element: ConstraintElement) -> MaskedElement:
    """Replace the numbers of an element, and expressions of parameters, by symbols."""
    numbers: list[Any] = []
    key: list = []
    links = [system.links[i - 1] for i in element.links]
    local_index = {0: 0} | {k.index: n for n, k in enumerate(links, 1)}
    local_slots = {x: {s: n for n, s in enumerate(slots(links, x))} for x in "qv"}

    def take(x: Any) -> Any:
        x = _number(x)
        key.append(_kind_of_number(x))
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
        if isinstance(x, FixedFrame):
            key.append(local_index.get(x.link, -1))
            return FixedFrame(x.link, walk(x.X_LB))
        if isinstance(x, Pose):
            key.append(quarter(x))
            R = x.turns if key[-1] else vector(map(take, x.R.ravel())).reshape(3, 3)
            return Pose(R, vector(map(take, x.p)))
        key.append(_digest_of(x))
        return x

    changed = {}
    for f in fields(element):
        x = getattr(element, f.name)
        if f.name in ("coordinates", "rates"):  # names and slots
            table = local_slots["q" if f.name == "coordinates" else "v"]
            key.append(tuple((n, table[i]) for n, i in x))
        elif f.name not in ("name", "links"):
            changed[f.name] = walk(x)
    return MaskedElement(replace(element, **changed), numbers, (type(element), *key))


def alike(
    links: Links, elements: Iterable[ConstraintElement]
) -> list[tuple[list[int], list[MaskedElement]]]:
    """Constraints grouped by structure, their links included."""
    masked_elements, keys = [mask_numbers(links.system, e) for e in elements], []
    for m in masked_elements:
        own = [links.system.links[i - 1] for i in m.element.links]
        at = {0: 0} | {k.index: n for n, k in enumerate(own, 1)}
        parts = ((at.get(k.parent, -1), links.shapes[k.index - 1]) for k in own)
        keys.append((m.key, *parts))
    return [(own, [masked_elements[i] for i in own]) for own in grouped(keys).values()]

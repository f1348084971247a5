"""Elastic shafts of a model: which rotor drives which coordinate, one behind the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import TorseurError
from ..numbers import values


@dataclass(frozen=True, slots=True)
class Shaft:
    """An elastic element between a rotor and the coordinate it drives; indices into q and v."""

    element: Any
    index: int  # of the element
    name: str  # of the rotor
    rotor: tuple[int, int]  # its coordinate and speed
    link: tuple[int, int]
    weights: tuple[float, float]
    level: int  # 1 at a joint, 2 behind another rotor, ...


def shafts(system, given, bound) -> list[Shaft]:
    """Shafts of every rotor whose motion is not given but follows, from the joints outwards."""
    rotors = {
        k.v.start: k
        for k in system.links
        if k.auxiliary and system.coordinates[k.q.start] not in given
    }
    joined = []
    for i, e in enumerate(system.elements):
        ends = {j: (q, values.nominal(values.exact(w), bound)) for q, j, w in e.weights}
        if len(ends) > 1 and any(j in rotors for j in ends):
            joined.append((i, e, ends))
    waiting = {j for *_, ends in joined for j in ends if j in rotors}
    found: list[Shaft] = []
    while waiting:
        level = max((x.level for x in found), default=0) + 1
        new = []
        for i, e, ends in joined:
            far = [j for j in ends if j in waiting]
            if len(ends) == 2 and len(far) == 1:
                near = next(j for j in ends if j != far[0])
                new.append(
                    Shaft(
                        e,
                        i,
                        rotors[far[0]].name,
                        (rotors[far[0]].q.start, far[0]),
                        (ends[near][0], near),
                        (ends[far[0]][1], ends[near][1]),
                        level,
                    )
                )
        if not new:
            names = ", ".join(repr(rotors[j].name) for j in sorted(waiting))
            raise TorseurError(
                f"inverse: {names}: no elastic shaft between two coordinates leads "
                "there, so nothing says how they turn; give their angles"
            )
        found += new
        waiting -= {x.rotor[1] for x in new}
    _check(system, found)
    return found


def _check(system, found):
    """Tells which shafts cannot be followed back, and why."""
    drivers = _drivers(system)
    for x in found:
        law = x.element.law
        if law.states or law.inputs or law.signals:
            raise TorseurError(
                f"inverse: shaft {x.element.name!r} has a {type(law).__name__} law "
                "with states or inputs of its own; a law of twist and rate is "
                "needed"
            )
        for end, what in ((x.link, "drive"), (x.rotor, "hold")):
            same = [y for y in found if (y.link, y.rotor)[what == "hold"] == end]
            if len(same) > 1:
                names = " and ".join(repr(y.element.name) for y in same)
                raise TorseurError(
                    f"inverse: {names} {what} one coordinate, "
                    f"{system.coordinates[end[0]]!r}: how they share its effort is "
                    "open"
                )
        beyond = [y.name for y in found if y.link == x.rotor]
        if x.name in drivers and beyond:
            raise TorseurError(
                f"inverse: {beyond[0]!r} turns beyond the motor {x.name!r}, and no "
                "motion of the joint says how; add its inertia to the motor's"
            )


def _drivers(system) -> set[str]:
    """Rotors that a drive or an input turns."""
    told = {f"{j.name}.{j.drive.motor}" for j in system.model.joints if j.drive is not None}
    owner = {k.v.start: k.name for k in system.links if k.auxiliary}
    return told | {
        owner[e.weights[0][1]]
        for e in system.elements
        if len(e.weights) == 1 and e.law.inputs and e.weights[0][1] in owner
    }

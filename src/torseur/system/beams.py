"""Beams lowered: rigid slices at quadrature nodes that read one block of modal coordinates.

Places where something holds a beam are slices too, without mass.  Theory: BE.1 to BE.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from ..errors import TorseurError
from ..joints import Carriage
from ..model import Beam
from ..numbers import IDLE, values, vector
from ..spatial import IDENTITY, Inertia, Place, Pose
from .beam_numbers import BeamNumbers
from .core import Link

SAME = 1e-9  # shares of a length nearer than that are one place


@dataclass(frozen=True, slots=True, eq=False)
class Span(Place):
    """The place of a beam: its section at x = 0, and the slices that hold something elsewhere."""

    bending: Any = field(default=None, metadata=IDLE)
    stations: tuple[tuple[float, Place], ...] = field(default=(), metadata=IDLE)

    def moved(self, X: Pose) -> Place:
        """The place of a pose on the beam: it goes with the section there."""
        name = self.bending.beam.name
        xi = self.bending.share(X.p[0], f"a place on {name!r}")
        for at, place in self.stations:
            if xi is not None and abs(at - xi) < SAME:
                return Place(place.link, place.X_LB @ Pose(X.turns, vector((0, *X.p[1:]))))
        raise TorseurError(
            f"beam {name!r} bends, and x = {X.p[0]} is no place that the model holds; give it a "
            "ts.Frame there"
        )


def bendings(reader, model) -> dict[str, BeamNumbers]:
    """The numbers of every beam of a model; problems go to the reader."""
    return {b.name: BeamNumbers(reader, b) for b in model.bodies if isinstance(b, Beam)}


class HeldBeam:
    """Where a beam is held, and by which section its joint holds it."""

    def __init__(self, bending: BeamNumbers):
        self.bending, self.origin = bending, 0.0
        self.shares: set[float] = {0.0}

    def add(self, x, who: str) -> None:
        xi = self.bending.share(x, who)
        if xi is not None and not any(abs(xi - y) < SAME for y in self.shares):
            self.shares.add(xi)


def holds(reader, model, joints, loops, frames) -> dict[str, HeldBeam]:
    """Every beam of a model with the places where something holds it."""
    found = {n: HeldBeam(b) for n, b in bendings(reader, model).items()}
    if not found:
        return {}
    taken = {j.name for j in (*model.joints, *model.loops, *model.rotors)}
    reader.problems += [
        f"body {name!r} is a beam and has coordinates of its own, so no joint, loop or rotor can "
        "have its name; rename one"
        for name in found
        if name in taken
    ]

    def placed(name, X, who):
        if name not in found:
            return
        if isinstance(X, Carriage):
            reader.problems.append(
                f"{who} moves with time on beam {name!r}, which bends; weld a body there and put "
                "it on that"
            )
        else:
            found[name].add(X.p[0], who)

    for j, (X_PF, X_CM, *_) in zip(model.joints, joints, strict=True):
        placed(j.parent, X_PF, f"joint {j.name!r}")
        if j.child in found:
            placed(j.child, X_CM, f"joint {j.name!r}")
            if not isinstance(X_CM, Carriage):
                own = found[j.child]
                own.origin = own.bending.share(X_CM.p[0], f"joint {j.name!r}") or 0.0
    for j, (X_PF, X_CM, *_) in zip(model.loops, loops, strict=True):
        placed(j.parent, X_PF, f"loop {j.name!r}")
        placed(j.child, X_CM, f"loop {j.name!r}")
    for f in model.frames:
        placed(f.body, frames[f.name], f"frame {f.name!r}")
    for kind in ("forces", "constraints"):
        for x in getattr(model, kind):
            who = f"{kind[:-1]} {getattr(x, 'name', '')!r}"
            for name, at in points(x, found):
                try:
                    found[name].add(values.exact(at[0]), who)
                except (TypeError, ValueError, ArithmeticError):
                    continue  # told where the point is read
    return found


def points(x: Any, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Pairs of one of these names and a point, anywhere in a description."""
    if isinstance(x, tuple | list):
        if len(x) == 2 and isinstance(x[0], str) and x[0] in names and _three(x[1]):
            yield x[0], x[1]
            return
        for e in x:
            yield from points(e, names)
    elif is_dataclass(x) and not isinstance(x, type):
        for f in fields(x):
            yield from points(getattr(x, f.name), names)


def _three(x: Any) -> bool:
    return isinstance(x, tuple | list | np.ndarray) and len(x) == 3


def add_slices(links: list[Link], base: Place, held: HeldBeam) -> Span:
    """Append the slices of a beam that `base` holds at its origin, and say where its places are."""
    own, origin = held.bending, held.origin
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    n = len(own.names)
    q, v, none, first = slice(nq, nq + n), slice(nv, nv + n), vector((0,) * n), len(links) + 1
    nothing = Inertia(0, vector((0,) * 3), vector((0,) * 6))

    def added(xi: float, inertia: Inertia) -> Place:
        away = own.length * values.exact(xi - origin)
        X = base.X_LB @ Pose(p=vector((away, 0, 0)))
        index = len(links) + 1
        name = own.beam.name
        joint, reads = own.section(xi, origin), 0 if index == first else first
        link = Link(index, name, name, base.link, joint, X, inertia, none, none, q, v, reads=reads)
        links.append(link)
        return Place(index, IDENTITY)

    for xi, weight in zip(*own.nodes, strict=True):
        added(float(xi), own.inertia(float(weight)))
    stations = []
    for xi in sorted(held.shares):
        at_base = abs(xi - origin) < SAME
        stations.append((xi, base if at_base else added(xi, nothing)))
    root = stations[0][1]
    return Span(root.link, root.X_LB, own, tuple(stations))


def strained(beams: Iterable[HeldBeam]) -> tuple[Any, ...]:
    """Forces of the strain of every beam, one a mode."""
    from ..forces import JointForce, Parallel, Spring, Viscous

    out = []
    for one in beams:
        name = one.bending.beam.name
        for mode, k, c in one.bending.strains():
            law: Any = Spring(k) if c == 0 else Parallel(Spring(k), Viscous(c))
            out.append(JointForce(f"{name}.{mode}", name, law, mode))
    return tuple(out)

"""Lowering of constraints to rows, with problems in the user's names."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from ...constraints import Constraint, ConstraintElement, between, constraint
from ...errors import misfits, said, shown, unknown_name_message
from ...joints import unit_axis
from ...scalars import Value, parse, vector
from ...scalars.values import value as values
from ...spatial import IDENTITY, WORLD, FixedFrame, Inertia, Pose
from ..system import Link

_DOTTED = re.compile(r"[A-Za-z_][\w ]*?\.[A-Za-z_]\w*")


class ConstraintLowering:
    """Lowers constraints to elements and collects problems."""

    def __init__(self, reader, links, places, model):
        self.reader, self.links, self.places, self.model = reader, links, places, model
        self.problems, self.nominals = reader.problems, reader.nominals
        self.warnings = reader.warnings
        self.number, self.nominal = reader.number, reader.nominal
        self.q = {
            f"{k.name}.{n}": (k.q.start + i, k.index, unit)
            for k in links
            for i, (n, unit) in enumerate(k.joint.coordinates)
        }
        self.v = {
            f"{k.name}.{n}": (k.v.start + i, k.index, unit)
            for k in links
            for i, (n, unit) in enumerate(k.joint.speeds)
        }

    @staticmethod
    def where(c) -> str:
        """Beginning of a message about a constraint."""
        return f"constraint {c.name!r}"

    def fixed_frame(self, point, where) -> FixedFrame:
        name, at = (
            (point, (0, 0, 0))
            if not isinstance(point, tuple | list)
            else (point if len(point) == 2 else (shown(point), (0, 0, 0)))
        )
        if not isinstance(name, str) or name not in self.places:
            self.problems.append(unknown_name_message("body or frame", name, self.places, where))
            return WORLD
        P = self.places[name]
        p = self.reader.array(at, (3,), f"{where}, point", "m")
        return P.moved(Pose(p=p))

    def axis(self, given, where, of=unit_axis) -> tuple:
        try:
            return of(given)
        except ValueError as e:
            self.problems.append(f"{where}: {said(e)}")
            return of("z")

    def links_of(self, *places) -> tuple[int, ...]:
        up, down = between(self.links, places[0].link, places[1].link)
        return tuple(sorted({*up, *down}))

    def expression(self, text, where, *, extra=(), speeds=False):
        """An expression with dotted names of coordinates, as (value, coordinates, speeds)."""
        slots = self.q | (self.v if speeds else {})
        q_used: dict[str, Any] = {}
        v_used: dict[str, Any] = {}
        original, text = text, str(text)
        for name in sorted(slots, key=len, reverse=True):
            if name not in text:
                continue
            symbol = "x_" + re.sub(r"\W", "_", name)
            pattern = rf"(?<![\w.]){re.escape(name)}(?!\w)"
            text, n = re.subn(pattern, symbol, text)
            if n:
                (q_used if name in self.q else v_used)[symbol] = slots[name]
        for name in _DOTTED.findall(text):
            kind = "coordinate or speed" if speeds else "coordinate"
            self.problems.append(unknown_name_message(kind, name, slots, where))
            return 0, {}, {}
        try:
            value = parse(text)
        except ValueError as e:
            self.problems.append(f"{where}: {said(e)}")
            return 0, {}, {}
        moving = [*_user_names(q_used, self.q), *({"t"} & {*values.symbols(value)} - {*extra})]
        if extra and moving:
            self.problems.append(
                f"{where}: {original!r} may have {', '.join(extra)} and parameters "
                f"in it, not {', '.join(moving)}; put it on a body that moves"
            )
        free = {*q_used, *v_used, "t", *extra}
        if isinstance(value, Value) and self.model.parameters:
            for name in values.symbols(value):
                if name not in free and name not in self.model.parameters:
                    known_names = (*slots, "t", *extra, *self.model.parameters)
                    self.problems.append(
                        unknown_name_message("coordinate or parameter", name, known_names, where)
                    )
        return value, q_used, v_used

    def coordinate(self, name, where) -> tuple[int, int, str]:
        """Slot in q, link and unit of a coordinate."""
        if name not in self.q:
            self.problems.append(unknown_name_message("coordinate", name, self.q, where))
            return (0, 1, "1")
        return self.q[name]

    def on_beam(self, link: int) -> bool:
        """Whether a link is a slice of a beam."""
        return any(k.reads and link in (k.index, k.reads) for k in self.links)

    def auxiliary_link(self, c):
        """The link of the coordinate that belongs to a constraint."""
        return next((k for k in self.links if k.name == c.name and k.auxiliary), None)

    def speeds_in(self, used) -> list[str]:
        """The user's names of the speeds of an expression."""
        return _user_names(used, self.v)

    def lower(self, c) -> list[ConstraintElement]:
        if isinstance(c, Constraint):
            with misfits(self.where(c), self.problems):
                return c.rows(self)
            return []
        self.problems.append(f"constraint {c!r} is not one of {', '.join(constraint)}")
        return []


def _user_names(used, known) -> list[str]:
    """The user's names of the slots of an expression."""
    return [n for n, slot in known.items() if slot in used.values()]


def _check_friction_normals(held, problems):
    """Check that the normals which frictions name exist."""
    rows = {f"{e.name}.{label}" for e in held for label in e.labels if e.friction is None}
    alone = {e.name for e in held if e.size == 1 and e.friction is None}
    for e in held:
        n = e.friction.normal if e.friction else None
        if n not in (None, "joint") and n not in rows | alone:
            problems.append(
                unknown_name_message(
                    "constraint", n, rows | alone, f"constraint {e.name!r}, normal"
                )
            )


def add_constraint_coordinates(links, constraints) -> tuple[Link, ...]:
    """Append an auxiliary link for each coordinate of a constraint."""
    links = list(links)
    for c in constraints:
        if isinstance(c, Constraint) and (joint := c.own_coordinate()) is not None:
            nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
            zeros = vector((0,) * joint.nv)
            links.append(
                Link(
                    len(links) + 1,
                    c.name,
                    c.name,
                    0,
                    joint,
                    IDENTITY,
                    Inertia(0, vector((0, 0, 0)), vector((0,) * 6)),
                    zeros,
                    zeros,
                    slice(nq, nq + joint.nq),
                    slice(nv, nv + joint.nv),
                    True,
                )
            )
    return tuple(links)


def lower(reader, links, places, model) -> tuple[ConstraintElement, ...]:
    """Elements of all constraints of a model.  Problems go to the reader."""
    counts = Counter(
        x.name
        for x in (*model.joints, *model.loops, *model.rotors, *model.forces, *model.constraints)
    )
    for c in model.constraints:
        if counts[c.name] > 1:
            reader.problems.append(
                f"constraint {c.name!r} shares its name with another element; "
                "names of joints, loops, forces and constraints must differ"
            )
    lowering = ConstraintLowering(reader, links, places, model)
    found = tuple(e for c in model.constraints for e in lowering.lower(c))
    _check_friction_normals(found, reader.problems)
    return found

"""Constraints of a description lowered to rows, with problems told in the user's names."""

from __future__ import annotations

import re
from collections import Counter

from ..errors import TorseurError, shown, unknown_name
from ..joints import across, unit_axis
from ..model import constraints as described
from ..numbers import Number, Value, values
from ..spatial import Pose
from . import curves
from .contacts import Blade, Contact, ContactLaw, FrictionLaw, Sliding, Slip
from .core import Place
from .rows import (
    WORLD,
    ConstraintElement,
    Formula,
    LoopRows,
    PointRows,
    Relative,
    Rod,
    SurfaceRows,
    between,
)

_DOTTED = re.compile(r"[A-Za-z_][\w ]*?\.[A-Za-z_]\w*")


class Lowering:
    """Turns described constraints into elements, and notes problems in the user's names."""

    def __init__(self, reader, links, places, model):
        self.reader, self.links, self.places, self.model = reader, links, places, model
        self.problems = reader.problems
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

    def place(self, point, where) -> Place:
        name, at = (
            (point, (0, 0, 0))
            if not isinstance(point, tuple | list)
            else (point if len(point) == 2 else (shown(point), (0, 0, 0)))
        )
        if not isinstance(name, str) or name not in self.places:
            self.problems.append(unknown_name("body or frame", name, self.places, where))
            return WORLD
        P = self.places[name]
        p = self.reader.array(at, (3,), f"{where}, point", "m")
        return Place(P.link, P.X_LB @ Pose(p=p))

    def axis(self, given, where, of=unit_axis) -> tuple:
        try:
            return of(given)
        except ValueError as e:
            self.problems.append(f"{where}: {e}")
            return of("z")

    def links_of(self, *places) -> tuple[int, ...]:
        up, down = between(self.links, places[0].link, places[1].link)
        return tuple(sorted({*up, *down}))

    def expression(self, text, where, *, extra=(), speeds=False):
        """An expression with dotted names of coordinates, as (value, coordinates, speeds)."""
        known = self.q | (self.v if speeds else {})
        q_used, v_used, given, text = {}, {}, text, str(text)
        for name in sorted(known, key=len, reverse=True):
            if name not in text:
                continue
            held = "x_" + re.sub(r"\W", "_", name)
            pattern = rf"(?<![\w.]){re.escape(name)}(?!\w)"
            text, n = re.subn(pattern, held, text)
            if n:
                (q_used if name in self.q else v_used)[held] = known[name]
        for name in _DOTTED.findall(text):
            kind = "coordinate or speed" if speeds else "coordinate"
            self.problems.append(unknown_name(kind, name, known, where))
            return 0, {}, {}
        try:
            value = values.parse(text)
        except ValueError as e:
            self.problems.append(f"{where}: {e}")
            return 0, {}, {}
        moving = [*_named(q_used, self.q), *({"t"} & {*values.symbols(value)} - {*extra})]
        if extra and moving:
            self.problems.append(
                f"{where}: {given!r} may have {', '.join(extra)} and parameters "
                f"in it, not {', '.join(moving)}; put it on a body that moves"
            )
        free = {*q_used, *v_used, "t", *extra}
        if isinstance(value, Value) and self.model.parameters:
            for name in values.symbols(value):
                if name not in free and name not in self.model.parameters:
                    known_names = (*known, "t", *extra, *self.model.parameters)
                    self.problems.append(
                        unknown_name("coordinate or parameter", name, known_names, where)
                    )
        return value, q_used, v_used

    def lower(self, c) -> list[ConstraintElement]:
        where = f"constraint {c.name!r}"
        match c:
            case described.Distance():
                F, M = self.place(c.b, where), self.place(c.a, where)
                L = self.reader.number(c.length, f"{where}, length [m]")
                if isinstance(L, Number) and L <= 0:
                    self.problems.append(
                        f"{where} has length {float(L):g} m; use more than zero, "
                        "or ts.Spherical as a loop"
                    )
                    L = 1
                return [Rod(c.name, self.links_of(F, M), ("length",), ("m",), F=F, M=M, length=L)]
            case described.PointOnLine() | described.PointOnPlane():
                F, M = self.place(c.through, where), self.place(c.point, where)
                if isinstance(c, described.PointOnPlane):
                    directions, labels = (self.axis(c.normal, where),), ("height",)
                    offset = self.reader.number(c.height, f"{where}, height [m]")
                else:
                    directions, offset = self.axis(c.direction, where, across), 0
                    labels = ("across1", "across2")
                return [
                    PointRows(
                        c.name,
                        self.links_of(F, M),
                        labels,
                        ("m",) * len(labels),
                        F=F,
                        M=M,
                        directions=directions,
                        offset=offset,
                    )
                ]
            case described.PointOnSurface():
                F, M = self.place(c.on, where), self.place(c.point, where)
                read = [self.expression(e, where, extra="xyz")[0] for e in c.equations]
                if not 1 <= len(read) <= 2:
                    self.problems.append(
                        f"{where} has {len(read)} equations; give one for a "
                        "surface, two for a curve"
                    )
                labels = tuple(f"equation{i + 1}" for i in range(len(read)))
                return [
                    SurfaceRows(
                        c.name,
                        self.links_of(F, M),
                        labels,
                        ("1",) * len(read),
                        F=F,
                        M=M,
                        equations=tuple(read),
                    )
                ]
            case described.Coupling() | described.Driven() | described.Holonomic():
                return [self._formula(c, where)]
            case described.Pfaffian():
                value, q_used, v_used = self.expression(c.expression, where, speeds=True)
                if not v_used and value != 0:
                    self.problems.append(
                        f"{where}: {c.expression!r} has no speed in it; use ts.Holonomic"
                    )
                elif not _linear(value, q_used, v_used, self.reader.nominals):
                    self.problems.append(
                        f"{where}: {c.expression!r} is not linear in "
                        f"{', '.join(_named(v_used, self.v))}"
                    )
                return [self._element(c.name, ("rate",), ("1/s",), (value,), q_used, v_used, True)]
            case described.Rolling():
                return self._rolling(c, where)
            case described.KnifeEdge():
                F, M = WORLD, self.place(c.blade, where)
                return [
                    Blade(
                        c.name,
                        self.links_of(F, M),
                        ("across",),
                        ("m/s",),
                        True,
                        F=F,
                        M=M,
                        axis=self.axis(c.across, where),
                    )
                ]
            case described.DryFriction():
                return [self._friction(c, where)]
            case described.Contact():
                return self._contact(c, where)
            case described.PointOnCurve():
                return [curves.lower(self, c, where)]
        known = ", ".join(k.__name__ for k in described.CONSTRAINTS)
        self.problems.append(f"constraint {c!r} is not one of {known}")
        return []

    def _element(
        self, name, labels, units, expressions, q_used, v_used=(), speeds=False, friction=None
    ):
        links = {k for _, k, _ in (*q_used.values(), *dict(v_used).values())}
        return Formula(
            name,
            tuple(sorted(links)),
            labels,
            units,
            speeds,
            expressions=expressions,
            coordinates=tuple((n, i) for n, (i, *_) in q_used.items()),
            rates=tuple((n, i) for n, (i, *_) in dict(v_used).items()),
            friction=friction,
        )

    def _formula(self, c, where) -> Formula:
        if isinstance(c, described.Holonomic):
            value, q_used, _ = self.expression(c.expression, where)
            if not q_used and value != 0:
                self.problems.append(f"{where}: {c.expression!r} has no coordinate in it")
            return self._element(c.name, ("value",), ("1",), (value,), q_used)
        if isinstance(c, described.Driven):
            motion, followed, _ = self.expression(c.motion, where)
            slot = self._coordinate(c.coordinate, where)
            return self._element(
                c.name,
                ("lag",),
                (slot[2],),
                (values.symbol("x_") - motion,),
                {"x_": slot} | followed,
            )
        total, used = -self.reader.number(c.offset, f"{where}, offset"), {}
        for i, (name, ratio) in enumerate(c.ratios.items()):
            used[f"x_{i}"] = self._coordinate(name, where)
            total = values.symbol(f"x_{i}") * self.reader.number(ratio, f"{where}, ratio") + total
        return self._element(c.name, ("relation",), (_unit(c.ratios, used),), (total,), used)

    def _coordinate(self, name, where):
        if name not in self.q:
            self.problems.append(unknown_name("coordinate", name, self.q, where))
            return (0, 1, "1")
        return self.q[name]

    def _friction(self, c, where) -> ConstraintElement:
        given = {
            n: None if (x := getattr(c, n)) is None else self.reader.number(x, f"{where}, {n}")
            for n in ("force", "static", "coefficient", "static_coefficient", "radius")
        }
        if (c.force is None) == (c.coefficient is None):
            self.problems.append(f"{where}: give either force= or coefficient= with normal=")
        elif (c.coefficient is None) != (c.normal is None):
            self.problems.append(f"{where}: coefficient= and normal= go together")
        low, high = (
            (given["force"], given["static"])
            if c.coefficient is None
            else (given["coefficient"], given["static_coefficient"])
        )
        high = self._coefficients(low, high, where)
        link = 0
        if isinstance(c.of, str):
            slot, link, unit = self._coordinate(c.of, where)
            k = self.links[link - 1]
            if not k.joint.holonomic:
                self.problems.append(f"{where}: {c.of!r} is not a coordinate whose rate is a speed")
            v = {"x_": (k.v.start + slot - k.q.start, link, unit)}
            law = FrictionLaw(low, high, c.normal, given["radius"], link)
            return self._element(
                c.name, ("slide",), (f"{unit}/s",), (values.symbol("x_"),), {}, v, True, law
            )
        if not (isinstance(c.of, tuple | list) and 2 <= len(c.of) <= 3):
            self.problems.append(
                f"{where}: of={shown(c.of)}; give a coordinate, or (body or "
                "frame, axis or two axes, ground)"
            )
            return Sliding(c.name, (), ("slide",), ("m/s",), True)
        frame, axis, *ground = c.of
        F, M = self.place(ground[0] if ground else "world", where), self.place(frame, where)
        both = isinstance(axis, tuple | list) and len(axis) == 2
        axes = tuple(self.axis(x, where) for x in (axis if both else (axis,)))
        if (
            both
            and abs(
                sum(
                    values.nominal(x, {}) * values.nominal(y, {})
                    for x, y in zip(*axes, strict=True)
                )
            )
            > 1e-12
        ):
            self.problems.append(
                f"{where}: the axes {axis[0]!r} and {axis[1]!r} of its plane are "
                "not at right angles"
            )
        if c.normal == "joint" and not both:
            self.problems.append(
                f"{where}: normal='joint' along one axis of a frame; give a "
                "coordinate, or two axes of a plane"
            )
        law = FrictionLaw(low, high, c.normal, given["radius"], M.link)
        labels = ("slide1", "slide2") if both else ("slide",)
        return Sliding(
            c.name,
            self.links_of(F, M),
            labels,
            ("m/s",) * len(labels),
            True,
            law,
            F=F,
            M=M,
            axes=axes,
        )

    def _coefficients(self, low, high, where):
        """The static friction of two, after the checks of both."""
        high = low if high is None else high
        for x in dict.fromkeys((low, high)):
            if isinstance(x, Number) and x < 0:
                self.problems.append(f"{where}: friction of {float(x):g}; use zero or more")
        if isinstance(low, Number) and isinstance(high, Number) and high < low:
            self.problems.append(
                f"{where}: static friction {float(high):g} is less than sliding "
                f"friction {float(low):g}"
            )
        return high

    def _rolling(self, c, where) -> list[ConstraintElement]:
        F, M = self.place(c.ground, where), self.place(c.wheel, where)
        r = self.reader.number(c.radius, f"{where}, radius [m]")
        if isinstance(r, Number) and r <= 0:
            self.problems.append(f"{where} has radius {float(r):g} m; use more than zero")
        common = {
            "F": F,
            "M": M,
            "normal": self.axis(c.normal, where),
            "radius": r,
            "sides": self.axis(c.normal, where, across),
            "axis": None if c.axis is None else self.axis(c.axis, where),
        }
        links = self.links_of(F, M)
        return [
            Contact(c.name, links, ("normal",), ("m",), **common),
            Slip(c.name, links, ("slip1", "slip2"), ("m/s", "m/s"), True, **common),
        ]

    def _contact(self, c, where) -> list[ConstraintElement]:
        F, M = self.place(c.ground, where), self.place(c.point, where)
        names = {"radius": "m", "restitution": "1", "friction": "1", "rest_speed": "m/s"}
        r, e, low, slow = (
            self.reader.number(getattr(c, n), f"{where}, {n} [{unit}]") for n, unit in names.items()
        )
        for n, x in (("radius", r), ("rest_speed", slow)):
            if isinstance(x, Number) and x < 0:
                self.problems.append(f"{where} has {n} {float(x):g} {names[n]}; use zero or more")
        if isinstance(e, Number) and not 0 <= e <= 1:
            self.problems.append(
                f"{where} has restitution {float(e):g}; use a number from zero "
                "(stays) to one (loses nothing)"
            )
        if c.axis is not None and r == 0:
            self.problems.append(f"{where} has an axis but no radius; give the radius of the disc")
        high = (
            None
            if c.static_friction is None
            else self.reader.number(c.static_friction, f"{where}, static_friction")
        )
        high = self._coefficients(low, high, where)
        common = {
            "F": F,
            "M": M,
            "normal": self.axis(c.normal, where),
            "radius": r,
            "sides": self.axis(c.normal, where, across),
            "axis": None if c.axis is None else self.axis(c.axis, where),
        }
        if c.surface is not None:
            common["equations"] = (self.expression(c.surface, where, extra="xyz")[0],)
            if not {*"xyz"} & {*values.symbols(common["equations"][0])}:
                self.problems.append(f"{where}: surface {c.surface!r} has no x, y or z in it")
            if r != 0 or c.axis is not None:
                self.problems.append(
                    f"{where}: on a surface= the contact is a point; leave radius "
                    "and axis out, or offset the surface by the radius"
                )
        links = self.links_of(F, M)
        if not links:
            self.problems.append(f"{where}: its point {c.point!r} cannot move against its ground")
        found = [Contact(c.name, links, ("normal",), ("m",), contact=ContactLaw(e, slow), **common)]
        if low != 0 or high != 0:
            law = FrictionLaw(low, high, f"{c.name}.normal")
            found.append(
                Slip(c.name, links, ("slip1", "slip2"), ("m/s", "m/s"), True, law, **common)
            )
        return found


def _unit(ratios, used) -> str:
    """Of a linear relation: that of a coordinate taken once (a rack's), or of all of them."""
    units = [unit for _, _, unit in used.values()]
    once = [unit for unit, x in zip(units, ratios.values(), strict=True) if x == 1]
    return once[0] if once else units[0] if len({*units}) == 1 else "1"


def _named(used, known) -> list[str]:
    """The user's names of the slots of an expression."""
    return [n for n, slot in known.items() if slot in used.values()]


def _linear(value, q_used, v_used, parameters) -> bool:
    """Whether an expression is of first degree in its speeds, as far as numbers can tell."""
    at = parameters | {n: 0.37 + 0.21 * i for i, n in enumerate((*q_used, "t"))}
    speeds = {n: 0.53 + 0.31 * i for i, n in enumerate(v_used)}
    try:
        f = [
            values.nominal(value, at | {n: k * x for n, x in speeds.items()}) for k in (-1, 0, 1, 2)
        ]
    except (TorseurError, ArithmeticError, ValueError, LookupError):  # no number, or none here
        return True
    bends = (f[0] - 2 * f[1] + f[2], f[1] - 2 * f[2] + f[3])
    return not max(map(abs, bends)) > 1e-9 * max(map(abs, f))


def _frictions(held, problems):
    """Check that normals named by frictions exist."""
    rows = {f"{e.name}.{label}" for e in held for label in e.labels if e.friction is None}
    alone = {e.name for e in held if e.size == 1 and e.friction is None}
    for e in held:
        n = e.friction.normal if e.friction else None
        if n not in (None, "joint") and n not in rows | alone:
            problems.append(
                unknown_name("constraint", n, rows | alone, f"constraint {e.name!r}, normal")
            )


def lower(reader, links, places, model) -> tuple[ConstraintElement, ...]:
    """Every constraint of a model as elements; problems go to the reader."""
    taken = Counter(
        x.name
        for x in (*model.joints, *model.loops, *model.rotors, *model.forces, *model.constraints)
    )
    for c in model.constraints:
        if taken[c.name] > 1:
            reader.problems.append(
                f"constraint {c.name!r} shares its name with another element; "
                "names of joints, loops, forces and constraints must differ"
            )
    lowering = Lowering(reader, links, places, model)
    found = tuple(e for c in model.constraints for e in lowering.lower(c))
    _frictions(found, reader.problems)
    return found


def memory(element: ConstraintElement) -> tuple[str, ...]:
    """Names of the numbers that the switch of an element keeps between events."""
    if element.contact:
        return ("contact",)
    return ("mode",) if element.size == 1 else ("mode", "slip1", "slip2")


def watched(element: ConstraintElement) -> tuple[tuple[str, str, bool], ...]:
    """Guards of a contact or friction: what, unit, and whether it concerns more than its memory."""
    if element.contact:
        return (("lifts off", "N", True), ("lands", "m", True), ("turns back", "m/s", False))
    every = (("stops", "m/s", True), ("breaks loose", "N", True), ("turns", "m/s", False))
    return every[: 2 if element.size == 1 else 3]


__all__ = [
    "ConstraintElement",
    "LoopRows",
    "Lowering",
    "Relative",
    "lower",
    "memory",
    "watched",
]

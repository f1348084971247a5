"""Constraints lowered to residuals over any scalar.

Each lowered constraint says which links its residual depends on (`links`, a path of tree indices),
how many rows it has, whether they are of positions or of speeds, and what they are called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import values
from ..errors import unknown_name
from ..joints import Prismatic, Revolute, Spherical, Universal, Weld
from ..joints._axes import across, unit_axis
from ..model import constraints as described
from ..scalar import vector
from ..spatial import IDENTITY, Pose, Twist, cross
from ..values import Number, Value
from .core import Closure, Place, pose_over

WORLD = Place(0, IDENTITY)


class Bound:
    """A scalar kind with extra names bound, for expressions of coordinates."""

    def __init__(self, K, names: Mapping[str, Any]):
        self._K, self._names = K, names

    def __getattr__(self, name):
        return getattr(self._K, name)

    def number(self, x):
        return x.over(self) if hasattr(x, "over") else self._K.exact(x)

    def parameter(self, name):
        return self._names[name] if name in self._names else self._K.parameter(name)


def path(links, index: int) -> tuple[int, ...]:
    """Indices of links from the root to `index`."""
    out: list[int] = []
    while index:
        out.append(index)
        index = links[index - 1].parent
    return tuple(reversed(out))


def between(links, a: int, b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Paths from the closest common ancestor to links `a` and `b`."""
    up, down = path(links, a), path(links, b)
    n = 0
    while n < min(len(up), len(down)) and up[n] == down[n]:
        n += 1
    return up[n:], down[n:]


def chain(tree, indices, q, start=IDENTITY) -> Pose:
    """Pose of the last link of a path in the parent of the first (or in another frame there)."""
    X = start
    for i in indices:
        k = tree.links[i - 1]
        X = X @ k.X_PF @ k.joint.pose(tree.K, q[k.q])
    return X


def chain_twist(tree, indices, q, v) -> tuple[Pose, Twist]:
    """Pose and twist of the last link of a path, relative to the parent of the first."""
    X, V = IDENTITY, Twist()
    for i in indices:
        k = tree.links[i - 1]
        step = k.X_PF @ k.joint.pose(tree.K, q[k.q])
        X, V = X @ step, step.pull_twist(V) + Twist.of(k.joint.subspace(tree.K, q[k.q]) @ v[k.v])
    return X, V


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A lowered constraint: rows of positions (or of speeds when `speeds`)."""

    name: str
    links: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]                        # of the residuals
    speeds: bool = False
    friction: Any = None                          # a row with a switch

    def residual(self, tree, t, q) -> np.ndarray:
        """Position residuals, one a row."""
        raise TypeError(f"constraint {self.name!r} is one of speeds")

    def rate(self, tree, t, q, v) -> np.ndarray:
        """Speed residuals, linear in v, one a row."""
        raise TypeError(f"constraint {self.name!r} is one of positions")

    def numbers(self):
        """Exact numbers it carries."""
        return ()

    def digest(self) -> str:
        """Text of everything that decides its mathematics."""
        parts = (getattr(self, n, None) for n in ("equations", "expressions", "coordinates",
                                                  "rates", "joint", "axis"))
        places = [getattr(self, n).link for n in ("F", "M") if hasattr(self, n)]
        return repr((type(self).__name__, self.links, self.labels, places,
                     [str(x) for x in self.numbers()], *parts,
                     self.friction and repr(self.friction)))

    @property
    def size(self) -> int:
        return len(self.labels)

    @property
    def drives(self) -> bool:
        """Whether it depends on time, and so can do work."""
        read = getattr(self, "expressions", ())
        return any(isinstance(e, Value) and "t" in values.symbols(e) for e in read)


@dataclass(frozen=True, slots=True, eq=False)
class Relative(Element):
    """A residual of the pose of frame M seen from frame F, on two links."""

    F: Place = WORLD
    M: Place = WORLD

    def pose(self, tree, q) -> Pose:
        """`X_FM`, from the closest common ancestor only."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        X_AF = chain(tree, up, q) @ pose_over(K, self.F.X_LB)
        X_AM = chain(tree, down, q) @ pose_over(K, self.M.X_LB)
        return X_AF.inverse() @ X_AM                                                  # CO.1

    def twist(self, tree, q, v) -> tuple[Pose, Twist]:
        """`X_FM` and the twist of M relative to F, components in M."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        X_LF, X_LM = pose_over(K, self.F.X_LB), pose_over(K, self.M.X_LB)
        (X_A, V_A), (X_B, V_B) = (chain_twist(tree, i, q, v) for i in (up, down))
        X_FM = (X_A @ X_LF).inverse() @ (X_B @ X_LM)
        return X_FM, X_LM.pull_twist(V_B) - X_FM.pull_twist(X_LF.pull_twist(V_A))

    def numbers(self):
        return (*self.F.X_LB.R.ravel(), *self.F.X_LB.p, *self.M.X_LB.R.ravel(), *self.M.X_LB.p)


@dataclass(frozen=True, slots=True, eq=False)
class LoopRows(Relative):
    """A joint as a loop."""

    joint: Any = None

    def closure(self, K, X_FM) -> np.ndarray:
        return vector(self.joint.closure(K, X_FM))

    def from_base(self, tree, q) -> tuple[Pose, Pose]:
        """F and M seen from the inboard frame of a first joint of the loop, which does not turn."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        base = tree.links[(down or up)[0] - 1].X_PF.inverse()
        return (chain(tree, up, q, base) @ pose_over(K, self.F.X_LB),
                chain(tree, down, q, base) @ pose_over(K, self.M.X_LB))

    def residual(self, tree, t, q):
        """The closure; where it asks that the origins meet, along axes that cost least."""
        X_BF, X_BM = self.from_base(tree, q)
        rows = self.closure(tree.K, Pose((*X_BF.inverse().turns, *X_BM.turns), X_BF.unrotate(
            X_BM.p - X_BF.p)))
        if self.meets:
            rows[:3] = X_BM.p - X_BF.p                                                # CO.10
        return rows

    @property
    def meets(self) -> bool:
        """Whether the first three residuals are the position of M in F."""
        return isinstance(self.joint, Revolute | Spherical | Universal | Weld)

    def reversed(self, tree, q) -> bool:
        """Whether the residuals vanish with an axis the wrong way round (floats only)."""
        R = np.array(self.pose(tree, q).R, dtype=float)
        if isinstance(self.joint, Weld | Prismatic):
            return bool(np.trace(R) < 2)
        axis = getattr(self.joint, "axis", getattr(self.joint, "normal", None))
        if axis is None:
            return False
        u = np.array(tree.K.numbers(unit_axis(axis)), dtype=float)
        return bool(u @ R @ u < 0)


@dataclass(frozen=True, slots=True, eq=False)
class Rod(Relative):
    """Points a fixed distance apart; the residual is linear in the distance at its zero."""

    length: Any = 1

    def closure(self, K, X_FM):
        L = K.number(self.length)
        return vector((K.divide(X_FM.p @ X_FM.p - L * L, 2 * L),))                    # CO.6

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), self.length)


@dataclass(frozen=True, slots=True, eq=False)
class PointRows(Relative):
    """Components of M's origin in F along fixed directions, against fixed numbers."""

    directions: tuple = ()
    offset: Any = 0

    def closure(self, K, X_FM):
        return vector(K.numbers(u) @ X_FM.p - K.number(self.offset) for u in self.directions)

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), *(e for u in self.directions for e in u), self.offset)


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceRows(Relative):
    """Expressions of the components x, y, z of M's origin in F."""

    equations: tuple = ()

    def closure(self, K, X_FM):
        bound = Bound(K, dict(zip("xyz", X_FM.p, strict=True)))
        return vector(bound.number(e) for e in self.equations)

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))


@dataclass(frozen=True, slots=True, eq=False)
class Formula(Element):
    """Expressions of coordinates (and speeds) of the system, and of time."""

    expressions: tuple = ()
    coordinates: tuple = ()                      # (symbol in the expression, slot of q)
    rates: tuple = ()                            # (symbol, slot of v)

    def _evaluate(self, tree, t, q, v=None):
        names = {n: q[i] for n, i in self.coordinates} | {"t": t}
        names |= {n: v[i] for n, i in self.rates} if v is not None else {}
        bound = Bound(tree.K, names)
        return vector(bound.number(e) for e in self.expressions)

    def residual(self, tree, t, q):
        return self._evaluate(tree, t, q)

    def rate(self, tree, t, q, v):
        return self._evaluate(tree, t, q, v)


@dataclass(frozen=True, slots=True, eq=False)
class Contact(Relative):
    """Height of a disc or sphere over a plane; F is the ground, M the wheel's centre."""

    normal: tuple = (0, 0, 1)
    sides: tuple = ()                            # unit vectors across the normal
    axis: tuple | None = None
    radius: Any = 1

    def arm(self, K, X_FM) -> tuple[Any, np.ndarray]:
        """Height of the centre over the plane at contact, and the arm to the contact, in F."""
        n, r = K.numbers(self.normal), K.number(self.radius)
        if self.axis is None:
            return r, n * -r
        a = X_FM.rotate(K.numbers(self.axis))
        c = n @ a
        sine = K.sqrt(1 - c * c)
        return r * sine, (a * c - n) * K.divide(r, sine)                              # CO.7

    def closure(self, K, X_FM):
        height, _ = self.arm(K, X_FM)
        return vector((K.numbers(self.normal) @ X_FM.p - height,))

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        sides = (e for u in self.sides for e in u)
        return (*Relative.numbers(self), *self.normal, *sides, *(self.axis or ()), self.radius)


@dataclass(frozen=True, slots=True, eq=False)
class Slip(Contact):
    """Velocity of the wheel's point in contact, across the normal."""

    def rate(self, tree, t, q, v):
        return self.velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K, X_FM, V):
        """Residuals of a relative pose and twist (in M)."""
        _, arm = self.arm(K, X_FM)
        u = X_FM.rotate(V.linear) + cross(X_FM.rotate(V.angular), arm)                # CO.8
        return vector(K.numbers(d) @ u for d in self.sides)


@dataclass(frozen=True, slots=True, eq=False)
class Blade(Relative):
    """Velocity of M's origin along one of its own axes."""

    axis: tuple = (0, 1, 0)

    def rate(self, tree, t, q, v):
        return self.velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K, X_FM, V):
        return vector((K.numbers(self.axis) @ V.linear,))                             # CO.9

    def numbers(self):
        return (*Relative.numbers(self), *self.axis)


@dataclass(frozen=True, slots=True, eq=False)
class Sliding(Relative):
    """Velocity of M's origin along an axis fixed in F."""

    axis: tuple = (1, 0, 0)

    def rate(self, tree, t, q, v):
        return self.velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K, X_FM, V):
        return vector((K.numbers(self.axis) @ X_FM.rotate(V.linear),))

    def numbers(self):
        return (*Relative.numbers(self), *self.axis)


@dataclass(frozen=True, slots=True, eq=False)
class FrictionLaw:
    """What holds or brakes a row: forces, or coefficients of a normal force."""

    sliding: Any
    static: Any
    normal: str | None = None
    radius: Any = 1
    link: int = 0                                 # of the joint, for normal = "joint"

    @property
    def numbers(self) -> tuple:
        return (self.sliding, self.static, self.radius)


# ---- from a description ------------------------------------------------------------------------

_DOTTED = re.compile(r"[A-Za-z_][\w ]*?\.[A-Za-z_]\w*")


class Lowering:
    """Turns described constraints into elements, and notes problems in the user's names."""

    def __init__(self, reader, links, places, model):
        self.reader, self.links, self.places, self.model = reader, links, places, model
        self.problems = reader.problems
        self.q = {f"{k.name}.{n}": (k.q.start + i, k.index, unit) for k in links
                  for i, (n, unit) in enumerate(k.joint.coordinates)}
        self.v = {f"{k.name}.{n}": (k.v.start + i, k.index, unit) for k in links
                  for i, (n, unit) in enumerate(k.joint.speeds)}

    def place(self, point, where) -> Place:
        name, at = (point, (0, 0, 0)) if isinstance(point, str) else point
        if name not in self.places:
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
        q_used, v_used, text = {}, {}, str(text)
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
        free = {*q_used, *v_used, "t", *extra}
        if isinstance(value, Value) and self.model.parameters:
            for name in values.symbols(value):
                if name not in free and name not in self.model.parameters:
                    known_names = (*known, "t", *extra, *self.model.parameters)
                    self.problems.append(unknown_name("coordinate or parameter", name, known_names,
                                                      where))
        return value, q_used, v_used

    def lower(self, c) -> list[Element]:
        where = f"constraint {c.name!r}"
        match c:
            case described.Distance():
                F, M = self.place(c.b, where), self.place(c.a, where)
                L = self.reader.number(c.length, f"{where}, length [m]")
                if isinstance(L, Number) and L <= 0:
                    self.problems.append(f"{where} has length {float(L):g} m; use more than zero, "
                                         "or ts.Spherical as a loop")
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
                return [PointRows(c.name, self.links_of(F, M), labels, ("m",) * len(labels), F=F,
                                  M=M, directions=directions, offset=offset)]
            case described.PointOnSurface():
                F, M = self.place(c.on, where), self.place(c.point, where)
                read = [self.expression(e, where, extra="xyz")[0] for e in c.equations]
                if not 1 <= len(read) <= 2:
                    self.problems.append(f"{where} has {len(read)} equations; give one for a "
                                         "surface, two for a curve")
                labels = tuple(f"equation{i + 1}" for i in range(len(read)))
                return [SurfaceRows(c.name, self.links_of(F, M), labels, ("1",) * len(read), F=F,
                                    M=M, equations=tuple(read))]
            case described.Coupling() | described.Driven() | described.Holonomic():
                return [self._formula(c, where)]
            case described.Pfaffian():
                value, q_used, v_used = self.expression(c.expression, where, speeds=True)
                if not v_used and value != 0:
                    self.problems.append(f"{where}: {c.expression!r} has no speed in it; use "
                                         "ts.Holonomic")
                return [self._element(c.name, ("rate",), ("1/s",), (value,), q_used, v_used, True)]
            case described.Rolling():
                return self._rolling(c, where)
            case described.KnifeEdge():
                F, M = WORLD, self.place(c.blade, where)
                return [Blade(c.name, self.links_of(F, M), ("across",), ("m/s",), True, F=F, M=M,
                              axis=self.axis(c.across, where))]
            case described.DryFriction():
                return [self._friction(c, where)]
        known = ", ".join(k.__name__ for k in described.CONSTRAINTS)
        self.problems.append(f"constraint {c!r} is not one of {known}")
        return []

    def _element(self, name, labels, units, expressions, q_used, v_used=(), speeds=False,
                 friction=None):
        links = {k for _, k, _ in (*q_used.values(), *dict(v_used).values())}
        return Formula(name, tuple(sorted(links)), labels, units, speeds, expressions=expressions,
                       coordinates=tuple((n, i) for n, (i, *_) in q_used.items()),
                       rates=tuple((n, i) for n, (i, *_) in dict(v_used).items()),
                       friction=friction)

    def _formula(self, c, where) -> Formula:
        if isinstance(c, described.Holonomic):
            value, q_used, _ = self.expression(c.expression, where)
            if not q_used and value != 0:
                self.problems.append(f"{where}: {c.expression!r} has no coordinate in it")
            return self._element(c.name, ("value",), ("1",), (value,), q_used)
        if isinstance(c, described.Driven):
            motion, followed, _ = self.expression(c.motion, where)
            slot = self._coordinate(c.coordinate, where)
            return self._element(c.name, ("lag",), (slot[2],), (values.symbol("x_") - motion,),
                                 {"x_": slot} | followed)
        total, used = -self.reader.number(c.offset, f"{where}, offset"), {}
        for i, (name, ratio) in enumerate(c.ratios.items()):
            used[f"x_{i}"] = self._coordinate(name, where)
            total = values.symbol(f"x_{i}") * self.reader.number(ratio, f"{where}, ratio") + total
        return self._element(c.name, ("relation",), ("1",), (total,), used)

    def _coordinate(self, name, where):
        if name not in self.q:
            self.problems.append(unknown_name("coordinate", name, self.q, where))
            return (0, 1, "1")
        return self.q[name]

    def _friction(self, c, where) -> Element:
        given = {n: None if (x := getattr(c, n)) is None else
                 self.reader.number(x, f"{where}, {n}")
                 for n in ("force", "static", "coefficient", "static_coefficient", "radius")}
        if (c.force is None) == (c.coefficient is None):
            self.problems.append(f"{where}: give either force= or coefficient= with normal=")
        elif (c.coefficient is None) != (c.normal is None):
            self.problems.append(f"{where}: coefficient= and normal= go together")
        low, high = (given["force"], given["static"]) if c.coefficient is None else (
            given["coefficient"], given["static_coefficient"])
        high = low if high is None else high
        for x in (low, high):
            if isinstance(x, Number) and x < 0:
                self.problems.append(f"{where}: friction of {float(x):g}; use zero or more")
        if isinstance(low, Number) and isinstance(high, Number) and high < low:
            self.problems.append(f"{where}: static friction {float(high):g} is less than sliding "
                                 f"friction {float(low):g}")
        link = 0
        if isinstance(c.of, str):
            slot, link, unit = self._coordinate(c.of, where)
            k = self.links[link - 1]
            if not k.joint.holonomic:
                self.problems.append(f"{where}: {c.of!r} is not a coordinate whose rate is a speed")
            v = {"x_": (k.v.start + slot - k.q.start, link, unit)}
            law = FrictionLaw(low, high, c.normal, given["radius"], link)
            return self._element(c.name, ("slide",), (f"{unit}/s",), (values.symbol("x_"),), {}, v,
                                 True, law)
        frame, axis, *ground = c.of
        F, M = self.place(ground[0] if ground else "world", where), self.place(frame, where)
        law = FrictionLaw(low, high, c.normal, given["radius"], link)
        return Sliding(c.name, self.links_of(F, M), ("slide",), ("m/s",), True, law, F=F, M=M,
                       axis=self.axis(axis, where))

    def _rolling(self, c, where) -> list[Element]:
        F, M = self.place(c.ground, where), self.place(c.wheel, where)
        r = self.reader.number(c.radius, f"{where}, radius [m]")
        if isinstance(r, Number) and r <= 0:
            self.problems.append(f"{where} has radius {float(r):g} m; use more than zero")
        common = {"F": F, "M": M, "normal": self.axis(c.normal, where), "radius": r,
                  "sides": self.axis(c.normal, where, across),
                  "axis": None if c.axis is None else self.axis(c.axis, where)}
        links = self.links_of(F, M)
        return [Contact(c.name, links, ("normal",), ("m",), **common),
                Slip(c.name, links, ("slip1", "slip2"), ("m/s", "m/s"), True, **common)]


def _frictions(elements, problems):
    """Check that normals named by frictions exist."""
    rows = {f"{e.name}.{label}" for e in elements for label in e.labels if e.friction is None}
    alone = {e.name for e in elements if e.size == 1 and e.friction is None}
    for e in elements:
        n = e.friction.normal if e.friction else None
        if n not in (None, "joint") and n not in rows | alone:
            problems.append(unknown_name("constraint", n, rows | alone,
                                         f"constraint {e.name!r}, normal"))


def lower(reader, links, places, model) -> tuple[Element, ...]:
    """Every constraint of a model as elements; problems go to the reader."""
    taken = Counter(x.name for x in (*model.joints, *model.loops, *model.rotors, *model.forces,
                                     *model.constraints))
    for c in model.constraints:
        if taken[c.name] > 1:
            reader.problems.append(f"constraint {c.name!r} shares its name with another element; "
                                   "names of joints, loops, forces and constraints must differ")
    lowering = Lowering(reader, links, places, model)
    found = tuple(e for c in model.constraints for e in lowering.lower(c))
    _frictions(found, reader.problems)
    return found


def elements(system) -> tuple[Element, ...]:
    """Loops, then constraints, of a system; those of positions before those of speeds."""
    loops = tuple(closure_element(c, system.links) for c in system.closures)
    every = (*(e for e in loops if e.size), *(e for e in system.constraints if not e.friction))
    return tuple(sorted(every, key=lambda e: e.speeds))


def frictions(system) -> tuple[Element, ...]:
    """Dry frictions of a system: rows that hold only while they stick."""
    return tuple(e for e in system.constraints if e.friction)


def closure_element(closure: Closure, links) -> LoopRows:
    """A loop of the system as an element."""
    n = 6 - closure.joint.nv
    up, down = between(links, closure.F.link, closure.M.link)
    return LoopRows(closure.name, tuple(sorted({*up, *down})),
                    tuple(f"row{i + 1}" for i in range(n)), ("m",) * n, F=closure.F, M=closure.M,
                    joint=closure.joint)

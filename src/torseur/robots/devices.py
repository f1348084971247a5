"""Devices that balance weight, each a builder of ordinary elements of a model.

A device is data; `device.apply(model, values)` gives a new model with it.  Values may be numbers,
or names of parameters while a design is being sought.  Theory: BA.1 to BA.7.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, TorseurError, shown, unknown_name
from ..forces import (
    CoordinateForce,
    Elastic,
    Expression,
    JointForce,
    Parallel,
    PointForce,
    Polynomial,
    Spring as LinearSpring,
    Table,
)
from ..joints import Weld
from ..model import Body, Joint, Model, Sphere


class Device(ABC):
    """What a device says of itself: the joint it is on, its variables, what it adds."""

    __slots__ = ()
    variables: ClassVar[dict[str, str]] = {}  # name of a field -> its unit
    name: str
    joint: str

    def apply(
        self,
        model: Model,
        values: Mapping[str, Any],
        memory: bool = True,
        base: Model | None = None,
    ) -> Model:
        """The model with this device; `memory=False` writes tables as sums of hinges.

        `base` is the model before any device, whose numbers say where joints are.
        """
        return self._added(model, base or model, values, memory)

    @abstractmethod
    def _added(self, model: Model, base: Model, values: Mapping[str, Any], memory: bool) -> Model:
        """The model with this device's elements."""

    def given(self, values: Mapping[str, Any], name: str):
        """A variable: from `values`, else the device's own number."""
        x = values.get(f"{self.name}.{name}", getattr(self, name))
        if x is None:
            raise ArgumentError(
                f"device {self.name!r}: {name} [{self.variables[name]}] has neither a value nor "
                f"bounds; give {name}=, or bounds={{'{self.name}.{name}': (low, high)}}"
            )
        return x

    def unknown(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{n}" for n in self.variables if getattr(self, n) is None)


def _joint(model: Model, device) -> Joint:
    names = {j.name: j for j in model.joints}
    if device.joint not in names:
        raise TorseurError(unknown_name("joint", device.joint, names, f"device {device.name!r}"))
    joint = names[device.joint]
    if joint.kind.nv != 1:
        raise TorseurError(
            f"device {device.name!r}: joint {joint.name!r} has {joint.kind.nv} degrees of freedom; "
            "balancing devices are for joints with one"
        )
    return joint


def coordinate(joint: Joint) -> str:
    return f"{joint.name}.{joint.kind.coordinates[0][0]}"


def placement(model: Model, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """A point of the joint's axis and its unit direction, in the child's frame."""
    system = model.check()
    tree = system.floats(_some(system))
    link, place = system.link(joint.name), tree.places[joint.child]
    X = place.X_LB.inverse()  # the link's frame in the body's
    S = np.array(link.joint.subspace(tree.K, link.joint.neutral()), float)[:, 0]
    axis = S[:3] if abs(S[:3]).max() > 0 else S[3:]
    return np.array(X.p, float), np.array(X.R, float) @ axis


def _some(system):
    """Numbers for parameters without any: places of axes do not depend on most."""
    return {n: 1.0 for n in system.symbols if system.parameters.get(n) is None}


def along_link(model: Model, joint: Joint) -> np.ndarray:
    """Unit direction from the joint's axis to the weight it carries next: its child's centre of
    mass, across the axis, in the child's frame; x where it lies on the axis."""
    o, axis = placement(model, joint)
    body = next(b for b in model.bodies if b.name == joint.child)
    system = model.check()
    inertia = system.floats(_some(system)).links[system.link(joint.name).index - 1].inertia
    if body.first_moment is None:
        try:
            com = np.asarray(body.com, float)
        except (TypeError, ValueError):
            com = np.zeros(3)
    else:
        h, m = np.array(inertia.h, float), float(inertia.mass)
        com = o + h / m if m else o
    r = com - o
    r = r - axis * (axis @ r)
    if np.linalg.norm(r) > 1e-9:
        return r / np.linalg.norm(r)
    x = np.array([1.0, 0, 0]) - axis * axis[0]
    return x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-6 else np.array([0, 1.0, 0])


def text(x) -> str:
    """A number or a name as a term of an expression."""
    return f"({x})" if isinstance(x, str) else repr(float(x))


def product(x, factor: float):
    """A number or a name times a number."""
    return f"{text(x)}*{float(factor)!r}" if isinstance(x, str) else float(x) * float(factor)


def total(a: float, x):
    return f"{float(a)!r} + {x}" if isinstance(x, str) else float(a) + float(x)


@dataclass(frozen=True, slots=True, eq=False)
class Counterweight(Device):
    """A mass on the far side of a joint's axis, carried by the link behind the joint.

    `mass` [kg], `distance` from the axis [m], `direction` in the child's frame (by default away
    from the link's centre of mass).  In the model: a body welded to the link.

    >>> Counterweight("balance", "joint3", mass=21.0).unknown()
    ('balance.distance',)
    """

    name: str
    joint: str
    mass: Any = None
    distance: Any = None
    direction: Any = None
    radius: float = 0.05  # of the sphere that is drawn [m]

    variables: ClassVar = {"mass": "kg", "distance": "m"}

    def _added(self, model, base, values, memory):
        joint = _joint(base, self)
        o, _ = placement(base, joint)
        way = self.way(base)
        d = self.given(values, "distance")
        at = tuple(total(a, product(d, b)) for a, b in zip(o, way, strict=True))
        ball = Sphere(radius=self.radius, color=(0.35, 0.35, 0.4, 1.0))
        body = Body(self.name, self.given(values, "mass"), shapes=(ball,))
        weld = Joint(f"{self.name}_mount", joint.child, self.name, Weld(), at=at)
        return replace(model, bodies=(*model.bodies, body), joints=(*model.joints, weld))

    def way(self, model) -> np.ndarray:
        if self.direction is None:
            return -along_link(model, _joint(model, self))
        d = np.asarray(self.direction, float)
        return d / np.linalg.norm(d)


@dataclass(frozen=True, slots=True, eq=False)
class Redistribution(Device):
    """The mass of a link placed elsewhere in it: same mass, another centre.

    `shift`: new place of the centre of mass along `direction` from the joint's axis [m]; the mass
    must stay within `envelope` (low, high) along that line [m].  The link's second moment along it
    keeps its value where some distribution within the envelope can have it, else takes the nearest
    that can: never an inertia that no body has.
    """

    name: str
    joint: str
    shift: Any = None
    envelope: tuple[float, float] = (-1.0, 1.0)
    direction: Any = None

    variables: ClassVar = {"shift": "m"}

    def _added(self, model, base, values, memory):
        joint = _joint(base, self)
        o, axis = placement(base, joint)
        way = (
            along_link(base, joint)
            if self.direction is None
            else np.asarray(self.direction, float) / np.linalg.norm(self.direction)
        )
        body = next(b for b in model.bodies if b.name == joint.child)
        if body.about != "com" or body.first_moment is not None:
            raise TorseurError(
                f"device {self.name!r}: body {body.name!r} gives its inertia about its origin; "
                "redistribution needs com= and the inertia about it"
            )
        x, m = self.given(values, "shift"), float(body.mass)
        side = np.cross(axis, way)
        com = np.asarray(body.com, float)
        own = com - o
        foot = o + side * (side @ own) + axis * (axis @ own)
        J = np.asarray(body.inertia, float)
        J = J if J.shape == (3, 3) else J[[0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(3, 3)
        spread = (np.trace(J) / 2) * np.eye(3) - J  # second moments about the centre
        before = float(way @ spread @ way)  # along the line
        if isinstance(x, str):  # while it is sought only its place matters at rest
            after = before
        else:
            a, b = self.envelope
            if not a <= x <= b:
                raise TorseurError(
                    f"device {self.name!r}: the centre of mass at {x:g} m is outside the envelope "
                    f"{a:g} to {b:g} m by {max(a - x, x - b):g} m"
                )
            second = before + m * float(way @ own) ** 2  # about the axis, as it was
            most = m * ((a + b) * x - a * b)  # all mass at the ends   # BA.5
            after = min(max(second, m * x * x), most) - m * x * x
        spread = spread + (after - before) * np.outer(way, way)
        J = np.trace(spread) * np.eye(3) - spread
        new = replace(
            body,
            com=tuple(total(p, product(x, w)) for p, w in zip(foot, way, strict=True)),
            inertia=tuple(
                float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            ),
        )
        return replace(model, bodies=tuple(new if b is body else b for b in model.bodies))


@dataclass(frozen=True, slots=True, eq=False)
class BalancingSpring(Device):
    """A spring from a point that does not turn with the joint to a point of the link.

    Parameters
    ----------
    anchor : where it is fixed: (x, y, z) in the frame of the joint's parent [m], or (body, point)
    radius : distance of the other end from the joint's axis [m], along `direction` in the child's
        frame (by default towards the link's centre of mass)
    law : a law of the extension x [m] (`ts.Spring(k)`, `ts.Expression("16500*x")`, ...), points
        (extension, force) of a table, or None for a linear spring of `stiffness` [N/m]
    rest : value of the joint's coordinate where the spring has no extension [rad or m]
    free_length : length without extension [m], instead of `rest`; both left out: zero free length

    In the model: a `PointForce`.
    """

    name: str
    joint: str
    anchor: Any = (0.0, 0.0, 0.1)
    radius: Any = None
    law: Any = None
    rest: Any = None
    free_length: Any = None
    stiffness: Any = None
    direction: Any = None

    variables: ClassVar = {"radius": "m", "stiffness": "N/m"}

    def unknown(self):
        return tuple(
            n for n in Device.unknown(self) if self.law is None or not n.endswith(".stiffness")
        )

    def ends(self, model):
        """(body, point) of the anchor; child's name, point of the axis, direction of the radius."""
        joint = _joint(model, self)
        a = self.anchor
        if isinstance(a, tuple | list) and len(a) == 2 and isinstance(a[0], str):
            a = (a[0], _numbers(a[1]))
        else:
            a = (joint.parent, _numbers(a))
        o, _ = placement(model, joint)
        way = (
            along_link(model, joint)
            if self.direction is None
            else np.asarray(self.direction, float) / np.linalg.norm(self.direction)
        )
        return a, joint.child, o, way

    def length_at(self, model, q):
        """Coefficients of the squared length at coordinates q: 1, radius, radius^2."""
        from ..quantities import compile

        (host, point), child, o, way = self.ends(model)
        dyn = compile(model)
        A = dyn.pose(host, q) if host != "world" else np.eye(4)
        B = dyn.pose(child, q)
        p0 = B[:3, :3] @ o + B[:3, 3] - (A[:3, :3] @ np.array(point) + A[:3, 3])
        p1 = B[:3, :3] @ way
        return float(p0 @ p0), float(2 * p0 @ p1), float(p1 @ p1)

    def _added(self, model, base, values, memory):
        host, child, o, way = self.ends(base)
        R = self.given(values, "radius")
        end = tuple(total(a, product(R, b)) for a, b in zip(o, way, strict=True))
        law = self.law if self.law is not None else LinearSpring(self.given(values, "stiffness"))
        force = PointForce(
            self.name, host, (child, end), shifted(law, self._free(base, R), memory, self.name)
        )
        return replace(model, forces=(*model.forces, force))

    def _free(self, model, R):
        if self.rest is None:
            return 0.0 if self.free_length is None else float(self.free_length)
        if self.free_length is not None:
            raise ArgumentError(f"device {self.name!r}: give rest= or free_length=, not both")
        named = (
            self.rest
            if isinstance(self.rest, Mapping)
            else {coordinate(_joint(model, self)): self.rest}
        )
        c0, c1, c2 = self.length_at(model, model.check().state(named)[0])
        if isinstance(R, str):
            return f"sqrt({c0!r} + {c1!r}*{R} + {c2!r}*{R}**2)"
        return float(np.sqrt(c0 + c1 * R + c2 * R * R))


Spring = BalancingSpring


def _numbers(point):
    """Three numbers; a name (while symbols are sought) stays."""
    return tuple(x if isinstance(x, str) else float(x) for x in point)


def shifted(law, free, memory: bool, name: str):
    """A law of the extension as a law of the length, which begins at `free`."""
    if isinstance(law, int | float) and not isinstance(law, bool):
        law = LinearSpring(float(law))
    if isinstance(law, tuple | list | np.ndarray):
        law = Table(tuple(tuple(map(float, p)) for p in np.asarray(law, float)))
    moved = free if isinstance(free, str) else float(free)
    plain = not isinstance(moved, str) and moved == 0
    match law:
        case Parallel():
            return Parallel(*(shifted(part, free, memory, name) for part in law.laws))
        case Table() if not memory:
            return Expression(
                hinges(law.points, f"(x - ({add(law.free_length, moved)}))", law.beyond)
            )
        case LinearSpring() | Polynomial() | Table():
            return law if plain else replace(law, free_length=add(law.free_length, moved))
        case Expression():
            inner = re.sub(r"\bx\b", f"(x - ({moved}))", law.text)
            return law if plain else Expression(inner, law.named, law.work)
        case Elastic():

            def sub(t):
                return re.sub(r"\bx\b", f"(x - ({moved}))", str(t))

            return law if plain else Elastic(sub(law.text), sub(law.energy))
    if plain:
        return law
    raise TorseurError(
        f"device {name!r}: a {type(law).__name__} cannot be laid on an extension; use ts.Spring, a "
        "Polynomial, a Table, an Expression of x, or give no rest="
    )


def add(a, b):
    """The sum of two numbers or texts."""
    if not isinstance(a, str) and not isinstance(b, str):
        return float(a) + float(b)
    return f"({a}) + ({b})"


def hinges(points, x: str, beyond: str = "extend") -> str:
    """A broken line as a sum of hinges: the same values, without memory."""
    (x0, y0), *_ = points = [(float(a), float(b)) for a, b in points]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
    if beyond == "hold":
        slopes = [0.0, *slopes, 0.0]
        knots = [p[0] for p in points]
    else:
        knots = [p[0] for p in points[1:-1]]
    out = f"{y0!r} + {slopes[0]!r}*({x} - ({x0!r}))"
    for knot, a, b in zip(knots, slopes[:-1], slopes[1:], strict=True):
        out += f" + {b - a!r}*max({x} - ({knot!r}), 0)"
    return out


@dataclass(frozen=True, slots=True, eq=False)
class CamSpring(Device):
    """A linear spring that a cam turns into the very moment that gravity asks for.

    The moment on the link is `amplitude cos(angle - phase)` (by default the phase of the weight the
    joint carries, the others neutral), angle the joint's coordinate, or the
    sum of coordinates in `angles` ({"joint2.angle": 1, "joint3.angle": 1} is an absolute angle:
    a parallelogram leads the cam to the base).  `amplitude` [N m] may be sought; `stiffness` [N/m]
    and the `deflection` [m] of the spring where the moment vanishes shape the cam: see
    `torseur.robots.cam`.  In the model: a `CoordinateForce` with an `Elastic` law.
    """

    name: str
    joint: str
    amplitude: Any = None
    phase: float | None = None
    stiffness: float = 20000.0
    deflection: float = 0.15
    angles: Mapping[str, float] | None = None

    variables: ClassVar = {"amplitude": "N m"}

    def _added(self, model, base, values, memory):
        joint = _joint(base, self)
        weights = dict(self.angles or {coordinate(joint): 1})
        W = text(self.given(values, "amplitude"))
        x = f"(x - ({self.turned(base)!r}))"
        law = Elastic(f"-{W}*cos{x}", f"-{W}*sin{x}")
        return replace(
            model, forces=(*model.forces, CoordinateForce(self.name, tuple(weights.items()), law))
        )

    def turned(self, base) -> float:
        """The phase: as given, else that of the weight the joint carries [rad]."""
        if self.phase is not None:
            return float(self.phase)
        from ..quantities import compile

        system = base.check()
        link = system.link(self.joint)
        if system.symbols and any(system.parameters.get(n) is None for n in system.symbols):
            return 0.0
        q = np.tile(system.neutral(), (2, 1))
        q[:, link.q.start] = 0.0, np.pi / 2
        along, across = compile(system).gravity_forces(q)[:, link.v.start]
        return float(np.arctan2(across, along))


@dataclass(frozen=True, slots=True, eq=False)
class PulleySpring(Device):
    """A spring at the end of a cable that runs over a pulley to a point of the link.

    The pulley of radius `pulley` [m] is centred at distance `height` [m] from the joint's axis,
    where the joint's coordinate is `top` [rad]; the cable is fixed to the link at `radius` [m].
    The spring of `stiffness` [N/m] has the extension `preload` [m] plus the cable's length: with a
    pulley of no size and no preload it is a spring of zero free length.  In the model: a
    `JointForce` with an `Elastic` law of the cable's length.
    """

    name: str
    joint: str
    height: Any = None
    radius: Any = None
    stiffness: Any = None
    pulley: float = 0.0
    preload: Any = 0.0
    top: float = np.pi / 2

    variables: ClassVar = {"height": "m", "radius": "m", "stiffness": "N/m", "preload": "m"}

    def _added(self, model, base, values, memory):
        joint = _joint(base, self)
        H, R, k, s = (
            text(self.given(values, n)) for n in ("height", "radius", "stiffness", "preload")
        )
        r, x = float(self.pulley), f"(x - ({float(self.top)!r}))"
        d2 = f"({H}**2 + {R}**2 - 2*{H}*{R}*cos{x})"  # BA.6
        if r == 0:
            cable, slope = f"sqrt{d2}", f"{H}*{R}*sin{x}/sqrt{d2}"
        else:
            free = f"sqrt({d2} - {r * r!r})"
            turn = f"atan2({R}*sin{x}, {H} - {R}*cos{x})"
            cable = f"({free} + {r!r}*(atan2({r!r}, {free}) + {turn}))"
            dd = f"{H}*{R}*sin{x}"  # half the slope of d2
            bend = f"(({R}*{H}*cos{x} - {R}**2)/{d2} - {r!r}*{dd}/({free}*{d2}))"
            slope = f"({dd}/{free} + {r!r}*{bend})"
        e = f"({s} + {cable})"
        law = Elastic(f"{k}*{e}*({slope})", f"{k}*{e}**2/2")
        force = JointForce(self.name, joint.name, law)
        return replace(model, forces=(*model.forces, force))


@dataclass(frozen=True, slots=True, eq=False)
class Parallelogram(Device):
    """A counterweight on the base side, which a parallelogram keeps parallel to an outer link.

    A crank turns on the axis of joint `base` with the sum of both coordinates, carries `mass` [kg]
    at `distance` [m] on the side opposite the outer link, and is led by two bars without mass: it
    balances the outer link about its own joint while the inner one carries its weight as if it sat
    at the joint.  In the model: a body on a joint of its own with a `Coupling`.
    """

    name: str
    joint: str  # of the outer link
    base: str  # of the inner link
    mass: Any = None
    distance: Any = None
    radius: float = 0.05

    variables: ClassVar = {"mass": "kg", "distance": "m"}

    def _added(self, model, base, values, memory):
        from ..model import Coupling

        outer = _joint(base, self)
        inner = next((j for j in base.joints if j.name == self.base), None)
        if inner is None:
            raise TorseurError(
                unknown_name(
                    "joint",
                    self.base,
                    [j.name for j in model.joints],
                    f"device {self.name!r}, base",
                )
            )
        _, a = placement(base, outer)
        way = along_link(base, outer)
        o, _ = placement(base, inner)
        d = self.given(values, "distance")
        # at zero of both joints the crank's frame has the axes of the outer link
        from ..quantities import compile

        dyn = compile(base)
        q = base.check().neutral()
        X_in, X_out = (
            dyn.pose(inner.parent, q) if inner.parent != "world" else np.eye(4),
            dyn.pose(outer.child, q),
        )
        axis_point = dyn.pose(inner.child, q) @ np.array([*o, 1.0])
        F = np.eye(4)
        F[:3, :3] = X_in[:3, :3].T @ X_out[:3, :3]
        F[:3, 3] = X_in[:3, :3].T @ (axis_point[:3] - X_in[:3, 3])
        from ..joints import Revolute

        ball = Sphere(
            radius=self.radius,
            at=tuple(-float(d) * way) if not isinstance(d, str) else (0, 0, 0),
            color=(0.35, 0.35, 0.4, 1.0),
        )
        com = tuple(product(d, -w) for w in way)
        body = Body(self.name, self.given(values, "mass"), com, shapes=(ball,))
        crank = Joint(
            f"{self.name}_pivot", inner.parent, self.name, Revolute(tuple(a)), pose=F.tolist()
        )
        own = f"{self.name}_pivot.angle"
        bars = Coupling(f"{self.name}_bars", {own: 1, coordinate(inner): -1, coordinate(outer): -1})
        return replace(
            model,
            bodies=(*model.bodies, body),
            joints=(*model.joints, crank),
            constraints=(*model.constraints, bars),
        )


def check_devices(model: Model, devices) -> tuple[Device, ...]:
    """The devices, or a sentence for whatever is none; names are unique."""
    if isinstance(devices, Device):
        devices = (devices,)
    devices = tuple(devices)
    for d in devices:
        if not isinstance(d, Device):
            raise ArgumentError(
                f"balance: expected devices such as ts.robots.Counterweight(...), got {shown(d)}"
            )
    names = [d.name for d in devices]
    taken = {b.name for b in model.bodies} | {f.name for f in model.forces}
    if bad := sorted({n for n in names if names.count(n) > 1 or n in taken}):
        raise ArgumentError(f"balance: the name {bad[0]!r} is used twice; devices need their own")
    for d in devices:
        _joint(model, d)
    return devices


__all__ = [
    "BalancingSpring",
    "CamSpring",
    "Counterweight",
    "Device",
    "Parallelogram",
    "PulleySpring",
    "Redistribution",
    "Spring",
]

"""Constraints of a description: what a mechanism must obey beyond its joints and loops.

A point is the name of a body or frame (its origin), or a pair `("body", (x, y, z))` [m].
Expressions are texts of numbers, parameters, `t` [s], and names such as `crank.angle`; those of
surfaces and curves are of x, y, z (or the curve's own) and parameters alone, fixed in a body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .curves import PointOnCurve


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """A massless rod with ball ends: points `a` and `b` stay `length` [m] apart.

    Its multiplier is the force [N] along the rod, positive when the rod pushes.

    >>> Distance("rod", "bob", "world", length=1.5).length
    1.5
    """

    name: str
    a: Any
    b: Any = "world"
    length: Any = 1


@dataclass(frozen=True, slots=True, eq=False)
class PointOnLine:
    """A point stays on the line through `through` (a point) along `direction` (its body's axes)."""

    name: str
    point: Any
    through: Any = "world"
    direction: Any = "x"


@dataclass(frozen=True, slots=True, eq=False)
class PointOnPlane:
    """A point stays at `height` [m] over the plane through `through`, along its `normal`."""

    name: str
    point: Any
    through: Any = "world"
    normal: Any = "z"
    height: Any = 0


@dataclass(frozen=True, slots=True, eq=False)
class PointOnSurface:
    """A point stays on the surface(s) of `on`: expressions of its x, y, z there that vanish.

    One expression is a surface, two a curve.

    >>> PointOnSurface("bowl", "ball", "world", ("x**2 + y**2 + (z - 1)**2 - 1",)).on
    'world'
    """

    name: str
    point: Any
    on: str = "world"
    equations: Any = ()

    def __post_init__(self):
        given = self.equations
        object.__setattr__(self, "equations", (given,) if isinstance(given, str) else tuple(given))


@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """A linear relation of coordinates: the sum of `ratio * coordinate` is `offset`.

    >>> Coupling("gear", {"wheel.angle": 3, "pinion.angle": 1}).offset
    0
    """

    name: str
    ratios: Mapping[str, Any]
    offset: Any = 0

    def __post_init__(self):
        object.__setattr__(self, "ratios", dict(self.ratios))


def Gear(name: str, driver: str, driven: str, ratio: Any, offset: Any = 0) -> Coupling:
    """Gears: `driver = ratio * driven + offset`; a negative ratio reverses the turn.

    >>> Gear("gear", "motor.angle", "wheel.angle", 12).ratios
    {'motor.angle': 1, 'wheel.angle': -12}
    """
    return Coupling(name, {driver: 1, driven: _minus(ratio)}, offset)


def Rack(name: str, pinion: str, rack: str, radius: Any, offset: Any = 0) -> Coupling:
    """Rack and pinion: `rack = radius * pinion + offset`, pitch radius in [m]."""
    return Coupling(name, {rack: 1, pinion: _minus(radius)}, offset)


def Screw(name: str, turn: str, slide: str, lead: Any, offset: Any = 0) -> Coupling:
    """Screw and nut: `slide = lead * turn + offset`, lead in [m/rad]."""
    return Coupling(name, {slide: 1, turn: _minus(lead)}, offset)


def Mimic(name: str, follower: str, leader: str, ratio: Any = 1, offset: Any = 0) -> Coupling:
    """One coordinate copies another: `follower = ratio * leader + offset`."""
    return Coupling(name, {follower: 1, leader: _minus(ratio)}, offset)


def _minus(x):
    return f"-({x})" if isinstance(x, str) else -x


@dataclass(frozen=True, slots=True, eq=False)
class Driven:
    """A coordinate follows a motion, an expression of `t` [s]; the multiplier is the effort.

    >>> Driven("motor", "crank.angle", "2*pi*t").motion
    '2*pi*t'
    """

    name: str
    coordinate: str
    motion: Any


@dataclass(frozen=True, slots=True, eq=False)
class Holonomic:
    """An expression of coordinates and `t` that stays zero.

    >>> Holonomic("rod", "bob.px**2 + bob.pz**2 - 2.25").expression
    'bob.px**2 + bob.pz**2 - 2.25'
    """

    name: str
    expression: str


@dataclass(frozen=True, slots=True, eq=False)
class Pfaffian:
    """An expression of coordinates, speeds and `t`, linear in the speeds, that stays zero."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True, eq=False)
class Rolling:
    """A disc or a sphere of `radius` [m] rolls without slipping on a plane.

    The centre is the origin of `wheel` (a body or frame).  A disc turns about `axis` of that
    frame; `axis=None` is a sphere.  The plane is fixed in `ground` (a body or frame), through its
    origin, with the given `normal`.  Three multipliers: the contact force [N] on the wheel along
    the normal, and along the two directions across it.

    >>> Rolling("contact", "disc", radius=0.3).axis
    'y'
    """

    name: str
    wheel: str
    radius: Any
    axis: Any = "y"
    ground: str = "world"
    normal: Any = "z"


@dataclass(frozen=True, slots=True, eq=False)
class KnifeEdge:
    """The origin of `blade` (a body or frame) does not move along its own axis `across`.

    The multiplier is the force [N] on the blade along that axis.
    """

    name: str
    blade: str
    across: Any = "y"


@dataclass(frozen=True, slots=True, eq=False)
class DryFriction:
    """Coulomb friction with true sticking: a constraint row with a switch.

    Parameters
    ----------
    of : a coordinate such as "slide.displacement", or (body or frame, axis, ground): the motion of
        its origin along an axis fixed in `ground` (a body or frame, "world" when left out); two
        axes, ("block", ("x", "y")), are friction in their plane, against the slip whatever its
        direction
    force : friction while sliding [N or N m]
    static : the most it holds when stuck; `force` when left out
    coefficient, static_coefficient : in place of forces, times the normal force
    normal : the constraint whose multiplier is the normal force ("guide", or "contact.normal"), or
        "joint": the reaction across the axis of the coordinate's own joint, or along the normal
        of the plane of two axes in the body's own joint
    radius : of a bearing [m], which turns the force of friction into a moment

    >>> DryFriction("rub", "slide.displacement", force=30.0).static
    """

    name: str
    of: Any
    force: Any = None
    static: Any = None
    coefficient: Any = None
    static_coefficient: Any = None
    normal: str | None = None
    radius: Any = 1


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """A point, a sphere or a disc that pushes on a plane, never pulls: it lifts off and lands.

    The place is `point` (a body or frame, or a pair): the point itself, or the centre of a sphere
    of `radius` [m], or of a disc that turns about `axis` of that frame.  The plane goes through
    `ground` (a point) with `normal` there; or it is the surface where `surface`, an expression of
    x, y, z in `ground`, vanishes: it is positive outside, on the side of `normal`.

    Landing at the speed u gives back `restitution` u, or nothing when u is below `rest_speed`
    [m/s]; what is lost is dissipated.  `friction` is Coulomb's coefficient in the tangent plane,
    in impacts too, with true sticking (rolling, for a sphere); `static_friction` holds when stuck.
    Multipliers: the force [N] along the normal, and along the two directions across it.

    >>> Contact("bounce", "ball", radius=0.1, restitution=0.8).ground
    'world'
    """

    name: str
    point: Any
    ground: Any = "world"
    normal: Any = "z"
    radius: Any = 0
    axis: Any = None
    restitution: Any = 0
    friction: Any = 0
    static_friction: Any = None
    rest_speed: Any = 1e-3
    surface: str | None = None


CONSTRAINTS = (
    Distance,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    Coupling,
    Driven,
    Holonomic,
    Pfaffian,
    Rolling,
    KnifeEdge,
    DryFriction,
    Contact,
    PointOnCurve,
)

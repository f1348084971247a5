# ruff: noqa: RUF009  (`description.quantity` makes a field, as `dataclasses.field` does)
"""Members that crush and wheels that carry: parts of a vehicle beside its bodies.

Axes of a vehicle: x forward, y to the left, z up. The frame of each body is the vehicle's at the
start, so all positions are in these axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import shown, unknown_name_message
from ...forces import Law
from ...model import Body, description
from ...scalars.values import value

FACES = {"front": (1, 0), "left": (0, 1), "rear": (-1, 0), "right": (0, -1)}
"""Faces of a vehicle, each with its outward normal (x, y)."""
AXES = {s + a: tuple((-1.0 if s else 1.0) * (a == b) for b in "xyz")
        for s in ("", "-") for a in "xyz"}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A law with a root on one body, and a root on another or a free end.

    Parameters
    ----------
    name : unique in its vehicle; signals are called after it
    body : the body of its rear root
    at : that root, in axes of the vehicle [m]
    to : the body of its front root (its deflection is how far the rear closes up along its
        direction), or None: a free end, which meets whatever the scenario puts in front of it
    law : a law of deflection [m], such as `ts.Crush`
    reach : from the root to the free end, along its direction [m]
    width : of what it presses with, across [m]; zero for a point.  An obstacle that covers a part
        of it meets that part of its law.  Where every free end of a front or rear is a point in
        its middle, as in one dimension, each presses over the whole width of the car
    direction : where it points: "x" (forward), "-x", "y" (to the left), "-y", or three numbers.  A
        free end belongs to the face of the car it points to: front, rear, left or right

    >>> from torseur.forces import Crush
    >>> law = Crush(((0, 0), (0.1, 9e4)), 2e7)
    >>> Member("rail", "body", at=(1.2, 0.5, 0.4), law=law).free
    True
    >>> Member("sill", "body", at=(-2, 0.8, 0.3), law=law, direction="y").face
    'left'
    """

    name: str
    body: str
    at: Any = description.quantity((0.0, 0.0, 0.0), "m", (3,))
    to: str | None = None
    law: Any = None
    reach: Any = description.quantity(0.0, "m")
    width: Any = description.quantity(0.0, "m")
    direction: Any = "x"

    def __post_init__(self):
        description.convert_fields_to_si(self, 1, ("law",))
        if isinstance(self.to, tuple | list) and len(self.to) == 2:  # (body, place) will do
            object.__setattr__(self, "to", self.to[0])
        if isinstance(self.direction, list | np.ndarray):
            object.__setattr__(self, "direction", tuple(self.direction))

    @property
    def free(self) -> bool:
        return self.to is None

    @property
    def axis(self) -> np.ndarray:
        """Its direction as a unit vector, in axes of the vehicle."""
        if isinstance(self.direction, str):
            return np.array(AXES[self.direction])
        d = np.array(self.direction, dtype=float)
        return d / np.linalg.norm(d)

    @property
    def face(self) -> str:
        """The face of the vehicle that it points to."""
        x, y, _ = self.axis
        if abs(x) >= abs(y):
            return "front" if x > 0 else "rear"
        return "left" if y > 0 else "right"

    @property
    def tip(self) -> np.ndarray:
        """The free end at the start, in axes of the vehicle [m]."""
        return np.array(self.at, dtype=float) + float(self.reach) * self.axis

    def problems(self, bodies, who):
        """Everything wrong with it in a vehicle of the `bodies` bodies, as sentences."""
        who = f"{who}: member {self.name!r}"
        for end in (self.body, self.to):
            if end is not None and end not in bodies:
                yield unknown_name_message("body", end, bodies, who)
        if self.to == self.body:
            yield f"{who}: both its roots are on {self.body!r}"
        if not isinstance(self.law, Law):
            law = shown(self.law)
            yield f"{who}: expected a law such as ts.Crush(points, unloading), got {law}"
        if not is_real(self.at, 3):
            yield f"{who}: at: expected x, y, z [m], got {shown(self.at)}"
        for name in ("reach", "width"):
            x = getattr(self, name)
            if not is_real(x) or float(x) < 0:
                yield f"{who}: {name}: expected a length [m], got {shown(x)}"
        yield from self._direction_problems(who)

    def _direction_problems(self, who):
        direction = self.direction
        named = isinstance(direction, str)
        if (named and direction not in AXES) or not (
            named or (is_real(direction, 3) and np.any(direction))
        ):
            yield (
                f"{who}: direction: expected 'x', '-x', 'y', '-y' or three numbers, "
                f"got {shown(direction)}"
            )
        elif self.free and not np.any(self.axis[:2]):
            yield f"{who}: direction: a free end points forward, back or sideways, not along z"


@dataclass(frozen=True, slots=True, eq=False)
class Wheel:
    """A tire under the main body: `at` its contact with the ground [m].  It carries the car in
    space; in one dimension and in the plane its mass goes with the main body.

    It pushes with `stiffness` [N/m], never pulls, and rubs with Coulomb's coefficient `friction`.
    The default stiffness is that of tire and suspension in series (a placeholder of a passenger
    car); with a `suspension` it is the tire's alone.

    Parameters
    ----------
    mass : unsprung mass that goes with it [kg]
    suspension : law of how far the wheel has been pushed up towards the car, from where it stands
        at rest [m]; what it carries at rest is added.  Springs, dampers and stops side by side are
        `ts.Parallel`.  It needs a `mass` of the wheel
    radius : of the wheel [m]; its mass is so high over the ground

    >>> from torseur.forces import Limits, Parallel, Spring, Viscous
    >>> strut = Parallel(Spring(22e3), Viscous(1.5e3), Limits(-0.09, 0.07, 4e5, 2e3))
    >>> Wheel("front_left", (-0.9, 0.76, 0), 2e5, mass=38.0, suspension=strut).mass
    38.0
    """

    name: str
    at: Any = description.quantity((0.0, 0.0, 0.0), "m", (3,))
    stiffness: Any = description.quantity(2.0e4, "N/m")
    friction: Any = description.quantity(0.0, "")
    mass: Any = description.quantity(0.0, "kg")
    suspension: Any = None
    radius: Any = description.quantity(0.3, "m")

    def __post_init__(self):
        description.convert_fields_to_si(self, 1, ("suspension",))

    @property
    def body(self) -> Body:
        """Its unsprung mass, in axes of the vehicle."""
        x, y, z = map(float, self.at)
        return Body(self.name, float(self.mass), (x, y, z + float(self.radius)))

    def problems(self, who):
        """Everything wrong with it, as sentences."""
        who = f"{who}: wheel {self.name!r}"
        if not is_real(self.at, 3):
            yield f"{who}: at: expected x, y, z [m], got {shown(self.at)}"
        for name, unit, minimum in (("stiffness", "N/m", 1e-300), ("friction", "1", 0.0),
                                  ("mass", "kg", 0.0), ("radius", "m", 0.0)):  # fmt: skip
            x = getattr(self, name)
            if not is_real(x) or float(x) < minimum:
                rule = "above zero" if minimum else "of zero or more"
                yield f"{who}: {name}: expected a number [{unit}] {rule}, got {shown(x)}"
        if self.suspension is None:
            return
        if not isinstance(self.suspension, Law):
            suspension = shown(self.suspension)
            yield f"{who}: suspension: expected a law such as ts.Spring, got {suspension}"
        if is_real(self.mass) and float(self.mass) == 0:
            yield f"{who}: a suspension needs the unsprung mass of its wheel: mass = 40 kg"


def is_real(x, size=None) -> bool:
    """Whether something is a finite number, or so many."""
    try:
        numbers = np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return False
    return numbers.shape == (() if size is None else (size,)) and bool(np.isfinite(numbers).all())


def flipped(at) -> tuple:
    """A position or direction with left and right exchanged."""
    x, y, z = at
    return (x, -value.exact(y) if isinstance(y, str) else -y, z)

"""Contract of a joint, independent of its neighbors."""

from __future__ import annotations

import abc
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..register import Register, derived
from ..scalars import matrix, vector
from ..spatial import Pose

Named = tuple[tuple[str, str], ...]
joint = Register("joint", __package__)
PLACE: Named = (("x", "m"), ("y", "m"), ("z", "m"))
TURN: Named = (("about_x", "rad"), ("about_y", "rad"), ("about_z", "rad"))


Edge = tuple[str, str, Any]


class SimpleJoint(NamedTuple):
    """A joint with one motion, of those equivalent to another joint: see `AbstractJoint.simple`."""

    suffix: str  # behind the joint's name
    motion: str  # "fixed", "turn", "slide", "plane" (translation, then a turn) or "free"
    axis: Any = None
    lead: Any = None  # [m/rad], of a slide that follows the turn before it


def both_ways(text: str, unit: str, x, near) -> tuple[Edge, ...]:
    """A pair of limits for a number that must not vanish, from above and from below.

    Each changes sign once, so that a step across both is detected.
    """
    return (text, unit, x - near), (text, unit, -x - near)


class AbstractJoint(abc.ABC):
    """Motion of an outboard frame M relative to an inboard frame F.

    A final subclass names its coordinates and speeds with units and writes `pose` and `subspace`
    over any scalar `K`. The defaults hold when S is constant in M and `qdot = v`. As a loop closure
    the same joint writes `closure`: 6 - nv residuals that vanish on its poses.
    """

    __slots__ = ()
    coordinates: ClassVar[Named] = ()
    speeds: ClassVar[Named] = ()
    inside: ClassVar[dict[str, str]] = dict.fromkeys(("axis", "axis1", "axis2", "normal"), "")
    """Units of numbers in its fields."""
    quaternion: ClassVar[int | None] = None  # index of qw among the coordinates
    rheonomic: ClassVar[bool] = False  # whether time moves it too: see `MovingBaseJoint`
    picture: ClassVar[str] = ""  # how a view shows it: "pin", "rail", "ball", ...
    rigid: ClassVar[bool] = False  # whether F and M are one: `check()` merges the bodies
    functional: ClassVar[bool] = False  # whether its pose is any function: see `ComplexJoint`
    nq = derived(lambda self: len(self.coordinates))
    nv = derived(lambda self: len(self.speeds))

    @abc.abstractmethod
    def pose(self, K, q) -> Pose:
        """`X_FM`, the pose of M in F."""

    @abc.abstractmethod
    def subspace(self, K, q) -> np.ndarray:
        """`S`, shape (6, nv): the twist of M in F, components in M, is `S @ v`."""

    def subspace_rate(self, K, q, v) -> np.ndarray:
        """`Sdot`, shape (6, nv): the rate of the components of S in M."""
        return matrix(((0,) * self.nv,) * 6)

    def still(self) -> AbstractJoint:
        """The joint with a moving placement fixed at the current time: see `MovingBaseJoint`."""
        return self

    def drift(self, K, q) -> np.ndarray:
        """Part of `twist` that depends on time alone, shape (6,)."""
        return vector((0,) * 6)

    def twist(self, K, q, v) -> np.ndarray:
        """Twist of M in F, components in M, shape (6,): `S @ v` plus the drift."""
        return self.subspace(K, q) @ v

    def bias(self, K, q, v) -> np.ndarray:
        """`Sdot @ v`, components in M, shape (6,): the rate of `twist` at constant v."""
        if type(self).subspace_rate is AbstractJoint.subspace_rate:
            return vector((0,) * 6)
        return self.subspace_rate(K, q, v) @ v

    def rates(self, K, q, v) -> np.ndarray:
        """`qdot = N(q) v`, shape (nq,)."""
        return v

    def speeds_from(self, K, q, qdot) -> np.ndarray:
        """`v = W(q) qdot`, the left inverse of `rates`, shape (nv,)."""
        return qdot

    @abc.abstractmethod
    def closure(self, K, X_FM: Pose) -> np.ndarray:
        """6 - nv residuals that vanish exactly on the poses of this joint."""

    @derived
    def closing(self) -> Named:
        """Labels and units of the residuals of `closure`.

        "x" [m] is the position of M in F along an axis, "about_x" [rad] a small rotation about it.
        The multipliers of a loop are the force [N] along it and the moment [N m] about it.
        """
        return tuple((f"row{i + 1}", "1") for i in range(6 - self.nv))

    @derived
    def meets(self) -> bool:
        """Whether the first three residuals of `closure` are the position of M in F."""
        return False

    def unclosable(self) -> str | None:
        """Why it cannot close a loop, if it cannot."""
        return None

    def flipped(self, R) -> bool:
        """Whether a rotation R_FM that closes it has a reversed axis (floats)."""
        return False

    def neutral(self) -> np.ndarray:
        """Coordinates of the pose where F and M coincide."""
        return np.zeros(self.nq)

    def integrate(self, K, q, dv) -> np.ndarray:
        """Coordinates reached from `q` by the small motion `dv` in the space of speeds."""
        return q + self.rates(K, q, dv)

    def difference(self, K, q0, q1) -> np.ndarray:
        """The motion `dv` with `integrate(q0, dv) = q1`."""
        return self.speeds_from(K, q0, q1 - q0)

    @derived
    def speeds_are(self) -> str:
        """Meaning of v: "rates" of coordinates, velocities in axes of "body" or "world", or ""."""
        return "rates" if self.holonomic else ""

    def steps(self) -> tuple:
        """Elementary motions from F to M, one for each coordinate, if it consists of some."""
        return ()

    def turns(self) -> tuple[tuple[tuple, int], ...]:
        """Axis and coordinate of every rotation from F to M, with a zero axis where it varies."""
        if steps := self.steps():
            return tuple((s.axis, s.index) for s in steps if s.turn)
        return tuple(((0, 0, 0), i) for i in self.angles())

    def upright(self) -> AbstractJoint | None:
        """The same joint about or along z, for a single rotation or translation, else None."""
        return None

    def simple(self) -> tuple[SimpleJoint, ...]:
        """Equivalent chain of joints with one motion each, for formats with few joint types."""
        return ()

    def divisors(self, names) -> tuple[str, ...]:
        """Divisors of `rates`, in the names of the coordinates: "cos(pitch)"."""
        return ()

    def edges(self, K, q) -> tuple[Edge, ...]:
        """Limits of validity of the coordinates: text, unit and distance.

        They come in pairs, one from each side. The positive one falls to zero shortly before the
        limit.
        """
        return ()

    @derived
    def readings(self) -> Named:
        """Names and units of further numbers that determine the pose, also at a start."""
        return ()

    def read(self, q) -> np.ndarray:
        """The readings along rows of coordinates (floats), continuous: (n, nq) to (n, readings)."""
        return np.zeros((len(q), 0))

    def entered(self, readings) -> dict[str, Any]:
        """Coordinates by name for values of all readings, numbers or arrays."""
        raise TypeError(f"{self!r} has no readings")

    def bars(self) -> tuple:
        """Massless rods for views: pairs of ends ("F" or "M", point there [m])."""
        return ()

    def wheels(self) -> tuple:
        """Wheels on the child for views: center in M [m], axis in M, heights of points inside the
        rim [m].
        """
        return ()

    def angles(self) -> tuple[int, ...]:
        """Which coordinates are angles, entering through sine and cosine."""
        return tuple(i for i, (_, unit) in enumerate(self.coordinates) if unit == "rad")

    def constants(self) -> tuple:
        """Numbers of the model that this joint carries (axes, leads)."""
        return ()

    def faults(self, K) -> tuple[str, ...]:
        """Problems with the values of its numbers, over floats with all names bound."""
        return ()

    @derived
    def holonomic(self) -> bool:
        """Whether the speeds are the rates of the coordinates."""
        return type(self).rates is AbstractJoint.rates

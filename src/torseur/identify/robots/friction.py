"""Friction of joints as sums of known shapes of the speed, with unknown sizes.

One class a shape, found by its name in `FRICTION`; `robot(..., friction=("coulomb", "viscous"))`
asks for them.  A shape may have one number of its own (a width, a speed), which is found with the
sizes.  Theory: ID.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...register import Register

# --------------------------------------------------------------------------------------------
# Dry friction after a turn of the motion: it builds up over a way, not at once.
#
# Theory: ID.5.


STARTS = 0.02  # width of speeds [rad/s or m/s] by which a row without a past is judged
ALONG = 0.3  # of a step: how far it may be off the speeds' direction
LATER = 5.0  # usual steps: a longer one is a gap
HALF = 0.5  # of the rows, at least, go on from the one above in a motion


class BuildUp(float):
    """The way [rad or m] over which dry friction builds up; a plain float is a width of speeds."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class CoordinatePath:
    """A coordinate through a motion, its speed, and whether each row goes on from the one above."""

    x: np.ndarray
    v: np.ndarray
    follows: np.ndarray
    step: float = 0.0  # usual time between two rows [s], by way and speed

    def built_up(self, way: float) -> np.ndarray:
        """From -1 to 1: `z' = (sign(v) - z) |v| / way` along the path, exactly between turns.

        >>> x = np.array([0.0, 1.0, 2.0, 1.9])
        >>> path = CoordinatePath(x, np.array([1.0, 1.0, 0.1, -1.0]), np.arange(4) > 0)
        >>> path.built_up(0.1).round(3)
        array([ 1.   ,  1.   ,  1.   , -0.264])
        """
        step = np.append(0.0, np.where(self.follows[1:], np.diff(self.x), 0.0))
        moved = np.flatnonzero(step)
        turns = moved[1:][np.diff(np.sign(step[moved])) != 0]  # the first row of each new sense
        begins = np.flatnonzero(~self.follows)
        cuts = np.unique(np.concatenate([[0], begins, turns, [len(step)]]))
        fresh, z, last = {0, *begins.tolist()}, np.empty(len(step)), 0.0
        for low, high in pairwise(cuts):
            if low in fresh:
                last = float(np.tanh(self.v[low] / STARTS))
            far = np.cumsum(step[low:high])
            sense = np.sign(far[-1])
            z[low:high] = sense + (last - sense) * np.exp(-np.abs(far) / way) if sense else last
            last = z[high - 1]
        return z


def paths(system, q, v) -> dict[int, CoordinatePath]:
    """{speed: its path} of the joints with one coordinate; rows that are no motion have no past."""
    plain = [k for k in system.links if k.joint.nv == 1 and k.joint.nq == 1]
    if not plain or len(q) < 2:
        return {}
    x = q[:, [k.q.start for k in plain]]
    rate = v[:, [k.v.start for k in plain]]
    step, middle = np.diff(x, axis=0), (rate[1:] + rate[:-1]) / 2
    size = np.linalg.norm(step, axis=1)
    pace = (step * middle).sum(axis=1) / np.maximum((middle**2).sum(axis=1), 1e-300)
    off = np.linalg.norm(step - pace[:, None] * middle, axis=1)
    still = size <= 1e-3 * np.linalg.norm(np.ptp(x, axis=0))
    along = (off <= ALONG * size) & (pace > 0)
    usual = float(np.median(pace[along])) if along.any() else 0.0
    follows = np.append(False, (along & (pace <= LATER * usual)) | still)
    follows &= follows.mean() > HALF  # else it is chance: rows in no order
    return {
        k.v.start: CoordinatePath(x[:, j], rate[:, j], follows, usual) for j, k in enumerate(plain)
    }


FRICTION = Register("friction model")


@dataclass(frozen=True, slots=True)
class FrictionShape:
    """What every friction model says of itself.

    `units`: of its size, turning and sliding; `signed`: whether the size may be negative;
    `tries`: values of its own number to begin with (empty: it has none) [rad/s or m/s].
    """

    units: ClassVar[tuple[str, str]] = ("N m", "N")
    signed: ClassVar[bool] = False
    tries: ClassVar[tuple[float, ...]] = ()
    ways: ClassVar[
        tuple[BuildUp, ...]
    ] = ()  # the same for friction that builds up, where rows follow
    usual: ClassVar[float | None] = None  # where that number is looked for, short of evidence
    loaded: ClassVar[bool] = False  # whether it multiplies the load of the joint
    sharp: ClassVar[bool] = True  # not in proportion to the speed: a low pass smooths it
    kind: ClassVar[str] = ""  # what it is of "dry" and "viscous", as laws of forces say it

    def column(self, v, own: Any = None, path: CoordinatePath | None = None):
        """The shape at speeds `v` [rad/s or m/s], one number a speed; `path` if they follow."""
        raise NotImplementedError

    def law(self, size: float, own: Any):
        """The force law of a model that does the same."""
        raise NotImplementedError

    @classmethod
    def examples(cls) -> tuple:
        return (cls(),)


def _sign(v, width):
    """tanh(v / width), a plain sign where the width is zero."""
    return np.sign(v) if not width else np.tanh(v / width)


@FRICTION.named("coulomb")
class CoulombTerm(FrictionShape):
    """Dry friction `F tanh(v / w)`; the width `w` is found too, zero (a sign) included.

    Where the rows are a motion and it fits better, friction that builds up over a way `s` after
    each turn instead (Dahl): `F z`, `z' = (sign(v) - z) |v| / s`; `s` is found too.

    >>> CoulombTerm().column(np.array([-2.0, 0.0, 3.0]), 0.0)
    array([-1.,  0.,  1.])
    """

    __slots__ = ()
    kind = "dry"
    tries = (0.0, 0.005, 0.01, 0.02, 0.035, 0.06, 0.1)
    ways = tuple(BuildUp(x) for x in (0.0003, 0.001, 0.003, 0.01, 0.03))
    usual = 0.035

    def column(self, v, own=None, path=None):
        if not isinstance(own, BuildUp):
            return _sign(v, own)  # ID.5
        return np.tanh(v / STARTS) if path is None else path.built_up(own)

    def law(self, size, own):
        from ...forces import Coulomb, LuGre

        if isinstance(own, BuildUp) and size > 0:
            return LuGre(size, stiffness=size / float(own))
        return Coulomb(size, slip=own or 1e-3)


@FRICTION.named("viscous")
class ViscousTerm(FrictionShape):
    """Friction in proportion to the speed."""

    __slots__ = ()
    kind = "viscous"
    sharp = False
    units = ("N m s/rad", "N s/m")

    def column(self, v, own=None, path=None):
        return v

    def law(self, size, own):
        from ...forces import Viscous as Law

        return Law(size)


@FRICTION.named("offset")
class Offset(FrictionShape):
    """A constant effort: a sensor's bias, or a spring nobody wrote down."""

    __slots__ = ()
    signed = True
    sharp = False

    def column(self, v, own=None, path=None):
        return np.ones_like(v)

    def law(self, size, own):
        from ...forces import Effort

        return Effort(-size)


@FRICTION.named("stribeck")
class Stribeck(FrictionShape):
    """Friction near rest that fades with the speed: `F tanh(v/w) exp(-(v/s)^2)`, `w = s / 10`.

    The size may be negative: friction that is smaller near rest.
    """

    __slots__ = ()
    kind = "dry"
    signed = True
    tries = (0.05, 0.1, 0.2, 0.4)
    usual = 0.15

    def column(self, v, own=None, path=None):
        return np.tanh(10 * v / own) * np.exp(-((v / own) ** 2))

    def law(self, size, own):
        from ...forces import Expression

        return Expression(f"{size!r}*tanh({10 / own!r}*rate)*exp(-(rate/{own!r})**2)")


@FRICTION.named("square")
class Square(FrictionShape):
    """Friction that grows with the square of the speed: `c v |v|`."""

    __slots__ = ()
    signed = True
    units = ("N m s^2/rad^2", "N s^2/m^2")

    def column(self, v, own=None, path=None):
        return v * np.abs(v)

    def law(self, size, own):
        from ...forces import Expression

        return Expression(f"{size!r}*rate*abs(rate)")


@FRICTION.named("load")
class LoadTerm(FrictionShape):
    """Dry friction in proportion to the effort that the joint carries: `f |tau| tanh(v / w)`."""

    __slots__ = ()
    kind = "dry"
    units = ("1", "1")
    tries = (0.0, 0.02, 0.06, 0.1)
    usual = 0.035
    loaded = True

    def column(self, v, own=None, path=None):
        return _sign(v, own)

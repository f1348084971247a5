"""Friction of joints as sums of known shapes of the speed, with unknown sizes.

One class a shape, found by its name in `FRICTION`; `robot(..., friction=("coulomb", "viscous"))`
asks for them.  A shape may have one number of its own (a width, a speed), which is found with the
sizes.  Theory: ID.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..register import Register
from .turns import STARTS, BuildUp, CoordinatePath

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
        from ..forces import Coulomb, LuGre

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
        from ..forces import Viscous as Law

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
        from ..forces import Effort

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
        from ..forces import Expression

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
        from ..forces import Expression

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

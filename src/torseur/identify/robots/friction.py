"""Friction models of joints: Coulomb, viscous, Stribeck, load-dependent, presliding hysteresis.

Each model is a known shape of the speed with an unknown coefficient (Armstrong-Hélouvry, Dupont and
Canudas de Wit 1994).  A shape may have one parameter of its own: a width or a speed.  Dry friction
may instead build up over a presliding distance after each reversal (Dahl 1968).
`robot(..., friction=("coulomb", "viscous"))` selects models by their names in `FRICTION`.
Equations ID.5, ID.22.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...register import Register

# ---- presliding hysteresis ---------------------------------------------------------------------

INITIAL_WIDTH = 0.02  # [rad/s or m/s] width of the sign of a row without a row before it
MAX_DIRECTION_ERROR = 0.3  # of a step: how far it may deviate from the direction of the speeds
MAX_STEP_TIME = 5.0  # median steps: a longer one is a gap
MIN_FOLLOWING_FRACTION = 0.5  # of the rows: with fewer, the rows are no motion


class PreslidingDistance(float):
    """Distance [rad or m] over which dry friction builds up.  A float is a width of speeds."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class CoordinatePath:
    """A coordinate and its speed along a motion; `follows`: a row continues the one above."""

    x: np.ndarray  # (n,) [rad or m]
    v: np.ndarray  # (n,) [rad/s or m/s]
    follows: np.ndarray  # (n,) bool
    step: float = 0.0  # median time between two rows [s], by distance and speed

    def presliding_state(self, distance: float) -> np.ndarray:
        """Dahl's state z from -1 to 1: `z' = (sign(v) - z) |v| / distance`, exact between
        reversals.

        >>> x = np.array([0.0, 1.0, 2.0, 1.9])
        >>> path = CoordinatePath(x, np.array([1.0, 1.0, 0.1, -1.0]), np.arange(4) > 0)
        >>> path.presliding_state(0.1).round(3)
        array([ 1.   ,  1.   ,  1.   , -0.264])
        """
        step = np.append(0.0, np.where(self.follows[1:], np.diff(self.x), 0.0))
        nonzero = np.flatnonzero(step)
        reversals = nonzero[1:][np.diff(np.sign(step[nonzero])) != 0]
        starts = np.flatnonzero(~self.follows)
        cuts = np.unique(np.concatenate([[0], starts, reversals, [len(step)]]))
        first_rows, z, previous = {0, *starts.tolist()}, np.empty(len(step)), 0.0
        for low, high in pairwise(cuts):
            if low in first_rows:
                previous = float(np.tanh(self.v[low] / INITIAL_WIDTH))
            s = np.cumsum(step[low:high])
            sign = np.sign(s[-1])
            decay = np.exp(-np.abs(s) / distance)
            z[low:high] = sign + (previous - sign) * decay if sign else previous
            previous = z[high - 1]
        return z


def coordinate_paths(system: Any, q: np.ndarray, v: np.ndarray) -> dict[int, CoordinatePath]:
    """{speed index: path} of the joints with one coordinate.

    A row follows the one above if the step has the direction of the mean speed and no gap.  Rows in
    no order have no path before them.
    """
    links = [k for k in system.links if k.joint.nv == 1 and k.joint.nq == 1]
    if not links or len(q) < 2:
        return {}
    x = q[:, [k.q.start for k in links]]
    rate = v[:, [k.v.start for k in links]]
    step, middle = np.diff(x, axis=0), (rate[1:] + rate[:-1]) / 2
    size = np.linalg.norm(step, axis=1)
    duration = (step * middle).sum(axis=1) / np.maximum((middle**2).sum(axis=1), 1e-300)
    deviation = np.linalg.norm(step - duration[:, None] * middle, axis=1)
    at_rest = size <= 1e-3 * np.linalg.norm(np.ptp(x, axis=0))
    aligned = (deviation <= MAX_DIRECTION_ERROR * size) & (duration > 0)
    median = float(np.median(duration[aligned])) if aligned.any() else 0.0
    follows = np.append(False, (aligned & (duration <= MAX_STEP_TIME * median)) | at_rest)
    follows &= follows.mean() > MIN_FOLLOWING_FRACTION
    return {
        k.v.start: CoordinatePath(x[:, j], rate[:, j], follows, median) for j, k in enumerate(links)
    }


# ---- models ------------------------------------------------------------------------------------

FRICTION = Register("friction model")


@dataclass(frozen=True, slots=True)
class FrictionModel:
    """A friction shape; its effort is coefficient times `column`."""

    units: ClassVar[tuple[str, str]] = ("N m", "N")  # of the coefficient: revolute, prismatic
    signed: ClassVar[bool] = False  # whether the coefficient may be negative
    parameter_grid: ClassVar[tuple[float, ...]] = ()  # start values, if it has a parameter
    distance_grid: ClassVar[tuple[PreslidingDistance, ...]] = ()  # of a presliding distance
    typical_parameter: ClassVar[float | None] = None  # mean of its prior
    load_dependent: ClassVar[bool] = False  # whether it multiplies the load of the joint
    nonlinear: ClassVar[bool] = True  # in the speed: a low pass smooths it
    kind: ClassVar[str] = ""  # "dry" or "viscous", as force laws name it

    def column(
        self, v: np.ndarray, parameter: Any = None, path: CoordinatePath | None = None
    ) -> np.ndarray:
        """Shape at speeds `v` [rad/s or m/s]; `path` if the rows follow each other."""
        raise NotImplementedError

    def law(self, coefficient: float, parameter: Any) -> Any:
        """Force law of a model with the same friction."""
        raise NotImplementedError

    @classmethod
    def examples(cls) -> tuple:
        return (cls(),)


def _smooth_sign(v: np.ndarray, width: float) -> np.ndarray:
    """tanh(v / width), and sign(v) for width zero."""
    return np.sign(v) if not width else np.tanh(v / width)


@FRICTION.named("coulomb")
class CoulombTerm(FrictionModel):
    """Coulomb friction `F tanh(v / w)`; the width `w` is estimated too, zero (a sign) included.

    If the rows are a motion and it fits better, presliding hysteresis replaces it (Dahl): `F z`,
    `z' = (sign(v) - z) |v| / s`, and the presliding distance `s` is estimated.

    >>> CoulombTerm().column(np.array([-2.0, 0.0, 3.0]), 0.0)
    array([-1.,  0.,  1.])
    """

    __slots__ = ()
    kind = "dry"
    parameter_grid = (0.0, 0.005, 0.01, 0.02, 0.035, 0.06, 0.1)
    distance_grid = tuple(PreslidingDistance(x) for x in (0.0003, 0.001, 0.003, 0.01, 0.03))
    typical_parameter = 0.035

    def column(self, v, parameter=None, path=None):
        if not isinstance(parameter, PreslidingDistance):
            return _smooth_sign(v, parameter)  # ID.5
        return np.tanh(v / INITIAL_WIDTH) if path is None else path.presliding_state(parameter)

    def law(self, coefficient, parameter):
        from ...forces import Coulomb, LuGre

        if isinstance(parameter, PreslidingDistance) and coefficient > 0:
            return LuGre(coefficient, stiffness=coefficient / float(parameter))
        return Coulomb(coefficient, slip=parameter or 1e-3)


@FRICTION.named("viscous")
class ViscousTerm(FrictionModel):
    """Viscous friction, proportional to the speed."""

    __slots__ = ()
    kind = "viscous"
    nonlinear = False
    units = ("N m s/rad", "N s/m")

    def column(self, v, parameter=None, path=None):
        return v

    def law(self, coefficient, parameter):
        from ...forces import Viscous as Law

        return Law(coefficient)


@FRICTION.named("offset")
class Offset(FrictionModel):
    """Constant effort: the bias of a sensor, or a spring that the model lacks."""

    __slots__ = ()
    signed = True
    nonlinear = False

    def column(self, v, parameter=None, path=None):
        return np.ones_like(v)

    def law(self, coefficient, parameter):
        from ...forces import Effort

        return Effort(-coefficient)


@FRICTION.named("stribeck")
class Stribeck(FrictionModel):
    """Stribeck friction, which decays with the speed: `F tanh(v/w) exp(-(v/s)^2)`, `w = s / 10`.

    A negative coefficient makes friction smaller near rest.
    """

    __slots__ = ()
    kind = "dry"
    signed = True
    parameter_grid = (0.05, 0.1, 0.2, 0.4)
    typical_parameter = 0.15

    def column(self, v, parameter=None, path=None):
        return np.tanh(10 * v / parameter) * np.exp(-((v / parameter) ** 2))

    def law(self, coefficient, parameter):
        from ...forces import Expression

        return Expression(
            f"{coefficient!r}*tanh({10 / parameter!r}*rate)*exp(-(rate/{parameter!r})**2)"
        )


@FRICTION.named("square")
class Square(FrictionModel):
    """Friction with the square of the speed: `c v |v|`."""

    __slots__ = ()
    signed = True
    units = ("N m s^2/rad^2", "N s^2/m^2")

    def column(self, v, parameter=None, path=None):
        return v * np.abs(v)

    def law(self, coefficient, parameter):
        from ...forces import Expression

        return Expression(f"{coefficient!r}*rate*abs(rate)")


@FRICTION.named("load")
class LoadTerm(FrictionModel):
    """Load-dependent dry friction: `f |tau| tanh(v / w)` for the transmitted effort tau."""

    __slots__ = ()
    kind = "dry"
    units = ("1", "1")
    parameter_grid = (0.0, 0.02, 0.06, 0.1)
    typical_parameter = 0.035
    load_dependent = True

    def column(self, v, parameter=None, path=None):
        return _smooth_sign(v, parameter)


# ---- prior and derivatives of friction parameters ----------------------------------------------

LOG_SIGMA = 0.25  # standard deviation of the logarithm of a friction parameter before the data
ZERO_WIDTH = 1e-3  # [rad/s or m/s] for which a width of zero counts in the prior
LOG_STEP = 1e-6  # of the logarithm, of central differences


def prior_deviation(kind: str, parameter: float | None) -> float:
    """Distance of a friction parameter from its typical value, in standard deviations of its prior.

    The prior is one of the logarithm.  A presliding distance has none.
    """
    if isinstance(parameter, PreslidingDistance):
        return 0.0
    typical = FRICTION[kind].typical_parameter
    return float(np.log((parameter or ZERO_WIDTH) / typical)) / LOG_SIGMA if typical else 0.0


def cauchy_weight(deviation: float) -> float:
    """Weight of the prior at a distance in standard deviations: tails of Cauchy, ID.5."""
    return 1 / (1 + deviation**2)


def prior_precision(kind: str, parameter: float | None) -> tuple[float, float]:
    """Precision of the prior of log(parameter), and the spread that its covariance counts."""
    if isinstance(parameter, PreslidingDistance):
        return 0.0, 0.0
    u = prior_deviation(kind, parameter)
    return cauchy_weight(u) / LOG_SIGMA**2, LOG_SIGMA * max(1.0, abs(u))


def scale_parameter(parameter: float | None, factor: float) -> float:
    """A friction parameter times a factor, of the same class."""
    return 0.0 if parameter is None else type(parameter)(float(parameter) * float(factor))


def neighbor_values(parameter: float | None) -> tuple[float, ...]:
    """Values of a friction parameter next to one, for a local search."""
    if not parameter:
        return (0.002,)
    return tuple(scale_parameter(parameter, k) for k in (1 / 1.3, 1 / 1.1, 1.1, 1.3))


def parameter_derivatives(problem: Any, p: np.ndarray) -> list[tuple[str, int, np.ndarray]]:
    """(model, speed index, derivative of that joint's rows by the logarithm of its parameter).

    Only of models with a parameter and a coefficient that is not zero.
    """
    lin, derivatives = problem.lin, []
    for c, (_, _, kind, i) in enumerate(lin.columns):
        if kind in FRICTION and FRICTION[kind].parameter_grid and p[c]:
            if not (x := lin.friction_parameter(kind, i)):
                continue
            up, down = (
                problem.friction_column(
                    replace(
                        lin,
                        nonlinear={
                            **lin.nonlinear,
                            (kind, i): scale_parameter(x, np.exp(sign * LOG_STEP)),
                        },
                    ),
                    kind,
                    i,
                )
                for sign in (1, -1)
            )
            derivatives.append((kind, i, p[c] * (up - down) / (2 * LOG_STEP)))
    return derivatives

"""Exciting trajectories: Fourier series or splines that show base parameters, within limits.

The coordinates `q = q0 + B c` are linear in the coefficients c of a finite Fourier series (Swevers,
Ganseman, Tukel, De Schutter and Van Brussel 1997) or of a spline.  The criterion is the condition
number of the base regressor or the determinant of its information matrix (D-optimality).
Equation ID.15.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError, ModelWarning, TorseurError, shown, unknown_name_message
from ...model import Model
from ...scalars import arguments
from ...scalars.values import value
from ...solve import coordinate_limits
from ...system import System
from ...views import PrintedAnswer
from .base_parameters import find_base_parameters
from .regressor import LinearModel, linear

CRITERIA = ("condition", "determinant")
DEFAULT_RANGE = (np.pi / 2, 0.5)  # [rad, m] around zero, without limits in the model
DEFAULT_SPEED = 1.5  # [rad/s or m/s]
RANDOM_STARTS = 20
RANDOM_CENTERS, BEST_CENTERS = 256, 5  # poses tried as centers of the motion, and taken
CENTERED_SIZE = 0.4  # of the allowed size, at a random center
PENALTY = 1e3  # weight of a violated limit in the criterion
MARGIN = 0.01  # of a limit of effort or a box, inside of which the penalty begins
ROUNDS = ((PENALTY, MARGIN), (1e5, MARGIN), (1e5, 4 * MARGIN))  # next one if limits are violated
SUBSAMPLES = 16  # of a sampling step, at which limits are checked
SHRINK_FACTORS = np.linspace(1, 0.8, 11)  # tried on a motion that violates limits
SPLINE_DEGREE = 5

Basis = Callable[[np.ndarray], tuple[np.ndarray, ...]]
"""Values and two derivatives of the basis functions at times, (times, coefficients) each."""


@dataclass(frozen=True, eq=False, repr=False)
class Excitation(PrintedAnswer):
    """A motion for identification: `time` [s], `q`, `v`, `a` (n, nv), and its quality.

    `condition` is that of the base regressor with columns of usual size.  `motion` is an argument
    for `ts.inverse`.  `at(times)` evaluates the motion at other times, such as those of a
    controller.  Positions and speeds are within their limits at all times.  `over` is the largest
    relative violation of a limit of effort or of a box, 0 for none.
    """

    names: tuple[str, ...]
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    condition: float
    started: float  # condition of the best random motion, before the optimization
    effort: np.ndarray = field(repr=False)
    over: float = 0.0
    series: Any = field(default=None, repr=False)  # function of time: q, v, a

    def __str__(self):
        excess = f"; {100 * self.over:.2g} % outside of its limits" if self.over else ""
        head = f"{self.time[-1]:g} s, condition {self.started:.4g} -> {self.condition:.4g}{excess}"
        width = max(map(len, self.names))
        rows = [
            f"  {n:<{width}}  {low:8.4g} to {high:8.4g}, speed up to {v:.4g}, effort up to {f:.4g}"
            for n, low, high, v, f in zip(
                self.names,
                self.q.min(axis=0),
                self.q.max(axis=0),
                abs(self.v).max(axis=0),
                abs(self.effort).max(axis=0),
                strict=True,
            )
        ]
        return "\n".join([head, *rows])

    @property
    def motion(self) -> dict[str, np.ndarray]:
        """{coordinate: values}, and "time"."""
        return {"time": self.time} | dict(zip(self.names, self.q.T, strict=True))

    def at(self, time: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Exact `q`, `v`, `a` at times from 0 to the duration [s]."""
        return self.series(np.atleast_1d(np.asarray(time, float)))


def exciting(
    model: Model | System,
    duration: float,
    *,
    kind: str = "fourier",
    terms: int = 5,
    samples: int = 150,
    criterion: str = "condition",
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool | None = None,
    free: Sequence[str] = (),
    limits: Any = None,
    max_speed: Any = None,
    max_effort: Any = None,
    around: Any = None,
    workspace: Mapping[str, Any] | None = None,
    iterations: int = 50,
    seed: int = 0,
) -> Excitation:
    """An exciting trajectory for the identification of base parameters.

    Parameters
    ----------
    duration : [s]; Fourier series repeat after it, splines start and end at rest
    kind : "fourier" or "spline"
    terms : harmonics, or free points of a spline, of each joint
    criterion : "condition" (of the base regressor) or "determinant" (D-optimality)
    friction, rotors, free : parameters to identify, as in `robot`
    limits, max_speed, max_effort : of every coordinate, [rad or m], [rad/s or m/s], [N m or N],
        one for all, one each, or {joint: limit}; by default those of the model's joints, else
        +-pi/2 rad or +-0.5 m, and 1.5 a second.  They hold between the samples too.
        Efforts are those of the model's own masses.  Texts may have units
    around : center of the motion (nq,); by default that of the limits; with limits of effort or a
        workspace the center is optimized too
    workspace : {body or frame: ((x low, x high), (y low, y high), (z low, z high))}, a box for its
        origin in the world [m]
    iterations : of the optimization (L-BFGS with exact gradients), from the best of 20 random
        motions; repeated with a larger penalty if limits of effort or workspace are violated

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> motion = exciting(arm, 4.0, iterations=5)
    >>> motion.q.shape, bool(abs(motion.v).max() <= 1.5 * 1.01)
    ((150, 1), True)
    """
    if criterion not in CRITERIA:
        raise ArgumentError(f"exciting: criterion={shown(criterion)}: expected one of {CRITERIA}")
    lin = linear(model, friction, rotors, free=free)
    _check_joints(lin)
    duration, terms, samples = _check_counts(duration, terms, samples)
    bounds = read_limits(lin, limits, max_speed, max_effort, around)
    has_penalty = bool(np.isfinite(bounds.effort).any() or workspace)
    search = _ExcitationProblem(
        lin,
        _make_basis(kind, terms, duration),
        np.linspace(0, duration, samples),
        bounds,
        criterion,
        read_boxes(lin, workspace or {}),
        has_penalty and around is None,
    )
    best, start, over = _optimize(search, iterations, has_penalty, np.random.default_rng(seed))
    q, v, a = search.evaluate_motion(best)
    if over > 0:
        warnings.warn(
            f"exciting: an effort or a position is outside of its limits by {100 * over:.2g} %; "
            "another center of the motion (around=), lower speeds or wider limits help",
            ModelWarning,
            stacklevel=2,
        )
    return Excitation(
        lin.system.coordinates,
        search.time,
        q,
        v,
        a,
        search.condition_number(q, v, a),
        search.condition_number(*search.evaluate_motion(start)),
        search.efforts(q, v, a),
        over,
        lambda time: search.evaluate_motion(best, search.basis(time)),
    )


def _check_joints(lin: LinearModel) -> None:
    """Raise for joints whose motion is no sum of basis functions."""
    if any(not k.joint.holonomic for k in lin.system.links):
        raise TorseurError(
            "exciting: ball and free joints have no coordinates that add; give the "
            "robot a fixed base and hinges or sliders"
        )
    if rotors := [k.name for k in lin.system.links if k.auxiliary]:
        raise TorseurError(
            f"exciting: the rotor {rotors[0]!r} follows its joint through a shaft, so it has no "
            "motion to choose; use stiff gears, Drive(flexible=False)"
        )


def _optimize(
    search: _ExcitationProblem, iterations: int, has_penalty: bool, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, float]:
    """Best coefficients, the start of the optimization, and the violation of limits."""
    from scipy.optimize import minimize

    starts = [min(motions, key=search.cost) for motions in search.random_motions(rng)]
    points, options = starts, {"maxiter": iterations}
    for search.penalty, search.margin in ROUNDS if has_penalty else ROUNDS[:1]:
        points = [
            minimize(search.cost_and_gradient, c, jac=True, method="L-BFGS-B", options=options).x
            for c in points
        ]
        start = min(starts, key=search.cost)
        candidates = (*(search.scale_to_limits(c, min_use=1.0) for c in points), start)
        ends = [search.shrink_to_limits(c) for c in candidates]
        best, over = min(ends, key=lambda end: (end[1] > 0, search.cost(end[0])))
        if search.penalty > PENALTY and not over:
            break
    return best, start, over


# ---- limits ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class MotionBounds:
    """Limits of every coordinate, speed and effort, and the center of the motion, (nv,) each."""

    low: np.ndarray
    high: np.ndarray
    speed: np.ndarray
    effort: np.ndarray
    center: np.ndarray


LIMIT_UNITS = {  # angular, linear
    "limits": ("rad", "m"),
    "around": ("rad", "m"),
    "max_speed": ("rad/s", "m/s"),
    "max_effort": ("N m", "N"),
}


def _check_counts(duration: Any, terms: Any, samples: Any) -> tuple[float, int, int]:
    """Duration [s], terms and samples of a motion."""
    duration = arguments.number("exciting", "duration", duration, "s", above=0.0)
    for name, n, minimum in (("terms", terms, 1), ("samples", samples, 8)):
        if not isinstance(n, int | np.integer) or n < minimum:
            raise ArgumentError(
                f"exciting: {name}={shown(n)}: expected a whole number >= {minimum}"
            )
    return duration, int(terms), int(samples)


def read_limits(
    lin: LinearModel, limits: Any, max_speed: Any, max_effort: Any, around: Any
) -> MotionBounds:
    """Limits from the model's joints, replaced by those of the arguments."""
    n = lin.system.nv
    joints = {j.name: j for j in lin.system.model.joints}
    span, speed, effort = np.zeros((n, 2)), np.full(n, DEFAULT_SPEED), np.full(n, np.inf)
    parameters = {n: x for n, x in lin.system.parameters.items() if x is not None}
    low, high = coordinate_limits(lin.system)
    for k in lin.system.links:
        joint: Any = joints.get(k.name)
        half = [DEFAULT_RANGE[not unit.startswith("rad")] for _, unit in k.joint.speeds]
        span[k.v] = np.outer(half, (-1, 1))
        if joint is None:
            continue
        if joint.bounds is not None and k.joint.nq == k.joint.nv:
            span[k.v] = _close_range(low[k.q], high[k.q], np.array(half))
        if joint.max_speed is not None:
            speed[k.v] = value.nominal(value.exact(joint.max_speed), parameters)
        if joint.max_effort is not None:
            effort[k.v] = value.nominal(value.exact(joint.max_effort), parameters)
    _set_numbers(lin, span, limits, "limits")
    _set_numbers(lin, speed, max_speed, "max_speed")
    _set_numbers(lin, effort, max_effort, "max_effort")
    low, high = span.T
    center = (low + high) / 2
    _set_numbers(lin, center, around, "around")
    for i, name, _ in lin.speeds:
        if not low[i] < center[i] < high[i] or not speed[i] > 0 or not effort[i] > 0:
            raise ArgumentError(
                f"exciting: limits leave no room around the middle of the motion of {name!r}: from "
                f"{low[i]:.4g} to {high[i]:.4g}, middle {center[i]:.4g}, speed {speed[i]:.4g}, "
                f"effort {effort[i]:.4g}"
            )
    return MotionBounds(low, high, speed, effort, center)


def _close_range(low: np.ndarray, high: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Ranges (n, 2); an open end is as far from the other one as the default range is wide."""
    below = np.where(np.isfinite(high), np.minimum(-half, high - 2 * half), -half)
    low = np.where(np.isfinite(low), low, below)
    return np.stack([low, np.where(np.isfinite(high), high, np.maximum(half, low + 2 * half))], 1)


def _set_numbers(lin: LinearModel, numbers: np.ndarray, limit: Any, what: str) -> None:
    """Set numbers from an argument: one for all, one a coordinate or {joint: number}, in place."""
    if limit is None:
        return
    slices = {k.name: k.v for k in lin.system.links}
    for name in limit if isinstance(limit, Mapping) else ():
        if name not in slices:
            raise ArgumentError(
                unknown_name_message("joint", name, sorted(slices), f"exciting, {what}")
            )
    pairs = limit.items() if isinstance(limit, Mapping) else [(None, limit)]
    units = [LIMIT_UNITS[what][not angular] for _, _, angular in lin.speeds]
    for name, x in pairs:
        part = slice(None) if name is None else slices[name]
        try:
            numbers[part] = _read_numbers(f"{what} of {name!r}" if name else what, x, units[part])
        except (TypeError, ValueError) as e:
            if isinstance(e, ArgumentError):
                raise
            shape = " by ".join(map(str, numbers[part].shape))
            raise ArgumentError(
                f"exciting: {what}={shown(limit)}: expected numbers ({shape}), one for all, or "
                "{joint: number}"
            ) from None


def _read_numbers(what: str, x: Any, units: list[str]) -> np.ndarray:
    """Numbers in SI, one for each coordinate or one for all; texts may have units."""
    try:
        return np.asarray(x, float)  # may be infinite: no limit
    except (TypeError, ValueError):
        pass
    if isinstance(x, list | tuple) and len(x) == len(units) and len(set(units)) > 1:
        each = [arguments.numbers("exciting", what, e, u) for e, u in zip(x, units, strict=True)]
        return np.array(each, float)
    each = [arguments.numbers("exciting", what, x, u) for u in dict.fromkeys(units)]  # checks all
    return each[0]


def read_boxes(lin: LinearModel, workspace: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """{body or frame: box (3, 2) [m] for its origin}."""
    names = {"world", *(b.name for b in lin.system.model.bodies)}
    names |= {f.name for f in lin.system.model.frames}
    boxes = {}
    for name, corners in workspace.items():
        if name not in names:
            raise ArgumentError(
                unknown_name_message("body or frame", name, sorted(names), "exciting, workspace")
            )
        box = arguments.numbers("exciting", f"workspace of {name!r}", corners, "m")
        if box.shape != (3, 2) or not (box[:, 0] < box[:, 1]).all():
            raise ArgumentError(
                f"exciting: workspace of {name!r} is {shown(corners)}: expected ((x low, x high), "
                "(y low, y high), (z low, z high)) [m]"
            )
        boxes[name] = box
    return boxes


# ---- basis functions ---------------------------------------------------------------------------


def _make_basis(kind: str, terms: int, duration: float) -> Basis:
    """Basis of a finite Fourier series, or of splines that start and end at rest."""
    if kind == "fourier":
        w = 2 * np.pi / duration * np.arange(1, terms + 1)

        def evaluate_fourier(t):
            s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
            return np.hstack([s / w, c / w]), np.hstack([c, -s]), np.hstack([-s * w, -c * w])

        return evaluate_fourier
    if kind == "spline":
        from scipy.interpolate import BSpline

        degree, n = SPLINE_DEGREE, terms + 6  # three coefficients at each end are zero: at rest
        inner = np.linspace(0, duration, n - degree + 1)
        spline = BSpline(np.r_[[0] * degree, inner, [duration] * degree], np.eye(n), degree)
        return lambda t: tuple(spline(t, nu)[:, 3:-3] for nu in range(3))
    raise ArgumentError(f"exciting: kind={shown(kind)}: expected 'fourier' or 'spline'")


def _append_constant(basis: Basis) -> Basis:
    """The basis with one more function, the constant, whose coefficient shifts the center."""
    return lambda t: tuple(
        np.column_stack([x, np.full(len(x), float(k == 0))]) for k, x in enumerate(basis(t))
    )


# ---- optimization ------------------------------------------------------------------------------


class _ExcitationProblem:
    """Criterion and penalties as functions of the coefficients, with gradients."""

    def __init__(
        self,
        lin: LinearModel,
        basis: Basis,
        time: np.ndarray,
        bounds: MotionBounds,
        criterion: str,
        workspace: dict[str, np.ndarray],
        free_center: bool,
    ):
        self.lin, self.base, self.criterion = lin, find_base_parameters(lin), criterion
        self.free_center, basis = free_center, _append_constant(basis) if free_center else basis
        self.time, self.basis, self.basis_values = time, basis, basis(time)
        dense_time = np.linspace(time[0], time[-1], SUBSAMPLES * (len(time) - 1) + 1)
        self.dense_values = basis(dense_time)
        self.bounds, self.workspace = bounds, workspace
        self.penalty, self.margin = ROUNDS[0]
        joints, terms = len(bounds.center), self.basis_values[0].shape[1]
        self.size = terms * joints
        self.independent = list(self.base.independent)
        c = np.random.default_rng(3).normal(size=(joints, terms - free_center))
        c = np.pad(c, ((0, 0), (0, int(free_center)))).ravel()
        q, v, a = self.evaluate_motion(self.scale_to_limits(c))
        Y = lin.regressor(q, v, a, np.ones(v.shape))[:, :, self.independent]
        Y = Y.reshape(-1, len(self.independent))
        self.column_size = np.sqrt((Y**2).mean(axis=0)) + 1e-12

    def evaluate_motion(
        self, c: np.ndarray, basis_values: tuple[np.ndarray, ...] | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, speeds and accelerations at the samples, or at other basis values."""
        C = c.reshape(len(self.bounds.center), -1).T
        B, B1, B2 = self.basis_values if basis_values is None else basis_values
        return self.bounds.center + B @ C, B1 @ C, B2 @ C

    # ---- motions within limits -----------------------------------------------------------------

    def scale_to_limits(self, c: np.ndarray, min_use: float = 1e-12) -> np.ndarray:
        """The same shape, as large as positions and speeds allow; not larger with `min_use` 1."""
        bounds = self.bounds
        C = c.reshape(len(bounds.center), -1).copy()
        shape = C[:, :-1] if self.free_center else C
        center, span = bounds.center.copy(), bounds.high - bounds.low
        if self.free_center:
            edge = MARGIN * span
            center = np.clip(center + C[:, -1], bounds.low + edge, bounds.high - edge)
            C[:, -1] = center - bounds.center
        x, v, a = (B[:, : shape.shape[1]] @ shape.T for B in self.dense_values)
        step = (self.time[1] - self.time[0]) / SUBSAMPLES
        overshoot = abs(a).max(axis=0) * step**2 / 8  # at most, between two rows
        speed = abs(v).max(axis=0) + abs(np.diff(a, axis=0)).max(axis=0) * step / 8
        up, down = x.max(axis=0) + overshoot, overshoot - x.min(axis=0)
        use = np.max(
            [up / (bounds.high - center), down / (center - bounds.low), speed / bounds.speed],
            axis=0,
        )
        use *= 1 + 1e-12
        shape /= np.maximum(use, min_use)[:, None]
        return C.ravel()

    def random_motions(self, rng: np.random.Generator) -> list[list[np.ndarray]]:
        """Random motions around the center; with a free center as many around feasible poses."""
        shapes = rng.normal(size=(RANDOM_STARTS, self.size))
        if not self.free_center:
            return [[self.scale_to_limits(c) for c in shapes]]
        joints = len(self.bounds.center)
        centers = rng.uniform(self.bounds.low, self.bounds.high, (RANDOM_CENTERS, joints))
        zero = np.zeros(centers.shape)
        violation = self.max_violation(centers, self.efforts(centers, zero, zero))
        best = np.argsort(violation, kind="stable")[:BEST_CENTERS]
        offsets = centers[best] - self.bounds.center
        shapes = shapes.reshape(len(shapes), joints, -1)
        groups: list[list[np.ndarray]] = [[], []]
        for k, C in enumerate(shapes):
            for group, offset, size in zip(
                groups, (0 * offsets[0], offsets[k % BEST_CENTERS]), (1, CENTERED_SIZE), strict=True
            ):
                C[:, -1] = offset
                C = self.scale_to_limits(C.ravel()).reshape(C.shape)
                C[:, :-1] *= size
                group.append(C.ravel())
        return groups

    def max_violation(self, q: np.ndarray, effort: np.ndarray) -> np.ndarray:
        """Largest relative violation of a limit of effort or of a box, of every row."""
        violations = [(abs(effort) / self.bounds.effort).max(axis=1) - 1]
        for name, box in self.workspace.items():
            x, (low, high) = self.kernels.pose(name, q)[:, :3, 3], box.T
            violations.append((np.maximum(x - high, low - x) / (high - low)).max(axis=1))
        return np.max(violations, axis=0)

    def shrink_to_limits(self, c: np.ndarray) -> tuple[np.ndarray, float]:
        """The motion, at most 20 % smaller if it then meets its limits, and its violation."""
        motions = []
        for factor in SHRINK_FACTORS:
            C = c.reshape(len(self.bounds.center), -1).copy()
            C[:, : C.shape[1] - self.free_center] *= factor
            q, v, a = self.evaluate_motion(C.ravel(), self.dense_values)
            violation = max(0.0, float(self.max_violation(q, self.efforts(q, v, a)).max()))
            motions.append((C.ravel(), violation))
            if not violation:
                return motions[-1]
        return motions[0]

    # ---- criterion -----------------------------------------------------------------------------

    @cached_property
    def kernels(self) -> Any:
        """Kernels of the robot with its own masses: efforts, poses."""
        from ...kernels import compile

        return compile(self.lin.system)

    def efforts(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return np.asarray(self.kernels.inverse_dynamics(q, v, a))

    def _scaled_regressor(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        Y = self.lin.regressor(q, v, a, np.ones(v.shape))[:, :, self.independent]
        return Y.reshape(-1, len(self.independent)) / self.column_size

    def condition_number(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        s = np.linalg.svd(self._scaled_regressor(q, v, a), compute_uv=False)
        return float(s[0] / max(s[-1], 1e-300))

    def cost(self, c: np.ndarray) -> float:
        return self.cost_and_gradient(c)[0]

    def cost_and_gradient(self, c: np.ndarray) -> tuple[float, np.ndarray]:
        """Criterion and penalties, and their gradient by the coefficients: ID.15."""
        states = self.evaluate_motion(c)
        q, v = states[:2]
        terms = [self._criterion(states), self._motion_penalty(q, v)]
        if np.isfinite(self.bounds.effort).any():
            terms.append(self._effort_penalty(states))
        terms += [self._box_penalty(q, name, box) for name, box in self.workspace.items()]
        cost = sum(x for x, _ in terms)
        by_q, by_v, by_a = (sum(g[k] for _, g in terms) for k in range(3))
        B, B1, B2 = self.basis_values
        return float(cost), (B.T @ by_q + B1.T @ by_v + B2.T @ by_a).T.ravel()

    def _criterion(self, states: tuple[np.ndarray, ...]) -> tuple[float, tuple[np.ndarray, ...]]:
        """Logarithm of the condition number or of the determinant, with gradients by the states."""
        U, s, V = np.linalg.svd(self._scaled_regressor(*states), full_matrices=False)
        s = s + 1e-12
        if self.criterion == "condition":
            cost = np.log(s[0] / s[-1])
            G = np.outer(U[:, 0], V[0]) / s[0] - np.outer(U[:, -1], V[-1]) / s[-1]
        else:
            cost, G = -2 * np.log(s).mean(), -2 / len(s) * (U / s) @ V
        by_regressor = np.zeros((*states[1].shape, len(self.lin.columns)))
        by_regressor[:, :, self.independent] = (G / self.column_size).reshape(*states[1].shape, -1)
        q, v, a = states
        return cost, self.lin.regressor_gradient(q, v, a, by_regressor)

    def _motion_penalty(self, q: np.ndarray, v: np.ndarray) -> tuple[float, tuple[np.ndarray, ...]]:
        """Squares of violated limits of positions and speeds."""
        bounds = self.bounds
        span = bounds.high - bounds.low
        position = (np.maximum(0, q - bounds.high) - np.maximum(0, bounds.low - q)) / span
        speed = np.sign(v) * np.maximum(0, abs(v) / bounds.speed - 1)
        cost = self.penalty * ((position**2).mean() + (speed**2).mean())
        k = 2 * self.penalty / q.size
        return cost, (k * position / span, k * speed / bounds.speed, 0.0 * v)

    def _effort_penalty(
        self, states: tuple[np.ndarray, ...]
    ) -> tuple[float, tuple[np.ndarray, ...]]:
        """Squares of violated limits of efforts."""
        tau, limit = self.efforts(*states), self.bounds.effort
        excess = np.sign(tau) * np.maximum(0, abs(tau) / limit - (1 - self.margin))
        cost, k = self.penalty * float((excess**2).mean()), 2 * self.penalty / tau.size
        derivatives = self.kernels.inverse_dynamics_derivatives(*states)
        return cost, tuple(np.einsum("ni,nij->nj", k * excess / limit, D) for D in derivatives)

    def _box_penalty(
        self, q: np.ndarray, name: str, box: np.ndarray
    ) -> tuple[float, tuple[np.ndarray, ...]]:
        """Squares of the distances by which a body or frame leaves its box, over its size."""
        low, high = box.T
        low, high = low + self.margin * (high - low), high - self.margin * (high - low)
        x, J = self.kernels.pose(name, q)[:, :3, 3], self.kernels.jacobian(name, q)[:, 3:]
        excess = (np.maximum(0, x - high) - np.maximum(0, low - x)) / (high - low)
        cost, k = self.penalty * float((excess**2).mean()), 2 * self.penalty / excess.size
        by_q = np.einsum("ni,nij->nj", k * excess / (high - low), J)
        return cost, (by_q, 0.0 * by_q, 0.0 * by_q)

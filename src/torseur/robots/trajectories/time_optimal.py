"""Time-optimal path parameterization by reachability analysis (Pham and Pham 2018, TOPP-RA).

A backward pass finds the controllable sets of the squared path speed x = s'^2, a forward pass takes
the largest path acceleration u = s''.  Bounds of effort are linear in (u, x).  Equations TO.1 to
TO.7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError, TorseurError, as_system, needs, shown, unknown_name_message
from ...kernels import compile
from ...model import Model
from ...scalars import arguments
from ...scalars.values import value
from ...solve import coordinate_limits
from ...system import System
from ...views import PrintedAnswer
from ..balancing.gravity_efforts import coordinate_units, refuse_switched_constraints


def solve_reachability(
    grid: np.ndarray,
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    top: np.ndarray,
    speed_limits: np.ndarray,
    names: Sequence[str],
    limits: Limits,
):
    """Squared path speed s'^2 at every point, and the active limit of every step.  # TO.3, TO.4

    The backward pass computes controllable sets, the forward pass the largest acceleration.
    """  # TO.3, TO.4
    n, h = len(grid), np.diff(grid)
    stalls = C > 1e-9 * (1 + abs(C))
    if stalls.any():
        i, k = np.argwhere(stalls)[0]
        k = int(np.argmax(C[i]))
        joint, limit = _effort_limit(names[k], limits)
        raise TorseurError(
            f"time_optimal: at {grid[i]:.3g} of the path joint {joint!r} needs "
            f"{limit + C[i, k]:.6g} to stand still, {C[i, k]:.4g} more than its max_effort "
            f"{limit:g}; raise the limit, balance the arm, or choose another path"
        )
    # each step must hold its bounds at both of its ends, x there being the state before and after
    controllable = np.zeros(n)
    for i in range(n - 2, -1, -1):
        a, b, c = _step_bounds(A, B, C, i, h[i])
        controllable[i] = _max_controllable(a, b, c, h[i], controllable[i + 1], top[i])
        if controllable[i] < 0:
            raise TorseurError(
                f"time_optimal: at {grid[i]:.3g} of the path no speed satisfies all bounds; "
                "give more points="
            )
    x = np.zeros(n)
    active = [""] * n
    for i in range(n - 1):
        a, b, c = _step_bounds(A, B, C, i, h[i])
        high, which = _max_acceleration(a, b, c, x[i], h[i], controllable[i + 1], top[i + 1])
        x[i + 1] = min(max(x[i] + 2 * h[i] * high, 0.0), controllable[i + 1])
        if which >= 0:
            active[i] = names[which % len(names)]
        elif top[i + 1] <= controllable[i + 1] * (1 + 1e-9) and x[i + 1] >= top[i + 1] * (1 - 1e-9):
            active[i] = str(speed_limits[i + 1])
        else:
            active[i] = "braking"
    return x, tuple(active)


def _effort_limit(name: str, limits: Limits):
    """Joint of a limit name, and its largest effort."""
    joint = name.rpartition(".")[0]
    return joint, next(e for n, _, e, _ in limits if n == joint)


def _step_bounds(A: np.ndarray, B: np.ndarray, C: np.ndarray, i: int, h: float):
    """Coefficients of the bounds `a u + b x + c <= 0` of the step from point i.  # TO.5

    They hold at its start and at its end, where `x_{i+1} = x_i + 2 h u`.
    """
    a = np.concatenate([A[i], A[i + 1] + 2 * h * B[i + 1]])
    b = np.concatenate([B[i], B[i + 1]])
    c = np.concatenate([C[i], C[i + 1]])
    return a, b, c


def _max_controllable(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, h: float, next_max: float, top: float
):
    """Largest x with some u: `a u + b x + c <= 0`, `0 <= x + 2 h u <= next_max`, `0 <= x <= top`.

    Fourier-Motzkin elimination of u: each pair of an upper and a lower bound of u gives a bound of
    x. The result is -1 if the set is empty.  # TO.6
    """
    a = np.concatenate([a, [2 * h, -2 * h]])
    b = np.concatenate([b, [1.0, -1.0]])
    c = np.concatenate([c, [-next_max, 0.0]])
    size = abs(a).max()
    up, down = a > 1e-14 * size, a < -1e-14 * size
    flat = ~(up | down)
    high, low = top, 0.0
    for slope, rest in zip(b[flat], c[flat], strict=True):
        if slope > 0:
            high = min(high, -rest / slope)
        elif slope < 0:
            low = max(low, -rest / slope)
        elif rest > 1e-9:
            return -1.0
    # u <= (-b x - c) / a for up, u >= (-b x - c) / a for down
    p, r = (-b[up] / a[up], -c[up] / a[up]), (-b[down] / a[down], -c[down] / a[down])
    slope = (r[0][:, None] - p[0][None, :]).ravel()
    gap = (p[1][None, :] - r[1][:, None]).ravel()
    plus, minus = slope > 1e-300, slope < -1e-300
    if plus.any():
        high = min(high, float((gap[plus] / slope[plus]).min()))
    if minus.any():
        low = max(low, float((gap[minus] / slope[minus]).max()))
    return high if high >= low - 1e-12 * (1 + abs(low)) else -1.0


def _max_acceleration(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, x: float, h: float, next_max: float, top: float
):
    """Largest u at x, and the index of its bound (-1: the controllable set of the next point)."""
    rest = -(b * x + c)
    size = abs(a).max(initial=1e-300)
    up, down = a > 1e-14 * size, a < -1e-14 * size
    limit = (min(next_max, top) - x) / (2 * h)
    high, which = limit, -1
    if up.any():
        each = rest[up] / a[up]
        k = int(np.argmin(each))
        if each[k] < high:
            high, which = float(each[k]), int(np.flatnonzero(up)[k])
    low = -x / (2 * h)
    if down.any():
        low = max(low, float((rest[down] / a[down]).max()))
    return max(high, min(low, limit)), which


Limits = Sequence[tuple[str, int, float | None, float | None]]
"""(joint, speed index, largest effort, largest speed) of every speed."""
UNBOUNDED_SQUARED_RATE = 1e12


class PathDynamics:
    """Inverse dynamics along the path: `m(s) s'' + c(s) s'^2 + g(s)` and friction.  # TO.1"""

    def __init__(self, s: System, curve: Any, grid: np.ndarray):
        """Evaluate m, c, g at the grid of the path parameter."""
        dyn = self.dyn = compile(s)
        q, d, dd = (curve(grid, n) for n in range(3))
        zero = np.zeros_like(d)
        self.q, self.d = q, d
        weight = dyn.inverse_dynamics(q, zero, zero)
        self.m = dyn.inverse_dynamics(q, zero, d) - weight
        self.c = dyn.inverse_dynamics(q, d, dd) - weight
        self.rest_forces = dyn.applied(0.0, q, zero) if s.elements else 0 * weight
        self.g = weight - self.rest_forces
        self.has_friction = bool(s.elements) and bool(
            abs(dyn.applied(0.0, q, d) - self.rest_forces).max() > 0
        )

    def friction(self, rate: np.ndarray | None):
        if not self.has_friction or rate is None:
            return 0 * self.g
        return -(self.dyn.applied(0.0, self.q, self.d * rate[:, None]) - self.rest_forces)

    def effort_bounds(self, limits: Limits, rate: np.ndarray | None):
        """Bounds `A u + B x + C <= 0` (n, bounds) at every point, and their names.

        Friction at the last path speed is split into its value at zero speed and a part linear in
        x.
        """
        begin = self.friction(np.full(len(self.g), 1e-6)) if rate is not None else 0 * self.g
        push = self.g + begin
        drag = self.c
        if self.has_friction and rate is not None:
            x = np.maximum(rate**2, 1e-9 * max((rate**2).max(), 1e-300))[:, None]
            drag = self.c + (self.friction(np.sqrt(x[:, 0])) - begin) / x
        A, B, C, names = [], [], [], []
        for name, i, effort, _ in limits:
            if effort is None:
                continue
            for sign in (1, -1):
                A.append(sign * self.m[:, i])
                B.append(sign * drag[:, i])
                C.append(sign * push[:, i] - effort)
                names.append(f"{name}.max_effort")
        n = len(self.g)
        if not A:
            return np.zeros((n, 0)), np.zeros((n, 0)), np.zeros((n, 0)), []
        return *(np.stack(x, 1) for x in (A, B, C)), names

    def speed_bounds(self, limits: Limits):
        """Largest s'^2 (n,) by limits of speed, and the names of the limits."""
        x, names = (
            np.full(len(self.g), UNBOUNDED_SQUARED_RATE),
            np.full(len(self.g), "", dtype=object),
        )
        for name, i, _, speed in limits:
            if speed is not None:
                with np.errstate(divide="ignore"):
                    bound = np.where(
                        self.d[:, i] != 0, (speed / self.d[:, i]) ** 2, UNBOUNDED_SQUARED_RATE
                    )
                names = np.where(bound < x, f"{name}.max_speed", names)
                x = np.minimum(x, bound)
        return x, names

    def efforts(self, x: np.ndarray, u: np.ndarray):
        rub = self.friction(np.sqrt(np.maximum(x, 0)))
        return self.m * u[:, None] + self.c * x[:, None] + self.g + rub


@dataclass(frozen=True, slots=False, eq=False, repr=False)
class PathProfile(PrintedAnswer):
    """Profile of one coordinate along a path: `law(t)` returns position, speed, acceleration."""

    curve: Callable[..., Any]  # a spline of the share of the path
    times: np.ndarray
    s: np.ndarray
    rate: np.ndarray

    @property
    def begin(self) -> float:
        return float(self.times[0])

    @property
    def duration(self) -> float:
        return float(self.times[-1] - self.times[0])

    @property
    def start(self) -> float:
        return float(self.curve(self.s[0]))

    @property
    def end(self) -> float:
        return float(self.curve(self.s[-1]))

    @cached_property
    def breakpoints(self) -> tuple[float, ...]:
        """Ends, and times where the acceleration jumps [s]."""
        u = np.diff(self.rate) / np.diff(self.times)
        jump = np.flatnonzero(abs(np.diff(u)) > 0.2 * max(abs(u).max(), 1e-300)) + 1
        return tuple(sorted({self.begin, *map(float, self.times[jump]), float(self.times[-1])}))

    def derivative(self, t: ArrayLike, order: int = 1):
        """Derivative of order 0, 1 or 2 at the times `t` [s]."""
        t = np.asarray(t, float)
        x = np.clip(t, self.times[0], self.times[-1])
        k = np.clip(np.searchsorted(self.times, x, side="right") - 1, 0, len(self.times) - 2)
        h = x - self.times[k]
        u = (self.rate[k + 1] - self.rate[k]) / (self.times[k + 1] - self.times[k])
        s = self.s[k] + self.rate[k] * h + u * h * h / 2
        v = self.rate[k] + u * h
        match order:
            case 0:
                return self.curve(s)
            case 1:
                out = self.curve(s, 1) * v
            case 2:
                out = self.curve(s, 2) * v * v + self.curve(s, 1) * u
            case _:
                raise ArgumentError("a time-optimal motion has derivatives up to acceleration")
        return np.where((t >= self.times[0]) & (t < self.times[-1]), out, 0.0)[()]

    def __call__(self, t: ArrayLike):
        return tuple(self.derivative(t, n) for n in range(3))


class CurveColumn:
    """One coordinate of a curve of all coordinates."""

    def __init__(self, curve: Any, i: int):
        self.curve, self.i = curve, i

    def __call__(self, s: ArrayLike, order: int = 0):
        return self.curve(s, order)[..., self.i]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TimeOptimal(PrintedAnswer):
    """A time-optimal motion along a path.

    `duration` is in s.  `motion` is {coordinate: law} for `ts.inverse`.  `times`, `s` and `rate`
    (n,) are times [s], path parameter and its rate.  `efforts` are (n, joints).  `active` names the
    active limit of each sample, such as "joint2.max_effort".
    """

    duration: float
    motion: dict[str, PathProfile]
    times: np.ndarray
    s: np.ndarray
    rate: np.ndarray
    efforts: np.ndarray
    joints: tuple[str, ...]
    active: tuple[str, ...] = field(repr=False)

    def __str__(self):
        limits, counts = np.unique([a for a in self.active if a], return_counts=True)
        summary = ", ".join(
            f"{w} for {100 * c / len(self.active):.0f} %"
            for w, c in sorted(zip(limits, counts, strict=True), key=lambda x: -x[1])
        )
        return f"{self.duration:.9g} s along the path, bounded by {summary or 'nothing'}"


def time_optimal(
    model: Model | System,
    path: Any,
    *,
    points: int = 501,
    max_effort: Mapping[str, float] | None = None,
    max_speed: Mapping[str, float] | None = None,
    engine: str = "own",
) -> TimeOptimal:
    """Time-optimal motion from rest to rest along a path of coordinates.

    Parameters
    ----------
    path : two or more poses [q0, q1, ...], each (nq,) or {coordinate: value}.  Two poses give a
        straight line in coordinates, more a cubic spline.
    max_effort, max_speed : limits by joint [N m or N, rad/s or m/s].  They override those of the
        model.
    points : number of points of the path.  The error of the duration is about 1e-4 with 501.
    engine : "own", or "toppra" (extra `robots`) with the dynamics of the model.  It gives no
        `active`.

    Force elements of the model act too (springs, friction of joints).

    >>> import torseur as ts
    >>> cart = ts.Model(bodies=(ts.Body("cart", 2.0),), joints=(
    ...     ts.Joint("x", "world", "cart", ts.Prismatic("x"), max_effort=4.0),))
    >>> round(time_optimal(cart, [[0.0], [1.0]]).duration, 6)      # 2 sqrt(2 kg 1 m / 4 N)
    1.414214
    """
    s: System = as_system(model, "time_optimal")
    if engine not in ("own", "toppra"):
        raise ArgumentError(f"time_optimal: engine={shown(engine)}: expected 'own' or 'toppra'")
    q = _read_poses(s, path)
    limits = _read_limits(s.model, s, max_effort or {}, max_speed or {})
    curve = _interpolate_poses(q)
    grid = np.linspace(0, 1, arguments.count("time_optimal", "points", points, 2))
    _check_travel(s, curve(grid), grid)
    dynamics = PathDynamics(s, curve, grid)
    rate = None
    x = np.empty(0)
    # friction depends on the unknown speed
    for _ in range(40 if dynamics.has_friction else 1):
        A, B, C, names = dynamics.effort_bounds(limits, rate)
        top, speed_limits = dynamics.speed_bounds(limits)
        x, active = solve_reachability(grid, A, B, C, top, speed_limits, names, limits)
        if engine == "toppra":
            x, active = solve_toppra(grid, curve, dynamics, limits), ("",) * len(grid)
            break
        new = np.sqrt(np.maximum(x, 0))
        if rate is not None and abs(new - rate).max() < 1e-6 * new.max():
            break
        rate = new
    rate = np.sqrt(np.maximum(x, 0))
    both = rate[1:] + rate[:-1]
    if not (both > 0).all():
        raise TorseurError("time_optimal: the motion stops on the way; give more points=")
    t = np.concatenate([[0.0], np.cumsum(2 * np.diff(grid) / both)])  # TO.2
    laws = {
        n: PathProfile(CurveColumn(curve, i), t, grid, rate) for i, n in enumerate(s.coordinates)
    }
    u = np.append(np.diff(x) / (2 * np.diff(grid)), 0.0)
    u[-1] = u[-2]
    efforts = dynamics.efforts(x, u)
    active = _name_active_limits(active, efforts, limits)
    joints = tuple(k.name for k in s.links for _ in range(k.v.stop - k.v.start))
    return TimeOptimal(float(t[-1]), laws, t, grid, rate, efforts, joints, active)


def _name_active_limits(active: Sequence[str], efforts: np.ndarray, limits: Limits):
    """Active limit of each step.  While braking it is the joint whose effort is used up."""
    use = np.stack([abs(efforts[:, i]) / e if e else 0 * efforts[:, i] for _, i, e, _ in limits], 1)
    joints = np.argmax(use, axis=1)
    return tuple(
        f"{limits[k][0]}.max_effort" if a == "braking" and use[i, k] > 0.98 else a
        for i, (a, k) in enumerate(zip(active, joints, strict=True))
    )


def _pose_coordinates(s: System, pose: Any, which: str):
    """A pose as numbers.  Texts are read in the unit of their coordinate."""
    try:
        row = np.asarray(pose, float)
    except (TypeError, ValueError):
        entries = np.ravel(np.asarray(pose, dtype=object))
        if len(entries) != s.nq:
            raise ArgumentError(
                f"time_optimal: {which} is {shown(pose)}; expected {s.nq} numbers: "
                f"{', '.join(s.coordinates)}"
            ) from None
        row = s.state(dict(zip(s.coordinates, entries.tolist(), strict=True)))[0]
    bad = [n for n, x in zip(s.coordinates, np.ravel(row), strict=False) if not np.isfinite(x)]
    if row.shape == (s.nq,) and not bad:
        unit = coordinate_units(s)
        for n, x in zip(s.coordinates, row.tolist(), strict=True):
            arguments.tell_degrees(f"time_optimal: {which}: {n}", unit[n], x)
    if bad:
        raise ArgumentError(
            f"time_optimal: {bad[0]} of {which} is {row[~np.isfinite(row)][0]:g}; expected a "
            "finite number"
        )
    return row


def _read_poses(s: System, path: Any):
    """Poses (n, nq) of the path, checked for open chains."""
    rows = []
    try:
        poses = list(path)
    except TypeError:
        poses = []
    for i, p in enumerate(poses):
        if isinstance(p, Mapping):
            rows.append(s.state(p)[0])
        else:
            row = _pose_coordinates(s, p, f"pose {i + 1} of the path")
            if row.shape != (s.nq,):
                raise ArgumentError(
                    f"time_optimal: a pose of the path has the shape {row.shape}; expected "
                    f"({s.nq},): {', '.join(s.coordinates)}"
                )
            rows.append(row)
    if len(rows) < 2 or any(np.array_equal(a, b) for a, b in pairwise(rows)):
        raise ArgumentError("time_optimal: give two poses or more, each other than the one before")
    s.alone("time_optimal")
    refuse_switched_constraints(s, "time_optimal")
    if s.nq != s.nv or not all(k.joint.holonomic for k in s.links):
        raise TorseurError("time_optimal: every speed must be the rate of a coordinate")
    q = np.array(rows)
    coupled = [i for e in s.held for k in e.links for i in range(*s.links[k - 1].q.indices(s.nq))]
    if changed := [s.coordinates[i] for i in dict.fromkeys(coupled) if np.ptp(q[:, i]) > 0]:
        raise TorseurError(
            f"time_optimal: the path moves {', '.join(changed)}, which loops or constraints hold; "
            "it is for open chains"
        )
    return q


def _check_travel(s: System, q: np.ndarray, grid: np.ndarray):
    """Raise an error for a path that leaves the limits of a joint."""
    low, high = coordinate_limits(s)
    for which, limit, over in (("lower", low, low - q), ("upper", high, q - high)):
        k, i = np.unravel_index(int(np.argmax(over)), over.shape)
        if over[k, i] > 1e-9:
            raise TorseurError(
                f"time_optimal: at {grid[k]:.3g} of the path {s.coordinates[i]} is {q[k, i]:.6g}, "
                f"{over[k, i]:.4g} beyond its {which} limit {limit[i]:.6g}; move the poses, or "
                "give more of them to hold the curve"
            )


def _interpolate_poses(q: np.ndarray):
    """Line or natural cubic spline through poses, with centripetal parameter."""
    from scipy.interpolate import CubicSpline, PPoly

    if len(q) == 2:
        return PPoly(np.stack([(q[1] - q[0])[None], q[0][None]]), [0.0, 1.0])
    chords = np.linalg.norm(np.diff(q, axis=0), axis=1) ** 0.5  # centripetal
    at = np.concatenate([[0], np.cumsum(chords)])
    return CubicSpline(at / at[-1], q, bc_type="natural")


def _read_limits(
    model: Model, s: System, efforts: Mapping[str, float], speeds: Mapping[str, float]
):
    """(joint, speed index, largest effort, largest speed) of every speed."""
    joints = {j.name: j for j in model.joints}
    for argument, limits in (("max_effort", efforts), ("max_speed", speeds)):
        if bad := [
            unknown_name_message("joint", n, joints, f"time_optimal, {argument}")
            for n in limits
            if n not in joints
        ]:
            raise TorseurError("\n".join(bad))
    rows = []
    for k in s.links:
        j = joints.get(k.name)
        e = efforts.get(k.name, j.max_effort if j else None)
        v = speeds.get(k.name, j.max_speed if j else None)
        for i in range(k.v.start, k.v.stop):
            rows.append((k.name, i, _parameter_number(e, s), _parameter_number(v, s)))
    if all(e is None and v is None for *_, e, v in rows):
        raise TorseurError(
            "time_optimal: no joint has max_effort or max_speed, so nothing bounds the motion; "
            "give them in the model, or max_effort={...}, max_speed={...}"
        )
    for name, _, e, v in rows:
        if (e is not None and not e > 0) or (v is not None and not v > 0):
            raise ArgumentError(f"time_optimal: the limits of joint {name!r} must be above zero")
    return rows


def _parameter_number(x: Any, s: System):
    parameters = {n: v for n, v in s.parameters.items() if v is not None}
    return None if x is None else value.nominal(value.exact(x), parameters)


def solve_toppra(
    grid: np.ndarray, curve: Any, dynamics: PathDynamics, limits: Limits
) -> np.ndarray:
    """Squared path speed s'^2 at every point of the grid, by the package toppra.  # TO.7"""
    with needs("robots", "time_optimal: engine='toppra'", "take engine='own'"):
        import toppra
        from toppra import algorithm, constraint, interpolator
    if dynamics.has_friction:
        raise TorseurError(
            "time_optimal: toppra counts no friction that grows with speed; use engine='own'"
        )

    class Path(interpolator.AbstractGeometricPath):
        """The path of coordinates in the interface of toppra."""

        def __call__(self, path_positions: Any, order: int = 0):
            return curve(path_positions, order)

        @property
        def dof(self):
            return dynamics.q.shape[1]

        @property
        def path_interval(self):
            return np.array([0.0, 1.0])

    def efforts(q: np.ndarray, v: np.ndarray, a: np.ndarray):
        tau = dynamics.dyn.inverse_dynamics(q, v, a)
        return tau - dynamics.dyn.applied(0.0, q, v) if dynamics.dyn.system.elements else tau

    n = dynamics.q.shape[1]
    limits_by_speed = {i: (e, v) for _, i, e, v in limits}
    unbounded = 1e8
    torque = np.array([[-1, 1]] * n) * np.array(
        [[limits_by_speed[i][0] or unbounded] for i in range(n)]
    )
    speed = np.array([[-1, 1]] * n) * np.array(
        [[limits_by_speed[i][1] or unbounded] for i in range(n)]
    )
    bounds = [
        constraint.JointVelocityConstraint(speed),
        constraint.JointTorqueConstraint(
            efforts,
            torque,
            np.zeros(n),
            constraint.DiscretizationType.Interpolation,
        ),
    ]
    old = toppra.utils.logging.getLogger("toppra").level
    toppra.setup_logging("ERROR")
    try:
        solver = algorithm.TOPPRA(bounds, Path(), gridpoints=grid, solver_wrapper="seidel")
        rate = solver.compute_parameterization(0, 0)[1]
    finally:
        toppra.utils.logging.getLogger("toppra").setLevel(old)
    if rate is None or not np.isfinite(rate).all():
        raise TorseurError(
            "time_optimal: toppra finds no motion; engine='own' says which joint cannot"
        )
    return np.maximum(rate, 0.0) ** 2

"""Joint controllers: computed torque, PD with gravity compensation, LQR, gain scheduling.

`ts.simulate(control=..., period=...)` calls them.  Equations CT.1 to CT.5, CT.7.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...errors import (
    ArgumentError,
    ModelWarning,
    TorseurError,
    as_system,
    shown,
    unknown_name_message,
)
from ...kernels import compile
from ...model import Model
from ...scalars import arguments
from ...solve import Linear
from ...system import System
from ...views import PrintedAnswer

MAX_MODE_TIME = 1000.0  # a mode of a regulator that takes longer is told [s]


def motors(model: Model) -> dict[str, tuple[str, float]]:
    """Input and gain of each driven joint: {joint: (input, N m at the joint per unit)}.

    >>> import torseur as ts
    >>> arm = ts.from_dh([(0, 0, 0, 0.5)], [ts.Body("a", 1, (0.1, 0, 0))], convention="modified",
    ...                  actuate=True)
    >>> motors(arm)
    {'joint1': ('u_joint1', 1.0)}
    """
    model = as_system(model, "motors").model
    inputs = {}
    for f in model.forces:
        push = f.law.push if f.law is not None else None
        if push is not None and f.key == "joint":
            inputs[f.joint] = (push.input, float(push.gain))
    for j in model.joints:
        d = j.drive
        if d is not None and d.input is not None:
            if d.elastic:
                raise TorseurError(
                    f"joint {j.name!r} is driven through an elastic shaft; controllers here are "
                    "for rigid drives: use flexible=False, or ts.robots.feedforward"
                )
            inputs[j.name] = (d.input, float(next(s.ratio for s in d.chain() if s.name == d.motor)))
    return inputs


class _Controller:
    """Base class: a controller of a rigid arm that computes joint efforts."""

    def __init__(self, model: Model, where: str):
        """Read the inputs of the model, and check that speeds are rates of coordinates."""
        self.system = as_system(model, where)
        self.system.alone(where)
        model = self.system.model
        self.dyn = compile(self.system)
        self.inputs = motors(model)
        if not self.inputs:
            raise TorseurError(
                f"{where}: no joint of {model.name!r} has an input; load it with actuate=True"
            )
        if self.system.nq != self.system.nv:
            raise TorseurError(f"{where}: every speed must be the rate of a coordinate")
        self.index = {k.name: k.v.start for k in self.system.links}
        self.pushes = tuple(u for u, _ in self.inputs.values())

    def _input_expressions(self, graph: Any, tau: Any):
        """Inputs as graph expressions for the joint efforts tau."""
        each = [tau[self.index[j]] / gain for j, (_, gain) in self.inputs.items()]
        return graph.lib.vertcat(*each)

    def input_values(self, tau: np.ndarray) -> dict[str, float]:
        """Input values by name for the joint efforts tau (nv,)."""
        return {u: float(tau[self.index[j]]) / gain for j, (u, gain) in self.inputs.items()}

    def check_inputs(self, where: str, required: Iterable[str] = ()):
        """Raise an error if a joint of a loop or coupling, or one in `required`, has no input.

        Without an input its effort is missing, so the control law does not hold for the other
        joints.
        """
        coupled = {self.system.links[k - 1].name for e in self.system.held for k in e.links}
        names = [j.name for j in self.system.model.joints if j.name in self.index]
        missing = [n for n in names if n not in self.inputs and (n in coupled or n in required)]
        if missing:
            tied = " is part of a loop or coupling and" if missing[0] in coupled else ""
            raise TorseurError(
                f"{where}: joint {missing[0]!r}{tied} has no input, so the control law fails; "
                "give it one (actuate=True), use ts.robots.lqr, or the efforts of ts.inverse"
            )

    def read_gains(self, gains: Any, argument: str):
        """Gains of all speeds (nv,) from one number, a sequence, or numbers by joint."""
        nv = self.system.nv
        if isinstance(gains, Mapping):
            if bad := [
                unknown_name_message("joint", n, self.index, argument)
                for n in gains
                if n not in self.index
            ]:
                raise TorseurError("\n".join(bad))
            out = np.zeros(nv)
            if left := [n for n in self.inputs if n not in gains]:
                raise ArgumentError(
                    f"{argument}: no number is given for {', '.join(map(repr, left))}"
                )
            for n, x in gains.items():
                out[self.index[n]] = self._read_gain(x, argument, ())
            return out
        return np.broadcast_to(self._read_gain(gains, argument, (nv,)), (nv,))

    def _read_gain(self, gain: Any, argument: str, shape: tuple[int, ...]):
        """A nonnegative number or an array of the given shape."""
        nv = self.system.nv
        try:
            x = np.asarray(gain, float)
        except (TypeError, ValueError, OverflowError):
            x = np.array(-1.0)
        if x.shape not in ((), shape) or not (x >= 0).all() or not np.isfinite(x).all():
            raise ArgumentError(
                f"{argument} = {shown(gain)}: expected numbers of zero or more (SI), one or {nv}"
            )
        return x


def callable_laws(system: System, motion: Mapping[str, Any]) -> dict[str, Any]:
    """Callable laws of coordinates for any motion that `inverse` accepts."""
    from ...solve import course

    grid = motion.get("time")
    data = {n: x for n, x in motion.items() if n != "time" and not callable(x)}
    if not data:
        return dict(motion)
    time_range = (-np.inf, np.inf) if grid is None else (float(np.min(grid)), float(np.max(grid)))
    laws_data = data if grid is None else {"time": grid, **data}
    laws = course(system, laws_data, times=[0.0], bound=_parameter_values(system)).laws

    def make_law(f: Callable[..., np.ndarray]):
        def evaluate(t: float):
            x = np.array([min(max(t, time_range[0]), time_range[1])])
            in_motion = time_range[0] <= t <= time_range[1]
            return tuple(float(f(x, n)[0]) * (n == 0 or in_motion) for n in range(3))

        return evaluate

    return {n: make_law(laws[n]) if n in data else x for n, x in motion.items() if n != "time"}


def _parameter_values(system: System) -> dict[str, float]:
    return {n: x for n, x in system.parameters.items() if x is not None}


class ComputedTorque(_Controller):
    """Computed torque control: `tau = M (a_d + kd (v_d - v) + kp (q_d - q)) + h`.  # CT.1

    The error of every joint obeys `e'' + kd e' + kp e = 0` in all poses.  `motion` maps coordinates
    to laws that return (position, speed, acceleration), to texts of t, or to arrays with "time".
    Other coordinates stay at zero.
    """

    references = ("q_d", "v_d", "a_d")

    def formula(self, graph: Any, q_d: Any, v_d: Any, a_d: Any):
        """Graph expressions of the inputs, for `export_controller`."""
        kp, kd = graph.lib.DM(self.kp), graph.lib.DM(self.kd)
        a = a_d + kd * (v_d - graph.v) + kp * (q_d - graph.q)
        return self._input_expressions(graph, graph.efforts(a))

    def __init__(self, model: Model, motion: Mapping[str, Any], kp: Any = 400.0, kd: Any = 40.0):
        """Check the motion and read the gains `kp` [1/s2] and `kd` [1/s]."""
        super().__init__(model, "computed torque")
        self.check_inputs("computed torque", required=self.index)
        motion = arguments.mapping(
            "computed torque", "motion", motion, "{'j.angle': ts.robots.Quintic(0, 1, 1)}"
        )
        names = self.system.coordinates
        if bad := [
            unknown_name_message("coordinate", n, names, "computed torque")
            for n in motion
            if n not in (*names, "time")
        ]:
            raise TorseurError("\n".join(bad))
        self.motion = {names.index(n): law for n, law in callable_laws(self.system, motion).items()}
        self.kp, self.kd = self.read_gains(kp, "kp"), self.read_gains(kd, "kd")
        self.rest = self.system.neutral()

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        """Inputs at time t [s] and state (q, v)."""
        qd, vd, ad = self.rest.copy(), np.zeros(self.system.nv), np.zeros(self.system.nv)
        for i, law in self.motion.items():
            qd[i], vd[i], ad[i] = (float(x) for x in law(float(t))[:3])
        a = ad + self.kd * (vd - v) + self.kp * (qd - q)
        tau = self.dyn.inverse_dynamics(q, v, a)
        if self.system.elements:
            tau = tau - self.dyn.applied(0.0, q, v)
        return self.input_values(tau)


class PDGravity(_Controller):
    """PD control with gravity compensation: `tau = kp (q_d - q) - kd v + g(q)`.  # CT.2"""

    references = ("q_d",)

    def formula(self, graph: Any, q_d: Any):
        """Graph expressions of the inputs, for `export_controller`."""
        kp, kd = graph.lib.DM(self.kp), graph.lib.DM(self.kd)
        hold = graph.efforts(graph.lib.DM.zeros(self.system.nv), at_rest=True)
        return self._input_expressions(graph, kp * (q_d - graph.q) - kd * graph.v + hold)

    def __init__(self, model: Model, target: Mapping[str, float], kp: Any, kd: Any):
        super().__init__(model, "PD with gravity")
        self.check_inputs("PD with gravity")
        self.target = self.system.state(target)[0]
        self.kp, self.kd = self.read_gains(kp, "kp"), self.read_gains(kd, "kd")

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        tau = self.kp * (self.target - q) - self.kd * v
        tau = tau + self.dyn.inverse_dynamics(q, 0 * v, 0 * v)
        if self.system.elements:
            tau = tau - self.dyn.applied(0.0, q, 0 * v)
        return self.input_values(tau)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Regulator(PrintedAnswer):
    """Linear-quadratic regulator `u = u_0 - K (x - x_0)` about a pose at rest.

    `K` is (inputs, states).  `eigenvalues` are those of the closed loop.  `cost` is the matrix S.
    Called with (t, q, v) it returns the inputs, so it is a `control=` of `ts.simulate`.
    """

    K: np.ndarray
    eigenvalues: np.ndarray
    cost: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    at: np.ndarray = field(repr=False)
    hold: np.ndarray = field(repr=False)
    system: Any = field(repr=False, default=None)

    references: ClassVar[tuple[str, ...]] = ()

    @property
    def pushes(self) -> tuple[str, ...]:
        return self.inputs

    def formula(self, graph: Any):
        """Graph expressions of the inputs, for `export_controller`."""
        DM = graph.lib.DM
        x = graph.lib.vertcat(graph.q - DM(self.at), graph.v)
        return DM(self.hold) - DM(self.K) @ x

    def __str__(self):
        """The range of the real parts of the modes, and the rows of K."""
        rows = [
            f"  {u}: "
            + ", ".join(f"{x:.6g} {n}" for n, x in zip(self.states, row, strict=True) if abs(x) > 0)
            for u, row in zip(self.inputs, self.K, strict=True)
        ]
        fast, slow = np.real(self.eigenvalues).min(), np.real(self.eigenvalues).max()
        head = f"u = hold - K x; real parts of the modes {fast:.4g} to {slow:.4g} 1/s; K:"
        return "\n".join([head, *rows])

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        u = self.hold - self.K @ np.concatenate([np.asarray(q) - self.at, v])
        return dict(zip(self.inputs, map(float, u), strict=True))


def lqr(
    model: Model,
    at: Mapping[str, float] | None = None,
    *,
    weights: Mapping[str, float] | float = 1.0,
    effort: Mapping[str, float] | float = 1.0,
) -> Regulator:
    """The regulator that minimizes `int x' Q x + u' R u` about a pose.  # CT.3

    `weights` is Q: one number, or {coordinate or speed: number} with zero for the others.  `effort`
    is R: one number, or {input: number} with one for the others.  The inputs at rest hold the pose.

    >>> import torseur as ts
    >>> arm = ts.from_dh([("pi/2", 0, 0, 0)], [ts.Body("a", 1, (0.5, 0, 0))],
    ...                  convention="modified", actuate=True)
    >>> bool((lqr(arm, {"joint1.angle": 1.0}).eigenvalues.real < 0).all())
    True
    """
    from scipy.linalg import LinAlgError, solve_continuous_are

    from ...solve import linearize

    s = as_system(model, "lqr")
    model = s.model
    inputs = motors(model)
    if not inputs:
        raise TorseurError(f"lqr: no joint of {model.name!r} has an input; use actuate=True")
    q = s.state(arguments.named(at))[0]
    hold = compile(s).inverse_dynamics(q, 0 * q, 0 * q, forces=bool(s.elements))
    index = {k.name: k.v.start for k in s.links}
    rest = {u: float(hold[index[j]]) / gain for j, (u, gain) in inputs.items()}
    linear: Linear = linearize(model, at, inputs=rest)
    names = [n[2:-1] if n.startswith("d(") else n for n in linear.states]
    Q = _weight_matrix(weights, names, 0.0, "weights")
    R = _weight_matrix(effort, linear.inputs, 1.0, "effort")
    try:
        S = solve_continuous_are(linear.A, linear.B, Q, R)
    except (LinAlgError, ValueError):
        raise TorseurError(
            "lqr: there is no regulator; the inputs may not reach every motion, or weights leave "
            "an unstable one out"
        ) from None
    K = np.linalg.solve(R, linear.B.T @ S)
    u0 = np.array([rest[u] for u in linear.inputs])
    modes = np.linalg.eigvals(linear.A - linear.B @ K)
    if (slow := -1 / min(float(modes.real.max()), -1e-300)) > MAX_MODE_TIME:
        forces = [f.name for f in model.forces if f.key == "joint" and not f.law.inputs]
        warnings.warn(
            f"lqr: a mode of the closed loop takes {slow:.3g} s; at rest dry friction is a damper "
            f"of force / slip, which no motor moves (joint forces: {', '.join(forces) or 'none'}); "
            "design with a model without it",
            ModelWarning,
            stacklevel=2,
        )
    return Regulator(K, modes, S, linear.states, linear.inputs, q, u0, s)


def _weight_matrix(
    weights: Mapping[str, float] | float, names: Sequence[str], other: float, argument: str
) -> np.ndarray:
    """Diagonal matrix of one number, or of numbers by name with the default `other`."""
    if isinstance(weights, Mapping):
        if bad := [
            unknown_name_message("name", n, names, f"lqr, {argument}")
            for n in weights
            if n not in names
        ]:
            raise TorseurError("\n".join(bad))
        return np.diag([float(weights.get(n, other)) for n in names])
    if not (np.ndim(weights) == 0 and float(weights) >= 0):
        raise ArgumentError(f"lqr: {argument} = {shown(weights)}: expected a number or a mapping")
    return float(weights) * np.eye(len(names))


@dataclass(frozen=True, slots=True)
class StepMetrics:
    """Metrics of a step response from the first value to `target`: times [s], fractions of the
    step.
    """

    rise_time: float  # from 10 % to 90 %
    settling_time: float  # into the band for good
    overshoot: float  # share of the step
    final_error: float  # of the last value, in the signal's unit


def step_metrics(
    time: Sequence[float],
    values: Sequence[float],
    target: float | None = None,
    *,
    band: float = 0.02,
) -> StepMetrics:
    """Rise time, settling time, overshoot and final error of a step response.  # CT.5

    The default target is the last value.

    >>> import numpy as np
    >>> t = np.linspace(0, 10, 5001)
    >>> m = step_metrics(t, 1 - np.exp(-t), 1.0)
    >>> round(m.rise_time, 3), round(m.settling_time, 3), m.overshoot
    (2.197, 3.912, 0.0)
    """
    t, y = (
        arguments.numbers("step_metrics", "time", time, "s"),
        arguments.numbers("step_metrics", "values", values),
    )
    is_valid = t.ndim == 1 and t.shape == y.shape and len(t) > 1
    if target is not None:
        target = arguments.number("step_metrics", "target", target)
    target = (float(y[-1]) if is_valid else 0.0) if target is None else target
    span = target - y[0] if is_valid else 0.0
    if not is_valid or span == 0:
        raise ArgumentError(
            "step_metrics: needs as many values as times, and a target that is not the first value"
        )
    progress = (y - y[0]) / span

    def first_time(level: float):
        k = int(np.argmax(progress >= level))
        if progress[k] < level:
            return np.nan
        if k == 0:
            return float(t[0])
        a, b = progress[k - 1], progress[k]
        return float(t[k - 1] + (level - a) / (b - a) * (t[k] - t[k - 1]))

    out = np.flatnonzero(abs(progress - 1) > band)
    if not len(out):
        settled = float(t[0])
    elif out[-1] == len(t) - 1:
        settled = np.nan
    else:
        k = out[-1]
        a, b = abs(progress[k] - 1), abs(progress[k + 1] - 1)
        settled = float(t[k] + (a - band) / (a - b) * (t[k + 1] - t[k]))
    return StepMetrics(
        first_time(0.9) - first_time(0.1),
        settled - float(t[0]),
        float(max(progress.max() - 1, 0.0)),
        float(y[-1] - target),
    )


class GainSchedule:
    """Gain scheduling: `u = u_0(target) - K(q_i) (x - x_target)`.  # CT.7

    The gains of `lqr` at knots of one coordinate are interpolated linearly, and constant outside.

    Parameters
    ----------
    over : {coordinate: increasing values}, the knots.  The other coordinates are as in `at`.
    target : {coordinate: value} of the goal
    weights, effort : as in `lqr`

    It is a `control=` of `ts.simulate`.  `knots` are (n,), `K` (n, inputs, states), `eigenvalues`
    (n, states) of the closed loop at each knot.  `gain(x)` interpolates.

    >>> import torseur as ts
    >>> arm = ts.from_dh([("pi/2", 0, 0, 0)], [ts.Body("a", 1, (0.5, 0, 0))],
    ...                  convention="modified", actuate=True)
    >>> plan = GainSchedule(arm, {"joint1.angle": (-1.0, 0.0, 1.0)}, {"joint1.angle": 0.8})
    >>> bool((plan.eigenvalues.real < 0).all()), plan.K.shape
    (True, (3, 1, 2))
    """

    references: tuple[str, ...] = ()

    def __init__(
        self,
        model: Model,
        over: Mapping[str, Any],
        target: Mapping[str, float],
        *,
        at: Mapping[str, float] | None = None,
        weights: Mapping[str, float] | float = 1.0,
        effort: Mapping[str, float] | float = 1.0,
    ):
        """Compute a regulator at every knot, and the inputs that hold the target."""
        s = self.system = as_system(model, "gain schedule")
        over = arguments.mapping("gain schedule", "over", over, "{'joint2.angle': [0, 1]}")
        if len(over) != 1:
            raise ArgumentError(f"gain schedule: give one coordinate in over=, got {len(over)}")
        ((name, values),) = over.items()
        if name not in s.coordinates:
            raise TorseurError(
                unknown_name_message("coordinate", name, s.coordinates, "gain schedule")
            )
        unit = next(p.unit for p in s.ports if p.name == name)
        self.knots = arguments.numbers("gain schedule", name, values, unit)
        if self.knots.ndim != 1 or len(self.knots) < 2 or (np.diff(self.knots) <= 0).any():
            raise ArgumentError(f"gain schedule: the values of {name!r} must grow, two or more")
        regulators = [
            lqr(model, {**dict(at or {}), name: float(x)}, weights=weights, effort=effort)
            for x in self.knots
        ]
        self.index = s.coordinates.index(name)
        self.K = np.array([x.K for x in regulators])
        self.eigenvalues = np.array([x.eigenvalues for x in regulators])
        self.pushes = regulators[0].inputs
        self.target = s.state(target)[0]
        zero = np.zeros(s.nv)
        hold = compile(s).inverse_dynamics(self.target, zero, zero, forces=bool(s.elements))
        motor_gains = {u: (s.link(j).v.start, gain) for j, (u, gain) in motors(model).items()}
        self.hold = np.array([hold[motor_gains[u][0]] / motor_gains[u][1] for u in self.pushes])

    def gain(self, x: float) -> np.ndarray:
        """Gain matrix `K` (inputs, states) at the coordinate x."""
        k = self.knots
        i = int(np.clip(np.searchsorted(k, x) - 1, 0, len(k) - 2))
        fraction = float(np.clip((x - k[i]) / (k[i + 1] - k[i]), 0, 1))
        return (1 - fraction) * self.K[i] + fraction * self.K[i + 1]

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        x = np.concatenate([np.asarray(q) - self.target, v])
        u = self.hold - self.gain(float(q[self.index])) @ x
        return dict(zip(self.pushes, map(float, u), strict=True))

    def formula(self, graph: Any):
        """Graph expressions of the inputs, with the gains as sums of hinge functions."""
        lib, x = graph.lib, graph.q[self.index]
        k = lib.DM(self.K[0])
        for (a, b), (A, B) in zip(pairwise(self.knots), pairwise(self.K), strict=True):
            fraction = lib.fmin(lib.fmax((x - a) / (b - a), 0), 1)
            k = k + lib.DM(B - A) * fraction
        return lib.DM(self.hold) - k @ lib.vertcat(graph.q - lib.DM(self.target), graph.v)

"""Task priorities of a redundant arm within the limits of its joints (lexicographic optimization).

Quadratic programs in order of priority, as in Escande, Mansard and Wieber (2014).  Theory: IK.19,
IK.20.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ArgumentError, TorseurError, as_system, shown, unknown_name_message
from ...scalars import arguments
from ...scalars.values import value
from ...views import PrintedAnswer
from .damped_least_squares import rotation_vector
from .problem import coordinate_limits, tied

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...model import Model
    from ...system import System

BOUND_RTOL = 1e-9  # how near a bound counts as on it, as a share of one


TASKS_EXAMPLE = "[('tool', (0.5, 0.2, 0.1)), {'joint3.angle': 0.2}]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prioritized(PrintedAnswer):
    """Speeds `v` (nv,) or coordinates `q` (nq,) that satisfy tasks in order of priority.

    `left`: residual of each task (norm; rad, m and their rates together).  `active`: names of
    active limits.
    """

    q: np.ndarray
    v: np.ndarray
    left: tuple[float, ...]
    active: tuple[str, ...]
    coordinates: tuple[str, ...]

    def __str__(self):
        rows = [f"task {i + 1}: {x:.3g} left" for i, x in enumerate(self.left)]
        held = [f"held by {', '.join(self.active)}"] if self.active else []
        return "\n".join([*rows, *held])


def prioritized_rates(
    model: Model | System,
    q: ArrayLike,
    tasks: Sequence[Any],
    *,
    period: float | None = None,
) -> Prioritized:
    """Speeds of joints that satisfy tasks in order of priority.

    Parameters
    ----------
    q : coordinates (nq,)
    tasks : in order of priority: ("tool", twist) with (6,) angular and linear or (3,) linear
        [rad/s, m/s], world axes; or {coordinate: speed} for the self-motion
    period : duration of the speeds [s], within which no joint leaves its limits.  A joint's
        `max_speed` always holds

    >>> import torseur as ts
    >>> bodies = [ts.Body(n, 1, (0.2, 0, 0)) for n in "abc"]
    >>> arm = ts.Model(bodies=bodies, frames=(ts.Frame("tip", "c", at=(0.5, 0, 0)),), joints=[
    ...     ts.Joint("j1", "world", "a", ts.Revolute("z")),
    ...     ts.Joint("j2", "a", "b", ts.Revolute("z"), at=(0.5, 0, 0)),
    ...     ts.Joint("j3", "b", "c", ts.Revolute("z"), at=(0.5, 0, 0), max_speed=0.1)])
    >>> found = prioritized_rates(arm, [0.2, 0.5, 0.6], [("tip", (0.1, 0, 0)), {"j3.angle": 1.0}])
    >>> found.left[0] < 1e-12, found.active
    (True, ('j3.max_speed',))
    """
    s = as_system(model, "prioritized_rates")
    builder = _TaskRows(s, "prioritized_rates")
    q = arguments.numbers("prioritized_rates", "q", q)
    tasks = arguments.listed("prioritized_rates", "tasks", tasks, TASKS_EXAMPLE)
    if q.shape != (s.nq,):
        raise ArgumentError(f"prioritized_rates: q has the shape {q.shape}; expected ({s.nq},)")
    rows = [builder.speed_rows(q, task) for task in tasks]
    low, high, names = builder.speed_bounds(q, period)
    v = solve_lexicographic(rows, low, high)
    residuals = tuple(float(np.linalg.norm(J @ v - r)) for J, r in rows)
    return Prioritized(q, v, residuals, _name_active_bounds(v, low, high, names), s.coordinates)


def prioritized_kinematics(
    model: Model | System,
    tasks: Sequence[Any],
    *,
    near: Mapping[str, float] | None = None,
    tries: int = 300,
) -> Prioritized:
    """Coordinates within the limits that satisfy tasks in order of priority.

    `tasks` in order of priority: ("tool", pose (4, 4)), ("elbow", point (3,)) [m] or {coordinate:
    value} [rad, m].  `near`: start of the search.  The residual of a task that conflicts with
    earlier ones is a local minimum.

    >>> import torseur as ts
    >>> bodies = [ts.Body(n, 1, (0.2, 0, 0)) for n in "abc"]
    >>> arm = ts.Model(bodies=bodies, frames=(ts.Frame("tip", "c", at=(0.5, 0, 0)),), joints=[
    ...     ts.Joint("j1", "world", "a", ts.Revolute("z")),
    ...     ts.Joint("j2", "a", "b", ts.Revolute("z"), at=(0.5, 0, 0)),
    ...     ts.Joint("j3", "b", "c", ts.Revolute("z"), at=(0.5, 0, 0))])
    >>> found = prioritized_kinematics(arm, [("tip", (0.9, 0.4, 0)), {"j1.angle": 0.0}],
    ...     near={"j1.angle": 0.5, "j2.angle": 0.4, "j3.angle": -0.4})
    >>> found.left[0] < 1e-9, bool(abs(found.q[0]) < 1e-8)
    (True, True)
    """
    s = as_system(model, "prioritized_kinematics")
    builder = _TaskRows(s, "prioritized_kinematics")
    low, high = coordinate_limits(s)
    near = arguments.mapping("prioritized_kinematics", "near", near or {}, "{'joint1.angle': 0.2}")
    tasks = arguments.listed("prioritized_kinematics", "tasks", tasks, TASKS_EXAMPLE)
    q = np.clip(s.state(near)[0], low, high)
    names = [f"{n}'s limit" for n in s.coordinates]
    for _ in range(tries):
        rows = [builder.error_rows(q, task) for task in tasks]
        # IK.20
        step = solve_lexicographic(rows, np.maximum(low - q, -0.2), np.minimum(high - q, 0.2))
        q = np.clip(q + step, low, high)
        if abs(step).max(initial=0.0) < 1e-13:
            break
    residuals = tuple(float(np.linalg.norm(builder.error_rows(q, task)[1])) for task in tasks)
    return Prioritized(
        q, np.zeros(s.nv), residuals, _name_active_bounds(q, low, high, names), s.coordinates
    )


class _TaskRows:
    """Rows `J v = r` of tasks of one system."""

    def __init__(self, system: System, caller: str):
        from ...kernels import compile

        self.system, self.caller, self.dyn = system, caller, compile(system)
        self.unit = "m/s" if caller == "prioritized_rates" else "m"
        if system.nq != system.nv:
            self._raise_constrained()

    def _raise_constrained(self):
        raise TorseurError(f"{self.caller}: for open chains whose speeds are rates of coordinates")

    def _coordinate_rows(self, task: Any):
        """Rows of the identity for named coordinates."""
        names = self.system.coordinates
        if bad := [
            unknown_name_message("coordinate", n, names, self.caller)
            for n in task
            if n not in names
        ]:
            raise TorseurError("\n".join(bad))
        constrained_links = {i for e in self.system.held for i in e.links}
        if any(
            k.index in constrained_links and names[k.q.start] in task for k in self.system.links
        ):
            self._raise_constrained()
        return np.eye(self.system.nv)[[names.index(n) for n in task]]

    def _coordinate_values(self, task: Any, per: str = "") -> np.ndarray:
        """Numbers of coordinates, or of their rates, each a number or a text with its unit."""
        unit = {f"{k.name}.{n}": u for k in self.system.links for n, u in k.joint.coordinates}
        numbers = [arguments.number(self.caller, n, x, unit[n] + per) for n, x in task.items()]
        return np.array(numbers)

    def _read_frame_task(self, task: Any, shapes: Any):
        """Frame and numbers of a task, checked."""
        try:
            frame, numbers = task
            x = arguments.numbers(self.caller, "task", numbers, self.unit)
        except (TypeError, ValueError, ArgumentError):
            frame, x = None, np.zeros(0)
        if not isinstance(frame, str) or x.shape not in shapes or not np.isfinite(x).all():
            raise ArgumentError(
                f"{self.caller}: {shown(task)} is no task; expected (frame, "
                f"{' or '.join(map(str, shapes))} numbers) or {{coordinate: value}}"
            )
        if frame not in self.system.places:
            raise TorseurError(
                unknown_name_message("body or frame", frame, self.system.places, self.caller)
            )
        if tied(self.system, frame):
            self._raise_constrained()
        return frame, x

    def speed_rows(self, q: np.ndarray, task: Any):
        """J and r of a task on speeds."""
        if isinstance(task, Mapping):
            return self._coordinate_rows(task), self._coordinate_values(task, "/s")
        frame, x = self._read_frame_task(task, ((6,), (3,)))
        return self.dyn.jacobian(frame, q)[-len(x) :], x

    def error_rows(self, q: np.ndarray, task: Any):
        """J and error of a task on positions."""
        if isinstance(task, Mapping):
            J = self._coordinate_rows(task)
            return J, self._coordinate_values(task) - J @ q
        frame, x = self._read_frame_task(task, ((4, 4), (3,)))
        T, J = self.dyn.pose(frame, q), self.dyn.jacobian(frame, q)
        if x.shape == (3,):
            return J[3:], x - T[:3, 3]
        rotation = rotation_vector(x[:3, :3] @ T[:3, :3].T)
        return J, np.concatenate([rotation, x[:3, 3] - T[:3, 3]])

    def speed_bounds(self, q: np.ndarray, period: Any):
        """Bounds of the speeds, and the names of their causes."""
        s = self.system
        low, high = np.full(s.nv, -np.inf), np.full(s.nv, np.inf)
        names = [f"{k.name}.max_speed" for k in s.links]
        parameters = {n: x for n, x in s.parameters.items() if x is not None}
        max_speeds = {j.name: j.max_speed for j in s.model.joints if j.max_speed is not None}
        for k in s.links:
            if k.name in max_speeds:
                max_speed = value.nominal(value.exact(max_speeds[k.name]), parameters)
                low[k.v], high[k.v] = -max_speed, max_speed
        if period is not None:
            period = arguments.number(self.caller, "period", period, "s", above=0.0)
            lo, hi = ((x - q) / period for x in coordinate_limits(s))
            beyond = np.flatnonzero((lo > high) | (hi < low))
            if len(beyond):
                i = int(beyond[0])
                needed_speed = lo[i] if lo[i] > high[i] else -hi[i]
                raise TorseurError(
                    f"{self.caller}: {s.coordinates[i]} = {q[i]:.6g} is beyond its limits and "
                    f"needs {needed_speed:.4g} to be back within {period:g} s, more than its "
                    f"max_speed {high[i]:.4g}"
                )
            for i in range(s.nv):
                if lo[i] > low[i] or hi[i] < high[i]:
                    names[i] = f"{s.coordinates[i]}'s limit"
            low, high = np.maximum(low, lo), np.minimum(high, hi)
        return low, high, names


def solve_lexicographic(rows: Any, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Lexicographic least squares solution of tasks within bounds (IK.19)."""
    import casadi

    n = len(low)
    v, previous_rows = np.clip(np.zeros(n), low, high), np.zeros((0, n))
    regularization = 1e-10
    for J, r in rows:
        size = max(float(abs(J).max(initial=0.0)), 1e-12)
        J, r = J / size, r / size
        H = J.T @ J + regularization * np.eye(n)
        # rows kept before, as few as are independent: repeated ones would leave no step
        _, s, Vt = (
            np.linalg.svd(previous_rows)
            if len(previous_rows)
            else (None, np.zeros(0), np.zeros((0, n)))
        )
        independent_rows = Vt[: int((s > 1e-9 * max(s.max(initial=0.0), 1e-300)).sum())]
        values = independent_rows @ v
        problem = {
            "h": casadi.Sparsity.dense(n, n),
            "a": casadi.Sparsity.dense(len(independent_rows), n),
        }
        quiet = {"print_iter": False, "print_header": False, "print_info": False}
        solver = casadi.conic("step", "qrqp", problem, {**quiet, "error_on_fail": False})
        g = -J.T @ r - regularization * v
        result = solver(
            h=H, g=g, a=independent_rows, lba=values, uba=values, lbx=low, ubx=high, x0=v
        )
        x = np.clip(np.array(result["x"]).ravel(), low, high)
        if np.isfinite(x).all() and np.linalg.norm(J @ x - r) <= np.linalg.norm(J @ v - r):
            v = _refine_active_set(x, J, r, independent_rows, low, high)
        previous_rows = np.vstack([previous_rows, J])
    return v


def _refine_active_set(
    x: np.ndarray,
    J: np.ndarray,
    r: np.ndarray,
    equality_rows: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """The solution to rounding: active bounds are fixed, the others by least squares."""
    is_free = (x - low > 1e-8) & (high - x > 1e-8)
    if not is_free.any():
        return x
    _, s, Vt = np.linalg.svd(equality_rows[:, is_free])
    Z = Vt[int((s > 1e-9).sum()) :].T
    y = x.copy()
    y[is_free] += Z @ np.linalg.lstsq(J[:, is_free] @ Z, r - J @ x, rcond=1e-9)[0]
    return y if ((y >= low) & (y <= high)).all() else x


def _name_active_bounds(x: np.ndarray, low: np.ndarray, high: np.ndarray, names: Sequence[str]):
    """Names of the active bounds."""
    tolerance = BOUND_RTOL * (1 + abs(x))
    return tuple(
        n
        for n, a, b in zip(names, x - low < tolerance, high - x < tolerance, strict=True)
        if a or b
    )


__all__ = ["Prioritized", "prioritized_kinematics", "prioritized_rates"]

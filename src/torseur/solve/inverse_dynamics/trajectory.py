"""Prescribed motion: laws, texts, arrays or runs as functions of time with their derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ArgumentError, ModelWarning, TorseurError, said, shown, unknown_name_message
from ...results import Trajectory
from ...scalars import Graph, arguments, overshoot
from ...scalars.values import value

if TYPE_CHECKING:
    from ...system import System

ORDERS = ("position", "speed", "acceleration", "jerk", "snap")


def name_derivative(n: int) -> str:
    """Name of a time derivative of order n."""
    return ORDERS[n] if n < len(ORDERS) else f"derivative of order {n}"


@dataclass(frozen=True, slots=True)
class PrescribedMotion:
    """Coordinates as functions of time: `laws[name](t, order)`, output times, and kinks of the
    laws.
    """

    laws: dict[str, Callable]
    times: np.ndarray
    kinks: np.ndarray

    def sample(
        self, system: System, times: Any, orders: int = 2, rest: Any = None
    ) -> list[np.ndarray]:
        """Coordinates (n, nq), then time derivatives of order 1 to `orders`, each (n, nv).

        Coordinates without a law stay at `rest`, by default neutral.
        """
        n = len(times)
        q = np.tile(system.neutral() if rest is None else rest, (n, 1))
        rates = [np.zeros((n, system.nv)) for _ in range(orders)]
        speed = map_speeds(system)
        for name, law in self.laws.items():
            q[:, system.coordinates.index(name)] = _sample_law(name, law, times, 0)
            for k, x in enumerate(rates, 1):
                x[:, speed[name]] = _sample_law(name, law, times, k)
        return [q, *rates]

    def find_jumps(self, order: int) -> list[tuple[str, float, str]]:
        """Coordinate, time [s] and name of each derivative up to `order` that jumps."""
        inside = self.kinks[(self.kinks > self.times[0]) & (self.kinks < self.times[-1])]
        jumps = []
        for name, law in self.laws.items():
            for t in inside:
                for k in range(order + 1):
                    before, after = law(np.array([np.nextafter(t, -np.inf), t]), k)
                    size = abs(law(self.times, k)).max(initial=0.0)
                    if abs(after - before) > 1e-6 * size:
                        jumps.append((name, float(t), name_derivative(k)))
                        break
        return jumps


def _sample_law(name: str, law: Any, times: Any, order: int):
    """Values of a law at some times.  An error if one is not finite."""
    with np.errstate(all="ignore"):
        x = np.broadcast_to(np.asarray(law(times, order), dtype=float), np.shape(times))
    if not np.isfinite(x).all():
        row = int(np.argmin(np.isfinite(x)))
        quantity = "value" if order == 0 else name_derivative(order)
        raise ArgumentError(
            f"inverse: the {quantity} of {name!r} is {x[row]} at t = {times[row]:g} s; "
            "expected a motion with finite derivatives"
        )
    return x


def map_speeds(system: System) -> dict[str, int]:
    """Index of the speed that is the rate of each coordinate that has one."""
    return {
        f"{k.name}.{n}": k.v.start + i
        for k in system.links
        if k.joint.holonomic
        for i, (n, _) in enumerate(k.joint.coordinates)
    }


def course(
    system: System,
    motion: Any,
    times: Any = None,
    points: int = 1001,
    bound: Mapping[str, float] = {},
) -> PrescribedMotion:
    """The prescribed motion of a mapping or run.  Errors name the coordinate."""
    if isinstance(motion, Trajectory):
        motion = _read_run(system, motion)
    if not isinstance(motion, Mapping):
        raise ArgumentError(
            "inverse: expected a motion: {coordinate: law} such as "
            "{'elbow.angle': ts.robots.Quintic(0, 1, 2.0)}, a text of t such as '0.5*sin(2*t)', "
            "arrays with 'time', or a run; got " + shown(motion)
        )
    motion = dict(motion)
    grid = motion.pop("time", None)
    faults = [
        unknown_name_message("coordinate", n, system.coordinates, "inverse")
        for n in motion
        if n not in system.coordinates
    ]
    faults += [
        f"joint {k.name!r}: its speeds are not the rates of its coordinates; give it angles"
        for k in system.links
        if not k.joint.holonomic and any(f"{k.name}.{n}" in motion for n, _ in k.joint.coordinates)
    ]
    if faults:
        raise TorseurError("\n".join(faults))
    laws = {name: _read_law(name, law, grid, bound) for name, law in motion.items()}
    kinks = sorted({float(x) for law in motion.values() for x in getattr(law, "breakpoints", ())})
    if tables := [law[0] for law in motion.values() if _is_table(law)]:
        time_grids = [np.asarray(t, float) for t in (*tables, *(() if grid is None else (grid,)))]
        grid = np.unique(np.concatenate(time_grids))
        grid = grid[
            (grid >= max(t[0] for t in time_grids)) & (grid <= min(t[-1] for t in time_grids))
        ]
    if times is not None:
        try:
            rows = np.atleast_1d(np.asarray(times, dtype=float))
        except (TypeError, ValueError, OverflowError):
            rows = np.zeros(0)
        if rows.ndim != 1 or not len(rows) or not (np.diff(rows) >= 0).all():
            raise ArgumentError(f"inverse: times={shown(times)}: expected growing times [s]")
    elif grid is not None:
        rows = np.unique(grid)
    elif len(kinks) > 1:
        rows = np.linspace(kinks[0], kinks[-1], arguments.count("inverse", "points", points, 2))
        inner = np.array(kinks[1:-1])
        rows = np.unique(np.concatenate([rows, inner, np.nextafter(inner, -np.inf)]))
    else:
        raise ArgumentError("inverse: nothing says how long the motion lasts; give times= [s]")
    return PrescribedMotion(laws, rows, np.array(kinks))


def _read_run(system: System, run: Trajectory) -> dict[str, Any]:
    """Coordinates of a run, with their speeds and accelerations where it has them."""
    out: dict[str, Any] = {"time": run.time}
    for k in system.owners:
        for i, (n, _) in enumerate(k.joint.coordinates):
            if (name := f"{k.name}.{n}") not in run.units:
                continue
            out[name] = run[name]
            if k.joint.holonomic:
                speed = k.joint.speeds[i][0]
                suffix = f".{speed}" if k.joint.nv > 1 else ""
                derivatives = (f"{k.name}.{speed}", f"{k.name}.acceleration{suffix}")
                if all(x in run.units for x in derivatives):
                    out[name] = _HermiteRows(
                        name, run.time, *(run[x] for x in (name, *derivatives))
                    )
    return out


class _HermiteRows:
    """A coordinate by rows of position, speed and acceleration, with quintic Hermite interpolation.

    Where an event repeats a row, the last one holds from there on.
    """

    def __init__(self, name: str, t: np.ndarray, *rows: Any):
        self.name, self.t, self.rows = name, np.asarray(t, float), np.array(rows, dtype=float)

    def derivative(self, times: Any, order: int) -> np.ndarray:
        """Derivative of some order at some times."""
        if order > 2:  # of a shaft that bends
            return _interpolate_rows(self.name, self.rows[0], self.t)(times, order)
        times = np.asarray(times, dtype=float)
        i = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.t) - 1)
        out = self.rows[order][i]
        between = times != self.t[i]
        if between.any():
            out[between] = self._quintic(times[between], i[between], order)
        return out

    def _quintic(self, times: Any, i: np.ndarray, order: int):
        """Derivative of the quintic polynomials at some times within intervals i."""
        from scipy.interpolate import BPoly

        i = np.minimum(i, len(self.t) - 2)
        out = np.empty(len(times))
        for k in np.unique(i):
            pair = [self.rows[:, k], self.rows[:, k + 1]]
            piece = BPoly.from_derivatives(self.t[k : k + 2], pair)
            out[i == k] = piece(times[i == k], order)
        return out


def _read_law(name: str, law: Any, grid: Any, bound: Mapping[str, float]) -> Callable:
    """A function (times, order) of a law, text, table or array."""
    if isinstance(law, str):
        return _read_text(name, law, bound)
    if hasattr(law, "derivative"):
        return lambda t, order: np.broadcast_to(law.derivative(t, order), np.shape(t))
    if callable(law):
        return lambda t, order: _select_derivative(name, law(t), t, order)
    if _is_table(law):
        return _interpolate_rows(name, law[1], law[0])
    if grid is None:
        raise TorseurError(
            f"inverse: {name!r} is {shown(law)}; arrays need 'time' beside them, or give "
            "(times, values)"
        )
    return _interpolate_rows(name, law, grid)


def _is_table(law: Any) -> bool:
    """Whether a motion is a pair of times and values."""
    return isinstance(law, tuple) and len(law) == 2 and np.ndim(law[0]) == 1


def _select_derivative(name: str, values: Any, t: np.ndarray, order: int):
    """Derivative of some order from the numbers that a law returns."""
    if not isinstance(values, tuple | list) or len(values) < 3:
        raise ArgumentError(
            f"inverse: the law of {name!r} must give (position, speed, "
            f"acceleration), got {shown(values)}"
        )
    if order >= len(values):
        raise ArgumentError(
            f"inverse: an elastic shaft needs the {name_derivative(order)} of {name!r}, and its "
            f"law gives {len(values)} numbers: position, speed, acceleration ...; return "
            f"{order + 1} or more, or use a law of ts.robots, a text such as '0.5*sin(2*t)', or an "
            "object with derivative(t, order)"
        )
    return np.broadcast_to(values[order], np.shape(t))


def _read_text(name: str, text: str, bound: Mapping[str, float]) -> Callable:
    """A text of the time t and of parameters, differentiated by the graph."""
    K = Graph(dict(bound))
    t = K.symbol("t")
    K.parameters["t"] = t
    try:
        x = K.number(value.exact(text))
    except (TypeError, ValueError, LookupError, TorseurError) as e:
        raise ArgumentError(f"inverse: {name!r} = {shown(text)}: {said(e)}") from None
    steps = [K.sx(x)]

    def law(times, order):
        while len(steps) <= order:
            steps.append(K.lib.jacobian(steps[-1], t.x))
        row = np.asarray(times, dtype=float)
        f = K.lib.Function("law", [t.x], [K.lib.densify(steps[order])])
        return np.array(f(row.reshape(1, -1))).reshape(row.shape)

    return law


def _interpolate_rows(name: str, array: Any, grid: Any) -> Callable:
    """Interpolating spline through the rows of a table, of degree 7 where it has enough of them."""
    from scipy.interpolate import make_interp_spline

    t, x = np.asarray(grid, dtype=float), np.asarray(array, dtype=float)
    if x.shape != t.shape or t.ndim != 1:
        raise ArgumentError(f"inverse: {name!r} has the shape {x.shape}, its times {t.shape}")
    keep = np.concatenate([[True], np.diff(t) > 0])  # events repeat their row
    degree = min(7, (int(keep.sum()) - 1) | 1)
    if degree < 5 or keep.sum() <= degree:
        degree = 5
    if keep.sum() <= degree:
        raise ArgumentError(f"inverse: {name!r} has {int(keep.sum())} rows; a spline needs six")
    curve = make_interp_spline(t[keep], x[keep], degree)
    if told := overshoot(t[keep], x[keep], curve):
        warnings.warn(f"inverse: {name!r}: {told}", ModelWarning, stacklevel=2)
    return lambda times, order: curve(np.asarray(times, dtype=float), order)

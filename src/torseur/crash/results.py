"""Results of a crash run: pulse, metrics, energies by member, force on the wall."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ArgumentError, unknown_name_message
from ..forces import JointForce, MeetForce, PlaneForce, PointForce
from ..results import Trajectory
from ..spatial import rotation_matrices
from .criteria.cfc import cfc
from .criteria.channel_metrics import even
from .criteria.en1317 import asi
from .criteria.metric_value import G0, Measure, check_positive
from .criteria.summary import Metrics, pulse_metrics

METRIC_LABELS = {
    "olc": "OLC",
    "vpi": "VPI",
    "asi": "ASI",
    "delta_v": "change of speed",
    "clip_3ms": "3 ms",
    "raw_peak": "peak, unfiltered",
    "peak": "peak, CFC 60",
}
AXES = {"x": (1, "x"), "-x": (-1, "x"), "y": (1, "y"), "-y": (-1, "y")}


def pulse_of(run: Trajectory, name: str, axis: str = "x") -> tuple[np.ndarray, np.ndarray]:
    """Even times [s] and the acceleration [m/s^2] along an axis of a body's or point's own, as an
    accelerometer there would record at 10 kHz.

    `axis` is "x", "-x", "y" or "-y": where the face looks that is struck.
    """
    sign, signal = _signed_acceleration_signal(run, name, axis)
    time, a = even(run, signal)
    return time, sign * a


def _signed_acceleration_signal(run, name, axis) -> tuple[int, str]:
    """Sign and signal of the acceleration of a body along "x", "-x", "y" or "-y" of its own."""
    if axis not in tuple(AXES):
        raise ArgumentError(f"pulse: axis={axis!r}: expected {', '.join(map(repr, AXES))}")
    sign, axis_name = AXES[axis]
    signal = f"{name}.body_acceleration.{axis_name}"
    if signal not in run.units:
        bodies = sorted(
            n.removesuffix(".body_acceleration.x")
            for n in run.units
            if n.endswith(".body_acceleration.x")
        )
        raise ArgumentError(unknown_name_message("body or point", name, bodies, "pulse"))
    return sign, signal


def initial_speed(run: Trajectory, name: str, axis: str = "x") -> float:
    """Speed of a body or point at the start of a run along one of its axes [m/s]."""
    sign, axis_name = AXES[axis]
    R = rotation_matrices([run[f"{name}.orientation.{c}"][0] for c in "wxyz"])
    velocity = [float(run[f"{name}.velocity.{c}"][0]) for c in "xyz"]
    return sign * float(R[:, "xy".index(axis_name)] @ velocity)


def peak_measure(run: Trajectory, x: np.ndarray, unit: str) -> Measure:
    """Largest value of a signal over a run, with a parabola through three time points.  CM.12

    Events are time points, and the signal is smooth between them.
    """
    i = int(x.argmax())
    top = Measure(x[i], unit, float(run.time[i]))
    if not 0 < i < x.size - 1 or any(e.time == run.time[i] for e in run.events):
        return top
    (s, t), (p, q) = run.time[[i - 1, i + 1]] - run.time[i], x[[i - 1, i + 1]] - x[i]
    if not (s < 0 < t):  # a jump
        return top
    bend, slope = (p / s - q / t) / (s - t), (q * s / t - p * t / s) / (s - t)
    if not bend < 0:
        return top
    at = float(np.clip(-slope / (2 * bend), s, t))
    return Measure(x[i] + (slope + bend * at) * at, unit, float(run.time[i]) + at)


def metrics(
    run: Trajectory, name: str, speed: float | str | None = None, axis: str = "x"
) -> Metrics:
    """The metrics of a body or point of a run: raw peak, CFC 60 peak, crush, OLC, ...

    `speed` [m/s] is that before the impact; the run's own at its start unless given.  `axis` is
    where the face looks that is struck, in axes of the body; ASI is that of all three axes.
    `.missing` has the reasons of those that are not there: way and rebound of a pulse say no crush
    and no restitution where what is met moves too.

    >>> import torseur as ts
    >>> front = ts.crash.Member("front", "car", law=ts.Crush(((0, 0), (0.05, 4e5), (1, 4e5)), 2e7))
    >>> car = ts.crash.Vehicle("car", bodies=(ts.Body("car", mass=1500.0),), members=(front,))
    >>> run = ts.simulate(ts.crash.scenario["us_ncap"](car))
    >>> print(metrics(run, "car")["crush"])
    0.4836 m at 60.25 ms
    """
    time, a = pulse_of(run, name, axis)
    raw = abs(run[_signed_acceleration_signal(run, name, axis)[1]])
    speed = initial_speed(run, name, axis) if speed is None else speed
    values = pulse_metrics(time, a, speed)
    if "asi" in values:  # of the body's three axes, whichever way it is struck  CM.7
        x, y, z = (cfc(*even(run, f"{name}.body_acceleration.{c}"), 60) for c in "xyz")
        values["asi"] = asi(time, x, y, z)
    why = dict(values.missing)
    if other := _met(run, name):
        for metric in ("crush", "restitution"):  # of the way over ground  CM.4
            values.pop(metric, None)
            why[metric] = (
                f"{metric}: {name!r} meets {other!r}, which moves too, so that the pulse alone "
                "does not tell it; the crush of a member is its largest deflection, "
                "run['<member>.deflection'].max()"
            )
    out = {"raw_peak": peak_measure(run, raw, "m/s^2")}
    return Metrics(out | values, why)


def _met(run: Trajectory, name: str) -> str | None:
    """A body with its own speed at the start, which the vehicle meets.

    Cells between crushing ends and those of a face before a wall do not count.
    """

    def start(who):
        return np.array([run[f"{who}.velocity.{c}"][0] for c in "xyz"])

    ours, ending = start(name), ".body_acceleration.x"
    for who in (n.removesuffix(ending) for n in run.units if n.endswith(ending)):
        if who.startswith("cell") or np.allclose(start(who), ours, atol=1e-6):
            continue
        if any(np.ptp(run[f"{who}.position.{c}"]) > 1e-6 for c in "xyz"):
            return who
    return None


def member_energies(run: Trajectory, scene: Any, occupants: Any = ()) -> dict[str, np.ndarray]:
    """Energy that each force element of a scene holds or has dissipated [J], over the run.

    Those of the named `occupants` (belts, stops, airbag) are summed under the occupant's name.
    """
    out: dict[str, np.ndarray] = {}
    for f in scene.forces:
        if f"{f.name}.energy.stored" in run.units:
            whose = next((n for n in occupants if f.name.startswith(f"{n}_")), f.name)
            energy = run[f"{f.name}.energy.stored"] + run[f"{f.name}.energy.dissipated"]
            out[whose] = out[whose] + energy if whose in out else energy
    return out


def ruptured_members(run: Trajectory) -> dict[str, float]:
    """Members that tore, each with its moment [s]."""
    return {e.name.removesuffix(": torn"): e.time for e in run.events if e.name.endswith(": torn")}


def wall_force(run: Trajectory, scene: Any, row: float | str = 0.125) -> dict[str, np.ndarray]:
    """Force on the wall [N] over the run: in total, and by rows of load cells `row` [m] high.

    Rows are named by their middle over the vehicle's origin, "z = 0.44 m"; a deformable face is
    one row, "face".  Between two vehicles it is what the first's front presses with.
    """
    (row,) = check_positive("wall_force", row=row)
    forces: dict[str, np.ndarray] = {"total": np.zeros(run.time.size)}
    for name, f in _pressing(scene, row):
        force = abs(run[f"{f.name}.force"])
        forces["total"] = forces["total"] + force
        forces[name] = forces.get(name, 0.0) + force
    return forces


def wall_peak(run: Trajectory, scene: Any) -> Measure:
    """Largest force on the wall [N] and its time, also between time points.

    `.called` is "Force on the wall" or "Force between the cars".
    """
    top = peak_measure(run, wall_force(run, scene)["total"], "N")
    return Measure(float(top), top.unit, top.time, called=stopping(scene))


def stopping(scene: Any) -> str:
    """Name of the force that stops a vehicle."""
    two = any(n.startswith("b_") for n in scene.initial)
    return "Force between the cars" if two else "Force on the wall"


def _pressing(scene, row):
    """Force elements on the obstacle, each with its row of load cells."""
    walls = {j.child for j in scene.joints if j.parent == "world" and not j.kind.nv}
    cells = {j.name for j in scene.joints if j.name.startswith("cell")}
    for f in scene.forces:
        if isinstance(f, PlaneForce):
            plane = f.plane if isinstance(f.plane, str) else f.plane[0]
            if f.name.startswith("face") and plane in cells:
                yield "face", f  # of a trolley
            elif plane in walls or (f.normal == "x" and plane not in cells):  # a rigid vehicle
                yield _row(f.point[1][2], row), f
        elif isinstance(f, MeetForce) and f.side == "a":
            yield _row(f.point[1][2], row), f
        elif isinstance(f, PointForce) and f.b[0] == "world":
            yield _row(f.a[1][2], row), f
        elif isinstance(f, JointForce) and f.joint in cells:
            yield "face", f


def _row(height, row) -> str:
    return f"z = {(np.floor(float(height) / row) + 0.5) * row:.2f} m"


def judged(metrics: dict[str, Measure]) -> list[tuple[str, str, str]]:
    """Metrics for display: name, number, unit and time, with accelerations in g."""
    out = []
    for name, x in metrics.items():
        y = Measure(x / G0, "g", x.time) if x.unit == "m/s^2" else x
        number, _, rest = str(y).partition(" ")
        out.append((METRIC_LABELS.get(name, name.replace("_", " ")), number, rest))
    return out

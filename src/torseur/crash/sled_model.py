"""Sled model: a cabin driven by a pulse, and injury metrics of its occupants."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..constraints import Driven
from ..errors import ArgumentError, unknown_name_message
from ..joints import Prismatic
from ..model import Body, Joint, Model
from ..results import Trajectory
from ..spatial import rotation_matrices
from .criteria.cfc import cfc
from .criteria.channel_metrics import even
from .criteria.injury_criteria import clip_3ms, hic
from .criteria.metric_value import Measure, brief, check_samples, positive, read_quantity, speed_of
from .results import peak_measure

MAX_PULSE_POINTS = 100_000
OFF = 1e-6  # in which a pulse ends that has not come to rest [s]
SLED = 100.0  # kg: it is driven, so that its mass decides nothing


def sled(
    time: ArrayLike,
    a: ArrayLike,
    speed: float | str,
    spacing: float | str = 1e-3,
    t_end: float | str | None = None,
) -> Model:
    """A cabin that a pulse drives: `a` [m/s^2] over `time` [s] from `speed` [m/s] at t = 0.

    The pulse is taken at its own points, or where these are denser every `spacing` [s], straight
    between them, and zero after its end; the cabin follows it whatever sits in it (`Driven`), and
    `pulse.multiplier` is the force that takes [N].

    >>> t = np.linspace(0, 0.1, 101)
    >>> sled(t, -200 * np.sin(np.pi * t / 0.1), "50 km/h").constraints[0].name
    'pulse'
    """
    time, a = check_samples("sled", time, a)
    brief("sled", time)
    spacing = read_quantity("sled", "spacing", spacing, "s")
    positive("sled", spacing=spacing)
    end = float(time[-1]) if t_end is None else read_quantity("sled", "t_end", t_end, "s")
    positive("sled", t_end=end)
    start, v = max(0.0, float(time[0])), speed_of("sled", speed)
    last = min(float(time[-1]), end)
    if last <= start:
        raise ArgumentError(
            f"sled: the pulse starts at {start:g} s, and the run ends at {last:g} s"
        )
    if (count := (last - start) / spacing) > MAX_PULSE_POINTS:
        raise ArgumentError(
            f"sled: a pulse of {last - start:g} s has {count:.3g} points at a spacing of "
            f"{spacing:g} s; at most {MAX_PULSE_POINTS} are taken: give a larger spacing, or t_end"
        )
    interior = time[(time > start) & (time < last)]
    between = interior if interior.size < count else np.arange(start, last, spacing)[1:]
    moments = np.array([start, *between[between < last - 1e-9], last])
    points = (*zip(moments.tolist(), np.interp(moments, time, a).tolist(), strict=True),
              (last + OFF, 0.0))  # fmt: skip
    return Model(
        "sled",
        gravity=(0, 0, 0),
        bodies=(Body("cabin", SLED),),
        joints=(Joint("cabin", "world", "cabin", Prismatic("x")),),
        constraints=(
            Driven("pulse", "cabin.displacement", acceleration=points, start=(v * start, v)),
        ),
        initial={"cabin.speed": v},
        simulation={"t_end": end, "output": round(end * 1e4) + 1, "rtol": 1e-8},
    )


def occupant_metrics(
    run: Trajectory, name: str = "driver", carrier: str = "cabin"
) -> dict[str, Measure]:
    """What a run did to an occupant: HIC15 and HIC36 (CFC 1000), 3 ms of the chest (CFC 180),
    largest belt forces [N], way of the head along x of its seat or of the cabin `carrier` [m],
    chest compression [m]."""
    one = f"{name}.acceleration.x" in run.units
    head, chest = (name, name) if one else (f"{name}_head_cg", f"{name}_chest")
    if f"{head}.acceleration.x" not in run.units:
        raise ArgumentError(f"occupant_metrics: no occupant is called {name!r} in this run")
    out = {}
    if not one:
        out["hic15"] = hic(*filtered_resultant(run, head, 1000))
        out["hic36"] = hic(*filtered_resultant(run, head, 1000), window=0.036)
    out["chest_3ms"] = clip_3ms(*filtered_resultant(run, chest, 180))
    for signal in run.signals:
        if signal.startswith(f"{name}_") and signal.endswith("belt.force"):
            label = signal.removeprefix(f"{name}_").removesuffix(".force")
            out[label] = peak_measure(run, run[signal], "N")
    forward = _forward_distance(
        run, head, f"{name}_place" if f"{name}_place.position.x" in run.units else carrier
    )
    out["head_excursion"] = peak_measure(run, forward - forward[0], "m")
    if f"{name}_sternum.displacement" in run.units:
        out["chest_compression"] = peak_measure(run, -run[f"{name}_sternum.displacement"], "m")
    return out


def filtered_resultant(run, point: str, channel_class: float) -> tuple[np.ndarray, np.ndarray]:
    """Time at 10 kHz [s] and size of the filtered acceleration of a body or point [m/s^2]."""
    axes = [even(run, f"{point}.acceleration.{c}") for c in "xyz"]
    return axes[0][0], np.linalg.norm([cfc(*x, channel_class) for x in axes], axis=0)


def _forward_distance(run, point: str, carrier: str) -> np.ndarray:
    """Distance of a point ahead of the origin of a body, along x of that body [m]."""
    if f"{carrier}.position.x" not in run.units:
        bodies = sorted({n.split(".")[0] for n in run.units if n.endswith(".position.x")})
        raise ArgumentError(unknown_name_message("body", carrier, bodies, "occupant_metrics"))
    quaternions = np.stack([run[f"{carrier}.orientation.{c}"] for c in "wxyz"], axis=1)
    forward = rotation_matrices(quaternions)[:, :, 0]
    offset = [run[f"{point}.position.{c}"] - run[f"{carrier}.position.{c}"] for c in "xyz"]
    return np.einsum("ri,ir->r", forward, np.array(offset))

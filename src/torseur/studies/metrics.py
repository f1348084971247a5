"""Metrics of crash and of robots as measures of a study: one number of a curve, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import crash, robots
from ..errors import ArgumentError
from ..register import Register

if TYPE_CHECKING:
    from .measures import metric

RATE = 10_000  # samples a second of a pulse, as laboratories record
METRICS: Register = Register("metric")


@dataclass(frozen=True)
class CurveMetric:
    """One number of a curve: `compute(time, values, **options)`; `speed` of its body if it asks."""

    compute: Callable[..., Any]
    unit: str = ""
    speed: bool = False
    even: bool = True
    needs: tuple[str, ...] = ()

    def check(self, asked: metric) -> None:
        """Problems of what was asked for."""
        lacking = [n for n in self.needs if n not in asked.options]
        if not asked.name or lacking:
            said = f"{lacking[0]}=" if lacking else "the name of a signal"
            raise ArgumentError(f"metric {asked.function!r}: give {said}")

    def more(self, asked: metric) -> tuple[str, ...]:
        """Further signals that it reads: the velocity of the body whose pulse it is."""
        if not self.speed or "speed" in asked.options:
            return ()
        first = asked.name if isinstance(asked.name, str) else asked.name[0]
        owner = first.rsplit(".", 2)[0]
        return tuple(f"{owner}.velocity.{c}" for c in "xyz")

    def __call__(self, asked: metric, time: np.ndarray, columns: list[np.ndarray]) -> float:
        own = 1 if isinstance(asked.name, str) else len(asked.name)
        options = dict(asked.options)
        if self.speed and "speed" not in options:
            options["speed"] = float(np.linalg.norm([x[0] for x in columns[own:]]))
        values = columns[0] if own == 1 else np.sqrt(sum(x * x for x in columns[:own]))
        if self.even:
            span = time[-1] - time[0]
            steps = np.arange(int(np.floor(span * RATE + 1e-6)) + 1) / RATE
            time, values = steps, np.interp(steps + time[0], time, values)
        try:
            return float(self.compute(time, values, **options))
        except TypeError as e:
            raise ArgumentError(f"metric {asked.function!r}: {e}") from None


def _step(what: str) -> Callable[..., float]:
    def compute(time, values, target, band=0.02):
        return getattr(robots.step_metrics(time, values, target, band=band), what)

    return compute


def _integral(time, values):
    return np.trapezoid(values, time)


for _name, _made in {
    "hic": CurveMetric(crash.hic, "g^2.5 s"),
    "clip_3ms": CurveMetric(crash.clip_3ms, "m/s^2"),
    "delta_v": CurveMetric(crash.delta_v, "m/s"),
    "vpi": CurveMetric(crash.vpi, "m/s^2"),
    "asi": CurveMetric(crash.asi, "1"),
    "pulse_duration": CurveMetric(crash.pulse_duration, "s"),
    "olc": CurveMetric(crash.olc, "m/s^2", speed=True),
    "crush": CurveMetric(crash.crush, "m", speed=True),
    "restitution": CurveMetric(crash.restitution, "1", speed=True),
    "rise_time": CurveMetric(_step("rise_time"), "s", even=False, needs=("target",)),
    "settling_time": CurveMetric(_step("settling_time"), "s", even=False, needs=("target",)),
    "overshoot": CurveMetric(_step("overshoot"), "1", even=False, needs=("target",)),
    "integral": CurveMetric(_integral, even=False),
}.items():
    METRICS.named(_name)(_made)

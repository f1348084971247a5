"""Metrics of crash and of robots as measures of a study: one number of a curve, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import crash, robots
from ..errors import ArgumentError, misfit, said
from ..register import Register
from .moved import directional, step_of

if TYPE_CHECKING:
    from .measures import metric

RATE = 10_000  # samples a second of a pulse, as laboratories record
METRICS: Register = Register("metric")


@dataclass(frozen=True)
class CurveMetric:
    """One number of a curve: `compute(time, values, **options)`; `speed` of its body if it asks.

    `even`: of samples at even times; `summed`: it is a sum over rows, wherever they are; `counted`:
    it is a number of samples, which has no derivative; `apart`: it takes each of its signals, such
    as ax, ay and az, and not the size of all.
    """

    compute: Callable[..., Any]
    unit: str = ""
    speed: bool = False
    even: bool = True
    summed: bool = False
    counted: bool = False
    apart: bool = False
    needs: tuple[str, ...] = ()

    def check(self, asked: metric) -> None:
        """Problems of what was asked for."""
        lacking = [n for n in self.needs if n not in asked.options]
        if not asked.name or lacking:
            needed = f"{lacking[0]}=" if lacking else "the name of a signal"
            raise ArgumentError(f"metric {asked.function!r}: give {needed}")

    def more(self, asked: metric) -> tuple[str, ...]:
        """Further signals that it reads: the velocity of the body whose pulse it is."""
        if not self.speed or "speed" in asked.options:
            return ()
        first = asked.name if isinstance(asked.name, str) else asked.name[0]
        owner = first.rsplit(".", 2)[0]
        return tuple(f"{owner}.velocity.{c}" for c in "xyz")

    def __call__(
        self, asked: metric, time: np.ndarray, columns: list[np.ndarray], leaps: Any = 0.0
    ) -> float:
        """Of the rows of a run; `leaps` are added to the values (those at even times, if any)."""
        own = self._own(asked)
        options = dict(asked.options)
        if self.speed and "speed" not in options:
            options["speed"] = float(np.linalg.norm([x[0] for x in columns[own:]]))
        values = columns[:own] if self.apart else [_size(columns[:own])]
        if self.even:
            steps = _even(time)
            time, values = steps - steps[0], [np.interp(steps, time, x) for x in values]
        try:
            return float(self.compute(time, *(x + leaps for x in values), **options))
        except TypeError as e:
            told = said(e, misfit(self.compute, options, 1 + len(values)))
            raise ArgumentError(f"metric {asked.function!r}: {told}") from None

    def _own(self, asked: metric) -> int:
        return 1 if isinstance(asked.name, str) else len(asked.name)

    def slope(self, asked: metric, run: Any, name: str) -> float:
        """Derivative along those of the rows: SE.9."""
        if self.counted:
            raise ArgumentError(
                f"metric {asked.function!r} is a number of samples, and has no derivative"
            )
        names = asked.signals()
        if self.apart and len(names) > 1:
            raise ArgumentError(
                f"metric {asked.function!r} of several signals has no exact derivative"
            )
        columns = [run[n] for n in names]
        moved = [run.sensitivity(n, name, along_rows=self.summed) for n in names]
        later = run.sensitivity("time", name)
        leaps = np.zeros(1) if not self.even else self._leaps(asked, run.time, columns, later)

        def at(h):
            time = run.time + h * later if self.summed else run.time
            there = [x + h * d for x, d in zip(columns, moved, strict=True)]
            return self(asked, time, there, h * leaps)

        return directional(at, step_of([*zip(columns, moved, strict=True), (columns[0], leaps)]))

    def _leaps(self, asked: metric, time, columns, later) -> np.ndarray:
        """What a jump of the signal that comes later or earlier adds to samples: (y- - y+) dt."""
        y, steps = _size(columns[: self._own(asked)]), _even(time)
        out = np.zeros(len(steps))
        twice = np.flatnonzero(np.diff(time) == 0)
        more = (y[twice] - y[twice + 1]) * later[twice] * RATE
        place = np.clip((time[twice] - steps[0]) * RATE, 0, len(steps) - 1)
        low = np.minimum(place.astype(int), max(len(steps) - 2, 0))
        np.add.at(out, low, more * (1 - (place - low)))
        np.add.at(out, np.minimum(low + 1, len(steps) - 1), more * (place - low))
        return out


def _even(time) -> np.ndarray:
    """Even times over those of a run, as laboratories record."""
    return time[0] + np.arange(int(np.floor((time[-1] - time[0]) * RATE + 1e-6)) + 1) / RATE


def _size(columns: list[np.ndarray]) -> np.ndarray:
    """One signal, or the size of several."""
    return columns[0] if len(columns) == 1 else np.sqrt(sum(x * x for x in columns))


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
    "asi": CurveMetric(crash.asi, "1", apart=True),
    "thiv": CurveMetric(crash.thiv, "m/s", apart=True),
    "phd": CurveMetric(lambda *given, **told: crash.thiv(*given, **told).phd, "m/s^2", apart=True),
    "kw400": CurveMetric(
        lambda time, *given, **told: crash.kw400(*given, **told), "N/m", even=False, apart=True
    ),
    "pulse_duration": CurveMetric(crash.pulse_duration, "s", counted=True),
    "olc": CurveMetric(crash.olc, "m/s^2", speed=True),
    "crush": CurveMetric(crash.crush, "m", speed=True),
    "restitution": CurveMetric(crash.restitution, "1", speed=True),
    "rise_time": CurveMetric(_step("rise_time"), "s", even=False, needs=("target",)),
    "settling_time": CurveMetric(_step("settling_time"), "s", even=False, needs=("target",)),
    "overshoot": CurveMetric(_step("overshoot"), "1", even=False, needs=("target",)),
    "integral": CurveMetric(_integral, even=False, summed=True),
}.items():
    METRICS.named(_name)(_made)

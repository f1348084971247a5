"""Metrics of crash and of robots as measures of a study: one number of a curve, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import crash, robots
from ..errors import ArgumentError, misfit, said
from ..register import Register
from .blows import unstruck
from .moved import PART, directional, step_of
from .sampled import NEAR, SampledRows

if TYPE_CHECKING:
    from .measures import Metric

LATER = 0.1 * NEAR / PART  # [s] so that no jump moves past a sample
METRICS: Register = Register("metric")


@dataclass(frozen=True)
class CurveMetric:
    """One number of a curve: `compute(time, values, **options)`; `speed` of its body if it asks.

    `even`: of samples at even times and beside jumps, else of the rows; `counted`: it is a number
    of samples, which has no derivative; `apart`: it takes each of its signals, such as ax, ay and
    az, and not the size of all.
    """

    compute: Callable[..., Any]
    unit: str = ""
    speed: bool = False
    even: bool = True
    counted: bool = False
    apart: bool = False
    needs: tuple[str, ...] = ()

    def check(self, asked: Metric) -> None:
        """Problems of what was asked for."""
        lacking = [n for n in self.needs if n not in asked.options]
        if not asked.name or lacking:
            needed = f"{lacking[0]}=" if lacking else "the name of a signal"
            raise ArgumentError(f"metric {asked.function!r}: give {needed}")

    def more(self, asked: Metric) -> tuple[str, ...]:
        """Further signals that it reads: velocities of the body whose pulse it is."""
        names = (asked.name,) if isinstance(asked.name, str) else asked.name
        owner = names[0].rsplit(".", 2)[0]
        before = "xyz" if self.speed and "speed" not in asked.options else ""
        return tuple(f"{owner}.velocity.{c}" for c in before)

    def __call__(self, asked: Metric, time: np.ndarray, columns: list[np.ndarray]) -> float:
        """Of the rows of a run."""
        return self._number(asked, time, columns, SampledRows(time, self._values(asked, columns)))

    def _values(self, asked: Metric, columns: list[np.ndarray]) -> list[np.ndarray]:
        own = columns[: self._own(asked)]
        return own if self.apart else [_size(own)]

    def _number(self, asked: Metric, time, columns, read: SampledRows) -> float:
        values = self._values(asked, columns)
        if self.even:
            time, values = read.times(time), [read.values(time, x) for x in values]
        options = dict(asked.options)
        if self.speed and "speed" not in options:
            first = self._own(asked)
            options["speed"] = float(np.linalg.norm([x[0] for x in columns[first : first + 3]]))
        try:
            return float(self.compute(time - time[0] * self.even, *values, **options))
        except TypeError as e:
            told = said(e, misfit(self.compute, options, 1 + len(values)))
            raise ArgumentError(f"metric {asked.function!r}: {told}") from None

    def _own(self, asked: Metric) -> int:
        return 1 if isinstance(asked.name, str) else len(asked.name)

    def slope(self, asked: Metric, run: Any, name: str) -> float:
        """Derivative along those of the rows: SE.9."""
        if self.counted:
            raise ArgumentError(
                f"metric {asked.function!r} is a number of samples, and has no derivative"
            )
        names = asked.signals()
        columns = [run[n] for n in names]
        for n in names[: self._own(asked)]:
            unstruck(run, n, f"metric {asked.function!r}")
        moved = [run.sensitivity(n, name, along_rows=True) for n in names]
        later, read = (
            run.sensitivity("time", name),
            SampledRows(run.time, self._values(asked, columns)),
        )

        def at(h):
            time = np.maximum.accumulate(run.time + h * later)
            there = [x + h * d for x, d in zip(columns, moved, strict=True)]
            return self._number(asked, time, there, read)

        near = (np.array([LATER]), later)
        return directional(at, step_of([*zip(columns, moved, strict=True), near]))


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
    "integral": CurveMetric(_integral, even=False),
}.items():
    METRICS.named(_name)(_made)

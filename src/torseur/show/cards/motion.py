"""Cards of travel, effort and velocity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..panel_base import Card, CardMaker, ReportContext, card
from .forces import find_first_peak, find_largest_signal
from .impact import find_impact_body, vector_norm


@card.named("travel")
class Travel(CardMaker):
    """Range of the coordinate of a system with one degree of freedom."""

    order = 15

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the range of the coordinate."""
        system = context.system
        if (
            system is None
            or system.nv != 1
            or find_impact_body(context)
            or not len(context.run.time)
        ):
            return
        (name,) = system.coordinates[:1]
        x = context.run[name]
        yield Card("Travel", float(np.ptp(x)), context.run.units[name], name, signal=name)


@card.named("efforts")
class LargestEffort(CardMaker):
    """Joint with the largest effort, for models with inputs."""

    order = 12

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the largest torque, or the largest force if there is no torque."""
        if context.model is None or not context.model.inputs:
            return
        joints = [f"{j.name}.effort" for j in context.model.joints]
        for unit in ("N m", "N"):
            if peak := find_largest_signal(context, joints, unit):
                name, value, at = peak
                yield Card("Largest effort", abs(value), unit, name[:-7], at, signal=name)
                return


@card.named("speeds")
class LargestSpeed(CardMaker):
    """Body or frame with the largest velocity."""

    order = 40

    def cards(self, context: ReportContext) -> Iterator[Card]:
        if best := _find_largest_vector(context, "velocity"):
            yield Card("Largest speed", best[0], "m/s", *best[1:])


@card.named("turns")
class LargestAngularVelocity(CardMaker):
    """Body or frame with the largest angular velocity."""

    order = 42

    def cards(self, context: ReportContext) -> Iterator[Card]:
        if best := _find_largest_vector(context, "angular_velocity"):
            yield Card("Largest angular velocity", best[0], "rad/s", *best[1:])


def _find_largest_vector(context: ReportContext, quantity: str) -> tuple[float, str, float] | None:
    """Return norm, name and time of the largest vector signal of all bodies and frames."""
    run = context.run
    elements: list[Any] = [*context.model.frames, *context.model.bodies] if context.model else []
    best: tuple[float, str, float] | None = None
    for b in elements:
        if (
            f"{b.name}.{quantity}.x" not in run.units
            or find_impact_body(context)
            or not len(run.time)
        ):
            continue
        v = vector_norm(run, f"{b.name}.{quantity}")
        i = find_first_peak(v)
        if np.isfinite(v).all() and (best is None or v[i] > best[0] * (1 + 1e-9)):
            best = (float(v[i]), b.name, float(run.time[i]))
    return best if best and best[0] > 0 else None

"""How far and how fast things went."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..panel_base import Card, CardMaker, Told, card
from .forces import largest, top
from .impact import size, struck


@card.named("travel")
class Travel(CardMaker):
    """The way of the only coordinate that the motion is free in."""

    place = 15

    def cards(self, told: Told) -> Iterator[Card]:
        system = told.system
        if system is None or system.nv != 1 or struck(told) or not len(told.run.time):
            return
        (name,) = system.coordinates[:1]
        x = told.run[name]
        yield Card("Travel", float(np.ptp(x)), told.run.units[name], name, signal=name)


@card.named("efforts")
class LargestEffort(CardMaker):
    """The drive that works hardest: of inputs, where a model has them."""

    place = 12

    def cards(self, told: Told) -> Iterator[Card]:
        if told.model is None or not told.model.inputs:
            return
        joints = [f"{j.name}.effort" for j in told.model.joints]
        for unit in ("N m", "N"):
            if found := largest(told, joints, unit):
                name, value, at = found
                yield Card("Largest effort", abs(value), unit, name[:-7], at, signal=name)
                return


@card.named("speeds")
class LargestSpeed(CardMaker):
    """The fastest body or frame."""

    place = 40

    def cards(self, told: Told) -> Iterator[Card]:
        if best := _fastest(told, "velocity"):
            yield Card("Largest speed", best[0], "m/s", *best[1:])


@card.named("turns")
class LargestTurn(CardMaker):
    """The body that turns fastest."""

    place = 42

    def cards(self, told: Told) -> Iterator[Card]:
        if best := _fastest(told, "angular_velocity"):
            yield Card("Largest turning speed", best[0], "rad/s", *best[1:])


def _fastest(told: Told, what: str) -> tuple[float, str, float] | None:
    """Size, name and time of the largest vector of a kind, of bodies and frames."""
    run = told.run
    things: list[Any] = [*told.model.frames, *told.model.bodies] if told.model else []
    best: tuple[float, str, float] | None = None
    for b in things:
        if f"{b.name}.{what}.x" not in run.units or struck(told) or not len(run.time):
            continue
        v = size(run, f"{b.name}.{what}")
        i = top(v)
        if np.isfinite(v).all() and (best is None or v[i] > best[0] * (1 + 1e-9)):
            best = (float(v[i]), b.name, float(run.time[i]))
    return best if best and best[0] > 0 else None

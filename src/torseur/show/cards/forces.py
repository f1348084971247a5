"""The largest force and moment of elements, and of joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..panel_base import Card, CardMaker, Told, card
from .impact import struck

ALIKE = 1e-7  # of a largest number: rows that are as large
ROUNDING = 1e-9  # N: what a free joint carries


def top(x: np.ndarray) -> int:
    """Row of the largest number; of rows as large to rounding the first.

    >>> top(np.array([1.0, 3.0, 3.0 + 1e-13]))
    1
    """
    return int(np.argmax(x >= x.max() - ALIKE * abs(x.max())))


def largest(told: Told, names, unit: str) -> tuple[str, float, float] | None:
    """Name, value and time of the largest of some signals of a unit."""
    run, found = told.run, None
    for n in names:
        if run.units.get(n) != unit or not len(run.time) or not np.isfinite(run[n]).all():
            continue
        i = top(abs(run[n]))
        if found is None or abs(run[n][i]) > abs(found[1]):
            found = (n, float(run[n][i]), float(run.time[i]))
    return found if found and abs(found[1]) > 0 else None


@card.named("forces")
class LargestForce(CardMaker):
    """The force element that pulls hardest; of turning ones the largest moment."""

    place = 20

    def cards(self, told: Told) -> Iterator[Card]:
        owned = [f"{f.name}.force" for f in told.model.forces] if told.model else []
        for label, unit in (("Largest force", "N"), ("Largest moment", "N m")):
            if found := largest(told, owned, unit):
                name, value, at = found
                yield Card(label, abs(value), unit, name.removesuffix(".force"), at, signal=name)
                return


@card.named("reactions")
class LargestReaction(CardMaker):
    """The joint that carries most."""

    place = 30

    def cards(self, told: Told) -> Iterator[Card]:
        run = told.run
        joints: list[Any] = [*told.model.joints, *told.model.loops] if told.model else []
        best: tuple[float, str, float] | None = None
        note = ""
        for j in joints:
            names = [f"{j.name}.reaction.force.{c}" for c in "xyz"]
            if not all(n in run.units for n in names) or struck(told):
                continue
            parts = [run[n] for n in names if np.isfinite(run[n]).all()]
            r = np.sqrt(np.sum(np.square(parts), axis=0)) if parts else np.zeros(0)
            i = top(r) if len(r) else 0
            if len(r) and (best is None or r[i] > best[0]):
                best = (float(r[i]), j.name, float(run.time[i]))
                note = "" if len(parts) == 3 else "of its determined parts"
        if best and best[0] > ROUNDING:
            yield Card("Largest reaction", best[0], "N", best[1], best[2], note)

"""Cards of the largest force or moment of force elements, and of the largest joint reaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..panel_base import Card, CardMaker, ReportContext, card
from .impact import find_impact_body

PEAK_RTOL = 1e-7  # of a largest number: rows that are as large
MIN_REACTION = 1e-9  # N: what a free joint carries


def find_first_peak(x: np.ndarray) -> int:
    """Index of the largest value. The first of values that are equal up to rounding counts.

    >>> find_first_peak(np.array([1.0, 3.0, 3.0 + 1e-13]))
    1
    """
    return int(np.argmax(x >= x.max() - PEAK_RTOL * abs(x.max())))


def find_largest_signal(
    context: ReportContext, names: Iterable[str], unit: str
) -> tuple[str, float, float] | None:
    """Return name, value and time of the largest of some signals with a unit, or None."""
    run, peak = context.run, None
    for n in names:
        if run.units.get(n) != unit or not len(run.time) or not np.isfinite(run[n]).all():
            continue
        i = find_first_peak(abs(run[n]))
        if peak is None or abs(run[n][i]) > abs(peak[1]):
            peak = (n, float(run[n][i]), float(run.time[i]))
    return peak if peak and abs(peak[1]) > 0 else None


@card.named("forces")
class LargestForce(CardMaker):
    """Largest force of a force element, or the largest moment if there is no force."""

    order = 20

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the largest force or moment with its time."""
        names = [f"{f.name}.force" for f in context.model.forces] if context.model else []
        for label, unit in (("Largest force", "N"), ("Largest moment", "N m")):
            if peak := find_largest_signal(context, names, unit):
                name, value, at = peak
                yield Card(label, abs(value), unit, name.removesuffix(".force"), at, signal=name)
                return


@card.named("reactions")
class LargestReaction(CardMaker):
    """Joint or loop with the largest reaction force."""

    order = 30

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the norm of the largest reaction force, from its determined components."""
        run = context.run
        joints: list[Any] = [*context.model.joints, *context.model.loops] if context.model else []
        best: tuple[float, str, float] | None = None
        note = ""
        for j in joints:
            names = [f"{j.name}.reaction.force.{c}" for c in "xyz"]
            if not all(n in run.units for n in names) or find_impact_body(context):
                continue
            components = [run[n] for n in names if np.isfinite(run[n]).all()]
            r = np.sqrt(np.sum(np.square(components), axis=0)) if components else np.zeros(0)
            i = find_first_peak(r) if len(r) else 0
            if len(r) and (best is None or r[i] > best[0]):
                best = (float(r[i]), j.name, float(run.time[i]))
                note = "" if len(components) == 3 else "of its determined parts"
        if best and best[0] > MIN_REACTION:
            yield Card("Largest reaction", best[0], "N", best[1], best[2], note)

"""Cards about the accuracy of a run: constraint residual, events and energy balance."""

from __future__ import annotations

from collections.abc import Iterator

from ..panel_base import Card, CardMaker, ReportContext, card
from ..text import describe_event

MAX_ENERGY_ERROR = 1e-3  # of the largest energy
MAX_CONSTRAINT_RESIDUAL = 1e-6  # of a constraint row [m, rad]
MINOR_EVENTS = ("knot", "bound", "set", "turning", "breakpoint", "t ", "rises", "falls", "high")


@card.named("constraints")
class LoopClosure(CardMaker):
    """Largest residual of the loops and constraints."""

    order = 50

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the largest constraint residual, marked as bad if it exceeds
        `MAX_CONSTRAINT_RESIDUAL`.
        """
        if "constraints.residual" not in context.run.units or not len(context.run.time):
            return
        worst = float(abs(context.run["constraints.residual"]).max())
        is_closed = worst < MAX_CONSTRAINT_RESIDUAL
        note = "constraints hold" if is_closed else "constraints drift"
        name = "constraints.residual"
        yield Card("Loop closure", worst, "1", note=note, bad=not is_closed, signal=name, figures=2)


@card.named("events")
class EventCount(CardMaker):
    """Number of events, with the time of the first major event."""

    order = 60

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the number of events."""
        events = context.run.events
        if not events:
            return
        major = [e for e in events if not e.name.rpartition(": ")[2].startswith(MINOR_EVENTS)]
        first = (major or events)[0]
        count, at = len(events), float(first.time)
        yield Card("Events", count, "1", at=at, event=describe_event(first.name), text=str(count))


@card.named("stake")
class EnergyScale(CardMaker):
    """Largest energy in the run."""

    order = 65

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the energy scale of the audit."""
        if "energy.residual" in context.run.units and len(context.run.time):
            scale = float(context.run.energy_audit.scale)
            if scale > 0:
                yield Card("Largest energy", scale, "J", signal="energy.kinetic")


@card.named("energy")
class EnergyError(CardMaker):
    """Largest residual of the energy balance, relative to the largest energy in the run."""

    order = 70

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the relative energy error, marked as bad if it exceeds `MAX_ENERGY_ERROR`."""
        if "energy.residual" not in context.run.units or not len(context.run.time):
            return
        error = float(context.run.energy_audit.relative)
        is_balanced = error < MAX_ENERGY_ERROR
        note = "of the largest energy" if is_balanced else "energy balance violated"
        name = "energy.residual"
        yield Card(
            "Energy error", error, "1", note=note, bad=not is_balanced, signal=name, figures=2
        )

"""Whether the run may be believed: energy, constraints, events."""

from __future__ import annotations

from collections.abc import Iterator

from ..panel_base import Card, CardMaker, Told, card
from ..text import said

WELL = 1e-3  # of the energy in play
HELD = 1e-6  # of a constraint row [m, rad]
QUIET = ("knot", "bound", "set", "turning", "breakpoint", "t ", "rises", "falls", "high")


@card.named("constraints")
class LoopClosure(CardMaker):
    """How well loops and other constraints hold."""

    place = 50

    def cards(self, told: Told) -> Iterator[Card]:
        if "constraints.residual" not in told.run.units or not len(told.run.time):
            return
        worst = float(abs(told.run["constraints.residual"]).max())
        held = worst < HELD
        note = "constraints hold" if held else "constraints drift"
        name = "constraints.residual"
        yield Card("Loop closure", worst, "1", note=note, bad=not held, signal=name, figures=2)


@card.named("events")
class Happened(CardMaker):
    """How many events, and the first that a person would tell."""

    place = 60

    def cards(self, told: Told) -> Iterator[Card]:
        events = told.run.events
        if not events:
            return
        loud = [e for e in events if not e.name.rpartition(": ")[2].startswith(QUIET)]
        first = (loud or events)[0]
        count, at = len(events), float(first.time)
        yield Card("Events", count, "1", at=at, event=said(first.name), text=str(count))


@card.named("stake")
class EnergyInPlay(CardMaker):
    """How much energy there is to account for."""

    place = 65

    def cards(self, told: Told) -> Iterator[Card]:
        if "energy.residual" in told.run.units and len(told.run.time):
            stake = float(told.run.energy_audit.scale)
            if stake > 0:
                yield Card("Energy in play", stake, "J", signal="energy.kinetic")


@card.named("energy")
class EnergyError(CardMaker):
    """What the books do not explain, as a share of the energy in play."""

    place = 70

    def cards(self, told: Told) -> Iterator[Card]:
        if "energy.residual" not in told.run.units or not len(told.run.time):
            return
        share = float(told.run.energy_audit.relative)
        fine = share < WELL
        note = "of the energy in play" if fine else "the books do not close"
        name = "energy.residual"
        yield Card("Energy error", share, "1", note=note, bad=not fine, signal=name, figures=2)

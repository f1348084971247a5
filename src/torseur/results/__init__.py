"""Results of a run: signals with units, outcome, energy audit, storage."""

from .trajectory import EnergyAudit, Event, Trajectory

load = Trajectory.load

__all__ = ["EnergyAudit", "Event", "Trajectory", "load"]

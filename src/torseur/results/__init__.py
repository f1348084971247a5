"""Results of runs: signals with units, outcomes, energy audit, storage."""

from .ensemble import Ensemble
from .runs import Runs
from .trajectory import EnergyAudit, Event, Trajectory

load = Trajectory.load

__all__ = ["EnergyAudit", "Ensemble", "Event", "Runs", "Trajectory", "load"]

import os
from collections.abc import Callable

from .ensemble import Ensemble as Ensemble
from .run_set import Runs as Runs
from .trajectory import (
    EnergyAudit as EnergyAudit,
    Event as Event,
    RunDiagnosis as RunDiagnosis,
    RunStatus as RunStatus,
    Trajectory as Trajectory,
)

load: Callable[[str | os.PathLike[str]], Trajectory]
__all__ = ["Ensemble", "Trajectory"]

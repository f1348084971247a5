"""Motion of a model: one run, or many side by side; signals, energy audit, outcome."""

from ..quantities import signal_units
from ..results import Ensemble
from . import of_timed  # noqa: F401 (for studies)
from .batch import batch
from .caps import caps, refuse_rows  # noqa: F401 (for the command)
from .cohort import Cohort
from .interrupt import obeyed  # noqa: F401 (for work of many runs)
from .kinds import kinds  # noqa: F401 (for the command)
from .options import Options
from .progress import Progress, Tally  # noqa: F401 (for studies and fits)
from .run import Run
from .section import simulation_schema  # noqa: F401 (for the command)
from .simulation import simulate
from .timed import is_timed, with_functions  # noqa: F401 (for studies)

__all__ = [
    "Cohort",
    "Ensemble",
    "Options",
    "Run",
    "batch",
    "signal_units",
    "simulate",
]

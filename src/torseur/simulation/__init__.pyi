from ..quantities import signal_units as signal_units
from ..results import Ensemble as Ensemble
from .batches import batch as batch
from .ceilings import caps as caps, refuse_rows as refuse_rows
from .cohort import Cohort as Cohort
from .guard_kinds import kinds as kinds
from .interrupt import obeyed as obeyed
from .of_timed import is_timed as is_timed
from .options import Options as Options
from .progress import Progress as Progress, Tally as Tally
from .run import Simulation as Simulation
from .section import simulation_schema as simulation_schema
from .simulation import simulate as simulate
from .timed import with_functions as with_functions

__all__ = ["Ensemble", "Options", "Simulation", "batch", "simulate"]

from ..results import Ensemble as Ensemble
from ..signals import signal_units as signal_units
from .api import simulate as simulate
from .ensemble.batch import batch as batch
from .ensemble.simd_runs import SimdBatch as SimdBatch
from .interrupt import obeyed as obeyed
from .options import Options as Options, simulation_schema as simulation_schema
from .progress import Progress as Progress, Tally as Tally
from .run.budget import caps as caps, check_row_budget as check_row_budget
from .run.record import kinds as kinds
from .run.run import Simulation as Simulation
from .time_inputs import (
    is_time_function as is_time_function,
    write_time_inputs as write_time_inputs,
)

__all__ = ["Ensemble", "Options", "Simulation", "batch", "simulate"]

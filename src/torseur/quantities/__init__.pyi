from .along import Along as Along
from .compiled import Dynamics as Dynamics, compile as compile
from .formulas.held import always_joined as always_joined
from .graph_signals import of_one_instant as of_one_instant, signals_kernel as signals_kernel
from .graph_starts import starts_kernel as starts_kernel
from .motion import (
    BY_LINKS as BY_LINKS,
    MotionKernels as MotionKernels,
    motion_kernels as motion_kernels,
)
from .outputs import (
    Outputs as Outputs,
    StateRows as StateRows,
    begun as begun,
    repeated as repeated,
)
from .potentials import returned as returned
from .register import QUANTITIES as QUANTITIES, Quantity as Quantity, quantity as quantity
from .signal_names import declared_signals as declared_signals, signal_units as signal_units
from .signals import Signals as Signals
from .spans import bounds as bounds
from .variations import BROKEN as BROKEN, LOST as LOST, Variations as Variations
from .ways import (
    ByColumns as ByColumns,
    Interpreted as Interpreted,
    RowLabels as RowLabels,
    interpreted as interpreted,
)

__all__ = ["QUANTITIES", "Dynamics", "compile", "quantity"]

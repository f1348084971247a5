from .dynamics import Dynamics as Dynamics, compile as compile
from .evaluation import (
    ByColumns as ByColumns,
    Interpreted as Interpreted,
    RowLabels as RowLabels,
    flat as flat,
    interpreted as interpreted,
    results as results,
)
from .link_loops.kernel import Rolled as Rolled
from .link_loops.parameters import LinkNumbers as LinkNumbers
from .motion import (
    BY_LINKS as BY_LINKS,
    MotionKernels as MotionKernels,
    motion_kernels as motion_kernels,
)
from .state_evaluation import (
    Outputs as Outputs,
    StateRows as StateRows,
    begun as begun,
    repeated as repeated,
)
from .variational import BROKEN as BROKEN, LOST as LOST, Variations as Variations

__all__ = ["Dynamics", "compile"]

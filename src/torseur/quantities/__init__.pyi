from .along import Along as Along
from .compiled import Dynamics as Dynamics
from .compiled import compile as compile
from .motion import MotionKernels as MotionKernels
from .motion import motion_kernels as motion_kernels
from .outputs import Outputs as Outputs
from .outputs import Rows as Rows

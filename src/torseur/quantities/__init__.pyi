from .along import Along as Along
from .compiled import Dynamics as Dynamics, compile as compile
from .motion import MotionKernels as MotionKernels, motion_kernels as motion_kernels
from .outputs import Outputs as Outputs, Rows as Rows
from .variations import Variations as Variations

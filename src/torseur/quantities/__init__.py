"""Everything that can be computed of a system, and its three ways of evaluation."""

from .along import Along
from .compiled import Dynamics, compile
from .motion import MotionKernels, motion_kernels
from .outputs import Outputs, Rows

__all__ = ["Along", "Dynamics", "MotionKernels", "Outputs", "Rows", "compile", "motion_kernels"]

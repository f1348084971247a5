"""Expression graphs to machine code: compiled when first used, counted, stamped, cached."""

from .compile import Dynamics, compile
from .kernel import Kernel
from .program import Port, Program

__all__ = ["Dynamics", "Kernel", "Port", "Program", "compile"]

"""Expression graphs to machine code: compiled when first used, counted, stamped, cached."""

from .kernel import Kernel
from .program import Port, Program

__all__ = ["Kernel", "Port", "Program"]

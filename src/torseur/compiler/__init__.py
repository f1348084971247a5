"""Programs to machine code: compiled when first used, counted, stamped, cached.  No mechanics."""

from .graph import read
from .ir import Body, entry_points, packed
from .kernel import Kernel
from .plain import intrinsic, native
from .program import Port, Program
from .text import literal

__all__ = [
    "Body",
    "Kernel",
    "Port",
    "Program",
    "entry_points",
    "intrinsic",
    "literal",
    "native",
    "packed",
    "read",
]

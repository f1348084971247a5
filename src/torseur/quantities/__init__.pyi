from .formulas.constraints import bilateral_names as bilateral_names
from .formulas.dynamics import factorized_derivatives as factorized_derivatives
from .formulas.motion import moment as moment
from .register import (
    MOTION as MOTION,
    PORTS as PORTS,
    QUANTITIES as QUANTITIES,
    Quantity as Quantity,
    find as find,
    quantity as quantity,
)
from .symbolic_system import SymbolicSystem as SymbolicSystem, joined as joined

__all__ = ["QUANTITIES", "quantity"]

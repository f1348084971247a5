from .formulas.constraints import always_joined as always_joined
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
from .symbolic_system import Scene as Scene, joined as joined

__all__ = ["QUANTITIES", "quantity"]

from .formulas.constraints import always_joined as always_joined
from .formulas.motion import moment as moment
from .register import (
    COLUMNS as COLUMNS,
    MOTION as MOTION,
    PORTS as PORTS,
    QUANTITIES as QUANTITIES,
    THRESHOLD as THRESHOLD,
    Quantity as Quantity,
    find as find,
    many_rows as many_rows,
    quantity as quantity,
)
from .symbolic_system import Scene as Scene, joined as joined

__all__ = ["QUANTITIES", "quantity"]

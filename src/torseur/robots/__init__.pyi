from .balancing import Balance as Balance, balance as balance, pareto as pareto
from .cams import Cam as Cam, cam as cam
from .conditions import Conditions as Conditions, balance_conditions as balance_conditions
from .devices import (
    BalancingSpring as BalancingSpring,
    CamSpring as CamSpring,
    Counterweight as Counterweight,
    Parallelogram as Parallelogram,
    PulleySpring as PulleySpring,
    Redistribution as Redistribution,
    Spring as Spring,
)
from .motion_laws import (
    Cubic as Cubic,
    Cycloidal as Cycloidal,
    Points as Points,
    Quintic as Quintic,
    Septic as Septic,
    Trapezoidal as Trapezoidal,
    synchronised as synchronised,
)

"""Forces: laws, and lines of action they act on; one contract, one register."""

from .base import Guard, Law, Seen
from .crush import Crush
from .drives import Drive, Stage, expanded
from .follow import Follow
from .friction import (
    Backlash,
    BoucWen,
    Coulomb,
    DryFriction,
    Limits,
    LuGre,
    Servo,
    Threshold,
)
from .lines import EVERY_LINE, Bushing, CoordinateForce, JointForce, PointForce, Wrench
from .rayleigh import rayleigh
from .simple import Effort, Expression, Parallel, Polynomial, Spring, Viscous
from .tables import Table, TimeTable

EVERY_LAW = (
    Spring(200.0, 0.3),
    Spring(50.0, preload=2.0),
    Viscous(3.0),
    Polynomial((40.0, 3.0, 500.0)),
    Polynomial((), (2.0, 0.0, 1.5)),
    Effort(2.5),
    Effort(input="push"),
    Expression("20*x + 2*rate"),
    Parallel(Spring(100.0), Viscous(2.0)),
    Table(((-0.1, -30.0), (0.0, 0.0), (0.2, 10.0), (0.3, 40.0))),
    TimeTable(((0.0, 1.0), (0.5, 3.0), (1.0, -2.0))),
    Crush(((0.02, 0.0), (0.1, 2e3), (0.2, 1e3), (0.3, 5e3)), 2e5, 6e4),
    Crush(((0.0, 0.0), (0.1, 2e3)), 2e5, sense="compression", free_length=0.5),
    Crush(((0.02, 0.0), (0.1, 2e3)), 2e5, rate_factor="linear"),
    Crush(
        ((0.02, 0.0), (0.1, 2e3)),
        2e5,
        sense="compression",
        rate_factor="power",
        rate_gain=3.0,
        rate_exponent=0.2,
        reference_rate=0.5,
    ),
    Crush(((0.02, 0.0), (0.1, 2e3)), 2e5, rate_factor="log", rate_gain=0.05),
    Coulomb(3.0, 0.05),
    Coulomb(3.0, 0.05, static=4.0, stribeck=0.1, damping=0.5),
    LuGre(3.0, 4.0, 0.1, 1e3, 5.0, 0.4),
    DryFriction(3.0, 4.0, 1e4, 50.0),
    Backlash(0.05, 1e3, 4.0),
    BoucWen(1e3, 0.05),
    BoucWen(1e3, 0.05, 0.2, 2),
    Limits(-0.2, 0.3, 1e4, 20.0),
    Limits(-0.2, 0.3, restitution=0.5),
    Follow(100.0, 5.0, ((0.2, 0.6, 0.1, 0, 3.0, 0, 0, 0), (0.6, 1.0, 0.58, 2.4, -3.0, 0, 0, 0))),
    Threshold(0.1),
    Servo(200.0, 10.0, 0.1),
    Servo(200.0, 10.0, "push", feedforward=2.0),
    Parallel(Table(((-0.1, -30.0), (0.0, 0.0), (0.2, 10.0))), LuGre(3.0), Effort(input="push")),
)
"""The register: an instance of every law and of every variant that has a formula of its own."""

__all__ = [
    "EVERY_LAW",
    "EVERY_LINE",
    "Backlash",
    "BoucWen",
    "Bushing",
    "CoordinateForce",
    "Coulomb",
    "Crush",
    "Drive",
    "DryFriction",
    "Effort",
    "Expression",
    "Follow",
    "Guard",
    "JointForce",
    "Law",
    "Limits",
    "LuGre",
    "Parallel",
    "PointForce",
    "Polynomial",
    "Seen",
    "Servo",
    "Spring",
    "Stage",
    "Table",
    "Threshold",
    "TimeTable",
    "Viscous",
    "Wrench",
    "expanded",
    "rayleigh",
]

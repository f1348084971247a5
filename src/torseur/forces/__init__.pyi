from .base import (
    Guard as Guard,
    Law as Law,
    Seen as Seen,
    TableRows as TableRows,
    law as law,
    line as line,
)
from .dissipation import rayleigh as rayleigh
from .drives import Drive as Drive, DriveStage as DriveStage, expanded as expanded
from .laws.backlash import Backlash as Backlash
from .laws.bouc_wen import BoucWen as BoucWen
from .laws.bristle_friction import BristleFriction as BristleFriction
from .laws.coulomb import Coulomb as Coulomb
from .laws.crush import Crush as Crush
from .laws.dc_motor import DCMotor as DCMotor
from .laws.effort import Effort as Effort
from .laws.elastic import Elastic as Elastic
from .laws.expression import Expression as Expression
from .laws.kinematic_hardening import KinematicHardening as KinematicHardening
from .laws.limits import Limits as Limits
from .laws.lu_gre import LuGre as LuGre
from .laws.parallel import Parallel as Parallel
from .laws.polynomial import Polynomial as Polynomial
from .laws.series import Series as Series
from .laws.servo import Servo as Servo
from .laws.spring import Spring as Spring
from .laws.table import Table as Table
from .laws.threshold import Threshold as Threshold
from .laws.time_curve import TimeCurve as TimeCurve
from .laws.time_table import TimeTable as TimeTable
from .laws.tracking_servo import Follow as Follow
from .laws.viscous import Viscous as Viscous
from .lines._base import (
    ForceAction as ForceAction,
    ForceElement as ForceElement,
    LawAction as LawAction,
    Line as Line,
)
from .lines.bushing import Bushing as Bushing
from .lines.coordinate_force import CoordinateForce as CoordinateForce
from .lines.directed_force import DirectedForce as DirectedForce
from .lines.joint_force import JointForce as JointForce
from .lines.plane_force import PlaneForce as PlaneForce
from .lines.plane_pair_force import MeetForce as MeetForce
from .lines.point_force import PointForce as PointForce
from .lines.potential import Potential as Potential
from .lines.tire import Tire as Tire
from .lines.wrench import Wrench as Wrench
from .parametrized_laws import replace_numbers as replace_numbers

EVERY_LAW: tuple[Law, ...]
"""An instance of every law and of every variant that has a formula of its own."""
EVERY_LINE: tuple[type, ...]
__all__ = [
    "Backlash",
    "BoucWen",
    "BristleFriction",
    "Bushing",
    "CoordinateForce",
    "Coulomb",
    "Crush",
    "DCMotor",
    "DirectedForce",
    "Drive",
    "DriveStage",
    "Effort",
    "Elastic",
    "Expression",
    "Follow",
    "ForceElement",
    "Guard",
    "JointForce",
    "KinematicHardening",
    "Law",
    "Limits",
    "Line",
    "LuGre",
    "MeetForce",
    "Parallel",
    "PlaneForce",
    "PointForce",
    "Polynomial",
    "Potential",
    "Seen",
    "Series",
    "Servo",
    "Spring",
    "Table",
    "Threshold",
    "TimeCurve",
    "TimeTable",
    "Tire",
    "Viscous",
    "Wrench",
    "law",
    "line",
]

from ._table_rows import inside as inside, interval_slots as interval_slots, step_rows as step_rows
from .base import (
    Constraint as Constraint,
    ConstraintElement as ConstraintElement,
    Relative as Relative,
    between as between,
    constraint as constraint,
)
from .contact import Contact as Contact
from .contact_pair import ContactPair as ContactPair
from .coupling import Coupling as Coupling
from .distance import Distance as Distance, Rod as Rod
from .driven import Driven as Driven
from .dry_friction import DryFriction as DryFriction
from .gear import Gear as Gear
from .holonomic import Holonomic as Holonomic
from .knife_edge import KnifeEdge as KnifeEdge
from .loop import LoopRows as LoopRows, closure_element as closure_element
from .mimic import Mimic as Mimic
from .pfaffian import Pfaffian as Pfaffian
from .point_on_curve import PointOnCurve as PointOnCurve
from .point_on_line import PointOnLine as PointOnLine
from .point_on_plane import PointOnPlane as PointOnPlane
from .point_on_surface import PointOnSurface as PointOnSurface
from .rack import Rack as Rack
from .rolling import Rolling as Rolling
from .rolling_pair import RollingPair as RollingPair
from .rolling_surface import RollingSurface as RollingSurface
from .screw import Screw as Screw

__all__ = [
    "Constraint",
    "ConstraintElement",
    "Contact",
    "ContactPair",
    "Coupling",
    "Distance",
    "Driven",
    "DryFriction",
    "Gear",
    "Holonomic",
    "KnifeEdge",
    "Mimic",
    "Pfaffian",
    "PointOnCurve",
    "PointOnLine",
    "PointOnPlane",
    "PointOnSurface",
    "Rack",
    "Relative",
    "Rolling",
    "RollingPair",
    "RollingSurface",
    "Screw",
    "constraint",
]

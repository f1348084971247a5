from ..cli import command as command
from ..constraints import (
    Constraint as Constraint,
    ConstraintElement as ConstraintElement,
    Relative as Relative,
    constraint as constraint,
)
from ..crash import scenario as scenario
from ..forces import (
    ForceElement as ForceElement,
    Guard as Guard,
    Law as Law,
    Line as Line,
    Seen as Seen,
    law as law,
    line as line,
)
from ..formalisms import FORMALISMS as FORMALISMS, formalism as formalism
from ..integrate import METHODS as METHODS, Method as Method, method as method
from ..joints import AbstractJoint as AbstractJoint, ComplexJoint as ComplexJoint, joint as joint
from ..quantities import QUANTITIES as QUANTITIES, quantity as quantity
from ..robots import Device as Device, device as device
from ..show import (
    Card as Card,
    CardMaker as CardMaker,
    Panel as Panel,
    card as card,
    panel as panel,
)
from ..studies import METRICS as metric, CurveMetric as CurveMetric

__all__ = [
    "FORMALISMS",
    "METHODS",
    "QUANTITIES",
    "AbstractJoint",
    "Card",
    "CardMaker",
    "ComplexJoint",
    "Constraint",
    "ConstraintElement",
    "CurveMetric",
    "Device",
    "ForceElement",
    "Guard",
    "Law",
    "Line",
    "Method",
    "Panel",
    "Relative",
    "Seen",
    "card",
    "command",
    "constraint",
    "device",
    "formalism",
    "joint",
    "law",
    "line",
    "method",
    "metric",
    "panel",
    "quantity",
    "scenario",
]

"""check(model) -> System: lowered to a small core, ordered, numbered."""

from .constraints import (
    ConstraintElement,
    LoopRows,
    Relative,
    constraint_elements,
    memory,
    switched,
)
from .core import Closure, Link, Place, Port, System, Tree, pose_over
from .elements import ForceElement, force_elements
from .lowering import check, unmerged
from .rows import Rod

__all__ = [
    "Closure",
    "ConstraintElement",
    "ForceElement",
    "Link",
    "LoopRows",
    "Place",
    "Port",
    "Relative",
    "Rod",
    "System",
    "Tree",
    "check",
    "constraint_elements",
    "force_elements",
    "memory",
    "pose_over",
    "switched",
    "unmerged",
]

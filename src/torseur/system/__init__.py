"""check(model) -> System: lowered to a small core, ordered, numbered."""

from .core import Closure, Link, Place, Port, System, Tree
from .lowering import check

__all__ = ["Closure", "Link", "Place", "Port", "System", "Tree", "check"]

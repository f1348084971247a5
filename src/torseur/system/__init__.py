"""check(model) -> System: lowered to a small core, ordered, numbered."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

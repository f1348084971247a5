"""check(model) -> System: lowered to a small core, ordered, numbered."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

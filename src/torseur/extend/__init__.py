"""Decorators and base classes for authors of elements: joints, laws, constraints, panels, ..."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

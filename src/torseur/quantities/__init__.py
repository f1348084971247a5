"""Everything that can be computed of a system, and its three ways of evaluation."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

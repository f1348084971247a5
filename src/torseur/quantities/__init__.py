"""Everything that can be computed of a system, and its three ways of evaluation."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

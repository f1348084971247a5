"""The description of a mechanism, and its readers and writers."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

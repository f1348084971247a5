"""Constraints: one file a kind, with its description, its rows and their units; one register."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__, "base.constraint")

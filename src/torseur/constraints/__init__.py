"""Constraints: one file a kind, with its description, its rows and their units; one register."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__, "base.constraint")

"""Joints: one small file each, one contract, one register (`register.py`)."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

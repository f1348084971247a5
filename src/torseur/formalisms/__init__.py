"""Formalisms: the equations of motion, each as one short text over any scalar."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

"""Motion of a model: one run, or many side by side; signals, energy audit, outcome."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

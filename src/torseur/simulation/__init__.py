"""Motion of a model: one run, or many side by side; signals, energy audit, outcome."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

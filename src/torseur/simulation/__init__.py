"""Motion of a model: single runs, SIMD batches, sensitivities."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

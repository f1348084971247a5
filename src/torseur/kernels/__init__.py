"""Compiled kernels of quantities: choice of a code generator, generators, `Dynamics`."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

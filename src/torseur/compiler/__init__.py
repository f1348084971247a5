"""Programs to machine code: compiled when first used, counted, stamped, cached.  No mechanics."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

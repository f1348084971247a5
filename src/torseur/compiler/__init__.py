"""Programs to machine code: compiled when first used, counted, stamped, cached.  No mechanics."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

"""Studies: from one run to a million, in this process, in several, or on a cluster."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)

"""Studies: from one run to a million, in this process, in several, or on a cluster."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

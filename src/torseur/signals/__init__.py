"""Signals: names and units of the signals of a run, filters and resampling of sampled records."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

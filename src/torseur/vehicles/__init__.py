"""Vehicles: suspensions as complex joints, what their designer reads, and tires."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

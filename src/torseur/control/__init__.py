"""Controllers of robots: computed torque, regulators, gain schedules, feedforward, export as C."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

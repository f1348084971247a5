"""Crash: vehicles of bodies and members, walls, scenarios, occupants, channels, metrics.

Everything here makes ordinary models or reads results; nothing in the engine knows of a crash.
"""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

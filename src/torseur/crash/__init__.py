"""Crash: vehicles of bodies and members, obstacles, scenarios, occupants, test data, criteria.

This package builds ordinary models and reads results. The engine has no knowledge of crashes.
"""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

"""Vehicles: design reports of suspensions, and assemblies of cars by mirror images."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

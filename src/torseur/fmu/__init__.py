"""A model as an FMU: co-simulation and model exchange for other simulators, without a compiler."""

from .export import export_fmu

__all__ = ["export_fmu"]

"""A model as an FMU: co-simulation and model exchange for other simulators, without a compiler."""

from .description import describe_fmu
from .export import export_fmu

__all__ = ["describe_fmu", "export_fmu"]

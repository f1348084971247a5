"""A model as an FMU: co-simulation and model exchange for other simulators, without a compiler."""

from .export import export_fmu
from .told import describe_fmu

__all__ = ["describe_fmu", "export_fmu"]

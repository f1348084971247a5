"""Export of a model as an FMU (FMI 2.0): co-simulation and model exchange, without a C compiler."""

from .description import describe_fmu
from .export import export_fmu

__all__ = ["describe_fmu", "export_fmu"]

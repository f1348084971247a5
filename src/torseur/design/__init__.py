"""Design: what a mechanism does, as its designer reads it."""

from .motion_laws import Cubic, Cycloidal, Points, Quintic, Septic, Trapezoidal, synchronised
from .suspension import SuspensionReport, suspension_report

__all__ = ["Cubic", "Cycloidal", "Points", "Quintic", "Septic", "SuspensionReport",
           "Trapezoidal", "suspension_report", "synchronised"]

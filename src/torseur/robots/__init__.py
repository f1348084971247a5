"""Robot design: motion laws."""

from .motion_laws import Cubic, Cycloidal, Points, Quintic, Septic, Trapezoidal, synchronised

__all__ = ["Cubic", "Cycloidal", "Points", "Quintic", "Septic", "Trapezoidal", "synchronised"]

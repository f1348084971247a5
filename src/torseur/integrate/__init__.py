"""Methods, steps, events, lanes: native, over addresses.  Knows no mechanics."""

from .methods import METHODS, Method
from .table import Words
from .words import EXPLICIT

__all__ = ["EXPLICIT", "METHODS", "Method", "Words"]

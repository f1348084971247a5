"""Methods, steps, events, lanes: native, over addresses.  Knows no mechanics."""

from .control import LEAST_KEPT
from .methods import METHODS, Method
from .table import Words
from .words import EXPLICIT

__all__ = ["EXPLICIT", "LEAST_KEPT", "METHODS", "Method", "Words"]

"""Forces: laws (`laws/`) on lines of action (`lines/`); one file each, one contract each."""

from .base import Guard, Law, Seen, law, line
from .drives import Drive, Stage, expanded
from .rayleigh import rayleigh

globals().update({**law, **line})
EVERY_LAW = law.examples()
"""An instance of every law and of every variant that has a formula of its own."""
EVERY_LINE = tuple(line.values())

__all__ = [
    "EVERY_LAW",
    "EVERY_LINE",
    "Drive",
    "Guard",
    "Law",
    "Seen",
    "Stage",
    "expanded",
    "law",
    "line",
    "rayleigh",
    *law,
    *line,
]

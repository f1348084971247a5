"""Looking at results: static figures, a page that moves, the same page in a notebook."""

from .base import Panel, panel
from .page import Page, page, report, view
from .plots import plot

__all__ = ["Page", "Panel", "page", "panel", "plot", "report", "view"]

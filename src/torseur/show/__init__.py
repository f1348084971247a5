"""Looking at results: static figures, a page that moves, the same page in a notebook."""

from .page import Page, page, report, view
from .plots import plot

__all__ = ["Page", "page", "plot", "report", "view"]

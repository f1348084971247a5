"""Looking at results: static figures, a page that moves, the same page in a notebook."""

from .base import Card, CardMaker, Panel, card, panel
from .page import Page, page, report, view
from .plots import plot

__all__ = ["Card", "CardMaker", "Page", "Panel", "card", "page", "panel", "plot", "report", "view"]

"""Looking at results: static figures, a page that moves, the same page in a notebook."""

from .base import Card, CardMaker, Panel, card, panel
from .bilingual import Phrases, switch  # noqa: F401 (for pages of other rooms)
from .displays import model_html, run_html, system_html  # noqa: F401 (for notebooks)
from .glimpse import glimpse  # noqa: F401 (for live pages)
from .movies import animate
from .page import (  # noqa: F401 (`contents` for live pages, `lightened` for those of studies)
    Page,
    contents,
    lightened,
    page,
    report,
    view,
)
from .plots import plot

__all__ = [
    "Card",
    "CardMaker",
    "Page",
    "Panel",
    "animate",
    "card",
    "page",
    "panel",
    "plot",
    "report",
    "view",
]

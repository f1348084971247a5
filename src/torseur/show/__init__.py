"""Visualization of results: figures, the interactive report, animations and notebook HTML."""

from .animation import animate
from .bilingual import Phrases, switch  # noqa: F401 (for pages of other packages)
from .html import figure_svg, html_page  # noqa: F401 (for pages of other packages)
from .notebook_html import model_html, run_html, system_html  # noqa: F401 (for notebooks)
from .page import (
    Page,
    collect_contents as collect_contents,
    extract_shared_assets as extract_shared_assets,
    page,
    preview_contents,  # noqa: F401 (for live pages)
    report,
    view,
)
from .panel_base import Card, CardMaker, Panel, card, panel
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

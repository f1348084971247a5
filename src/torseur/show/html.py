"""HTML pages with inline SVG figures, in English and French."""

from __future__ import annotations

from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from ..errors import needs
from .bilingual import Phrases, switch

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_svg(figure: Figure, **options: Any) -> str:
    """SVG element of a matplotlib figure.  `options` are those of `savefig`.

    Texts remain text elements, so that the page can translate them.
    """
    with needs("plot", "a figure of a page"):
        from matplotlib import rc_context

    file = StringIO()
    with rc_context({"svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None}, **options)
    text = file.getvalue()
    return text[text.index("<svg") :]


def html_page(title: str, body: str, style: str, phrases: Phrases) -> str:
    """HTML page with a style sheet and a language switch.  `title` is plain text, `body` HTML."""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{style}</style>{body}{switch(body, phrases)}</html>\n"
    )

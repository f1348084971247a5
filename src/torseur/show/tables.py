"""Written parts of a page, as HTML."""

from __future__ import annotations

from html import escape

from .french import french
from .sentences import number


def text(x) -> str:
    return escape(str(x))


def small(x, said: str | None = None) -> str:
    """A text in small letters; `said`: the same in French."""
    return both("small", x, said) if said is not None else f"<small>{text(x)}</small>"


def both(tag: str, english, said: str | None = None, kind: str = "") -> str:
    """An element that the page shows in the reader's language.

    >>> both("p", "reached t = 1 s by rk4")
    '<p data-say data-fr="arrivé à t = 1 s par rk4">reached t = 1 s by rk4</p>'
    """
    said = said if said is not None else french(str(english))
    also = f' data-fr="{escape(said, quote=True)}"' if said is not None else ""
    of = f' class="{kind}"' if kind else ""
    return f"<{tag}{of} data-say{also}>{text(english)}</{tag}>"


def rows(title: str, pairs) -> str:
    """A table of two columns, names in the first."""
    cells = ((text(a), number(b) if isinstance(b, float) else b) for a, b in pairs)
    body = "".join(f'<tr><th scope="row">{a}</th>{both("td", b)}</tr>' for a, b in cells)
    return f"<table><caption>{text(title)}</caption><tbody>{body}</tbody></table>" if body else ""

"""Written parts of a page, as HTML."""

from __future__ import annotations

from html import escape

from .sentences import number


def text(x) -> str:
    return escape(str(x))


def small(x) -> str:
    return f"<small>{text(x)}</small>"


def rows(title: str, pairs) -> str:
    """A table of two columns, names in the first."""
    cells = ((text(a), text(number(b) if isinstance(b, float) else b)) for a, b in pairs)
    body = "".join(f'<tr><th scope="row">{a}</th><td>{b}</td></tr>' for a, b in cells)
    return f"<table><caption>{text(title)}</caption><tbody>{body}</tbody></table>" if body else ""

"""Written parts of a page, as HTML."""

from __future__ import annotations

from html import escape


def text(x) -> str:
    return escape(str(x))


def small(x) -> str:
    return f"<small>{text(x)}</small>"


def number(x) -> str:
    return f"{x:.6g}" if isinstance(x, float) else str(x)


def rows(title: str, pairs) -> str:
    """A table of two columns, names in the first."""
    body = "".join(
        f'<tr><th scope="row">{text(a)}</th><td>{text(number(b))}</td></tr>' for a, b in pairs
    )
    return f"<table><caption>{text(title)}</caption><tbody>{body}</tbody></table>" if body else ""

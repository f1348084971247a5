"""What results are looked at with.

Rooms that show results stand above results, which know none of them: the package's top says once
where a view is found, and a result asks for it by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from html import escape
from typing import Any

_FINDERS: list[Callable[[str], Callable]] = []


def offer(find: Callable[[str], Callable]) -> None:
    """Let `find(name)` give views; those offered last are asked."""
    _FINDERS.append(find)


def view(name: str) -> Callable:
    """The view of a name: "plot", "report", "view", "animate", "model_html", ..."""
    return _FINDERS[-1](name)


class PrintedAnswer:
    """What a call answers: in a console as `print` shows it, and arrays by their shape alone.

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> @dataclass(repr=False)
    ... class Motion(PrintedAnswer):
    ...     time: np.ndarray
    ...     over: float = 0.0
    >>> Motion(np.zeros(1000))
    Motion(time=array(1000), over=0.0)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        if type(self).__str__ is not object.__str__:
            return str(self)
        shown = (f for f in fields(self) if f.repr)  # type: ignore[arg-type]
        text = ", ".join(f"{f.name}={_short_field(getattr(self, f.name))}" for f in shown)
        return f"{type(self).__name__}({text})"


def _short_field(x: Any) -> str:
    """A field of an answer: arrays and tables by their shape."""
    if hasattr(x, "shape") and x.shape:
        return f"{'array' if type(x).__name__ == 'ndarray' else 'table'}({_format_shape(x.shape)})"
    if isinstance(x, tuple | list):
        return f"({', '.join(map(_short_field, x))})"
    return repr(x)


def _format_shape(shape: Iterable[int]) -> str:
    return " x ".join(map(str, shape))


def tabled(caption: str, heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as notebooks show it: HTML, every text escaped.

    >>> tabled("Modes", ["Hz"], [[1.5]])
    '<table><caption>Modes</caption><thead>...<tbody><tr><td>1.5</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(str(h))}</th>" for h in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_number(x))}</td>" for x in row) + "</tr>" for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<table><caption>{escape(caption)}</caption>{top}<tbody>{body}</tbody></table>"


def _number(x: object) -> str:
    """A cell: numbers to six figures with a true minus."""
    if isinstance(x, float):
        return f"{x + 0.0:.6g}".replace("-", "\N{MINUS SIGN}")
    return str(x)

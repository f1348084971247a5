"""Rows of named values that print as a table."""

from __future__ import annotations

from ..errors import needs
from ..views import tabled


class RowTable(list):
    """A list of dictionaries with the same keys.

    >>> print(RowTable([{"name": "k", "value": 200.0}, {"name": "mass", "value": 1.5}]))
    name  value
    k       200
    mass    1.5
    """

    def __str__(self):
        if not self:
            return "(empty)"
        heads = list(self[0])
        cells = [[_text(row[h]) for h in heads] for row in self]
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        right = [all(isinstance(row[h], int | float) for row in self) for h in heads]
        lines = [
            [h.rjust(w) if r else h.ljust(w) for h, w, r in zip(line, widths, right, strict=True)]
            for line in (heads, *cells)
        ]
        return "\n".join("  ".join(line).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        heads = list(self[0]) if self else []
        return tabled("", heads, ([row[h] for h in heads] for row in self))

    def to_pandas(self):
        """The same as a `pandas.DataFrame`."""
        with needs("tables", "to_pandas"):
            import pandas

        return pandas.DataFrame(list(self))


def _text(x) -> str:
    if isinstance(x, bool):
        return "yes" if x else "no"
    return f"{x:.6g}" if isinstance(x, float) else str(x)

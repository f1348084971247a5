"""Tables of curves: columns with units, as text and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..files import whole
from ..views import PrintedAnswer

if TYPE_CHECKING:
    import os


class DesignTable(PrintedAnswer):
    """Result with one array for each name in `units`, all of one length."""

    __slots__ = ()
    units: ClassVar[dict[str, str]] = {}

    def __str__(self):
        return self.table()

    def table(self) -> str:
        """Columns as text under their names and units.  Columns of NaN are left out."""
        names = [n for n in self.units if not np.isnan(getattr(self, n)).all()]
        columns = [
            [n, f"[{self.units[n]}]", *(f"{x + 0.0:.4f}" for x in np.ravel(getattr(self, n)))]
            for n in names
        ]
        widths = [max(map(len, c)) for c in columns]
        rows = zip(*columns, strict=True)
        return "\n".join(
            "  ".join(f"{x:>{w}}" for x, w in zip(row, widths, strict=True)) for row in rows
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the columns as CSV with units in the header."""
        head = ",".join(f"{n} [{unit}]" for n, unit in self.units.items())
        table = np.column_stack([getattr(self, n) for n in self.units])
        with whole(path) as partial:
            np.savetxt(partial, table, delimiter=",", header=head, comments="", fmt="%.10g")

"""What several laws on one line have together."""

from __future__ import annotations

from ..base import TableRows


def shift_tables(laws, first: int = 0) -> tuple[TableRows, ...]:
    """Lists of several laws whose memories follow each other."""
    out: list[TableRows] = []
    for law in laws:
        out += [TableRows(first + slot, rows) for slot, rows in law.lists()]
        first += len(law.memory)
    return tuple(out)


def named_extras(laws) -> tuple[tuple[str, str], ...]:
    """What several laws show, with the number of a law before a name that was taken."""
    named: dict[str, str] = {}
    for i, one in enumerate(laws, 1):
        for n, unit in one.extras:
            named[f"{i}.{n}" if n in named else n] = unit
    return tuple(named.items())

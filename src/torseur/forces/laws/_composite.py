"""What several laws on one line have together."""

from __future__ import annotations

from ..base import Listed


def shifted(laws, first: int = 0) -> tuple[Listed, ...]:
    """Lists of several laws whose memories follow each other."""
    out: list[Listed] = []
    for one in laws:
        out += [Listed(first + place, rows) for place, rows in one.lists()]
        first += len(one.memory)
    return tuple(out)


def named_extras(laws) -> tuple[tuple[str, str], ...]:
    """What several laws show, with the number of a law before a name that was taken."""
    named: dict[str, str] = {}
    for i, one in enumerate(laws, 1):
        for n, unit in one.extras:
            named[f"{i}.{n}" if n in named else n] = unit
    return tuple(named.items())

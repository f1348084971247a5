"""Patterns of signal names ("*.angle")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import filter as fitting

from ..errors import ArgumentError, TorseurError, shown, unknown_name_message


def matching(
    patterns: Iterable[str] | str, signals: Sequence[str], where: str = "trajectory"
) -> list[str]:
    """Names that match the patterns, in order, without duplicates.  No match raises an error.


    >>> matching(["*.angle", "a.rate"], ["a.angle", "a.rate", "b.angle"])
    ['a.angle', 'b.angle', 'a.rate']
    """
    out: dict[str, None] = {}
    wrong = []
    given = [patterns] if isinstance(patterns, str) else patterns
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise ArgumentError(
            f"{where}: expected names of signals such as {signals[-1:]}, got {shown(given)}"
        )
    for p in given:
        text = isinstance(p, str)
        found = [p] if text and p in signals else fitting(signals, p) if text else []
        if not found:
            wrong.append(unknown_name_message("signal", p, signals, where))
        out |= dict.fromkeys(found)
    if wrong:
        raise TorseurError("\n".join(wrong))
    return list(out)

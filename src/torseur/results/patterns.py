"""Names of signals by patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import filter as fitting

from ..errors import TorseurError, unknown_name


def matching(
    patterns: Iterable[str], signals: Sequence[str], where: str = "trajectory"
) -> list[str]:
    """Names that patterns stand for, in order, each once; one that has none is told (`where`).

    >>> matching(["*.angle", "a.rate"], ["a.angle", "a.rate", "b.angle"])
    ['a.angle', 'b.angle', 'a.rate']
    """
    out: dict[str, None] = {}
    wrong = []
    for p in patterns:
        found = [p] if p in signals else fitting(signals, str(p))
        if not found:
            wrong.append(unknown_name("signal", p, signals, where))
        out |= dict.fromkeys(found)
    if wrong:
        raise TorseurError("\n".join(wrong))
    return list(out)

"""Ratios to the peers are kept, and a program fails whose ratio fell by more than a third.

A program hands what it found to `record`; `bench.py` runs the programs one after the other,
compares each with `ratios.json` and ends with a failure if anything fell.  Ratios are "how many
times the peer's time is ours": absolute times move with the machine, these hardly.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE / "ratios.json"
FOUND = HERE.parent / "build" / "bench"
FALL = 1 / 3  # of what is kept


def record(program: str, ratios: dict[str, float]) -> None:
    """Leave the ratios of one program for `bench.py`; those without a peer are NaN."""
    FOUND.mkdir(parents=True, exist_ok=True)
    text = json.dumps({k: None if math.isnan(x) else round(x, 3) for k, x in ratios.items()})
    (FOUND / f"{program}.json").write_text(text, encoding="utf-8")


def row(*cells) -> str:
    """A row of a table of the pages."""
    return f"| {' | '.join(map(str, cells))} |"


def rule(columns: int) -> str:
    """What stands below the heads of a table."""
    return "|---" * columns + "|"


def read(path: Path) -> dict:
    """A table of ratios; empty where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def fallen(kept: dict[str, float], found: dict[str, float | None]) -> list[str]:
    """A sentence for each ratio that fell by more than a third, or is no number any more."""
    said = []
    for name, before in kept.items():
        now = found.get(name)
        if name not in found or now is None:
            continue  # its peer is not installed here: told by `missing`
        if not math.isfinite(now) or now < before * (1 - FALL):
            said.append(
                f"{name}: {now:.2f} times the peer, {before:.2f} kept: fell by "
                f"{100 * (1 - now / before):.0f} %, at most {100 * FALL:.0f} % are allowed"
            )
    return said


def missing(kept: dict[str, float], found: dict[str, float | None]) -> list[str]:
    """Ratios that are kept and were not measured now."""
    return [name for name in kept if found.get(name) is None]


def better(first: dict[str, float | None], again: dict[str, float | None]) -> dict:
    """The larger of what was found twice."""
    names = {**first, **again}
    pairs = {n: [x for x in (first.get(n), again.get(n)) if x is not None] for n in names}
    return {n: max(x, default=None) for n, x in pairs.items()}


def keep(
    program: str, found: dict[str, float | None], path: Path = KEPT, only_new: bool = False
) -> None:
    """Make what was found the table of this program; what was not measured stays.

    `only_new`: what was kept stays as well.
    """
    table = read(path)
    before = table.get(program, {})
    new = {k: x for k, x in found.items() if x is not None}
    own = new | before if only_new else before | new
    if not own:
        return
    made = json.dumps(table | {program: own}, indent=1, sort_keys=True) + "\n"
    part = path.with_suffix(".part")
    part.write_text(made, encoding="utf-8")
    os.replace(part, path)


def judged(program: str, found: dict[str, float | None], path: Path = KEPT) -> tuple[bool, str]:
    """Whether nothing fell, and what to say about it."""
    kept = read(path).get(program, {})
    bad, away = fallen(kept, found), missing(kept, found)
    new = sum(x is not None and n not in kept for n, x in found.items())
    words = [f"{program}: {len(kept) - len(away)} of {len(kept)} kept ratios compared"]
    words[0] += f", {new} new ones not kept (--add keeps them)" * bool(new)
    words += [f"  not measured here (peer not installed?): {', '.join(away)}"] if away else []
    words += [f"  FELL {line}" for line in bad]
    return not bad, "\n".join(words)

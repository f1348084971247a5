"""NHTSA's ASCII export: an EV5 header, and one file for each channel.

A header has sections between dashes, with fields between bars. Channel files hold a time [s] and a
value in the unit of the header's row.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Mapping

import numpy as np

from ...errors import TorseurError, shown
from ..criteria.metric_value import G0
from .records import Channel, Test

UNITS = {
    "G'S": (G0, "m/s^2"),
    "NWT": (1.0, "N"),
    "NWM": (1.0, "N m"),
    "MM": (1e-3, "m"),
    "DPS": (math.pi / 180, "rad/s"),
    "DP2": (math.pi / 180, "rad/s^2"),
    "KPH": (1 / 3.6, "m/s"),
    "MPS": (1.0, "m/s"),
    "KPA": (1e3, "Pa"),
    "VOL": (1.0, "V"),
    "AMP": (1.0, "A"),
    "NON": (1.0, "1"),
}
"""Code of a unit: factor to SI, unit in SI."""

FIELDS = 20  # of a row of instruments
SECTION = re.compile(r"-----\s*(\w+)\s*-*\s*$")
NO_DATA = {"NO": "it was not recorded", "ND": "no data", "CF": "the channel failed"}


def split_sections(text: str, where: str) -> dict[str, list[list[str]]]:
    """The sections of a header: name, and rows of fields."""
    rows: dict[str, list[list[str]]] = {}
    section = None
    for line in text.splitlines():
        if m := SECTION.match(line.strip()):
            section = rows.setdefault(m.group(1), [])
        elif line.strip() and not line.startswith("#") and section is not None:
            section.append([f.strip() for f in line.split("|")])
    if "EV5" not in rows or "TEST" not in rows or "INSTRUMENTATION" not in rows:
        missing = [s for s in ("EV5", "TEST", "INSTRUMENTATION") if s not in rows]
        raise TorseurError(
            f"{where} is no EV5 header: it lacks the section"
            f"{'s' * (len(missing) > 1)} {', '.join(missing)}"
        )
    if "END" not in rows:
        raise TorseurError(f"{where} breaks off: a whole EV5 header ends with '----- END ------'")
    return rows


def read_ev5(header: str, folder, where: str, name: str) -> Test:
    """The test of a header's text; `folder` reads the files beside it by name, or lists them."""
    sections = split_sections(header, where)
    test = sections["TEST"][0] if sections["TEST"] else []
    problems: list[str] = []
    if len(test) < 19:
        raise TorseurError(f"{where}: its TEST record has {len(test)} fields, a whole one 20")
    rows = []
    for row in sections["INSTRUMENTATION"]:
        rows.append(_row(row, where, problems))
    declared = _number(test[18])
    if declared is not None and declared != len(rows):
        problems.append(f"{where} announces {declared:g} channels and lists {len(rows)}")
    numbers = Counter(r.number for r in rows if r)
    if twice := sorted(n for n, count in numbers.items() if count > 1):
        problems.append(f"{where}: number {twice[0]} is given to several channels")
    vehicle = next(iter(sections.get("VEHICLE", ())), [])
    speed, mass = (_optional_number(row, i, label, where, problems)
                   for row, i, label in ((test, 14, "speed"), (vehicle, 10, "mass")))  # fmt: skip
    contents = {} if problems else {r.number: folder(_file(name, r)) for r in rows if r}
    channels = [] if problems else [_with_samples(r, contents, name, problems) for r in rows if r]
    files = {_file(name, r): contents[r.number] for r in rows if r and r.number in contents}
    problems += [] if problems else truncated_files(files)
    if problems:
        remainder = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        raise TorseurError("; ".join(problems[:5]) + remainder)
    return Test(
        name,
        test[1],
        tuple(channels),
        sections,
        speed / 3.6 if speed else None,
        mass or None,
        f"NHTSA, {where}",
    )


def _optional_number(row, i: int, label: str, where: str, problems) -> float | None:
    """A number of the header, where it has one."""
    text = row[i] if len(row) > i else ""
    number = _number(text)
    if text and (number is None or number < 0):
        rule = "no number" if number is None else "less than nothing"
        problems.append(f"{where}: its {label} is {shown(text)}, {rule}")
    return number


def _row(row, where, problems) -> Channel | None:
    who = f"{where}, row {shown('|'.join(row)[:40])}"
    if len(row) != FIELDS:
        problems.append(f"{who} has {len(row)} fields, not {FIELDS}")
        return None
    if not row[1].isdecimal():
        problems.append(f"{who}: its number is {row[1]!r}")
        return None
    if row[7] not in UNITS:
        problems.append(
            f"{where}: channel {row[1]} ({row[19]}) is in the unknown unit {row[7]!r} "
            f"(known: {', '.join(UNITS)})"
        )
        return None
    named = {"vehicle": 0, "occupant": 3, "filter": 8, "instrument": 9, "first": 14}
    named |= {"last": 15, "step": 16, "role": 18}
    extra = {name: row[i] for name, i in named.items()}
    return Channel(
        int(row[1]), row[2], row[4], row[5], row[7], row[17], row[19], UNITS[row[7]][1], extra
    )


def _file(name: str, row: Channel) -> str:
    return f"{name}.{row.number:03d}"


def truncated_files(contents: Mapping[str, str | None]) -> list[str]:
    """Sentences about files whose last line has no end, where those of the others have.

    >>> truncated_files({"a.001": "1.5\\n", "a.002": "1.", "a.003": None})
    ['a.002 is damaged: it breaks off in its last line']
    """
    is_complete = {n: t.endswith(("\n", "\r")) for n, t in contents.items() if t}
    if not any(is_complete.values()):
        return []
    return [f"{n} is damaged: it breaks off in its last line" for n, complete in is_complete.items()
            if not complete]  # fmt: skip


def _with_samples(row: Channel, contents, name: str, problems) -> Channel:
    """The row with its samples, or with the reason why it has none."""
    from dataclasses import replace

    file, text = _file(name, row), contents[row.number]
    if text is None:
        why = NO_DATA.get(row.status, f"its file {file} is missing")
        return replace(row, missing=f"status {row.status}: {why}")
    table = numbers(text)
    first, last, step = (_number(row.extra[k]) for k in ("first", "last", "step"))
    if table is None or table.size % 2:
        problems.append(f"{file} is damaged: it should hold pairs of a time and a value")
        return row
    table = table.reshape(-1, 2)
    if first is not None and last is not None and len(table) != last - first + 1:
        problems.append(
            f"{file} is damaged: it holds {len(table)} samples, the header announces "
            f"{last - first + 1:g}"
        )
        return row
    time = table[:, 0]
    if not np.isfinite(table).all() or (len(time) > 1 and not (np.diff(time) > 0).all()):
        problems.append(f"{file} is damaged: its times do not grow, or a sample is no number")
        return row
    if first is not None and step and abs(time[0] - first * step * 1e-6) > step * 1e-6:
        problems.append(
            f"{file} starts at {time[0]:g} s, the header says {first * step * 1e-6:g} s"
        )
        return row
    steps = np.arange(len(time)) * ((step or 0.0) * 1e-6)
    if step and abs(time - time[0] - steps).max(initial=0.0) > 0.5e-6 * step + 1e-6:
        at = int(abs(time - time[0] - steps).argmax())
        problems.append(f"{file} is damaged: its sample {at} is at {time[at]:g} s, by the header's "
                        f"step it should be at {time[0] + steps[at]:g} s")  # fmt: skip
        return row
    record = (time.copy(), table[:, 1] * UNITS[row.unit][0])
    for x in record:
        x.flags.writeable = False
    return replace(row, record=record)


def numbers(text: str) -> np.ndarray | None:
    """All numbers of a text, or None when it holds anything else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.fromstring(text, sep=" ")
        except (ValueError, DeprecationWarning):
            return None


def _number(text) -> float | None:
    """A finite number of a header."""
    try:
        x = float(text)
    except (TypeError, ValueError):
        return None
    return x if math.isfinite(x) else None

"""ISO-MME (ISO/TS 13499), reader and writer: header, channel list, channel files."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError
from ...files import place, whole, whole_folder
from ..criteria.metric_value import G0
from .nhtsa_ev5 import numbers, truncated_files
from .records import Channel, Test

LINE = re.compile(r"([^:]*[^:\s])\s*:(.*)")
CHANNEL = re.compile(r"\.(\d{3,})$")
DIMENSIONS = {
    "m/s^2": "AC",
    "N": "FO",
    "N m": "MO",
    "m": "DS",
    "rad/s": "AV",
    "rad/s^2": "AA",
    "rad": "AN",
    "m/s": "VE",
    "Pa": "PR",
    "V": "VO",
    "A": "CU",
    "s": "TI",
    "1": "00",
}
MEANT = {code: unit for unit, code in DIMENSIONS.items() if code != "00"}
UNITS = {"m/s^2": "m/(s*s)", "N m": "N*m", "rad/s^2": "rad/(s*s)"}
"""How ISO-MME writes a unit of SI, where it differs from us."""


def read_fields(lines) -> tuple[dict[str, str], int]:
    """Leading lines `name :value`, and how many lines they are."""
    values: dict[str, str] = {}
    for i, line in enumerate(lines):
        m = LINE.fullmatch(line.strip())
        if m is None and line.strip():
            return values, i
        if m:
            value = m.group(2).strip()
            values.setdefault(m.group(1).strip(), "" if value == "NOVALUE" else value)
    return values, len(lines)


def convert_to_si(unit: str, dimension: str, where: str) -> tuple[float, str]:
    """Factor to SI and the unit there, of a unit as ISO-MME files write it."""
    from ...scalars import units

    if unit in ("g", "G") and dimension == "AC":
        return G0, "m/s^2"
    if unit in ("", "1", "-"):
        return 1.0, "1"
    text = unit.replace("(s*s)", "s^2").replace("*", " ")
    try:
        found = units.unit(text)
        for name in DIMENSIONS:
            if (
                name != "1"
                and units.unit(name).dimension == found.dimension
                and ("rad" in name) == (found.turns > 0 or "rad" in text)
            ):
                return float(found.factor) * np.pi**found.turns, name
    except ValueError:
        pass
    raise TorseurError(
        f"{where}: unknown unit {unit!r}; known are m/(s*s), g, N, kN, N*m, m, mm, "
        "rad/s, deg/s, m/s, km/h, Pa, V, A, s and their multiples"
    )


def read_mme(header: str, files, text, head) -> Test:
    """The test of an .mme header's text; `text` reads one of `files`."""
    info, used = read_fields(header.splitlines())
    if not info or used < len(header.splitlines()):
        raise TorseurError(f"{head.name} is no ISO-MME header: expected lines 'name :value'")
    rows, problems = [], []
    found = {
        int(m.group(1)): p
        for p in files
        if (m := CHANNEL.search(p.name)) and p.name[: m.start()].lower() == head.stem.lower()
    }
    contents = {number: text(found[number]) for number in sorted(found)}
    for number, content in contents.items():
        try:
            rows.append(_read_channel(number, content, found[number].name))
        except TorseurError as e:
            problems.append(str(e))
    problems += [] if problems else truncated_files({found[n].name: x for n, x in contents.items()})
    listed = next((p for p in files if p.suffix.lower() == ".chn"), None)
    if listed:
        problems += _list_channels(
            read_fields(text(listed).splitlines())[0], listed.name, found, rows
        )
    elif not found:
        problems.append(f"{head.name}: no channel file is beside it (such as {head.stem}.001)")
    for key in ("Velocity test object 1", "Mass test object 1"):
        x = _header_number(info.get(key))
        if info.get(key) and x is None:
            problems.append(f"{head.name}: {key!r} is {info[key]!r}, no number")
        elif key.startswith("Mass") and x is not None and x < 0:
            problems.append(f"{head.name}: {key!r} is {info[key]!r}, less than nothing")
    if problems:
        remainder = f" (and {len(problems) - 5} more)" if len(problems) > 5 else ""
        raise TorseurError("; ".join(problems[:5]) + remainder)
    return Test(
        info.get("Laboratory test reference number") or head.stem,
        info.get("Title", ""),
        tuple(_with_time_channel(r, rows) for r in rows),
        {"MME": info},
        _header_number(info.get("Velocity test object 1")),
        _header_number(info.get("Mass test object 1")) or None,
        f"ISO-MME, {head.name}",
    )


def _list_channels(declared, where: str, numbers, rows):
    """Sentences where the list of channels and their files differ."""
    count = declared.get("Number of channels", "")
    if not count.isdecimal():
        yield f"{where}: 'Number of channels' is {count!r}, no number"
    elif int(count) != len(numbers):
        yield f"{where} announces {count} channels, but {len(numbers)} files are there"
    for row in rows:
        line = declared.get(f"Name of channel {row.number:03d}", "")
        code = line.partition("/")[0].strip()
        if len(code) == 16 and code != row.extra["code"]:
            yield f"{where}: channel {row.number} is {code}, its file says {row.extra['code']}"


def _header_number(text) -> float | None:
    """A finite number of a header."""
    try:
        x = float(text)
    except (TypeError, ValueError):
        return None
    return x if np.isfinite(x) else None


def _read_channel(number: int, content: str, where: str) -> Channel:
    lines = content.splitlines()
    info, used = read_fields(lines)
    code = info.get("Channel code", "")
    if len(code) != 16:
        raise TorseurError(f"{where}: its channel code {code!r} has {len(code)} characters, not 16")
    factor, unit = convert_to_si(info.get("Unit", ""), code[12:14], where)
    if (meant := MEANT.get(code[12:14].upper(), unit)) != unit:
        raise TorseurError(f"{where}: its code {code!r} is of {meant}, its unit is "
                           f"{info.get('Unit', '') or 'missing'!r}")  # fmt: skip
    values = numbers("\n".join(lines[used:]).replace("NOVALUE", "nan"))
    declared = info.get("Number of samples", "")
    if not declared.isdecimal():
        raise TorseurError(f"{where}: its number of samples is {declared!r}, so that nobody knows "
                           "whether it is whole")  # fmt: skip
    if values is None or int(declared) != values.size:
        contents = "text" if values is None else f"{values.size} samples"
        raise TorseurError(
            f"{where} is damaged: it holds {contents}, its header announces {declared or 'numbers'}"
        )
    start, step = (
        _header_number(info.get("Time of first sample")),
        _header_number(info.get("Sampling interval")),
    )
    time = None
    if info.get("Reference channel", "implicit").lower() != "explicit":
        if step is None or step <= 0:
            raise TorseurError(f"{where}: no sampling interval, so its times are unknown")
        if start is None:
            text_value = info.get("Time of first sample", "")
            raise TorseurError(
                f"{where}: its time of first sample is {text_value!r}, so its times are unknown"
            )
        time = start + step * np.arange(values.size)
    extra = {"code": code, "filter": code[15], "reference": info.get("Reference channel name", "")}
    row = Channel(
        number,
        code[12:14],
        code[2:12].rstrip("0"),
        code[14],
        info.get("Unit", ""),
        "OK",
        info.get("Name of the channel", ""),
        unit,
        extra,
        (time, values * factor),
    )
    if not np.isfinite(values).all():
        row = replace(
            row,
            record=None,
            status="NOVALUE",
            missing=f"{int((~np.isfinite(values)).sum())} of its samples are NOVALUE",
        )
    return row


def _with_time_channel(row: Channel, rows) -> Channel:
    """The row with the times of its reference channel, where it has one."""
    if row.record is None or row.record[0] is not None:
        return row
    name = row.extra["reference"]
    named = next((r for r in rows if r.extra["code"] == name and r.record is not None), None)
    if named is None or named.record[1].size != row.record[1].size:
        raise TorseurError(
            f"channel {row.number} ({row.label}) takes its times from {name!r}, "
            "which is missing or of another length"
        )
    if not (np.diff(named.record[1]) > 0).all():
        raise TorseurError(f"channel {row.number} ({row.label}): the times of {name!r} do not grow")
    return replace(row, record=(named.record[1], row.record[1]))


def write_test(test: Test, path: str | PathLike[str]) -> None:
    """Write a test as ISO-MME: a folder, or a zip when the name ends so; whole or not at all.

    Rows without data are left out, the others keep their numbers.  Codes of other formats become
    ISO codes as far as they say the same; places keep their own letters.  Values are written in SI,
    exactly.
    """
    path = place(path)
    rows = [r for r in test.rows if r.record is not None]
    if not rows:
        raise ArgumentError(f"test {test.name} has no channel with data to write")
    if path.suffix.lower() != ".zip" and path.exists():
        raise ArgumentError(f"{path} exists already; give the name of a new folder or of a zip")
    if path.suffix.lower() == ".zip":
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(_channel_files(test, rows)):
                archive.writestr(str(name), content)
        return
    with whole_folder(path) as work:
        for name, content in _channel_files(test, rows):
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(content, encoding="utf-8")


def _channel_files(test: Test, rows):
    name = re.sub(r"[^\w.-]", "_", test.name)
    head = {
        "Data format edition number": "1.6",
        "Laboratory test reference number": name,
        "Title": test.title or "NOVALUE",
        "Number of test objects": "1",
        "Velocity test object 1": _text(test.speed),
        "Mass test object 1": _text(test.mass),
        "Comments": test.source or "NOVALUE",
    }
    yield f"{name}.mme", _lines(head)
    channels = []
    extra: list[tuple[Any, ...]] = []
    used: set[str] = set()
    numbers = [r.number for r in rows]
    unique = len({*numbers}) == len(numbers) and min(numbers) > 0
    numbered = numbers if unique else range(1, len(rows) + 1)
    last = max(numbered)
    for i, row in zip(numbered, rows, strict=True):
        code = _free_code(channel_code(row), used)
        channels.append((i, code, row, *_times(row, last + len(extra) + 1, extra)))
    channels += [(x[1].number, *x) for x in extra]
    listed = {"Number of channels": str(len(channels))}
    for i, code, row, *_ in channels:
        listed[f"Name of channel {i:03d}"] = f"{code} / {row.label}"
    yield f"Channel/{name}.chn", _lines(listed)
    for i, code, row, timing, values in channels:
        info = {
            "Test object number": "1",
            "Name of the channel": row.label or "NOVALUE",
            "Channel code": code,
            "Unit": UNITS.get(row.si_unit, row.si_unit),
            **timing,
            "Number of samples": str(values.size),
        }
        yield f"Channel/{name}.{i:03d}", _lines(info) + "\n".join(map(repr, values.tolist())) + "\n"


def _times(row: Channel, number: int, extra):
    time, values = row.record
    step = (time[-1] - time[0]) / max(time.size - 1, 1)
    even = abs(time - (time[0] + step * np.arange(time.size))).max() < 1e-9
    if even:
        return {
            "Reference channel": "implicit",
            "Reference channel name": "NOVALUE",
            "Time of first sample": repr(float(time[0])),
            "Sampling interval": repr(float(step)),
        }, values
    code = f"00TIRS{number:06d}TI00"
    moments = Channel(number, "TI", "TIRS", "0", "s", "OK", f"time of {row.label}", "s")
    counted = {
        "Reference channel": "implicit",
        "Time of first sample": "0",
        "Sampling interval": "1",
    }
    extra.append((code, moments, counted, time))
    return {"Reference channel": "explicit", "Reference channel name": code}, values


def _free_code(code: str, used: set[str]) -> str:
    """The channel code, made unique by a number in its last location letters."""
    free, n = code, 1
    while free in used:
        n += 1
        free = f"{code[:10]}{np.base_repr(n, 36).rjust(2, '0')}{code[12:]}"
    used.add(free)
    return free


def channel_code(row: Channel) -> str:
    """The 16 characters of a channel: object, position, location, dimension, direction, filter."""
    if "code" in row.extra:
        return row.extra["code"]
    test_object = {"0": "B"}.get(
        row.extra.get("vehicle", ""), row.extra.get("vehicle", "0")[:1] or "0"
    )
    seat = {"01": "1", "02": "3"}.get(row.extra.get("occupant", ""), "0")
    location = re.sub(r"[^A-Z0-9]", "0", row.location.upper())[:10].ljust(10, "0")
    axis = row.axis[:1] if row.axis[:1] in ("X", "Y", "Z") else "0"
    return f"{test_object}{seat}{location}{DIMENSIONS.get(row.si_unit, '00')}{axis}0"


def _lines(info) -> str:
    return "".join(f"{name:<33}:{value}\n" for name, value in info.items())


def _text(x) -> str:
    return "NOVALUE" if x is None else repr(float(x))

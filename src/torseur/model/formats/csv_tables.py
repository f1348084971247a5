"""Tables of numbers in CSV files: headings, then rows; every fault with its file and row."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...errors import ArgumentError, said, shown
from ...files import noted, place
from ...scalars import units
from .document_tree import decode_utf8
from .force_nodes import split

MAX_FILE_BYTES = 400_000_000
MAX_NUMBERS = 50_000_000
MAX_COLUMNS = 10_000


def read_table(
    path: Path, used: Callable[[str], bool] | None = None, blank: bool = False
) -> tuple[list[str], np.ndarray]:
    """Headings and numbers (rows, columns) of a .csv or .csv.gz file.

    Columns whose heading is not `used` may hold anything; their numbers, and where `blank` is True
    those of empty cells, are NaN.  Lines that begin with # are left out.  A file without rows, rows
    of other lengths, two columns of one name, words among numbers and files beyond all measure
    (400 MB, 50 million numbers, 10 000 columns) are an `ArgumentError` that says which row.
    """
    path = place(path)
    rows = csv.reader(_read_table_text(path).splitlines())
    try:
        headings = [h.strip() for h in next((r for r in rows if _has_cells(r)), [])]
        if len(headings) > MAX_COLUMNS:
            raise ArgumentError(
                f"{path}: {len(headings)} columns; at most {MAX_COLUMNS} are read: leave out "
                "what is not used"
            )
        names = Counter(split(h)[0] for h in headings if h)
        if twice := [n for n, count in names.items() if count > 1]:
            raise ArgumentError(f"{path}: two columns are named {shown(twice[0])}; rename one")
        is_used = [used is None or used(h) for h in headings]
        return headings, _parse_numbers(path, rows, is_used, blank)
    except csv.Error:
        raise ArgumentError(
            f"{path}, line {rows.line_num}: not a table: a cell is longer than any number, or "
            "holds a zero byte; check its quotes"
        ) from None


def column(head: str, numbers: np.ndarray, target_unit: str, where: str) -> np.ndarray:
    """Numbers of a column in the unit `target_unit`, from the unit in its heading.

    >>> column("x [mm]", np.array([1.0, 500.0]), "m", "rail.csv")
    array([0.001, 0.5  ])
    """
    unit = split(head)[1]
    if unit in ("", "1", target_unit):
        return numbers
    try:
        zero, one = (units.floating(f"{k} {unit}", target_unit) for k in (0, 1))
    except ValueError as e:
        raise ArgumentError(f"{where}, column {head!r}: {said(e)}") from None
    return zero + (one - zero) * numbers


def _read_table_text(path: Path) -> str:
    """The text of a file, unpacked."""
    try:
        open_file = gzip.open if path.suffix.lower() == ".gz" else open
        with open_file(noted(path), "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ArgumentError(f"{path}: no such file; check the path") from None
    except (OSError, EOFError, zlib.error):
        remedy = "it is no whole .gz file" if path.suffix.lower() == ".gz" else "check the path"
        raise ArgumentError(f"{path}: cannot be read; {remedy}") from None
    if len(data) > MAX_FILE_BYTES:
        raise ArgumentError(
            f"{path}: longer than {MAX_FILE_BYTES // 1_000_000} MB; give fewer rows, or arrays"
        )
    return decode_utf8(data, str(path), ArgumentError)


def _has_cells(row: list[str]) -> bool:
    """Whether a row is more than an empty line or a comment."""
    return any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#")


def _parse_numbers(path: Path, rows, used: list[bool], blank: bool) -> np.ndarray:
    out: list[float] = []
    width = len(used)
    for row in filter(_has_cells, rows):
        where = f"{path}, line {rows.line_num}"
        if len(row) != width:
            raise ArgumentError(f"{where}: {len(row)} numbers under {width} headings")
        if len(out) > MAX_NUMBERS:
            raise ArgumentError(f"{where}: more than {MAX_NUMBERS} numbers; give fewer rows")
        for j, cell in enumerate(row):
            if not used[j] or (blank and not cell.strip()):
                out.append(np.nan)
                continue
            try:
                out.append(float(cell))
            except ValueError:
                remedy = "; separate columns by commas" if width == 1 and ";" in cell else ""
                raise ArgumentError(
                    f"{where}, column {j + 1}: expected a number, got {shown(cell)}{remedy}"
                ) from None
    if not out:
        raise ArgumentError(f"{path}: expected headings and, below them, rows of numbers")
    return np.array(out).reshape(-1, width)

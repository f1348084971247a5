"""Tables of numbers in CSV files: headings, then rows; every fault with its file and row."""

from __future__ import annotations

import csv
import gzip
import zlib
from pathlib import Path

import numpy as np

from ...errors import ArgumentError, shown
from .nodes import decoded

MOST_TABLE = 400_000_000
MOST_NUMBERS = 50_000_000
MOST_COLUMNS = 10_000


def read_table(path: Path) -> tuple[list[str], np.ndarray]:
    """Headings and numbers (rows, columns) of a .csv or .csv.gz file.

    A file without rows, rows of other lengths, words among numbers and files beyond all measure
    (400 MB, 50 million numbers, 10 000 columns) are an `ArgumentError` that says which row.
    """
    path = Path(path)
    rows = csv.reader(_text(path).splitlines())
    try:
        heads = [h.strip() for h in next(rows, [])]
        if len(heads) > MOST_COLUMNS:
            raise ArgumentError(
                f"{path}: {len(heads)} columns; at most {MOST_COLUMNS} are read: leave out "
                "what is not used"
            )
        return heads, _numbers(path, rows, len(heads))
    except csv.Error:
        raise ArgumentError(
            f"{path}, line {rows.line_num}: not a table: a cell is longer than any number, or "
            "holds a zero byte; check its quotes"
        ) from None


def _text(path: Path) -> str:
    """The text of a file, unpacked."""
    try:
        opened = gzip.open if path.suffix.lower() == ".gz" else open
        with opened(path, "rb") as file:
            data = file.read(MOST_TABLE + 1)
    except FileNotFoundError:
        raise ArgumentError(f"{path}: no such file; check the path") from None
    except (OSError, EOFError, zlib.error):
        what = "it is no whole .gz file" if path.suffix.lower() == ".gz" else "check the path"
        raise ArgumentError(f"{path}: cannot be read; {what}") from None
    if len(data) > MOST_TABLE:
        raise ArgumentError(
            f"{path}: longer than {MOST_TABLE // 1_000_000} MB; give fewer rows, or arrays"
        )
    return decoded(data, str(path), ArgumentError)


def _numbers(path: Path, rows, width: int) -> np.ndarray:
    out: list[float] = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        where = f"{path}, line {rows.line_num}"
        if len(row) != width:
            raise ArgumentError(f"{where}: {len(row)} numbers under {width} headings")
        if len(out) > MOST_NUMBERS:
            raise ArgumentError(f"{where}: more than {MOST_NUMBERS} numbers; give fewer rows")
        for j, cell in enumerate(row):
            try:
                out.append(float(cell))
            except ValueError:
                raise ArgumentError(
                    f"{where}, column {j + 1}: expected a number, got {shown(cell)}"
                ) from None
    if not out:
        raise ArgumentError(f"{path}: expected headings and, below them, rows of numbers")
    return np.array(out).reshape(-1, width)

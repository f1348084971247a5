"""Forces and tables in a model file: a law with its line of action, curves inline or from CSV."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Sequence

from ...errors import ModelError, ModelWarning, said
from ...forces import Law, line as lines
from ...scalars import units
from .deserialize import find_unit_index
from .document_tree import MAX_NUMBERS, FileNode, parse_scalar, read_text
from .schema import force_section_types, specs, type_name

MAX_COLUMNS = 1000


def read_force(reader, node: FileNode, path: str):
    """A force: `type` names a line of action with a `law`, or a law with a line of action."""
    cls = reader.chosen(node, path, force_section_types())
    if cls is None:
        return None
    if not issubclass(cls, Law):
        return _build_on_line(reader, cls, node, lambda: reader.build(node, path, cls))
    line = next((c for c in lines.values() if c.key and c.key in node.value), None)
    if line is None:
        return reader.complain(
            node,
            path,
            f"the law {type_name(cls)!r} needs to know where it "
            "acts: 'between: [a, b]', 'joint: name' or 'frame: name'",
        )
    law_nodes = {k: n for k, n in node.value.items() if k in specs(cls) and k != "name"}
    rest = {k: n for k, n in node.value.items() if k not in law_nodes and k != "type"}
    field_names = [*specs(cls), *specs(line), line.key]
    if line.key not in specs(line):  # one key for both ends, the fields after the name
        ends_node, first, second = rest.pop(line.key), *list(specs(line))[1:3]
        if not isinstance(ends_node.value, list) or len(ends_node.value) != 2:
            return reader.complain(ends_node, f"{path}.{line.key}", "expected two ends: [a, b]")
        rest[first], rest[second] = ends_node.value
    law_node = FileNode(law_nodes, node.line)
    law = _build_on_line(
        reader, line, node, lambda: reader.build(law_node, path, cls, field_names=field_names)
    )
    if law is None:
        return None
    return reader.build(
        FileNode(rest, node.line), path, line, extra={"law": law}, field_names=field_names
    )


def _build_on_line(reader, line, node, build):
    """What `build` makes, numbers of laws being on an angle or on a length as the line is."""
    named = ("joint", "coordinate")
    joint, coordinate = (node.value[n].value if n in node.value else None for n in named)
    reader.side = find_unit_index(line, joint, coordinate, reader.moving)
    try:
        return build()
    finally:
        reader.side = None


def read_columns(reader, node: FileNode, path: str, options):
    """A table as a mapping of columns, or as `csv: file` (with `read_columns:` when it has more).

    >>> from pathlib import Path
    >>> from torseur.model.formats.document_tree import parse
    >>> from torseur.model.formats.yaml_reader import Reader
    >>> tree, _ = parse("{d: [0, 15 mm], F: [0, 90 kN]}", "m.yaml")
    >>> read_columns(Reader(Path("m.yaml")), tree, "points", (("m", "N"),))
    ((0, 0), (0.015, 90000))
    """
    column_nodes = node.value
    if "csv" in column_nodes:
        column_nodes = read_csv_columns(reader, node, path)
        if column_nodes is None:
            return None
    column_count = len(options[0])
    if len(column_nodes) != column_count or not all(
        isinstance(n.value, list) for n in column_nodes.values()
    ):
        return reader.complain(
            node,
            path,
            f"expected {column_count} columns, each a list of numbers, or 'csv: file.csv'",
        )
    lengths = {name: len(n.value) for name, n in column_nodes.items()}
    if len(set(lengths.values())) != 1:
        lengths_text = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        return reader.complain(node, path, f"columns of different lengths: {lengths_text}")
    out = []
    for j, (name, n) in enumerate(column_nodes.items()):
        column_units = tuple(o[j] for o in options)
        out.append(
            [reader.number(e, f"{path}.{name}[{i}]", column_units) for i, e in enumerate(n.value)]
        )
    return tuple(zip(*out, strict=True))


def read_csv_columns(reader, node, path) -> dict[str, FileNode] | None:
    """Columns of a CSV file; a header such as "force [kN]" gives the unit."""
    for key, n in node.value.items():
        if key not in ("csv", "columns"):
            return reader.complain(n, f"{path}.{key}", "beside 'csv' only 'columns' is known")
    file_node = node.value["csv"]
    full = reader.inside(file_node, f"{path}.csv", (".csv", ".txt"))
    if full is None:
        return None
    try:
        text = read_text(full)
    except ModelError as e:
        reader.problems += e.problems
        return None
    try:
        rows = list(read_csv_rows(text))
    except ValueError as e:
        return reader.complain(file_node, f"{path}.csv", said(e))
    if not rows:
        return reader.complain(file_node, f"{path}.csv", "the file is empty")
    if len(rows[0]) > MAX_COLUMNS:
        return reader.complain(
            file_node,
            f"{path}.csv",
            f"the file has {len(rows[0])} columns; at most {MAX_COLUMNS} are read: leave out what "
            "is not used",
        )
    header = None
    if not any(isinstance(parse_scalar(cell), int | float) for cell in rows[0]):
        header, rows = rows[0], rows[1:]
    first = header or [str(i + 1) for i in range(len(rows[0]))]
    try:
        names, column_units = zip(*(parse_heading(cell) for cell in first), strict=True)
    except ValueError as e:
        return reader.complain(file_node, f"{path}.csv", f"first line: {said(e)}")
    columns_node = node.value.get("columns")
    picked = (
        [str(e.value) for e in columns_node.value]
        if columns_node and isinstance(columns_node.value, list)
        else names
    )
    out = {}
    for name in picked:
        if name not in names:
            return reader.complain(
                columns_node,
                f"{path}.columns",
                f"no column {name!r}; the file has {', '.join(map(repr, names))}",
            )
        j = names.index(name)
        cells = []
        for i, row in enumerate(rows):
            x = parse_scalar(row[j]) if j < len(row) else None
            if not isinstance(x, int | float) or isinstance(x, bool):
                got = repr(row[j]) if j < len(row) else "nothing"
                return reader.complain(
                    file_node,
                    f"{path}.csv",
                    f"row {i + 1}, column {name!r}: expected a number, got {got}",
                )
            cells.append(
                FileNode(f"{row[j]} {column_units[j]}" if column_units[j] else x, file_node.line)
            )
        out[name] = FileNode(cells, file_node.line)
    bare = [n for n in picked if not column_units[names.index(n)]]
    without_units(full.name, bare, headed=header is not None)
    return out


def without_units(
    file: str, bare: Sequence[str], headed: bool = True, like: str = "force [kN]"
) -> None:
    """Tell that columns of a file are read as SI because nothing there says otherwise."""
    listed = ", ".join(map(repr, bare))
    why = (
        f"column {listed} has no unit in its heading, so its numbers are read as SI; write it as "
        f"{like!r}"
        if headed
        else "there is no line of headings, so its numbers are read as SI (m, rad, N, N m, s); "
        "write a first line such as 'x [mm],force [kN]'"
    )
    if bare:
        warnings.warn(f"{file}: {why}", ModelWarning, stacklevel=3)


_HEADING = re.compile(r"(.*?)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))")


def read_csv_rows(text: str):
    """Rows of a CSV text, comments and empty ones left out; `ValueError` when it is none."""
    count = 0
    try:
        for row in csv.reader(io.StringIO(text)):
            count += len(row)
            if count > MAX_NUMBERS:
                raise ValueError(f"more than {MAX_NUMBERS} numbers")
            if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#"):
                yield [cell.strip() for cell in row]
    except csv.Error:
        raise ValueError(
            "not a table: a cell is longer than any number, or holds a zero byte; check its quotes"
        ) from None


def parse_heading(cell: str) -> tuple[str, str]:
    """Name and unit of a column; the unit stands in brackets or parentheses at the end.

    >>> parse_heading("force [kN]"), parse_heading("crush (mm)"), parse_heading("x")
    (('force', 'kN'), ('crush', 'mm'), ('x', ''))
    """
    name, unit = split(cell)
    if unit:
        units.unit(unit)
    return name, unit


def split(cell: str) -> tuple[str, str]:
    """Name of a column, and what stands in its brackets, a unit or not."""
    match = _HEADING.fullmatch(cell.strip())
    if not match:
        return cell.strip(), ""
    return match[1].strip() or cell, (match[2] or match[3] or "").strip()


__all__ = ["parse_heading", "read_columns", "read_csv_rows", "read_force", "split", "without_units"]

"""Design sections of a model file as plain data with line numbers.

`torseur.robots.design` interprets them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from .document_tree import FileNode, parse, read_text
from .schema import DESIGN_SECTIONS

if TYPE_CHECKING:
    from .yaml_reader import Reader


def read_design(reader: Reader, top: dict[str, FileNode]) -> dict[str, Any]:
    """Design sections as plain data; the line of each value goes to the reader's `source`."""
    out = {}
    for section in DESIGN_SECTIONS:
        if section not in top or top[section].value is None:
            continue
        node = top[section]
        if section == "catalog" and isinstance(node.value, str):
            node = _read_catalog_file(reader, node) or node
        if not isinstance(node.value, dict):
            reader.wrong(node, section, "a mapping")
            continue
        node = _expand_csv_tables(reader, node, section)
        record_lines(reader.source, f"{reader.path.name}, line ", node, section)
        out[section] = node.plain()
    return out


def record_lines(source: dict[str, str], head: str, node: FileNode, path: str) -> None:
    """Note the line of every value that has a name."""
    source[path] = f"{head}{node.line}"
    if isinstance(node.value, dict):
        for key, n in node.value.items():
            record_lines(source, head, n, f"{path}.{key}")
    elif isinstance(node.value, list):
        for i, n in enumerate(node.value):
            if isinstance(n.value, dict | list):
                record_lines(source, head, n, f"{path}[{i}]")


def _read_catalog_file(reader: Reader, node: FileNode) -> FileNode | None:
    """The tree of a catalog in a separate file."""
    full = reader.inside(node, "catalog", (".yaml", ".yml", ".json"))
    if full is None:
        return None
    try:
        tree, problems = parse(read_text(full), full.name, json_text=full.suffix.lower() == ".json")
    except ModelError as e:
        problems, tree = list(e.problems), None
    reader.problems += problems
    return tree


def _expand_csv_tables(reader: Reader, node: FileNode, path: str) -> FileNode:
    """The tree with every `csv: file` replaced by its columns."""
    from .force_nodes import read_csv_columns

    if isinstance(node.value, list):
        items = [_expand_csv_tables(reader, n, f"{path}[{i}]") for i, n in enumerate(node.value)]
        return FileNode(items, node.line)
    if not isinstance(node.value, dict):
        return node
    if "csv" in node.value:
        return FileNode(read_csv_columns(reader, node, path) or {}, node.line)
    return FileNode(
        {k: _expand_csv_tables(reader, n, f"{path}.{k}") for k, n in node.value.items()}, node.line
    )


def merge_sections(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Update sections in place; for equal names the new value counts."""
    for name, x in new.items():
        both = isinstance(x, dict) and isinstance(old.get(name), dict)
        old[name] = old[name] | x if both else x

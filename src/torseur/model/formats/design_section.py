"""Sections of a robot's design in a model file: plain data with places; files beside are read in.

What they mean is said by the room that designs (`ts.robots.design`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from .document_tree import FileNode, parse, read_text
from .schema import DESIGN

if TYPE_CHECKING:
    from .yaml_reader import Reader


def read_design(reader: Reader, top: dict[str, FileNode]) -> dict[str, Any]:
    """Sections of a design as plain data; where each value stands goes to the reader's `source`."""
    out = {}
    for section in DESIGN:
        if section not in top or top[section].value is None:
            continue
        node = top[section]
        if section == "catalog" and isinstance(node.value, str):
            node = _beside(reader, node) or node
        if not isinstance(node.value, dict):
            reader.wrong(node, section, "a mapping")
            continue
        node = _tables(reader, node, section)
        places(reader.source, f"{reader.path.name}, line ", node, section)
        out[section] = node.plain()
    return out


def places(source: dict[str, str], head: str, node: FileNode, path: str) -> None:
    """Note the line of every value that has a name."""
    source[path] = f"{head}{node.line}"
    if isinstance(node.value, dict):
        for key, n in node.value.items():
            places(source, head, n, f"{path}.{key}")
    elif isinstance(node.value, list):
        for i, n in enumerate(node.value):
            if isinstance(n.value, dict | list):
                places(source, head, n, f"{path}[{i}]")


def _beside(reader: Reader, node: FileNode) -> FileNode | None:
    """The tree of a catalog in a file of its own."""
    full = reader.inside(node, "catalog", (".yaml", ".yml", ".json"))
    if full is None:
        return None
    try:
        tree, told = parse(read_text(full), full.name, json_text=full.suffix.lower() == ".json")
    except ModelError as e:
        told, tree = list(e.problems), None
    reader.problems += told
    return tree


def _tables(reader: Reader, node: FileNode, path: str) -> FileNode:
    """The tree with every `csv: file` as columns."""
    from .force_nodes import from_csv

    if isinstance(node.value, list):
        found = [_tables(reader, n, f"{path}[{i}]") for i, n in enumerate(node.value)]
        return FileNode(found, node.line)
    if not isinstance(node.value, dict):
        return node
    if "csv" in node.value:
        return FileNode(from_csv(reader, node, path) or {}, node.line)
    return FileNode(
        {k: _tables(reader, n, f"{path}.{k}") for k, n in node.value.items()}, node.line
    )


def merged(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Sections put together: of one name the later counts."""
    for name, x in new.items():
        both = isinstance(x, dict) and isinstance(old.get(name), dict)
        old[name] = old[name] | x if both else x

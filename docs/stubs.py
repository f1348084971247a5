"""Stubs of the rooms that hold registers: `python docs/stubs.py` writes them, a test compares.

Lines about elements come from the registers; all others are kept as they are.
"""

import ast
import sys
from importlib import import_module
from pathlib import Path

ROOMS = {
    "constraints": ("base.constraint",),
    "forces": ("base.law", "base.line"),
    "joints": ("base.joint",),
}


def elements(room: str) -> dict[str, str]:
    """File of every element of a room's registers, by name."""
    found = {}
    for place in ROOMS[room]:
        file, register = place.split(".")
        for name, element in getattr(import_module(f"torseur.{room}.{file}"), register).items():
            if element.__module__.startswith(f"torseur.{room}."):
                found[name] = element.__module__.removeprefix(f"torseur.{room}.")
    return found


def stub_path(room: str) -> Path:
    return Path(import_module(f"torseur.{room}").__file__).with_suffix(".pyi")


def listed(room: str) -> dict[str, str]:
    """File of every name that the stub of a room imports from the room."""
    tree = ast.parse(stub_path(room).read_text(encoding="utf-8"))
    return {
        name.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def written(room: str) -> str:
    """The text that a stub should have."""
    text, held = stub_path(room).read_text(encoding="utf-8"), elements(room)
    folders = {file.rpartition(".")[0] for file in held.values()}
    lines, others = [f"from .{file} import {n} as {n}" for n, file in held.items()], []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ImportFrom):
            others.append(ast.get_source_segment(text, node))
            continue
        for name in node.names:
            gone = node.module.rpartition(".")[0] in folders - {""} and name.name not in held
            if name.name not in held and not gone:
                lines.append(f"from .{node.module} import {name.name} as {name.name}")
    return "\n".join(sorted(lines) + ([""] if others else []) + others) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    for room in ROOMS:
        stub_path(room).write_text(written(room), encoding="utf-8")
        print(stub_path(room))

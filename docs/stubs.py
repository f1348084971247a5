"""Stubs of the package and of rooms that hold registers: `python docs/stubs.py` writes them.

A test compares them with what rooms export.

Lines about elements come from the registers; all others are kept as they are.
"""

import ast
import subprocess
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
    return Path(import_module(f"torseur.{room}".rstrip(".")).__file__).with_suffix(".pyi")


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
            folder, _, file = node.module.rpartition(".")
            element = folder in folders - {""} and not file.startswith("_")  # gone, or held
            if name.name not in held and not element:
                lines.append(f"from .{node.module} import {name.name} as {name.name}")
    return "\n".join(sorted(lines) + ([""] if others else []) + others) + "\n"


def public() -> dict[str, str]:
    """Room of every name of the package itself; a room's own name has none."""
    import torseur

    homes = {n: torseur._room_of(n) for n in torseur.__dir__()}
    return {n: room for n, room in homes.items() if room} | dict.fromkeys(torseur._ROOMS, "")


def top() -> str:
    """The stub of the package: every name of it, from the room that holds it."""
    homes: dict[str, list[str]] = {}
    for name, room in public().items():
        homes.setdefault(room, []).append(f"{name} as {name}")
    lines = [f"from .{room} import {', '.join(names)}" for room, names in sorted(homes.items())]
    return "\n".join([*lines, "", "__version__: str", ""])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
    made = {stub_path(room): written(room) for room in ROOMS}
    made[stub_path("")] = top()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    for rule in (["check", "--fix", "--select", "I"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *rule, "-q", *made], check=True)
    print(*made, sep="\n")

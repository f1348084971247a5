"""Doors that open when asked: names of a room are loaded from its files when first used.

The stub beside a door (`__init__.pyi`) is its one list: type checkers read it, and so does this.
"""

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def door(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a room, from the imports of its stub.

    >>> from torseur import model
    >>> model.Sphere.__module__
    'torseur.model.shapes'
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    home = {
        name.asname or name.name: (node.module or "", name.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.level
        for name in node.names
    }

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        where, what = home[name]
        value = getattr(import_module(f"{package}.{where}"), what)
        setattr(import_module(package), name, value)
        return value

    return get, lambda: sorted(home), sorted(home)

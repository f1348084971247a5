"""Doors that open when asked: names of a room are loaded from its files when first used.

The stub beside a door (`__init__.pyi`) is its one list: type checkers read it, and so does this.
Elements are found in the room's registers; the stub's lines about them are written by
`docs/stubs.py` and compared by a test.
"""

import ast
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

_WRITERS: list[bool] = []  # of each kernel that is being written: whether it was on before
_COUNTING = threading.Lock()


@contextmanager
def uncollected() -> Iterator[None]:
    """Python looks for no cycles while rooms open and kernels are written: many objects, no ring.

    >>> import gc
    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    with _COUNTING:
        _WRITERS.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _COUNTING:
            last = _WRITERS.pop()  # of the first of them, when nobody is left
            if last and not _WRITERS:
                gc.enable()


def door(
    package: str, file: str, *registers: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a room, from the imports of its stub.

    `registers` name registers of the room ("base.law"): what they hold that the stub does not
    have is a name of the room too.  `from ..other import *` in a stub opens another door.  Where a
    stub has `__all__`, its other names are for other rooms, not for users.

    >>> from torseur import model
    >>> model.Sphere.__module__, model.Gear.__module__
    ('torseur.model.shapes', 'torseur.constraints.gear')
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    home, doors, computed, public = {}, [], set(), None
    for node in stub.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            public = ast.literal_eval(node.value)
        if isinstance(node, ast.AnnAssign):  # the room's own `__getattr__` computes it
            computed.add(ast.unparse(node.target))
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        room = ".".join((*package.split(".")[: 1 - node.level or None], node.module or ""))
        for name in node.names:
            if name.name == "*":
                doors.append(room)
            else:
                home[name.asname or name.name] = (room, name.name)

    @cache
    def files() -> set[str]:
        return {x.name for x in iter_modules([str(Path(file).parent)])}

    def get(name: str) -> Any:
        if name in home:
            room, what = home[name]
            with uncollected():
                value = getattr(import_module(room), what)
            setattr(import_module(package), name, value)
            return value
        if name in files():  # `from . import file`: a register would load every element to deny it
            return import_module(f"{package}.{name}")
        for path in () if name.startswith("_") else registers:
            where, _, register = path.rpartition(".")
            if name in (held := getattr(import_module(f"{package}.{where}"), register)):
                return held[name]
        for room in () if name.startswith("_") else doors:
            if name in import_module(room).__all__:
                return getattr(import_module(room), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    names = sorted({*home, *computed} if public is None else public)
    return get, lambda: names, names

"""Lazy loading of the names of a package, after SPEC 1 of Scientific Python.

The stub of a package (`__init__.pyi`) is its list of names.  Type checkers read it, and so does
`attach_stub`, which imports a name's module when the name is first used.  `__all__` of a stub lists
the public names.  Its other names are for other packages of torseur.
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
def pause_garbage_collection() -> Iterator[None]:
    """Switch the garbage collector off while modules load and kernels are compiled.

    Both allocate many objects and no cycles.

    >>> import gc
    >>> with pause_garbage_collection():
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


def attach_stub(
    package: str, file: str, *registers: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package, from the imports of its stub.

    Parameters
    ----------
    package : `__name__` of the package
    file : `__file__` of the package; the stub lies beside it
    registers : registers of the package, such as "base.law"; elements registered outside the
        package are attributes too

    A line `from . import name` in a stub names a subpackage, which is loaded when first used.

    >>> from torseur import spatial
    >>> spatial.Pose.__module__, "Pose" in spatial.__all__
    ('torseur.spatial.pose', True)
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    modules: dict[str, tuple[str, str]] = {}  # of each name: its module, and its name there
    declared, public = set(), None
    for node in stub.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            public = ast.literal_eval(node.value)
        if isinstance(node, ast.AnnAssign):  # the package's own code gives it
            declared.add(ast.unparse(node.target))
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        home = ".".join(
            (*package.split(".")[: 1 - node.level or None], *filter(None, [node.module]))
        )
        for name in node.names:
            modules[name.asname or name.name] = (home, name.name)

    @cache
    def files() -> set[str]:
        return {x.name for x in iter_modules([str(Path(file).parent)])}

    def get(name: str) -> Any:
        if name in modules:
            home, original = modules[name]
            with pause_garbage_collection():
                if home == package:
                    return import_module(f"{package}.{original}")
                value = getattr(import_module(home), original)
            setattr(import_module(package), name, value)
            return value
        if name in files():  # before registers, which would load every element to deny it
            return import_module(f"{package}.{name}")
        for path in () if name.startswith("_") else registers:
            module, _, register = path.rpartition(".")
            elements = getattr(import_module(f"{package}.{module}"), register)
            if name in elements:
                return elements[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    names = sorted({*modules, *declared} if public is None else public)
    return get, lambda: list(names), names

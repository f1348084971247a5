"""Names of a package that are loaded from its files when first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `homes` says for each file which names it holds.

    >>> from torseur import model
    >>> model.Sphere.__module__
    'torseur.model.shapes'
    """
    home = {name: file for file, names in homes.items() for name in names.split()}

    def get(name: str):
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(package)
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(module, name, value)
        return value

    return get

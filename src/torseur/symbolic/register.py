"""The formalisms by name."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ..errors import TorseurError, unknown_name

FORMALISMS = ("newton_euler", "lagrange", "lie_group", "uicker", "global_inertia")
"""Each has `inverse_dynamics(tree, q, v, a)` and says what it `needs` of its scalars."""


def formalism(name: str) -> ModuleType:
    """The module of a formalism."""
    if name not in FORMALISMS:
        raise TorseurError(unknown_name("formalism", name, FORMALISMS, "equations"))
    return import_module(f"torseur.formalisms.{name}")

"""Register of formalisms: independent implementations of the inverse dynamics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..register import Register

Formula = TypeVar("Formula", bound=Callable[..., Any])

FORMALISMS = Register("formalism", __package__)
"""Functions `(tree, q, v, a) -> efforts` by the name of the formalism."""


def formalism(name: str, needs: frozenset[str]) -> Callable[[Formula], Formula]:
    """Decorator that registers `inverse_dynamics(tree, q, v, a)` under a name.

    `needs` are operations of the scalar that a ring does not have.
    """

    def register(inverse_dynamics):
        inverse_dynamics.needs = needs
        return FORMALISMS.named(name)(inverse_dynamics)

    return register

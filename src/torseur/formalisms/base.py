"""The register of formalisms: inverse dynamics, each by its own text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..register import Register

Formula = TypeVar("Formula", bound=Callable[..., Any])

FORMALISMS = Register("formalism", __package__)
"""Functions `(tree, q, v, a) -> efforts` by the name of the formalism."""


def formalism(name: str, needs: frozenset[str]) -> Callable[[Formula], Formula]:
    """Decorate `inverse_dynamics(tree, q, v, a)`; `needs` are operations beyond a ring's."""

    def keep(inverse_dynamics):
        inverse_dynamics.needs = needs
        return FORMALISMS.named(name)(inverse_dynamics)

    return keep

"""The register of formalisms: inverse dynamics, each by its own text."""

from __future__ import annotations

from ..register import Register

FORMALISMS = Register("formalism", __package__)
"""Functions `(tree, q, v, a) -> efforts` by the name of the formalism."""


def formalism(name: str, needs: frozenset[str]):
    """Decorate `inverse_dynamics(tree, q, v, a)`; `needs` are operations beyond a ring's."""

    def keep(inverse_dynamics):
        inverse_dynamics.needs = needs
        return FORMALISMS.named(name)(inverse_dynamics)

    return keep

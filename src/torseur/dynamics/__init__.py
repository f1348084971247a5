"""The equation of the whole model, over any scalar."""

from .ring import Symbols, symbols
from .tree_form import (
    TreeForm,
    centre_of_mass,
    coriolis_matrix,
    generalised_forces,
    gravity_forces,
    momentum,
    tree_form,
)

__all__ = ["Symbols", "TreeForm", "centre_of_mass", "coriolis_matrix", "generalised_forces",
           "gravity_forces", "momentum", "symbols", "tree_form"]

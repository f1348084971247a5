"""The equation of the whole model, over any scalar."""

from .constants import Constants
from .contact.impacts import AT_STEP, TOUCH
from .contact.switching import ConstraintSolver
from .flow import Motion, kept, start
from .functions import FunctionJoint
from .held.mobility import pivots, scaled
from .held.rows import constraint_rows
from .held.solutions import PASSES, SOLUTIONS, WEIGHT, SolutionWay
from .moment import Moment
from .tensors import Tensors, global_inertia
from .tree_form import (
    TreeForm,
    centre_of_mass,
    coriolis_matrix,
    generalised_forces,
    gravity_forces,
    momentum,
    tree_form,
)

__all__ = [
    "AT_STEP",
    "PASSES",
    "SOLUTIONS",
    "TOUCH",
    "WEIGHT",
    "Constants",
    "ConstraintSolver",
    "FunctionJoint",
    "Moment",
    "Motion",
    "SolutionWay",
    "Tensors",
    "TreeForm",
    "centre_of_mass",
    "constraint_rows",
    "coriolis_matrix",
    "generalised_forces",
    "global_inertia",
    "gravity_forces",
    "kept",
    "momentum",
    "pivots",
    "scaled",
    "start",
    "tree_form",
]

"""The equation of the whole model, over any scalar."""

from . import fronts
from .constants import Constants
from .contact.impacts import AT_STEP, TOUCH
from .contact.switching import ConstraintSolver
from .flow import Motion, kept, start
from .functions import FunctionJoint
from .held.mobility import pivots, scaled
from .held.rows import constraint_rows, element_rows
from .held.saddle import ITERATIONS, PROXIMAL, compliances, terms
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
    "ITERATIONS",
    "PASSES",
    "PROXIMAL",
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
    "compliances",
    "constraint_rows",
    "coriolis_matrix",
    "element_rows",
    "fronts",
    "generalised_forces",
    "global_inertia",
    "gravity_forces",
    "kept",
    "momentum",
    "pivots",
    "scaled",
    "start",
    "terms",
    "tree_form",
]

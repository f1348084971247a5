"""The equation of the whole model, over any scalar."""

from .constants import Constants
from .contact.impacts import TOUCH
from .contact.switching import Constraints
from .elements import Moment, Seen, act
from .flow import Motion, guard_names, losing, sizes, start
from .functions import FunctionJoint, is_function
from .held.mobility import pivots, scaled
from .held.reactions import MULTIPLIER
from .held.rows import constraint_rows
from .held.solutions import PASSES, SOLUTIONS, WEIGHT, Way
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
    "MULTIPLIER",
    "PASSES",
    "SOLUTIONS",
    "TOUCH",
    "WEIGHT",
    "Constants",
    "Constraints",
    "FunctionJoint",
    "Moment",
    "Motion",
    "Seen",
    "TreeForm",
    "Way",
    "act",
    "centre_of_mass",
    "constraint_rows",
    "coriolis_matrix",
    "generalised_forces",
    "gravity_forces",
    "guard_names",
    "is_function",
    "losing",
    "momentum",
    "pivots",
    "scaled",
    "sizes",
    "start",
    "tree_form",
]

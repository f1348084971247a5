from .constants import Constants as Constants
from .contact.nearness import AT_STEP as AT_STEP, INSIDE as INSIDE, TOUCH as TOUCH
from .contact.switching import ConstraintSolver as ConstraintSolver
from .flow import Motion as Motion, kept as kept, start as start
from .functions import FunctionJoint as FunctionJoint
from .held.mobility import pivots as pivots, scaled as scaled
from .held.rows import constraint_rows as constraint_rows, element_rows as element_rows
from .held.saddle import (
    ITERATIONS as ITERATIONS,
    PROXIMAL as PROXIMAL,
    compliances as compliances,
    terms as terms,
)
from .held.solutions import VANISHED as VANISHED
from .held.ways import (
    MULTIPLIERS as MULTIPLIERS,
    PASSES as PASSES,
    SOLUTIONS as SOLUTIONS,
    WEIGHT as WEIGHT,
    SolutionWay as SolutionWay,
)
from .moment import Moment as Moment
from .table_pieces import inside as inside, keepers as keepers
from .tensors import Tensors as Tensors, global_inertia as global_inertia
from .whole_tree import (
    TreeForm as TreeForm,
    center_of_mass as center_of_mass,
    coriolis_matrix as coriolis_matrix,
    generalized_forces as generalized_forces,
    gravity_forces as gravity_forces,
    momentum as momentum,
    tree_form as tree_form,
)

__all__ = ["global_inertia"]

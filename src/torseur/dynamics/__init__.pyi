from .constraints.coordinate_partitioning import pivots as pivots, scaled as scaled
from .constraints.kkt import (
    PROXIMAL as PROXIMAL,
    PROXIMAL_ITERATIONS as PROXIMAL_ITERATIONS,
    compliances as compliances,
    terms as terms,
)
from .constraints.reduced_solutions import MIN_ROW_SQUARE as MIN_ROW_SQUARE
from .constraints.reference_solutions import (
    SpeedPartition as SpeedPartition,
    null_space as null_space,
)
from .constraints.rows import constraint_rows as constraint_rows, element_rows as element_rows
from .constraints.solution_methods import (
    MULTIPLIERS as MULTIPLIERS,
    PASSES as PASSES,
    SOLUTIONS as SOLUTIONS,
    WEIGHT as WEIGHT,
    SolutionMethod as SolutionMethod,
)
from .contact.switched_constraints import ConstraintSolver as ConstraintSolver
from .contact.tolerances import (
    LANDING_DEPTH as LANDING_DEPTH,
    STEP_DEFLECTION as STEP_DEFLECTION,
    TOUCH as TOUCH,
)
from .flow import Motion as Motion, kept as kept, start as start
from .global_inertia_tensors import (
    GlobalInertiaTensors as GlobalInertiaTensors,
    global_inertia as global_inertia,
)
from .state import Moment as Moment
from .tree_form_matrices import (
    TreeForm as TreeForm,
    center_of_mass as center_of_mass,
    coriolis_matrix as coriolis_matrix,
    generalized_forces as generalized_forces,
    gravity_forces as gravity_forces,
    momentum as momentum,
    tree_form as tree_form,
)

__all__ = ["global_inertia"]

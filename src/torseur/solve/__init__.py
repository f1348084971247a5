"""Problems of one state or one motion: assembly, equilibrium, linear models, inverse dynamics and
kinematics."""

from .constrained import (
    SOLUTIONS,
    Constrained,
    assemble,
    constrained_system,
    initial_state,
    mobility_report,
)
from .equilibrium import Equilibrium, equilibrium
from .ik import inverse_kinematics
from .ik_path import PathKinematics, inverse_kinematics_path, inverse_rates
from .ik_priorities import Prioritised, prioritised_kinematics, prioritised_rates
from .ik_problem import coordinate_limits, tied  # noqa: F401 (for workspaces)
from .ik_results import InverseKinematics, ManyPoses
from .inverse import inverse
from .isolation import isolate
from .linear import Linear, Modes, linearize, modes
from .motions import course  # noqa: F401 (for controllers)
from .postures import posture  # noqa: F401 (for pictures of models)

__all__ = [
    "SOLUTIONS",
    "Constrained",
    "Equilibrium",
    "InverseKinematics",
    "Linear",
    "ManyPoses",
    "Modes",
    "PathKinematics",
    "Prioritised",
    "assemble",
    "constrained_system",
    "coordinate_limits",
    "equilibrium",
    "initial_state",
    "inverse",
    "inverse_kinematics",
    "inverse_kinematics_path",
    "inverse_rates",
    "isolate",
    "linearize",
    "mobility_report",
    "modes",
    "prioritised_kinematics",
    "prioritised_rates",
]

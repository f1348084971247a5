from .constraint_system import (
    SOLUTIONS as SOLUTIONS,
    Constrained as Constrained,
    assemble as assemble,
    constrained_system as constrained_system,
    initial_state as initial_state,
    mobility_report as mobility_report,
    posture as posture,
)
from .equilibrium_search import Equilibrium as Equilibrium, equilibrium as equilibrium
from .free_body_cut import isolate as isolate
from .ik.damped_least_squares import whole_turns as whole_turns
from .ik.inverse_kinematics import inverse_kinematics as inverse_kinematics
from .ik.path_following import (
    PathKinematics as PathKinematics,
    inverse_kinematics_path as inverse_kinematics_path,
    inverse_rates as inverse_rates,
)
from .ik.problem import coordinate_limits as coordinate_limits, no_motion as no_motion, tied as tied
from .ik.results import InverseKinematics as InverseKinematics, ManyPoses as ManyPoses
from .ik.task_priorities import (
    Prioritized as Prioritized,
    prioritized_kinematics as prioritized_kinematics,
    prioritized_rates as prioritized_rates,
)
from .inverse_dynamics.interpreted_efforts import Along as Along
from .inverse_dynamics.inverse import inverse as inverse
from .inverse_dynamics.trajectory import course as course
from .linearization import Linear as Linear, Modes as Modes, linearize as linearize, modes as modes

__all__ = [
    "SOLUTIONS",
    "Constrained",
    "Equilibrium",
    "InverseKinematics",
    "Linear",
    "ManyPoses",
    "Modes",
    "PathKinematics",
    "Prioritized",
    "constrained_system",
    "initial_state",
    "inverse_kinematics_path",
    "inverse_rates",
    "isolate",
    "prioritized_kinematics",
    "prioritized_rates",
]

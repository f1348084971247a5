from .constrained import (
    SOLUTIONS as SOLUTIONS,
    Constrained as Constrained,
    assemble as assemble,
    constrained_system as constrained_system,
    initial_state as initial_state,
    mobility_report as mobility_report,
)
from .equilibria import Equilibrium as Equilibrium, equilibrium as equilibrium
from .ik import inverse_kinematics as inverse_kinematics
from .ik_numeric import whole_turns as whole_turns
from .ik_path import (
    PathKinematics as PathKinematics,
    inverse_kinematics_path as inverse_kinematics_path,
    inverse_rates as inverse_rates,
)
from .ik_priorities import (
    Prioritized as Prioritized,
    prioritized_kinematics as prioritized_kinematics,
    prioritized_rates as prioritized_rates,
)
from .ik_problem import (
    coordinate_limits as coordinate_limits,
    no_motion as no_motion,
    tied as tied,
)
from .ik_results import InverseKinematics as InverseKinematics, ManyPoses as ManyPoses
from .inverses import inverse as inverse
from .isolation import isolate as isolate
from .linear import Linear as Linear, Modes as Modes, linearize as linearize, modes as modes
from .motions import course as course
from .postures import posture as posture

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

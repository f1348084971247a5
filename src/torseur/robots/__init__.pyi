from .balancing.cam_profile import Cam as Cam, design_cam as design_cam
from .balancing.conditions import (
    BalanceConditions as BalanceConditions,
    balance_conditions as balance_conditions,
)
from .balancing.devices.base import Device as Device, device as device
from .balancing.devices.cam_spring import CamSpring as CamSpring
from .balancing.devices.counterweight import Counterweight as Counterweight
from .balancing.devices.parallelogram import Parallelogram as Parallelogram
from .balancing.devices.pulley_spring import PulleySpring as PulleySpring
from .balancing.devices.redistribution import Redistribution as Redistribution
from .balancing.devices.spring import Spring as Spring
from .balancing.optimizer import balance as balance, pareto as pareto
from .balancing.result import Balance as Balance
from .control.c_export import export_controller as export_controller
from .control.controllers import (
    ComputedTorque as ComputedTorque,
    GainSchedule as GainSchedule,
    PDGravity as PDGravity,
    Regulator as Regulator,
    StepMetrics as StepMetrics,
    lqr as lqr,
    motors as motors,
    step_metrics as step_metrics,
)
from .control.feedforward import FeedforwardEffort as FeedforwardEffort, feedforward as feedforward
from .design_file import Design as Design, design as design, designed as designed
from .design_sections import design_schema as design_schema
from .drives.catalog import (
    Catalog as Catalog,
    Gearbox as Gearbox,
    Motor as Motor,
    example_catalog as example_catalog,
    load_catalog as load_catalog,
)
from .drives.sizing import DriveCandidate as DriveCandidate, Sizing as Sizing, size as size
from .trajectories.motion_profiles import (
    Cubic as Cubic,
    Cycloidal as Cycloidal,
    Quintic as Quintic,
    SCurve as SCurve,
    Septic as Septic,
    Spline as Spline,
    Transition as Transition,
    Trapezoidal as Trapezoidal,
    synchronized as synchronized,
)
from .trajectories.paths import Arc as Arc, Line as Line, Polyline as Polyline
from .trajectories.profile_comparison import (
    ProfileComparison as ProfileComparison,
    compare_profiles as compare_profiles,
    residual_vibration as residual_vibration,
)
from .trajectories.time_optimal import (
    PathProfile as PathProfile,
    TimeOptimal as TimeOptimal,
    time_optimal as time_optimal,
)
from .workspace_analysis import Workspace as Workspace, workspace as workspace

__all__ = [
    "Arc",
    "Balance",
    "BalanceConditions",
    "Cam",
    "CamSpring",
    "Catalog",
    "Counterweight",
    "Cubic",
    "Cycloidal",
    "Design",
    "DriveCandidate",
    "Gearbox",
    "Line",
    "Motor",
    "Parallelogram",
    "PathProfile",
    "Polyline",
    "ProfileComparison",
    "PulleySpring",
    "Quintic",
    "Redistribution",
    "SCurve",
    "Septic",
    "Sizing",
    "Spline",
    "Spring",
    "TimeOptimal",
    "Transition",
    "Trapezoidal",
    "Workspace",
    "balance",
    "balance_conditions",
    "compare_profiles",
    "design",
    "design_cam",
    "designed",
    "example_catalog",
    "load_catalog",
    "pareto",
    "residual_vibration",
    "size",
    "synchronized",
    "time_optimal",
    "workspace",
]

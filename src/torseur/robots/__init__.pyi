from .balanced import Balance as Balance
from .balancing import balance as balance, pareto as pareto
from .cams import Cam as Cam, design_cam as design_cam
from .candidates import DriveCandidate as DriveCandidate
from .cartesian import Arc as Arc, Line as Line, Polyline as Polyline
from .conditions import (
    BalanceConditions as BalanceConditions,
    balance_conditions as balance_conditions,
)
from .control_export import export_controller as export_controller
from .controllers import (
    ComputedTorque as ComputedTorque,
    PDGravity as PDGravity,
    Regulator as Regulator,
    StepMetrics as StepMetrics,
    lqr as lqr,
    motors as motors,
    step_metrics as step_metrics,
)
from .design_writing import design_schema as design_schema
from .designs import Design as Design, design as design, designed as designed
from .devices import (
    CamSpring as CamSpring,
    Counterweight as Counterweight,
    Device as Device,
    Parallelogram as Parallelogram,
    PulleySpring as PulleySpring,
    Redistribution as Redistribution,
    Spring as Spring,
    device as device,
)
from .drives import (
    Catalog as Catalog,
    Gearbox as Gearbox,
    Motor as Motor,
    example_catalog as example_catalog,
    load_catalog as load_catalog,
)
from .forward_efforts import FeedforwardEffort as FeedforwardEffort, feedforward as feedforward
from .gain_schedule import GainSchedule as GainSchedule
from .law_comparison import (
    ProfileComparison as ProfileComparison,
    compare_profiles as compare_profiles,
    residual_vibration as residual_vibration,
)
from .motion_laws import (
    Cubic as Cubic,
    Cycloidal as Cycloidal,
    Quintic as Quintic,
    Septic as Septic,
    synchronized as synchronized,
)
from .motion_limits import SCurve as SCurve, Trapezoidal as Trapezoidal
from .motion_points import Spline as Spline
from .motion_transition import Transition as Transition
from .path_law import PathProfile as PathProfile
from .quickest import TimeOptimal as TimeOptimal, time_optimal as time_optimal
from .sizing import Sizing as Sizing, size as size
from .workspaces import Workspace as Workspace, workspace as workspace

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

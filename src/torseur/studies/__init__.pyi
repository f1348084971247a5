from .chances import MeanEstimate as MeanEstimate, ProbabilityEstimate as ProbabilityEstimate
from .comparison import Comparison as Comparison, compare_models as compare_models
from .designs import DESIGNS as DESIGNS
from .fronts import Front as Front
from .measures import (
    MEASURES as MEASURES,
    RMS as RMS,
    EventTime as EventTime,
    Final as Final,
    Mean as Mean,
    Measure as Measure,
    Metric as Metric,
    Peak as Peak,
    SignalAt as SignalAt,
)
from .members import Study as Study, open_study as open, study as study
from .metrics import METRICS as METRICS, CurveMetric as CurveMetric
from .optima import (
    Optimum as Optimum,
    optimize as optimize,
    worst_case as worst_case,
)
from .plan_files import read_plan as read_plan
from .spreads import (
    Choice as Choice,
    Distribution as Distribution,
    Grid as Grid,
    LogNormal as LogNormal,
    Normal as Normal,
    Uniform as Uniform,
)
from .surfaces import Surface as Surface
from .tolerancing import Tolerances as Tolerances, tolerances as tolerances

__all__ = [
    "RMS",
    "Choice",
    "Comparison",
    "Distribution",
    "EventTime",
    "Final",
    "Front",
    "Grid",
    "LogNormal",
    "Mean",
    "Measure",
    "Metric",
    "Normal",
    "Optimum",
    "Peak",
    "ProbabilityEstimate",
    "SignalAt",
    "Study",
    "Surface",
    "Tolerances",
    "Uniform",
    "compare_models",
    "open",
    "optimize",
    "read_plan",
    "tolerances",
    "worst_case",
]

from .curve_metrics import METRICS as METRICS, CurveMetric as CurveMetric
from .distributions import (
    Choice as Choice,
    Distribution as Distribution,
    Grid as Grid,
    LogNormal as LogNormal,
    Normal as Normal,
    Uniform as Uniform,
)
from .metrics import (
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
from .model_comparison import Comparison as Comparison, compare_models as compare_models
from .optimization import (
    Front as Front,
    Optimum as Optimum,
    optimize as optimize,
    worst_case as worst_case,
)
from .parameter_study import Study as Study, open_study as open, study as study
from .plan_file import read_plan as read_plan
from .response_surface import Surface as Surface
from .sampling import DESIGNS as DESIGNS
from .statistics import MeanEstimate as MeanEstimate, ProbabilityEstimate as ProbabilityEstimate
from .tolerance_analysis import Tolerances as Tolerances, tolerances as tolerances

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

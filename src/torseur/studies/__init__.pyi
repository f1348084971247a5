from .chances import Chance as Chance, Mean as Mean
from .comparison import Comparison as Comparison, compare_models as compare_models
from .designs import DESIGNS as DESIGNS
from .fronts import Front as Front
from .measures import (
    MEASURES as MEASURES,
    Measure as Measure,
    event as event,
    final as final,
    mean as mean,
    metric as metric,
    peak as peak,
    rms as rms,
    signal as signal,
)
from .members import Study as Study, open_study as open_study, study as study
from .metrics import METRICS as METRICS, CurveMetric as CurveMetric
from .optima import (
    Optimum as Optimum,
    optimize as optimize,
    worst_case as worst_case,
)
from .plan_files import read_plan as read_plan
from .spreads import (
    Spread as Spread,
    choice as choice,
    grid as grid,
    lognormal as lognormal,
    normal as normal,
    uniform as uniform,
)
from .surfaces import Surface as Surface
from .tolerancing import Tolerances as Tolerances, tolerances as tolerances

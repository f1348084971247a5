from .chances import Chance as Chance, Mean as Mean
from .designs import DESIGNS as DESIGNS
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
from .optima import Front as Front, Optimum as Optimum, optimise as optimise
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

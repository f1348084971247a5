from .balances import DirectCurves as DirectCurves, direct as direct
from .calibration import Calibrated as Calibrated, calibrate as calibrate
from .excitation import Excitation as Excitation, exciting as exciting
from .experiment import Experiment as Experiment
from .filters import low_pass as low_pass, resample as resample
from .fitted import Fit as Fit
from .fitting import fit as fit
from .free import knots as knots, number as number
from .friction import FRICTION as FRICTION
from .groups import Base as Base, base as base, exact_base as exact_base
from .identified import Identified as Identified, robot as robot
from .measured import Samples as Samples, samples as samples
from .plans import run_plan as run_plan
from .regressor import LinearModel as LinearModel, linear as linear
from .tables import RowTable as RowTable

__all__ = [
    "FRICTION",
    "Base",
    "Calibrated",
    "DirectCurves",
    "Excitation",
    "Experiment",
    "Fit",
    "Identified",
    "LinearModel",
    "Samples",
    "base",
    "calibrate",
    "direct",
    "exact_base",
    "exciting",
    "fit",
    "knots",
    "linear",
    "number",
    "robot",
    "samples",
]

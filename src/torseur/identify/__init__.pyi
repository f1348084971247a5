from .kinematic_calibration import Calibrated as Calibrated, calibrate as calibrate
from .momentum_balance import DirectCurves as DirectCurves, direct as direct
from .output_error.experiment import Experiment as Experiment
from .output_error.parameters import knots as knots, number as number
from .output_error.plan_file import run_plan as run_plan
from .output_error.result import Fit as Fit
from .output_error.solver import fit as fit
from .robots.base_parameters import Base as Base, base as base, exact_base as exact_base
from .robots.data import Samples as Samples, samples as samples
from .robots.excitation import Excitation as Excitation, exciting as exciting
from .robots.friction import FRICTION as FRICTION
from .robots.regressor import LinearModel as LinearModel, linear as linear
from .robots.result import Identified as Identified, robot as robot
from .row_table import RowTable as RowTable

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

from .column_evaluation import ColumnEvaluator as ColumnEvaluator
from .dynamics import Dynamics as Dynamics, compile as compile
from .initial_history import begun as begun
from .interpreter import (
    GraphInterpreter as GraphInterpreter,
    RowLabels as RowLabels,
    interpreted as interpreted,
)
from .motion import (
    BY_LINKS as BY_LINKS,
    MotionKernels as MotionKernels,
    motion_kernels as motion_kernels,
)
from .state_evaluation import (
    Outputs as Outputs,
    StateRows as StateRows,
    repeated as repeated,
)
from .strategy import (
    Generator as Generator,
    GeneratorChoice as GeneratorChoice,
    choose_generator as choose_generator,
    choose_motion_generator as choose_motion_generator,
)
from .tracing import evaluate_formula as evaluate_formula, flatten_numbers as flatten_numbers
from .variational import (
    BROKEN as BROKEN,
    LOST as LOST,
    Variations as Variations,
)

__all__ = ["Dynamics", "compile"]

from .friction import FRICTION as FRICTION
from .groups import Base as Base, base as base, exact_base as exact_base
from .identified import Identified as Identified, robot as robot
from .measured import Samples as Samples, samples as samples
from .regressor import Linear as Linear, linear as linear
from .tables import Table as Table

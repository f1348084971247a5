from .beams import BeamData as BeamData
from .cache import once as once
from .checks import NumberReader as NumberReader
from .equivalence_classes import (
    Links as Links,
    MaskedElement as MaskedElement,
    NotEquivalent as NotEquivalent,
    alike as alike,
    equivalent_constraints as equivalent_constraints,
    grouped as grouped,
    links_of as links_of,
    quarter as quarter,
    slots as slots,
)
from .initial_state import (
    OPTIONS as OPTIONS,
    TIMES as TIMES,
    collected as collected,
    expressions_with_parameter as expressions_with_parameter,
    following as following,
    initial_values_of_parameter as initial_values_of_parameter,
    read_initial_state as read_initial_state,
    said_number as said_number,
    start_of as start_of,
    start_problems as start_problems,
)
from .islands import (
    IslandClass as IslandClass,
    IslandCoupling as IslandCoupling,
    Islands as Islands,
    classify_islands as classify_islands,
)
from .layout import (
    Block as Block,
    Entry as Entry,
    EventFunction as EventFunction,
    Layout as Layout,
    Ports as Ports,
)
from .lowering.constraints import ConstraintLowering as ConstraintLowering
from .lowering.lower import check as check, resolved as resolved, unmerged as unmerged
from .parameter_check import unfit as unfit, unfit_rows as unfit_rows
from .system import Closure as Closure, Link as Link, System as System, Tree as Tree

__all__ = ["System", "check"]

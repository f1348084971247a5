from .beams import BeamData as BeamData
from .cache import once as once
from .checks import NumberReader as NumberReader
from .equivalence_classes import (
    Links as Links,
    Outline as Outline,
    Unlike as Unlike,
    alike as alike,
    alike_rows as alike_rows,
    grouped as grouped,
    links_of as links_of,
    quarter as quarter,
    slots as slots,
)
from .initial_state import (
    OPTIONS as OPTIONS,
    TIMES as TIMES,
    collected as collected,
    following as following,
    read_start as read_start,
    said_number as said_number,
    start_of as start_of,
    start_problems as start_problems,
    starts_of as starts_of,
    texts_of as texts_of,
)
from .islands import (
    Between as Between,
    IslandKind as IslandKind,
    Islands as Islands,
    island_kinds as island_kinds,
)
from .layout import (
    Block as Block,
    Entry as Entry,
    Layout as Layout,
    Ports as Ports,
    Watched as Watched,
)
from .lowering.constraints import ConstraintLowering as ConstraintLowering
from .lowering.lower import check as check, resolved as resolved, unmerged as unmerged
from .parameter_check import unfit as unfit, unfit_rows as unfit_rows
from .system import Closure as Closure, Link as Link, System as System, Tree as Tree

__all__ = ["System", "check"]

from .beam_numbers import BeamNumbers as BeamNumbers
from .checks import NumberReader as NumberReader
from .constraints import (
    Lowering as Lowering,
)
from .core import (
    Closure as Closure,
    Link as Link,
    System as System,
    Tree as Tree,
)
from .given import unfit as unfit, unfit_rows as unfit_rows
from .islands import (
    Between as Between,
    IslandKind as IslandKind,
    Islands as Islands,
    island_kinds as island_kinds,
)
from .keeping import once as once
from .kinds import (
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
from .layout import (
    Block as Block,
    Entry as Entry,
    Layout as Layout,
    Ports as Ports,
    Watched as Watched,
)
from .lowering import check as check, resolved as resolved, unmerged as unmerged
from .starting import (
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

__all__ = ["System", "check"]

from .body import KernelBody as KernelBody
from .cache import carry as carry, gathered as gathered
from .columned import Columned as Columned, PortPart as PortPart, split_columns as split_columns
from .dll import library_for_windows as library_for_windows
from .facts import remembered as remembered
from .graph import read as read, read_calling as read_calling
from .ir import entry_points as entry_points, packed as packed
from .kept_graph import KeptGraph as KeptGraph
from .kernel import Kernel as Kernel
from .machine import Aim as Aim, aimed as aimed, assembled as assembled, lanes as lanes
from .pieces import (
    ABREAST as ABREAST,
    Mixed as Mixed,
    Piece as Piece,
    PiecedDerivatives as PiecedDerivatives,
    PiecedProgram as PiecedProgram,
    SharedSteps as SharedSteps,
    Turn as Turn,
    WorkSlots as WorkSlots,
)
from .plain import intrinsic as intrinsic, native as native, written as written
from .portable import Portable as Portable
from .ports import Port as Port
from .program import Program as Program
from .record import (
    Pattern as Pattern,
    Record as Record,
    pointers as pointers,
    real as real,
    reals as reals,
    side_by_side as side_by_side,
    whole as whole,
    wholes as wholes,
)
from .sections import Image as Image
from .shared_object import library_for_linux as library_for_linux
from .sidewise import (
    AllLanes as AllLanes,
    EachLane as EachLane,
    InOrder as InOrder,
    LaneConstants as LaneConstants,
    LaneRows as LaneRows,
    OneLane as OneLane,
    Pack as Pack,
    Pairs as Pairs,
    Picked as Picked,
    Put as Put,
    Rim as Rim,
    Sidewise as Sidewise,
    Stage as Stage,
    Straight as Straight,
    TreeFactors as TreeFactors,
    Woven as Woven,
)
from .staged import Staged as Staged
from .text import literal as literal

__all__ = []

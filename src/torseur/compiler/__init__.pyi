from .binaries.c_runtime import (
    FMI_HELPERS as FMI_HELPERS,
    FMI_INSTANCE_FUNCTIONS as FMI_INSTANCE_FUNCTIONS,
    FMI_LOGGING as FMI_LOGGING,
)
from .binaries.elf import Image as Image, library_for_linux as library_for_linux
from .binaries.link import CrossLinker as CrossLinker
from .binaries.pe_dll import library_for_windows as library_for_windows
from .codegen.basic_block import KernelBody as KernelBody
from .codegen.entry_points import entry_points as entry_points, packed as packed
from .codegen.link_loops_llvm import LinkLoopWriter as LinkLoopWriter
from .codegen.llvm_builder import format_double as format_double
from .codegen.multi_rhs import (
    MultiRhsProgram as MultiRhsProgram,
    PortPart as PortPart,
    split_columns as split_columns,
)
from .codegen.native_functions import (
    NativeLibrary as NativeLibrary,
    native_routine as native_routine,
)
from .codegen.repeated_blocks import (
    SIMD_LANES as SIMD_LANES,
    OrderedBlocks as OrderedBlocks,
    Piece as Piece,
    RepeatedBlockDerivatives as RepeatedBlockDerivatives,
    RepeatedBlockProgram as RepeatedBlockProgram,
    SharedSteps as SharedSteps,
    SincosSlots as SincosSlots,
    SlotAllocator as SlotAllocator,
)
from .codegen.tree_simd.module import TreeSimdProgram as TreeSimdProgram
from .codegen.tree_simd.stages import (
    AllLanes as AllLanes,
    BlockCopy as BlockCopy,
    BorderStage as BorderStage,
    ContiguousNumbers as ContiguousNumbers,
    LaneConstants as LaneConstants,
    LaneRows as LaneRows,
    LaneStage as LaneStage,
    OneLane as OneLane,
    Pack as Pack,
    PackStage as PackStage,
    Pairs as Pairs,
    PickedLanes as PickedLanes,
    Stage as Stage,
    Straight as Straight,
    TreeFactorization as TreeFactorization,
)
from .codegen.two_stage import TwoStageProgram as TwoStageProgram
from .program.casadi_reader import read as read, read_program_with_calls as read_program_with_calls
from .program.ports import Port as Port
from .program.program import Program as Program
from .pyjit.record import (
    Float64 as Float64,
    Float64Array as Float64Array,
    Int64 as Int64,
    Int64Array as Int64Array,
    Pattern as Pattern,
    PointerArray as PointerArray,
    Record as Record,
    side_by_side as side_by_side,
)
from .pyjit.translate import (
    intrinsic as intrinsic,
    native as native,
    optsize as optsize,
    write_native_llvm as write_native_llvm,
)
from .runtime.cache import carry as carry, gathered as gathered, remembered as remembered
from .runtime.kernel import Kernel as Kernel
from .runtime.machine import (
    TargetMachine as TargetMachine,
    assembled as assembled,
    compile_for as compile_for,
    lanes as lanes,
)
from .runtime.numpy_interpreter import KeptGraph as KeptGraph

__all__ = []

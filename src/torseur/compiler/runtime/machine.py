"""The target machine: SIMD lanes, FMA, the LLVM compiler, and the loader of object code.

Modules of LLVM IR are compiled for the CPU of this machine (ahead of time into an object file,
which the JIT linker of LLVM loads).  Inside `compile_for` they are compiled for another target.
"""

import ctypes
import hashlib
import itertools
import platform
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import KernelError
from ..program.program import LIBM_ARITY

_LOCK = threading.Lock()
_COUNT = itertools.count()
_RECENT_CODE: dict[bytes, bytes] = {}  # code of texts compiled last
MAX_RECENT_CODES = 256
MAX_RECENT_CODE_BYTES = 200_000  # longer code is not stored
_ASSEMBLED_SIZES: list[int] = []  # of the modules that this process has compiled [bytes]


def assembled() -> int:
    """Number of modules that this process has compiled, without those from a cache."""
    return len(_ASSEMBLED_SIZES)


@cache
def _load_llvm():
    """`llvmlite.binding`, initialized for this machine."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def host_cpu_features() -> dict[str, bool]:
    """Features of the CPU, as LLVM names them."""
    return dict(_load_llvm().get_host_cpu_features())


class TargetMachine(NamedTuple):
    """Target of cross compilation: LLVM triple, CPU, FMA, and doubles in a SIMD register."""

    triple: str
    cpu: str
    fused: bool
    lanes: int


_AIM: ContextVar[TargetMachine | None] = ContextVar("aim", default=None)


@contextmanager
def compile_for(aim: TargetMachine) -> Iterator[None]:
    """Compile for another machine inside the block: code to be written to a file, not run."""
    token = _AIM.set(aim)
    try:
        yield
    finally:
        _AIM.reset(token)


def has_fma() -> bool:
    """Whether the target has fused multiply-add instructions."""
    aim = _AIM.get()
    return _host_has_fma() if aim is None else aim.fused


@cache
def _host_has_fma() -> bool:
    """Whether this machine has fused multiply-add instructions."""
    return host_cpu_features().get("fma", False) or platform.machine().lower() in (
        "aarch64",
        "arm64",
    )


def lanes() -> int:
    """Number of doubles in a SIMD register of the target."""
    aim = _AIM.get()
    return _host_lanes() if aim is None else aim.lanes


@cache
def _host_lanes() -> int:
    """Number of doubles in a SIMD register of this machine."""
    features = host_cpu_features()
    return 8 if features.get("avx512f") else 4 if features.get("avx2") else 2


def compiler_identity() -> str:
    """Text of everything about target and compiler that object code depends on."""
    return _identify_compiler(_AIM.get())


@cache
def _identify_compiler(aim: TargetMachine | None) -> str:
    """Triple, CPU and features of the target, versions of llvmlite and LLVM."""
    llvm = _load_llvm()
    import llvmlite

    version = ".".join(map(str, llvm.llvm_version_info))
    if aim is None:
        features = ",".join(k for k, v in sorted(host_cpu_features().items()) if v)
        parts = (llvm.get_process_triple(), llvm.get_host_cpu_name(), features)
    else:
        parts = (aim.triple, aim.cpu, f"{aim.lanes} {aim.fused}")
    return " ".join((*parts, "llvmlite", llvmlite.__version__, "llvm", version))


@cache
def _create_target_machine(level: int, aim: TargetMachine | None = None):
    """LLVM target machine at an optimization level, position-independent code."""
    llvm = _load_llvm()
    if aim is not None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        try:
            other_target = llvm.Target.from_triple(aim.triple)
        except RuntimeError as why:
            raise KernelError(
                f"the LLVM of this machine cannot compile for another one: {why}"
            ) from None
        return other_target.create_target_machine(
            cpu=aim.cpu, opt=level, reloc="pic", codemodel="small"
        )
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="pic",
        codemodel="small",
        jit=True,
    )


def compile_module(text: str, level: int = 2, inline: bool = False) -> bytes:
    """Object code of a module of LLVM IR at an optimization level of LLVM.

    `inline` runs the pass pipeline of level 2 first, which inlines functions, without unrolling.
    The code of texts compiled last is stored, so that the same text is not compiled twice.
    """
    llvm, aim = _load_llvm(), _AIM.get()
    digest = hashlib.sha256(f"{level} {inline} {aim}\n{text}".encode()).digest()
    with _LOCK:
        if digest in _RECENT_CODE:
            return _RECENT_CODE[digest]
        module = llvm.parse_assembly(text)
        module.triple = aim.triple if aim else llvm.get_process_triple()
        machine = _create_target_machine(level, aim)
        module.data_layout = str(machine.target_data)
        if inline:
            tuning = llvm.create_pipeline_tuning_options(speed_level=2)
            tuning.loop_unrolling = False
            tuning.loop_interleaving = False
            builder = llvm.create_pass_builder(machine, tuning)
            builder.getModulePassManager().run(module, builder)
        data = machine.emit_object(module)
        _ASSEMBLED_SIZES.append(len(data))
        if len(data) <= MAX_RECENT_CODE_BYTES:
            _RECENT_CODE[digest] = data
            while len(_RECENT_CODE) > MAX_RECENT_CODES:
                del _RECENT_CODE[next(iter(_RECENT_CODE))]
        return data


def get_address(function: Any) -> int:
    """Address of a function of `ctypes`."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


LLVM_RUNTIME_FUNCTIONS = ("memset", "memcpy", "memmove", "bzero", "fma", "__chkstk")
"""Functions that LLVM calls on its own account: of blocks of memory, a product and a sum where the
machine has no instruction for both, and on Windows of frames over a page of 4 kB."""


@cache
def find_runtime_functions() -> dict[str, int]:
    """Addresses of functions that kernels or LLVM itself may call, by name."""
    required = {*LIBM_ARITY, "sin", "cos", "malloc", "free"}
    addresses: dict[str, int] = {}
    for handle in _iterate_libraries():
        for f in sorted({*required, *LLVM_RUNTIME_FUNCTIONS} - addresses.keys()):
            if hasattr(handle, f):
                addresses[f] = get_address(getattr(handle, f))
        # its stack probe comes last
        if required <= addresses.keys() and platform.system() != "Windows":
            break
    return addresses


def _iterate_libraries() -> Iterator[ctypes.CDLL]:
    """Libraries with the C functions: this process first, which is linked with libc."""
    if platform.system() == "Windows":
        yield from (ctypes.CDLL(name) for name in ("ucrtbase", "msvcrt", "ntdll"))
        return
    yield ctypes.CDLL(None)
    from ctypes.util import find_library

    yield from (ctypes.CDLL(name) for name in map(find_library, "mc") if name)


@cache
def _create_jit():
    """JIT linker of LLVM, which places object code in memory."""
    llvm = _load_llvm()
    return llvm.create_lljit_compiler(_create_target_machine(2))


class Code:
    """Object code loaded into memory and linked.  It is freed with this object."""

    def __init__(
        self,
        data: bytes,
        symbols: tuple[str, ...],
        calls: tuple[str, ...] = (),
        externals: Mapping[str, int] = MappingProxyType({}),
        keepalive: Any = None,
    ):
        """Load and link an object file.

        Parameters
        ----------
        data : bytes
            Object file.
        symbols : tuple of str
            Functions that it exports.
        calls : tuple of str
            Functions that it imports: of the C library, or of `others` with their addresses.
        keepalive : object
            Holds the memory behind `others`.
        """
        llvm = _load_llvm()
        self.keepalive = keepalive
        self.data, self.calls = data, calls
        externals_by_name = {**find_runtime_functions(), **externals}
        with _LOCK:
            builder = llvm.JITLibraryBuilder().add_object_img(data)
            for name in symbols:
                builder.export_symbol(name)
            for name in calls:
                if name not in externals_by_name:
                    raise KernelError(f"the C library of this machine has no {name!r}")
                builder.import_symbol(f"torseur.{name}", externals_by_name[name])
            for name in LLVM_RUNTIME_FUNCTIONS:
                if name in externals_by_name:
                    builder.import_symbol(name, externals_by_name[name])
            self._resources = builder.link(_create_jit(), f"torseur{next(_COUNT)}")
        self.addresses = {name: self._resources[name] for name in symbols}

    def __getitem__(self, name: str) -> int:
        return self.addresses[name]

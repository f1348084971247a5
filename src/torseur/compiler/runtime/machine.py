"""The machine at hand: its lanes, its compiler, and loading of its object code."""

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
from ..program.program import CALLS

_LOCK = threading.Lock()
_COUNT = itertools.count()
_KNOWN: dict[bytes, bytes] = {}  # code of texts compiled last
MOST_KNOWN, SHORT = 256, 200_000  # how many are kept, and bytes of the longest of them
_ASSEMBLED: list[int] = []  # sizes of what this process has compiled [bytes]


def assembled() -> int:
    """How many modules this process has compiled; those from a cache do not count."""
    return len(_ASSEMBLED)


@cache
def _llvm():
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def features() -> dict[str, bool]:
    return dict(_llvm().get_host_cpu_features())


class Aim(NamedTuple):
    """Another machine that text is written and assembled for."""

    triple: str
    cpu: str
    fused: bool
    lanes: int


_AIM: ContextVar[Aim | None] = ContextVar("aim", default=None)


@contextmanager
def aimed(aim: Aim) -> Iterator[None]:
    """Inside, code is that of another machine: to be written to a file, not to be run here."""
    token = _AIM.set(aim)
    try:
        yield
    finally:
        _AIM.reset(token)


def fused() -> bool:
    """Whether a product and a sum are rounded once, in one instruction."""
    aim = _AIM.get()
    return _fused_here() if aim is None else aim.fused


@cache
def _fused_here() -> bool:
    return features().get("fma", False) or platform.machine().lower() in ("aarch64", "arm64")


def lanes() -> int:
    """Doubles in one SIMD register."""
    aim = _AIM.get()
    return _lanes_here() if aim is None else aim.lanes


@cache
def _lanes_here() -> int:
    have = features()
    return 8 if have.get("avx512f") else 4 if have.get("avx2") else 2


def identity() -> str:
    """Everything about machine and compiler that object code depends on."""
    return _identity(_AIM.get())


@cache
def _identity(aim: Aim | None) -> str:
    llvm = _llvm()
    import llvmlite

    version = ".".join(map(str, llvm.llvm_version_info))
    if aim is None:
        have = ",".join(k for k, v in sorted(features().items()) if v)
        words = (llvm.get_process_triple(), llvm.get_host_cpu_name(), have)
    else:
        words = (aim.triple, aim.cpu, f"{aim.lanes} {aim.fused}")
    return " ".join((*words, "llvmlite", llvmlite.__version__, "llvm", version))


@cache
def _target_machine(level: int, aim: Aim | None = None):
    llvm = _llvm()
    if aim is not None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        try:
            there = llvm.Target.from_triple(aim.triple)
        except RuntimeError as why:
            raise KernelError(
                f"the LLVM of this machine writes no code for others: {why}"
            ) from None
        return there.create_target_machine(cpu=aim.cpu, opt=level, reloc="pic", codemodel="small")
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="pic",
        codemodel="small",
        jit=True,
    )


def assemble(text: str, level: int = 2, inline: bool = False) -> bytes:
    """Object code of a module of LLVM IR; `inline` first brings its own functions together.

    A text that was compiled before is not compiled again: another table makes no other text.
    """
    llvm, aim = _llvm(), _AIM.get()
    key = hashlib.sha256(f"{level} {inline} {aim}\n{text}".encode()).digest()
    with _LOCK:
        if key in _KNOWN:
            return _KNOWN[key]
        module = llvm.parse_assembly(text)
        module.triple = aim.triple if aim else llvm.get_process_triple()
        machine = _target_machine(level, aim)
        module.data_layout = str(machine.target_data)
        if inline:
            tuning = llvm.create_pipeline_tuning_options(speed_level=2)
            tuning.loop_unrolling = False
            tuning.loop_interleaving = False
            builder = llvm.create_pass_builder(machine, tuning)
            builder.getModulePassManager().run(module, builder)
        data = machine.emit_object(module)
        _ASSEMBLED.append(len(data))
        if len(data) <= SHORT:
            _KNOWN[key] = data
            while len(_KNOWN) > MOST_KNOWN:
                del _KNOWN[next(iter(_KNOWN))]
        return data


def address_of(function) -> int:
    """Of a function of C that `ctypes` found or made."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


OWN = ("memset", "memcpy", "memmove", "bzero", "fma", "__chkstk")
"""Functions that LLVM calls on its own account: of blocks of memory, a product and a sum where the
machine has no instruction for both, and on Windows of frames over a page of 4 kB."""


@cache
def library() -> dict[str, int]:
    """Addresses of the C library's functions that kernels may call, and of LLVM's own calls."""
    wanted = {*CALLS, "sin", "cos", "malloc", "free"}
    found: dict[str, int] = {}
    for handle in _libraries():
        for f in sorted({*wanted, *OWN} - found.keys()):
            if hasattr(handle, f):
                found[f] = address_of(getattr(handle, f))
        if wanted <= found.keys() and platform.system() != "Windows":  # its stack probe comes last
            break
    return found


def _libraries() -> Iterator[ctypes.CDLL]:
    """This process first: Python is linked with the C library, on most machines."""
    if platform.system() == "Windows":
        yield from (ctypes.CDLL(name) for name in ("ucrtbase", "msvcrt", "ntdll"))
        return
    yield ctypes.CDLL(None)
    from ctypes.util import find_library

    yield from (ctypes.CDLL(name) for name in map(find_library, "mc") if name)


@cache
def _jit():
    llvm = _llvm()
    return llvm.create_lljit_compiler(_target_machine(2))


class Code:
    """Object code in memory, ready to run, for as long as this object lives."""

    def __init__(
        self,
        data: bytes,
        symbols: tuple[str, ...],
        calls: tuple[str, ...] = (),
        others: Mapping[str, int] = MappingProxyType({}),
        beside: Any = None,
    ):
        """`calls` are functions of the C library, or `others` with their addresses; `beside` is
        what holds those."""
        llvm = _llvm()
        self.beside = beside
        self.data, self.calls = data, calls
        known = {**library(), **others}
        with _LOCK:
            builder = llvm.JITLibraryBuilder().add_object_img(data)
            for name in symbols:
                builder.export_symbol(name)
            for name in calls:
                if name not in known:
                    raise KernelError(f"the C library of this machine has no {name!r}")
                builder.import_symbol(f"torseur.{name}", known[name])
            for name in OWN:
                if name in known:
                    builder.import_symbol(name, known[name])
            self._held = builder.link(_jit(), f"torseur{next(_COUNT)}")
        self.addresses = {name: self._held[name] for name in symbols}

    def __getitem__(self, name: str) -> int:
        return self.addresses[name]

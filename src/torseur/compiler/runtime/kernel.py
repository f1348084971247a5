"""Kernels: functions of arrays that are compiled at their first use, and cached."""

import re
import threading
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from ..._lazy import pause_garbage_collection
from ...errors import KernelError
from ..codegen import sincos
from ..codegen.native_functions import library_entries, routine_addresses
from ..program.ports import Port
from ..program.program import Program
from ..program.table_lookup import number_tables
from . import cache, gufunc, machine
from .empty_ports import EmptyPortFunction

MAX_LOADED_KERNELS = 256
_LOADED_KERNELS: dict = {}  # code and metadata of shared kernels, by entry of the cache
LARGE_KERNEL_NODES = 150_000  # above, LLVM compiles without optimization (level 0)
LARGE_EVENT_KERNEL_NODES = 5_000  # the same, for kernels that are evaluated at events only
DECLARED_SYMBOL = re.compile(r"^declare .* @torseur\.(\w+)\(", re.MULTILINE)


class Kernel:
    """A function of arrays, compiled for one state at a time and for SIMD lanes.

    Parameters
    ----------
    name : str
        What it computes.  Shown in messages.
    build : callable
        Returns a `casadi.Function`, one with routines (see `read_program_with_calls`), or a
        `Program`.  Called only if the cache has no code.
    key : bytes, optional
        Digest of everything that `build` depends on.  Without it there is no cache on disk.
    shapes : mapping, optional
        Shape of a port by name, where it is not the one of the matrix: `{"t": ()}`.
    rebuild : (callable, tuple), optional
        Function and arguments that create this kernel in another process.  Allows pickling.
    lanes : bool
        Whether batches are worth code for SIMD lanes, which is compiled at the first batch.
    loop : bool
        `build` returns a loop over links: one state at a time, also in batches.
    shared : bool
        Kernels of one key share their code in memory, of the last few hundred.
    rare : bool
        Evaluated at events only: large code is compiled without optimization.
    staged : callable, optional
        Returns an equivalent program in stages (`TwoStageProgram`, `TreeSimdProgram`) for a part
        of the code ("scalar", "lanes"), or None.
    ahead : Kernel, optional
        Upstream kernel of the same inputs.  This kernel calls it first, and reads its outputs.

    Examples
    --------
    >>> import casadi
    >>> q = casadi.SX.sym("q", 2)
    >>> f = casadi.Function("f", [q], [casadi.sin(q)], ["q"], ["s"])
    >>> kernel = Kernel("sines", lambda: f)
    >>> kernel([0.0, 1.0]).round(3), kernel.gufunc.signature
    (array([0.   , 0.841]), '(2)->(2)')
    """

    def __init__(
        self,
        name: str,
        build: Callable[[], Any],
        *,
        key: bytes | None = None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        rebuild: tuple[Callable[..., "Kernel"], tuple] | None = None,
        doc: str = "",
        lanes: bool = True,
        loop: bool = False,
        shared: bool = False,
        rare: bool = False,
        staged: Callable[[str], Any] | None = None,
        ahead: "Kernel | None" = None,
    ):
        """Store the recipe.  Nothing is compiled before the first use."""
        self.name, self.doc, self._loop, self._has_simd_code = name, doc, loop, lanes and not loop
        self._build, self._key, self._shapes, self._rebuild = build, key, shapes, rebuild
        self._shared, self._max_optimized_nodes = (
            shared,
            LARGE_EVENT_KERNEL_NODES if rare else LARGE_KERNEL_NODES,
        )
        self._staged, self._ahead = staged, ahead
        self._lock = threading.RLock()
        self._program: Program | None = None
        self._metadata: dict | None = None
        self._scalar: machine.Code | None = None
        self._lanes: machine.Code | None = None
        self._call: Callable | None = None

    def __repr__(self) -> str:
        state = "compiled" if self._scalar else "not yet compiled"
        return f"<Kernel {self.name!r}, {state}>"

    def __reduce__(self):
        if self._rebuild is None:
            raise TypeError(f"cannot pickle kernel {self.name!r}: it was created without `rebuild`")
        return self._rebuild

    def __call__(self, *args, **options) -> Any:
        call = self._call or self._prepare_call()
        return (
            _call_without_warnings(call, *args, **options) if self._loop else call(*args, **options)
        )

    def _prepare_call(self) -> Callable:
        """Callable of the kernel, created at the first call."""
        with self._lock:
            if self._call is None:
                self._call = self._create_call()
            return self._call

    def _create_call(self) -> Callable:
        """Gufunc around the compiled code, or a function where ports have no elements."""
        code = self._compiled()
        inputs = [p for p in self.inputs if p.size]
        outputs = [p for p in self.outputs if p.size]
        ufunc = None
        if inputs and outputs:
            kernel = code["gufunc"]
            prepare = self._prepare if self._has_simd_code else None
            ufunc = gufunc.create_gufunc(
                self.name, inputs, outputs, kernel, prepare, self.doc, code
            )
        if ufunc and len(inputs) == len(self.inputs) and len(outputs) == len(self.outputs):
            return ufunc
        return EmptyPortFunction(ufunc, self.inputs, self.outputs, code["thunk"], code)

    @property
    def gufunc(self) -> np.ufunc:
        """The NumPy gufunc.  For ports without any element, a function that behaves like one."""
        return cast("np.ufunc", self._prepare_call())

    # facts -------------------------------------------------------------------------------
    @property
    def program(self) -> Program:
        """The mathematics, in normal form."""
        with self._lock:
            program = self._program
            if program is None:
                from ..program.casadi_reader import read, read_program_with_calls

                built = self._build()
                if not (self._loop or isinstance(built, Program)):
                    reader = read_program_with_calls if isinstance(built, tuple) else read
                    built = reader(built, self._shapes)
                program = self._program = built
            return program

    @property
    def inputs(self) -> tuple[Port, ...]:
        return self._get_metadata()["inputs"]

    @property
    def outputs(self) -> tuple[Port, ...]:
        return self._get_metadata()["outputs"]

    @property
    def operations(self) -> dict[str, int]:
        """How many of each operation one evaluation takes."""
        return dict(self._get_metadata()["operations"])

    @property
    def stamp(self) -> str:
        """Digest of the mathematics."""
        return self._get_metadata().get("stamp") or self.program.stamp

    def _get_metadata(self) -> dict:
        """Ports, operations and stamp.  Loads or compiles the kernel if needed."""
        with self._lock:
            if self._metadata is None:
                self._compiled()
            assert self._metadata is not None
            return self._metadata

    def describe_status(self, code: int) -> str:
        """Meaning of a status of the native kernel.

        Zero is success.  Otherwise it is the position, from one, of the first output that is not
        finite.
        """
        if code == 0:
            return "ok"
        position = code - 1
        for port in self.outputs:
            if position < port.size:
                index = ", ".join(
                    str(int(k)) for k in np.unravel_index(position, port.shape or (1,))
                )
                return f"{self.name}: {port.name}[{index}] is not finite"
            position -= port.size
        raise KernelError(f"{self.name!r} has no status {code}")

    # code --------------------------------------------------------------------------------
    @property
    def address(self) -> int:
        """Of `void f(const double *in0, ..., double *out0, ...)`; arrays must not overlap."""
        return self._compiled()["thunk"]

    @property
    def abi_address(self) -> int:
        """Of `int32 k(const double *const *in, double *const *out, double *work)`."""
        return self._compiled()["kernel"]

    def _compiled(self) -> machine.Code:
        with self._lock:
            if self._scalar is None:
                self._scalar = self._load_part("scalar", ("thunk", "kernel", "gufunc"))
            return self._scalar

    def lanes(self) -> tuple[int, object]:
        """Address of `void k(const double *in, double *out)` for SIMD lanes, and its owner."""
        return self._prepare()

    def _prepare(self) -> tuple[int, object]:
        """Code for SIMD lanes, compiled when the first batch comes."""
        with self._lock:
            if self._lanes is None:
                self._lanes = self._load_part("lanes", ("lanes",))
            return self._lanes["lanes"], self._lanes

    def _load_part(self, part: str, symbols: tuple[str, ...]) -> machine.Code:
        """Code of a part ("scalar" or "lanes"), from this process, the cache, or compiled."""
        entry = cache.entry_name(self._key, part) if self._key is not None else ""
        if self._shared and entry in _LOADED_KERNELS:
            metadata, code = _LOADED_KERNELS[entry]
            self._metadata = self._metadata or metadata
        else:
            code = self._load_or_compile(part, symbols, entry)
        if entry:
            cache.record_entry(entry, lambda: self._describe_entry(code), code)
        if self._shared and entry:
            _LOADED_KERNELS[entry] = self._metadata, code
            while len(_LOADED_KERNELS) > MAX_LOADED_KERNELS:
                _LOADED_KERNELS.pop(next(iter(_LOADED_KERNELS), entry), None)
        return code

    def _load_or_compile(self, part: str, symbols: tuple[str, ...], entry: str) -> machine.Code:
        """Code from the cache on disk, or compiled and stored there."""
        if entry and (cached := cache.load_entry(entry)) is not None:
            metadata, data = cached
            try:
                data = data or cache.load_code_of_text(metadata["text"])
                tables = _unpack_tables(metadata.get("held", {}))
                calls, natives = tuple(metadata["calls"]), metadata.get("natives", {})
                code = self._link_part(data, symbols, calls, part, tables, natives)
            except (RuntimeError, KeyError, KernelError):
                pass  # sound, but not for this process: compile instead
            else:
                self._metadata = self._metadata or _decode_metadata(metadata)
                return code
        program, source, tables = self.write_llvm(part)
        calls = tuple(sorted({*DECLARED_SYMBOL.findall(source[0]), *tables}))
        name = cache.entry_name_of_text(*source) if entry else ""
        code = cache.load_or_build(
            name,
            lambda data: self._link_part(data, symbols, calls, part, tables),
            lambda: machine.compile_module(*source),
        )
        count = Counter(program.operations)
        if self._ahead:
            count.update(self._ahead.operations)
        metadata = {
            "inputs": program.inputs,
            "outputs": program.outputs,
            "operations": dict(count),
        }
        if not self._shared:  # the stamp of shared kernels is seldom needed, and slow
            metadata["stamp"] = program.stamp
        self._metadata = self._metadata or metadata
        if entry:
            cache.store_entry(entry, self._describe_entry(code) | {"text": name}, b"")
        return code

    def write_llvm(self, part: str = "scalar") -> tuple[Any, tuple[str, int, bool], dict]:
        """Program of a part, the arguments of `machine.compile_module`, and its tables."""
        with pause_garbage_collection():
            program = (self._staged and self._staged(part)) or self.program
            nodes = [n for p in (program, *getattr(program, "routines", ())) for n in p.nodes]
            text, tables = number_tables(self._write_part(part, program), nodes)
        size = program.size if isinstance(program, Program) else len(program.nodes)
        return (
            program,
            (text, 2 if size < self._max_optimized_nodes else 0, bool(self._loop)),
            tables,
        )

    @property
    def ahead(self) -> "Kernel | None":
        """Upstream kernel: it has the same inputs and runs first."""
        return self._ahead

    def _link_part(
        self,
        data: bytes,
        symbols: tuple[str, ...],
        calls: tuple[str, ...],
        part: str,
        tables: dict,
        natives: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> machine.Code:
        """Object code, linked with its tables and the upstream kernel.

        `natives` are cache entries of native routines, as `library_entries` gives them.
        """
        externals: dict[str, int] = {n: x.ctypes.data for n, x in tables.items()}
        upstream: Any = None
        if self._ahead is not None and part == "scalar":
            upstream = self._ahead._compiled()
            externals["ahead"] = upstream["thunk"]
        elif self._ahead is not None:
            externals["ahead"], upstream = self._ahead.lanes()
        return link_code(data, symbols, calls, externals, (tables, upstream), natives)

    def _describe_entry(self, code: machine.Code) -> dict:
        """Description of a cache entry: ports, operations, imports, tables."""
        assert self._metadata is not None
        tables, _ = code.keepalive
        packed = {n: b64encode(x.tobytes()).decode() for n, x in tables.items()}
        linkage = {"calls": list(code.calls), "held": packed}
        if natives := library_entries(code.calls):
            linkage["natives"] = natives
        return _encode_metadata(self._metadata) | linkage

    def _write_part(self, part: str, program) -> str:
        """LLVM IR of a part."""
        if not isinstance(program, Program):
            write = program.module if part == "scalar" else program.lanes_module
            return write(machine.lanes(), machine.has_fma())
        from ..codegen import entry_points

        write = (
            entry_points.write_scalar_module if part == "scalar" else entry_points.write_simd_module
        )
        return write(program, machine.lanes(), machine.has_fma())


def _call_without_warnings(call, *args, **options) -> Any:
    """Call optimized code, and repeat it with NumPy's warnings if a result is not finite.

    Optimized code may divide by zero in lanes whose quotient is not used.
    """
    with np.errstate(all="ignore"):
        result = call(*args, **options)
    arrays = result if isinstance(result, tuple) else (result,)
    return result if all(np.isfinite(y).all() for y in arrays) else call(*args, **options)


def link_code(
    data: bytes,
    symbols: tuple[str, ...],
    calls: tuple[str, ...],
    externals: Mapping[str, int] = MappingProxyType({}),
    keepalive: Any = None,
    natives: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> machine.Code:
    """Object code, linked with the sines and the native routines that it calls."""
    addresses = {
        name: sincos.load_shared_sincos(name)[name] for name in calls if name.startswith("sincos_")
    }
    addresses |= routine_addresses(calls, natives)
    return machine.Code(data, symbols, calls, addresses | dict(externals), keepalive)


def _unpack_tables(tables: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Tables of a cache entry, from base64."""
    return {n: np.frombuffer(b64decode(x)).copy() for n, x in tables.items()}


def _encode_metadata(metadata: dict) -> dict:
    """Metadata of a kernel for JSON."""
    ports = {
        direction: [[p.name, list(p.shape)] for p in metadata[direction]]
        for direction in ("inputs", "outputs")
    }
    return metadata | ports


def _decode_metadata(metadata: dict) -> dict:
    """Metadata of a kernel from JSON."""
    read_ports = {
        direction: tuple(Port(name, tuple(shape)) for name, shape in metadata[direction])
        for direction in ("inputs", "outputs")
    }
    return {k: metadata[k] for k in ("operations", "stamp") if k in metadata} | read_ports

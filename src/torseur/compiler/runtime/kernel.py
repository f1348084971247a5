"""A kernel: numbers in, numbers out, compiled when first used."""

import ctypes
import re
import threading
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from ..._lazy import uncollected
from ...errors import KernelError
from ..codegen import native_functions, sincos
from ..codegen.table_lookup import numbered
from ..program.ports import Port
from ..program.program import Program
from . import cache, gufunc, machine

# --------------------------------------------------------------------------------------------
# Kernels with a port that holds no number: NumPy's gufuncs do not allow them, users do.
#
# A mechanism with no joint still has a mass matrix (of shape (0, 0)) and poses.


def around(
    gufunc: np.ufunc | None,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    thunk: int,
    keep: object,
) -> Callable:
    """A function that behaves as a gufunc of all ports, from one of those with elements.

    `gufunc` is None when there is nothing to read or nothing to write; then the thunk is
    called once, for every row has the same result.
    """
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(inputs) + len(outputs)))
    constant = kind(thunk)
    sized = [i for i, p in enumerate(inputs) if p.size]
    filled = [i for i, p in enumerate(outputs) if p.size]
    hollow = [(i, p.shape) for i, p in enumerate(inputs) if not p.size]

    def call(*args, out=None):
        if len(args) != len(inputs):
            raise TypeError(f"takes {len(inputs)} arrays, {len(args)} were given")
        if gufunc is not None and out is None and all(np.shape(args[i]) == s for i, s in hollow):
            try:
                return answered(gufunc(*[args[i] for i in sized]))
            except (TypeError, ValueError):
                pass  # told below
        arrays = [np.asarray(a, dtype=float) for a in args]
        for a, p in zip(arrays, inputs, strict=True):
            if a.shape[a.ndim - len(p.shape) :] != p.shape or a.ndim < len(p.shape):
                raise ValueError(f"{p.name} has shape {a.shape}; it must end in {p.shape}")
        ends = zip(arrays, inputs, strict=True)
        leads = {a.shape[: a.ndim - len(p.shape)] for a, p in ends} - {()}
        lead = next(iter(leads), ()) if len(leads) < 2 else np.broadcast_shapes(*leads)
        results = [np.empty(lead + p.shape) for p in outputs]
        if gufunc is not None:
            full = [arrays[i] for i in sized]
            if full[0].shape != lead + inputs[sized[0]].shape:
                full[0] = np.broadcast_to(full[0], lead + inputs[sized[0]].shape)
            gufunc(*full, out=tuple(results[i] for i in filled))
        elif any(p.size for p in outputs):
            one = [np.empty(p.shape) for p in outputs]
            constant(*(a.ctypes.data for a in (*arrays, *one)))
            for r, value in zip(results, one, strict=True):
                r[...] = value
        if out is not None:
            given = out if isinstance(out, tuple) else (out,)
            for target, r in zip(given, results, strict=True):
                target[...] = r
            results = list(given)
        return results[0] if len(results) == 1 else tuple(results)

    def answered(found):
        """What the gufunc gives, with the outputs that hold no number."""
        some = found if isinstance(found, tuple) else (found,)
        if len(some) == len(outputs):
            return found
        lead = some[0].shape[: some[0].ndim - len(outputs[filled[0]].shape)]
        rest = iter(some)
        return tuple(next(rest) if p.size else np.empty(lead + p.shape) for p in outputs)

    setattr(call, "keep", keep)  # noqa: B010  (the code lives as long as its function)
    return call


MOST_LOADED = 256
_LOADED: dict = {}
"""Code of kernels made last, with its facts, by entry of the cache: LLVM frees no code whole."""
LARGE = 150_000  # operations; above, LLVM is asked for quick work rather than for good code
DECLARED = re.compile(r"^declare .* @torseur\.(\w+)\(", re.MULTILINE)  # what a text calls
LARGE_RARE = 5_000  # the same, of what is seldom evaluated


class Kernel:
    """A function of arrays, compiled for one state at a time and for SIMD lanes.

    Parameters
    ----------
    name : str
        What it computes; shown in messages.
    build : callable
        Gives the `casadi.Function`, or one with routines (`graph.read_calling`), or a `Program`;
        called only if the cache has no code.
    key : bytes, optional
        Digest of all that `build` depends on.  Without it nothing is kept on disk.
    shapes : mapping, optional
        Shape of a port by name, where it is not the one of the matrix: `{"t": ()}`.
    rebuild : (callable, tuple), optional
        How to make this kernel again, in another process; allows pickling.
    lanes : bool
        Whether many rows at once are worth code for SIMD lanes, compiled when they first come.
    loop : bool
        `build` gives a loop over links instead: one state at a time, also in batches.
    shared : bool
        Kernels of one key use the same code in memory, and the last few hundred keep theirs.
    rare : bool
        It is seldom evaluated (at events): large code is made quickly rather than well.
    staged : callable, optional
        Gives of a part of the code ("scalar", "lanes") the same in stages (`Staged`, `Sidewise`),
        of which that part is made, or None.
    ahead : Kernel, optional
        One of the same inputs, which this one calls first to go on with what it gives.

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
        self.name, self.doc, self._loop, self._by_lanes = name, doc, loop, lanes and not loop
        self._build, self._key, self._shapes, self._rebuild = build, key, shapes, rebuild
        self._shared, self._large = shared, LARGE_RARE if rare else LARGE
        self._staged, self._ahead = staged, ahead
        self._lock = threading.RLock()
        self._program: Program | None = None
        self._facts: dict | None = None
        self._scalar: machine.Code | None = None
        self._lanes: machine.Code | None = None
        self._call: Callable | None = None

    def __repr__(self) -> str:
        state = "compiled" if self._scalar else "not yet compiled"
        return f"<Kernel {self.name!r}, {state}>"

    def __reduce__(self):
        if self._rebuild is None:
            raise TypeError(
                f"kernel {self.name!r} was not told how to be rebuilt: cannot pickle it"
            )
        return self._rebuild

    def __call__(self, *args, **options) -> Any:
        call = self._call or self._ready()
        return _quietly(call, *args, **options) if self._loop else call(*args, **options)

    def _ready(self) -> Callable:
        with self._lock:
            if self._call is None:
                self._call = self._callable()
            return self._call

    def _callable(self) -> Callable:
        code = self._compiled()
        inputs = [p for p in self.inputs if p.size]
        outputs = [p for p in self.outputs if p.size]
        made = None
        if inputs and outputs:
            kernel = code["gufunc"]
            prepare = self._prepare if self._by_lanes else None
            made = gufunc.make(self.name, inputs, outputs, kernel, prepare, self.doc, code)
        if made and len(inputs) == len(self.inputs) and len(outputs) == len(self.outputs):
            return made
        pass

        return around(made, self.inputs, self.outputs, code["thunk"], code)

    @property
    def gufunc(self) -> np.ufunc:
        """The NumPy gufunc; for ports without any element, a function that behaves like one."""
        return cast("np.ufunc", self._ready())

    # facts -------------------------------------------------------------------------------
    @property
    def program(self) -> Program:
        """The mathematics, in normal form."""
        with self._lock:
            program = self._program
            if program is None:
                from ..program.casadi_reader import read, read_calling

                built = self._build()
                if not (self._loop or isinstance(built, Program)):
                    reader = read_calling if isinstance(built, tuple) else read
                    built = reader(built, self._shapes)
                program = self._program = built
            return program

    @property
    def inputs(self) -> tuple[Port, ...]:
        return self._known()["inputs"]

    @property
    def outputs(self) -> tuple[Port, ...]:
        return self._known()["outputs"]

    @property
    def operations(self) -> dict[str, int]:
        """How many of each operation one evaluation takes."""
        return dict(self._known()["operations"])

    @property
    def stamp(self) -> str:
        """Digest of the mathematics."""
        return self._known().get("stamp") or self.program.stamp

    def _known(self) -> dict:
        with self._lock:
            if self._facts is None:
                self._compiled()
            assert self._facts is not None
            return self._facts

    def status(self, code: int) -> str:
        """What a status of the native kernel says.

        Zero is good; otherwise it is the place, from one, of the first bad number.
        """
        if code == 0:
            return "ok"
        place = code - 1
        for port in self.outputs:
            if place < port.size:
                index = ", ".join(str(int(k)) for k in np.unravel_index(place, port.shape or (1,)))
                return f"{self.name}: {port.name}[{index}] is not finite"
            place -= port.size
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
                self._scalar = self._code("scalar", ("thunk", "kernel", "gufunc"))
            return self._scalar

    def lanes(self) -> tuple[int, object]:
        """Address of `void k(const double *in, double *out)` for SIMD lanes, and what holds it."""
        return self._prepare()

    def _prepare(self) -> tuple[int, object]:
        """Compile for SIMD lanes: the loop asks for it when the first batch comes."""
        with self._lock:
            if self._lanes is None:
                self._lanes = self._code("lanes", ("lanes",))
            return self._lanes["lanes"], self._lanes

    def _code(self, part: str, symbols: tuple[str, ...]) -> machine.Code:
        entry = cache.entry(self._key, part) if self._key is not None else ""
        if self._shared and entry in _LOADED:
            facts, code = _LOADED[entry]
            self._facts = self._facts or facts
        else:
            code = self._made(part, symbols, entry)
        if entry:
            cache.used(entry, lambda: self._described(code), code)
        if self._shared and entry:
            _LOADED[entry] = self._facts, code
            while len(_LOADED) > MOST_LOADED:
                _LOADED.pop(next(iter(_LOADED), entry), None)
        return code

    def _made(self, part: str, symbols: tuple[str, ...], entry: str) -> machine.Code:
        """Code from the cache on disk, or compiled."""
        if entry and (found := cache.load(entry)) is not None:
            facts, data = found
            try:
                data = data or cache.known(facts["text"])
                held = _unpacked(facts.get("held", {}))
                code = self._linked(data, symbols, tuple(facts["calls"]), part, held)
            except (RuntimeError, KeyError, KernelError):
                pass  # sound, but not for this process: compile instead
            else:
                self._facts = self._facts or _read_facts(facts)
                return code
        program, how, held = self.written(part)
        calls = tuple(sorted({*DECLARED.findall(how[0]), *held}))
        name = cache.of_text(*how) if entry else ""
        code = cache.ready(
            name,
            lambda data: self._linked(data, symbols, calls, part, held),
            lambda: machine.assemble(*how),
        )
        count = Counter(program.operations)
        if self._ahead:
            count.update(self._ahead.operations)
        facts = {
            "inputs": program.inputs,
            "outputs": program.outputs,
            "operations": dict(count),
        }
        if not self._shared:  # of shared ones it is seldom asked, and takes a while
            facts["stamp"] = program.stamp
        self._facts = self._facts or facts
        if entry:
            cache.store(entry, self._described(code) | {"text": name}, b"")
        return code

    def written(self, part: str = "scalar") -> tuple[Any, tuple[str, int, bool], dict]:
        """One part of the code as the program, what `machine.assemble` makes of it, its tables."""
        with uncollected():
            program = (self._staged and self._staged(part)) or self.program
            nodes = [n for p in (program, *getattr(program, "routines", ())) for n in p.nodes]
            text, held = numbered(self._text(part, program), nodes)
        size = program.size if isinstance(program, Program) else len(program.nodes)
        return program, (text, 2 if size < self._large else 0, bool(self._loop)), held

    @property
    def ahead(self) -> "Kernel | None":
        """The kernel that it calls first."""
        return self._ahead

    def _linked(self, data, symbols, calls, part: str, held: dict) -> machine.Code:
        """Object code, beside its tables and that of the kernel that it calls first."""
        others: dict[str, int] = {n: x.ctypes.data for n, x in held.items()}
        own: Any = None
        if self._ahead is not None and part == "scalar":
            own = self._ahead._compiled()
            others["ahead"] = own["thunk"]
        elif self._ahead is not None:
            others["ahead"], own = self._ahead.lanes()
        return linked(data, symbols, calls, others, (held, own))

    def _described(self, code: machine.Code) -> dict:
        """Of an entry of the cache: ports, operations, what is called."""
        assert self._facts is not None
        held, _ = code.beside
        packed = {n: b64encode(x.tobytes()).decode() for n, x in held.items()}
        return _write_facts(self._facts) | {"calls": list(code.calls), "held": packed}

    def _text(self, part: str, program) -> str:
        """IR of one part of the code."""
        if not isinstance(program, Program):
            write = program.module if part == "scalar" else program.lanes_module
            return write(machine.lanes(), machine.fused())
        from ..codegen import entry_points

        write = entry_points.scalar_module if part == "scalar" else entry_points.lanes_module
        return write(program, machine.lanes(), machine.fused())


def _quietly(call, *args, **options) -> Any:
    """A call of optimized code, which may also divide where the quotient is not taken: NumPy hears
    of it only where a number is not finite."""
    with np.errstate(all="ignore"):
        found = call(*args, **options)
    every = found if isinstance(found, tuple) else (found,)
    return found if all(np.isfinite(y).all() for y in every) else call(*args, **options)


def linked(
    data: bytes,
    symbols: tuple[str, ...],
    calls: tuple[str, ...],
    others: Mapping[str, int] = MappingProxyType({}),
    beside: Any = None,
) -> machine.Code:
    """Object code, ready to run, beside what all kernels call: sines, loops over rows."""
    known = {name: sincos.shared(name)[name] for name in calls if name.startswith("sincos_")}
    known |= {
        name: native_functions.code()[name] for name in calls if name in native_functions.ROUTINES
    }
    return machine.Code(data, symbols, calls, known | dict(others), beside)


def _unpacked(held: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Tables of an entry of the cache."""
    return {n: np.frombuffer(b64decode(x)).copy() for n, x in held.items()}


def _write_facts(facts: dict) -> dict:
    ports = {side: [[p.name, list(p.shape)] for p in facts[side]] for side in ("inputs", "outputs")}
    return facts | ports


def _read_facts(facts: dict) -> dict:
    read_ports = {
        side: tuple(Port(name, tuple(shape)) for name, shape in facts[side])
        for side in ("inputs", "outputs")
    }
    return {k: facts[k] for k in ("operations", "stamp") if k in facts} | read_ports

"""The loop that NumPy calls, one text for all kernels: rows in, lanes through, rows out.

A kernel is described to the loop by whole numbers (see `describe`).  Rows of a batch are
brought into SIMD lanes by transposing small tiles in registers where the elements of a row
are neighbors in memory, and number by number otherwise.  A last group that is not full
repeats its last row, so that no lane ever computes with an invalid state.
"""

import ctypes
import gc
from collections.abc import Callable, Sequence
from functools import cache as once

import numpy as np

from ...errors import KernelError
from ...keyboard import press_again
from ..codegen.llvm_builder import Lines, transposed
from ..program.ports import Port
from . import cache, machine

KERNEL, LANES, PREPARE, NIN, NARGS, ROOM, HEAD = range(7)
OFFSET, SIZE, NDIM, DIMS, STEP, RECORD = 0, 1, 2, 3, 6, 7
MOST_DIMS, MOST_PORTS = 3, 32


def describe(inputs: Sequence[Port], outputs: Sequence[Port]) -> list[int]:
    """Numbers that tell the loop the ports of a kernel; addresses are filled in later."""
    ports = (*inputs, *outputs)
    numbers = [0] * HEAD
    numbers[NIN], numbers[NARGS] = len(inputs), len(ports)
    offset, step = 0, len(ports)
    for port in ports:
        dims = (*port.shape, *[1] * (MOST_DIMS - len(port.shape)))
        numbers += [offset, port.size, len(port.shape), *dims, step]
        offset += port.size
        step += len(port.shape)
    numbers[ROOM] = offset
    return numbers


def module(lanes: int) -> str:
    """IR of `@loop`, a `PyUFuncGenericFunction`, for a machine with this many lanes."""
    tile = min(lanes, 4)
    return "\n".join(
        (
            "declare ptr @torseur.malloc(i64)\ndeclare void @torseur.free(ptr)\n",
            _scattered(reading=True),
            _scattered(reading=False),
            _tiles(lanes, tile, reading=True),
            _tiles(lanes, tile, reading=False),
            _neighbors(),
            _loop(lanes, tile),
        )
    )


class _Routine(Lines):
    """A function on whole numbers and pointers."""

    def __init__(self):
        super().__init__(1, False)
        self.label("entry")

    def i(self, op: str, a: str | int, b: str | int) -> str:
        return self.value(f"{op} i64 {a}, {b}")

    def at(self, base: str, index: str | int, kind: str = "i64") -> str:
        return self.value(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def get(self, base: str, index: str | int, kind: str = "i64") -> str:
        return self.value(f"load {kind}, ptr {self.at(base, index, kind)}, align 8")

    def put(self, value: str, base: str, index: str | int, kind: str = "i64") -> None:
        self.line(f"store {kind} {value}, ptr {self.at(base, index, kind)}, align 8")

    def least(self, a: str | int, b: str | int) -> str:
        less = self.value(f"icmp slt i64 {a}, {b}")
        return self.value(f"select i1 {less}, i64 {a}, i64 {b}")

    def byte(self, base: str, offset: str) -> str:
        return self.at(base, offset, "i8")


def _scattered(reading: bool) -> str:
    """Move one port number by number, any strides: rows to lanes, or back."""
    t = _Routine()
    d = [t.get("%port", DIMS + k) for k in range(MOST_DIMS)]
    used, stride = t.get("%port", NDIM), []
    for k in range(MOST_DIMS):  # a dimension that is not there has one place, so no stride
        here = t.value(f"icmp slt i64 {k}, {used}")
        where = t.value(f"select i1 {here}, i64 {k}, i64 0")
        step = t.value(f"select i1 {here}, ptr %strides, ptr %nothing")
        stride.append(t.get(step, where))
    top = t.i("sub", "%rows", 1)
    with t.loop("%lanes" if reading else "%rows") as lane:
        row = t.byte("%base", t.i("mul", t.least(lane, top), "%outer"))
        with t.loop(d[0]) as a:
            pa, na = t.byte(row, t.i("mul", a, stride[0])), t.i("mul", a, d[1])
            with t.loop(d[1]) as b:
                pb, nb = t.byte(pa, t.i("mul", b, stride[1])), t.i("mul", t.i("add", na, b), d[2])
                with t.loop(d[2]) as c:
                    place = t.byte(pb, t.i("mul", c, stride[2]))
                    flat = t.i("add", t.i("mul", t.i("add", nb, c), "%lanes"), lane)
                    inside = t.at("%buffer", flat, "double")
                    source, target = (place, inside) if reading else (inside, place)
                    t.store(t.load(source, 8), target, 8)
    t.line("ret void")
    name = "take" if reading else "give"
    args = "ptr %base, i64 %outer, ptr %strides, ptr %nothing, ptr %port, i64 %rows"
    return f"define internal void @{name}({args}, i64 %lanes, ptr %buffer) {{\n{t}\n}}\n"


def _tiles(lanes: int, tile: int, reading: bool) -> str:
    """Move full groups of rows whose elements are neighbors, tile by tile."""
    t = _Routine()
    kind = f"<{tile} x double>"
    last = t.i("sub", "%size", tile)
    count = t.i("sdiv", t.i("add", "%size", tile - 1), tile)
    with t.loop(count) as block:
        first = t.least(t.i("mul", block, tile), last)  # the last tile overlaps its neighbor
        for group in range(0, lanes, tile):
            places = []
            for k in range(tile):
                row = t.byte("%base", t.i("mul", "%outer", group + k))
                inside = t.i("add", t.i("mul", t.i("add", first, k), lanes), group)
                places.append((t.at(row, first, "double"), t.at("%buffer", inside, "double")))
            here, there = (0, 1) if reading else (1, 0)
            tight, loose = (8 * tile, 8) if not reading else (8, 8 * tile)
            rows = [t.value(f"load {kind}, ptr {p[here]}, align {tight}") for p in places]
            for p, column in zip(places, transposed(t, rows), strict=True):
                t.line(f"store {kind} {column}, ptr {p[there]}, align {loose}")
    t.line("ret void")
    name = "take_tiles" if reading else "give_tiles"
    return (
        f"define internal void @{name}(ptr %base, i64 %outer, i64 %size, ptr %buffer) {{\n{t}\n}}\n"
    )


def _neighbors() -> str:
    """Whether the elements of one row of a port lie side by side in memory."""
    t = _Routine()
    t.line("%fine = alloca i64")
    t.line("store i64 1, ptr %fine")
    t.line("%want = alloca i64")
    t.line("store i64 8, ptr %want")
    used = t.get("%port", NDIM)
    with t.loop(used) as k:
        back = t.i("sub", t.i("sub", used, 1), k)
        d = t.get("%port", t.i("add", back, DIMS))
        want = t.get("%want", 0)
        off = t.value(f"icmp ne i64 {t.get('%strides', back)}, {want}")
        several = t.value(f"icmp ne i64 {d}, 1")
        with t.when(t.value(f"and i1 {off}, {several}")):
            t.line("store i64 0, ptr %fine")
        t.put(t.i("mul", want, d), "%want", 0)
    t.line(f"ret i64 {t.get('%fine', 0)}")
    return f"define internal i64 @neighbors(ptr %port, ptr %strides) {{\n{t}\n}}\n"


def _loop(lanes: int, tile: int) -> str:
    t = _Routine()
    t.line(f"%flags = alloca [{MOST_PORTS} x i64]")
    t.line(f"%pointers = alloca [{MOST_PORTS} x ptr]")
    t.line("%nothing = alloca i64")
    t.line("store i64 0, ptr %nothing")
    t.line("%memory = alloca ptr")
    t.line("store ptr null, ptr %memory")
    t.line("%tidy = alloca i64")  # 1 while every port can be read where it lies
    t.line("store i64 1, ptr %tidy")
    n = t.get("%dims", 0)
    nin, nargs = t.get("%data", NIN), t.get("%data", NARGS)

    def port(k: str) -> str:
        return t.at("%data", t.i("add", t.i("mul", k, RECORD), HEAD))

    def strides(record: str) -> str:
        return t.at("%steps", t.get(record, STEP))

    with t.loop(nargs) as k:
        record = port(k)
        flag = t.value(f"call i64 @neighbors(ptr {record}, ptr {strides(record)})")
        t.put(flag, "%flags", k)
        t.put(t.i("and", t.get("%tidy", 0), flag), "%tidy", 0)

    def row(k: str, i: str) -> str:
        """Where row `i` of port `k` begins."""
        return t.byte(t.get("%args", k, "ptr"), t.i("mul", i, t.get("%steps", k)))

    def buffer(record: str, width: int) -> str:
        base = t.value("load ptr, ptr %memory")
        return t.at(base, t.i("mul", t.get(record, OFFSET), width), "double")

    def reserve(width: int) -> None:
        """Room for every port, on a boundary of 64 bytes."""
        room = t.i("add", t.i("mul", t.get("%data", ROOM), 8 * width), 64)
        raw = t.value(f"call ptr @torseur.malloc(i64 {room})")
        t.line(f"store ptr {raw}, ptr %raw")
        up = t.i("add", t.value(f"ptrtoint ptr {raw} to i64"), 63)
        even = t.i("and", up, -64)
        t.line(f"store ptr {t.value(f'inttoptr i64 {even} to ptr')}, ptr %memory")

    t.line("%raw = alloca ptr")
    t.line("store ptr null, ptr %raw")

    # several rows: lanes, compiled the first time they are wanted
    several = t.value(f"icmp sgt i64 {n}, 1")
    with t.when(several):
        ready = t.value(f"load atomic i64, ptr {t.at('%data', LANES)} acquire, align 8")
        with t.when(t.value(f"icmp eq i64 {ready}, 0")):
            prepare = t.get("%data", PREPARE, "ptr")
            with t.when(t.value(f"icmp ne ptr {prepare}, null")):
                t.line(f"call void {prepare}()")
    code = t.value(f"load atomic ptr, ptr {t.at('%data', LANES)} acquire, align 8")
    usable = t.value(f"icmp ne ptr {code}, null")
    lanes_wanted = t.value(f"and i1 {several}, {usable}")
    with t.when(lanes_wanted):
        reserve(lanes)
        groups = t.i("sdiv", t.i("add", n, lanes - 1), lanes)
        base = t.value("load ptr, ptr %memory")
        first_out = t.at(base, t.i("mul", t.get(port(nin), OFFSET), lanes), "double")
        with t.loop(groups) as g:
            i = t.i("mul", g, lanes)
            rows = t.least(t.i("sub", n, i), lanes)
            full = t.value(f"icmp eq i64 {rows}, {lanes}")

            def move(k: str, name: str, i=i, rows=rows, full=full) -> None:
                record = port(k)
                size, base, inside = t.get(record, SIZE), row(k, i), buffer(record, lanes)
                outer = t.get("%steps", k)
                near = t.value(f"icmp eq i64 {t.get('%flags', k)}, 1")
                wide = t.value(f"icmp sge i64 {size}, {tile}")
                easy = t.value(f"and i1 {t.value(f'and i1 {near}, {wide}')}, {full}")
                with t.when(easy):
                    args = f"ptr {base}, i64 {outer}, i64 {size}, ptr {inside}"
                    t.line(f"call void @{name}_tiles({args})")
                with t.when(t.value(f"xor i1 {easy}, true")):
                    t.line(
                        f"call void @{name}(ptr {base}, i64 {outer}, ptr {strides(record)}, "
                        f"ptr %nothing, ptr {record}, i64 {rows}, i64 {lanes}, ptr {inside})"
                    )

            with t.loop(nin) as k:
                move(k, "take")
            t.line(f"call void {code}(ptr {base}, ptr {first_out})")
            with t.loop(t.i("sub", nargs, nin)) as j:
                move(t.i("add", j, nin), "give")

    # otherwise one row after the other, where it lies or through a buffer
    with t.when(t.value(f"xor i1 {lanes_wanted}, true")):
        messy = t.value(f"icmp eq i64 {t.get('%tidy', 0)}, 0")
        with t.when(messy):
            reserve(1)
        kernel = t.get("%data", KERNEL, "ptr")
        outs = t.at("%pointers", nin, "ptr")
        with t.loop(n) as i:

            def each(name: str, count: str, ahead: str | int, i=i) -> None:
                with t.loop(count) as j:
                    k = t.i("add", j, ahead)
                    record, where = port(k), row(k, i)
                    if name == "take":
                        t.put(where, "%pointers", k, "ptr")
                    with t.when(t.value(f"icmp eq i64 {t.get('%flags', k)}, 0")):
                        inside = buffer(record, 1)
                        if name == "take":
                            t.put(inside, "%pointers", k, "ptr")
                        moved = t.value(f"icmp slt i64 {k}, {nin}")
                        if name == "give":
                            moved = t.value(f"xor i1 {moved}, true")
                        with t.when(moved):
                            t.line(
                                f"call void @{name}(ptr {where}, i64 0, ptr {strides(record)}, "
                                f"ptr %nothing, ptr {record}, i64 1, i64 1, ptr {inside})"
                            )

            each("take", nargs, 0)
            t.line(f"call i32 {kernel}(ptr %pointers, ptr {outs}, ptr null)")
            with t.when(messy):
                each("give", t.i("sub", nargs, nin), nin)
    t.line(f"call void @torseur.free(ptr {t.value('load ptr, ptr %raw')})")
    t.line("ret void")
    return f"define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {{\n{t}\n}}\n"


# --------------------------------------------------------------------------------------------
# A real NumPy gufunc around native code, made through NumPy's C API.


_DOUBLE = 12  # NPY_DOUBLE
_NO_IDENTITY = -1  # PyUFunc_None
_FROM_FUNC_AND_DATA_AND_SIGNATURE = 31  # place in NumPy's table of functions
_PREPARE = ctypes.CFUNCTYPE(None)


def signature(inputs: Sequence[Port], outputs: Sequence[Port]) -> str:
    """Signature with frozen core dimensions.

    >>> signature([Port("q", (7,)), Port("t", ())], [Port("M", (7, 7))])
    '(7),()->(7,7)'
    """

    def side(ports):
        return ",".join(f"({','.join(map(str, p.shape))})" for p in ports)

    return f"{side(inputs)}->{side(outputs)}"


@once
def _native_loop(lanes: int) -> machine.Code:
    return cache.common(
        b"loop",
        f"loop {lanes}",
        ("loop",),
        ("malloc", "free"),
        lambda: machine.assemble(module(lanes)),
    )


@once
def _maker():
    try:
        from numpy._core import _multiarray_umath as core  # type: ignore[attr-defined]
    except ImportError:  # NumPy 1
        from numpy.core import _multiarray_umath as core
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(get(core._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    p, i, s = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, p, p, p, i, i, i, i, s, s, i, s)
    return kind(table[_FROM_FUNC_AND_DATA_AND_SIGNATURE])


class _Native:
    """Everything the gufunc points at; the gufunc owns it."""

    def __init__(self, name, doc, inputs, outputs, kernel, prepare, keep):
        for port in (*inputs, *outputs):
            if len(port.shape) > MOST_DIMS:
                raise KernelError(f"port {port.name!r} has more than {MOST_DIMS} dimensions")
        count = len(inputs) + len(outputs)
        if count > MOST_PORTS:
            raise KernelError(f"{name!r} has {count} ports; at most {MOST_PORTS} are possible")
        self.numbers = np.array(describe(inputs, outputs), dtype=np.int64)
        self.numbers[KERNEL] = kernel
        self.keep, self.code = [keep], _native_loop(machine.lanes())

        def ready() -> None:
            asked = int(self.numbers[PREPARE])
            self.numbers[PREPARE] = 0  # whatever happens, ask once: rows still go one by one
            try:
                address, owner = prepare()
            except KeyboardInterrupt:  # no way out of a callback
                self.numbers[PREPARE] = asked
                return press_again()
            self.keep.append(owner)
            self.numbers[LANES] = address

        if prepare is not None:
            self.callback = _PREPARE(ready)
            self.numbers[PREPARE] = ctypes.cast(self.callback, ctypes.c_void_p).value or 0
        self.loops = (ctypes.c_void_p * 1)(self.code["loop"])
        self.data = (ctypes.c_void_p * 1)(self.numbers.ctypes.data)
        self.types = ctypes.create_string_buffer(bytes([_DOUBLE] * count))
        self.text = [s.encode() for s in (name, doc, signature(inputs, outputs))]


def make(
    name: str,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    kernel: int,
    prepare: Callable[[], tuple[int, object]] | None = None,
    doc: str = "",
    keep: object = None,
) -> np.ufunc:
    """Gufunc that runs a kernel over leading axes.

    Parameters
    ----------
    kernel : int
        Address of `int32 k(const double *const *in, double *const *out, double *work)`.
    prepare : callable, optional
        Called once, when a batch comes: gives the address of `void (const double *in, double *out)`
        for one state per SIMD lane, and the object that keeps that code alive.
    keep : object
        Kept alive as long as the gufunc.
    """
    native = _Native(name, doc, inputs, outputs, kernel, prepare, keep)
    label, doc_text, sign = native.text
    made = _maker()(
        ctypes.addressof(native.loops),
        ctypes.addressof(native.data),
        ctypes.addressof(native.types),
        1,
        len(inputs),
        len(outputs),
        _NO_IDENTITY,
        label,
        doc_text,
        0,
        sign,
    )
    _give(made, native)
    return made


class _UFuncObject(ctypes.Structure):
    """The public head of `PyUFuncObject`, as far as the reference that it owns."""

    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__),
        *((n, ctypes.c_int) for n in ("nin", "nout", "nargs", "identity")),
        *((n, ctypes.c_void_p) for n in ("functions", "data")),
        *((n, ctypes.c_int) for n in ("ntypes", "reserved")),
        *((n, ctypes.c_void_p) for n in ("name", "types", "doc", "ptr", "obj")),
    )


def _give(ufunc: np.ufunc, native: _Native) -> None:
    """Let the gufunc own `native`: its field `obj` is released when the gufunc is."""
    inside = _UFuncObject.from_address(id(ufunc))
    if inside.data != ctypes.addressof(native.data) or inside.obj is not None:
        raise KernelError("this NumPy lays out its ufuncs in an unknown way")
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(native))
    inside.obj = id(native)
    if not gc.is_tracked(ufunc):  # the kernel may hold the gufunc: let the collector see the ring
        ctypes.pythonapi.PyObject_GC_Track(ctypes.py_object(ufunc))

"""Gufunc loop: the inner loop that NumPy calls, one native function for all kernels.

A record of integers describes the kernel to the loop (`describe_ports`).  Rows of a batch are
brought into SIMD lanes by transposing small tiles in registers where the elements of a row are
contiguous, and number by number otherwise.  A last group that is not full repeats its last row, so
that no lane computes with an invalid state.
"""

import ctypes
import gc
from collections.abc import Callable, Sequence
from functools import cache as once, partial

import numpy as np

from ...errors import KernelError
from ...keyboard import resend_interrupt
from ..codegen.llvm_builder import IRBuilder, transpose_tile
from ..program.ports import Port
from . import cache, machine

KERNEL, LANES, PREPARE, NIN, NARGS, BUFFER_SIZE, HEAD = range(7)
OFFSET, SIZE, NDIM, DIMS, STEP, RECORD = 0, 1, 2, 3, 6, 7
MAX_DIMENSIONS, MAX_PORTS = 3, 32


def describe_ports(inputs: Sequence[Port], outputs: Sequence[Port]) -> list[int]:
    """Record of integers about the ports of a kernel.  Addresses are filled in later."""
    ports = (*inputs, *outputs)
    numbers = [0] * HEAD
    numbers[NIN], numbers[NARGS] = len(inputs), len(ports)
    offset, step = 0, len(ports)
    for port in ports:
        dims = (*port.shape, *[1] * (MAX_DIMENSIONS - len(port.shape)))
        numbers += [offset, port.size, len(port.shape), *dims, step]
        offset += port.size
        step += len(port.shape)
    numbers[BUFFER_SIZE] = offset
    return numbers


def write_module(lanes: int) -> str:
    """LLVM IR of `@loop`, a `PyUFuncGenericFunction`, for a number of SIMD lanes."""
    tile = min(lanes, 4)
    return "\n".join(
        (
            "declare ptr @torseur.malloc(i64)\ndeclare void @torseur.free(ptr)\n",
            _write_strided_copy(reading=True),
            _write_strided_copy(reading=False),
            _write_tile_copy(lanes, tile, reading=True),
            _write_tile_copy(lanes, tile, reading=False),
            _write_contiguity_test(),
            _write_loop(lanes, tile),
        )
    )


class _IntegerBuilder(IRBuilder):
    """Function body on integers and pointers."""

    def __init__(self):
        super().__init__(1, False)
        self.start_block("entry")

    def integer_op(self, op: str, a: str | int, b: str | int) -> str:
        return self.emit_value(f"{op} i64 {a}, {b}")

    def element_pointer(self, base: str, index: str | int, kind: str = "i64") -> str:
        return self.emit_value(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def load_element(self, base: str, index: str | int, kind: str = "i64") -> str:
        return self.emit_value(
            f"load {kind}, ptr {self.element_pointer(base, index, kind)}, align 8"
        )

    def store_element(self, value: str, base: str, index: str | int, kind: str = "i64") -> None:
        self.emit_line(
            f"store {kind} {value}, ptr {self.element_pointer(base, index, kind)}, align 8"
        )

    def minimum(self, a: str | int, b: str | int) -> str:
        less = self.emit_value(f"icmp slt i64 {a}, {b}")
        return self.emit_value(f"select i1 {less}, i64 {a}, i64 {b}")

    def byte_pointer(self, base: str, offset: str) -> str:
        return self.element_pointer(base, offset, "i8")


def _write_strided_copy(reading: bool) -> str:
    """Function that copies a port number by number, any strides: rows to lanes, or back."""
    ir = _IntegerBuilder()
    d = [ir.load_element("%port", DIMS + k) for k in range(MAX_DIMENSIONS)]
    used, stride = ir.load_element("%port", NDIM), []
    for k in range(MAX_DIMENSIONS):  # a missing dimension has size 1, so stride 0
        exists = ir.emit_value(f"icmp slt i64 {k}, {used}")
        dimension = ir.emit_value(f"select i1 {exists}, i64 {k}, i64 0")
        step = ir.emit_value(f"select i1 {exists}, ptr %strides, ptr %nothing")
        stride.append(ir.load_element(step, dimension))
    top = ir.integer_op("sub", "%rows", 1)
    with ir.count_loop("%lanes" if reading else "%rows") as lane:
        row = ir.byte_pointer("%base", ir.integer_op("mul", ir.minimum(lane, top), "%outer"))
        with ir.count_loop(d[0]) as a:
            pa, na = (
                ir.byte_pointer(row, ir.integer_op("mul", a, stride[0])),
                ir.integer_op("mul", a, d[1]),
            )
            with ir.count_loop(d[1]) as b:
                pb, nb = (
                    ir.byte_pointer(pa, ir.integer_op("mul", b, stride[1])),
                    ir.integer_op("mul", ir.integer_op("add", na, b), d[2]),
                )
                with ir.count_loop(d[2]) as c:
                    strided = ir.byte_pointer(pb, ir.integer_op("mul", c, stride[2]))
                    flat = ir.integer_op(
                        "add", ir.integer_op("mul", ir.integer_op("add", nb, c), "%lanes"), lane
                    )
                    packed = ir.element_pointer("%buffer", flat, "double")
                    source, target = (strided, packed) if reading else (packed, strided)
                    ir.store_value(ir.load_value(source, 8), target, 8)
    ir.emit_line("ret void")
    name = "take" if reading else "give"
    args = "ptr %base, i64 %outer, ptr %strides, ptr %nothing, ptr %port, i64 %rows"
    return f"define internal void @{name}({args}, i64 %lanes, ptr %buffer) {{\n{ir}\n}}\n"


def _write_tile_copy(lanes: int, tile: int, reading: bool) -> str:
    """Function that copies full groups of contiguous rows, tile by tile."""
    ir = _IntegerBuilder()
    kind = f"<{tile} x double>"
    last = ir.integer_op("sub", "%size", tile)
    count = ir.integer_op("sdiv", ir.integer_op("add", "%size", tile - 1), tile)
    with ir.count_loop(count) as block:
        # the last tile overlaps its neighbor
        first = ir.minimum(ir.integer_op("mul", block, tile), last)
        for group in range(0, lanes, tile):
            pointers = []
            for k in range(tile):
                row = ir.byte_pointer("%base", ir.integer_op("mul", "%outer", group + k))
                position = ir.integer_op(
                    "add", ir.integer_op("mul", ir.integer_op("add", first, k), lanes), group
                )
                pointers.append(
                    (
                        ir.element_pointer(row, first, "double"),
                        ir.element_pointer("%buffer", position, "double"),
                    )
                )
            source, target = (0, 1) if reading else (1, 0)
            load_align, store_align = (8 * tile, 8) if not reading else (8, 8 * tile)
            rows = [
                ir.emit_value(f"load {kind}, ptr {p[source]}, align {load_align}") for p in pointers
            ]
            for p, column in zip(pointers, transpose_tile(ir, rows), strict=True):
                ir.emit_line(f"store {kind} {column}, ptr {p[target]}, align {store_align}")
    ir.emit_line("ret void")
    name = "take_tiles" if reading else "give_tiles"
    parameters = "ptr %base, i64 %outer, i64 %size, ptr %buffer"
    return f"define internal void @{name}({parameters}) {{\n{ir}\n}}\n"


def _write_contiguity_test() -> str:
    """Function that tests whether the elements of one row of a port are contiguous."""
    ir = _IntegerBuilder()
    ir.emit_line("%fine = alloca i64")
    ir.emit_line("store i64 1, ptr %fine")
    ir.emit_line("%want = alloca i64")
    ir.emit_line("store i64 8, ptr %want")
    used = ir.load_element("%port", NDIM)
    with ir.count_loop(used) as k:
        back = ir.integer_op("sub", ir.integer_op("sub", used, 1), k)
        d = ir.load_element("%port", ir.integer_op("add", back, DIMS))
        stride = ir.load_element("%want", 0)
        differs = ir.emit_value(f"icmp ne i64 {ir.load_element('%strides', back)}, {stride}")
        several = ir.emit_value(f"icmp ne i64 {d}, 1")
        with ir.if_then(ir.emit_value(f"and i1 {differs}, {several}")):
            ir.emit_line("store i64 0, ptr %fine")
        ir.store_element(ir.integer_op("mul", stride, d), "%want", 0)
    ir.emit_line(f"ret i64 {ir.load_element('%fine', 0)}")
    return f"define internal i64 @neighbors(ptr %port, ptr %strides) {{\n{ir}\n}}\n"


def _write_loop(lanes: int, tile: int) -> str:
    """Function `@loop`: lanes for several rows, else one row after the other.

    It is one template of native text, longer than 60 lines: its blocks share labels and values.
    """
    ir = _IntegerBuilder()
    ir.emit_line(f"%flags = alloca [{MAX_PORTS} x i64]")
    ir.emit_line(f"%pointers = alloca [{MAX_PORTS} x ptr]")
    ir.emit_line("%nothing = alloca i64")
    ir.emit_line("store i64 0, ptr %nothing")
    ir.emit_line("%memory = alloca ptr")
    ir.emit_line("store ptr null, ptr %memory")
    ir.emit_line("%tidy = alloca i64")  # 1 while every port can be read where it lies
    ir.emit_line("store i64 1, ptr %tidy")
    n = ir.load_element("%dims", 0)
    nin, nargs = ir.load_element("%data", NIN), ir.load_element("%data", NARGS)

    def port_record(k: str) -> str:
        return ir.element_pointer(
            "%data", ir.integer_op("add", ir.integer_op("mul", k, RECORD), HEAD)
        )

    def port_strides(record: str) -> str:
        return ir.element_pointer("%steps", ir.load_element(record, STEP))

    with ir.count_loop(nargs) as k:
        record = port_record(k)
        flag = ir.emit_value(f"call i64 @neighbors(ptr {record}, ptr {port_strides(record)})")
        ir.store_element(flag, "%flags", k)
        ir.store_element(ir.integer_op("and", ir.load_element("%tidy", 0), flag), "%tidy", 0)

    def row_pointer(k: str, i: str) -> str:
        """Where row `i` of port `k` begins."""
        return ir.byte_pointer(
            ir.load_element("%args", k, "ptr"),
            ir.integer_op("mul", i, ir.load_element("%steps", k)),
        )

    def buffer_pointer(record: str, width: int) -> str:
        base = ir.emit_value("load ptr, ptr %memory")
        return ir.element_pointer(
            base, ir.integer_op("mul", ir.load_element(record, OFFSET), width), "double"
        )

    def allocate_buffer(width: int) -> None:
        """Room for every port, on a boundary of 64 bytes."""
        size = ir.integer_op(
            "add", ir.integer_op("mul", ir.load_element("%data", BUFFER_SIZE), 8 * width), 64
        )
        raw = ir.emit_value(f"call ptr @torseur.malloc(i64 {size})")
        ir.emit_line(f"store ptr {raw}, ptr %raw")
        end = ir.integer_op("add", ir.emit_value(f"ptrtoint ptr {raw} to i64"), 63)
        aligned = ir.integer_op("and", end, -64)
        ir.emit_line(f"store ptr {ir.emit_value(f'inttoptr i64 {aligned} to ptr')}, ptr %memory")

    ir.emit_line("%raw = alloca ptr")
    ir.emit_line("store ptr null, ptr %raw")

    # several rows: SIMD lanes, compiled at their first use
    several = ir.emit_value(f"icmp sgt i64 {n}, 1")
    with ir.if_then(several):
        simd_code = ir.emit_value(
            f"load atomic i64, ptr {ir.element_pointer('%data', LANES)} acquire, align 8"
        )
        with ir.if_then(ir.emit_value(f"icmp eq i64 {simd_code}, 0")):
            prepare = ir.load_element("%data", PREPARE, "ptr")
            with ir.if_then(ir.emit_value(f"icmp ne ptr {prepare}, null")):
                ir.emit_line(f"call void {prepare}()")
    code = ir.emit_value(
        f"load atomic ptr, ptr {ir.element_pointer('%data', LANES)} acquire, align 8"
    )
    usable = ir.emit_value(f"icmp ne ptr {code}, null")
    use_lanes = ir.emit_value(f"and i1 {several}, {usable}")
    with ir.if_then(use_lanes):
        allocate_buffer(lanes)
        groups = ir.integer_op("sdiv", ir.integer_op("add", n, lanes - 1), lanes)
        base = ir.emit_value("load ptr, ptr %memory")
        first_out = ir.element_pointer(
            base, ir.integer_op("mul", ir.load_element(port_record(nin), OFFSET), lanes), "double"
        )
        with ir.count_loop(groups) as g:
            i = ir.integer_op("mul", g, lanes)
            rows = ir.minimum(ir.integer_op("sub", n, i), lanes)
            full = ir.emit_value(f"icmp eq i64 {rows}, {lanes}")

            def copy_port(
                k: str, name: str, i: str = i, rows: str = rows, full: str = full
            ) -> None:
                record = port_record(k)
                size, base, packed = (
                    ir.load_element(record, SIZE),
                    row_pointer(k, i),
                    buffer_pointer(record, lanes),
                )
                outer = ir.load_element("%steps", k)
                contiguous = ir.emit_value(f"icmp eq i64 {ir.load_element('%flags', k)}, 1")
                has_tile = ir.emit_value(f"icmp sge i64 {size}, {tile}")
                use_tiles = ir.emit_value(
                    f"and i1 {ir.emit_value(f'and i1 {contiguous}, {has_tile}')}, {full}"
                )
                with ir.if_then(use_tiles):
                    args = f"ptr {base}, i64 {outer}, i64 {size}, ptr {packed}"
                    ir.emit_line(f"call void @{name}_tiles({args})")
                with ir.if_then(ir.emit_value(f"xor i1 {use_tiles}, true")):
                    ir.emit_line(
                        f"call void @{name}(ptr {base}, i64 {outer}, ptr {port_strides(record)}, "
                        f"ptr %nothing, ptr {record}, i64 {rows}, i64 {lanes}, ptr {packed})"
                    )

            with ir.count_loop(nin) as k:
                copy_port(k, "take")
            ir.emit_line(f"call void {code}(ptr {base}, ptr {first_out})")
            with ir.count_loop(ir.integer_op("sub", nargs, nin)) as j:
                copy_port(ir.integer_op("add", j, nin), "give")

    # otherwise one row after the other, where it lies or through a buffer
    with ir.if_then(ir.emit_value(f"xor i1 {use_lanes}, true")):
        strided = ir.emit_value(f"icmp eq i64 {ir.load_element('%tidy', 0)}, 0")
        with ir.if_then(strided):
            allocate_buffer(1)
        kernel = ir.load_element("%data", KERNEL, "ptr")
        outs = ir.element_pointer("%pointers", nin, "ptr")
        with ir.count_loop(n) as i:

            def copy_row(name: str, count: str, first: str | int, i: str = i) -> None:
                with ir.count_loop(count) as j:
                    k = ir.integer_op("add", j, first)
                    record, where = port_record(k), row_pointer(k, i)
                    if name == "take":
                        ir.store_element(where, "%pointers", k, "ptr")
                    with ir.if_then(
                        ir.emit_value(f"icmp eq i64 {ir.load_element('%flags', k)}, 0")
                    ):
                        packed = buffer_pointer(record, 1)
                        if name == "take":
                            ir.store_element(packed, "%pointers", k, "ptr")
                        is_copied = ir.emit_value(f"icmp slt i64 {k}, {nin}")
                        if name == "give":
                            is_copied = ir.emit_value(f"xor i1 {is_copied}, true")
                        with ir.if_then(is_copied):
                            ir.emit_line(
                                f"call void @{name}(ptr {where}, i64 0, "
                                f"ptr {port_strides(record)}, "
                                f"ptr %nothing, ptr {record}, i64 1, i64 1, ptr {packed})"
                            )

            copy_row("take", nargs, 0)
            ir.emit_line(f"call i32 {kernel}(ptr %pointers, ptr {outs}, ptr null)")
            with ir.if_then(strided):
                copy_row("give", ir.integer_op("sub", nargs, nin), nin)
    ir.emit_line(f"call void @torseur.free(ptr {ir.emit_value('load ptr, ptr %raw')})")
    ir.emit_line("ret void")
    return f"define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {{\n{ir}\n}}\n"


_DOUBLE = 12  # NPY_DOUBLE
_NO_IDENTITY = -1  # PyUFunc_None
_FROM_FUNC_AND_DATA_AND_SIGNATURE = 31  # index in NumPy's table of functions
_PREPARE = ctypes.CFUNCTYPE(None)


def format_signature(inputs: Sequence[Port], outputs: Sequence[Port]) -> str:
    """Gufunc signature with frozen core dimensions.

    >>> format_signature([Port("q", (7,)), Port("ir", ())], [Port("M", (7, 7))])
    '(7),()->(7,7)'
    """

    def format_ports(ports: Sequence[Port]):
        return ",".join(f"({','.join(map(str, p.shape))})" for p in ports)

    return f"{format_ports(inputs)}->{format_ports(outputs)}"


@once
def _load_loop(lanes: int) -> machine.Code:
    """Compiled loop for a number of lanes."""
    return cache.load_or_build_shared(
        b"loop",
        f"loop {lanes}",
        ("loop",),
        ("malloc", "free"),
        lambda: machine.compile_module(write_module(lanes)),
    )


@once
def _get_ufunc_constructor():
    """`PyUFunc_FromFuncAndDataAndSignatureAndIdentity` of NumPy's C API."""
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


class _UfuncData:
    """Memory that the gufunc points at, owned by the gufunc."""

    def __init__(
        self,
        name: str,
        doc: str,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        kernel: int,
        prepare: Callable[[], tuple[int, object]] | None,
        keepalive: object,
    ):
        """Check the ports, and fill the record of the loop."""
        for port in (*inputs, *outputs):
            if len(port.shape) > MAX_DIMENSIONS:
                raise KernelError(f"port {port.name!r} has more than {MAX_DIMENSIONS} dimensions")
        count = len(inputs) + len(outputs)
        if count > MAX_PORTS:
            raise KernelError(f"{name!r} has {count} ports; at most {MAX_PORTS} are possible")
        self.numbers = np.array(describe_ports(inputs, outputs), dtype=np.int64)
        self.numbers[KERNEL] = kernel
        self.keepalive, self.code = [keepalive], _load_loop(machine.lanes())
        if prepare is not None:
            self.callback = _PREPARE(partial(self._compile_simd, prepare))
            self.numbers[PREPARE] = ctypes.cast(self.callback, ctypes.c_void_p).value or 0
        self.loops = (ctypes.c_void_p * 1)(self.code["loop"])
        self.data = (ctypes.c_void_p * 1)(self.numbers.ctypes.data)
        self.types = ctypes.create_string_buffer(bytes([_DOUBLE] * count))
        self.text = [s.encode() for s in (name, doc, format_signature(inputs, outputs))]

    def _compile_simd(self, prepare: Callable[[], tuple[int, object]]) -> None:
        """Compile the code for SIMD lanes, when the loop gets its first batch."""
        callback = int(self.numbers[PREPARE])
        self.numbers[PREPARE] = 0  # only once, even if it fails: rows are then run one by one
        try:
            address, code = prepare()
        except KeyboardInterrupt:  # cannot leave a callback
            self.numbers[PREPARE] = callback
            return resend_interrupt()
        self.keepalive.append(code)
        self.numbers[LANES] = address


def create_gufunc(
    name: str,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    kernel: int,
    prepare: Callable[[], tuple[int, object]] | None = None,
    doc: str = "",
    keepalive: object = None,
) -> np.ufunc:
    """Gufunc that runs a kernel over leading axes.

    Parameters
    ----------
    kernel : int
        Address of `int32 k(const double *const *in, double *const *out, double *work)`.
    prepare : callable, optional
        Called once, when a batch comes.  It returns the address of `void (const double *in, double
        *out)` for one state per SIMD lane, and the owner of that code.
    keepalive : object
        Kept alive as long as the gufunc.
    """
    native = _UfuncData(name, doc, inputs, outputs, kernel, prepare, keepalive)
    label, doc_text, signature_text = native.text
    ufunc = _get_ufunc_constructor()(
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
        signature_text,
    )
    _attach_data(ufunc, native)
    return ufunc


class _UFuncObject(ctypes.Structure):
    """The public head of `PyUFuncObject`, up to the reference that it owns."""

    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__),
        *((n, ctypes.c_int) for n in ("nin", "nout", "nargs", "identity")),
        *((n, ctypes.c_void_p) for n in ("functions", "data")),
        *((n, ctypes.c_int) for n in ("ntypes", "reserved")),
        *((n, ctypes.c_void_p) for n in ("name", "types", "doc", "ptr", "obj")),
    )


def _attach_data(ufunc: np.ufunc, native: _UfuncData) -> None:
    """Let the gufunc own `native`: its field `obj` is released with the gufunc."""
    fields = _UFuncObject.from_address(id(ufunc))
    if fields.data != ctypes.addressof(native.data) or fields.obj is not None:
        raise KernelError("the memory layout of ufuncs of this NumPy version is not supported")
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(native))
    fields.obj = id(native)
    if not gc.is_tracked(ufunc):  # the kernel may hold the gufunc: let the collector see the ring
        ctypes.pythonapi.PyObject_GC_Track(ctypes.py_object(ufunc))

"""Fast call: a built-in function (vectorcall) around a kernel, for one state in plain arrays.

NumPy's gufunc machinery takes longer than the inverse dynamics of a robot.  Where every argument is
exactly the array that the kernel reads (aligned, contiguous, doubles, right shape) and no option is
used, a native function reads the arrays, creates the results and calls the kernel.  In any other
case it calls the general function.  One native function serves all kernels.  A table behind `self`
describes the kernel.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache as once
from typing import Any

import numpy as np

from ..program.ports import Port
from . import cache, machine

HEAD, RECORD, MAX_PORTS = 11, 4, 12
"""Record: head, then (dimensions, sizes...) for each port, then (port, position) of quaternions."""
_DATA, _ND, _DIMS, _DESCR, _FLAGS = 16, 24, 32, 56, 64  # offsets in an array object [bytes]
_REQUIRED_FLAGS = 0x0001 | 0x0100  # C-contiguous and aligned
_PYARRAY_NEW = 93  # index in NumPy's table of functions
_DOUBLE = 12
UNIT_LENGTH_ATOL = "0x3D10000000000000"  # 64 eps: a square of a length this near to one is one
_VARARGS_FAST_KEYWORDS = 0x0080 | 0x0002


def _write_module() -> str:
    """LLVM IR of `ptr @fast(self, args, nargs, names)`, a vectorcall of a built-in function.

    It is one template of native text, longer than 60 lines: its blocks share labels and values.
    """
    lines: list[str] = []
    count = iter(range(10_000))

    def define(text: str) -> str:
        name = f"%v{next(count)}"
        lines.append(f"  {name} = {text}")
        return name

    def load_integer(index: str) -> str:
        return define(f"load i64, ptr {define(f'getelementptr i64, ptr %table, i64 {index}')}")

    def to_pointer(number: str) -> str:
        return define(f"inttoptr i64 {number} to ptr")

    def load_field(base: str, offset: int, kind: str) -> str:
        return define(f"load {kind}, ptr {define(f'getelementptr i8, ptr {base}, i64 {offset}')}")

    def emit(text: str) -> None:
        lines.append(f"  {text}")

    def start_block(name: str) -> None:
        lines.append(f"{name}:")

    start_block("entry")
    emit(f"%in = alloca [{MAX_PORTS} x ptr]")
    emit(f"%out = alloca [{MAX_PORTS} x ptr]")
    emit(f"%made = alloca [{MAX_PORTS} x ptr]")
    emit(f"%table = load ptr, ptr {define(f'getelementptr i8, ptr %self, i64 {_DATA}')}")
    nin, nout = load_integer("0"), load_integer("1")
    kind, descr = to_pointer(load_integer("2")), to_pointer(load_integer("3"))
    new, general_call = to_pointer(load_integer("4")), to_pointer(load_integer("5"))
    general, kernel = to_pointer(load_integer("6")), to_pointer(load_integer("7"))
    make_tuple = to_pointer(load_integer("8"))
    n_quaternions, first_quaternion = load_integer("9"), load_integer("10")
    is_simple = define(
        f"and i1 {define('icmp eq ptr %names, null')}, {define(f'icmp eq i64 %nargs, {nin}')}"
    )
    emit(f"br i1 {is_simple}, label %check, label %hand_over")

    start_block("check")
    emit("%i = phi i64 [0, %entry], [%i1, %checked]")
    x = define(f"load ptr, ptr {define('getelementptr ptr, ptr %args, i64 %i')}")
    field = load_field(x, 8, "ptr")
    emit(f"br i1 {define(f'icmp eq ptr {field}, {kind}')}, label %array, label %hand_over")
    start_block("array")
    field = load_field(x, _DESCR, "ptr")
    matches = define(f"icmp eq ptr {field}, {descr}")
    field = load_field(x, _FLAGS, "i32")
    flags = define(f"and i32 {field}, {_REQUIRED_FLAGS}")
    matches = define(f"and i1 {matches}, {define(f'icmp eq i32 {flags}, {_REQUIRED_FLAGS}')}")
    record = define(f"add i64 {define(f'mul i64 %i, {RECORD}')}, {HEAD}")
    nd = load_integer(record)
    field = load_field(x, _ND, "i32")
    same = define(f"icmp eq i64 {define(f'sext i32 {field} to i64')}, {nd}")
    emit(f"br i1 {define(f'and i1 {matches}, {same}')}, label %shape, label %hand_over")
    start_block("shape")
    dims = load_field(x, _DIMS, "ptr")
    emit("br label %size")
    start_block("size")
    emit("%d = phi i64 [0, %shape], [%d1, %size_good]")
    emit(f"br i1 {define(f'icmp slt i64 %d, {nd}')}, label %size_check, label %checked")
    start_block("size_check")
    actual = define(f"load i64, ptr {define(f'getelementptr i64, ptr {dims}, i64 %d')}")
    index = define(f"add i64 {record}, %d")
    expected = load_integer(define(f"add i64 {index}, 1"))
    emit(f"br i1 {define(f'icmp eq i64 {actual}, {expected}')}, label %size_good, label %hand_over")
    start_block("size_good")
    emit("%d1 = add i64 %d, 1")
    emit("br label %size")
    start_block("checked")
    field = load_field(x, _DATA, "ptr")
    emit(f"store ptr {field}, ptr {define('getelementptr ptr, ptr %in, i64 %i')}")
    emit("%i1 = add i64 %i, 1")
    emit(f"br i1 {define(f'icmp slt i64 %i1, {nin}')}, label %check, label %quaternions")

    start_block("quaternions")  # without unit length, or NaN: the general function
    emit("%n = phi i64 [0, %checked], [%n1, %quaternion_valid]")
    emit(f"br i1 {define(f'icmp slt i64 %n, {n_quaternions}')}, label %quaternion, label %ready")
    start_block("quaternion")
    pair = define(f"add i64 {first_quaternion}, {define('shl i64 %n, 1')}")
    port, index = load_integer(pair), load_integer(define(f"add i64 {pair}, 1"))
    base = define(f"load ptr, ptr {define(f'getelementptr ptr, ptr %in, i64 {port}')}")
    square = "-1.0"
    for k in range(4):
        pointer = define(f"getelementptr double, ptr {base}, i64 {define(f'add i64 {index}, {k}')}")
        x = define(f"load double, ptr {pointer}")
        square = define(f"fadd double {define(f'fmul double {x}, {x}')}, {square}")
    size = define(f"call double @llvm.fabs.f64(double {square})")
    emit(
        f"br i1 {define(f'fcmp ole double {size}, {UNIT_LENGTH_ATOL}')}, "
        "label %quaternion_valid, label %hand_over"
    )
    start_block("quaternion_valid")
    emit("%n1 = add i64 %n, 1")
    emit("br label %quaternions")
    start_block("ready")
    emit("br label %results")

    start_block("results")
    emit("%o = phi i64 [0, %ready], [%o1, %result_good]")
    index = define(f"add i64 %o, {nin}")
    record = define(f"add i64 {define(f'mul i64 {index}, {RECORD}')}, {HEAD}")
    nd32 = define(f"trunc i64 {load_integer(record)} to i32")
    sizes = define(f"getelementptr i64, ptr %table, i64 {define(f'add i64 {record}, 1')}")
    y = define(
        f"call ptr {new}(ptr {kind}, i32 {nd32}, ptr {sizes}, i32 {_DOUBLE}, ptr null, ptr null, "
        "i32 0, i32 0, ptr null)"
    )
    emit(f"br i1 {define(f'icmp eq ptr {y}, null')}, label %failed, label %result_good")
    start_block("result_good")
    emit(f"store ptr {y}, ptr {define('getelementptr ptr, ptr %made, i64 %o')}")
    field = load_field(y, _DATA, "ptr")
    emit(f"store ptr {field}, ptr {define('getelementptr ptr, ptr %out, i64 %o')}")
    emit("%o1 = add i64 %o, 1")
    emit(f"br i1 {define(f'icmp slt i64 %o1, {nout}')}, label %results, label %run")

    start_block("run")
    define(f"call i32 {kernel}(ptr %in, ptr %out, ptr null)")
    emit(f"br i1 {define(f'icmp eq i64 {nout}, 1')}, label %single, label %several")
    start_block("single")
    emit(f"ret ptr {define('load ptr, ptr %made')}")
    start_block("several")
    result_tuple = define(f"call ptr {make_tuple}(i64 {nout})")
    emit(f"br i1 {define(f'icmp eq ptr {result_tuple}, null')}, label %failed, label %fill")
    start_block("fill")
    items = define(f"getelementptr i8, ptr {result_tuple}, i64 {tuple.__basicsize__}")
    emit("br label %item")
    start_block("item")
    emit("%k = phi i64 [0, %fill], [%k1, %item]")
    item = define(f"load ptr, ptr {define('getelementptr ptr, ptr %made, i64 %k')}")
    emit(f"store ptr {item}, ptr {define(f'getelementptr ptr, ptr {items}, i64 %k')}")
    emit("%k1 = add i64 %k, 1")
    emit(f"br i1 {define(f'icmp slt i64 %k1, {nout}')}, label %item, label %packed")
    start_block("packed")
    emit(f"ret ptr {result_tuple}")
    start_block("failed")  # out of memory: the exception is set
    emit("ret ptr null")
    start_block("hand_over")
    emit(
        "ret ptr "
        + define(f"call ptr {general_call}(ptr {general}, ptr %args, i64 %nargs, ptr %names)")
    )
    body = "\n".join(lines)
    declared = "declare double @llvm.fabs.f64(double)\n"
    return (
        f"{declared}define ptr @fast(ptr %self, ptr %args, i64 %nargs, ptr %names) {{\n{body}\n}}\n"
    )


@once
def _load_code() -> machine.Code:
    """Compiled fast call."""
    return cache.load_or_build_shared(
        b"fastcall", "fast", ("fast",), (), lambda: machine.compile_module(_write_module())
    )


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@once
def is_supported() -> bool:
    """Whether this interpreter and this NumPy lay out their objects as the native text expects."""
    if sys.implementation.name != "cpython" or object.__basicsize__ != 16 or sys.maxsize < 2**62:
        return False
    sample = np.zeros((2, 3))

    def read_field(offset: int, kind: Any) -> Any:
        return kind.from_address(id(sample) + offset).value

    dims = ctypes.cast(read_field(_DIMS, ctypes.c_void_p), ctypes.POINTER(ctypes.c_int64))
    return (
        read_field(_DATA, ctypes.c_void_p) == sample.ctypes.data
        and read_field(_ND, ctypes.c_int) == 2
        and (dims[0], dims[1]) == (2, 3)
        and read_field(_DESCR, ctypes.c_void_p) == id(np.dtype(float))
        and read_field(_FLAGS, ctypes.c_int) & _REQUIRED_FLAGS == _REQUIRED_FLAGS
    )


@once
def _find_numpy_new() -> int:
    """Address of `PyArray_New` of NumPy's C API."""
    try:
        from numpy._core import _multiarray_umath as core  # type: ignore[attr-defined]
    except ImportError:  # NumPy 1
        from numpy.core import _multiarray_umath as core
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.cast(get(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))[_PYARRAY_NEW]


def make(
    name: str,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    kernel: int,
    general: Callable,
    keep: object,
    doc: str = "",
    quaternions: Sequence[tuple[int, int]] = (),
) -> Callable | None:
    """Built-in function with the fast path to a kernel, which calls `general` otherwise.

    `kernel` is the address of `int32 k(in, out, work)`.  `quaternions` are (input, position) of
    those that must have unit length for the fast path.  Returns None where the fast path is not
    possible.
    """
    ports = (*inputs, *outputs)
    if (
        not is_supported()
        or not inputs
        or not outputs
        or len(ports) > MAX_PORTS
        or any(len(p.shape) >= RECORD or not p.size for p in ports)
        or any(p.shape == () for p in outputs)
    ):  # a gufunc gives numbers, not arrays
        return None

    api = ctypes.pythonapi
    table = [
        len(inputs),
        len(outputs),
        id(np.ndarray),
        id(np.dtype(float)),
        _find_numpy_new(),
        machine.get_address(api.PyObject_Vectorcall),
        id(general),
        kernel,
        machine.get_address(api.PyTuple_New),
        len(quaternions),
        HEAD + RECORD * len(ports),
    ]
    for p in ports:
        table += [len(p.shape), *p.shape, *[0] * (RECORD - 1 - len(p.shape))]
    table += [x for pair in quaternions for x in pair]
    definition = _MethodDef(
        name.encode(), _load_code()["fast"], _VARARGS_FAST_KEYWORDS, doc.encode()
    )
    numbers = _Table(table, (general, keep, _load_code(), definition))
    build = api.PyCFunction_NewEx
    build.restype, build.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p),
    )
    return build(ctypes.addressof(definition), numbers, None)


class _Table(np.ndarray):
    """Record of integers that keeps alive the objects that it points at."""

    keepalive: Any

    def __new__(cls, numbers: Sequence[int], keep: tuple):
        self = np.array(numbers, dtype=np.int64).view(cls)
        self.keepalive = keep
        return self

    def __reduce__(self):
        """Pickle a built-in function as an attribute of its `self`: here of its owner."""
        owner = getattr(self.keepalive[0], "__self__", None)
        if owner is None:
            raise TypeError("cannot pickle a fast call of a kernel without an owner")
        return _return_owner, (owner,)


def _return_owner(x):
    return x

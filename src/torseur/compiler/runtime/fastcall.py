"""The short way from Python to a kernel, for one state in plain arrays.

NumPy's gufunc machinery takes longer than a robot's inverse dynamics.  Where every argument is
exactly what the kernel reads (an aligned, contiguous array of doubles of the right shape) and no
option is given, a native function reads the arrays, makes the results and calls the kernel; in any
other case it hands everything over to the general way.  One text serves all kernels: what it needs
to know stands in a table behind `self`.
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

HEAD, RECORD, MOST = 11, 4, 12
"""Table: head, then (dimensions, sizes...) for each port, then (port, place) of quaternions."""
_DATA, _ND, _DIMS, _DESCR, _FLAGS = 16, 24, 32, 56, 64  # places in an array object
_WANTED = 0x0001 | 0x0100  # C-contiguous and aligned
_PYARRAY_NEW = 93  # place in NumPy's table of functions
_DOUBLE = 12
UNIT = "0x3D10000000000000"  # 64 eps: a square of a length this near to one is one
_VARARGS_FAST_KEYWORDS = 0x0080 | 0x0002


def _text() -> str:
    """IR of `ptr @fast(self, args, nargs, names)`: a vectorcall of a built-in function."""
    lines: list[str] = []
    count = iter(range(10_000))

    def v(text: str) -> str:
        name = f"%v{next(count)}"
        lines.append(f"  {name} = {text}")
        return name

    def entry(place: str) -> str:
        return v(f"load i64, ptr {v(f'getelementptr i64, ptr %table, i64 {place}')}")

    def pointer(number: str) -> str:
        return v(f"inttoptr i64 {number} to ptr")

    def field(base: str, at: int, kind: str) -> str:
        return v(f"load {kind}, ptr {v(f'getelementptr i8, ptr {base}, i64 {at}')}")

    def go(text: str) -> None:
        lines.append(f"  {text}")

    def label(name: str) -> None:
        lines.append(f"{name}:")

    label("entry")
    go(f"%in = alloca [{MOST} x ptr]")
    go(f"%out = alloca [{MOST} x ptr]")
    go(f"%made = alloca [{MOST} x ptr]")
    go(f"%table = load ptr, ptr {v(f'getelementptr i8, ptr %self, i64 {_DATA}')}")
    nin, nout = entry("0"), entry("1")
    kind, descr = pointer(entry("2")), pointer(entry("3"))
    new, general_call = pointer(entry("4")), pointer(entry("5"))
    general, kernel = pointer(entry("6")), pointer(entry("7"))
    make_tuple = pointer(entry("8"))
    turns, first_turn = entry("9"), entry("10")
    plain = v(f"and i1 {v('icmp eq ptr %names, null')}, {v(f'icmp eq i64 %nargs, {nin}')}")
    go(f"br i1 {plain}, label %check, label %hand_over")

    label("check")
    go("%i = phi i64 [0, %entry], [%i1, %checked]")
    x = v(f"load ptr, ptr {v('getelementptr ptr, ptr %args, i64 %i')}")
    own = field(x, 8, "ptr")
    go(f"br i1 {v(f'icmp eq ptr {own}, {kind}')}, label %array, label %hand_over")
    label("array")
    own = field(x, _DESCR, "ptr")
    right = v(f"icmp eq ptr {own}, {descr}")
    own = field(x, _FLAGS, "i32")
    flags = v(f"and i32 {own}, {_WANTED}")
    right = v(f"and i1 {right}, {v(f'icmp eq i32 {flags}, {_WANTED}')}")
    record = v(f"add i64 {v(f'mul i64 %i, {RECORD}')}, {HEAD}")
    nd = entry(record)
    own = field(x, _ND, "i32")
    same = v(f"icmp eq i64 {v(f'sext i32 {own} to i64')}, {nd}")
    go(f"br i1 {v(f'and i1 {right}, {same}')}, label %shape, label %hand_over")
    label("shape")
    dims = field(x, _DIMS, "ptr")
    go("br label %size")
    label("size")
    go("%d = phi i64 [0, %shape], [%d1, %size_good]")
    go(f"br i1 {v(f'icmp slt i64 %d, {nd}')}, label %size_check, label %checked")
    label("size_check")
    got = v(f"load i64, ptr {v(f'getelementptr i64, ptr {dims}, i64 %d')}")
    place = v(f"add i64 {record}, %d")
    want = entry(v(f"add i64 {place}, 1"))
    go(f"br i1 {v(f'icmp eq i64 {got}, {want}')}, label %size_good, label %hand_over")
    label("size_good")
    go("%d1 = add i64 %d, 1")
    go("br label %size")
    label("checked")
    own = field(x, _DATA, "ptr")
    go(f"store ptr {own}, ptr {v('getelementptr ptr, ptr %in, i64 %i')}")
    go("%i1 = add i64 %i, 1")
    go(f"br i1 {v(f'icmp slt i64 %i1, {nin}')}, label %check, label %turns")

    label("turns")  # quaternions of another length than one, or NaN, are of the general way
    go("%n = phi i64 [0, %checked], [%n1, %turn_good]")
    go(f"br i1 {v(f'icmp slt i64 %n, {turns}')}, label %turn, label %ready")
    label("turn")
    pair = v(f"add i64 {first_turn}, {v('shl i64 %n, 1')}")
    port, place = entry(pair), entry(v(f"add i64 {pair}, 1"))
    base = v(f"load ptr, ptr {v(f'getelementptr ptr, ptr %in, i64 {port}')}")
    square = "-1.0"
    for k in range(4):
        at = v(f"getelementptr double, ptr {base}, i64 {v(f'add i64 {place}, {k}')}")
        x = v(f"load double, ptr {at}")
        square = v(f"fadd double {v(f'fmul double {x}, {x}')}, {square}")
    size = v(f"call double @llvm.fabs.f64(double {square})")
    go(f"br i1 {v(f'fcmp ole double {size}, {UNIT}')}, label %turn_good, label %hand_over")
    label("turn_good")
    go("%n1 = add i64 %n, 1")
    go("br label %turns")
    label("ready")
    go("br label %results")

    label("results")
    go("%o = phi i64 [0, %ready], [%o1, %result_good]")
    place = v(f"add i64 %o, {nin}")
    record = v(f"add i64 {v(f'mul i64 {place}, {RECORD}')}, {HEAD}")
    nd32 = v(f"trunc i64 {entry(record)} to i32")
    sizes = v(f"getelementptr i64, ptr %table, i64 {v(f'add i64 {record}, 1')}")
    y = v(
        f"call ptr {new}(ptr {kind}, i32 {nd32}, ptr {sizes}, i32 {_DOUBLE}, ptr null, ptr null, "
        "i32 0, i32 0, ptr null)"
    )
    go(f"br i1 {v(f'icmp eq ptr {y}, null')}, label %failed, label %result_good")
    label("result_good")
    go(f"store ptr {y}, ptr {v('getelementptr ptr, ptr %made, i64 %o')}")
    own = field(y, _DATA, "ptr")
    go(f"store ptr {own}, ptr {v('getelementptr ptr, ptr %out, i64 %o')}")
    go("%o1 = add i64 %o, 1")
    go(f"br i1 {v(f'icmp slt i64 %o1, {nout}')}, label %results, label %run")

    label("run")
    v(f"call i32 {kernel}(ptr %in, ptr %out, ptr null)")
    go(f"br i1 {v(f'icmp eq i64 {nout}, 1')}, label %single, label %several")
    label("single")
    go(f"ret ptr {v('load ptr, ptr %made')}")
    label("several")
    pack = v(f"call ptr {make_tuple}(i64 {nout})")
    go(f"br i1 {v(f'icmp eq ptr {pack}, null')}, label %failed, label %fill")
    label("fill")
    items = v(f"getelementptr i8, ptr {pack}, i64 {tuple.__basicsize__}")
    go("br label %item")
    label("item")
    go("%k = phi i64 [0, %fill], [%k1, %item]")
    one = v(f"load ptr, ptr {v('getelementptr ptr, ptr %made, i64 %k')}")
    go(f"store ptr {one}, ptr {v(f'getelementptr ptr, ptr {items}, i64 %k')}")
    go("%k1 = add i64 %k, 1")
    go(f"br i1 {v(f'icmp slt i64 %k1, {nout}')}, label %item, label %packed")
    label("packed")
    go(f"ret ptr {pack}")
    label("failed")  # out of memory; the interpreter has been told
    go("ret ptr null")
    label("hand_over")
    go(f"ret ptr {v(f'call ptr {general_call}(ptr {general}, ptr %args, i64 %nargs, ptr %names)')}")
    body = "\n".join(lines)
    declared = "declare double @llvm.fabs.f64(double)\n"
    return (
        f"{declared}define ptr @fast(ptr %self, ptr %args, i64 %nargs, ptr %names) {{\n{body}\n}}\n"
    )


@once
def _code() -> machine.Code:
    return cache.common(b"fastcall", "fast", ("fast",), (), lambda: machine.assemble(_text()))


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@once
def possible() -> bool:
    """Whether this interpreter and this NumPy lay out their objects as this text reads them."""
    if sys.implementation.name != "cpython" or object.__basicsize__ != 16 or sys.maxsize < 2**62:
        return False
    sample = np.zeros((2, 3))

    def at(place, kind) -> Any:
        return kind.from_address(id(sample) + place).value

    dims = ctypes.cast(at(_DIMS, ctypes.c_void_p), ctypes.POINTER(ctypes.c_int64))
    return (
        at(_DATA, ctypes.c_void_p) == sample.ctypes.data
        and at(_ND, ctypes.c_int) == 2
        and (dims[0], dims[1]) == (2, 3)
        and at(_DESCR, ctypes.c_void_p) == id(np.dtype(float))
        and at(_FLAGS, ctypes.c_int) & _WANTED == _WANTED
    )


@once
def _numpy_new() -> int:
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
    """A built-in function that takes the short way to a kernel, else calls `general`.

    `kernel` is the address of `int32 k(in, out, work)`; None when this machine cannot.
    `quaternions` says (input, place) of those that must have unit length for the short way.
    """
    ports = (*inputs, *outputs)
    if (
        not possible()
        or not inputs
        or not outputs
        or len(ports) > MOST
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
        _numpy_new(),
        machine.address_of(api.PyObject_Vectorcall),
        id(general),
        kernel,
        machine.address_of(api.PyTuple_New),
        len(quaternions),
        HEAD + RECORD * len(ports),
    ]
    for p in ports:
        table += [len(p.shape), *p.shape, *[0] * (RECORD - 1 - len(p.shape))]
    table += [x for pair in quaternions for x in pair]
    definition = _MethodDef(name.encode(), _code()["fast"], _VARARGS_FAST_KEYWORDS, doc.encode())
    numbers = _Table(table, (general, keep, _code(), definition))
    build = api.PyCFunction_NewEx
    build.restype, build.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p),
    )
    return build(ctypes.addressof(definition), numbers, None)


class _Table(np.ndarray):
    """Whole numbers that also keep alive what they point at."""

    keep: Any

    def __new__(cls, numbers, keep):
        self = np.array(numbers, dtype=np.int64).view(cls)
        self.keep = keep
        return self

    def __reduce__(self):
        """A built-in function is pickled as a name of its `self`: here, of whose method it is."""
        owner = getattr(self.keep[0], "__self__", None)
        if owner is None:
            raise TypeError("a short way to a kernel without an owner cannot be pickled")
        return _owner, (owner,)


def _owner(x):
    return x

"""A real NumPy gufunc around native code, made through NumPy's C API."""

import ctypes
import gc
from collections.abc import Callable, Sequence
from functools import cache as once

import numpy as np

from ..errors import KernelError
from ..keyboard import press_again
from . import cache, loop, machine
from .ports import Port

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
        lambda: machine.assemble(loop.module(lanes)),
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
            if len(port.shape) > loop.MOST_DIMS:
                raise KernelError(f"port {port.name!r} has more than {loop.MOST_DIMS} dimensions")
        count = len(inputs) + len(outputs)
        if count > loop.MOST_PORTS:
            raise KernelError(f"{name!r} has {count} ports; at most {loop.MOST_PORTS} are possible")
        self.numbers = np.array(loop.describe(inputs, outputs), dtype=np.int64)
        self.numbers[loop.KERNEL] = kernel
        self.keep, self.code = [keep], _native_loop(machine.lanes())

        def ready() -> None:
            asked = int(self.numbers[loop.PREPARE])
            self.numbers[loop.PREPARE] = 0  # whatever happens, ask once: rows still go one by one
            try:
                address, owner = prepare()
            except KeyboardInterrupt:  # no way out of a callback
                self.numbers[loop.PREPARE] = asked
                return press_again()
            self.keep.append(owner)
            self.numbers[loop.LANES] = address

        if prepare is not None:
            self.callback = _PREPARE(ready)
            self.numbers[loop.PREPARE] = ctypes.cast(self.callback, ctypes.c_void_p).value or 0
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

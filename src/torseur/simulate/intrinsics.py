"""What native integrators are made of: kernels called by address, arrays reached by address.

Functions of addresses have one simple type each, so numba compiles them once per machine and keeps
them on disk.  Its cache watches the file of the outer function only: what it calls must stand in
the same file, and not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def not_ready(*_):
    """Stands for an intrinsic until the native code is made."""
    raise RuntimeError("native code is not ready; call ready() first")


def compile_all(here: dict[str, Any], inner: Iterable[str], outer: Mapping[str, str]) -> tuple:
    """Compile functions of a module in place, and give the outer ones, of a numba signature.

    The module's `call` is of a kernel `int32 k(inputs, outputs, work)`, its `call_lanes` of a
    kernel for lanes `void k(inputs, outputs)`; `doubles` and `longs` are arrays at an address.
    """
    import numba
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic
    byte, int64 = ir.IntType(8).as_pointer(), types.int64

    def pointers(builder, args):
        return [builder.inttoptr(x, byte) for x in args]

    def function(builder, address, answer, count):
        kind = ir.FunctionType(answer, (byte,) * count)
        return builder.inttoptr(address, kind.as_pointer())

    def lower_call(context, builder, signature, args):
        return builder.call(function(builder, args[0], ir.IntType(32), 3),
                            [*pointers(builder, args[1:]), ir.Constant(byte, None)])

    def lower_lanes(context, builder, signature, args):
        builder.call(function(builder, args[0], ir.VoidType(), 2), pointers(builder, args[1:]))
        return context.get_dummy_value()

    def lower_cast(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    def call(typing, address, inp, outp):
        return types.int32(int64, int64, int64), lower_call

    def call_lanes(typing, address, inp, outp):
        return types.void(int64, int64, int64), lower_lanes

    def doubles(typing, address):
        return types.CPointer(types.float64)(int64), lower_cast

    def longs(typing, address):
        return types.CPointer(int64)(int64), lower_cast

    here.update({f.__name__: intrinsic(f) for f in (call, call_lanes, doubles, longs)
                 if f.__name__ in here})
    for name in inner:                      # compiled only when the outer ones are not on disk
        text = getattr(here[name], "py_func", here[name])
        here[name] = numba.njit(no_cpython_wrapper=True, **OPTIONS)(text)
    for name, signature in outer.items():
        text = getattr(here[name], "py_func", here[name])
        here[name] = numba.njit(signature, cache=True, **OPTIONS)(text)
    return tuple(here[name] for name in outer)

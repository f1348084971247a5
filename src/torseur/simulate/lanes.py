"""Many runs of one model side by side: a fixed-step method in SIMD lanes, native between rows.

Lane j of number k is at `k * lanes + j`, as the kernels for lanes read and write.  Compiled as in
`native`; the functions see addresses only.
"""

from __future__ import annotations

import threading

L, N, NQ, NV, NQUAT, LANES, KERNEL, IN, Y, K, ACC, QUATS = range(12)
SIZE = 12


def lane_call(address, inp, outp):
    """Call a kernel for lanes: `void f(const double *in, double *out)`."""
    raise RuntimeError("native code is not ready; call ready() first")


def lane_doubles(address):
    """The array of doubles at an address."""
    raise RuntimeError("native code is not ready; call ready() first")


def lane_longs(address):
    """The array of 64-bit words at an address."""
    raise RuntimeError("native code is not ready; call ready() first")


def lane_rates(S, t, scale):
    """Rates at time t and state Y + scale K, into K."""
    width, n = S[L], S[N]
    x, y, k = lane_doubles(S[IN]), lane_doubles(S[Y]), lane_doubles(S[K])
    for j in range(width):
        x[j] = t
    for i in range(n * width):
        x[width + i] = y[i] + scale * k[i]
    lane_call(S[KERNEL], S[IN], S[K])


def lane_advance(table, t, h, steps, method):
    """Some steps of RK4 (method 0), Euler (1) or semi-implicit Euler (2)."""
    S = lane_longs(table)
    size, width = S[N] * S[L], S[L]
    y, k, acc = lane_doubles(S[Y]), lane_doubles(S[K]), lane_doubles(S[ACC])
    quats = lane_longs(S[QUATS])
    for s in range(steps):
        now = t + s * h
        lane_rates(S, now, 0.0)
        if method == 0:
            for i in range(size):
                acc[i] = k[i]
            lane_rates(S, now + 0.5 * h, 0.5 * h)
            for i in range(size):
                acc[i] = acc[i] + 2.0 * k[i]
            lane_rates(S, now + 0.5 * h, 0.5 * h)
            for i in range(size):
                acc[i] = acc[i] + 2.0 * k[i]
            lane_rates(S, now + h, h)
            for i in range(size):
                y[i] = y[i] + (h / 6.0) * (acc[i] + k[i])
        elif method == 1:
            for i in range(size):
                y[i] = y[i] + h * k[i]
        else:
            first = S[NQ] * width
            for i in range(first, size):
                y[i] = y[i] + h * k[i]
            lane_rates(S, now, 0.0)
            for i in range(first):
                y[i] = y[i] + h * k[i]
        for q in range(S[NQUAT]):
            for j in range(width):
                total = 0.0
                for c in range(4):
                    x = y[(quats[q] + c) * width + j]
                    total += x * x
                total = 1.0 / total ** 0.5
                for c in range(4):
                    y[(quats[q] + c) * width + j] = y[(quats[q] + c) * width + j] * total


_READY = []
_LOCK = threading.RLock()


def ready():
    """The compiled `lane_advance`."""
    with _LOCK:
        return _READY[0] if _READY else _compiled()


def _compiled():
    import numba
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def lower_call(context, builder, signature, args):
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), (pointer,) * 2)
        function = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(x, pointer) for x in args[1:]])
        return context.get_dummy_value()

    def native_call(typing, address, inp, outp):
        return types.void(types.int64, types.int64, types.int64), lower_call

    def lower_cast(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    def to_doubles(typing, address):
        return types.CPointer(types.float64)(types.int64), lower_cast

    def to_longs(typing, address):
        return types.CPointer(types.int64)(types.int64), lower_cast

    here = globals()
    here.update(lane_call=intrinsic(native_call), lane_doubles=intrinsic(to_doubles),
                lane_longs=intrinsic(to_longs))
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    text = getattr(here["lane_rates"], "py_func", here["lane_rates"])
    here["lane_rates"] = numba.njit(no_cpython_wrapper=True, **options)(text)
    i, f = types.int64, types.float64
    text = getattr(here["lane_advance"], "py_func", here["lane_advance"])
    _READY.append(numba.njit(types.void(i, f, f, i, i), cache=True, **options)(text))
    return _READY[0]

"""Kernels with a port that holds no number: NumPy's gufuncs do not allow them, users do.

A mechanism with no joint still has a mass matrix (of shape (0, 0)) and poses.
"""

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from .ports import Port


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

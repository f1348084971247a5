"""Kernels with ports without elements, which NumPy's gufuncs do not allow.

A mechanism without joints has a mass matrix of shape (0, 0), and poses.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..program.ports import Port


class EmptyPortFunction:
    """Function like a gufunc of all ports, around a gufunc of the ports with elements.

    Parameters
    ----------
    gufunc : np.ufunc or None
        None when no input or no output has elements.  Then the thunk is called once, because every
        state has the same result.
    thunk : int
        Address of the function with one pointer for each port.
    keepalive : object
        Owner of the code.
    """

    def __init__(
        self,
        gufunc: np.ufunc | None,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        thunk: int,
        keepalive: object,
    ):
        """Sort the ports by whether they have elements."""
        self.gufunc, self.inputs, self.outputs = gufunc, inputs, outputs
        self.thunk = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(inputs) + len(outputs)))(
            thunk
        )
        self.keepalive = keepalive
        self.nonempty_inputs = [i for i, p in enumerate(inputs) if p.size]
        self.nonempty_outputs = [i for i, p in enumerate(outputs) if p.size]

    def __call__(self, *args: Any, out: Any = None) -> Any:
        """Evaluate; by the gufunc alone where no input needs a check."""
        if len(args) != len(self.inputs):
            raise TypeError(f"takes {len(self.inputs)} arrays, not {len(args)}")
        if self.gufunc is not None and out is None and self._fit_empty_inputs(args):
            try:
                return self._add_empty_outputs(
                    self.gufunc(*[args[i] for i in self.nonempty_inputs])
                )
            except (TypeError, ValueError):
                pass  # reported below, with the name of the port
        arrays = [np.asarray(a, dtype=float) for a in args]
        batch_shape = self._check_shapes(arrays)
        results: list[Any] = [np.empty(batch_shape + p.shape) for p in self.outputs]
        if self.gufunc is not None:
            nonempty = [arrays[i] for i in self.nonempty_inputs]
            shape = batch_shape + self.inputs[self.nonempty_inputs[0]].shape
            if nonempty[0].shape != shape:
                nonempty[0] = np.broadcast_to(nonempty[0], shape)
            self.gufunc(*nonempty, out=tuple(results[i] for i in self.nonempty_outputs))
        elif self.nonempty_outputs:
            self._call_thunk(arrays, results)
        if out is not None:
            targets = out if isinstance(out, tuple) else (out,)
            for target, result in zip(targets, results, strict=True):
                target[...] = result
            results = list(targets)
        return results[0] if len(results) == 1 else tuple(results)

    def _fit_empty_inputs(self, args: Sequence[Any]) -> bool:
        """Whether the arguments without elements have exactly the shapes of their ports."""
        pairs = zip(args, self.inputs, strict=True)
        return all(np.shape(a) == p.shape for a, p in pairs if not p.size)

    def _check_shapes(self, arrays: Sequence[np.ndarray]) -> tuple[int, ...]:
        """Common leading axes of the arguments.  Raises `ValueError` for a wrong shape."""
        for a, p in zip(arrays, self.inputs, strict=True):
            if a.shape[a.ndim - len(p.shape) :] != p.shape or a.ndim < len(p.shape):
                raise ValueError(f"{p.name} has shape {a.shape}; it must end in {p.shape}")
        pairs = zip(arrays, self.inputs, strict=True)
        shapes = {a.shape[: a.ndim - len(p.shape)] for a, p in pairs} - {()}
        return next(iter(shapes), ()) if len(shapes) < 2 else np.broadcast_shapes(*shapes)

    def _call_thunk(self, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        """Evaluate once, and fill the results of all states."""
        values = [np.empty(p.shape) for p in self.outputs]
        self.thunk(*(a.ctypes.data for a in (*arrays, *values)))
        for result, value in zip(results, values, strict=True):
            result[...] = value

    def _add_empty_outputs(self, result: Any) -> Any:
        """Results of the gufunc with those of the outputs without elements."""
        arrays = result if isinstance(result, tuple) else (result,)
        if len(arrays) == len(self.outputs):
            return result
        first = arrays[0]
        batch_shape = first.shape[: first.ndim - len(self.outputs[self.nonempty_outputs[0]].shape)]
        remaining = iter(arrays)
        return tuple(
            next(remaining) if p.size else np.empty(batch_shape + p.shape) for p in self.outputs
        )

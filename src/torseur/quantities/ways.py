"""Three ways from a formula to numbers: a graph for the compiler, a graph interpreted, columns."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from ..errors import ArgumentError
from ..numbers import Columns, evaluate, vector
from .angles import Trigonometry
from .register import Quantity, find
from .scene import Scene


def results(quantity: Quantity, scene: Scene, columns, frame: str | None = None) -> tuple:
    """Outputs of a quantity, over the scalar of the scene."""
    out = quantity.formula(scene, *([frame] if quantity.frame else []), *columns)
    return out if isinstance(out, tuple) else (out,)


def graph(quantity: Quantity, scene: Scene, reads, frame: str | None = None):
    """The `casadi.Function` of a quantity, of the ports that it is to read."""
    K = scene.K
    lib = K.lib
    own = [scene[x] for x in quantity.inputs]
    made = results(quantity, scene, own, frame)
    values = [x if isinstance(x, lib.SX) else K.sx(_array(x)) for x in made]
    return lib.Function(
        quantity.name,
        [K.sx(scene[x]) for x in reads],
        [lib.densify(x) for x in values],
        list(reads),
        list(quantity.outputs[: len(values)]),
    )


def flat(x) -> Iterator:
    """Numbers of nested lists and arrays, one after the other."""
    if isinstance(x, np.ndarray | list | tuple):
        for y in x:
            yield from flat(y)
    else:
        yield x


class Interpreted:
    """Quantities of a system as graphs that CasADi interprets: nothing is compiled.

    `values` gives parameters their numbers for good; without them they are read at each call.
    """

    def __init__(self, system, values: Mapping[str, float] | None = None, skipped=()):
        names = tuple(system.parameters) if values is None else ()
        self.reads_p = values is None
        self.scene = Scene(system, Trigonometry(dict(values or {})), names, skipped=skipped)
        self._made: dict = {}
        self._lock = threading.RLock()  # symbols of a scene are made once, for all threads

    def _function(self, quantity: Quantity):
        with self._lock:
            return self._trace(quantity)

    def _trace(self, quantity: Quantity):
        if quantity not in self._made:
            K, lib = self.scene.K, self.scene.K.lib
            made = results(quantity, self.scene, [self.scene[x] for x in quantity.inputs])
            reads = (*quantity.inputs, *["p"] * self.reads_p)
            columns = [
                lib.vec(x.T) if isinstance(x, lib.SX) else K.sx(vector(flat(x))) for x in made
            ]
            f = lib.Function(
                quantity.name,
                [K.sx(self.scene[x]) for x in reads],
                [lib.densify(x) for x in columns],
            )
            shapes = [x.shape if isinstance(x, lib.SX) else np.shape(x) for x in made]
            self._made[quantity] = f, shapes
        return self._made[quantity]

    def __call__(self, name: str | Quantity, *arrays, p=None) -> list[np.ndarray]:
        """Outputs at one state, each of its own shape."""
        quantity = find(name) if isinstance(name, str) else name
        f, shapes = self._function(quantity)
        for i, x in enumerate(arrays):
            if np.size(x) != f.numel_in(i):
                raise ArgumentError(
                    f"{quantity.inputs[i]}: expected {f.numel_in(i)} numbers, got an array of "
                    f"shape {np.shape(x)}"
                )
        given = (*arrays, p) if self.reads_p else arrays
        found = f.call([np.asarray(x, dtype=float).ravel() for x in given])
        return [np.array(y).reshape(s) for y, s in zip(found, shapes, strict=True)]

    def rows(self, name: str | Quantity, *arrays, p=None) -> list[np.ndarray]:
        """Outputs at many states, each (numbers, rows), for arrays of one state a row."""
        f, _ = self._function(find(name) if isinstance(name, str) else name)
        columns = [np.atleast_2d(np.asarray(x, dtype=float).T) for x in arrays]
        if self.reads_p:
            own = np.asarray(p, dtype=float)[:, None]
            columns.append(np.broadcast_to(own, (len(own), columns[0].shape[1])))
        return [np.array(y) for y in f.call(columns)]


@lru_cache(maxsize=64)
def interpreted(system) -> Interpreted:
    """The graphs of a system, parameters read at each call; traced once for all that ask."""
    return Interpreted(system)


@lru_cache(maxsize=64)
def by_columns(system, values: tuple) -> ByColumns:
    """Quantities of a system by columns at some values of its parameters; made once."""
    return ByColumns(system, dict(values))


class ByColumns:
    """Quantities of a system for all rows of a run at once, by arrays: nothing is compiled."""

    def __init__(self, system, values: Mapping[str, float]):
        self.scene = Scene(system, Columns(dict(values)))

    def __call__(self, name: str, *arrays) -> np.ndarray:
        """Numbers of all outputs, (numbers, rows), for arrays of one state a row."""
        quantity = find(name)

        def over(*columns):
            return flat(list(results(quantity, self.scene, columns)))

        shaped = (x[:, None] if np.ndim(x) == 1 else x for x in arrays)
        return evaluate(self.scene.K, over, *shaped)


def _array(x):
    return vector(flat(x)) if isinstance(x, list | tuple) else x

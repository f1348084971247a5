"""Three ways from a formula to numbers: a graph for the compiler, a graph interpreted, columns."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from ..errors import ArgumentError
from ..joints import TIME
from ..numbers import Columns, evaluate, vector
from .angles import Trigonometry
from .register import Quantity, find
from .scene import Scene


def results(quantity: Quantity, scene: Scene, columns, frame: str | None = None) -> tuple:
    """Outputs of a quantity, over the scalar of the scene; `columns` are what it is given."""
    if scene.system.rheonomic and "t" in quantity.given(scene.system):
        scene.K.parameters[TIME] = columns[quantity.given(scene.system).index("t")][0]
        columns = columns[: len(quantity.inputs)]
    out = quantity.formula(scene, *([frame] if quantity.frame else []), *columns)
    return out if isinstance(out, tuple) else (out,)


def graph(quantity: Quantity, scene: Scene, reads, frame: str | None = None):
    """The `casadi.Function` of a quantity, of the ports that it is to read."""
    K = scene.K
    lib = K.lib
    own = [scene[x] for x in quantity.given(scene.system)]
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


class Called:
    """A function of CasADi through memory of its own: calls convert no matrices."""

    def __init__(self, function, shapes):
        self.function, self.shapes = function, shapes
        self.sizes = [function.numel_in(i) for i in range(function.n_in())]
        self._given = [np.zeros(max(n, 1)) for n in self.sizes]
        self._found = [np.zeros(max(function.numel_out(i), 1)) for i in range(function.n_out())]
        self._buffer, self._run = function.buffer()
        for i, x in enumerate(self._given):
            self._buffer.set_arg(i, memoryview(x))
        for i, y in enumerate(self._found):
            self._buffer.set_res(i, memoryview(y))

    def __call__(self, arrays) -> list[np.ndarray]:
        for given, n, x in zip(self._given, self.sizes, arrays, strict=True):
            given[:n] = np.ravel(x)
        self._run()
        return [
            y[: math.prod(s)].reshape(s).copy()
            for y, s in zip(self._found, self.shapes, strict=True)
        ]


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

    def _trace(self, quantity: Quantity) -> Called:
        if quantity not in self._made:
            K, lib = self.scene.K, self.scene.K.lib
            own = quantity.given(self.scene.system)
            made = results(quantity, self.scene, [self.scene[x] for x in own])
            reads = (*own, *["p"] * self.reads_p)
            columns = [
                lib.vec(x.T) if isinstance(x, lib.SX) else K.sx(vector(flat(x))) for x in made
            ]
            f = lib.Function(
                quantity.name,
                [K.sx(self.scene[x]) for x in reads],
                [lib.densify(x) for x in columns],
            )
            shapes = [x.shape if isinstance(x, lib.SX) else np.shape(x) for x in made]
            self._made[quantity] = Called(f, shapes)
        return self._made[quantity]

    def __call__(self, name: str | Quantity, *arrays, p=None) -> list[np.ndarray]:
        """Outputs at one state, each of its own shape."""
        quantity = find(name) if isinstance(name, str) else name
        with self._lock:
            f = self._trace(quantity)
            for name, n, x in zip(quantity.given(self.scene.system), f.sizes, arrays, strict=False):
                if np.size(x) != n:
                    raise ArgumentError(
                        f"{name}: expected {n} numbers, got an array of shape {np.shape(x)}"
                    )
            return f((*arrays, p) if self.reads_p else arrays)

    def rows(self, name: str | Quantity, *arrays, p=None) -> list[np.ndarray]:
        """Outputs at many states, each (numbers, rows), for arrays of one state a row."""
        with self._lock:
            f = self._trace(find(name) if isinstance(name, str) else name).function
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

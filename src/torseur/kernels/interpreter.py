"""Graphs that are interpreted: by CasADi, or from the cache of kernels by NumPy.

A graph that was traced before, by the same sources for the same system, is a list of operations in
the cache.  For a few evaluations that is all there is to it; CasADi is loaded, and the graph traced
again, for what asks more often.  Both give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..compiler import KeptGraph, Kernel

BLOCK = 16  # states that CasADi takes at once
PATIENCE = 16  # evaluations by NumPy, which take about as long as tracing the graph
MANY = 512  # rows, which NumPy takes faster than CasADi


class Traced:
    """A function of columns, and the shapes of its outputs.

    `trace` makes both by CasADi; `key` is a digest of all that this depends on, or None where
    nothing is to be kept.
    """

    def __init__(self, trace: Callable[[], tuple[Any, list]], key: bytes | None = None):
        self._trace, self._key, self._left = trace, key, PATIENCE
        self.kernels: dict[bool, Kernel] = {}
        found = KeptGraph.kept(key) if key is not None else None
        self._kept = found[0] if found else None
        self._list = self._kept
        self.shapes = [tuple(x) for x in found[1]["shapes"]] if found else self._graph.shapes

    @cached_property
    def _graph(self) -> Interpreter:
        function, shapes = self._trace()
        if self._key is not None and self._kept is None:
            self._list = KeptGraph.of(function)
            if self._list is not None:
                self._list.keep(self._key, {"shapes": shapes})
        return Interpreter(function, shapes)

    def program(self) -> Any:
        """What the compiler reads."""
        return self._kept.program({"t": ()}) if self._kept is not None else self._graph.function

    @property
    def sizes(self) -> list[int]:
        """Numbers of each input."""
        return (
            self._kept.inputs if self._kept is not None else [x.shape[1] for x in self._graph.args]
        )

    def __len__(self) -> int:
        """How many operations it takes."""
        return len(self._list) if self._list is not None else self._graph.function.n_instructions()

    def _by_list(self) -> KeptGraph | None:
        """The operations of the cache, while they are worth it."""
        self._left -= 1
        return self._kept if self._left >= 0 and "_graph" not in self.__dict__ else None

    def one(self, given) -> list[np.ndarray]:
        """Each output at one state."""
        kept = self._by_list()
        if kept is not None:
            return [x.T for x in kept([np.reshape(x, (1, -1)) for x in given])]
        return self._graph.one(given)

    def many(self, given) -> list[np.ndarray]:
        """Each output (numbers, rows), of arrays (rows, numbers)."""
        kept = self._list if len(given[0]) >= MANY else self._by_list()
        return kept(given) if kept is not None else self._graph.many(given)


class Interpreter:
    """A function of CasADi with places for its numbers: one state, or `BLOCK` of them at once."""

    def __init__(self, function, shapes):
        self.function, self.shapes = function, shapes
        self.args, self.results, self._run = _placed(function, 1)
        self._blocks: tuple | None = None

    def one(self, given) -> list[np.ndarray]:
        for place, x in zip(self.args, given, strict=True):
            place[0] = x
        self._run()
        return [x.copy() for x in self.results]

    def many(self, given) -> list[np.ndarray]:
        """Each output (numbers, rows), of arrays (rows, numbers)."""
        n = len(given[0])
        if n == 1:
            return [x.T for x in self.one(given)]
        out = [np.empty((n, x.shape[1])) for x in self.results]
        whole = n - n % BLOCK
        if whole and self._blocks is None:
            self._blocks = _placed(self.function.map(BLOCK), BLOCK)
        for i in (*range(0, whole, BLOCK), *range(whole, n)):
            args, results, run = self._blocks if self._blocks and i < whole else (
                self.args, self.results, self._run)  # fmt: skip
            rows = slice(i, i + len(args[0]))
            for place, x in zip(args, given, strict=True):
                place[:] = x[rows]
            run()
            for x, place in zip(out, results, strict=True):
                x[rows] = place
        return [x.T for x in out]


def _placed(function, count: int) -> tuple[list[np.ndarray], list[np.ndarray], Callable]:
    """Arrays of arguments and results of a function of `count` states, and what computes them."""
    buffer, run = function.buffer()
    args = [np.zeros((count, function.numel_in(i) // count)) for i in range(function.n_in())]
    results = [np.zeros((count, function.numel_out(i) // count)) for i in range(function.n_out())]
    for i, x in enumerate(args):
        buffer.set_arg(i, x.data)
    for i, x in enumerate(results):
        buffer.set_res(i, x.data)

    def compute(keep=(buffer, function)):
        run()

    return args, results, compute

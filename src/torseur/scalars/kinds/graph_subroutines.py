"""Expression graphs with subroutines: a repeated part is written once and called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import KernelError, NotInRing
from .base import Node, vector
from .graph import Graph

MAX_CALL_COLUMNS = 8  # columns of numbers that go through a routine side by side, at most
MIN_CALLED_COLUMNS = 3  # columns below which they are written out


class Routine(NamedTuple):
    """A subroutine: a part of a graph with its own symbols."""

    name: str
    inputs: list  # columns of symbols
    output: Any  # a column
    calls: list[GraphCall]  # that it makes itself
    kept: list  # for each of its numbers: a constant, or None where it is in the column


class NativeText(NamedTuple):
    """A native routine: name, integer arguments, count of results read singly, count of results."""

    name: str
    words: tuple[int, ...]
    way: int
    shown: int
    size: int

    @property
    def kept(self) -> list:
        """As of any routine: no constants."""
        return [None] * (self.shown + 1)


class GraphCall(NamedTuple):
    """A call of a subroutine: its arguments, and the symbols that stand for its results.

    The last array and the results may hold several `columns` with stride `wide`: number i of column
    k is entry `i * wide + k`.
    """

    routine: Routine | NativeText
    inputs: list
    output: Any
    columns: int = 1
    wide: int = 1


class Called(Graph):
    """Expression graphs that are compiled, not differentiated: routines are called, not copied."""

    def __init__(self, parameters=None, loops: bool = False):
        super().__init__(parameters)
        self.loops = loops
        self.calls: list[GraphCall] = []  # of what is being written
        self._routines: dict[tuple, Routine] = {}
        self.known: dict[tuple, Any] = {}  # of what one kernel asks for many times

    def routine(self, key: tuple, f: Callable, fixed, given) -> np.ndarray:
        """`f(fixed, given)` as a call; one subroutine for each key and pattern of `fixed`."""
        found = self._cached_routine(key, f, fixed, given)
        inputs = [_nodes(x) for x in fixed] + [x.ravel() for x in given]
        return self._call(found, [self.sx(x) for x in inputs if len(x)])[0]

    def abreast(self, key: tuple, f: Callable, fixed, columns) -> list[np.ndarray]:
        """`f(fixed, [x])` for each column x; a number common to all columns stays scalar."""
        alike = [_common_number(x) for x in zip(*columns, strict=True)]
        own = [i for i, x in enumerate(alike) if x is None]
        if len(columns) < MIN_CALLED_COLUMNS or not own:
            return super().abreast(key, f, fixed, columns)

        def of(first, given):
            left = iter(given[0])
            return f(first, [vector(next(left) if x is None else x for x in alike)])

        several = (*key, tuple(None if x is None else float(x) for x in alike))
        found = self._cached_routine(several, of, fixed, [columns[0][own]])
        wide = min(MAX_CALL_COLUMNS, 1 << (len(columns) - 1).bit_length())
        shared = [self.sx(x) for x in map(_nodes, fixed) if len(x)]
        out = []
        for k in range(0, len(columns), wide):
            some = columns[k : k + wide]
            none = [0.0] * (wide - len(some))
            laid = vector(e for i in own for e in (*(x[i] for x in some), *none))
            out += self._call(found, [*shared, self.sx(laid)], len(some), wide)
        return out

    def _cached_routine(self, key: tuple, f: Callable, fixed, given) -> Routine:
        flat = (x for array in fixed for x in array.ravel().tolist())
        pattern = tuple(None if isinstance(x, Node) else float(x) for x in flat)
        whole = key, pattern, tuple(x.shape for x in (*fixed, *given))
        found = self._routines.get(whole)
        if found is None:
            found = self._routines[whole] = self._trace_routine(str(key[0]), f, fixed, given)
        return found

    def _trace_routine(self, name: str, f: Callable, fixed, given) -> Routine:
        """The subroutine of `f` over fresh symbols, with constants of `fixed`."""
        above, self.calls = self.calls, []
        try:
            count = iter(range(10**9))

            def fresh(x, all_):
                named = (
                    self.symbol(f"i{next(count)}") if all_ or isinstance(e, Node) else e
                    for e in x.ravel().tolist()
                )
                return vector(named).reshape(x.shape)

            first, own = [fresh(x, False) for x in fixed], [fresh(x, True) for x in given]
            out = f(first, own)
            ports = [_nodes(x) for x in first] + [x.ravel() for x in own]
            kept = [None if isinstance(x, Node) else x for x in out]
            column = self.sx(vector(x for x in out if isinstance(x, Node)))
            calls = self.needed([column])
            inputs = [self.sx(x) for x in ports if len(x)]
            known = self._symbols([*inputs, *(c.output for c in calls)])
            if self._symbols([column, *(x for c in calls for x in c.inputs)]) - known:
                raise KernelError(f"routine {name!r} reads a number that it is not given")
            return Routine(name, inputs, column, calls, kept)
        finally:
            self.calls = above

    def native(self, text: NativeText, given: Sequence) -> tuple[np.ndarray, Node]:
        """Results of a native routine: its first numbers, and a symbol that stands for all of them.

        The symbol is passed to other routines as an array of one number.
        """
        *first, whole = self._call(text, [self.sx(x) for x in given])[0]
        return vector(first), whole

    def _call(
        self, routine: Routine | NativeText, inputs: list, columns=1, wide=1
    ) -> list[np.ndarray]:
        """Results of a subroutine for each column."""
        kept = routine.kept
        symbols = self.symbols(f"c{len(self.calls)}_{i}" for i in range(kept.count(None) * wide))
        self.calls.append(GraphCall(routine, inputs, self.sx(symbols), columns, wide))
        answers = []
        for k in range(columns):
            left = iter(symbols[k::wide])
            answers.append(vector(next(left) if x is None else x for x in kept))
        return answers

    def needed(self, columns: Sequence) -> list[GraphCall]:
        """Calls that expressions depend on, each after those that it depends on itself."""
        found: list[GraphCall] = []
        seen = self._symbols(columns) if self.calls else set()
        for call in reversed(self.calls):
            if seen & self._symbols([call.output]):
                found.append(call)
                seen |= self._symbols(call.inputs)
        return found[::-1]

    def _symbols(self, columns: Sequence) -> set[int]:
        return {e.element_hash() for x in columns for e in self.lib.symvar(x)}

    def substitute(self, x, names, actual) -> np.ndarray:
        """Substitution through calls: they are made again with the new arguments."""
        column = self.sx(vector(x))
        calls = self.needed([column])
        old, new = [self.sx(names)], [self.sx(actual)]
        for call in calls:
            inputs = self.lib.substitute(call.inputs, old, new)
            self._call(call.routine, inputs, call.columns, call.wide)
            old.append(call.output)
            new.append(self.calls[-1].output)
        return self.unpack(self.lib.substitute([column], old, new)[0])

    def derive(self, x, wrt):
        if isinstance(x, Node) and self.needed([x.x]):
            raise NotInRing("a routine that is called has no derivative; write it out in a graph")
        return super().derive(x, wrt)

    def functions(self, name: str, inputs, outputs, reads, shows) -> tuple:
        """The `casadi.Function` with arguments and results of calls as further ports.

        It comes with the pair (function, calls) and the number of arrays of each called subroutine.
        """
        made: dict[int, tuple] = {}
        return self._written(name, inputs, outputs, reads, shows, self.needed(outputs), made)

    def _written(self, name, inputs, outputs, reads, shows, calls, made) -> tuple:
        inner = []
        for k, call in enumerate(calls):
            r = call.routine
            if isinstance(r, NativeText):
                made[id(r)] = r
            elif id(r) not in made:
                ports = [f"i{j}" for j in range(len(r.inputs))]
                own = r.inputs, [r.output], ports, ["o"], r.calls
                made[id(r)] = self._written(r.name, *own, made)
            inner.append((made[id(r)], len(call.inputs), call.columns, call.wide))
            inputs, reads = [*inputs, call.output], [*reads, f"call{k}"]
            outputs = [*outputs, *call.inputs]
            shows = [*shows, *(f"take{k}_{j}" for j in range(len(call.inputs)))]
        return self.lib.Function(name, inputs, outputs, reads, shows), tuple(inner)


def _nodes(x: np.ndarray) -> np.ndarray:
    """The nodes of an array, flattened."""
    return vector(e for e in x.ravel().tolist() if isinstance(e, Node))


def _common_number(x: tuple):
    """The plain number that all are, or None."""
    return None if any(isinstance(e, Node) or e != x[0] for e in x) else x[0]


# --------------------------------------------------------------------------------------------
# Graphs that are differentiated, in which choices and searches are routines that are not.


class Followed(Called):
    """Graphs for differentiation: only `decided` parts are calls, and they count as constants.

    The caller provides the derivative of a decided part by the equations that it solves.
    """

    follows = True

    def __init__(self, parameters=None):
        super().__init__(parameters)
        self._inside = 0

    def routine(self, key: tuple, f: Callable, fixed, given) -> np.ndarray:
        if self._inside:
            return super().routine(key, f, fixed, given)
        return f(fixed, given)

    def abreast(self, key: tuple, f: Callable, fixed, columns) -> list[np.ndarray]:
        if self._inside:
            return super().abreast(key, f, fixed, columns)
        return [f(fixed, [x]) for x in columns]

    def decided(self, key: tuple, f: Callable, fixed, given) -> np.ndarray:
        self._inside += 1
        try:
            return super().routine(key, f, fixed, given)
        finally:
            self._inside -= 1

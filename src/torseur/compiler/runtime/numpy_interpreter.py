"""Graphs as lists of operations that NumPy carries out: kept in the cache, where a graph is read
once for a few rows and neither CasADi nor LLVM is worth its time.

Every operation is the one that CasADi's own interpreter does, on the same C library, so that the
numbers are the same to the last bit.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...errors import KernelError
from ..program.program import LIBM_ARITY, Program
from ..program.table_lookup import TableLookup
from . import cache as disk, machine

BLOCK = 1024  # rows at once, at most
_TAKE, _CONSTANT, _GIVE = range(3)


class KeptGraph:
    """Operations of a function of columns: for each its code, where it writes, what it reads.

    >>> import casadi
    >>> x = casadi.SX.sym("x", 2)
    >>> f = KeptGraph.of(casadi.Function("f", [x], [casadi.sin(x[0]) * x[1] + 2]))
    >>> f([np.array([[0.0, 3.0], [1.0, 2.0]])])[0].round(3).tolist()
    [[2.0, 3.683]]
    """

    def __init__(self, name: str, sizes, words, steps: np.ndarray, constants: np.ndarray):
        self.name, self.sizes = name, sizes  # numbers of each input, of each output; places between
        self.words, self.steps, self.constants = words, steps, constants

    @classmethod
    def of(cls, function) -> KeptGraph | None:
        """The operations of a `casadi.Function` of dense columns; none if one is not known here."""
        from ..program.casadi_reader import iterate_operations

        words = {"input": _TAKE, "const": _CONSTANT, "output": _GIVE}
        steps: list[list[int]] = []
        constants: list[float] = []
        held: dict[int, int] = {}  # which value stands in each place
        values: dict[tuple, int] = {}  # what was computed before is not computed again
        try:
            for word, target, source in iterate_operations(function):
                op = words.setdefault(word, len(words))
                if op == _GIVE:
                    steps.append([op, held[source[0]], *target])
                    continue
                if op == _CONSTANT:
                    own: tuple = (len(constants), 0)
                    what: tuple = (op, float(source).hex())
                else:
                    own = source if op == _TAKE else tuple(held[x] for x in source)
                    what = (op, *own)
                if what not in values:
                    values[what] = len(values)
                    steps.append([op, values[what], own[0], own[-1]])
                    constants += [source] if op == _CONSTANT else []
                held[target[0]] = values[what]
        except KernelError:
            return None
        sizes = (
            {n: function.numel_in(n) for n in function.name_in()},
            {n: function.numel_out(n) for n in function.name_out()},
            _placed(steps, len(values)),
        )
        table = np.array(steps, np.int32).reshape(-1, 4)
        return cls(function.name(), sizes, tuple(words), table, np.array(constants, float))

    @property
    def inputs(self) -> list[int]:
        """Numbers of each input."""
        return [*self.sizes[0].values()]

    def program(self, shapes: Mapping[str, tuple[int, ...]]) -> Program:
        """For the compiler: what `read` gives of the function."""
        from ..program.casadi_reader import read_columns

        return read_columns(self.name, self.sizes, self._operations(), shapes)

    def _operations(self) -> Iterator[tuple[str, Sequence[int], Any]]:
        counts = [2 if _way(word)[0] else 1 for word in self.words]
        for op, at, a, b in self.steps.tolist():
            if op == _GIVE:
                yield "output", (a, b), (at,)
            elif op == _TAKE:
                yield "input", (at,), (a, b)
            elif op == _CONSTANT:
                yield "const", (at,), float(self.constants[a])
            else:
                yield self.words[op], (at,), (a, b)[: counts[op]]

    def __len__(self) -> int:
        return len(self.steps)

    def __call__(self, columns: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Each output (numbers, rows), of inputs (rows, numbers)."""
        n = len(columns[0]) if len(columns) else 1
        out = [np.empty((n, size)).T for size in self.sizes[1].values()]  # in memory row by row
        with np.errstate(all="ignore"):  # as everywhere in compiled code
            for first in range(0, n, BLOCK):
                rows = slice(first, first + BLOCK)
                self._run([x[rows].T for x in columns], [x[:, rows] for x in out])
        return out

    def _run(self, given, out) -> None:
        ways = [*map(_way, self.words)]
        constants = self.constants[:, None]
        w: list[Any] = [None] * self.sizes[2]
        for op, at, a, b in self.steps.tolist():
            if op > _GIVE:
                two, way = ways[op]
                w[at] = way(w[a], w[b]) if two else way(w[a])
            elif op == _TAKE:
                w[at] = given[a][b]
            elif op == _CONSTANT:
                w[at] = constants[a]
            else:
                out[a][b] = w[at]

    def keep(self, key: bytes, facts: dict) -> None:
        """Write it into the cache under a key."""
        name = disk.entry_name(key, "graph")
        said = {"name": self.name, "sizes": self.sizes, "words": self.words, "facts": facts}
        held = [x.numbers for x in self.words if isinstance(x, TableLookup)]
        said |= {"steps": len(self), "held": [len(self.constants), *map(len, held)]}
        disk.store_entry(
            name, said, b"".join(x.tobytes() for x in (self.steps, self.constants, *held))
        )

    @classmethod
    def kept(cls, key: bytes) -> tuple[KeptGraph, dict] | None:
        """What was kept under a key by the same sources, and its facts."""
        if (found := disk.load_entry(disk.entry_name(key, "graph"))) is None:
            return None
        said, data = found
        cut = 16 * said["steps"]
        steps = np.frombuffer(data[:cut], np.int32).reshape(-1, 4)
        constants, *held = np.split(np.frombuffer(data[cut:]), np.cumsum(said["held"][:-1]))
        left = iter(held)
        words = [
            TableLookup.from_numbers(x, next(left)) if x.startswith(("find_", "take_")) else x
            for x in said["words"]
        ]
        return cls(said["name"], said["sizes"], tuple(words), steps, constants), said["facts"]


def _placed(steps: list[list[int]], count: int) -> int:
    """Give each value a place, taken over from one that nobody reads any more; how many there are.

    Values of the steps become places; of a step after the first, its second number is what it
    makes, the next two what it reads, but `_GIVE` reads its second and `_TAKE`, `_CONSTANT` none.
    """
    reads = [[s[1]] if s[0] == _GIVE else s[2:] if s[0] > _GIVE else [] for s in steps]
    last = dict.fromkeys(range(count), 0)
    for i, own in enumerate(reads):
        last.update(dict.fromkeys(own, i))
    free: list[int] = []
    place: dict[int, int] = {}
    size = 0
    for i, (s, own) in enumerate(zip(steps, reads, strict=True)):
        at = [place[x] for x in own]
        free += {place[x] for x in own if last[x] == i}
        if s[0] == _GIVE:
            s[1] = at[0]
            continue
        if not free:
            free.append(size)
            size += 1
        place[s[1]] = s[1] = free.pop()
        s[2:] = at or s[2:]
    return size


SAME = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "atan2")
"""Functions that Python's `math` asks of the C library, where they have a value."""


def _each(word: str, count: int) -> Callable[..., np.ndarray]:
    """A function of the C library over columns, number by number."""
    real = ctypes.c_double
    asked = ctypes.CFUNCTYPE(real, *[real] * count)(machine.find_runtime_functions()[word])
    quick = getattr(math, word) if word in SAME else asked

    def over(*columns):
        lists = [x.tolist() for x in (np.broadcast_arrays(*columns) if count > 1 else columns)]
        try:
            return np.array([*map(quick, *lists)])
        except (ValueError, OverflowError):
            return np.array([*map(asked, *lists)])

    return over


def _way(word: str) -> tuple[bool, Callable[..., Any]]:
    return (False, word) if isinstance(word, TableLookup) else _ways()[word]


def _logic(ufunc) -> Callable[..., np.ndarray]:
    return lambda *x: ufunc(*x).astype(float)


@cache
def _ways() -> dict[str, tuple[bool, Callable[..., Any]]]:
    """How each operation is done, and whether it takes two numbers."""
    calls = {**LIBM_ARITY, "sin": 1, "cos": 1}
    found: dict[str, tuple[bool, Callable[..., Any]]] = {
        word: (count == 2, _each(word, count)) for word, count in calls.items()
    }
    one: dict[str, Callable[..., Any]] = {
        "sqrt": np.sqrt, "fabs": np.abs, "floor": np.floor, "ceil": np.ceil, "neg": np.negative,
        "sq": np.square, "twice": lambda x: x + x, "inv": lambda x: 1.0 / x,
        "not": _logic(np.logical_not), "assign": lambda x: x,
        "sign": lambda x: np.where(x == 0, x, np.sign(x)),
    }  # fmt: skip
    two: dict[str, Callable[..., Any]] = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
        "fmin": lambda x, y: np.where((x <= y) | np.isnan(y), x, y),
        "fmax": lambda x, y: np.where((x >= y) | np.isnan(y), x, y),
        "lt": _logic(np.less), "le": _logic(np.less_equal),
        "eq": _logic(np.equal), "ne": _logic(np.not_equal), "and": _logic(np.logical_and),
        "or": _logic(np.logical_or), "constpow": found["pow"][1],
        "if_else_zero": lambda x, y: np.where(x != 0, y, 0.0),
    }  # fmt: skip
    found |= {word: (False, way) for word, way in one.items()}
    found |= {word: (True, way) for word, way in two.items()}
    return found | dict.fromkeys(("input", "const", "output"), (False, np.asarray))

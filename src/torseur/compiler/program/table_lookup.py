"""Table lookup: binary search in a table of numbers, and the entry at an index.

Tables are data, not code: kernels with other numbers in a table of the same name share their code.
Each lookup is an operation of a program with its own name, which carries the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import KernelError

# derivatives: between leaps nothing changes
DERIVATIVE_NAME = re.compile(r"((fwd|adj)\d+_)+(find|take)_")


class TableLookup(str):
    """Name of a lookup operation: "find" or "take", then a digest of its table.

    >>> find = TableLookup.from_numbers("find_0", np.array([1.0, 2.0, 4.0]))
    >>> find(2.0), find(np.array([0.0, 1.5, 9.0]))
    (2.0, array([0., 1., 3.]))
    >>> TableLookup.from_numbers("take_0", np.array([7.0, 8.0]))(1.0)
    8.0
    """

    __slots__ = ("numbers",)
    numbers: np.ndarray

    @classmethod
    def from_numbers(cls, name: str, numbers: np.ndarray) -> TableLookup:
        """Lookup operation of a name with its table."""
        self = cls(name)
        self.numbers = numbers
        return self

    def __reduce__(self):
        return TableLookup.from_numbers, (str(self), self.numbers)

    def __call__(self, x: Any):
        if is_search(self):
            y = np.searchsorted(self.numbers, x, side="right").astype(float)
        else:
            y = self.numbers[np.asarray(x).astype(int)]
        return y if np.ndim(x) else float(y)

    def write_function(self) -> list[str]:
        """LLVM IR, a line each: the external table and the function over it."""
        data = f"@torseur.{self}.data"
        signature = f"define internal double @torseur.{self}(double %x) {{ entry:"
        body = (BINARY_SEARCH if is_search(self) else INDEXED_LOAD).format(data=data)
        return [f"{data} = external constant double", " ".join([signature, body, "}"])]

    def table_data(self) -> np.ndarray:
        """Table in memory, for a search with its number of entries first."""
        return np.concatenate([[float(len(self.numbers))] * is_search(self), self.numbers])


BINARY_SEARCH = (
    "%count = load double, ptr {data}, align 8 %all = fptosi double %count to i64 "
    "%base = getelementptr double, ptr {data}, i64 1 "
    "br label %look look: %lo = phi i64 [0, %entry], [%lo1, %next] "
    "%n = phi i64 [%all, %entry], [%n1, %next] "
    "%more = icmp sgt i64 %n, 0 br i1 %more, label %next, label %found "
    "next: %half = lshr i64 %n, 1 %mid = add i64 %lo, %half "
    "%at = getelementptr double, ptr %base, i64 %mid %y = load double, ptr %at, align 8 "
    "%right = fcmp uge double %x, %y %after = add i64 %mid, 1 "
    "%lo1 = select i1 %right, i64 %after, i64 %lo %rest = sub i64 %n, %half "
    "%less = sub i64 %rest, 1 %n1 = select i1 %right, i64 %less, i64 %half br label %look "
    "found: %answer = sitofp i64 %lo to double ret double %answer"
)
INDEXED_LOAD = (
    "%k = fptosi double %x to i64 %at = getelementptr double, ptr {data}, i64 %k "
    "%y = load double, ptr %at, align 8 ret double %y"
)
LOOKUP_NAME = re.compile(r"(?:find|take)_[0-9a-f]{24}")


def number_tables(text: str, nodes: Iterable[tuple]) -> tuple[str, dict[str, np.ndarray]]:
    """LLVM text whose tables are numbered instead of named by digest, and the tables.

    Kernels whose tables differ only by their numbers get the same text, and so the same cached
    code.
    """
    lookups_by_name = {str(x): x for x in list_lookups(nodes)}
    names = [*dict.fromkeys(LOOKUP_NAME.findall(text))] if lookups_by_name else []
    numbered_names = {word: f"look{k}" for k, word in enumerate(names)}
    numbered_text = (
        LOOKUP_NAME.sub(lambda m: numbered_names[m[0]], text) if numbered_names else text
    )
    return numbered_text, {
        f"{name}.data": lookups_by_name[word].table_data() for word, name in numbered_names.items()
    }


def is_search(name: str) -> bool:
    """Whether a lookup searches for an index, which is an integer."""
    return name.startswith("find_")


def list_lookups(nodes: Iterable[tuple]) -> list[TableLookup]:
    """Lookup operations among the nodes of a program, each once."""
    return [*dict.fromkeys(op for op, *_ in nodes if isinstance(op, TableLookup))]


def read_lookup(casadi: Any, function: Any) -> TableLookup | None:
    """Table lookup of a CasADi function, or None for a derivative, which is zero."""
    name = function.name()
    if DERIVATIVE_NAME.match(name):
        return None
    codes = range(function.n_instructions())
    constants = [function.instruction_MX(k) for k in codes
            if function.instruction_id(k) == casadi.OP_CONST]  # fmt: skip
    if not name.startswith(("find_", "take_")) or len(constants) != 1:
        raise KernelError(f"a graph calls the function {name!r}, which is not a table lookup")
    numbers = constants[0].to_DM().full().ravel()
    return TableLookup.from_numbers(name, numbers[1:-1] if name.startswith("find") else numbers)

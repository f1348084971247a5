"""Routines of kernels that are native text: compiled once per machine, for every model."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ...dynamics.contact.native import (
    delassus,
    dense_ldl,
    impact_gauss_seidel,
    impact_newton,
    impact_sensitivity,
    static_friction,
    tree_traversal,
)
from ..program.ports import Port

if TYPE_CHECKING:
    from ..program.program import Program
    from ..runtime.machine import Code

ROUTINES: Mapping[str, tuple[int, Callable[[int, int, int], int]]] = MappingProxyType(
    {
        "rows_walked": (2, lambda links, walks, n: 12 * walks * n),
        "rows_respond": (2, lambda n, m, c: n**3 // 6 + (1 + m) * n * n + m * (m + 3) // 2 * n),
        "rows_answer": (2, lambda n, m, c: m**3 // 6 + m * m),
        "rows_along": (2, lambda n, m, c: m * m),
        "rows_moved": (2, lambda n, m, c: m * n),
        "rows_forces": (2, lambda n, m, c: m**3 // 6 + 2 * (1 + c) * m * m + c**3 // 3),
        "rows_rested": (2, lambda n, m, c: m**3 // 6 + 2 * m * m),
        "rows_struck": (2, lambda n, m, c: 2 * m * m),
        "rows_followed": (2, lambda n, m, c: m**4 // 3 + m**3),
        "rows_loosened": (2, lambda n, m, c: m**3 // 6 + 8 * m * m),
    }
)
"""Arrays that each is given, and its products at most: of unknowns, rows and cones."""
TEXTS = (
    delassus,
    static_friction,
    impact_gauss_seidel,
    impact_newton,
    impact_sensitivity,
    tree_traversal,
    dense_ldl,
)


@dataclass(frozen=True)
class NativeRoutine:
    """A routine that text of `row_loops` computes: of whole numbers, and arrays.

    Of the array that it gives `shown` numbers are read one by one; the whole is known to other
    routines by the place behind them.
    """

    name: str
    words: tuple[int, ...]
    index: int
    shown: int
    size: int
    routines: ClassVar[tuple] = ()
    plain: ClassVar[bool] = False
    nodes: ClassVar[tuple] = ()

    @property
    def outputs(self) -> tuple[Port, ...]:
        return (Port("o", (self.size,)),)

    @property
    def operations(self) -> dict[str, int]:
        """The most that it takes; rows that are off take none."""
        count = ROUTINES[self.name][1](*self.words[:3])
        return {"mul": count, "add": count, "div": self.words[0] + self.words[1]}

    @cached_property
    def stamp(self) -> str:
        words = repr((self.name, self.words, self.index, self.shown, self.size))
        return hashlib.sha256(words.encode()).hexdigest()

    @property
    def table(self) -> str:
        """Name of the whole numbers in a module."""
        return f"@words{hashlib.sha256(repr(self.words).encode()).hexdigest()[:16]}"

    def declared(self) -> list[str]:
        """Lines that a module needs to call it."""
        words = ", ".join(f"i64 {x}" for x in self.words)
        kinds = ", ".join(["ptr", "i64", *["ptr"] * (ROUTINES[self.name][0] + 1)])
        return [
            f"declare void @torseur.{self.name}({kinds})",
            f"{self.table} = internal constant [{len(self.words)} x i64] [{words}]",
        ]

    def called(self, places: list[str]) -> str:
        """The line that calls it with arrays, the last for what it gives."""
        words = ", ".join([f"ptr {self.table}", f"i64 {self.index}", *(f"ptr {x}" for x in places)])
        return f"call void @torseur.{self.name}({words})"


class RoutineCall(NamedTuple):
    """A use of a routine: a program of several arrays, which gives one; or native text."""

    routine: "Program | NativeRoutine"
    arrays: int  # that it is given
    columns: int = 1  # that the last array and the answer have, each number of all side by side
    wide: int = 1  # places for them


@cache
def code() -> "Code":
    """Addresses of the routines, by name."""
    from ..pyjit.translate import native

    first, *_ = native([vars(x) for x in TEXTS], _outer())
    return getattr(first, "code")  # noqa: B009  (a function of C has no such attribute by itself)


def _outer() -> dict[str, str]:
    return {name: "i" * (3 + arrays) + "->" for name, (arrays, _) in ROUTINES.items()}


def module() -> str:
    """IR of all routines."""
    from ..pyjit.translate import written

    return written([vars(x) for x in TEXTS], _outer())

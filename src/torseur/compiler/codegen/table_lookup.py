"""Operations on a list of numbers that is data: where a number stands among them, and one of them.

Each is a word of its own, which carries the numbers; as a call it takes one value and gives one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from ...errors import KernelError

_ZERO = re.compile(r"((fwd|adj)\d+_)+(find|take)_")  # derivatives: between leaps nothing changes


class Lookup(str):
    """The word of such an operation: "find" or "take", then a digest of its numbers.

    >>> find = Lookup.of("find_0", np.array([1.0, 2.0, 4.0]))
    >>> find(2.0), find(np.array([0.0, 1.5, 9.0]))
    (2.0, array([0., 1., 3.]))
    >>> Lookup.of("take_0", np.array([7.0, 8.0]))(1.0)
    8.0
    """

    __slots__ = ("numbers",)
    numbers: np.ndarray

    @classmethod
    def of(cls, word: str, numbers: np.ndarray) -> Lookup:
        self = cls(word)
        self.numbers = numbers
        return self

    def __reduce__(self):
        return Lookup.of, (str(self), self.numbers)

    def __call__(self, x):
        if finds(self):
            y = np.searchsorted(self.numbers, x, side="right").astype(float)
        else:
            y = self.numbers[np.asarray(x).astype(int)]
        return y if np.ndim(x) else float(y)

    def text(self) -> list[str]:
        """Where its numbers are and its function in LLVM IR, a line each: no number is in them."""
        data = f"@torseur.{self}.data"
        head = f"define internal double @torseur.{self}(double %x) {{ entry:"
        body = (FIND if finds(self) else TAKE).format(data=data)
        return [f"{data} = external constant double", " ".join([head, body, "}"])]

    def data(self) -> np.ndarray:
        """Its numbers in memory; to find a place, how many there are comes first."""
        return np.concatenate([[float(len(self.numbers))] * finds(self), self.numbers])


FIND = (
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
TAKE = (
    "%k = fptosi double %x to i64 %at = getelementptr double, ptr {data}, i64 %k "
    "%y = load double, ptr %at, align 8 ret double %y"
)
_WORD = re.compile(r"(?:find|take)_[0-9a-f]{24}")


def numbered(text: str, nodes: Iterable[tuple]) -> tuple[str, dict[str, np.ndarray]]:
    """A text whose tables have numbers for names, so that it is the same for other tables; and
    what they are."""
    known = {str(x): x for x in lookups(nodes)}
    words = [*dict.fromkeys(_WORD.findall(text))] if known else []
    names = {word: f"look{k}" for k, word in enumerate(words)}
    made = _WORD.sub(lambda m: names[m[0]], text) if names else text
    return made, {f"{name}.data": known[word].data() for word, name in names.items()}


def finds(word: str) -> bool:
    """Whether an operation tells a place, which is a whole number."""
    return word.startswith("find_")


def lookups(nodes: Iterable[tuple]) -> list[Lookup]:
    """Such operations among the nodes of a program, each once."""
    return [*dict.fromkeys(op for op, *_ in nodes if isinstance(op, Lookup))]


def looked_up(casadi, function) -> Lookup | None:
    """What a function that a graph calls looks up; nothing where it is a derivative of one."""
    name = function.name()
    if _ZERO.match(name):
        return None
    codes = range(function.n_instructions())
    held = [function.instruction_MX(k) for k in codes
            if function.instruction_id(k) == casadi.OP_CONST]  # fmt: skip
    if not name.startswith(("find_", "take_")) or len(held) != 1:
        raise KernelError(f"the function {name!r}, which a graph calls, is not known here")
    numbers = held[0].to_DM().full().ravel()
    return Lookup.of(name, numbers[1:-1] if name.startswith("find") else numbers)

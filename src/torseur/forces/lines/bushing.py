"""A six-dimensional spring and damper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base import frozen, line
from ._ends import end_problems, number_problems


@line
@dataclass(frozen=True, slots=True, eq=False)
class Bushing:
    """Six-dimensional spring and damper between two frames.

    The deflection is the rotation vector of b in a [rad], then its position in a [m]; `stiffness`
    and `damping` are six numbers or 6 x 6 symmetric matrices, angular part first; `rest` is the
    deflection without load.
    """

    name: str
    a: Any
    b: Any
    stiffness: Any
    damping: Any = (0, 0, 0, 0, 0, 0)
    rest: Any = (0, 0, 0, 0, 0, 0)

    def __post_init__(self):
        for end in ("a", "b", "stiffness", "damping", "rest"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.a, f"{where}, a")
        yield from end_problems(model, self.b, f"{where}, b")
        for what in ("stiffness", "damping"):
            x = getattr(self, what)
            if not isinstance(x, tuple):
                yield f"{where}: {what}: expected 6 numbers or a 6 x 6 matrix, got {x!r}"
                continue
            square = len(x) == 6 and all(isinstance(r, tuple) and len(r) == 6 for r in x)
            if not square and (len(x) != 6 or any(isinstance(r, tuple) for r in x)):
                yield f"{where}: {what}: expected 6 numbers or a 6 x 6 matrix"
            elif square and any(x[i][j] != x[j][i] for i in range(6) for j in range(i)):
                yield f"{where}: the {what} matrix is not symmetric"
            else:
                yield from number_problems(x, (6, 6) if square else (6,), f"{where}, {what}")
        yield from number_problems(self.rest, (6,), f"{where}, rest")

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        six = (30.0, 20.0, 10.0, 500.0, 400.0, 300.0)
        return (
            cls(
                "f", "base", ("hand", (0.1, 0, 0)), six, (1, 2, 3, 4, 5, 6), (0.1, 0, 0, 0, 0, 0.2)
            ),
        )

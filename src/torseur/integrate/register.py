"""What a method of integration is, and the register of them: one file a method.

Every explicit method is written so that its last stage is the new state; interpolants are
polynomials `sum_i K_i sum_d P[i, d] theta^(d + 1)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..register import Register
from .record import EXPLICIT

METHODS: Register = Register("method", f"{__package__}.methods")
"""Every integrator, by name."""


def method(make: Callable[[], Method]) -> Callable[[], Method]:
    """Decorate the function that makes a method: it is held under the method's name."""
    made = make()
    METHODS.named(made.name)(made)
    return make


@dataclass(frozen=True, eq=False)
class Method:
    """One integrator as data."""

    name: str
    order: int
    family: int
    A: np.ndarray
    C: np.ndarray
    B: np.ndarray
    P: np.ndarray
    E: np.ndarray | None = None
    D: np.ndarray | None = None
    G: np.ndarray | None = None
    stages: int = 1
    exponent: float = 1.0  # of the step's dependence on the error
    smoothing: float = 0.0
    gamma: float = 0.5
    beta: float = 0.25
    text: str = ""

    @property
    def adaptive(self) -> bool:
        return self.E is not None

    @property
    def rows(self) -> int:
        return len(self.A)


def lower(rows, n) -> np.ndarray:
    A = np.zeros((n, n))
    for i, row in enumerate(rows):
        for j, x in row.items() if isinstance(row, dict) else enumerate(row):
            A[i, j] = float(x)
    return A


def hermite(B, last) -> np.ndarray:
    """Cubic through both ends with their slopes: rows 0 and `last` hold them, B gives the mean."""
    P = np.outer(B, (0.0, 3.0, -2.0))
    P[0] += (1.0, -2.0, 1.0)
    P[last] += (0.0, -1.0, 1.0)
    return P


def simple(name, order, rows, C, text, P=None) -> Method:
    """An explicit method of fixed step, with its interpolant or the cubic one."""
    n = len(rows)
    A = lower(rows, n)
    B = A[-1].copy()
    return Method(
        name,
        order,
        EXPLICIT,
        A,
        np.array(C, float),
        B,
        hermite(B, n - 1) if P is None else np.array(P, float),
        stages=n,
        text=text,
    )


ENDS = ((1.0, -2.0, 1.0), (0.0, -1.0, 1.0), (0.0, 3.0, -2.0))  # the cubic one of `two_ends`


def two_ends(name, order, family, text, P=ENDS, **constants) -> Method:
    """Methods that leave slopes at the ends in rows 0 and 1 and the mean rate in row 2."""
    return Method(
        name,
        order,
        family,
        np.zeros((3, 3)),
        np.zeros(3),
        np.zeros(3),
        np.array(P, float),
        stages=2,
        text=text,
        **constants,
    )

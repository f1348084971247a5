"""Integration methods as data, and their register: one file per method in `methods/`.

A Runge-Kutta method is its Butcher tableau (Hairer, Norsett and Wanner 1993, II.1).  The last stage
of every explicit tableau is the new state.  Dense output is
y(t + theta h) = y + h sum_i k_i sum_d P[i, d] theta^(d + 1) for all methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..register import Register
from .record import EXPLICIT

METHODS: Register = Register("method", f"{__package__}.methods")
"""Every integration method, by name."""


def method(make: Callable[[], Method]) -> Callable[[], Method]:
    """Decorate a function that returns a method, and register the method under its name."""
    made = make()
    METHODS.named(made.name)(made)
    return make


@dataclass(frozen=True, eq=False)
class Method:
    """One integration method.

    Parameters
    ----------
    name : name for `method=`
    order : order of the method
    family : EXPLICIT, ROSENBROCK, SEMI_IMPLICIT or NEWMARK
    A, B, C : Butcher tableau.  Rosenbrock's methods: weights of the stages U_i
    P : weights of the stages in dense output, (stages, degree)
    E : weights of the stages in up to two error estimates, or None for a fixed step
    D, G : Rosenbrock's methods: weights of f_t, and of earlier stages in the right-hand side
    stages : number of stages of a step.  Further rows of the tableau serve dense output.
    error_exponent : exponent of the error in step size control, 1 / order
    pi_exponent : exponent of the previous error in PI step size control
    gamma, beta : constants of Rosenbrock's and Newmark's methods
    description : one line for messages and results
    """

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
    error_exponent: float = 1.0
    pi_exponent: float = 0.0
    gamma: float = 0.5
    beta: float = 0.25
    description: str = ""

    @property
    def adaptive(self) -> bool:
        """Whether the method has an error estimate, and so step size control."""
        return self.E is not None

    @property
    def dense_stages(self) -> int:
        """Number of stages with those that only dense output needs."""
        return len(self.A)


def tableau_from_rows(rows: Any, n: int) -> np.ndarray:
    """An n x n tableau from the leading entries of its rows, or from their entries by index."""
    A = np.zeros((n, n))
    for i, row in enumerate(rows):
        for j, x in row.items() if isinstance(row, dict) else enumerate(row):
            A[i, j] = float(x)
    return A


def hermite_weights(B: np.ndarray, end: int) -> np.ndarray:
    """Dense output by the cubic Hermite polynomial: f at the ends in stages 0 and `end`."""
    P = np.outer(B, (0.0, 3.0, -2.0))
    P[0] += (1.0, -2.0, 1.0)
    P[end] += (0.0, -1.0, 1.0)
    return P


def explicit_method(
    name: str, order: int, rows: Any, C: Any, description: str, P: Any = None
) -> Method:
    """An explicit Runge-Kutta method with a fixed step.  Dense output is P, or cubic Hermite."""
    n = len(rows)
    A = tableau_from_rows(rows, n)
    B = A[-1].copy()
    return Method(
        name,
        order,
        EXPLICIT,
        A,
        np.array(C, float),
        B,
        hermite_weights(B, n - 1) if P is None else np.array(P, float),
        stages=n,
        description=description,
    )


TWO_POINT_HERMITE = ((1.0, -2.0, 1.0), (0.0, -1.0, 1.0), (0.0, 3.0, -2.0))


def two_point_method(
    name: str, order: int, family: int, description: str, P: Any = TWO_POINT_HERMITE
) -> Method:
    """A method with three stage rates for dense output: f at both ends, and the mean rate."""
    return Method(
        name,
        order,
        family,
        np.zeros((3, 3)),
        np.zeros(3),
        np.zeros(3),
        np.array(P, float),
        stages=2,
        description=description,
    )

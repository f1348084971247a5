"""Response surface: a Legendre polynomial in the varied numbers, with its cross-validated error.

Least squares of products of Legendre polynomials over the box of the samples (polynomial chaos for
uniform variables, Wiener 1938, Sudret 2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ArgumentError, needs, unknown_name_message
from ..scalars import arguments
from .distributions import number

if TYPE_CHECKING:
    import pandas

MIN_PIVOT = 1e-10  # of the largest: terms with less are linearly dependent
BOUND_TOLERANCE = 1e-9  # of the box


class Surface:
    """Least-squares polynomial of the varied numbers, of total degree `degree`.

    `r2` is the share of the variance that it explains, `q2` the share that it predicts in
    leave-one-out cross-validation, `error` the root mean square error of these predictions [unit of
    the column].

    >>> x = np.linspace(-1, 1, 9)
    >>> surface = Surface({"x": x}, 3 * x**2 + 1, 2, "y")
    >>> round(float(surface({"x": 0.5})), 9), round(surface.q2, 6)
    (1.75, 1.0)
    """

    def __init__(self, values: Mapping[str, np.ndarray], y: np.ndarray, degree: int, name: str):
        """Least squares fit of the polynomial to the values y."""
        self.name, self.names = name, tuple(values)
        self.degree = arguments.count("surface", "degree", degree)
        X = np.stack([np.asarray(x, float) for x in values.values()], axis=1)
        self.low, self.high = X.min(axis=0), X.max(axis=0)
        constant = [n for n, a, b in zip(self.names, self.low, self.high, strict=True) if not b > a]
        if constant:
            raise ArgumentError(f"surface: {', '.join(map(repr, constant))} has one value only")
        self.terms = [
            tuple(pick.count(i) for i in range(len(self.names)))
            for d in range(self.degree + 1)
            for pick in combinations_with_replacement(range(len(self.names)), d)
        ]
        A = self._basis(X)
        if len(A) <= A.shape[1]:
            raise ArgumentError(
                f"surface: {len(A)} members for {A.shape[1]} terms of degree {degree}; give more "
                "members or a lower degree"
            )
        Q, R = np.linalg.qr(A)
        if not abs(np.diag(R)).min() > MIN_PIVOT * abs(np.diag(R)).max():
            raise ArgumentError(
                "surface: its terms are linearly dependent at the members; lower the degree"
            )
        self.coefficients = np.linalg.solve(R, Q.T @ y)
        residual = y - A @ self.coefficients
        left_out = residual / (1.0 - (Q * Q).sum(axis=1))  # by leverages, without fitting again
        spread = float(((y - y.mean()) ** 2).sum()) or 1.0
        self.r2 = 1.0 - float((residual**2).sum()) / spread
        self.q2 = 1.0 - float((left_out**2).sum()) / spread
        self.error = float(np.sqrt((left_out**2).mean()))

    def __repr__(self):
        return (
            f"Surface({self.name!r}, degree {self.degree}, {len(self.terms)} terms, "
            f"q2 = {self.q2:.4f}, error {self.error:.4g})"
        )

    def _basis(self, X: np.ndarray) -> np.ndarray:
        """Products of Legendre polynomials at points X, (points, terms)."""
        from numpy.polynomial import legendre

        u = 2.0 * (X - self.low) / (self.high - self.low) - 1.0
        each = legendre.legvander(u, self.degree)  # (rows, names, degrees)
        columns = [
            np.prod([each[:, i, k] for i, k in enumerate(t) if k], axis=0) * np.ones(len(X))
            for t in self.terms
        ]
        return np.stack(columns, axis=1)

    def __call__(self, values: Mapping[str, object]) -> np.ndarray:
        """Values at points inside the box, numbers or arrays of one length."""
        for n in values:
            if n not in self.names:
                raise ArgumentError(
                    unknown_name_message("varied quantity", n, self.names, "surface")
                )
        missing = [n for n in self.names if n not in values]
        if missing:
            raise ArgumentError(f"surface: no value for {', '.join(map(repr, missing))}")
        numbers = [
            np.asarray(number(values[n], n) if isinstance(values[n], str) else values[n], float)
            for n in self.names
        ]
        X = np.stack(np.broadcast_arrays(*(np.atleast_1d(x) for x in numbers)), axis=1)
        tolerance = BOUND_TOLERANCE * (self.high - self.low)
        outside = ((X < self.low - tolerance) | (X > self.high + tolerance)).any(axis=0)
        if outside.any():
            i = int(np.argmax(outside))
            raise ArgumentError(
                f"surface: {self.names[i]!r} is outside {self.low[i]:g} to {self.high[i]:g}, the "
                "range of the members; a polynomial does not extrapolate"
            )
        y = self._basis(X) @ self.coefficients
        return y if any(np.ndim(x) for x in numbers) else y[0]

    @property
    def table(self) -> pandas.DataFrame:
        """Coefficients of the terms, the largest first."""
        with needs("studies", "a table"):
            import pandas

        names = [
            " * ".join(f"P{k}({n})" for n, k in zip(self.names, t, strict=True) if k) or "1"
            for t in self.terms
        ]
        table = pandas.DataFrame({"coefficient": self.coefficients}, index=names)
        return table.reindex(table["coefficient"].abs().sort_values(ascending=False).index)

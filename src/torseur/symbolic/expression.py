"""Exact expressions of equations: comparable and printable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product as cartesian
from typing import Any, overload

import numpy as np

from ..scalars import Node, exact
from .print.names import Names
from .print.normal_form import Reading, Sum
from .print.text import text


class ExactExpression:
    """An exact polynomial of sines, cosines, coordinates, speeds and parameters.

    `str` writes it shortly; `==` is exact, also with numbers and with text in the same names.
    """

    __slots__ = ("reading", "x")
    __array_ufunc__ = None

    def __init__(self, reading: Reading, x):
        self.reading, self.x = reading, x

    @property
    def sum(self) -> Sum:
        """Its products, as printers read them."""
        return self.reading.sum(self.x)

    @property
    def terms(self) -> int:
        """Number of terms in normal form."""
        return len(self.x.x) if isinstance(self.x, Node) else int(self.x != 0)

    def text(self, full: bool = False) -> str:
        return text(self.sum, Names(self.reading.system, full))

    def latex(self) -> str:
        from .print.latex import latex

        return latex(self.sum, self.reading.system)

    def mathml(self) -> str:
        from .print.mathml import mathml

        return mathml(self.sum, self.reading.system)

    def sympy(self):
        from .to_sympy import to_sympy

        return to_sympy(self.sum, self.reading.system)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _other(self, other):
        if isinstance(other, str):
            return self.reading.read(other)
        if isinstance(other, ExactExpression):
            x = self.reading.K.read(other.x, other.reading.K)
            if x is None:
                raise ValueError(f"{other} has names that are unknown here")
            return x
        return exact(other)

    def __add__(self, other):
        return ExactExpression(self.reading, self.x + self._other(other))

    def __sub__(self, other):
        return ExactExpression(self.reading, self.x - self._other(other))

    def __rsub__(self, other):
        return ExactExpression(self.reading, self._other(other) - self.x)

    def __mul__(self, other):
        return ExactExpression(self.reading, self.x * self._other(other))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return ExactExpression(self.reading, -self.x)

    def __eq__(self, other):
        if isinstance(other, ExactExpression):
            x = self.reading.K.read(other.x, other.reading.K)
            if x is None:  # it depends on something unknown here
                return False
        else:
            try:
                x = self._other(other)
            except TypeError:
                return NotImplemented
        if isinstance(x, Node) != isinstance(self.x, Node):
            return False
        return bool(x == self.x)

    def __hash__(self):
        return hash(str(self.x))

    def __bool__(self) -> bool:
        return isinstance(self.x, Node) or bool(self.x != 0)

    def __float__(self):
        if isinstance(self.x, Node):
            raise TypeError(f"{self} is not a number; use evaluate or substitute")
        return float(Fraction(self.x))


class ExpressionTable:
    """An array of expressions that are computed on access."""

    __slots__ = ("_cache", "_compute", "shape")

    def __init__(self, shape: tuple[int, ...], compute: Callable[..., ExactExpression]):
        self.shape, self._compute = shape, compute
        self._cache: dict[tuple[int, ...], ExactExpression] = {}

    @overload
    def __getitem__(self, index: tuple[int, ...]) -> ExactExpression: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...  # of a vector an entry, else a part as an array
    def __getitem__(self, index: Any) -> Any:
        index = index if isinstance(index, tuple) else (index,)
        if len(index) < len(self.shape) or not all(isinstance(i, int | np.integer) for i in index):
            return self.array()[index if len(index) > 1 else index[0]]
        if len(index) > len(self.shape):
            raise IndexError(f"{len(index)} indices for a table of shape {self.shape}")
        at = tuple(int(i) + n * (i < 0) for i, n in zip(index, self.shape, strict=True))
        if any(not 0 <= i < n for i, n in zip(at, self.shape, strict=True)):
            raise IndexError(f"index {index} outside the shape {self.shape}")
        if at not in self._cache:
            self._cache[at] = self._compute(*at)
        return self._cache[at]

    def latex(self) -> str:
        """LaTeX of a vector or matrix.  With more axes, the nonzero entries by index."""
        if len(self.shape) > 2:
            entries = [
                rf"{{}}_{{{','.join(str(i + 1) for i in at)}}} &= {self[at].latex()}"
                for at in cartesian(*map(range, self.shape))
                if self[at]
            ]
            inner = r" \\ ".join(entries) or "0"
            return rf"\begin{{aligned}}{inner}\end{{aligned}}"
        lines = self.array().reshape(len(self), -1)
        body = r" \\ ".join(" & ".join(x.latex() for x in line) for line in lines)
        return rf"\begin{{bmatrix}}{body}\end{{bmatrix}}"

    def _repr_latex_(self) -> str:
        return f"$${self.latex()}$$"

    def array(self) -> np.ndarray:
        """Every entry, as a NumPy array of expressions."""
        out = np.empty(self.shape, dtype=object)
        for at in cartesian(*map(range, self.shape)):
            out[at] = self[at]
        return out

    def __array__(self, dtype=None, copy=None):
        return self.array()

    def __iter__(self) -> Iterator:
        return iter(self.array())

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"Table{self.shape}"

    def __str__(self):
        """Every entry that is not zero, one a line."""
        entries = ((at, self[at]) for at in cartesian(*map(range, self.shape)))
        lines = [f"[{', '.join(map(str, at))}] = {x}" for at, x in entries if x]
        return "\n".join(lines) or f"zero, {' x '.join(map(str, self.shape))}"

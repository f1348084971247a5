"""Interface of scalars.

A formula of mechanics is written once over `Scalars`. The kind of scalar decides the result:

    Floats   Python floats           a value
    Graph    CasADi SX               an expression graph, to differentiate and compile
    Ring     python-flint polynomials in sines, cosines, speeds and parameters, reduced by
             sin^2 + cos^2 = 1       the exact equation, in normal form

Each kind has its file. Below `symbolic` and `quantities` no other module names their libraries.
Elements of graphs and rings are wrapped in a `Node`, because bare ones are dangerous inside NumPy
arrays. Exact zeros and ones never reach the libraries, so that structure (planar rotations, missing
inertias) costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import NotInRing
from ..piecewise_table import Stairs

Exact = (int, Fraction)


def vector(entries: Iterable) -> np.ndarray:
    """Pack scalars of any kind into a 1-D array, without NumPy guessing a dtype.

    >>> vector([1, Fraction(1, 2)])
    array([1, Fraction(1, 2)], dtype=object)
    """
    entries = list(entries)
    out = np.empty(len(entries), dtype=object)
    out[:] = entries
    return out


def matrix(rows: Iterable[Iterable]) -> np.ndarray:
    """Pack rows of scalars of any kind into a 2-D array."""
    lists = [list(row) for row in rows]
    out = np.empty((len(lists), len(lists[0]) if lists else 0), dtype=object)
    for i, row in enumerate(lists):
        out[i, :] = row
    return out


class Node:
    """One element of a graph or of a ring, safe inside NumPy object arrays."""

    __slots__ = ("kind", "x")
    __array_ufunc__ = None  # ndarray * Node comes to us, element by element

    def __init__(self, kind: Scalars, x: Any):
        self.kind, self.x = kind, x

    def __add__(self, other):
        if isinstance(other, Node):
            return self.kind.plus(self.x, other.x)
        if isinstance(other, np.ndarray):
            return _each(other, lambda e: self + e)
        if _is(other, 0):
            return self
        return self.kind.plus(self.x, self.kind.constant(other))

    def __neg__(self):
        return self.kind.negative(self.x)

    def __sub__(self, other):
        if isinstance(other, Node):
            return self.kind.minus(self.x, other.x)
        if isinstance(other, np.ndarray):
            return _each(other, lambda e: self - e)
        if _is(other, 0):
            return self
        return self.kind.minus(self.x, self.kind.constant(other))

    def __rsub__(self, other):
        if isinstance(other, np.ndarray):
            return _each(other, lambda e: e - self)
        if _is(other, 0):
            return -self
        return self.kind.minus(self.kind.constant(other), self.x)

    def __mul__(self, other):
        if isinstance(other, Node):
            return self.kind.product(self.x, other.x)
        if isinstance(other, np.ndarray):
            return _each(other, lambda e: self * e)
        if _is(other, 0):
            return 0
        if _is(other, 1):
            return self
        if _is(other, -1):
            return -self
        return self.kind.scaled(self.x, self.kind.constant(other))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other):
        if isinstance(other, Exact):
            return self * (Fraction(1) / other)
        return self.kind.divide(self, other)

    def __rtruediv__(self, other):
        return 0 if _is(other, 0) else self.kind.divide(other, self)

    def __pow__(self, n: int):
        if not isinstance(n, int) or n < 0:
            raise TypeError(f"a scalar may be raised to whole powers only, not {n!r}")
        return math.prod([self] * n, start=1)

    def __abs__(self):
        return self.kind.call("abs", self)

    def __bool__(self):
        return self.kind.truth(self)

    def __lt__(self, other):
        return self.kind.compared("LT", self, other)

    def __le__(self, other):
        return self.kind.compared("LE", self, other)

    def __gt__(self, other):
        return self.kind.compared("LT", other, self)

    def __ge__(self, other):
        return self.kind.compared("LE", other, self)

    def __eq__(self, other):
        if self.kind.asks:
            return self.kind.same(self, other)
        return (
            isinstance(other, Node)
            and self.kind.compatible(other.kind)
            and self.kind.same(self, other)
        )

    def __hash__(self):
        return hash(str(self.x))

    def __repr__(self):
        return f"{type(self.kind).__name__}({self.x})"


def _is(x, n: int) -> bool:
    """Whether `x` is the plain number `n`."""
    return isinstance(x, (int, float, Fraction)) and x == n


def _each(array: np.ndarray, f: Callable) -> np.ndarray:
    return vector(map(f, array.ravel())).reshape(array.shape)


class _Bindings(dict):
    """Scalars by name.  A new binding clears the cached values."""

    def __init__(self, found: dict, *given):
        super().__init__(*given)
        self._found = found

    def __setitem__(self, name, x):
        self._found.clear()
        super().__setitem__(name, x)

    def update(self, *given):  # type: ignore[override]
        self._found.clear()
        super().update(*given)


class Scalars:
    """Operations of a kind of scalar.  `parameters` binds names of the model to scalars.

    `can` lists the operations beyond those of a ring: divide, root, branch, derive.
    """

    can: frozenset[str] = frozenset()
    name = "scalars"
    loops = False  # whether native text may be called
    asks = False  # whether a text may ask which of two is larger, or whether they are equal
    follows = False  # whether derivatives are taken, which do not go through what is `decided`
    constant: Callable[[Any], Any]  # a plain number as what a `Node` of this kind holds
    same: Callable[[Any, Any], bool]  # whether two nodes are equal

    def __init__(self, parameters: Mapping[str, Any] | None = None):
        self.parameters = parameters or {}
        self.nominals: dict[str, float] = {}  # values that a system brought itself

    def need(self, what: str, who: str) -> None:
        """Raise `NotInRing` if this scalar lacks the operation `what`."""
        if what not in self.can:
            raise NotInRing(f"{who} needs the operation {what!r}, which {self.name} do not have")

    @property
    def parameters(self) -> dict[str, Any]:
        return self._parameters

    @parameters.setter
    def parameters(self, bound: Mapping[str, Any]):
        self._found: dict = {}  # constant expressions, which share parts, under these bindings
        self._parameters = _Bindings(self._found, bound)

    def number(self, value):
        """A constant of the model (int, Fraction, float, or an expression) as a scalar."""
        return value.over(self, self._found) if hasattr(value, "over") else self.exact(value)

    def numbers(self, values) -> np.ndarray:
        """An array of constants as an array of scalars of the same shape."""
        values = np.asarray(values, dtype=object)
        return vector([self.number(x) for x in values.ravel().tolist()]).reshape(values.shape)

    def shifted(self, q, offsets) -> np.ndarray:
        """`q + offsets`."""
        return vector(x + d if d else x for x, d in zip(q, offsets, strict=True))

    def parameter(self, name: str):
        try:
            return self.parameters[name]
        except KeyError:
            if name == "t":
                raise NotInRing(
                    "time moves a placement of this model, and no time was given here; give t= [s]"
                ) from None
            raise NotInRing(
                f"parameter {name!r} has no value here; give it a nominal value in "
                "Model(parameters=...) or keep it as an argument"
            ) from None

    def time(self):
        """Time of a system with moving placements.  None if the caller binds "t"."""
        return None

    def exact(self, x):
        return x

    def compatible(self, other: Scalars) -> bool:
        """Whether elements of two kinds can be compared."""
        return self is other

    def wrap(self, x):
        return Node(self, x)

    def plus(self, x, y):
        return self.wrap(x + y)

    def minus(self, x, y):
        return self.wrap(x - y)

    def negative(self, x):
        return Node(self, -x)

    def scaled(self, x, y):
        return self.wrap(x * y)

    def product(self, x, y):
        return self.wrap(x * y)

    def power(self, x, n: int):
        return x**n if n >= 0 else self.divide(1, x**-n)

    def divide(self, x, y):
        self.need("divide", "a quotient")

    def sqrt(self, x):
        self.need("root", "a square root")

    def truth(self, x: Node) -> bool:
        """The answer to a question, `if x < y`, where texts may ask."""
        raise TypeError("a symbolic scalar is neither true nor false; use Scalars.select")

    def compared(self, how: str, x, y) -> Any:
        """A question: `LT`, whether x is less than y, or `LE`."""
        raise TypeError("symbolic scalars are not compared; use Scalars.less")

    def select(self, condition, x, y):
        self.need("branch", "a choice between two formulas")

    def less(self, x, y):
        self.need("branch", "a comparison")

    def stairs(self, table: Stairs, x) -> np.ndarray:
        """Row of a piecewise table at the scalar `x`, with derivative zero."""
        self.need("branch", "a table")
        return vector(table.row_by_bisection(self, x))

    def derive(self, x, wrt) -> Any:
        self.need("derive", "a derivative")

    def kept(self, owner, what: str, x, make: Callable):
        """`make()`, a function of the scalar `x` of an object.  Graphs cache it."""
        return make()

    def routine(self, key: tuple, f: Callable, fixed, given) -> np.ndarray:
        """`f(fixed, given)`, a vector from lists of arrays; graphs may write it once and call it.

        It must depend only on its key, the shapes, the plain numbers in `fixed` and the entries of
        `given`.
        """
        return f(fixed, given)

    def decided(self, key: tuple, f: Callable, fixed, given) -> np.ndarray:
        """As `routine`, for results that derivatives treat as constants (see `Followed`)."""
        return self.routine(key, f, fixed, given)

    def abreast(self, key: tuple, f: Callable, fixed, columns) -> list[np.ndarray]:
        """`f(fixed, [x])` for each column x, as by `routine`.  Columns may be computed together."""
        return [f(fixed, [x]) for x in columns]

    def call(self, name: str, *x):
        """A function of one argument by name: tan, exp, log, tanh, abs, sign, ..."""
        self.need("branch", name)

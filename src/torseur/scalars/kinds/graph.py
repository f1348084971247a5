"""Nodes of CasADi expression graphs as scalars, for compilation and differentiation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from ..piecewise_table import called
from .base import Node, Scalars, _is, vector
from .float import float_call

MIN_SPARSE_SIZE = 1024  # entries of an array whose zeros are left out


class Graph(Scalars):
    """CasADi expression graphs.

    Operations are called by their code. The Python operators of SX try every interpretation of both
    operands first and take seven times as long.
    """

    can = frozenset({"divide", "root", "branch", "derive"})
    name = "graph nodes"
    pi = math.pi

    def __init__(self, parameters=None):
        super().__init__(parameters)
        import casadi

        self.lib = casadi
        self._one, self._two = casadi.SX.unary, casadi.SX.binary
        self._constants: dict[float, Any] = {}

    def exact(self, x):
        return x if isinstance(x, (int, Node)) else float(x)

    def constant(self, x):
        x = float(x)
        found = self._constants.get(x)
        if found is None or x == 0:  # 0.0 and -0.0 share a place
            found = self._constants[x] = self.lib.SX(x)
        return found

    def plus(self, x, y):
        return Node(self, self._two(self.lib.OP_ADD, x, y))

    def minus(self, x, y):
        return Node(self, self._two(self.lib.OP_SUB, x, y))

    def product(self, x, y):
        return Node(self, self._two(self.lib.OP_MUL, x, y))

    scaled = product

    def negative(self, x):
        return Node(self, self._one(self.lib.OP_NEG, x))

    def same(self, x, y):
        return self.lib.is_equal(x.x, y.x, 20)

    def kept(self, owner, what, x, make):
        if not isinstance(x, Node):
            return make()
        key = (what, id(owner), id(x))  # both are held, so that nobody else has their place
        if key not in self._found:
            self._found[key] = make(), owner, x
        return self._found[key][0]

    def symbol(self, name: str) -> Node:
        return Node(self, self.lib.SX.sym(name))

    def symbols(self, names: Iterable[str]) -> np.ndarray:
        return vector(self.symbol(n) for n in names)

    def time(self):
        return self.symbol("t")

    def sx(self, x):
        """The bare SX of a scalar, or a column or matrix of them."""
        if isinstance(x, np.ndarray):
            if x.size > MIN_SPARSE_SIZE:
                return self._gathered(x)
            if x.ndim == 2:
                return self.lib.vertcat(*(self.lib.horzcat(*map(self.sx, row)) for row in x))
            return self.lib.vertcat(*map(self.sx, x)) if len(x) else self.lib.SX(0, 1)
        return x.x if isinstance(x, Node) else self.constant(x)

    def _gathered(self, x: np.ndarray):
        """The SX of a large array, most of which is zero."""
        flat = x.ravel().tolist()
        at = [k for k, e in enumerate(flat) if e.__class__ is not int or e]
        columns = 1 if x.ndim == 1 else x.shape[-1]  # slices are stacked
        rows = x.size // columns
        full = self.lib.vertcat(*(self.sx(flat[k]) for k in at)) if at else self.lib.SX(0, 1)
        i, j = ([k // columns for k in at], [k % columns for k in at])
        return self.lib.densify(self.lib.SX.triplet(i, j, full, rows, columns))

    def unpack(self, column) -> np.ndarray:
        """A dense SX column as an array of nodes (constants become floats)."""
        return vector(
            float(e) if e.is_constant() else Node(self, e)
            for e in self.lib.vertsplit(self.lib.densify(column))
        )

    def substitute(self, x, names, actual) -> np.ndarray:
        """`x` with the symbols `names` replaced by `actual`."""
        return self.unpack(self.lib.substitute(self.sx(vector(x)), self.sx(names), self.sx(actual)))

    def functions(self, name: str, inputs, outputs, reads, shows):
        """The `casadi.Function` of some expressions, with the names of its inputs and outputs."""
        return self.lib.Function(name, inputs, outputs, reads, shows)

    def _unary(self, op, number, x):
        return Node(self, self._one(op, x.x)) if isinstance(x, Node) else number(x)

    def sin(self, x):
        return self._unary(self.lib.OP_SIN, math.sin, x)

    def cos(self, x):
        return self._unary(self.lib.OP_COS, math.cos, x)

    def sqrt(self, x):
        return self._unary(self.lib.OP_SQRT, math.sqrt, x)

    def call(self, name, *x):
        if not any(isinstance(e, Node) for e in x):
            return float_call(name, *x)
        name = {"abs": "fabs", "min": "fmin", "max": "fmax"}.get(name, name)
        return self.wrap(getattr(self.lib, name)(*map(self.sx, x)))

    def divide(self, x, y):
        if _is(x, 0) or _is(y, 1):
            return x
        if not isinstance(x, Node) and not isinstance(y, Node):
            return float(x) / float(y)
        return Node(self, self._two(self.lib.OP_DIV, self.sx(x), self.sx(y)))

    def less(self, x, y):
        if not isinstance(x, Node) and not isinstance(y, Node):
            return x < y
        return Node(self, self._two(self.lib.OP_LT, self.sx(x), self.sx(y)))

    def select(self, condition, x, y):
        if not isinstance(condition, Node):
            return x if condition else y
        return self.wrap(self.lib.if_else(condition.x, self.sx(x), self.sx(y)))

    def stairs(self, table, x):
        if not isinstance(x, Node):
            return vector(table.at(x))
        return self.kept(table, "row", x, lambda: self._table_row(table, x))

    def _table_row(self, table, x) -> np.ndarray:
        """Row of a table by lookup functions that the compiler recognizes.

        The floor of an integer has no derivative, so the row has none.
        """
        find, lib = looks("find", table.knots.tobytes()), self.lib
        which, row = lib.floor(find(x.x)), table.rows[0].tolist()
        return vector(
            y if c is None else Node(self, looks("take", c.tobytes())(which))
            for c, y in zip(table.columns, row, strict=True)
        )

    def along(self, x: np.ndarray, wrt: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """Derivatives of many scalars as some symbols move along a direction."""
        if not len(x):
            return vector(())
        return self.unpack(self.lib.jtimes(self.sx(x), self.sx(wrt), self.sx(direction)))

    def derive(self, x, wrt):
        """Derivative of a scalar with respect to one symbol, or a column of symbols."""
        many = isinstance(wrt, np.ndarray)
        if not isinstance(x, Node):
            return vector([0] * len(wrt)) if many else 0
        gradient = self.lib.gradient(x.x, self.sx(wrt))
        return self.unpack(gradient) if many else self.unpack(gradient)[0]


@lru_cache(maxsize=512)
def looks(kind: str, data: bytes):
    """A table lookup function: count of the numbers in `data` up to x (`find`), or entry x
    (`take`).
    """
    import casadi as lib

    numbers, x = np.frombuffer(data), lib.MX.sym("x")
    if kind == "find":
        grid = lib.MX(lib.DM([-math.inf, *numbers, math.inf]))
        y = lib.low(grid, x, {"lookup_mode": "binary"})
    else:
        y = lib.MX(lib.DM(numbers))[x]
    return lib.Function(called(kind, numbers), [x], [y], {"never_inline": True})

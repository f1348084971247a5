"""Nodes of expression graphs as scalars: what is compiled and differentiated."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from .floats import float_call
from .scalar import Node, Scalars, _is, vector


class Graph(Scalars):
    """CasADi expression graphs."""

    can = frozenset({"divide", "root", "branch", "derive"})
    name = "graph nodes"
    pi = math.pi

    def __init__(self, parameters=None):
        super().__init__(parameters)
        import casadi

        self.lib = casadi

    def exact(self, x):
        return x if isinstance(x, (int, Node)) else float(x)

    def constant(self, x):
        return float(x)

    def same(self, x, y):
        return self.lib.is_equal(x.x, y.x, 20)

    def symbol(self, name: str) -> Node:
        return Node(self, self.lib.SX.sym(name))

    def symbols(self, names: Iterable[str]) -> np.ndarray:
        return vector(self.symbol(n) for n in names)

    def time(self):
        return self.symbol("t")

    def sx(self, x):
        """The bare SX of a scalar, or a column or matrix of them."""
        if isinstance(x, np.ndarray):
            if x.ndim == 2:
                return self.lib.vertcat(*(self.lib.horzcat(*map(self.sx, row)) for row in x))
            return self.lib.vertcat(*map(self.sx, x)) if len(x) else self.lib.SX(0, 1)
        return x.x if isinstance(x, Node) else self.lib.SX(float(x))

    def unpack(self, column) -> np.ndarray:
        """A dense SX column as an array of nodes (constants become floats)."""
        return vector(
            float(e) if e.is_constant() else Node(self, e)
            for e in self.lib.vertsplit(self.lib.densify(column))
        )

    def _unary(self, f, number, x):
        return self.wrap(f(x.x)) if isinstance(x, Node) else number(x)

    def sin(self, x):
        return self._unary(self.lib.sin, math.sin, x)

    def cos(self, x):
        return self._unary(self.lib.cos, math.cos, x)

    def sqrt(self, x):
        return self._unary(self.lib.sqrt, math.sqrt, x)

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
        return self.wrap(self.sx(x) / self.sx(y))

    def less(self, x, y):
        if not isinstance(x, Node) and not isinstance(y, Node):
            return x < y
        return self.wrap(self.sx(x) < self.sx(y))

    def select(self, condition, x, y):
        if not isinstance(condition, Node):
            return x if condition else y
        return self.wrap(self.lib.if_else(condition.x, self.sx(x), self.sx(y)))

    def derive(self, x, wrt):
        """Derivative of a scalar with respect to one symbol, or a column of symbols."""
        many = isinstance(wrt, np.ndarray)
        if not isinstance(x, Node):
            return vector([0] * len(wrt)) if many else 0
        gradient = self.lib.gradient(x.x, self.sx(wrt))
        return self.unpack(gradient) if many else self.unpack(gradient)[0]

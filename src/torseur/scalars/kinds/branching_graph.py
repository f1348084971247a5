"""Expression graphs of code with branches.

The code runs once for each combination of decisions. Selections by the conditions join the results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ...errors import TorseurError
from .base import Node
from .graph import Graph

MAX_PATHS = 400  # paths through the branches of an expression
DEEP = 40  # questions on one of them


class ManyWays(Exception):
    """The code has too many branches for a graph."""


class Deciding(Graph):
    """Graph nodes that can be used in conditions.


    >>> K = Deciding()
    >>> x = K.symbol("x")
    >>> (y,) = K.chosen(lambda: (x if x > 0 else -x,))
    >>> f = K.lib.Function("f", [K.sx(x)], [K.sx(y)])
    >>> float(f(3)), float(f(-2))
    (3.0, 2.0)
    """

    name = "graph nodes that can be asked"
    asks = True

    def __init__(self, parameters=None):
        super().__init__(parameters)
        self._told: list[bool] = []
        self._asked: list[tuple[Node, bool]] | None = None

    def compared(self, how, x, y):
        if how != "EQ" and (_plain(x) == -math.inf or _plain(y) == math.inf):
            return True
        op = getattr(self.lib, f"OP_{how}")
        return Node(self, self._two(op, self.sx(x), self.sx(y)))

    def truth(self, x):
        if x.x.is_constant():
            return bool(float(x.x))
        if self._asked is None:
            return super().truth(x)
        if len(self._asked) >= DEEP:
            raise ManyWays
        answer = self._told[len(self._asked)] if len(self._asked) < len(self._told) else True
        self._asked.append((x, answer))
        return answer

    def same(self, x, y):
        return self.compared("EQ", x, y)

    def chosen(self, text: Callable[[], Sequence]) -> list:
        """Results of the code for every combination of decisions, NaN where it raises."""
        ways: list[tuple] = []
        left: list[list[bool]] = [[]]
        while left:
            self._told, self._asked = left.pop(), []
            try:
                given = list(text())
            except (TorseurError, ArithmeticError, LookupError, ValueError):
                given = []
            asked, self._asked = self._asked, None
            ways.append((asked, given))
            answers = [answer for _, answer in asked]
            left += [[*answers[:i], False] for i in range(len(self._told), len(asked))]
            if len(ways) + len(left) > MAX_PATHS:
                raise ManyWays
        return self._join_branches(ways)

    def _join_branches(self, ways) -> list:
        size = max(len(given) for _, given in ways)
        (_, first), *others = ways
        out = first or [math.nan] * size
        for asked, given in others:
            here = self.lib.SX(1)
            for x, answer in asked:
                here = self.lib.logic_and(here, x.x if answer else self.lib.logic_not(x.x))
            new = given or [math.nan] * size
            out = [
                x if x is y else self.select(Node(self, here), x, y)
                for x, y in zip(new, out, strict=True)
            ]
        return out


def _plain(x) -> float:
    """A plain number as a float, NaN for a node."""
    return math.nan if isinstance(x, Node) else float(x)

"""Scalars with a few more names: expressions of coordinates, deflections, time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..values.expression import Value


class Bound:
    """A scalar kind `K` in which some names of expressions stand for given scalars.


    >>> from torseur.scalars import Floats, exact
    >>> Bound(Floats({"k": 2.0}), {"x": 3.0}).number(exact("k*x"))
    6.0
    """

    def __init__(self, K: Any, names: Mapping[str, Any]):
        self._K, self._names = K, names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._K, name)

    def number(self, x: Any) -> Any:
        """A constant, or an expression of these names and of the model's parameters."""
        return x.over(self) if isinstance(x, Value) else self._K.number(x)

    def parameter(self, name: str) -> Any:
        return self._names[name] if name in self._names else self._K.parameter(name)

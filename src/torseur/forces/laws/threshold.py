"""An event without a force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..base import Guard, Law, Seen, law  # noqa: F401 (examples)


@law
@dataclass(frozen=True, slots=True)
class Threshold(Law):
    """No force: an event whenever x passes `value`; name its element in `stop_when` to stop there.

    >>> [g.name for g in Threshold(0.5).guards(None, Seen(0.2, 1.0))]
    ['rises', 'falls']
    """

    picture: ClassVar = "stop"
    value: Any
    units: ClassVar = {"value": "m"}

    def knots(self, K):
        return (self.get(K, "value"),)

    def force(self, K, s):
        return 0

    def guards(self, K, s):
        value = self.value if K is None else self.get(K, "value")
        return Guard("rises", value - s.x, waits=0), Guard("falls", s.x - value, waits=0)

    def jump(self, K, k, s):
        return s.z, s.m

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls(0.1),)

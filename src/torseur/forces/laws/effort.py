"""A push of a given size, or an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import derived
from ..base import InputPush, Seen, Source, law  # noqa: F401 (examples)


@law
@dataclass(frozen=True, slots=True)
class Effort(Source):
    """A push along x of a given size [N or N m]: a number or expression, or an input by name.

    >>> from torseur.scalars import Floats
    >>> Effort(input="motor").force(Floats(), Seen(0.0, 0.0, u=(3.0,)))
    -3.0
    """

    value: Any = 0
    input: str | None = None
    gain: Any = 1
    units: ClassVar = {"value": "N", "gain": "1"}
    scales: ClassVar = ("value", "gain")

    @derived
    def inputs(self):
        return () if self.input is None else (self.input,)

    motor = derived(lambda self: self.input is not None)

    @derived
    def push(self):
        return None if self.input is None else InputPush(self.input, self.gain, self.value)

    def force(self, K, s):
        push = self.get(K, "value")
        if self.input is not None:
            push = push + self.get(K, "gain") * s.u[0]
        return -push

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return cls(2.5), cls(input="push")

"""Ports: the named arrays that are inputs and outputs of programs."""

import math
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Port:
    """A named array of doubles, input or output, stored row by row.

    >>> Port("M", (7, 7)).size
    49
    """

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


class Ported(Protocol):
    """An object with input and output ports."""

    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def outputs(self) -> tuple[Port, ...]: ...

"""Named arrays that go in and out of programs."""

import math
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Port:
    """A named array of numbers going in or out, stored row by row.

    >>> Port("M", (7, 7)).size
    49
    """

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Ported(Protocol):
    """What has named arrays going in and out."""

    @property
    def inputs(self) -> tuple[Port, ...]: ...
    @property
    def outputs(self) -> tuple[Port, ...]: ...

"""What holds or brakes rows: shared by dry friction and contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..register import derived


@dataclass(frozen=True, slots=True, eq=False)
class FrictionLaw:
    """What holds or brakes a row, or two at once: forces, or coefficients of a normal force."""

    sliding: Any
    static: Any
    normal: str | None = None
    radius: Any = 1
    link: int = 0  # of the joint, for normal = "joint"

    @derived
    def numbers(self) -> tuple:
        return (self.sliding, self.static, self.radius)


def static_of(to, low, high, where):
    """The static friction of two, after the checks of both."""
    high = low if high is None else high
    slides, holds = map(to.nominal, (low, high))
    for x in dict.fromkeys((slides, holds)):
        if x is not None and x < 0:
            to.problems.append(f"{where}: friction of {x:g}; use zero or more")
    if None not in (slides, holds) and holds < slides:
        to.problems.append(
            f"{where}: static friction {holds:g} is less than sliding friction {slides:g}"
        )
    return high

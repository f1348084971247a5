"""What holds or brakes rows: shared by dry friction and contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..numbers import Number
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
    for x in dict.fromkeys((low, high)):
        if isinstance(x, Number) and x < 0:
            to.problems.append(f"{where}: friction of {float(x):g}; use zero or more")
    if isinstance(low, Number) and isinstance(high, Number) and high < low:
        to.problems.append(
            f"{where}: static friction {float(high):g} is less than sliding friction {float(low):g}"
        )
    return high

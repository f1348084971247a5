"""Restitution and friction of what touches: shared by contacts with planes and between bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..register import derived

# --------------------------------------------------------------------------------------------
# What holds or brakes rows: shared by dry friction and contacts.


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


@dataclass(frozen=True, slots=True, eq=False)
class ContactLaw:
    """How a contact that only pushes closes: restitution, and the approach too slow for it."""

    restitution: Any
    rest_speed: Any  # [m/s]


def landing(c, to, where) -> tuple[ContactLaw, FrictionLaw | None]:
    """What the numbers of a contact say, after their checks; no friction where there is none."""
    units = {"restitution": "1", "friction": "1", "rest_speed": "m/s"}
    e, low, slow = (to.number(getattr(c, n), f"{where}, {n} [{unit}]") for n, unit in units.items())
    if (size := to.nominal(slow)) is not None and size < 0:
        to.problems.append(f"{where} has rest_speed {size:g} m/s; use zero or more")
    if (back := to.nominal(e)) is not None and not 0 <= back <= 1:
        to.problems.append(
            f"{where} has restitution {back:g}; use a number from zero "
            "(stays) to one (loses nothing)"
        )
    high = c.static_friction
    high = None if high is None else to.number(high, f"{where}, static_friction")
    high = static_of(to, low, high, where)
    rough = low != 0 or high != 0
    return ContactLaw(e, slow), FrictionLaw(low, high, f"{c.name}.normal") if rough else None

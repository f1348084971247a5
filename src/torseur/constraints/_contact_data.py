"""Contact law and friction law: restitution, rest speed, coefficients of friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..register import derived


@dataclass(frozen=True, slots=True, eq=False)
class FrictionLaw:
    """Coulomb friction of one or two rows: forces, or coefficients of a normal force."""

    sliding: Any
    static: Any
    normal: str | None = None
    radius: Any = 1
    link: int = 0  # of the joint, for normal = "joint"

    @derived
    def numbers(self) -> tuple:
        """Exact numbers that it depends on."""
        return (self.sliding, self.static, self.radius)


def check_friction(to: Any, low, high, where: str):
    """Static friction, `low` if `high` is None, after the checks of both."""
    high = low if high is None else high
    sliding, static = map(to.nominal, (low, high))
    for x in dict.fromkeys((sliding, static)):
        if x is not None and x < 0:
            to.problems.append(f"{where}: friction of {x:g}; use zero or more")
    if None not in (sliding, static) and static < sliding:
        to.problems.append(
            f"{where}: static friction {static:g} is less than sliding friction {sliding:g}"
        )
    return high


@dataclass(frozen=True, slots=True, eq=False)
class ContactLaw:
    """Newton's restitution of a unilateral contact, and the speed below which there is none."""

    restitution: Any
    rest_speed: Any  # [m/s]


def contact_laws(c, to: Any, where: str) -> tuple[ContactLaw, FrictionLaw | None]:
    """Contact law and friction law of a contact after the checks of its numbers.

    A contact without friction has no friction law.
    """
    units = {"restitution": "1", "friction": "1", "rest_speed": "m/s"}
    e, low, slow = (to.number(getattr(c, n), f"{where}, {n} [{unit}]") for n, unit in units.items())
    if (size := to.nominal(slow)) is not None and size < 0:
        to.problems.append(f"{where} has rest_speed {size:g} m/s; use zero or more")
    if (restitution := to.nominal(e)) is not None and not 0 <= restitution <= 1:
        to.problems.append(
            f"{where} has restitution {restitution:g}; use a number from zero "
            "(stays) to one (loses nothing)"
        )
    high = c.static_friction
    high = None if high is None else to.number(high, f"{where}, static_friction")
    high = check_friction(to, low, high, where)
    has_friction = low != 0 or high != 0
    friction = FrictionLaw(low, high, f"{c.name}.normal") if has_friction else None
    return ContactLaw(e, slow), friction

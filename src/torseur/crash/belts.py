# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Belts: slack, stiffness, a limiter of their load, a pretensioner that fires at its moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..constraints import Driven
from ..errors import ModelError, shown
from ..forces import CoordinateForce, Crush, JointForce, PointForce
from ..joints import Prismatic
from ..model import Body, Joint, description
from .scene.members import is_real

quantity = description.quantity
REEL = 0.5  # kg: what a pretensioner winds the belt on; driven, so that its mass decides nothing


@dataclass(frozen=True, slots=True, eq=False)
class Belt:
    """A belt: `slack` [m] (negative: taken in before the pulse), `stiffness` [N/m], `limit` [N] of
    a load limiter that gives way and keeps what it gave.

    A pretensioner winds up `pull` [m], from `fires` [s] on, `within` [s], and then holds; a belt
    at its limit gives way to it too.  Defaults are placeholders.

    >>> Belt(pull=0.08, fires=0.012).motion
    '0.08*min(max((t - 0.012)/0.006, 0), 1)**3*(10 + min(max((t - 0.012)/0.006, 0), 1)*(-15 + \
6*min(max((t - 0.012)/0.006, 0), 1)))'
    """

    slack: Any = quantity(0.02, "m")
    stiffness: Any = quantity(60e3, "N/m")
    limit: Any = quantity(5e3, "N")
    pull: Any = quantity(0.0, "m")
    fires: Any = quantity(0.010, "s")
    within: Any = quantity(0.006, "s")

    def __post_init__(self):
        description.convert_fields_to_si(self)
        rules = {"stiffness": True, "limit": True, "within": True, "pull": False, "fires": False}
        problems = []
        for name, above in rules.items():
            x = getattr(self, name)
            if not is_real(x) or not (float(x) > 0 if above else float(x) >= 0):
                rule = "above zero" if above else "of zero or more"
                problems.append(f"belt: {name}: expected a number {rule}, got {shown(x)}")
        if not is_real(self.slack):
            problems.append(f"belt: slack: expected a number [m], got {shown(self.slack)}")
        if problems:
            raise ModelError(problems)

    def law(self, length: float) -> Crush:
        """Tension against length [m]."""
        k, F = float(self.stiffness), float(self.limit)
        points = ((0.0, 0.0), (F / k, F), (F / k + 1.0, F))
        return Crush(points, 2 * k, free_length=length + float(self.slack))

    @property
    def motion(self) -> str:
        """Length wound up by the pretensioner [m] as an expression of t, smooth."""
        s = f"min(max((t - {float(self.fires)!r})/{float(self.within)!r}, 0), 1)"
        return f"{float(self.pull)!r}*{s}**3*(10 + {s}*(-15 + 6*{s}))"

    def _reel(self, name: str, carrier: str, at, axis) -> dict[str, list]:
        """Slide of the carrier that follows the motion of the pretensioner."""
        return {
            "bodies": [Body(name, REEL)],
            "joints": [Joint(name, carrier, name, Prismatic(axis), at=at)],
            "constraints": [Driven(f"{name}_motion", f"{name}.displacement", self.motion)],
        }

    def along(self, name: str, joint: str, carrier: str) -> dict[str, list]:
        """The belt against a slide of the carrier along x."""
        law = self.law(0.0)
        if not float(self.pull):
            return {"forces": [JointForce(name, joint, law)]}
        reel = f"{name}_reel"
        stretch = {f"{joint}.displacement": 1, f"{reel}.displacement": 1}
        parts = self._reel(reel, carrier, (0.0, 0.0, 0.0), (-1.0, 0.0, 0.0))
        return parts | {"forces": [CoordinateForce(name, stretch, law)]}

    def between(self, name: str, attachment, at, carrier: str, anchor) -> dict[str, list]:
        """The belt from a point of a body, at `at` in the carrier's axes, to an anchor on the
        carrier.
        """
        direction = np.subtract(anchor, at)
        length = float(np.linalg.norm(direction))
        law = self.law(length)
        if not float(self.pull):
            return {"forces": [PointForce(name, attachment, (carrier, anchor), law)]}
        reel = f"{name}_reel"
        parts = self._reel(reel, carrier, anchor, tuple((direction / length).tolist()))
        return parts | {"forces": [PointForce(name, attachment, reel, law)]}


SHOULDER = Belt()
LAP = Belt(stiffness=120e3, limit=15e3)
LAP_BELT_ALONE = Belt(stiffness=120e3, limit=24e3)
"""Belts of occupants: placeholders."""


def belted(n, carrier, lap, shoulder, torso, at, root=(0.0, 0.0, 0.0), side=0.0, shoulders=0.45):
    """Parts of both belts: the lap belt to an anchor behind the hip, and the shoulder belt from
    `at` on the torso, whose origin is at `root` of the cabin, to an anchor behind the shoulder.
    """
    low, high = (-0.30, 0.0, -0.25), (-0.35, side, shoulders + 0.1)
    hip = (0.0, 0.0, 0.0)
    return merge_parts(
        lap.between(f"{n}_lap_belt", (f"{n}_pelvis", hip), hip, carrier, low),
        shoulder.between(f"{n}_shoulder_belt", (torso, at), np.add(at, root), carrier, high),
    )


def merge_parts(*parts) -> dict[str, list]:
    """Parts of models as one."""
    out: dict[str, list] = {}
    for part in parts:
        for kind, elements in part.items():
            out.setdefault(kind, []).extend(elements)
    return out

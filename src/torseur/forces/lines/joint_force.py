"""A law on one coordinate of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import unknown_name_message
from ..base import line
from ._base import CoordinateLine, Resolved
from ._validation import law_problems


@line
@dataclass(frozen=True, slots=True, eq=False)
class JointForce(CoordinateLine):
    """A law on one coordinate of a joint: x is the coordinate [rad or m].

    `coordinate` names it ("angle2") where the joint has several.
    """

    name: str
    joint: str
    law: Any
    coordinate: str | None = None
    key: ClassVar = "joint"

    def problems(self, model):
        where = f"force {self.name!r}"
        kinds, names = model.joint_kinds, model.turning
        yield from law_problems(model, self.law, where, steps=True)
        if self.joint not in names:
            yield unknown_name_message("joint", self.joint, names, where)
        elif (kind := kinds.get(self.joint)) is not None and hasattr(kind, "coordinates"):
            own = [n for n, _ in kind.coordinates]
            if self.coordinate is None and len(own) != 1:
                yield (
                    f"{where}: joint {self.joint!r} has {len(own)} coordinates; say which: "
                    f"coordinate= one of {', '.join(map(repr, own))}"
                )
            elif self.coordinate is not None and self.coordinate not in own:
                yield unknown_name_message("coordinate", self.coordinate, own, where)
            elif not kind.holonomic:
                yield (
                    f"{where}: the speeds of joint {self.joint!r} are not the rates of its "
                    "coordinates; act on points or frames instead"
                )

    def resolved(self, system):
        k = system.link(self.joint)
        # a damper's: by rates
        entries = k.joint.coordinates if k.joint.holonomic else k.joint.speeds
        i = 0 if self.coordinate is None else [n for n, _ in entries].index(self.coordinate)
        weights = ((k.q.start + i if k.joint.holonomic else None, k.v.start + i, 1),)
        return Resolved(weights=weights, unit=entries[i][1].removesuffix("/s"))

    def drawn(self):
        sign = -self.law.shows
        return ({"shape": "joint", "joint": self.joint, "sign": sign, "looks": self.looks},)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        from ..laws.spring import Spring

        return cls("f", "turn", Spring(20.0, 0.3)), cls("f", "wrist", Spring(3.0), "angle2")

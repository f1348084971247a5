"""Knife edge: a nonholonomic constraint against lateral motion.  Equation CO.9."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..scalars import vector
from ..spatial import WORLD
from .base import Constraint, Relative, constraint

if TYPE_CHECKING:
    from ..spatial import Pose, Twist


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class KnifeEdge(Constraint):
    """The origin of `blade` (a body or frame) does not move along its own axis `across`.

    The multiplier is the force [N] on the blade along that axis.
    """

    name: str
    blade: str
    across: Any = "y"
    inside: ClassVar = {"across": ""}

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", "tip", "y"),
            cls("c", "hand", (2, 1, 2)),
        )

    def drawn(self):
        return ({"shape": "blade", "on": self.blade, "across": self.across},)

    def rows(self, to: Any):
        where = to.where(self)
        M = to.fixed_frame(self.blade, where)
        more = {"F": WORLD, "M": M, "axis": to.axis(self.across, where)}
        return [Blade(self.name, to.links_of(WORLD, M), ("across",), ("m/s",), True, **more)]


@dataclass(frozen=True, slots=True, eq=False)
class Blade(Relative):
    """Velocity of the origin of M along an axis of M, CO.9."""

    axis: tuple = (0, 1, 0)

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray):
        return self.velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K: Any, X_FM: Pose, V: Twist):
        return vector((K.numbers(self.axis) @ V.linear,))  # CO.9

    def numbers(self):
        return (*Relative.numbers(self), *self.axis)

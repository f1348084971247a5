"""Play between two sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..base import law
from ._unilateral_stops import UnilateralStops


@law
@dataclass(frozen=True, slots=True)
class Backlash(UnilateralStops):
    """Play: no force while `|x| < gap`, a spring and a damper beyond, on either side.

    Each side presses and never pulls: where its damper would hold back what leaves, it lets go.
    The side in contact is in memory; crossing the gap's edges are events.
    """

    gap: Any
    stiffness: Any
    damping: Any = 0
    units: ClassVar = {"gap": "m", "stiffness": "N/m", "damping": "N s/m"}
    not_negative: ClassVar = ("gap", "stiffness", "damping")
    modes: ClassVar = ("free", "above", "below", "above, letting go", "below, letting go")

    def contact_points(self, K):
        g = self.get(K, "gap")
        return -g, g

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls(0.05, 1e3, 4.0), cls(0.05, 1e3)

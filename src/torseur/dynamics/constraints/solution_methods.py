"""Names and options of the four solution methods of the constrained equation of motion.

Lagrange multipliers (KKT system), null space, elimination of dependent speeds (coordinate
partitioning), and penalty (augmented Lagrangian).  `reduced_solutions.make_solver` builds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...system import System

SOLUTIONS = ("multipliers", "null_space", "elimination", "penalty")
WEIGHT = 1e6  # of the penalty, relative to the inverse compliance of a row
PASSES = 4  # of the augmented Lagrangian


class SolutionMethod(NamedTuple):
    """Solution method of the constrained equation, and the dependent speeds that it needs."""

    solution: str = "multipliers"
    dependent: tuple[int, ...] = ()

    @property
    def led(self) -> bool:
        """Whether the method needs a choice of independent speeds."""
        return self.solution in ("null_space", "elimination")

    @property
    def implicit(self) -> bool:
        """Whether dependent coordinates and speeds are functions of the independent ones."""
        return self.solution == "elimination"

    def follows(self, system: System) -> bool:
        """Whether event functions can be computed from accelerations and multipliers."""
        return bool(system.switched) and not needs_reactions(system) and not self.implicit


def needs_reactions(system: System) -> bool:
    """Whether a friction depends on the reaction of its joint.

    A tree of base inertial parameters does not give joint reactions.
    """
    return any(e.friction.normal == "joint" for e in system.switched if e.friction)


MULTIPLIERS = SolutionMethod()

"""Names of the four solutions of the constrained equation, and what a run chooses among them."""

from __future__ import annotations

from typing import NamedTuple

SOLUTIONS = ("multipliers", "null_space", "elimination", "penalty")
WEIGHT = 1e6  # of the penalty, relative to the stiffness a row would need
PASSES = 4  # of the augmented Lagrangian


class SolutionWay(NamedTuple):
    """How the constrained equation is solved; `dependent` speeds follow the others."""

    solution: str = "multipliers"
    dependent: tuple[int, ...] = ()

    @property
    def led(self) -> bool:
        """Whether it needs a choice of independent speeds."""
        return self.solution in ("null_space", "elimination")

    @property
    def implicit(self) -> bool:
        """Whether dependent coordinates and speeds are functions of the independent ones."""
        return self.solution == "elimination"

    def follows(self, system) -> bool:
        """Whether what guards watch is seen from accelerations and multipliers."""
        return bool(system.switched) and not needs_reactions(system) and not self.implicit

    def solver(self, K, M, J, owners, on=None):
        """The equation at one position; rows that can be switched off come last."""
        from .reduced_solutions import augmented, reduced, saddle

        if self.solution == "multipliers":
            return saddle(K, M, J, owners, on=on)
        if self.solution == "penalty":
            return augmented(K, M, J, owners, on=on)
        return reduced(K, M, J, owners, self.dependent, on=on, implicit=self.implicit)


def needs_reactions(system) -> bool:
    """Whether a friction follows the reaction of its joint, which a tree of regrouped inertias does
    not give."""
    return any(e.friction.normal == "joint" for e in system.switched if e.friction)


MULTIPLIERS = SolutionWay()

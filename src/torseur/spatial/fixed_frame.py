"""A frame fixed in a numbered body, and exact poses as poses of scalars."""

from __future__ import annotations

from dataclasses import dataclass

from .pose import IDENTITY, Pose


@dataclass(frozen=True, slots=True, eq=False)
class FixedFrame:
    """Where a user's body or frame sits: `X_LB`, its pose in the frame of a link."""

    link: int
    X_LB: Pose

    def moved(self, X: Pose) -> FixedFrame:
        """The place of a pose that is given in this one."""
        return FixedFrame(self.link, self.X_LB @ X)


WORLD = FixedFrame(0, IDENTITY)


def evaluate_pose(K, X: Pose) -> Pose:
    """An exact pose as a pose over `K`; quarter turns stay exact."""
    R = X.R
    if all(isinstance(e, int) for e in R.ravel()):
        return Pose(X.turns, K.numbers(X.p))
    return Pose(K.numbers(R), K.numbers(X.p))

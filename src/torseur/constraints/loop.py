"""Loop closure by a joint.  Equations CO.1, CO.10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..register import derived
from ..scalars import vector
from ..spatial import Pose, evaluate_pose
from .base import Relative, between, chain


@dataclass(frozen=True, slots=True, eq=False)
class LoopRows(Relative):
    """Rows of a loop that a joint closes, with the labels of the joint.

    Where origins coincide, x, y and z are along the inboard frame of the first joint of the loop.
    """

    joint: Any = None

    def closure(self, K: Any, X_FM: Pose) -> np.ndarray:
        return vector(self.joint.closure(K, X_FM))

    def from_base(self, tree: Any, q: np.ndarray) -> tuple[Pose, Pose]:
        """Poses of F and M in the fixed inboard frame of a first joint of the loop."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        base = tree.links[(down or up)[0] - 1].X_PF.inverse()
        return (
            chain(tree, up, q, start=base) @ evaluate_pose(K, self.F.X_LB),
            chain(tree, down, q, start=base) @ evaluate_pose(K, self.M.X_LB),
        )

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        """Residual of the closure; coincident origins along axes of few operations, CO.10."""
        X_BF, X_BM = self.from_base(tree, q)
        rows = self.closure(
            tree.K, Pose((*X_BF.inverse().turns, *X_BM.turns), X_BF.unrotate(X_BM.p - X_BF.p))
        )
        if self.meets:
            rows[:3] = X_BM.p - X_BF.p  # CO.10
        return rows

    @derived
    def meets(self) -> bool:
        return self.joint.meets

    def turned(self, tree: Any, q: np.ndarray) -> np.ndarray:
        return self.pose(tree, q).R.ravel()

    def reversed(self, turned) -> bool:
        return self.joint.flipped(turned.reshape(3, 3))

    def off(self, by: str) -> str:
        return f"loop {self.name!r}: its parts are {by} apart"


def closure_element(closure: Any, links: Any) -> LoopRows:
    """Constraint element of a loop of the system."""
    labels, units = zip(*closure.joint.closing, strict=True) if closure.joint.nv < 6 else ((), ())
    up, down = between(links, closure.F.link, closure.M.link)
    return LoopRows(
        closure.name,
        tuple(sorted({*up, *down})),
        labels,
        units,
        F=closure.F,
        M=closure.M,
        joint=closure.joint,
    )

"""No motion at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..register import derived
from ..scalars import matrix
from ..spatial import IDENTITY, axial
from .base import PLACE, TURN, AbstractJoint, SimpleJoint, joint


@joint
@dataclass(frozen=True, slots=True)
class Weld(AbstractJoint):
    """Rigid connection.  `check()` merges the bodies.


    >>> Weld().nv
    0
    """

    picture: ClassVar = "seam"
    rigid: ClassVar = True

    def pose(self, K, q):
        return IDENTITY

    def subspace(self, K, q):
        return matrix(((),) * 6)

    def simple(self):
        return (SimpleJoint("", "fixed"),)

    def closure(self, K, X_FM):
        return np.concatenate([X_FM.p, axial(X_FM.R)])

    @derived
    def closing(self):
        return PLACE + TURN

    @derived
    def meets(self):
        return True

    def flipped(self, R):
        return bool(np.trace(R) < 2)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls(),)

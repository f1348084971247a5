"""Complex joints outside the ring: pose and screw as named functions of the coordinate.  EQ.9.

The orientation is a unit quaternion `e` whose relation the ring knows, so rotations are orthogonal.
`p` is the position, `phi` and `t` the screw, `dphi` and `dt` its derivative, all in the outboard
frame. Their derivatives by the coordinate are exact, so all formalisms still agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..scalars import vector
from ..spatial import Pose, matrix_to_quaternion, quaternion_rates, quaternion_to_matrix

PARTS = {"e": 4, "p": 3, "phi": 3, "t": 3, "dphi": 3, "dt": 3}


@dataclass(frozen=True, eq=False)
class FunctionJoint:
    """A joint of one coordinate seen through the names of its functions."""

    joint: Any  # of one coordinate, with a `screw_slope`
    name: str
    quaternion = None
    rheonomic = functional = False
    holonomic = True
    nq = nv = 1

    @property
    def coordinates(self):
        return self.joint.coordinates

    @property
    def speeds(self):
        return self.joint.speeds

    def angles(self):
        return ()

    def constants(self):
        return ()

    def names(self, part: str) -> list[str]:
        """Generators of one part."""
        return [f"{self.name}.{part}{i + (part != 'e')}" for i in range(PARTS[part])]

    def every(self) -> list[str]:
        return [n for part in PARTS if part != "e" for n in self.names(part)]

    def _get(self, K, part: str) -> np.ndarray:
        return vector(K[n] for n in self.names(part))

    def pose(self, K, q):
        return Pose(quaternion_to_matrix(self._get(K, "e")), self._get(K, "p"))

    def subspace(self, K, q):
        return np.concatenate([self._get(K, "phi"), self._get(K, "t")]).reshape(6, 1)

    def subspace_rate(self, K, q, v):
        slope = np.concatenate([self._get(K, "dphi"), self._get(K, "dt")])
        return (slope * v[0]).reshape(6, 1)

    def twist(self, K, q, v):
        return self.subspace(K, q) @ v

    def bias(self, K, q, v):
        return self.subspace_rate(K, q, v) @ v

    def rates(self, K, q, v):
        return v

    def speeds_from(self, K, q, qdot):
        return qdot

    def define(self, K, coordinate) -> None:
        """Declare the derivatives of the functions by the coordinate in the ring."""
        e, phi = self._get(K, "e"), self._get(K, "phi")
        R = quaternion_to_matrix(e)
        change = dict(zip(self.names("e"), quaternion_rates(e) @ phi, strict=True))  # EQ.9
        change |= dict(zip(self.names("p"), R @ self._get(K, "t"), strict=True))
        for part in ("phi", "t"):
            change |= dict(zip(self.names(part), self._get(K, f"d{part}"), strict=True))
        K.define_variable(coordinate, change, more=True)

    def values(self, K, q) -> dict[str, float]:
        """Numbers of the functions at a coordinate."""
        X = self.joint.pose(K, q)
        S, dS = self.joint.subspace(K, q)[:, 0], self.joint.screw_slope(K, q)
        parts = {
            "e": matrix_to_quaternion(np.array(X.R, dtype=float)),
            "p": X.p,
            "phi": S[:3],
            "t": S[3:],
            "dphi": dS[:3],
            "dt": dS[3:],
        }
        return {
            n: float(x)
            for part, xs in parts.items()
            for n, x in zip(self.names(part), xs, strict=True)
        }

"""Spherical joint, by any sequence of angles or by a quaternion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ArgumentError
from ..register import derived
from ..scalars import Floats, vector
from ..spatial import (
    ONE3,
    SEQUENCES,
    Pose,
    angles_to_quaternion,
    continue_angles,
    cross,
    exp_quaternion,
    is_rotation,
    log_quaternion,
    quaternion_product,
    quaternion_rates,
    quaternion_to_matrix,
    skew,
)
from ._elementary_sequence import ElementaryStep, SequenceJoint
from .base import PLACE, SimpleJoint, both_ways, joint

E3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
SPEEDS = ("rates", "body", "world")
SINGULAR_SINE = 0.017452406437283512  # sine of one degree: nearer the singular angle a run warns
ANGLES = (("angle1", "rad"), ("angle2", "rad"), ("angle3", "rad"))


@joint
@dataclass(frozen=True, slots=True)
class Spherical(SequenceJoint):
    """Ball joint.

    `kind` says the orientation of M in F:

    - "quaternion": unit, scalar first
    - one of the twelve intrinsic sequences of angles: "zxz" (Euler), "xyz" (Bryant), "zyx" (yaw,
      pitch, roll), "xyx", "xzx", "yxy", "yzy", "zyz", "xzy", "yxz", "yzx", "zxy"
    - "auto": a quaternion underneath, which no orientation stops, read as the three `angles` of a
      sequence ("zyx" unless said): signals `angle1`, `angle2`, `angle3` [rad] go on through the
      sequence's singularity from row to row (rows a quarter turn apart or more may take the other
      of the two triples that an orientation has), and a start may be given by them

    `speeds` says what v is: "rates" of the angles (default with a sequence), or the angular
    velocity of M in F [rad/s], components in M ("body", default otherwise) or in F ("world").

    Angles are singular where the middle one is 90 degrees, or 0 where the first axis comes again:
    a run has an event one degree before.  Theory: JO.5, RO.6.

    >>> Spherical().nq, Spherical("zxz").nq, Spherical("yxz", "body").speeds[0]
    (4, 3, ('wx', 'rad/s'))
    >>> Spherical("auto", angles="zxz").readings[1]
    ('angle2', 'rad')
    """

    picture: ClassVar = "ball"

    kind: str = "quaternion"
    speeds_in: str | None = None
    read_as: str | None = None

    def __init__(
        self, kind: str = "quaternion", speeds: str | None = None, angles: str | None = None
    ):
        for name, x in (("kind", kind), ("speeds_in", speeds), ("read_as", angles)):
            object.__setattr__(self, name, x)
        self._judge()

    def _judge(self):
        known = ", ".join(map(repr, SEQUENCES))
        if self.kind not in ("quaternion", "auto") and self.kind not in SEQUENCES:
            raise ArgumentError(f"Spherical({self.kind!r}): expected 'quaternion', 'auto', {known}")
        if self.speeds_in not in (None, *SPEEDS):
            raise ArgumentError(
                f"Spherical(speeds={self.speeds_in!r}): expected {', '.join(SPEEDS)}"
            )
        if self.speeds_in == "rates" and self.quaternion is not None:
            raise ArgumentError(f"Spherical(speeds={self.speeds_in!r}) needs angles, such as 'zyx'")
        given = self.read_as
        if given is not None and (self.kind != "auto" or given not in SEQUENCES):
            raise ArgumentError(
                f"Spherical({self.kind!r}, angles={given!r}): angles= goes with 'auto'; "
                f"expected {known}"
            )

    def faults(self, K):
        self._judge()
        return ()

    @derived
    def coordinates(self):
        if self.quaternion is not None:
            return (("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1"))
        return ANGLES

    @derived
    def speeds(self):
        own = self.speeds_are == "rates" or (self.kind == "quaternion" and not self.speeds_in)
        names = ("rate1", "rate2", "rate3") if own else ("wx", "wy", "wz")
        return tuple((n, "rad/s") for n in names)

    @derived
    def quaternion(self):
        return 0 if self.kind in ("quaternion", "auto") else None

    @derived
    def speeds_are(self):
        return self.speeds_in or ("rates" if self.kind in SEQUENCES else "body")

    @derived
    def holonomic(self):
        return self.speeds_are == "rates"

    def simple(self):
        order = SEQUENCES[self.kind if self.steps() else "xyz"]
        return tuple(SimpleJoint(f"_{i + 1}", "turn", E3[a]) for i, a in enumerate(order))

    def steps(self):
        return tuple(
            ElementaryStep(True, E3[k], i) for i, k in enumerate(SEQUENCES.get(self.kind, ()))
        )

    def pose(self, K, q):
        if self.quaternion is not None:
            return Pose(quaternion_to_matrix(q))
        return SequenceJoint.pose(self, K, q)

    def subspace(self, K, q):
        if self.holonomic:
            return SequenceJoint.subspace(self, K, q)
        top = ONE3 if self.speeds_are == "body" else self.pose(K, q).R.T
        return vector((*top.ravel(), *(0,) * 9)).reshape(6, 3)

    def subspace_rate(self, K, q, v):
        if self.holonomic:
            return SequenceJoint.subspace_rate(self, K, q, v)
        if self.speeds_are == "body":
            return vector((0,) * 18).reshape(6, 3)
        turn = self.pose(K, q).R.T
        return vector((*(-(skew(turn @ v) @ turn)).ravel(), *(0,) * 9)).reshape(6, 3)  # JO.4

    def rates(self, K, q, v):
        if self.holonomic:
            return v
        w = self._in_body(K, q, v)
        if self.quaternion is not None:
            return quaternion_rates(q) @ w
        K.need("divide", repr(self))
        return _solve3(K, SequenceJoint.subspace(self, K, q)[:3], w)  # JO.5

    def _in_body(self, K, q, w):
        return self.pose(K, q).unrotate(vector(w)) if self.speeds_are == "world" else vector(w)

    def speeds_from(self, K, q, qdot):
        if self.holonomic:
            return qdot
        if self.quaternion is not None:
            w = 4 * (quaternion_rates(q).T @ qdot)
        else:
            w = SequenceJoint.subspace(self, K, q)[:3] @ qdot
        return self.pose(K, q).rotate(w) if self.speeds_are == "world" else w

    def closure(self, K, X_FM):
        return X_FM.p

    @derived
    def closing(self):
        return PLACE

    @derived
    def meets(self):
        return True

    def neutral(self):
        return np.eye(4)[0] if self.quaternion is not None else np.zeros(3)

    def integrate(self, K, q, dv):
        if self.quaternion is None:
            return q + self.rates(K, q, dv)
        return quaternion_product(q, exp_quaternion(K, self._in_body(K, q, dv)))

    def difference(self, K, q0, q1):
        if self.quaternion is None:
            return self.speeds_from(K, q0, q1 - q0)
        w = log_quaternion(K, quaternion_product(vector((q0[0], *(-q0[1:]))), q1))
        return self.pose(K, q0).rotate(w) if self.speeds_are == "world" else w

    def divisors(self, names):
        if self.holonomic or self.quaternion is not None:
            return ()
        return (f"{'sin' if is_rotation(self.kind) else 'cos'}({names[1]})",)

    def edges(self, K, q):
        if self.quaternion is not None:
            return ()
        euler = is_rotation(self.kind)
        lost = K.sin(q[1]) if euler else K.cos(q[1])
        at = "0 or 180" if euler else "90 or -90"
        text = f"angle2 nears {at} deg, where {self.kind} angles are singular"
        return both_ways(text, "1", lost, SINGULAR_SINE)  # JO.5

    @derived
    def readings(self):
        return ANGLES if self.kind == "auto" else ()

    def read(self, q):
        if self.kind != "auto":
            return np.zeros((len(q), 0))
        R = np.array([quaternion_to_matrix(row).astype(float) for row in q]).reshape(-1, 3, 3)
        return continue_angles(self.read_as or "zyx", R)

    def entered(self, readings):
        K, kind, given = Floats(), self.read_as or "zyx", np.broadcast_arrays(*readings)
        rows = [angles_to_quaternion(K, kind, x) for x in np.reshape(given, (3, -1)).T.tolist()]
        q = np.array(rows, dtype=float).T.reshape(4, *given[0].shape)
        return {n: x if x.ndim else float(x) for (n, _), x in zip(self.coordinates, q, strict=True)}

    def constants(self):
        return ()

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            *map(cls, ("quaternion", "zxz", "xyz", "zyx")),
            cls("yzy", "body"),
            cls("zxy", "world"),
            cls("auto", "world", "zxz"),
        )


def _solve3(K, E, w) -> np.ndarray:
    """Solve three equations by Cramer's rule."""
    a, b, c = E.T
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    det = a @ bc
    return vector(K.divide(x @ w, det) for x in (bc, ca, ab))

"""A six-dimensional spring and damper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...register import derived, frozen
from ...scalars import vector
from ...scalars.values import value
from ...spatial import HALF, Wrench, evaluate_pose
from ..base import Seen, line
from ._base import ForceAction, Line, Resolved, resolve_frame
from ._validation import end_problems, number_problems

_ROTATIONS, _SLIDES = ("N m/rad, " * 3 + "N, N, N",) * 3, ("N, " * 3 + "N/m, N/m, N/m",) * 3
STIFFNESS = _ROTATIONS + _SLIDES  # units of the entries of the matrix
DAMPING = tuple(
    ", ".join(
        f"{u} s".replace("N/m s", "N s/m").replace("N m/rad s", "N m s/rad")
        for u in row.split(", ")
    )
    for row in STIFFNESS
)
REST = "rad, rad, rad, m, m, m"


@line
@dataclass(frozen=True, slots=True, eq=False)
class Bushing(Line):
    """Six-dimensional spring and damper between two frames.

    The deflection is the rotation vector of b in a [rad], then its position in a [m]; `stiffness`
    and `damping` are six numbers or 6 x 6 symmetric matrices, angular part first; `rest` is the
    deflection without load.
    """

    name: str
    a: Any
    b: Any
    stiffness: Any
    damping: Any = (0, 0, 0, 0, 0, 0)
    rest: Any = (0, 0, 0, 0, 0, 0)
    inside: ClassVar = {
        "a": "m",
        "b": "m",
        "stiffness": STIFFNESS,
        "damping": DAMPING,
        "rest": REST,
    }

    def __post_init__(self):
        for end in ("a", "b", "stiffness", "damping", "rest"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.a, f"{where}, a")
        yield from end_problems(model, self.b, f"{where}, b")
        for what in ("stiffness", "damping"):
            x = getattr(self, what)
            if not isinstance(x, tuple):
                yield f"{where}: {what}: expected 6 numbers or a 6 x 6 matrix, got {x!r}"
                continue
            square = len(x) == 6 and all(isinstance(r, tuple) and len(r) == 6 for r in x)
            if not square and (len(x) != 6 or any(isinstance(r, tuple) for r in x)):
                yield f"{where}: {what}: expected 6 numbers or a 6 x 6 matrix"
            elif square and any(x[i][j] != x[j][i] for i in range(6) for j in range(i)):
                yield f"{where}: the {what} matrix is not symmetric"
            else:
                yield from number_problems(model, x, (6, 6) if square else (6,), f"{where}, {what}")
        yield from number_problems(model, self.rest, (6,), f"{where}, rest")

    def resolved(self, system):
        return Resolved((resolve_frame(system, self.a), resolve_frame(system, self.b)))

    @derived
    def loses(self):
        return True

    def act(self, K, motion, element, state):
        A, B = element.ends
        frames = []
        for frame in (A, B):
            X_LB, link = evaluate_pose(K, frame.X_LB), motion[frame.link]
            frames.append((link.X_W @ X_LB, X_LB.pull_twist(link.V), X_LB))
        (X_A, V_A, X_LA), (X_B, V_B, X_LB) = frames
        X = X_A.inverse() @ X_B  # b seen from a
        V = V_B - X.pull_twist(V_A)  # in b
        theta, J = _rotation_vector(K, X.R)
        e = np.concatenate([theta, X.p]) - K.numbers(list(map(value.exact, self.rest)))
        rate = np.concatenate([J @ V.angular, X.rotate(V.linear)])  # FO.16
        k, c = (_six_by_six(K, getattr(self, name)) for name in ("stiffness", "damping"))
        elastic, viscous = k @ e, c @ rate
        T = elastic + viscous
        F_B = Wrench(-(J.T @ T[:3]), -X.unrotate(T[3:]))  # FO.17
        wrenches = [(B.link, X_LB.push_wrench(F_B))] if B.link else []
        if A.link:
            wrenches.append((A.link, X_LA.push_wrench(-X.push_wrench(F_B))))
        return ForceAction(
            Seen(0, 0, state.t),
            T[3],
            e[3],
            (),
            tuple(wrenches),
            (e @ elastic) * HALF,
            rate @ viscous,
            0,
            (),
            tuple(T),
        )

    def drawn(self):
        return ({"shape": "segment", "a": self.a, "b": self.b, "looks": ("bushing",)},)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        six = (30.0, 20.0, 10.0, 500.0, 400.0, 300.0)
        return (
            cls(
                "f", "base", ("hand", (0.1, 0, 0)), six, (1, 2, 3, 4, 5, 6), (0.1, 0, 0, 0, 0, 0.2)
            ),
        )


def _six_by_six(K, x):
    """Six numbers, or a matrix, as a matrix of scalars."""
    if not isinstance(x[0], tuple):
        x = [[x[i] if i == j else 0 for j in range(6)] for i in range(6)]
    return K.numbers([[value.exact(e) for e in row] for row in x])


def _rotation_vector(K, R):
    """Rotation vector of a matrix, and the map from angular velocity (turned axes) to its rate."""
    axis = vector((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))  # 2 sin(a) u
    two_sin_square = axis @ axis
    two_cos = R[0, 0] + R[1, 1] + R[2, 2] - 1
    small = K.less(two_sin_square, 1e-8)
    two_sin = K.sqrt(K.select(small, 1.0, two_sin_square))
    angle = K.call("atan2", two_sin, two_cos)
    s2: Any = two_sin_square / 4.0
    small_angle = HALF * (1 + s2 * (1 / 6 + s2 * (3 / 40)))  # asin(s) / (2 s)
    theta = axis * K.select(small, small_angle, K.divide(angle, two_sin))
    square = theta @ theta
    # coefficient of skew(theta)^2 in the inverse of the right Jacobian
    large_angle = K.divide(
        1 - K.divide(angle * (2 + two_cos), 2 * two_sin), K.select(small, 1.0, square)
    )
    c = K.select(small, 1 / 12 + square / 720.0, large_angle)
    x, y, z = theta
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)
    return theta, np.eye(3, dtype=int).astype(object) + S * HALF + (S @ S) * c

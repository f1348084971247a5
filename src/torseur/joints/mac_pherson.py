"""The MacPherson strut as one joint: the knuckle against the car's body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import ArgumentError, describe_call_mismatch
from ..register import derived
from ..scalars import vector
from ..spatial import Pose, cross
from ._linkage import Linkage, length, outer_point, scaled, sign, triad
from .base import joint


@joint
@dataclass(frozen=True, slots=True)
class MacPherson(Linkage):
    """A lower arm, a strut whose axis slides through its top mount, and a tie rod.

    `strut_top` is the mount on the chassis; the strut's axis, fixed in the knuckle, goes through it
    and through `strut_lower` at the design position.  Hardpoints in chassis axes [m].
    """

    lower_front: Any
    lower_rear: Any
    lower_ball_at: Any
    strut_top: Any
    strut_lower: Any
    tie_inner: Any
    tie_outer: Any
    wheel_center: Any
    rack: Any = 0
    coordinate: str = "travel"
    inside: ClassVar = dict.fromkeys(
        "lower_front lower_rear lower_ball_at strut_top strut_lower tie_inner tie_outer "
        "wheel_center rack".split(),
        "m",
    )
    kingpin: ClassVar = ("strut_top", False)

    def __post_init__(self):
        self._read()

    @derived
    def points(self):
        return (
            "lower_front",
            "lower_rear",
            "lower_ball_at",
            "strut_top",
            "strut_lower",
            "tie_inner",
            "tie_outer",
            "wheel_center",
        )

    knuckle_points = ("strut_lower", "lower_ball_at", "tie_outer")

    def rods(self):
        strut = ("strut_top", "strut_lower")
        return (strut, ("lower_front", "lower_ball_at"), ("lower_rear", "lower_ball_at"))

    @derived
    def unit(self):
        return "m"

    def knuckle(self, K, turn):
        L0, T0, S0, O0, W0 = (
            K.numbers(getattr(self, n))
            for n in ("lower_ball_at", "strut_top", "strut_lower", "tie_outer", "wheel_center")
        )
        T, rod = self.tie_rod(K)
        L = self.lower_ball(K, turn)
        first_side, rod_side = self.sides(K)
        axis = scaled(K, T0 - S0, length(K, T0 - S0))
        g = S0 - L0
        along = g @ axis
        square = (T0 - L) @ (T0 - L)
        s = K.sqrt(along * along - g @ g + square) * first_side - along  # CJ.7
        D = K.sqrt(square)
        n, n0 = scaled(K, T0 - L, D), scaled(K, g + vector(s * x for x in axis), D)
        height = (O0 - L0) @ n0
        arm = O0 - L0 - vector(height * x for x in n0)
        reach = length(K, arm)
        e0 = scaled(K, arm, reach)
        e = outer_point(K, L, n, height, reach, T, rod, rod_side)
        A = triad(K, n, e) @ triad(K, n0, e0).T
        return Pose(A, L + A @ (W0 - L0))

    def sides(self, K) -> tuple:
        """Solution branches of strut and tie rod, from the design position."""
        P = {n: K.numbers(getattr(self, n)) for n in self.points}
        low, top = P["lower_ball_at"], P["strut_top"]
        n, t, o = top - low, P["tie_inner"] - low, P["tie_outer"] - low
        return sign(K, n @ (top - P["strut_lower"])), sign(K, n @ cross(t, o))

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        hardpoints: dict[str, Any] = {
            "lower_front": (0.200, 0.420, -0.270),
            "lower_rear": (-0.200, 0.470, -0.265),
            "lower_ball_at": (0, 0.770, -0.320),
            "tie_inner": (-0.200, 0.420, -0.120),
            "tie_outer": (-0.150, 0.770, -0.120),
            "wheel_center": (0, 0.7979, -0.1199),
            "strut_top": (-0.02, 0.58, 0.5),
            "strut_lower": (0, 0.69, -0.1),
        }
        return (cls(**hardpoints),)


def macpherson(**hardpoints: Any) -> MacPherson:
    """A MacPherson strut as a joint; see `MacPherson` for the hardpoints."""
    if told := describe_call_mismatch(MacPherson, hardpoints):
        raise ArgumentError(f"macpherson: {told.replace('option', 'hardpoint')}")
    return MacPherson(**hardpoints)

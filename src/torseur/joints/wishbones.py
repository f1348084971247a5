"""The double wishbone as one joint: the knuckle against the car's body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import ArgumentError, describe_call_mismatch
from ..register import derived
from ..scalars import vector
from ..spatial import Pose, cross
from ._linkage import Linkage, circle_point, length, outer_point, scaled, sign, triad
from .base import joint


@joint
@dataclass(frozen=True, slots=True)
class DoubleWishbone(Linkage):
    """Two arms, a tie rod: the knuckle's motion along the wheel travel [m].

    Pivots of the arms on the chassis (`..._front`, `..._rear`), their outer ball joints, the tie
    rod's ends and the wheel center, all in chassis axes at the design position [m]; `rack` moves
    the tie rod's inner end along y [m].

    >>> from torseur.scalars import Floats
    >>> sedan = DoubleWishbone(
    ...     upper_front=(-0.100, 0.470, 0.105), upper_rear=(-0.250, 0.510, 0.110),
    ...     upper_ball=(-0.040, 0.695, 0.105), lower_front=(0.200, 0.420, -0.270),
    ...     lower_rear=(-0.200, 0.470, -0.265), lower_ball_at=(0, 0.770, -0.320),
    ...     tie_inner=(-0.200, 0.420, -0.120), tie_outer=(-0.150, 0.770, -0.120),
    ...     wheel_center=(0, 0.7979, -0.1199))
    >>> p = sedan.pose(Floats(), [0.08]).p.astype(float)
    >>> (1e3 * (p - sedan.point("wheel_center"))).round(4).tolist()[1:]
    [-3.9022, 80.0]
    """

    upper_front: Any
    upper_rear: Any
    upper_ball: Any
    lower_front: Any
    lower_rear: Any
    lower_ball_at: Any
    tie_inner: Any
    tie_outer: Any
    wheel_center: Any
    rack: Any = 0
    coordinate: str = "travel"
    inside: ClassVar = dict.fromkeys(
        "upper_front upper_rear upper_ball lower_front lower_rear lower_ball_at tie_inner "
        "tie_outer wheel_center rack".split(),
        "m",
    )
    kingpin: ClassVar = ("upper_ball", True)

    def __post_init__(self):
        self._read()

    @derived
    def points(self):
        return (
            "upper_front",
            "upper_rear",
            "upper_ball",
            "lower_front",
            "lower_rear",
            "lower_ball_at",
            "tie_inner",
            "tie_outer",
            "wheel_center",
        )

    knuckle_points = ("upper_ball", "lower_ball_at", "tie_outer")

    def rods(self):
        upper = (("upper_front", "upper_ball"), ("upper_rear", "upper_ball"))
        return (*upper, ("lower_front", "lower_ball_at"), ("lower_rear", "lower_ball_at"))

    @derived
    def unit(self):
        return "m"

    def knuckle(self, K, turn):
        F, R, U0, L0, O0, W0 = (
            K.numbers(getattr(self, n))
            for n in (
                "upper_front",
                "upper_rear",
                "upper_ball",
                "lower_ball_at",
                "tie_outer",
                "wheel_center",
            )
        )
        T, rod = self.tie_rod(K)
        L = self.lower_ball(K, turn)
        first_side, rod_side = self.sides(K)
        # upper ball: on the arm's circle, at the knuckle's length from the lower ball
        u = scaled(K, R - F, length(K, R - F))
        center = F + vector(((U0 - F) @ u) * x for x in u)
        radius = length(K, U0 - center)
        first = scaled(K, U0 - center, radius)
        second = cross(u, first)
        d = length(K, U0 - L0)
        U = circle_point(K, center, first, second, radius, L, d, -first_side)
        # tie rod: its outer end circles about the line of the balls
        n0, n = scaled(K, U0 - L0, d), scaled(K, U - L, d)
        height = (O0 - L0) @ n0
        arm = O0 - L0 - vector(height * x for x in n0)
        reach = length(K, arm)
        e0 = scaled(K, arm, reach)
        e = outer_point(K, L, n, height, reach, T, rod, rod_side)
        A = triad(K, n, e) @ triad(K, n0, e0).T  # CJ.7
        return Pose(A, L + A @ (W0 - L0))

    def sides(self, K) -> tuple:
        """Solution branches of the circles, from the design position."""
        P = {n: K.numbers(getattr(self, n)) for n in self.points}
        u = P["upper_rear"] - P["upper_front"]
        d = P["lower_ball_at"] - P["upper_front"]
        r = P["upper_ball"] - P["upper_front"]
        n = P["upper_ball"] - P["lower_ball_at"]
        t = P["tie_inner"] - P["lower_ball_at"]
        o = P["tie_outer"] - P["lower_ball_at"]
        return sign(K, cross(u, r) @ d), sign(K, n @ cross(t, o))

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
            "upper_front": (-0.100, 0.470, 0.105),
            "upper_rear": (-0.250, 0.510, 0.110),
            "upper_ball": (-0.040, 0.695, 0.105),
        }
        return (cls(**hardpoints, rack=0.01),)


def double_wishbone(**hardpoints: Any) -> DoubleWishbone:
    """A double-wishbone suspension as a joint; see `DoubleWishbone` for the hardpoints."""
    if told := describe_call_mismatch(DoubleWishbone, hardpoints):
        raise ArgumentError(f"double_wishbone: {told.replace('option', 'hardpoint')}")
    return DoubleWishbone(**hardpoints)

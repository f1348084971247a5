"""Compliance of a wheel: statics by hand, and the elastic equilibrium by minimal energy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import torseur as ts
from torseur.joints import DoubleWishbone, MacPherson
from torseur.scalars import Floats

COLUMNS = ("toe", "camber", "center_outward", "center_rearward", "contact_outward",
           "contact_rearward")  # fmt: skip


def flat_wishbone(side=1) -> DoubleWishbone:
    """Arms level and parallel at z = 0.1 and -0.1, rod at the height of the wheel, 0.1 behind."""
    points = {"wheel_center": (0, side * 0.75, 0)}
    points |= {"tie_inner": (-0.1, side * 0.3, 0), "tie_outer": (-0.1, side * 0.7, 0)}
    for arm, ball, z in (("upper", "upper_ball", 0.1), ("lower", "lower_ball_at", -0.1)):
        points[ball] = (0, side * 0.7, z)
        points[f"{arm}_front"], points[f"{arm}_rear"] = ((x, side * 0.3, z) for x in (0.1, -0.1))
    return ts.double_wishbone(**points)


@pytest.mark.parametrize("side", [1, -1], ids=["left", "right"])
def test_a_flat_wishbone_by_hand(side):
    """F = 1 kN inwards at the contact, 0.3 m under the axle; every bushing has k = 1 kN/mm.

    The moment about the vertical through the ball joints is zero, so the rod carries nothing.
    Each arm carries its load on two bushings.  Balance of moments about the axis of travel:
    upper arm 0.1 U = 0.1 L - 0.3 F, with U + L = F: U = -F, L = 2 F.  The balls go
    F / (2 k) = 0.5 mm outwards above and 1 mm inwards below: the center 0.25 mm inwards, the
    camber 1.5 mm / 200 mm with the top outwards, the contact 0.25 + 0.3 * 7.5 = 2.5 mm inwards.
    The rod keeps its end 0.1 m behind the balls, so the wheel turns 0.25 / 100 towards toe-in
    about the balls, 50 mm inside of its center, which goes 0.125 mm forwards.
    """
    report = ts.vehicles.compliance_report(flat_wishbone(side), 1e6, wheel_radius=0.3)
    lateral = {n: getattr(report, n)[0] for n in COLUMNS}
    assert report.loads[0] == "lateral"
    assert lateral == pytest.approx({
        "toe": np.degrees(2.5e-3), "camber": np.degrees(7.5e-3), "center_outward": -0.25,
        "center_rearward": -0.125, "contact_outward": -2.5, "contact_rearward": -0.125,
    })  # fmt: skip


@pytest.mark.parametrize("side", [1, -1], ids=["left", "right"])
def test_toe_under_an_aligning_torque_by_hand(side):
    """100 N m towards toe-in load the rod, 0.1 m behind the balls, with 1 kN outwards.

    The rod's bushing gives 1 mm outwards; both arms carry 0.5 kN inwards, 0.25 mm.  The wheel
    turns 1.25 mm / 100 mm towards toe-in.
    """
    report = ts.vehicles.compliance_report(flat_wishbone(side), 1e6, wheel_radius=0.3)
    assert report.loads[3] == "aligning"
    assert report.toe[3] == pytest.approx(np.degrees(12.5e-3))
    assert report.camber[3] == pytest.approx(0, abs=1e-12)
    assert report.center_outward[3] == pytest.approx(-0.25)


def axis_angles(axle, side):
    """Camber and toe-in [rad] of a wheel by its highest point and its heading.

    Camber is positive where the top of the wheel is outside of its center.
    """
    up = np.array([0, 0, 1.0])
    top = up - axle * axle[2]
    level = side * np.array([axle[0], axle[1], 0]) / np.hypot(axle[0], axle[1])
    camber = np.arctan2(top @ level, top[2])
    heading = np.cross(axle, up)
    return camber, np.arctan2(-side * heading[1], heading[0])


class Wheel:
    """A suspension at a travel whose knuckle is moved: energy of its bushings.

    The place of an arm follows from its ball joint: the rotation about it that leaves the least
    energy in the two bushings (Wahba's problem).
    """

    def __init__(self, linkage, stiffness, travel, radius):
        self.points = {n: np.array(linkage.point(n), float) for n in linkage.points}
        self.points["tie_inner"] = self.points["tie_inner"] + [0, float(linkage.rack), 0]
        self.stiffness = stiffness
        X = linkage.pose(Floats(), [travel])
        self.R, self.p = X.R.astype(float), X.p.astype(float)
        self.start = np.array(linkage.point("wheel_center"), float)
        self.side = np.sign(self.start[1])
        self.axle = self.R[:, 1]
        down = self.axle * self.axle[2] - [0, 0, 1]
        self.contact = radius * down / np.linalg.norm(down)  # from the center

    def carried(self, name):
        return self.p + self.R @ (self.points[name] - self.start)

    def moved(self, point, x):
        """A point of the knuckle after a small rotation and displacement."""
        return self.p + x[3:] + Rotation.from_rotvec(x[:3]).apply(point - self.p)

    def energy(self, x) -> float:
        arms = [
            ("lower_front", "lower_rear", "lower_ball_at"),
            ("upper_front", "upper_rear", "upper_ball"),
        ]
        total = 0.0
        for *ends, ball in (a for a in arms if a[2] in self.points):
            before = self.carried(ball)
            after = self.moved(before, x)
            k = np.array([self.stiffness[n] for n in ends])
            rest, arm = (np.array([self.points[n] for n in ends]) - b for b in (after, before))
            turn, _ = Rotation.align_vectors(rest, arm, weights=k)
            total += 0.5 * k @ ((turn.apply(arm) - rest) ** 2).sum(1)
        inner, outer = self.points["tie_inner"], self.carried("tie_outer")
        lengths = [np.linalg.norm(o - inner) for o in (outer, self.moved(outer, x))]
        total += 0.5 * self.stiffness["tie_inner"] * (lengths[1] - lengths[0]) ** 2
        if "strut_top" in self.points:
            top, low = self.points["strut_top"], self.carried("strut_lower")
            axis = Rotation.from_rotvec(x[:3]).apply(top - low) / np.linalg.norm(top - low)
            gap = top - self.moved(low, x)
            off = gap - axis * (axis @ gap)
            total += 0.5 * self.stiffness["strut_top"] * off @ off
        return total

    def twist(self, moment, force, at):
        """Small rotation and displacement under a load, the contact at its height."""
        h, n = 2e-5, 6
        K = np.empty((n, n))
        for i in range(n):
            for j in range(n):
                a, b = h * np.eye(n)[i], h * np.eye(n)[j]
                signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
                K[i, j] = sum(s * t * self.energy(s * a + t * b) for s, t in signs) / (4 * h * h)
        height = np.concatenate([np.cross(self.contact, [0, 0, 1]), [0, 0, 1]])
        load = np.concatenate([moment + np.cross(at, force), force])
        A = np.block([[K, height[:, None]], [height[None], np.zeros((1, 1))]])
        return np.linalg.solve(A, [*load, 0])[:6]

    def changes(self, twist):
        """Of toe and camber [deg], and of center and contact, outward and rearward [mm]."""
        turn, way = twist[:3], twist[3:]
        h = 1e-3
        ends = [axis_angles(Rotation.from_rotvec(s * h * turn).apply(self.axle), self.side)
                for s in (1, -1)]  # fmt: skip
        camber, toe = np.degrees(np.subtract(*ends) / (2 * h))
        contact = way + np.cross(turn, self.contact)
        out = 1e3 * self.side * np.array([way[1], contact[1]])
        return toe, camber, out[0], -1e3 * way[0], out[1], -1e3 * contact[0]


WISHBONE, STRUT = DoubleWishbone.examples()[0], MacPherson.examples()[0]
CASES = [(WISHBONE, 0.08), (WISHBONE, -0.06), (ts.vehicles.mirror(WISHBONE), 0.08), (STRUT, 0.05)]


@pytest.mark.parametrize(("linkage", "travel"), CASES, ids=["bump", "rebound", "right", "strut"])
def test_reports_are_the_state_of_least_energy(linkage, travel):
    """Large steer and camber by rack and travel, uneven bushings, all four loads."""
    rng = np.random.default_rng(7)
    rack = 0.03
    pivots = [n for n in linkage.points if n.endswith(("front", "rear", "top", "inner"))]
    k = dict(zip(pivots, rng.uniform(2e6, 2e7, len(pivots)).tolist(), strict=True))
    report = ts.vehicles.compliance_report(linkage, k, wheel_radius=0.31, travel=travel, rack=rack)
    plain = {n: getattr(linkage, n) for n in linkage.points}
    wheel = Wheel(type(linkage)(**plain, rack=rack), k, travel, 0.31)
    inward, zero = np.array([0, -wheel.side, 0]), np.zeros(3)
    loads = {
        "lateral": (zero, 1e3 * inward, wheel.contact),
        "braking": (zero, np.array([-1e3, 0, 0]), wheel.contact),
        "traction": (zero, np.array([1e3, 0, 0]), zero),
        "aligning": (np.array([0, 0, -100 * wheel.side]), zero, zero),
    }
    assert report.loads == tuple(loads)
    for i, load in enumerate(loads.values()):
        wanted = wheel.changes(wheel.twist(*load))
        got = [getattr(report, n)[i] for n in COLUMNS]
        assert got == pytest.approx(wanted, rel=3e-6, abs=1e-7)

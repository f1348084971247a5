"""Rolling, steering, springs and bushings of suspensions by geometry and forces of their own."""

import numpy as np
import pytest

import torseur as ts
from torseur.joints import DoubleWishbone, MacPherson
from torseur.vehicles.axle import _ackermann_and_circle
from torseur.vehicles.compliance import _knuckle_compliance
from torseur.vehicles.wheel_kinematics import WheelPose

V = ts.vehicles
LINKAGES = [DoubleWishbone.examples()[0], MacPherson.examples()[0]]
WISHBONE = ts.double_wishbone(**{n: getattr(LINKAGES[0], n) for n in LINKAGES[0].points})


def turned(angle, x):
    """A vector turned about the x axis."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ x


@pytest.mark.parametrize("linkage", [WISHBONE, LINKAGES[1]], ids=["wishbone", "strut"])
def test_a_rolled_car_stands_on_its_wheels(linkage):
    """In axes of the ground: contacts at one height, cambers, and the place that the car turns
    about, by differences of neighboring rolls."""
    R, roll, h = 0.31, 0.05, 1e-5
    rows = V.roll_report(linkage, [roll - h, roll, roll + h], R)
    contacts = []
    for i, angle in enumerate((roll - h, roll, roll + h)):
        both = []
        for side, x in ((1, linkage), (-1, V.mirror(linkage))):
            s = 1e-3 * (rows.travel_left if side > 0 else rows.travel_right)[i]
            at = WheelPose("test", x, s, R)
            axle, center = turned(angle, at.axle), turned(angle, at.p)
            down = axle * axle[2] - np.array([0, 0, 1.0])
            both.append(center + R * down / np.linalg.norm(down))
            camber = np.degrees(-side * np.arcsin(axle[2]))
            column = rows.camber_left if side > 0 else rows.camber_right
            assert camber == pytest.approx(column[i], abs=1e-9)
        assert both[0][2] == pytest.approx(both[1][2], abs=1e-12)
        contacts.append(both)
    for k in (0, 1):  # seen from the ground each wheel's contact is a knuckle's point: SU.9
        x, n = (linkage, V.mirror(linkage))[k], np.array([0, np.sin(roll), np.cos(roll)])
        at = WheelPose("test", x, 1e-3 * (rows.travel_left, rows.travel_right)[k][1], R)
        way = turned(roll, at.contact_path(n))[1:]
        to = np.array([rows.roll_center_offset[1], rows.roll_center_height[1]]) * 1e-3
        ground, middle = contacts[1][k], contacts[1][0][2]
        y = (to[0] - np.sin(roll) * (middle + to[1])) / np.cos(roll)
        line = np.array([y, middle + to[1]]) - ground[1:]
        assert way @ line == pytest.approx(0, abs=1e-9 * np.linalg.norm(way))


def test_a_level_roll_is_the_report_over_the_travel():
    level, straight = (
        V.roll_report(WISHBONE, [0.0, 1e-4]),
        ts.vehicles.suspension_report(WISHBONE, [0.0]),
    )
    assert level.roll_center_height[0] == pytest.approx(straight.roll_center[0], rel=1e-9)
    slopes = straight.gradients()
    gained = (level.camber_left[1] - level.camber_left[0]) / level.travel_left[1] * 100
    lean = -level.roll[1] / level.travel_left[1] * 100
    assert gained == pytest.approx(slopes["camber"] + lean, rel=1e-3)


def test_ackermann_and_the_circle_of_wheels_that_turn_about_one_place():
    L, t, to = 2.7, 1.5, 6.0
    inner, outer = np.arctan(L / (to - t / 2)), np.arctan(L / (to + t / 2))
    for a, b in ((inner, outer), (-outer, -inner)):
        assert _ackermann_and_circle(a, b, t, L) == pytest.approx(
            (100, 2 * np.hypot(L, to + t / 2))
        )
    assert (
        _ackermann_and_circle(0.3, 0.3, t, L)[0] == 0
        and np.isnan(_ackermann_and_circle(0.0, 0.0, t, L)).all()
    )


def test_steering_is_mirrored_and_agrees_with_the_report_of_one_wheel():
    rows = V.steering_report(WISHBONE, 2.7, ["-30 mm", "30 mm"])
    assert rows.left == pytest.approx(-rows.right[::-1]) and rows.ackermann[0] < 100
    one = ts.vehicles.suspension_report(WISHBONE, [0.0], rack=0.03)
    assert -rows.left[1] == pytest.approx(one.toe[0]) and rows.camber_left[1] == one.camber[0]
    right = V.steering_report(V.mirror(WISHBONE), 2.7, ["-30 mm", "30 mm"])
    assert np.array_equal(right.left, rows.left)


@pytest.mark.parametrize("carrier", ["lower_arm", "upper_arm", "knuckle"])
def test_the_load_at_the_wheel_is_the_spring_s_energy_by_travel(carrier):
    spring = (carrier, (-0.05, 0.6, -0.1), (-0.05, 0.5, 0.3))
    k, z = 6e4, np.linspace(-0.06, 0.06, 9)
    rows = V.ride_report(WISHBONE, spring, k, 3000.0, z, sprung_mass=300, tire=2e5)
    assert rows.load[4] == pytest.approx(3000) and rows.motion_ratio[0] < 1
    shortened = 1e-3 * (rows.spring[4] - rows.spring)
    energy = rows.force[4] * shortened + k * shortened**2 / 2
    for of, slope in ((energy, rows.load), (rows.load, 1e3 * rows.rate)):
        smooth = np.polynomial.Polynomial.fit(z, of, 8).deriv()
        np.testing.assert_allclose(smooth(z)[1:-1], slope[1:-1], rtol=1e-5)
    rate = 1e3 * rows.rate[4]
    found = np.sqrt(rate * 2e5 / (rate + 2e5) / 300) / (2 * np.pi)
    assert rows.frequency[4] == pytest.approx(found)


def seen(r):
    """Velocity of a place by a twist (turn, way)."""
    x, y, z = r
    return np.hstack([-np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), np.eye(3)])


def displaced(at, k, load):
    """The knuckle's twist by displacements: springs at pivots, ball joints as constraints."""
    x, arms = at.linkage, [("lower_front", "lower_rear", "lower_ball_at")]
    arms += [("upper_front", "upper_rear", "upper_ball")] * ("upper_ball" in x.points)
    size = 6 * (1 + len(arms))
    K, rows = np.zeros((size, size)), []

    def row(block, body):
        out = np.zeros((len(block), size))
        out[:, 6 * body : 6 * body + 6] = block
        return out

    for i, (front, rear, ball) in enumerate(arms, 1):
        for n in (front, rear):
            K += k[n] * (m := row(seen(x.point(n)), i)).T @ m
        place = at.hardpoint(ball)
        rows.append(row(seen(place), i) - row(seen(place - at.p), 0))
    inner = x.point("tie_inner") + [0, float(x.rack), 0]
    rod = inner - at.hardpoint("tie_outer")
    along = (rod / np.linalg.norm(rod)).reshape(1, 3)
    K += k["tie_inner"] * (m := row(along @ seen(at.hardpoint("tie_outer") - at.p), 0)).T @ m
    if "strut_top" in x.points:
        e = at.R @ (x.point("strut_top") - x.point("strut_lower"))
        across = np.eye(3) - np.outer(e, e) / (e @ e)
        K += k["strut_top"] * (m := row(across @ seen(x.point("strut_top") - at.p), 0)).T @ m
    rows.append(row(seen(at.contact_arm())[2:], 0))
    C = np.vstack(rows)
    whole = np.block([[K, C.T], [C, np.zeros((len(C), len(C)))]])
    right = np.concatenate([load, np.zeros(len(whole) - 6)])
    return np.linalg.lstsq(whole, right, rcond=1e-14)[0][:6]


@pytest.mark.parametrize("linkage", LINKAGES, ids=["wishbone", "strut"])
def test_bushings_give_way_as_the_method_of_displacements_has_it(linkage):
    rng = np.random.default_rng(4)
    at = WheelPose("test", linkage, 0.03, 0.3)
    pivots = [n for n in linkage.points if n.endswith(("front", "rear", "top", "inner"))]
    k = dict(zip(pivots, rng.uniform(2e6, 2e7, len(pivots)).tolist(), strict=True))
    load = rng.normal(size=6) * 1e3
    np.testing.assert_allclose(_knuckle_compliance(at, k)(load), displaced(at, k, load), atol=1e-11)
    rows = V.compliance_report(linkage, k, travel=0.03)
    assert rows.contact_rearward[0] == pytest.approx(-rows.contact_outward[1])  # Maxwell
    assert rows.table().splitlines()[2].startswith("lateral")
    twice = V.compliance_report(linkage, {n: 2 * x for n, x in k.items()}, travel=0.03)
    assert twice.toe == pytest.approx(rows.toe / 2)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: V.roll_report(WISHBONE, [2.0]), r"write degrees as '2 deg'"),
        (lambda: V.roll_report(ts.Revolute()), r"expected a linkage such as"),
        (lambda: V.roll_report(WISHBONE, heave=0.4), r"beyond the reach"),
        (lambda: V.steering_report(WISHBONE, 0), r"wheelbase: expected a number above zero"),
        (lambda: V.steering_report(LINKAGES[0], 2.7), r"a rack displaced already"),
        (lambda: V.ride_report(LINKAGES[1], ("upper_arm", (0, 0, 0), (0, 0, 1)), 1, 1),
         r"expected one of 'knuckle', 'lower_arm'"),
        (lambda: V.compliance_report(WISHBONE, {"lower_front": 1e6}), r"give 'other' for all"),
        (lambda: V.compliance_report(WISHBONE, {"lower_fron": 1e6}), r"did you mean 'lower_front'"),
        (lambda: V.compliance_report(WISHBONE, 0), r"bushing .* above zero"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(wrong, sentence):
    with pytest.raises(ts.ArgumentError, match=sentence):
        wrong()

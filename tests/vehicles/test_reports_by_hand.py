"""Reports of suspensions whose curves have closed forms: arms level, parallel, of equal length."""

import csv
from dataclasses import fields, replace

import numpy as np
import pytest

import torseur as ts

ARM, RADIUS = 0.4, 0.3


def make_linkage(tilt=0.0, slope=0.0, caster=0.0, kingpin=0.0, tie_x=-0.1, right=False):
    """A left wishbone with its knuckle 0.2 m high; the wheel's center is at (0, 0.75, 0).

    Parameters
    ----------
    tilt : angle of both pivot axes, front end up [rad]
    slope : angle of both arms, inner end up [rad]
    caster, kingpin : displacement of the upper ball joint rearward and inward [m]
    tie_x : position of the tie rod along x [m]
    """
    y = 0.7 - ARM * np.cos(slope), 0.7
    up = ARM * np.sin(slope)
    points = {
        "wheel_center": (0, 0.75, 0),
        "tie_inner": (tie_x, y[0], up),
        "tie_outer": (tie_x, 0.7, 0),
    }
    for arm, z, ball in (("upper", 0.1, "upper_ball"), ("lower", -0.1, "lower_ball_at")):
        back, inward = (caster, kingpin) if arm == "upper" else (0, 0)
        points[ball] = (-back, y[1] - inward, z)
        for end, x in (("front", 0.1), ("rear", -0.1)):
            points[f"{arm}_{end}"] = (x - back, y[0] - inward, z + up + np.tan(tilt) * x)
    if right:
        points = {n: (x, -y, z) for n, (x, y, z) in points.items()}
    return ts.double_wishbone(**points)


TRAVEL = np.array([-0.06, -0.02, 0.0, 0.03, 0.07])
BOTH = pytest.mark.parametrize("right", [False, True], ids=["left", "right"])


@BOTH
def test_level_arms_carry_the_wheel_on_a_circle(right):
    """The knuckle does not turn: every point of it goes on a circle of the arm's radius."""
    report = ts.vehicles.suspension_report(make_linkage(right=right), TRAVEL, wheel_radius=RADIUS)
    across = 1e3 * (np.sqrt(ARM**2 - TRAVEL**2) - ARM)
    assert report.travel == pytest.approx(1e3 * TRAVEL)
    for name in ("camber", "toe", "caster", "kingpin", "anti_dive_angle", "recession", "trail"):
        assert getattr(report, name) == pytest.approx(np.zeros(5), abs=1e-9), name
    assert report.track_change == pytest.approx(across, abs=1e-9)
    assert report.contact_change == pytest.approx(across, abs=1e-9)
    # the contact goes at right angles to the arms: its line to the roll center has their slope
    wheel = 0.75 + across / 1e3
    assert report.roll_center == pytest.approx(-1e3 * wheel * TRAVEL / np.sqrt(ARM**2 - TRAVEL**2))


@BOTH
def test_arms_that_fall_outwards_lift_the_roll_center(right):
    slope = np.radians(6)
    report = ts.vehicles.suspension_report(make_linkage(slope=slope, right=right), [0.0])
    assert report.roll_center == pytest.approx([750 * np.tan(slope)])
    assert report.gradients()["track_change"] == pytest.approx(100 * np.tan(slope))
    assert report.gradients()["contact_change"] == pytest.approx(100 * np.tan(slope))


@BOTH
def test_pivot_axes_with_the_front_up_lead_the_wheel_rearward(right):
    """The wheel goes across the axes: rearward by the tangent of the tilt, whatever the travel."""
    tilt = np.radians(4)
    report = ts.vehicles.suspension_report(make_linkage(tilt=tilt, right=right), TRAVEL)
    assert report.recession == pytest.approx(1e3 * np.tan(tilt) * TRAVEL, abs=1e-9)
    assert report.anti_dive_angle == pytest.approx(np.full(5, -4))
    assert report.gradients()["recession"] == pytest.approx(100 * np.tan(tilt))


@BOTH
def test_steering_axis_by_hand(right):
    """Upper ball 30 mm behind and 20 mm inside of the lower one, 200 mm above it.

    On the ground, 0.2 m under the lower ball, the axis is 30 mm before and 20 mm outside of it:
    50 mm - 20 mm from the wheel, and 30 mm before it.
    """
    linkage = make_linkage(caster=0.03, kingpin=0.02, right=right)
    report = ts.vehicles.suspension_report(linkage, [0.0], wheel_radius=RADIUS)
    assert report.caster == pytest.approx(np.degrees(np.arctan2(30, 200)))
    assert report.kingpin == pytest.approx(np.degrees(np.arctan2(20, 200)))
    assert report.scrub_radius == pytest.approx([30]) and report.trail == pytest.approx([30])


@BOTH
@pytest.mark.parametrize("tie_x", [-0.1, 0.1])
def test_a_rack_to_the_left_turns_wheels_about_the_ball_joints(right, tie_x):
    """A rod behind the axle pushes the rear of the left wheel outwards: toe-in; before it, out.

    The right wheel goes to the same side as the left one.
    """
    rack, side = 0.01, -1 if right else 1
    linkage = make_linkage(tie_x=tie_x, right=right)
    report = ts.vehicles.suspension_report(linkage, [0.0], wheel_radius=RADIUS, rack=rack)
    # the ends of the rod: (0.1 cos, 0.1 sin) about the ball joints and the rack, ARM apart
    angle = np.linspace(0, 0.3, 300_001)
    gap = np.hypot(0.1 * (1 - np.cos(angle)), ARM - rack + 0.1 * np.sin(angle)) - ARM
    turned = np.degrees(angle[np.argmin(abs(gap))])
    wanted = side * -np.sign(tie_x) * turned
    assert np.sign(report.toe[0]) == np.sign(wanted)
    assert report.toe[0] == pytest.approx(wanted, rel=0.02)
    assert report.camber == pytest.approx([0], abs=1e-9)


def test_a_spring_on_the_middle_of_an_arm_moves_half_as_much():
    """Upright on the arm at 0.2 of 0.4 m: ratio 1/2 at the start, then by the angle of both."""
    spring = ("lower_arm", (0, 0.5, -0.1), (0, 0.5, 0.3))
    report = ts.vehicles.suspension_report(make_linkage(), TRAVEL, spring=spring)
    lift = np.arcsin(TRAVEL / ARM)

    def length(a):
        return np.hypot(0.2 - 0.2 * np.cos(a), 0.4 - 0.2 * np.sin(a))

    rate = (length(lift - 1e-6) - length(lift + 1e-6)) / 2e-6  # shortening per radian
    assert report.motion_ratio == pytest.approx(rate / (ARM * np.cos(lift)))
    assert report.motion_ratio[2] == pytest.approx(0.5)


def test_load_rate_and_frequency_by_hand():
    """100 N/mm at half the ratio make 25 N/mm at the wheel, and 0.2 m of arm add the load's."""
    spring = ("lower_arm", (0, 0.5, -0.1), (0, 0.5, 0.3))
    report = ts.vehicles.ride_report(make_linkage(), spring, "100 N/mm", 3000, [0.0],
                                     sprung_mass=300, tire="200 N/mm")  # fmt: skip
    assert report.load == pytest.approx([3000]) and report.force == pytest.approx([6000])
    assert report.spring == pytest.approx([400]) and report.motion_ratio == pytest.approx([0.5])
    h = 1e-4
    lift = np.arcsin(np.array([-h, h]) / ARM)
    length = np.hypot(0.2 - 0.2 * np.cos(lift), 0.4 - 0.2 * np.sin(lift))
    energy = 6000 * (0.4 - length) + 0.5e5 * (0.4 - length) ** 2
    rate = (energy[0] + energy[1]) / h**2  # its value at the start is zero
    assert report.rate == pytest.approx([1e-3 * rate], rel=1e-5)
    both = 1 / (1 / rate + 1 / 2e5)
    assert report.frequency == pytest.approx([np.sqrt(both / 300) / (2 * np.pi)], rel=1e-5)


def test_a_level_axle_that_rolls_by_hand():
    """Knuckles do not turn in the car: each leans with it, and the wheels stand 1.5 m apart.

    With the left side up the left wheel drops, and both lean to the right: the left one's top is
    inwards (negative camber), the right one's outwards.
    """
    roll = np.radians(2)
    report = ts.vehicles.roll_report(make_linkage(), [roll], RADIUS)
    assert report.roll == pytest.approx([2])
    assert report.camber_left == pytest.approx([-2]) and report.camber_right == pytest.approx([2])
    assert report.toe_left == pytest.approx([0], abs=1e-9)
    assert report.roll_steer == pytest.approx([0], abs=1e-9)
    assert report.travel_left == pytest.approx(-report.travel_right)
    # both centers at the same height over the inclined ground, on circles of the arms
    s = 1e-3 * report.travel_right[0]
    y = 0.35 + np.sqrt(ARM**2 - s**2)
    assert s / y == pytest.approx(np.tan(roll))
    track = 2 * np.hypot(y, s)
    assert report.track_change == pytest.approx([1e3 * (track - 1.5)], abs=1e-6)


def test_roll_steer_is_the_mean_of_both_wheels_to_the_left():
    """A rod lower at its inner end pulls in bump and rebound by different amounts."""
    linkage = make_linkage()
    low = replace(linkage, tie_inner=(-0.1, 0.3, -0.05))
    roll = np.radians(1)
    report = ts.vehicles.roll_report(low, [roll], RADIUS)
    for side, travel, toe in ((1, report.travel_left, report.toe_left),
                              (-1, report.travel_right, report.toe_right)):  # fmt: skip
        half = low if side > 0 else ts.vehicles.mirror(low)
        alone = ts.vehicles.suspension_report(half, 1e-3 * travel, wheel_radius=RADIUS)
        assert toe == pytest.approx(alone.toe, abs=0.02 * abs(alone.toe[0]))
    # the left wheel drops and its rod's outer end swings outwards behind the axle
    assert report.travel_left[0] < 0
    wanted = (-report.toe_left + report.toe_right) / 2
    assert report.roll_steer == pytest.approx(wanted) and abs(wanted[0]) > 0.05


def test_steered_wheels_by_hand():
    """Rack to the left, rods behind the axle: rear of wheels to the left, the car to the right."""
    rack, base = 0.01, 2.5
    report = ts.vehicles.steering_report(make_linkage(), base, [rack, -rack], RADIUS)
    assert report.rack == pytest.approx([10, -10])
    alone = ts.vehicles.suspension_report(make_linkage(), [0.0], RADIUS, rack)
    assert report.left[0] == pytest.approx(-alone.toe[0]) and report.left[0] < -5
    assert report.right[0] == pytest.approx(report.left[0], rel=0.02)
    assert report.left == pytest.approx(-report.right[::-1])
    outer = np.radians(report.right[1])
    assert report.circle[1] == pytest.approx(2 * base / np.sin(outer), rel=1e-6)
    assert report.jacking == pytest.approx([0, 0], abs=1e-9)


def test_wheels_that_lean_lower_the_axle():
    """The travel is that of the wheels' centers: contacts rise by R (1 - cos camber)."""
    leaning = make_linkage(caster=0.04, kingpin=0.03)
    report = ts.vehicles.steering_report(leaning, 2.5, [0.03, -0.03], RADIUS)
    assert report.camber_left == pytest.approx(report.camber_right[::-1])
    cosines = np.cos(np.radians([report.camber_left[0], report.camber_right[0]]))
    assert abs(report.camber_left[0]) > 2 and report.jacking[0] < -0.1
    assert report.jacking == pytest.approx(np.full(2, -1e3 * RADIUS * (1 - cosines).mean()))
    # caster: the wheel on the outside of the turn, here the left one, leans into the turn
    assert report.left[0] < 0 and report.camber_left[0] < 0 < report.camber_right[0]


REPORTS = [
    ts.vehicles.suspension_report(make_linkage(), [-0.01, 0.02]),
    ts.vehicles.roll_report(make_linkage(), ["1 deg"]),
    ts.vehicles.steering_report(make_linkage(), 2.5, [0.01]),
    ts.vehicles.compliance_report(make_linkage(), 1e6),
]


@pytest.mark.parametrize("report", REPORTS, ids=lambda r: type(r).__name__)
def test_tables_and_files_have_every_number_under_its_unit(report, tmp_path):
    report.save(tmp_path / "report.csv")
    with open(tmp_path / "report.csv", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    names = [f.name for f in fields(report) if f.name in report.units]
    assert head == [f"{n} [{report.units[n]}]" for n in names]
    for n, column in zip(names, np.array(rows, dtype=float).T, strict=True):
        np.testing.assert_allclose(column, getattr(report, n), rtol=1e-9, atol=1e-12)
    first, units, *lines = (line.split() for line in str(report).splitlines())
    loads = report.loads if hasattr(report, "loads") else ()
    for label, line in zip(loads, lines, strict=False):
        assert line.pop(0) == label
    assert units == [f"[{report.units[n]}]" for n in first]
    shown = np.array(lines, dtype=float).T
    for n, column in zip(first, shown, strict=True):
        np.testing.assert_allclose(column, getattr(report, n), atol=5.1e-5)

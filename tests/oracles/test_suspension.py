"""S1 to all printed digits; S1, S2 and S3 against the bare distance equations of the linkage."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import root
from scipy.spatial.transform import Rotation
from zoo import floats

from torseur.joints import DoubleWishbone, MacPherson, double_wishbone, macpherson
from torseur.scalars import Floats
from torseur.vehicles.suspension import UNITS, suspension_report

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from test_complex_joints import S1, S2

KF = Floats()


def forward_left(x, y, z):
    """Millimeters, x rearward and y right, to meters, x forward and y left."""
    return (-x / 1000, -y / 1000, z / 1000)


S3 = double_wishbone(
    upper_front=forward_left(-235, 213, 343),
    upper_rear=forward_left(170, 262, 315),
    upper_ball=forward_left(7, 466, 334),
    lower_front=forward_left(-235, 213, 164),
    lower_rear=forward_left(170, 262, 192),
    lower_ball_at=forward_left(-7, 483, 174),
    tie_inner=forward_left(-122, 227, 132),
    tie_outer=forward_left(-122, 456, 122),
    wheel_center=forward_left(0, 525, 254),
)


def test_S1_all_printed_digits():
    got = suspension_report(S1, [-0.08, -0.04, 0, 0.04, 0.08])
    want = np.array(
        [
            [1.1026, 4.2076, -19.7387, 5.6165, 8.5181],
            [0.6669, 1.7393, -6.6647, 5.4204, 9.1809],
            [0, 0, 0, 5.3767, 10.0080],
            [-0.8755, -1.1650, 0.8712, 5.4770, 10.9984],
            [-1.9841, -1.8007, -3.9022, 5.7280, 12.1825],
        ]
    )
    names = ("camber", "toe", "track_change", "caster", "kingpin")
    for i, name in enumerate(names):
        np.testing.assert_allclose(getattr(got, name), want[:, i], atol=5.01e-5, err_msg=name)


def by_distances(linkage, travel):
    """Knuckle pose from rod lengths alone, by a general equation solver and rotation vectors."""
    P = {n: linkage.point(n) for n in linkage.points}
    W0 = P["wheel_center"]

    def equations(x):
        R, p = Rotation.from_rotvec(x[:3]).as_matrix(), x[3:] + W0

        def moved(name):
            return p + R @ (P[name] - W0)

        def rod(a, b):
            return np.linalg.norm(moved(a) - P[b]) - np.linalg.norm(P[a] - P[b])

        rows = [
            rod("lower_ball_at", "lower_front"),
            rod("lower_ball_at", "lower_rear"),
            rod("tie_outer", "tie_inner"),
            p[2] - W0[2] - travel,
        ]
        if isinstance(linkage, DoubleWishbone):
            rows += [rod("upper_ball", "upper_front"), rod("upper_ball", "upper_rear")]
        else:
            axis = R @ (P["strut_top"] - P["strut_lower"])
            rows += list(np.cross(axis, P["strut_top"] - moved("strut_lower"))[:2])
        return rows

    x = root(equations, np.array([0, 0, 0, 0, 0, travel]), tol=1e-15).x
    assert abs(np.array(equations(x))).max() < 1e-13
    return Rotation.from_rotvec(x[:3]).as_matrix(), x[3:] + W0


@pytest.mark.parametrize("linkage", [S1, S2, S3], ids=["S1", "S2", "S3"])
def test_against_the_equations_of_the_rods(linkage):
    limit = 0.03 if linkage is S3 else 0.08
    for s in np.linspace(-limit, limit, 9):
        R, p = by_distances(linkage, s)
        X = linkage.pose(KF, [s])
        np.testing.assert_allclose(floats(X.R), R, atol=2e-12)
        np.testing.assert_allclose(floats(X.p), p, atol=2e-12)
        h = 1e-5
        (Ra, pa), (Rb, pb) = (by_distances(linkage, s + d) for d in (h, -h))
        W = R.T @ (Ra - Rb) / (2 * h)
        twist = [W[2, 1], W[0, 2], W[1, 0], *(R.T @ (pa - pb) / (2 * h))]
        np.testing.assert_allclose(floats(linkage.subspace(KF, [s])).ravel(), twist, atol=1e-7)


def test_left_and_right_mirror_each_other():
    def mirrored(name):
        x, y, z = S1.point(name)
        return (x, -y, z)

    right = DoubleWishbone(**{n: mirrored(n) for n in S1.points})
    a, b = (suspension_report(s, [-0.05, 0.03]) for s in (S1, right))
    for name in UNITS:
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-9, err_msg=name)


def test_report_of_a_strut_and_its_spring(tmp_path):
    spring = ("knuckle", S2.point("strut_lower"), S2.point("strut_top"))
    report = suspension_report(S2, spring=spring)
    lengths = []
    for s in report.travel / 1e3:
        X = S2.pose(KF, [float(s)])
        low = floats(X.p) + floats(X.R) @ (S2.point("strut_lower") - S2.point("wheel_center"))
        lengths.append(np.linalg.norm(S2.point("strut_top") - low))
    slope = -np.gradient(lengths, report.travel / 1e3)
    np.testing.assert_allclose(report.motion_ratio[1:-1], slope[1:-1], atol=2e-4)
    assert 0.8 < report.motion_ratio[8] < 1
    report.save(tmp_path / "strut.csv")
    assert (tmp_path / "strut.csv").read_text().startswith("travel [mm],camber [deg]")
    lines = report.table().splitlines()
    assert len(lines) == 19 and len({len(x) for x in lines}) == 1
    bare = suspension_report(S1, [0.0]).table()  # no spring: nothing to show of it
    assert "motion_ratio" in lines[0] and "motion_ratio" not in bare
    assert set(report.gradients()) == set(UNITS) - {"travel"}
    arm = suspension_report(S1, [0.0], spring=("lower_arm", (0, 0.6, -0.3), (0, 0.5, 0.2)))
    assert 0.3 < arm.motion_ratio[0] < 0.8


def test_roll_center_of_parallel_horizontal_arms_is_on_the_ground():
    flat = DoubleWishbone(
        upper_front=(0.1, 0.3, 0.1),
        upper_rear=(-0.1, 0.3, 0.1),
        upper_ball=(0, 0.7, 0.1),
        lower_front=(0.1, 0.3, -0.1),
        lower_rear=(-0.1, 0.3, -0.1),
        lower_ball_at=(0, 0.7, -0.1),
        tie_inner=(-0.1, 0.3, 0),
        tie_outer=(-0.1, 0.7, 0),
        wheel_center=(0, 0.75, 0),
    )
    report = suspension_report(flat, [0.0])
    for name in ("camber", "toe", "roll_center", "anti_dive_angle", "caster", "kingpin"):
        assert abs(getattr(report, name)[0]) < 1e-9, name
    np.testing.assert_allclose(report.scrub_radius, 50)


def test_rack_steers():
    left = suspension_report(S1, [0.0], rack=0.01).toe[0]
    assert abs(left) > 1
    assert isinstance(macpherson(**{n: tuple(S2.point(n)) for n in S2.points}), MacPherson)


def test_lengths_with_units():
    said = suspension_report(S1, ["-40 mm", "4 cm"], wheel_radius="300 mm", rack="5 mm")
    plain = suspension_report(S1, [-0.04, 0.04], wheel_radius=0.3, rack=0.005)
    assert (said.camber == plain.camber).all() and (said.scrub_radius == plain.scrub_radius).all()

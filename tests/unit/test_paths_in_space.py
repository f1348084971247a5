"""Paths of a tool: what is given on the way counts, what is no pose is refused."""

import numpy as np
import pytest

import torseur as ts


def turned(point, angle):
    c, s = np.cos(angle), np.sin(angle)
    T = np.eye(4)
    T[:2, :2], T[:3, 3] = [[c, -s], [s, c]], point
    return T


def angles(poses):
    return np.arctan2(poses[:, 1, 0], poses[:, 0, 0])


def test_orientations_on_the_way_are_passed():
    """The middle of a rounded corner and the point that an arc goes through have theirs."""
    corners = [turned((0, 0, 0), 0.0), turned((1, 0, 0), 0.5), turned((1, 1, 0), 2.0)]
    way = ts.robots.Polyline(corners, blend=0.1)
    middle = way.length / 2
    np.testing.assert_allclose(angles(way.poses([0, middle, way.length])), [0, 0.5, 2], atol=1e-12)
    arc = ts.robots.Arc(turned((1, 0, 0), 0), turned((0, 1, 0), 1.0), turned((-1, 0, 0), 1.0))
    half = arc.length / 2
    np.testing.assert_allclose(angles(arc.poses([0, half, arc.length])), [0, 1, 1], atol=1e-12)
    plain = ts.robots.Polyline([corners[0], (1, 0, 0), corners[2]], blend=0.1)  # a point says none
    np.testing.assert_allclose(angles(plain.poses([plain.length / 2])), [1.0], atol=1e-12)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ts.robots.Line(np.diag([1, 1, -1, 1.0]), np.eye(4)), "a reflection"),
        (lambda: ts.robots.Line(turned((1, 0, 0), 1).T, np.eye(4)), "transpose it"),
        (lambda: ts.robots.Line(np.eye(4), turned((0, 0, 0), 1)), "no length to turn along"),
        (lambda: ts.robots.Polyline([(0, 0, 0)] * 2 + [(1, 0, 0)], 0), "corners 1 and 2 are one"),
        (
            lambda: ts.from_dh(
                [{}], [ts.Body("a")], convention="classic", base=turned((1, 0, 0), 0).T
            ),
            "base: its last row is not 0, 0, 0, 1",
        ),
    ],
)
def test_what_is_no_path_is_told(make, told):
    with pytest.raises(ts.TorseurError, match=told):
        make()

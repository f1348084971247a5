"""Triangles of parts: extents by hand, and a mesh file that comes back with its corners."""

import numpy as np
import pytest

import torseur as ts
from torseur.show.model_numbers import ModelNumbers
from torseur.show.primitives import describe_shape
from torseur.show.tessellation import color_part, corner_normals, tessellate_part

QUARTER_ABOUT_X = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)  # z to -y, y to z


def extent(part):
    points = tessellate_part(part).reshape(-1, 3)
    return points.min(0), points.max(0)


@pytest.mark.parametrize(
    ("part", "low", "high"),
    [
        ({"kind": "box", "size": (1, 2, 4), "at": (5, 0, 0)}, (4.5, -1, -2), (5.5, 1, 2)),
        (
            {"kind": "box", "size": (1, 2, 4), "at": (5, 0, 1), "turn": QUARTER_ABOUT_X},
            (4.5, -2, 0),
            (5.5, 2, 2),
        ),
        ({"kind": "sphere", "radius": 2.0, "at": (0, 0, 3)}, (-2, -2, 1), (2, 2, 5)),
        ({"kind": "cylinder", "radius": 1.0, "length": 6.0}, (-1, -1, -3), (1, 1, 3)),
        ({"kind": "capsule", "radius": 1.0, "length": 6.0}, (-1, -1, -4), (1, 1, 4)),
        ({"kind": "plane", "size": 2.0, "at": (0, 0, 1)}, (-1, -1, 0.9), (1, 1, 1)),
        ({"kind": "plane", "size": 2.0, "turn": QUARTER_ABOUT_X}, (-1, 0, -1), (1, 0.1, 1)),
        ({"kind": "wheel", "radius": 2.0, "width": 0.5}, (-2, -2, -0.2625), (2, 2, 0.2625)),
    ],
    ids=lambda x: x["kind"] if isinstance(x, dict) else "",
)
def test_extents_by_hand(part, low, high):
    got = extent(part)
    assert got[0] == pytest.approx(low, abs=0.03) and got[1] == pytest.approx(high, abs=0.03)


def test_a_bar_goes_from_one_end_to_the_other():
    """A ball of 1.1 radii around its first end, one of 0.85 radii around its second."""
    r = 0.01
    bar = {"kind": "bar", "a": [1, 2, 3], "b": [1, 2, -2], "radius": r}
    low, high = extent(bar)
    assert high == pytest.approx([1 + 1.1 * r, 2 + 1.1 * r, 3 + 1.1 * r], abs=2e-3)
    assert low == pytest.approx([1 - 1.1 * r, 2 - 1.1 * r, -2 - 0.85 * r], abs=2e-3)
    beside = extent(bar | {"normal": [0, 1, 0], "layer": 0.5})  # two bars on one pin
    assert beside[0] - low == pytest.approx([0, 0.5 * 1.35 * r, 0], abs=1e-12)


def test_a_curve_goes_through_its_points():
    low, high = extent(
        {"kind": "curve", "points": [(0, 0, 0), (0, 4, 0), (0, 4, -1)], "radius": 1e-4}
    )
    assert low == pytest.approx([0, 0, -1], abs=1e-3)
    assert high == pytest.approx([0, 4, 0], abs=1e-3)


def test_a_mesh_keeps_its_corners(tmp_path):
    """A tetrahedron in an STL file, in millimeters."""
    corners = np.array([(0, 0, 0), (100, 0, 0), (0, 200, 0), (0, 0, -300)], dtype=float)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    record = np.zeros(4, [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    record["v"] = corners[faces]
    path = tmp_path / "part.stl"
    path.write_bytes(bytes(80) + (4).to_bytes(4, "little") + record.tobytes())
    part = describe_shape(
        ts.Mesh(file=str(path), scale=(1e-3,) * 3, at=(1, 0, 0)), ModelNumbers({})
    )
    got = tessellate_part(part)
    assert got.shape == (4, 3, 3)
    wanted = 1e-3 * corners[faces] + (1, 0, 0)
    np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_normals_of_a_ball_point_away_from_its_middle():
    ball = tessellate_part({"kind": "sphere", "radius": 1.0})
    smooth = corner_normals(ball)
    inside = (smooth * ball).sum(-1)
    area = np.linalg.norm(np.cross(ball[:, 1] - ball[:, 0], ball[:, 2] - ball[:, 0]), axis=1)
    assert inside[area > 1e-6].min() > 0.98


def test_a_wheel_is_a_tire_a_rim_and_a_mark():
    """From dark outside to light inside: rubber beyond 0.68 radii, the rim within."""
    (tire, dark), (rim, light), (mark, _) = color_part(
        {"kind": "wheel", "radius": 1.0, "width": 0.3}
    )
    assert sum(dark) < sum(light)
    radius = [np.hypot(t[..., 0], t[..., 1]) for t in (tire, rim, mark)]
    assert radius[0].min() > 0.6 and radius[1].max() < 0.75 and radius[2].min() > 0.75

"""Paths of points, seen from the world and from frames that move: closed forms in the plane."""

import numpy as np
import pytest
from known_motions import prescribe_run

import torseur as ts
from torseur.show.model_numbers import FramePoses, ModelNumbers, mass_properties
from torseur.show.scene import build_scene

TIME = np.linspace(0, 2, 9)
OMEGA, RADIUS = 1.3, 0.7
PATH = 0.2 + 0.1 * TIME, 0.05 * np.sin(3 * TIME)  # of the point, in axes of the frame [m]


def in_plane(z) -> np.ndarray:
    """A complex number as a point of the x-y plane."""
    return np.stack([np.real(z), np.imag(z), 0 * np.real(z)], -1)


def two_bodies():
    """A carrier on a circle that turns with it, a frame on it, and a slider that it carries.

    In complex numbers: the frame is at 0.3 on the carrier, turned by 90 degrees, and sees the
    slider's point at `PATH`.  The slider itself turns the other way, and the point is off its
    origin.
    """
    turn = np.exp(1j * OMEGA * TIME)
    carrier = RADIUS * turn
    point = carrier + turn * (0.3 + 1j * (PATH[0] + 1j * PATH[1]))
    angle = -2 * TIME
    slider = point - (0.1 + 0.4j) * np.exp(1j * angle)
    axis = np.array([[0, 0, 1.0]])
    return prescribe_run(
        TIME,
        {
            "carrier": (in_plane(carrier), OMEGA * TIME[:, None] * axis),
            "slider": (in_plane(slider), angle[:, None] * axis),
        },
    ), in_plane(point)


def model_of(*constraints) -> ts.Model:
    free = [ts.Joint(f"to_{n}", "world", n, ts.Free()) for n in ("carrier", "slider")]
    return ts.Model(
        bodies=[ts.Body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("carrier", "slider")],
        joints=free,
        frames=(ts.Frame("seat", "carrier", at=(0.3, 0, 0), rpy=(0, 0, "90 deg")),),
        constraints=constraints,
    )


def places(model, run) -> FramePoses:
    return FramePoses(run, model, ModelNumbers({}))


def test_a_path_seen_from_a_frame_that_moves():
    run, point = two_bodies()
    found, end = places(model_of(), run), ("slider", (0.1, 0.4, 0))
    np.testing.assert_allclose(found.point_path(end), point, atol=1e-12)
    wanted = np.stack([*PATH, 0 * TIME], -1)
    np.testing.assert_allclose(found.point_path(end, "seat"), wanted, atol=1e-12)
    on_carrier = in_plane(0.3 + 1j * (PATH[0] + 1j * PATH[1]))
    np.testing.assert_allclose(found.point_path(end, "carrier"), on_carrier, atol=1e-12)
    np.testing.assert_allclose(found.point_path("seat", "carrier"), [(0.3, 0, 0)] * 9, atol=1e-12)
    np.testing.assert_allclose(found.point_path("seat", "seat"), np.zeros((9, 3)), atol=1e-12)
    back = found.point_path("world", "carrier")  # the center of the circle is at -R on the carrier
    np.testing.assert_allclose(back, [(-RADIUS, 0, 0)] * 9, atol=1e-12)


def test_a_line_is_drawn_over_the_way_of_its_point():
    """The rod of a point on a line covers where the point goes on it, and a margin of the size."""
    line = ts.PointOnLine("line", ("slider", (0.1, 0.4, 0)), "seat", "x")
    run, _ = two_bodies()
    model = model_of(line)
    size = build_scene(run, model, {})["size"]
    carrier = next(b for b in build_scene(run, model, {})["bodies"] if b["name"] == "carrier")
    rod = next(p for p in carrier["parts"] if p["kind"] == "cylinder" and p.get("quiet"))
    half = max(0.2, 0.4 * size) + 0.1 * size  # the point goes from 0 to 0.4 on the line
    assert rod["length"] == pytest.approx(2 * half)
    assert rod["at"] == pytest.approx([0.3, 0.2, 0])
    w, x, y, z = rod["turn"]
    axis = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
    assert axis == pytest.approx([0, 1, 0])  # the frame's x is the carrier's y


def test_a_surface_is_drawn_under_its_point():
    """A plane z = 0.1 in axes of the frame, drawn about the mean of the point's path."""
    surface = ts.PointOnSurface("floor", ("slider", (0.1, 0.4, 0)), "seat", "z - 0.1")
    run, _ = two_bodies()
    model = model_of(surface)
    carrier = next(b for b in build_scene(run, model, {})["bodies"] if b["name"] == "carrier")
    grid = next(p for p in carrier["parts"] if p["kind"] == "surface")
    points = np.reshape(grid["points"], (-1, 3))
    assert points[:, 2] == pytest.approx(0.1)
    x, y = points[:, 1], 0.3 - points[:, 0]  # in axes of the frame
    for low, high, way in ((x.min(), x.max(), PATH[0]), (y.min(), y.max(), PATH[1])):
        assert low <= way.min() and way.max() <= high
        assert (low + high) / 2 == pytest.approx(way.mean())


def test_numbers_of_a_description():
    n = ModelNumbers({"L": 0.5, "k": None})
    assert n("2*L + 1/4") == 1.25 and n.axis("-y").tolist() == [0, -1, 0]
    assert n.axis((3, 0, 4)) == pytest.approx([0.6, 0, 0.8])
    assert n.locate_end(("body", ("L", 0, "-L"))) == {"on": "body", "at": [0.5, 0, -0.5]}


def test_mass_and_inertia_about_the_center_of_mass():
    """A point of 2 kg at (0, 3, 0) has 18 kg m2 about x and z of the origin, none about itself."""
    body = ts.Body("b", mass=2.0, com=(0, 3, 0), inertia=(18, 0, 18), about="origin")
    mass, com, inertia = mass_properties(body, ModelNumbers({}))
    assert (mass, com.tolist()) == (2.0, [0, 3, 0])
    assert inertia == pytest.approx(np.zeros((3, 3)))

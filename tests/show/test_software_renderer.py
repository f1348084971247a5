"""Pictures of the software renderer: places and sizes of colored boxes by a pinhole by hand."""

import numpy as np
import pytest
from known_motions import prescribe_run
from PIL import Image

import torseur as ts
from torseur.show.software_renderer import SUPERSAMPLING, Renderer

RED, GREEN, BLUE, YELLOW = (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)
HUES = {RED: (1, -1, -1), GREEN: (-1, 1, -1), BLUE: (-1, -1, 1), YELLOW: (1, 1, -1)}


def box(color, at, size=(0.5, 0.5, 0.5)) -> ts.Box:
    return ts.Box(size=size, at=at, color=(*color, 1))


def model_of(*shapes, **options) -> ts.Model:
    """One body with these shapes."""
    body = ts.Body("body", mass=1.0, inertia=(1, 1, 1), shapes=shapes)
    free = ts.Joint("free", "world", "body", ts.Free())
    return ts.Model("boxes", bodies=(body,), joints=(free,), **options)


def draw_png(path, model, poses, view="Front", size=(200, 200), time=(0.0, 1.0), at=0.0):
    """Pixels (height, width, 3) of the picture that `animate` writes at a time [s]."""
    run = prescribe_run(time, poses)
    run.animate(path, model=model, view=view, size=size, at=at)
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), dtype=float)


def find_pixels(picture, color):
    """Columns and rows of the pixels of a saturated color, whatever its brightness."""
    strong = np.array(HUES[color]) > 0
    margin = picture[:, :, strong].min(-1) - picture[:, :, ~strong].max(-1)
    rows, columns = np.nonzero(margin > 60)
    return columns, rows


AXES = {  # to the right and upwards on the picture
    "Front": ((1, 0, 0), (0, 0, 1)),
    "Side": ((0, 1, 0), (0, 0, 1)),
    "Top": ((1, 0, 0), (0, 1, 0)),
}
PLACES = {RED: (-1, 1), GREEN: (1, 1), BLUE: (-1, -1), YELLOW: (1, -1)}  # (right, up)


@pytest.mark.parametrize("view", AXES)
def test_each_quadrant_of_a_picture_has_the_color_of_its_box(view, tmp_path):
    right, up = np.array(AXES[view])
    boxes = [box(c, tuple((r * right + u * up).tolist())) for c, (r, u) in PLACES.items()]
    picture = draw_png(tmp_path / "p.png", model_of(*boxes), {"body": ((0, 0, 0), (0, 0, 0))}, view)
    for color, (r, u) in PLACES.items():
        columns, rows = find_pixels(picture, color)
        assert columns.size > 400
        assert ((columns > 100) == (r > 0)).all() and ((rows < 100) == (u > 0)).all()


def test_up_is_against_gravity(tmp_path):
    """With gravity along -y the box at +y is the upper one."""
    boxes = box(RED, (0, 1, 0)), box(BLUE, (0, -1, 0))
    model = model_of(*boxes, gravity=(0, -9.81, 0))
    picture = draw_png(tmp_path / "p.png", model, {"body": ((0, 0, 0), (0, 0, 0))})
    assert find_pixels(picture, RED)[1].max() < 100 < find_pixels(picture, BLUE)[1].min()


@pytest.mark.parametrize("size", [(200, 200), (300, 120)], ids=str)
def test_sizes_are_those_of_a_pinhole(size, tmp_path):
    """A plate of half height h fills 80 % of a view of 30 degrees: the eye is at h / (0.8 tan 15).

    A plate as large, D behind it, is smaller by the ratio of the distances.
    """
    h, behind = 1.0, 3.0
    shapes = [box(c, (0, y, 0), (2, 1e-6, 2)) for c, y in ((RED, 0), (BLUE, behind))]
    model, rest = model_of(*shapes), {"body": ((0, 0, 0), (0, 0, 0))}
    picture = draw_png(tmp_path / "p.png", model, rest, size=size)
    columns, rows = find_pixels(picture, RED)
    near = 0.8 * size[1]
    assert (np.ptp(columns) + 1, np.ptp(rows) + 1) == pytest.approx((near, near), abs=2)
    middle = (size[0] - 1) / 2, (size[1] - 1) / 2
    assert (columns.mean(), rows.mean()) == pytest.approx(middle, abs=1)
    assert find_pixels(picture, BLUE)[0].size == 0  # hidden by the nearer plate
    eye = h / (0.8 * np.tan(np.radians(15)))
    camera = Renderer(prescribe_run([0.0], rest), model, {}, size, "Front").camera
    assert camera.eye == pytest.approx((0, -eye, 0), abs=1e-5)
    place, distance = camera.project_points([h, behind, h])
    half = near / 2 * eye / (eye + behind)
    assert distance == pytest.approx(eye + behind)
    wanted = size[0] / 2 + half, size[1] / 2 - half
    assert place / SUPERSAMPLING == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(
    ("axis", "place"),
    [((0, 1, 0), "below"), ((0, -1, 0), "above"), ((0, 0, 1), "behind"), ((0, 0, 0), "right")],
)
def test_a_body_is_turned_by_the_right_hand(axis, place, tmp_path):
    """A quarter turn about y takes +x to -z, about -y to +z, about z to +y, away from the eye."""
    shapes = box(RED, (1, 0, 0)), box(BLUE, (-1, 0, 0))
    rotation = np.array([(0, 0, 0), np.pi / 2 * np.array(axis)])
    picture = draw_png(tmp_path / "p.png", model_of(*shapes), {"body": ((0, 0, 0), rotation)},
                       at=1.0)  # fmt: skip
    red, blue = (find_pixels(picture, c) for c in (RED, BLUE))
    if place == "behind":  # the nearer box hides the farther one
        assert blue[0].size > 400 and red[0].size == 0
        return
    (u, v), (a, b) = ((x.mean(), y.mean()) for x, y in (red, blue))
    far = {"below": (0, 1), "above": (0, -1), "right": (1, 0)}[place]
    assert np.sign(np.round([(u - a) / 20, (v - b) / 20])) == pytest.approx(far)


def test_light_comes_from_above(tmp_path):
    """The upper half of a ball is brighter than its lower half."""
    ball = ts.Sphere(radius=1.0, color=(0.8, 0, 0, 1))
    picture = draw_png(tmp_path / "p.png", model_of(ball), {"body": ((0, 0, 0), (0, 0, 0))})
    columns, rows = find_pixels(picture, RED)
    red = picture[rows, columns, 0]
    assert red[rows < 80].mean() > red[rows > 120].mean() + 15


def test_a_trace_is_where_the_body_has_been(tmp_path):
    """A small ball goes to the right at constant height: left of it is its trace, right nothing."""
    model = model_of(ts.Sphere(radius=0.05, color=(0, 1, 0, 1)))
    time = np.linspace(0, 1, 21)
    position = np.stack([2 * time, 0 * time, 1 + 0 * time], -1)
    picture = draw_png(tmp_path / "p.png", model, {"body": (position, (0, 0, 0))}, time=time,
                       at=0.5)  # fmt: skip
    columns, rows = find_pixels(picture, GREEN)
    ink = picture[:, :, 2] - picture[:, :, 0] > 90  # the first body's (0, 114, 178)
    trace_rows, trace_columns = np.nonzero(ink)
    assert columns.mean() == pytest.approx(99.5, abs=1)
    assert trace_columns.min() == pytest.approx(100 - 80 * 2 / 2.1, abs=2)
    assert trace_columns.max() <= columns.mean() + 1
    assert abs(trace_rows - rows.mean()).max() < 3


def test_a_spring_is_between_its_ends(tmp_path):
    """A gray coil from the ball to a point of the world, on the picture by shares of the span."""
    spring = ts.PointForce("spring", "body", ("world", (1.0, 0, 1.0)), ts.Spring(10.0))
    model = model_of(ts.Sphere(radius=0.02, color=(1, 0, 0, 1)), forces=(spring,))
    picture = draw_png(tmp_path / "p.png", model, {"body": ((0, 0, 0), (0, 0, 0))})
    gray = np.array([93, 104, 120])
    rows, columns = np.nonzero((abs(picture / picture.mean(-1)[..., None] - gray / gray.mean())
                                < 0.06).all(-1) & (picture.mean(-1) < 140))  # fmt: skip
    (u,), (v,) = (np.round([x.mean()]) for x in find_pixels(picture, RED))
    assert (columns.min(), rows.max()) == pytest.approx((u, v), abs=8)
    assert (columns.max(), rows.min()) == pytest.approx((199 - u, 199 - v), abs=8)
    slope = np.polyfit(columns, rows, 1)[0]
    assert slope == pytest.approx(-1, abs=0.15)


def test_the_trace_of_a_frame_is_where_its_point_has_been(tmp_path):
    """The frame is 1 m above a body that goes to the right; so is its trace, and it alone."""
    body = ts.Body("body", mass=1.0, inertia=(1, 1, 1), shapes=(box(RED, (0, 0, 0)),))
    model = ts.Model(
        bodies=(body,),
        joints=(ts.Joint("free", "world", "body", ts.Free()),),
        frames=(ts.Frame("tip", "body", at=(0, 0, 0.5)),),
    )
    time = np.linspace(0, 1, 11)
    upside_down = np.array([np.pi, 0, 0])  # about x: the frame's point is below the body
    for rotation, sign in (((0, 0, 0), -1), (upside_down, 1)):
        poses = {"body": (np.stack([2 * time, 0 * time, 0 * time], -1), rotation)}
        picture = draw_png(tmp_path / "p.png", model, poses, time=time, at=1.0)
        rows, columns = np.nonzero(picture[:, :, 2] - picture[:, :, 0] > 90)
        red_columns, red_rows = find_pixels(picture, RED)
        scale = np.ptp(red_rows) / 0.5  # pixels a meter
        assert columns.size > 50 and np.ptp(rows) < 6
        assert rows.mean() == pytest.approx(red_rows.mean() + sign * 0.5 * scale, abs=6)
        assert columns.max() == pytest.approx(red_columns.mean(), abs=6)
        assert np.ptp(columns) == pytest.approx(2 * scale, rel=0.1)

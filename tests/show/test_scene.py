"""What is drawn of a model: sizes and places of wheels, rods, gears, ground, tracks, bent beams."""

import numpy as np
import pytest
from known_motions import prescribe_run
from scipy.integrate import trapezoid
from scipy.spatial.transform import Rotation

import torseur as ts
from torseur.show import implicit_shapes
from torseur.show.beam_shapes import segment_beams
from torseur.show.scene import build_scene

TIME = np.linspace(0, 1, 5)
AT_REST = ((0, 0, 0), (0, 0, 0))  # a pose


def scene_of(model, poses=(), signals=()):
    run = prescribe_run(TIME, dict(poses), signals)
    return build_scene(run, model, dict(model.parameters))


def on_a_pin(body, axis="y") -> ts.Model:
    return ts.Model(
        bodies=(body,), joints=(ts.Joint("pin", "world", body.name, ts.Revolute(axis)),)
    )


def parts(drawn, name, kind):
    body = next(b for b in drawn["bodies"] if b["name"] == name)
    return [p for p in body["parts"] if p["kind"] == kind]


def turned(part, v) -> np.ndarray:
    w, x, y, z = part["turn"]
    return Rotation.from_quat((x, y, z, w)).apply(v)


def test_a_disc_is_drawn_with_its_radius():
    """I = m r^2 / 2 about the pin: 0.25 kg m2 and 2 kg are a disc of 0.5 m."""
    disc = ts.Body("disc", mass=2.0, inertia=(0.125, 0.25, 0.125))
    (wheel,) = parts(scene_of(on_a_pin(disc), {"disc": AT_REST}), "disc", "wheel")
    assert wheel["radius"] == pytest.approx(0.5) and wheel["at"] == [0, 0, 0]
    assert abs(turned(wheel, [0, 0, 1])) == pytest.approx([0, 1, 0])


def test_a_slender_rod_is_drawn_with_its_length():
    """m L^2 / 12 about its middle: 3 kg and 0.36 kg m2 are a rod of 1.2 m, hung by its end."""
    rod = ts.Body("rod", mass=3.0, com=(0, 0, -0.6), inertia=(0.36, 0.36, 0))
    (bar,) = parts(scene_of(on_a_pin(rod), {"rod": AT_REST}), "rod", "bar")
    assert bar["a"] == [0, 0, 0] and bar["b"] == pytest.approx([0, 0, -1.2])


def test_a_point_mass_is_at_the_end_of_its_bar():
    bob = ts.Body("bob", mass=3.0, com=(0.3, 0, -0.4))
    drawn = scene_of(on_a_pin(bob), {"bob": AT_REST})
    (bar,) = parts(drawn, "bob", "bar")
    assert bar["a"] == [0, 0, 0] and bar["b"] == pytest.approx([0.3, 0, -0.4])
    assert drawn["bodies"][0]["com"] == [0.3, 0, -0.4] and drawn["size"] == pytest.approx(0.5)


def test_gears_have_the_radii_of_their_ratio():
    """The driver makes three turns for one of the driven: its radius is a third."""
    model = ts.Model(
        bodies=[ts.Body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("motor", "wheel")],
        joints=[ts.Joint(f"j_{n}", "world", n, ts.Revolute("z")) for n in ("motor", "wheel")],
        constraints=(ts.Gear("gear", "j_motor.angle", "j_wheel.angle", -3),),
    )
    drawn = scene_of(model, dict.fromkeys(("motor", "wheel"), AT_REST))
    (small,), (large,) = (parts(drawn, n, "gear") for n in ("motor", "wheel"))
    assert large["radius"] == pytest.approx(3 * small["radius"])


def wheel_on(plane, **options) -> ts.Model:
    body = ts.Body("ball", mass=1.0, inertia=(1, 1, 1))
    free = ts.Joint("free", "world", "ball", ts.Free())
    return ts.Model(bodies=(body,), joints=(free,), constraints=(plane,), **options)


def test_the_ground_is_at_the_height_of_its_plane():
    level = ts.PointOnPlane("floor", "ball", "world", (0, 0, 2), height=0.25)
    assert scene_of(wheel_on(level), {"ball": AT_REST})["ground"] == pytest.approx(0.25)
    along_y = ts.PointOnPlane("floor", "ball", "world", "y", height=-0.75)
    drawn = scene_of(wheel_on(along_y, gravity=(0, -9.81, 0)), {"ball": AT_REST})
    assert drawn["ground"] == pytest.approx(-0.75) and drawn["up"] == [0, 1, 0]


def test_a_tilted_plane_is_drawn_at_its_distance():
    tilted = ts.PointOnPlane("ramp", "ball", "world", (3, 0, 4), height=0.5)
    drawn = scene_of(wheel_on(tilted), {"ball": AT_REST})
    assert drawn["ground"] is None
    (plane,) = [p for p in drawn["world"] if p["kind"] == "plane"]
    assert plane["at"] == pytest.approx([0.3, 0, 0.4])
    assert turned(plane, [0, 0, 1]) == pytest.approx([0.6, 0, 0.8])


def test_a_rail_covers_what_its_coordinate_runs_over():
    model = ts.Model(
        bodies=(ts.Body("mass", 1.0),),
        joints=(ts.Joint("slide", "world", "mass", ts.Prismatic("y")),),
    )
    signals = {"slide.displacement": ("m", 0.6 * TIME - 0.2)}
    (joint,) = scene_of(model, {"mass": AT_REST}, signals)["joints"]
    assert joint["range"] == pytest.approx([-0.2, 0.4])
    assert joint["axes"] == [{"along": [0, 1, 0], "turn": False}]


def test_a_guided_joint_has_its_track():
    """z = s, x = s^2: points of the track, in axes of a joint turned by 90 degrees about z."""
    guide = ts.Guided(("s**2", 0, "s"), (0, 0, 0), coordinate="s")
    joint = ts.Joint("guide", "world", "hub", guide, at=(1, 0, 0), rpy=(0, 0, "90 deg"))
    model = ts.Model(bodies=(ts.Body("hub", 1.0, inertia=(1, 1, 1)),), joints=(joint,))
    signals = {"guide.s": ("m", 0.5 * TIME)}
    drawn = scene_of(model, {"hub": AT_REST}, signals)
    (track,) = [p for p in drawn["world"] if p["kind"] == "curve"]
    x, y, z = np.transpose(track["points"])
    assert x == pytest.approx(1) and y == pytest.approx(z**2, abs=1e-12)
    assert (z.min(), z.max()) == pytest.approx((-0.1, 0.6))  # a fifth more at both ends


def test_a_wire_is_drawn_where_its_parameter_went():
    """A parabola on a body, used from 0 to 2: a quarter more of it at both ends."""
    wire = ts.PointOnCurve("wire", "bead", "frame", curve=("s", "s**2", 0))
    bodies = [ts.Body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("bead", "board")]
    model = ts.Model(
        bodies=bodies,
        joints=[ts.Joint(f"to_{b.name}", "world", b.name, ts.Free()) for b in bodies],
        frames=(ts.Frame("frame", "board", at=(0, 0, 0.5), rpy=("90 deg", 0, 0)),),
        constraints=(wire,),
    )
    signals = {"wire.parameter": ("1", 2 * TIME)}
    drawn = scene_of(model, dict.fromkeys(("bead", "board"), AT_REST), signals)
    (curve,) = parts(drawn, "board", "curve")
    x, y, z = np.transpose(curve["points"])
    assert y == pytest.approx(0, abs=1e-12) and z == pytest.approx(0.5 + x**2)
    assert (x.min(), x.max()) == pytest.approx((-0.5, 2.5))


def test_an_ellipsoid_is_drawn_by_its_surface(monkeypatch):
    """By the formula of the solid: all points of the net, here a coarse one, are on it."""
    monkeypatch.setattr(implicit_shapes, "CELLS_PER_EDGE", 8)
    solid = ts.RollingSurface(
        "roll", "ball", implicit="x**2/4 + y**2 + 4*z**2 - 1", near=(0, 0, -0.5), ground="world"
    )
    (net,) = parts(scene_of(wheel_on(solid), {"ball": AT_REST}), "ball", "surface")
    x, y, z = np.reshape(net["points"], (-1, 3)).T
    assert x**2 / 4 + y**2 + 4 * z**2 == pytest.approx(1, abs=1e-6)
    assert [np.ptp(c) for c in (x, y, z)] == pytest.approx([4, 2, 1], rel=0.02)


def test_shapes_are_turned_by_roll_pitch_and_yaw_about_fixed_axes():
    """Roll takes y to z, yaw then leaves z: the box's y is upright, its x along the world's y."""
    crate = ts.Box(size=(3, 2, 1), at=(1, 0, 0), rpy=("90 deg", 0, "90 deg"))
    body = ts.Body("crate", mass=1.0, inertia=(1, 1, 1), shapes=(crate,))
    (box,) = parts(scene_of(on_a_pin(body), {"crate": AT_REST}), "crate", "box")
    assert turned(box, [0, 1, 0]) == pytest.approx([0, 0, 1], abs=1e-12)
    assert turned(box, [1, 0, 0]) == pytest.approx([0, 1, 0], abs=1e-12)
    assert box["at"] == [1, 0, 0] and box["size"] == [3, 2, 1]


def test_sliders_in_a_row_are_drawn_one_behind_the_other():
    """Masses that start at one place are drawn apart along their line, in the order of springs."""
    names = ("c", "a", "b")
    law, pairs = ts.Spring(1.0), (("a", "b"), ("b", "c"))
    springs = [ts.JointForce("first", "to_a", law)]
    for i, j in pairs:
        stretch = {f"to_{j}.displacement": 1, f"to_{i}.displacement": -1}
        springs.append(ts.CoordinateForce(f"{i}_{j}", stretch, law))
    model = ts.Model(
        bodies=[ts.Body(n, mass=1.0) for n in names],
        joints=[ts.Joint(f"to_{n}", "world", n, ts.Prismatic("x")) for n in names],
        forces=springs,
    )
    drawn = scene_of(model, dict.fromkeys(names, AT_REST))
    offset = {b["name"]: np.array(b["offset"]) for b in drawn["bodies"]}
    a, b, c = (offset[n][0] for n in "abc")
    assert 0 < a < b < c and b - a == pytest.approx(c - b)
    assert all((o[1:] == 0).all() for o in offset.values())


def clamped_free(xi):
    """First bending mode of a clamped-free beam, one at the tip, and its slope."""
    k = 1.8751040687119611
    sigma = (np.cosh(k) + np.cos(k)) / (np.sinh(k) + np.sin(k))
    shape = np.cosh(k * xi) - np.cos(k * xi) - sigma * (np.sinh(k * xi) - np.sin(k * xi))
    slope = k * (np.sinh(k * xi) + np.sin(k * xi) - sigma * (np.cosh(k * xi) - np.cos(k * xi)))
    tip = np.cosh(k) - np.cos(k) - sigma * (np.sinh(k) - np.sin(k))
    return shape / tip, slope / tip


@pytest.mark.parametrize("mode", ["bending_z1", "bending_y1"])
def test_a_beam_is_drawn_bent(mode):
    """Pieces of a beam of 2 m follow its first mode, 0.1 m at the tip, and come nearer by
    0.5 times the integral of the squared slope; the beam stands in the world turned about z."""
    L, tip, axis = 2.0, 0.1, "zy".index(mode[-2])
    beam = ts.Beam("rod", length=L, EI=(30.0, 50.0), mass_per_length=0.6, modes=(1, 1, 0, 0))
    hinge = ts.Joint("hinge", "world", "rod", ts.Revolute("z"))
    frame = ts.Frame("tip", "rod", at=(L, 0, 0))
    model = ts.Model(bodies=(beam,), joints=(hinge,), frames=(frame,))
    signals = {f"rod.{n}": ("m", tip * (n == mode)) for n in ("bending_z1", "bending_y1")}
    turn = np.array([0, 0, 0.7])
    run = prescribe_run(TIME, {"rod": ((1.0, 2.0, 3.0), turn)}, signals)
    shown, drawn = segment_beams(run, model, {})
    places = Rotation.from_rotvec(turn)
    grid = np.linspace(0, 1, 4001)
    for k, piece in enumerate(drawn.bodies):
        xi = (k + 0.5) / len(drawn.bodies)
        shape, slope = clamped_free(xi)
        below = grid[grid <= xi]
        near = 0.5 * tip**2 / L * trapezoid(clamped_free(below)[1] ** 2, below)
        local = np.array([L * xi - near, 0, 0])
        local[2 - axis] = tip * shape
        position = [shown[f"{piece.name}.position.{c}"][-1] for c in "xyz"]
        assert position == pytest.approx(places.apply(local) + [1, 2, 3], abs=2e-4)
        w, x, y, z = (shown[f"{piece.name}.orientation.{c}"][-1] for c in "wxyz")
        along = places.inv().apply(Rotation.from_quat((x, y, z, w)).apply([1, 0, 0]))
        assert along[2 - axis] == pytest.approx(np.sin(tip / L * slope), abs=1e-6)
    (tool,) = drawn.frames
    assert tool.body == drawn.bodies[-1].name
    assert tool.pose[0][3] == pytest.approx(L / len(drawn.bodies) / 2)


def test_a_beam_held_at_its_other_end_is_drawn_bent():
    """Modes are shapes of the beam clamped at x = 0, without what they have at the held section.

    Seen from its section at x = 0, the beam has the shape of the mode wherever it is held.
    """
    L, tip = 2.0, 0.1
    beam = ts.Beam("rod", length=L, EI=(30.0, 50.0), mass_per_length=0.6, modes=(1, 0, 0, 0))
    hinge = ts.Joint("hinge", "world", "rod", ts.Revolute("y"), child_at=(L, 0, 0))
    model = ts.Model(bodies=(beam,), joints=(hinge,))
    run = prescribe_run(TIME, {"rod": AT_REST}, {"rod.bending_z1": ("m", tip)})
    shown, drawn = segment_beams(run, model, {})
    for k, piece in enumerate(drawn.bodies):
        xi = (k + 0.5) / len(drawn.bodies)
        height = shown[f"{piece.name}.position.z"][-1]
        assert height == pytest.approx(tip * clamped_free(xi)[0], abs=1e-3)

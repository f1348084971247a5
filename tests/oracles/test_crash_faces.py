"""Every face of a vehicle, its suspensions, names of numbers, parts of laws."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.crash.mass_properties import scale_law
from torseur.forces import Seen, law
from torseur.scalars import Floats

C = ts.crash
QUARTERS = {"left": (0, 1), "rear": (-1, 0), "right": (0, -1)}
LAW = ts.Crush(((0, 0), (0.05, 120e3), (0.2, 80e3), (0.6, 300e3)), 2e7, beyond="extend")
MOUNT = ts.Crush(((0, 0), (0.02, 60e3)), 6e6, beyond="extend", tension="mirror")


def fronts():
    """A car that is not the same left and right, with a mass before the others."""
    ends = [C.Member("l", "b", (0.1, 0.5, 0.3), law=LAW, width=0.3),
            C.Member("r", "e", (0.0, -0.4, 0.3), law=LAW, width=0.5),
            C.Member("mount", "b", (0, 0, 0.3), to="e", law=MOUNT)]  # fmt: skip
    bodies = [ts.Body("b", 1100.0, (-1.0, 0.05, 0.4), inertia=(300, 1500, 1600)),
              ts.Body("e", 250.0, (-0.5, 0, 0.3), inertia=(10, 20, 30))]  # fmt: skip
    return C.Vehicle("car", bodies, ends, size=(4.0, 1.8, 1.5))


def turned(car, face):
    """The same car described in axes that are turned, so that its front is another face."""
    c, s = QUARTERS[face]

    def turn(p):
        return (c * p[0] - s * p[1], s * p[0] + c * p[1], p[2])

    def body(b):
        xx, yy, zz, *_ = b.inertia
        return replace(b, com=turn(b.com), inertia=(xx, yy, zz) if c else (yy, xx, zz))

    length, width, height = car.size
    members = [replace(m, at=turn(m.at), direction=turn(m.axis)) for m in car.members]
    if s:  # its length is counted from a nose, so that the middle of the side is at x = 0
        members.append(C.Member("nose", "b", (width / 2, 0, 0), law=LAW))
    return replace(car, bodies=[*map(body, car.bodies)], members=members,
                   size=(length, width, height) if c else (width, length, height))  # fmt: skip


def ends_of(run, names):
    return np.array([run[f"{n}.velocity.{c}"][-1] for n in names for c in "xyz"])


@pytest.mark.parametrize(
    "face", ["left", *(pytest.param(f, marks=pytest.mark.slow) for f in ("rear", "right"))]
)  # all of it took 0.5 to 1 CPU s a face
def test_a_side_or_rear_crushes_as_the_same_car_does_in_front(face):
    car = fronts()
    other = turned(car, face)
    for wall, dimensions in ((C.Wall(overlap=0.6), 1), (C.Wall("20 deg", friction=0.3), 2)):
        want = ts.simulate(C.against(car, wall, "40 km/h", dimensions, 0.08))
        run = ts.simulate(C.against(other, wall, "40 km/h", dimensions, 0.08, struck=face))
        np.testing.assert_allclose(ends_of(run, "be"), ends_of(want, "be"), atol=1e-7)
        assert abs(run.energy_audit.relative) < 1e-8
        assert min(run[f"{n}.force"].min() for n in "lr" if f"{n}.force" in run.units) > -1e-6
    told = {"overlap": 0.7, "friction": 0.2, "dimensions": 2, "t_end": 0.08}
    want = ts.simulate(C.collide(car, car, (14, 0), angle="10 deg", **told))
    quarter = {"left": 90, "rear": 180, "right": -90}[face]
    run = ts.simulate(
        C.collide(car, other, (14, 0), angle=f"{10 - quarter} deg", struck=face, **told)
    )
    names = ("a_b", "a_e", "b_b", "b_e")
    np.testing.assert_allclose(ends_of(run, names), ends_of(want, names), atol=1e-7)


def test_a_car_stands_on_its_suspensions_and_swings_as_two_masses_do():
    wheels = [C.Wheel(f"w{x > 0:d}{y > 0:d}", (x, y, 0), 2e5, mass=40.0, suspension=ts.Spring(22e3))
              for x in (1, -1) for y in (0.7, -0.7)]  # fmt: skip
    body = ts.Body("b", 1000.0, (0, 0, 0.5), inertia=(900, 1000, 1100))
    car = C.Vehicle("car", [body], [C.Member("f", "b", (2, 0, 0.5), law=LAW)], wheels=wheels)
    scene = C.against(car, C.Wall(), 0.0, 3, 0.5)
    assert car.mass == 1160
    rest = ts.simulate(scene)
    assert np.ptp(rest["b.position.z"]) < 1e-12
    run = ts.simulate(replace(scene, initial=scene.initial | {"b.pz": 0.005}))
    M, K = np.diag([1000.0, 160.0]), np.array([[88e3, -88e3], [-88e3, 888e3]])
    root = np.diag(np.diag(M) ** -0.5)
    w2, V = np.linalg.eigh(root @ K @ root)
    q = V.T @ np.sqrt(M) @ (0.005, 0.005)
    z = root @ V @ (q[:, None] * np.cos(np.sqrt(w2)[:, None] * run.time))
    np.testing.assert_allclose(run["b.position.z"], z[0], atol=1e-10)
    np.testing.assert_allclose(run["w11.displacement"], z[1] - z[0], atol=1e-9)
    with pytest.raises(ts.ModelError, match="suspension needs the unsprung mass"):
        replace(car, wheels=[replace(wheels[0], mass=0.0)])


@pytest.mark.parametrize("name", law)
def test_a_part_of_a_law_has_that_part_of_its_force_or_is_refused(name):
    """Laws that are made of others, names and texts among them: never the whole force."""
    K = Floats({"k": 3.0, "L": 0.3})
    for one in law[name].examples():
        try:
            part = scale_law(one, 0.4)
        except ts.ModelError as e:
            assert "cannot be taken; give the member no width" in str(e)
            continue
        for x, v in ((0.013, 0.2), (-0.02, -0.3), (0.31, 1.0)):
            forces = []
            for each in (one, part):
                z, m = each.start(K, Seen(x, v, u=(0.3,) * 8))
                forces.append(float(each.force(K, Seen(x, v, z=z, m=m, u=(0.3,) * 8))))
            assert forces[1] == pytest.approx(0.4 * forces[0], rel=1e-9, abs=1e-12)


def test_masses_knots_and_speeds_may_be_names():
    car = fronts()
    points = ((0, 0), (0.05, "F1"), (0.2, 80e3), (0.6, 300e3))
    named = replace(
        car,
        bodies=[replace(car.bodies[0], mass="m"), car.bodies[1]],
        members=[replace(m, law=replace(LAW, points=points)) if m.name == "l" else m
                 for m in car.members],
        parameters={"m": 1100.0, "F1": 120e3, "v": 11.0},
    )  # fmt: skip
    assert named.mass == car.mass and named.main == "b"
    wall = C.Wall(overlap=0.45)  # a part of the named law
    want = ts.simulate(C.against(car, wall, 11.0, 1, 0.05))
    scene = C.against(named, wall, "v", 1, 0.05)
    assert scene.initial["b.speed"] == "v"
    np.testing.assert_allclose(ends_of(ts.simulate(scene), "be"), ends_of(want, "be"), rtol=1e-9)
    with pytest.raises(ts.ModelError, match="mass 'm_x'; use a number above zero, or a name"):
        replace(named, bodies=[replace(car.bodies[0], mass="m_x"), car.bodies[1]])
    with pytest.raises(ts.ModelError, match="its parameter 'v' is 3"):
        C.collide(named, replace(named, parameters=named.parameters | {"v": 3}), ("v", 0))


def test_what_is_wrong_with_faces_is_told():
    car = fronts()
    for make, sentence in (
        (lambda: C.against(car, speed=9, struck="left"), "give it members with direction: 'y'"),
        (lambda: C.against(car, speed=9, struck="top"), "struck='top': expected 'front', 'left'"),
        (lambda: C.against(car, speed=9, crab="10 deg"), "give dimensions=2 or 3"),
        (lambda: C.against(car, C.Pole(x=1), 9), "its front is struck: give y"),
        (lambda: C.against(turned(car, "left"), C.Pole(y=1), 9, struck="left"), "give x, a place"),
        (lambda: replace(car, members=[C.Member("m", "b", law=LAW, direction="up")]), "direction:"),
        (lambda: replace(car, members=[C.Member("m", "b", law=LAW, direction="z")]), "not along z"),
    ):
        with pytest.raises(ts.TorseurError, match=sentence):
            make()

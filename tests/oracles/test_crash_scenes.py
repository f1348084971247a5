"""Vehicles against walls and each other: oracles CR1 to CR3, equal routes, books that close."""

from dataclasses import replace

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.crash import (
    DeformableFace,
    Member,
    MovingBarrier,
    Pole,
    Vehicle,
    Wall,
    Wheel,
    against,
    collide,
)
from torseur.crash.mass_properties import scale_law

CURVE = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))
LAW = ts.Crush(CURVE, 2e7, beyond=6e6)
FAST = replace(LAW, rate_factor="linear")
CAR = Vehicle("car", (ts.Body("car", mass=1000.0),), (Member("front", "car", law=LAW),))
TRUCK = Vehicle("truck", (ts.Body("truck", mass=1500.0),))


def third(law):
    return scale_law(law, 1 / 3)


def plane_car(law=LAW, **member):
    body = ts.Body("p", mass=1000.0, inertia=(1600, 1600, 1600, 0, 0, 0))
    ends = [
        Member(f"l{i}", "p", at=(1.2, y, 0), law=third(law), **member)
        for i, y in enumerate((0.5, 0.0, -0.5))
    ]
    return Vehicle("p", (body,), ends, points={"floor": ("p", (-0.3, 0.2, 0.1))})


def closes(run, tolerance=1e-8):
    assert run.completed, run.outcome
    assert abs(run.energy_audit.relative) < tolerance, str(run.energy_audit)


def evenly(run, name):
    """A signal at the thousand even moments of a run, without the rows of its events."""
    grid = np.linspace(0, run.time[-1], 1001)
    return run[name][np.searchsorted(run.time, grid - 1e-12)]


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_cr1_one_car_against_a_wall_in_every_dimension(dimensions):
    run = ts.simulate(against(CAR, Wall(), "50 km/h", dimensions, t_end=0.1))
    assert run["car.position.x"].max() == pytest.approx(0.5156766840, abs=1e-9)
    assert run["car.velocity.x"][-1] == pytest.approx(-4.2006392812, abs=2e-9)
    assert run["front.energy.dissipated"][-1] == pytest.approx(87627.932099, rel=1e-9)
    assert run["front.force"].min() > -1e-6
    closes(run)
    quick = against(CAR.with_laws(front=FAST), Wall(), "50 km/h", dimensions, t_end=0.1)
    run = ts.simulate(quick)
    assert run["car.position.x"].max() == pytest.approx(0.492262047, abs=1e-9)
    assert run["car.velocity.x"][-1] == pytest.approx(-3.262334132, abs=2e-9)


@pytest.mark.parametrize("dimensions", [1, 2])
def test_cr2_two_vehicles_and_one_link(dimensions):
    run = ts.simulate(collide(CAR, TRUCK, (15, 10), dimensions=dimensions, t_end=0.1))
    assert run["a_front.deflection"].max() == pytest.approx(0.6170482471, abs=1e-9)
    assert run["a_car.velocity.x"][-1] == pytest.approx(-6.5852107028, abs=2e-9)
    assert run["b_truck.velocity.x"][-1] == pytest.approx(4.3901404685, abs=2e-9)
    assert run["a_front.energy.dissipated"][-1] == pytest.approx(151362.5, rel=1e-9)
    turned = ts.simulate(collide(TRUCK, CAR, (10, 15), dimensions=dimensions, t_end=0.1))
    assert turned["b_car.velocity.x"][-1] == pytest.approx(6.5852107028, abs=2e-9)
    closes(run)


@pytest.mark.parametrize(
    ("angle", "want"),
    [
        (0, (0.37403670, 0, 0, -3.26233413, 0, 0)),
        (
            "30 deg",
            (0.62985605, 0.10700164, 0.25792844, -0.43472019, 2.54820962, 5.11104151),
        ),
    ],
)
@pytest.mark.parametrize("dimensions", [2, 3])
def test_cr3_links_that_hold_where_they_touch(angle, want, dimensions):
    car = plane_car(FAST, reach=0.8)
    run = ts.simulate(against(car, Wall(angle, friction="stick"), "50 km/h", dimensions, t_end=0.1))
    yaw = 2 * np.arctan2(run["p.orientation.z"][-1], run["p.orientation.w"][-1])
    names = ("position.x", "position.y", "velocity.x", "velocity.y", "angular_velocity.z")
    x, y, vx, vy, r = (run[f"p.{n}"][-1] for n in names)
    assert (x, y, yaw, vx, vy, r) == pytest.approx(want, abs=6e-9)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_two_equal_cars_head_on_are_one_car_against_a_wall(dimensions):
    wall = ts.simulate(against(CAR, Wall(), "50 km/h", 1, t_end=0.1))
    head = ts.simulate(collide(CAR, CAR, ("50 km/h",) * 2, dimensions=dimensions, t_end=0.1))
    for name, scale in (("position.x", 0.5), ("velocity.x", 14.0)):
        away = abs(evenly(head, f"a_car.{name}") - evenly(wall, f"car.{name}")).max()
        assert away < 1e-6 * scale
    closes(head)


OBSTACLES = {
    "oblique": Wall("30 deg", friction=0.3),
    "offset": Wall(overlap="40 %", friction=0.3),
    "right": Wall(overlap=0.4, side="right"),
    "pole": Pole(y=0.5),
    "face": DeformableFace(),
    "barrier": MovingBarrier(),
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_the_books_of_every_obstacle_close_in_the_plane_and_in_space_alike(name):
    car = plane_car(width=0.3)
    plane, space = (
        ts.simulate(against(car, OBSTACLES[name], "56 km/h", d, t_end=0.05)) for d in (2, 3)
    )
    for run in (plane, space):
        closes(run)
        for m in car.members:
            if f"{m.name}.force" in run.signals:
                assert run[f"{m.name}.force"].min() > -1e-6
    for n, scale in (("position.x", 0.5), ("position.y", 0.5), ("velocity.x", 15.0)):
        assert abs(evenly(plane, f"p.{n}") - evenly(space, f"p.{n}")).max() < 1e-6 * scale


def test_friction_on_a_wall_holds_the_car_back_and_is_booked():
    car = plane_car(width=0.3)
    smooth, rough = (
        ts.simulate(against(car, Wall("30 deg", friction=mu), "56 km/h", 2)) for mu in (0, 0.5)
    )
    assert abs(rough["p.velocity.y"][-1]) < abs(smooth["p.velocity.y"][-1])
    lost = sum(rough[f"l{i}.energy.dissipated"][-1] for i in range(3))
    kept = rough["energy.kinetic"][0] - rough["energy.kinetic"][-1]
    stored = sum(rough[f"l{i}.energy.stored"][-1] for i in range(3))
    assert lost + stored == pytest.approx(kept, rel=1e-8)


def test_friction_on_an_oblique_wall_turns_the_car_as_an_independent_computation_has_it():
    """A planar car of three elastic ends at 20 degrees, mu = 0.4, by SciPy with complex numbers:
    each end pushes and rubs where it touches the wall, at the foot of its undeformed tip."""
    from scipy.integrate import solve_ivp

    mass, I, k, mu, length, rest = 1000.0, 1600.0, 4e5, 0.4, 1e-4, 0.1
    tips = 1.2 + 1j * np.array([0.5, 0.0, -0.5])
    n = -np.exp(1j * np.deg2rad(20))  # out of the wall
    wall = -max(-(tip / n).real for tip in tips)

    def dot(a, b):
        return (a.conjugate() * b).real

    def rate(t, y):
        z, turn, v, w = y[0] + 1j * y[1], np.exp(1j * y[2]), y[3] + 1j * y[4], y[5]
        F, M, grips = 0, 0, []
        for tip, grip in zip(tips, y[6:], strict=True):
            depth = wall - dot(n, z + turn * tip)
            foot = turn * tip + depth * n  # from the origin of the car
            slip = dot(1j * n, v + 1j * w * foot)
            share = np.clip(grip + slip / rest, -1, 1)
            f = k * max(depth, 0.0) * (n - mu * share * 1j * n)
            F, M = F + f, M + (foot.conjugate() * f).imag
            r = np.clip(slip, -rest, rest)
            grips.append((r - max(0, 2 * grip**2 - 1) * max(grip * r, 0) * grip) / length)
        return [y[3], y[4], y[5], F.real / mass, F.imag / mass, M / I, *grips]

    start, grid = [0, 0, 0, 12.0, 0, 0, 0, 0, 0], np.linspace(0, 0.1, 26)
    want = solve_ivp(rate, (0, 0.1), start, "DOP853", grid, rtol=1e-10, atol=1e-11)
    car = plane_car(ts.Table(((-1, 0), (0, 0), (1, 3 * k))))
    run = ts.simulate(against(car, Wall("20 deg", friction=mu), 12.0, 2, 0.1))
    names = ("velocity.x", "velocity.y", "angular_velocity.z")
    found = [np.interp(grid, run.time, run[f"p.{name}"]) for name in names]
    np.testing.assert_allclose(found, want.y[3:6], rtol=0, atol=3e-7)
    closes(run)
    assert abs(want.y[5]).max() > 1  # rad/s: it does turn


def block(push, **plane):
    """A block of 10 kg that 100 N press on a plane, pushed along it."""
    bodies = (ts.Body("guide", mass=1e-6), ts.Body("b", mass=10.0))
    slides = (("x", "world", "guide"), ("y", "guide", "b"))
    return ts.Model(
        bodies=bodies,
        joints=[ts.Joint(n, a, b, ts.Prismatic(n)) for n, a, b in slides],
        forces=(
            ts.PlaneForce("end", "b", "world", ts.Spring(1e6), "x", **plane),
            ts.JointForce("load", "x", ts.Effort(-100.0)),
            ts.JointForce("push", "y", ts.Effort(push)),
        ),
        initial={"x.displacement": -1e-4},
    )


def test_an_end_that_sticks_holds_still_under_a_steady_force_and_slides_above_it():
    for push in (12.0, 39.0):
        held = ts.simulate(block(push, friction=0.4), 2.0, rtol=1e-9)
        y, late = held["b.position.y"], held.time > 1.6
        assert np.ptp(y[late]) < 1e-9 and abs(held["b.velocity.y"][late]).max() < 1e-9
        assert 0 < y[-1] < 2e-3
        closes(held, 1e-7)
        if push == 12.0:
            assert y[-1] == pytest.approx(0.3e-4, rel=1e-6)  # elastic: CV.2
    slid = ts.simulate(block(45.0, friction=0.4), 2.0, rtol=1e-9)
    at, late = slid.time, slid.time > 1
    rate = np.diff(slid["b.velocity.y"][late]) / np.diff(at[late])
    np.testing.assert_allclose(rate, (45 - 40) / 10, rtol=1e-6)
    closes(slid, 1e-7)


def test_an_end_that_slides_off_the_edge_is_gone_and_booked():
    edges = {"edges": (-1.0, 0.05), "friction": 0.1}
    run = ts.simulate(block(45.0, **edges), 0.5, rtol=1e-9)
    (off,) = [e for e in run.events if e.name == "end: slid off"]
    force = run["end.force"]
    assert np.interp(off.time, run.time, run["b.position.y"]) == pytest.approx(0.05, abs=1e-9)
    assert not force[run.time > off.time].any() and force[run.time < off.time].min() > 99
    assert run["end.energy.torn"][-1] == pytest.approx(100**2 / 2e6, rel=1e-6)
    closes(run)


@pytest.mark.parametrize(
    ("obstacle", "y"),
    [(Wall("10 deg", overlap=0.4), 0.25), (Pole(y=0.2), 0.25), (DeformableFace(), 0.3)],
)
def test_a_car_that_turns_slides_off_the_edge_of_its_obstacle(obstacle, y):
    """A slim car that a blow beside its center of mass turns away: every end ends as gone."""
    body = ts.Body("p", mass=1000.0, inertia=(200, 200, 200, 0, 0, 0))
    car = Vehicle("p", (body,), (Member("l", "p", at=(2.0, y, 0), law=LAW),))
    run = ts.simulate(against(car, obstacle, "64 km/h", 2, t_end=0.4))
    (off,) = [e.time for e in run.events if e.name == "l: slid off"]
    assert not run["l.force"][run.time > off].any()
    assert run["l.force"][run.time < off].max() > 1e4
    closes(run)


def test_momentum_and_its_moment_stay_in_a_collision_with_friction():
    run = ts.simulate(
        collide(plane_car(), plane_car(), (14, 9), 0.5, "15 deg", 3, friction=0.3, t_end=0.1)
    )
    masses = {"a_p": (1000, 1600), "b_p": (1000, 1600)}
    px, py, L = 0, 0, 0
    for body, (m, I) in masses.items():
        x, y, u, v = (run[f"{body}.{n}"] for n in ("position.x", "position.y", "velocity.x",
                                                   "velocity.y"))  # fmt: skip
        px, py = px + m * u, py + m * v
        L = L + m * (x * v - y * u) + I * run[f"{body}.angular_velocity.z"]
    for p, scale in ((px, 14e3), (py, 14e3), (L, 14e3)):
        assert abs(p - p[0]).max() < 1e-8 * scale
    closes(run)


def _seen(run, body):
    """Speeds of a vehicle in its own axes, and its yaw rate."""
    vx, vy = (run[f"{body}.velocity.{e}"] for e in "xy")
    w, z = (run[f"{body}.orientation.{e}"] for e in "wz")
    c, s = w**2 - z**2, 2 * w * z
    seen = (c * vx + s * vy, -s * vx + c * vy, run[f"{body}.angular_velocity.z"])
    return np.array([np.interp(np.linspace(0, 0.15, 301), run.time, x) for x in seen])


LADDERS, LIGHTER = ("ladder_frame",) * 2, ("ladder_frame", "light_car")
PAIRS = [(a, b, f) for a, b in (LADDERS, LIGHTER) for f in (0.0, 0.3)]


@pytest.mark.parametrize(("one", "other", "friction"), zoo.few(PAIRS, (*LIGHTER, 0.3)))
def test_which_car_comes_first_changes_nothing(one, other, friction):
    """Equal cars move alike at a part of overlap; of unequal ones the order does not matter."""
    a, b = ts.crash.car(one), ts.crash.car(other)
    forth = ts.simulate(collide(a, b, ("47 km/h", "39 km/h"), 0.55, 0, 2, friction=friction))
    back = ts.simulate(collide(b, a, ("39 km/h", "47 km/h"), 0.55, 0, 2, friction=friction))
    for car, x, y in ((a, "a", "b"), (b, "b", "a")):
        here, there = _seen(forth, f"{x}_{car.main}"), _seen(back, f"{y}_{car.main}")
        np.testing.assert_allclose(here, there, atol=1e-6 * abs(here).max())
        assert abs(here[2]).max() > 0.1
    closes(forth)


def test_mirrored_prefixed_lumped_and_merged_vehicles():
    car = plane_car(width=0.3)
    left = ts.simulate(against(car, Wall(overlap=0.4), 15, 2))
    right = ts.simulate(against(car.mirrored(), Wall(overlap=0.4, side="right"), 15, 2))
    for n, sign, near in (("p.position.y", -1, 1e-9), ("floor.velocity.x", 1, 1e-8)):
        np.testing.assert_allclose(evenly(left, n), sign * evenly(right, n), rtol=0, atol=near)
    two = Vehicle(
        "two",
        (ts.Body("p", mass=700.0, com=(0.1, 0, 0)), ts.Body("engine", mass=300.0, com=(0.8, 0, 0))),
        (*car.members, Member("mount", "p", to="engine", law=ts.Spring(1e6))),
        points={"floor": ("engine", (-0.3, 0.2, 0.1))},
    )
    one = two.lumped(("p", "engine"))
    assert [m.name for m in one.members] == ["l0", "l1", "l2"]
    assert one.mass == 1000 and one.bodies[0].com == pytest.approx((0.31, 0, 0))
    box = 700 * (4.5**2 + 1.8**2) / 12  # that the main body has where it says none
    zz = box + 700 * 0.21**2 + 300 * 0.49**2
    assert one.bodies[0].inertia[2][2] == pytest.approx(zz)
    stiff = two.with_laws(mount=ts.Spring(1e10))
    a, b = (ts.simulate(against(v, Wall(), 15, 1, t_end=0.05)) for v in (one, stiff))
    assert a["p.position.x"].max() == pytest.approx(b["p.position.x"].max(), rel=1e-4)
    axle = Vehicle("axle", (ts.Body("engine", mass=1.0), ts.Body("axle", mass=100.0)),
                   (Member("shaft", "axle", to="engine", law=ts.Spring(1e5)),))  # fmt: skip
    assert two.merged(axle).mass == 1100
    again = two.prefixed("b_")
    assert again.main == "b_p" and again.points["b_floor"][0] == "b_engine"
    both = Vehicle("both", (*two.bodies, *again.bodies), (*two.members, *again.members))
    assert len(both.members) == 8


def test_a_car_on_its_wheels_stays_level_until_it_hits():
    places = {"fl": (1.3, 0.75), "fr": (1.3, -0.75), "rl": (-1.3, 0.75), "rr": (-1.3, -0.75)}
    wheels = [Wheel(n, (*at, 0.0)) for n, at in places.items()]
    body = ts.Body("p", mass=1000.0, com=(0.2, 0, 0.5), inertia=(400, 1500, 1600, 0, 0, 0))
    car = Vehicle("p", (body,), [Member("l", "p", at=(2, 0, 0.5), law=LAW)], wheels=wheels)
    assert sum(car.wheel_loads()) == pytest.approx(1000 * 9.80665)
    run = ts.simulate(against(car, Wall(), "50 km/h", 3, t_end=0.1))
    assert abs(run["p.position.z"]).max() < 1e-6  # the blow goes through the center of mass
    assert abs(run["p.velocity.x"][-1] + 4.2006392812) < 1e-6
    high = replace(car, members=[replace(car.members[0], at=(2, 0, 0.2))])
    assert ts.simulate(against(high, Wall(), "50 km/h", 3))["p.angular_velocity.y"].max() > 0.1


def test_what_is_wrong_with_a_vehicle_or_a_scene_is_told():
    body = ts.Body("b", mass=1.0)
    RIGHT = Vehicle("v", (body,), (Member("m", "b", at=(0, -0.5, 0), law=LAW),))
    for make, sentence in (
        (lambda: Vehicle("v", ()), "needs at least one body"),
        (lambda: Vehicle("v", (ts.Body("b"),)), "body 'b' has mass 0; use a number above zero"),
        (lambda: Vehicle("v", (body,), (Member("m", "c", law=LAW),)), "no body is named 'c'"),
        (lambda: Vehicle("v", (body,), (Member("m", "b"),)), "member 'm': expected a law such"),
        (lambda: Vehicle("v", (body,), (Member("b", "b", law=LAW),)), "are named 'b'"),
        (lambda: Vehicle("v", (body,), points={"f": "floor"}), "point 'f': no body is named"),
        (lambda: CAR.with_laws(fornt=LAW), "no member is named 'fornt'; did you mean 'front'"),
        (
            lambda: against(RIGHT, Wall(overlap=0.4), 10),
            "front meets 'wall', which covers y",
        ),
        (lambda: against(CAR, Wall("20 deg"), 10), "an oblique wall turns the car"),
        (lambda: against(CAR, Wall(), "10 kg"), "speed: expected a number in m/s"),
        (lambda: against(CAR, 3, 10), "expected a wall such as"),
        (lambda: against(CAR, Wall(), 10, 4), "dimensions=4: expected 1, 2"),
        (lambda: Wall(overlap=1.4), "overlap: expected a part from 0 to 1"),
        (lambda: Wall(side="front"), "expected 'left' or 'right'"),
        (lambda: Wall(friction=-1), "friction: expected zero or more"),
        (lambda: collide(TRUCK, TRUCK, (1, 1)), "neither 'a_truck' nor 'b_truck' has a member"),
        (lambda: collide(CAR, CAR, 3), "speeds: expected two speeds"),
        (lambda: CAR.merged(CAR), "both have a member 'front'"),
    ):
        with pytest.raises(ts.TorseurError, match=sentence):
            make()

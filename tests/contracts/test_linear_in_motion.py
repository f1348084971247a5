"""Linear models about motions: the graph's matrices against closed forms, and against runs."""

import numpy as np
import pytest

import torseur as ts

G, R = 9.81, 0.35


def pendulum():
    """A bob on a massless rod, in Cartesian coordinates: the rod is a constraint."""
    return ts.Model(
        "p",
        bodies=(ts.Body("a"), ts.Body("bob", 1.0)),
        constraints=(ts.Distance("rod", "bob", "world", 1.0),),
        joints=(
            ts.Joint("x", "world", "a", ts.Prismatic("x")),
            ts.Joint("z", "a", "bob", ts.Prismatic("z")),
        ),
    )


def disc(spin):
    """A thin disc in yaw, lean and spin: coordinates in which rolling straight is steady."""
    J = (R * R / 4, R * R / 2, R * R / 4, 0, 0, 0)
    steps = [("px", ts.Prismatic("x")), ("py", ts.Prismatic("y")), ("pz", ts.Prismatic("z"))]
    steps += [("yaw", ts.Revolute("z")), ("lean", ts.Revolute("x")), ("spin", ts.Revolute("y"))]
    names = [n for n, _ in steps]
    joints = [
        ts.Joint(n, parent, f"{n} body", kind)
        for (n, kind), parent in zip(steps, ["world", *(f"{n} body" for n in names)], strict=False)
    ]
    bodies = [ts.Body(f"{n} body") for n in names[:-1]] + [ts.Body("spin body", 1.0, inertia=J)]
    roll = ts.Rolling("contact", "spin body", radius=R)
    model = ts.Model("disc", bodies=bodies, joints=joints, constraints=(roll,))
    return model, {"pz.displacement": R, "spin.rate": spin, "px.speed": R * spin}


@pytest.mark.parametrize("angle", [0.5, -0.4])
@pytest.mark.parametrize("speed", [0.0, 2.0, -3.1])
def test_a_rod_pendulum_in_motion(angle, speed):
    """`ax = -x vx^2 / (1 - x^2) - g x sqrt(1 - x^2)` and its derivatives."""
    x, z = np.sin(angle), -np.cos(angle)
    at = {"x.displacement": x, "z.displacement": z, "x.speed": speed, "z.speed": -speed * x / z}
    found = ts.linearize(pendulum(), at)
    c2 = 1 - x * x
    by_x = -(speed**2) * (1 + x * x) / c2**2 - G * (1 - 2 * x * x) / np.sqrt(c2)
    by_v = -2 * x * speed / c2
    assert found.states == ("d(x.displacement)", "x.speed")
    np.testing.assert_allclose(found.A, [[0, 1], [by_x, by_v]], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.M, [[1 / c2]], rtol=1e-12)
    np.testing.assert_allclose([found.K, found.C], -found.M * [[[by_x]], [[by_v]]], atol=1e-10)


@pytest.mark.parametrize("spin", [0.0, 2.0, 5.0, 12.0])
def test_a_disc_that_rolls_upright(spin):
    """Nonholonomic: lean `l^2 = 4/5 (g/R - 3 spin^2)`, stable from spin^2 = g / 3R on."""
    model, at = disc(spin)
    found = ts.linearize(model, at)
    want = np.sqrt(complex(0.8 * (G / R - 3 * spin**2)))
    values = found.eigenvalues
    for x in (want, -want):
        assert abs(values - x).min() < 1e-6 * max(1, abs(want))
    rest = sorted(abs(values))[:-2]
    assert max(rest) < 1e-4 * max(1, abs(want))  # the others are zero, in chains
    assert len(found.states) == 5 + 3  # five small motions, three speeds


def test_speeds_that_the_constraints_do_not_allow_are_told():
    at = {"x.displacement": 0.6, "z.displacement": -0.8, "x.speed": 2.0, "z.speed": 5.0}
    with pytest.raises(ts.AssemblyError, match=r"x\.speed|z\.speed"):
        ts.linearize(pendulum(), at)


def test_coordinates_are_kept_as_by_runs_or_told():
    """Two bars over a span: the acceleration of a run, by differences of its start."""
    pin, span = ts.Revolute("z"), (0.8, 0, 0)
    rods = [("crank", 0.25), ("coupler", 0.7), ("rocker", 0.5)]
    bodies = [
        ts.Body(n, 2 * s, com=(s / 2, 0.02, 0), inertia=(1, 1, s / 60, 0, 0, 0)) for n, s in rods
    ]
    joints = [
        ts.Joint("A", "world", "crank", pin),
        ts.Joint("B", "crank", "coupler", pin, at=(0.25, 0, 0)),
        ts.Joint("D", "world", "rocker", pin, at=span, damping=0.3),
    ]
    close = ts.Loop("C", "rocker", "coupler", pin, at=(0.5, 0, 0), child_at=(0.7, 0, 0))
    model = ts.Model("m", gravity=(0, -G, 0), bodies=bodies, joints=joints, loops=(close,))
    keep = ("A.angle", "A.rate")

    def at(angle, rate):
        return {"A.angle": angle, "A.rate": rate, "B.angle": -0.6, "D.angle": 1.6}

    def rate(*state):
        return ts.simulate(model, 1e-9, at(*state), keep=keep)["A.acceleration"][0]

    h = 1e-4
    slopes = [
        (rate(1.1 + h, 6.0) - rate(1.1 - h, 6.0)) / (2 * h),
        (rate(1.1, 6.0 + h) - rate(1.1, 6.0 - h)) / (2 * h),
    ]
    found = ts.linearize(model, at(1.1, 6.0), keep=keep)
    np.testing.assert_allclose(found.A[1], slopes, rtol=1e-6)
    for ask in (ts.linearize, ts.modes):
        with pytest.raises(ts.TorseurError, match=r"A\.angle.+ kept"):
            ask(model, at(1.1, 0.0))

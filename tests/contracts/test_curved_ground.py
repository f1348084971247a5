"""Contacts with friction on curved ground: no energy from nowhere, no direction that degenerates.

The result may not depend on the nominal normal, from which only the names of directions come.
"""

import numpy as np
import pytest
import zoo

import torseur as ts

AXES = ("z", (1, 2, 2))
SURFACES = {  # surface, start, speeds: the slope is along an axis at some of these starts
    "ball, from the side": ("sqrt(x**2 + y**2 + z**2) - 0.5", (-1.0, 0, 0), (3.0, 0, 2.0)),
    "bowl": ("1 - sqrt(x**2 + y**2 + z**2)", (0.6, 0, -0.8), (0, 1.5, 0)),
    "waves": ("z - 0.05*sin(6*x)", (0.0, 0.1, 0.05), (1.0, 0.2, 0)),
}


def point(surface, normal):
    joints = [
        ts.Joint(a, b, c, ts.Prismatic(a))
        for a, b, c in (("x", "world", "bx"), ("y", "bx", "by"), ("z", "by", "ball"))
    ]
    bodies = (ts.Body("bx"), ts.Body("by"), ts.Body("ball", 2.0))
    touch = ts.Contact("touch", "ball", surface=surface, friction=0.3, normal=normal)
    return ts.Model("point", bodies=bodies, joints=tuple(joints), constraints=(touch,))


@pytest.mark.parametrize("name", zoo.few(SURFACES, "bowl"))
def test_friction_takes_energy_and_names_of_directions_do_not_matter(name):
    surface, place, speeds = SURFACES[name]
    start = {f"{a}.displacement": x for a, x in zip("xyz", place, strict=True)}
    start |= {f"{a}.speed": x for a, x in zip("xyz", speeds, strict=True)}
    seen = []
    for normal in AXES:
        run = ts.simulate(point(surface, normal), 0.35, start)
        assert run.completed, run.outcome
        energy = run["energy.kinetic"] + run["energy.potential"]
        assert abs(run["energy.residual"]).max() < 1e-6
        assert (np.diff(run["energy.dissipated"]) > -1e-9).all()
        assert (np.diff(energy) < 1e-6).all()
        seen.append([run[f"{a}.displacement"][-1] for a in "xyz"])
    np.testing.assert_allclose(seen, seen[:1] * len(AXES), atol=2e-6)
    assert run["energy.dissipated"][-1] > 0


def test_the_directions_are_orthonormal_whatever_the_normal():
    from torseur.scalars import Floats

    system = point("x**2 + y**2 + z**2 - 1", (1, 2, 2)).check()
    slip, K = next(e for e in system.switched if e.friction), Floats()
    m = np.array([1, 2, 2]) / 3
    rng = np.random.default_rng(1)
    near = [m, -m, -m + 1e-9 * np.array([2, -1, 0]), -m + 1e-160 * np.array([2, -1, 0])]
    for n in (*np.eye(3), *-np.eye(3), *near, *rng.normal(size=(20, 3))):
        n = n / np.linalg.norm(n)
        sides = [K.numbers(d) for d in slip.sides]
        t = np.array([n, *slip.tangents(K, n, sides)], dtype=float)
        np.testing.assert_allclose(t @ t.T, np.eye(3), atol=3e-15)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_pole_in_the_way(restitution):
    body = ts.Body("b", 10.0, inertia=(1, 1, 1, 0, 0, 0))
    touch = ts.Contact(
        "w",
        "b",
        ground=("world", (0.5, 0, 0)),
        surface="sqrt(x**2+y**2)-0.127",
        friction=0.3,
        restitution=restitution,
    )
    joints = (ts.Joint("j", "world", "b", ts.Planar("z")),)
    pole = ts.Model("p", gravity=(0, 0, 0), bodies=(body,), joints=joints, constraints=(touch,))
    run = ts.simulate(pole, 0.6, {"j.speed_x": 1.0})  # its slope is along x from the start
    assert run.completed and [e.name for e in run.events] == ["w: lands"]
    np.testing.assert_allclose(run.events[0].time, 0.373, rtol=1e-12)
    np.testing.assert_allclose(run["j.speed_x"][-1], -restitution, atol=1e-12)
    np.testing.assert_allclose(run["energy.dissipated"][-1], 5 * (1 - restitution**2), rtol=1e-12)
    off = ts.simulate(pole, 0.6, {"j.speed_x": 1.0, "j.y": 0.01})  # inside the cone: it sticks
    turn = np.arcsin(0.01 / 0.127)
    slip = np.hypot(off["j.speed_x"][-1], off["j.speed_y"][-1])
    np.testing.assert_allclose(slip, restitution * np.cos(turn), atol=1e-9)

"""O-C1 to O-C4: the constrained examples of document 001, with the replacement numbers."""

import numpy as np
import pytest

from torseur.constraints import Driven, Holonomic, Pfaffian
from torseur.joints import Prismatic, Revolute
from torseur.model import Body, Joint, Loop, Model
from torseur.solve.constraint_system import SOLUTIONS, State, constrained_system

G = 9.81


def point(mass, name="bob"):
    return Body(name, mass=mass)


def plane_point(mass, gravity, constraints, spin=None) -> Model:
    """A point with Cartesian coordinates x, y; with `spin`, also a body that turns there."""
    bodies = [Body("carriage"), point(mass)]
    joints = [
        Joint("x", "world", "carriage", Prismatic("x")),
        Joint("y", "carriage", "bob", Prismatic("y")),
    ]
    if spin:
        bodies = [Body("carriage"), Body("saddle"), point(mass)]
        joints = [
            joints[0],
            Joint("y", "carriage", "saddle", Prismatic("y")),
            Joint("turn", "saddle", "bob", Revolute("z"), armature=spin),
        ]
    return Model(
        "point",
        gravity=gravity,
        bodies=tuple(bodies),
        joints=tuple(joints),
        constraints=constraints,
    )


def test_C1_pendulum_in_cartesian_coordinates():
    L, start = 1.5, np.radians(40)
    model = plane_point(
        2.0, (0, -G, 0), (Holonomic("rod", "x.displacement**2 + y.displacement**2 - 2.25"),)
    )
    c = constrained_system(model)
    state = State(np.array([L * np.sin(start), -L * np.cos(start)]), np.zeros(2))
    q, _, lam = c.run(state, np.arange(5) * 0.5, substeps=250)
    want = {
        1: (0.3405114630, -1.4608394654, -9.0879188910),
        2: (-0.7876611328, -1.2765539314, -6.6774641070),
        4: (0.2571564268, -1.4777924659, -9.3096641374),
    }
    for i, (x, y, force) in want.items():
        np.testing.assert_allclose([*q[i], lam[i, 0]], [x, y, force], rtol=2e-10)
    assert abs((q**2).sum(axis=1) - L**2).max() < 1e-15 * 4


def test_C2_rheonomic_bead():
    bodies = (Body("rod", mass=1.0, inertia=(1, 1, 1, 0, 0, 0)), Body("bead", mass=0.4))
    joints = (
        Joint("spin", "world", "rod", Revolute("z")),
        Joint("slide", "rod", "bead", Prismatic("x")),
    )
    model = Model(
        "bead",
        gravity=(0, 0, -G),
        bodies=bodies,
        joints=joints,
        constraints=(Driven("motor", "spin.angle", "3*t"),),
    )
    c = constrained_system(model)
    state = c.assemble({"slide.displacement": 0.2, "slide.speed": 0.0, "spin.rate": 3.0})
    q, v, lam = c.run(state, np.array([0.0, 0.5, 1.0]), substeps=400)
    np.testing.assert_allclose(
        [q[1, 1], v[1, 1], lam[1, 0]], [0.4704819230, 1.2775676731, 1.4425739895], rtol=3e-10
    )
    np.testing.assert_allclose([q[2, 1], lam[2, 0]], [2.0135323992, 29.0466946613], rtol=3e-10)
    np.testing.assert_allclose(q[:, 0], [0, 1.5, 3], atol=1e-15)


def test_C3_knife_edge_on_a_slope():
    tilt, m = np.radians(20), 1.2
    blade = Pfaffian("blade", "x.speed*sin(turn.angle) - y.speed*cos(turn.angle)")
    model = plane_point(m, (G * np.sin(tilt), 0, -G * np.cos(tilt)), (blade,), 0.3)
    c = constrained_system(model)
    q, v, lam = c.run(State(np.zeros(3), np.array([0, 0, 2.0])), np.arange(5) * 0.5, substeps=200)
    want = {
        1: (0.2969675499, 0.2287215298, -6.7759638316),
        2: (0.3467708869, 0.9975067175, -7.3221377654),
        4: (0.2402126176, 1.4701392900, 6.0941689357),
    }
    for i, row in want.items():
        np.testing.assert_allclose([*q[i, :2], lam[i, 0]], row, rtol=3e-9)
    np.testing.assert_allclose(lam[:, 0], -2 * m * G * np.sin(tilt) * np.sin(q[:, 2]), atol=1e-12)
    np.testing.assert_allclose(v[:, 2], 2, rtol=1e-15)


def four_bar() -> Model:
    def rod(name, L):
        m = 2 * L
        J = m * L**2 / 12
        return Body(name, mass=m, com=(L / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))

    return Model(
        "four bar",
        gravity=(0, -G, 0),
        bodies=(rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
        joints=(
            Joint("A", "world", "crank", Revolute("z")),
            Joint("B", "crank", "coupler", Revolute("z"), at=(0.3, 0, 0)),
            Joint("D", "world", "rocker", Revolute("z"), at=(0.9, 0, 0)),
        ),
        loops=(
            Loop("C", "rocker", "coupler", Revolute("z"), at=(0.6, 0, 0), child_at=(0.8, 0, 0)),
        ),
    )


def four_bar_start(c) -> State:
    return c.assemble(
        {"A.angle": np.pi / 3, "A.rate": 2, "B.angle": -0.6, "D.angle": 1.6},
        keep=("A.angle", "A.rate"),
    )


def absolute(x):
    """Crank, coupler and rocker, absolute, from A, D and relative B."""
    return np.array([x[0], x[0] + x[2], x[1]])


def test_C4_four_bar_start():
    c = constrained_system(four_bar())
    q, v = four_bar_start(c)
    np.testing.assert_allclose(np.degrees(absolute(q)), [60, 25.12239482, 92.45278495], atol=5e-9)
    for solution in SOLUTIONS:
        a, lam = c.acceleration(q, v, solution=solution)
        np.testing.assert_allclose(absolute(a), [-14.63295133, 4.33011776, -2.64144263], atol=1e-8)
        F = c.loop_reaction("C", q, lam)  # of the rocker on the coupler, its axes
        turned = absolute(q)[1]
        R = np.array([[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]])
        np.testing.assert_allclose(R @ F[3:5], [-1.12535412, 5.57244789], atol=2e-8)
        assert abs(F[[0, 1, 2, 5]]).max() < 1e-12


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_C4_four_bar_motion_by_four_solutions(solution):
    c = constrained_system(four_bar())
    times = np.array([0.0, 0.25, 0.5])
    q, v, lam = c.run(four_bar_start(c), times, solution=solution, substeps=200)
    np.testing.assert_allclose([q[-1, 0], v[-1, 0]], [1.2601263962, -0.4865991331], atol=3e-10)
    F, turned = c.loop_reaction("C", q[-1], lam[-1]), absolute(q[-1])[1]
    cos, sin = np.cos(turned), np.sin(turned)
    world = [cos * F[3] - sin * F[4], sin * F[3] + cos * F[4]]
    np.testing.assert_allclose(world, [-1.86076859, 6.66218511], atol=2e-8)
    assert abs(c.position(q[-1])[0]).max() < 1e-15 * 8

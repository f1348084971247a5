"""Equilibrium: downhill to stable poses, any pose on request, against potentials by hand."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.errors import IntegrationError
from torseur.forces import Effort, Expression, JointForce, Spring, Table
from torseur.scalars import Floats
from torseur.solve.equilibrium_search import check_unsupported_bodies

G = 9.81


def pendulum(*forces, **model):
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    return ts.Model(
        "pendulum",
        bodies=(rod,),
        forces=forces,
        joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),),
        **model,
    )


def held_arm():
    """Two rods and a spring from the tip to a point of the world one meter aside."""
    bodies = (
        ts.Body("upper", mass=2.0, com=(0, 0, -0.25), inertia=(0.05, 0.05, 0.001, 0, 0, 0)),
        ts.Body("lower", mass=1.0, com=(0, 0, -0.20), inertia=(0.02, 0.02, 0.001, 0, 0, 0)),
    )
    joints = (
        ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
        ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.5)),
    )
    spring = ts.PointForce(
        "spring", ("lower", (0, 0, -0.4)), ("world", (1, 0, 0)), Spring(200.0, free_length=0.3)
    )
    return ts.Model("double pendulum", bodies=bodies, joints=joints, forces=(spring,))


def potential(x):
    """The same by hand: angles about y turn -z towards -x."""
    a, b = x[0], x[0] + x[1]
    d = np.array([-np.sin(a), -np.cos(a)]), np.array([-np.sin(b), -np.cos(b)])
    heights = 2 * 0.25 * d[0][1] + 0.5 * d[0][1] + 0.2 * d[1][1]
    tip = 0.5 * d[0] + 0.4 * d[1]
    return G * heights + 100 * (np.hypot(tip[0] - 1, tip[1]) - 0.3) ** 2


@pytest.mark.parametrize(
    "near",
    [
        {"elbow.angle": 0.1},
        {},
        {"shoulder.angle": 2.0},
        {"shoulder.angle": 3.1, "elbow.angle": 3.0},
    ],
)
def test_a_stable_pose_is_a_minimum_of_the_potential(near):
    from scipy.optimize import minimize

    found = ts.equilibrium(held_arm(), near=near)
    assert found.stable and found.negative == 0 and found.residual < 1e-10
    x = [found["shoulder.angle"], found["elbow.angle"]]
    best = minimize(potential, x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    np.testing.assert_allclose(x, best.x, atol=1e-6)
    start = [near.get(n, 0.0) for n in ("shoulder.angle", "elbow.angle")]
    assert potential(x) < potential(start)  # downhill from the guess
    still = ts.simulate(held_arm(), 1.0, found)
    assert abs(still["elbow.angle"] - found["elbow.angle"]).max() < 1e-8  # rtol of the run


def test_the_nearest_pose_of_any_kind_says_what_it_is():
    crest = ts.equilibrium(held_arm(), near={"shoulder.angle": 1.6}, stable=False)
    assert not crest.stable and crest.negative == 2
    assert "unstable: 2 directions downhill" in str(crest)
    saddle = ts.equilibrium(
        held_arm(), near={"shoulder.angle": 3.1, "elbow.angle": 3.0}, stable=False
    )
    assert saddle.negative == 1 and "unstable: 1 direction downhill" in str(saddle)
    h = 1e-4  # by differences of the potential
    for found, negative in ((crest, 2), (saddle, 1)):
        x = np.array([found["shoulder.angle"], found["elbow.angle"]])
        H = np.array(
            [
                [
                    sum(
                        s * u * potential(x + h * (s * e + u * f)) for s in (1, -1) for u in (1, -1)
                    )
                    / (4 * h * h)
                    for f in np.eye(2)
                ]
                for e in np.eye(2)
            ]
        )
        assert (np.linalg.eigvalsh(H) < 0).sum() == negative


@pytest.mark.parametrize("angle", [np.pi, 3.0, 1.0, -3.1])
def test_a_pendulum_hangs_wherever_it_starts_even_from_its_crest(angle):
    found = ts.equilibrium(pendulum(), near={"pivot.angle": angle})
    assert abs(np.sin(found["pivot.angle"])) < 1e-12 and np.cos(found["pivot.angle"]) > 0
    assert str(found).endswith("stable; largest acceleration left 0") or found.residual < 1e-10


def test_forces_without_a_potential_are_followed_too():
    """A constant couple holds the rod at asin(T / (m g l)); a table and an input likewise."""
    found = ts.equilibrium(
        pendulum(JointForce("motor", "pivot", Effort(5.0))), near={"pivot.angle": 2.0}
    )
    assert found["pivot.angle"] == pytest.approx(np.arcsin(5 / G), abs=1e-12) and found.stable
    found = ts.equilibrium(
        pendulum(JointForce("motor", "pivot", Effort(input="u")), inputs=(ts.Input("u"),)),
        inputs={"u": -5.0},
    )
    assert found["pivot.angle"] == pytest.approx(-np.arcsin(5 / G), abs=1e-12)
    curve = Table(((-1.0, -60.0), (-0.1, -1.0), (0.1, 1.0), (1.0, 60.0)))
    push = pendulum(JointForce("k", "pivot", curve), JointForce("motor", "pivot", Effort(20.0)))
    x = ts.equilibrium(push)["pivot.angle"]
    assert G * np.sin(x) + np.interp(x, *zip(*curve.points, strict=True)) == pytest.approx(20.0)


@pytest.mark.parametrize("near", [0.3, -0.7, 5.0])
def test_steps_are_cut_where_the_forces_would_do_no_work(near):
    """A force that saturates: bare Newton steps leap to and fro over the bottom for ever."""
    law = Expression("1000*x/sqrt(1 + 2500*x**2)")
    slide = ts.Model(
        bodies=(ts.Body("b", mass=1.0),),
        gravity=(0, 0, 0),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(JointForce("f", "x", law),),
    )
    found = ts.equilibrium(slide, near={"x.displacement": near})
    assert abs(found["x.displacement"]) < 1e-12 and found.stable and found.iterations < 60


def test_parameters_reach_masses_and_forces():
    model = ts.Model(
        bodies=(ts.Body("b", mass="m"),),
        parameters={"m": 1.0, "k": 10.0},
        joints=(ts.Joint("z", "world", "b", ts.Prismatic("z")),),
        forces=(JointForce("s", "z", Spring("k")),),
    )
    found = ts.equilibrium(model, parameters={"m": 3.0})
    assert found["z.displacement"] == pytest.approx(-3 * G / 10)
    assert ts.modes(model, at=found, parameters={"m": 4.0}).omega[0] ** 2 == pytest.approx(10 / 4)


def test_directions_without_stiffness_are_counted():
    bodies = tuple(ts.Body(n, mass=1.0, inertia=(1, 1, 1, 0, 0, 0)) for n in "abc")
    table = ts.Model(
        bodies=bodies,
        forces=(JointForce("s", "x", Spring(5.0)),),
        joints=(
            ts.Joint("x", "world", "a", ts.Prismatic("x")),
            ts.Joint("y", "a", "b", ts.Prismatic("y")),
            ts.Joint("turn", "b", "c", ts.Revolute("z")),
        ),
    )
    found = ts.equilibrium(table, near={"x.displacement": 0.7, "y.displacement": 0.3})
    assert found.stable and found.indifferent == 2 and abs(found["x.displacement"]) < 1e-12
    assert found["y.displacement"] == 0.3  # nothing asks it to move
    assert "indifferent along 2 directions" in str(found)


def test_what_falls_for_ever_is_told():
    ball = ts.Model(
        "ball",
        bodies=(ts.Body("b", mass=1.0),),
        joints=(ts.Joint("z", "world", "b", ts.Prismatic("z")),),
    )
    with pytest.raises(IntegrationError, match=r"no equilibrium of 'ball'.* 9\.81 is left at z\."):
        ts.equilibrium(ball)


def test_loops_hang_down():
    def rod(name, L):
        J = 2 * L**3 / 12
        return ts.Body(name, mass=2 * L, com=(L / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))

    pin = ts.Revolute("z")
    four_bar = ts.Model(
        "four-bar",
        gravity=(0, -G, 0),
        bodies=(rod("a", 0.3), rod("b", 0.8), rod("c", 0.6)),
        joints=(
            ts.Joint("A", "world", "a", pin),
            ts.Joint("B", "a", "b", pin, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "c", pin, at=(0.9, 0, 0)),
        ),
        loops=(ts.Loop("C", "c", "b", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),),
    )
    for crank in (1.0, 2.5, -0.5):
        near = {"A.angle": crank, "B.angle": -0.6, "D.angle": 1.6}
        found = ts.equilibrium(four_bar, near=near)
        assert found.stable and found.residual < 1e-9
        assert (
            abs(
                ts.compile(four_bar).constraint_residual(
                    [found[n] for n in four_bar.check().coordinates]
                )
            ).max()
            < 1e-13
        )

        def energy(angle, found=found):
            q, v = ts.assemble(four_bar, dict(found.items()) | {"A.angle": angle}, ("A.angle",))
            return ts.compile(four_bar).energy(q, v)[1]

        low, here, high = (energy(found["A.angle"] + d) for d in (-0.05, 0.0, 0.05))
        assert here < low and here < high


ON_KNOTS = {
    "knot": (ts.Table(((-1, -10), (0, 0), (1, 50))), 0.0, (10.0, 50.0)),
    "high stop": (ts.Limits(-0.1, 0.1, stiffness=100.0), 0.1, (0.0, 100.0)),
    "rigid": (ts.Limits(-0.1, 0.1, restitution=0.5), 0.1, None),
    "gap": (ts.Crush(((0, 0), (1, 1e3)), 1e4, gap=0.05), 0.05, (0.0, 1e3)),
}


@pytest.mark.parametrize("what", ON_KNOTS)
def test_no_linear_model_on_a_knot_whose_sides_differ(what):
    law, x, sides = ON_KNOTS[what]
    model = ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law),),
    )
    for ask in (ts.linearize, ts.modes):
        with pytest.raises(ts.TorseurError, match=r"'block' stands on a knot of 'f'.*give at="):
            ask(model, at={"x.displacement": x})
    for side, k in zip((-1e-6, 1e-6), sides or (), strict=False):
        A = ts.linearize(model, at={"x.displacement": x + side}).A
        assert A[1, 0] == pytest.approx(-k, abs=1e-9)


def test_a_knot_between_equal_slopes_has_a_linear_model():
    even = ts.Table(((-1, -10), (0, 0), (1, 10)))
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", even),),
    )
    assert ts.modes(model).omega == pytest.approx([np.sqrt(10)])


def test_modes_of_a_pose_that_is_no_rest_say_so():
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    model = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    assert ts.modes(model).note == ""
    off = ts.modes(model, at={"pivot.angle": 0.5})
    assert off.note.startswith("no equilibrium: pivot.rate changes by -4.703 a second")
    assert off.note in str(off) and off.note in off._repr_html_()


def test_bodies_that_nothing_holds_are_told_at_once():
    names = ("a", "b")
    bodies = [ts.Body(n, 2.0, inertia=(0.1, 0.1, 0.1)) for n in names]
    joints = [ts.Joint(n, "world", n, ts.Free(), at=(i, 0, 0)) for i, n in enumerate(names)]
    between = ts.PointForce("s", "a", "b", ts.Spring(50.0, free_length=1.0))
    held = ts.PointForce("h", "b", "world", ts.Spring(50.0))
    along = [replace(j, damping=0.1) for j in joints]  # speeds of a free body are the world's
    text = "from 'a', 'b' to the world, and nothing holds their 39.24 N of weight; hold"
    with pytest.raises(ts.IntegrationError, match=text):
        ts.equilibrium(ts.Model(bodies=bodies, joints=joints, forces=[between]))
    for more in ({"forces": [between, held]}, {"joints": along}, {"gravity": (0, 0, 0)}):
        parts = {"bodies": bodies, "joints": joints, "forces": [between]} | more
        check_unsupported_bodies(ts.Model(**parts).check(), Floats())

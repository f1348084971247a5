"""Energy and reactions of kernels count the force elements, as the signals of a run do."""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW, Seen
from torseur.scalars import Floats

ROD = {"mass": 2.0, "com": (0, 0, -0.3), "inertia": (0.1, 0.1, 0.02, 0, 0, 0)}


def arm(*forces):
    joints = (
        ts.Joint("a", "world", "upper", ts.Revolute("y"), damping=0.2),
        ts.Joint("b", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.6)),
    )
    bodies = (ts.Body("upper", **ROD), ts.Body("lower", **ROD))
    return ts.Model("arm", bodies=bodies, joints=joints, forces=forces)


LINES = {
    "points": ts.PointForce("f", ("lower", (0, 0, -0.5)), "world", ts.Spring(200.0, 0.3)),
    "joint": ts.JointForce("f", "b", ts.Spring(30.0, 0.2)),
    "table": ts.JointForce("f", "b", ts.Table(((-3, -20), (0, 0), (3, 40)))),
    "crush": ts.PointForce("f", "lower", "world", ts.Crush(((0, 0), (1, 500)), 1e4, gap=0.1)),
    "bushing": ts.Bushing("f", "upper", "lower", (5, 5, 5, 50, 50, 50), (0,) * 6),
    "wrench": ts.Wrench("f", "lower", (0, 1.0, 0, 3.0, 0, 2.0)),
}


@pytest.mark.parametrize("line", LINES)
def test_kernels_say_what_a_run_says_at_its_start(line):
    model = arm(LINES[line])
    start = {"a.angle": 0.4, "b.angle": -0.7, "a.rate": 1.2, "b.rate": 0.3}
    run, dyn = ts.simulate(model, 0.01, start, output=[0.0, 0.01]), ts.compile(model)
    q, v = dyn.system.state(start)
    a = np.array([run["a.acceleration"][0], run["b.acceleration"][0]])
    for _ in range(2):  # also once a short way could have been taken
        dyn.energy(q, v, forces=False), dyn.reactions(q, v, a, forces=False)
        T, U = dyn.energy(q, v)
        np.testing.assert_allclose(
            [T, U], [run[f"energy.{n}"][0] for n in ("kinetic", "potential")]
        )
        found = dyn.reactions(q, v, a)
        for joint, F in zip("ab", found, strict=True):
            parts = [f"{joint}.reaction.{kind}.{c}" for kind in ("moment", "force") for c in "xyz"]
            np.testing.assert_allclose(F, [run[n][0] for n in parts], atol=1e-9)
    many = dyn.reactions(np.tile(q, (3, 2, 1)), v, a)
    assert many.shape == (3, 2, 2, 6)
    np.testing.assert_allclose(many[2, 1], found, atol=1e-12)


def test_constraints_are_not_left_out_in_silence():
    bob = ts.Body("bob", 1.0, inertia=(1, 1, 1, 0, 0, 0))
    joint = ts.Joint("fly", "world", "bob", ts.Planar("z"))
    rod = ts.Distance("rod", "bob", "world", 2)
    dyn = ts.compile(ts.Model("p", bodies=(bob,), joints=(joint,), constraints=(rod,)))
    with pytest.raises(ts.KernelError, match=r"constraints \(rod\).*run\['fly.reaction.force.x'\]"):
        dyn.reactions(np.zeros(3), np.zeros(3), np.zeros(3))


STEP = ts.Table(((-1, -10), (0, "low"), (0, "high"), (1, 10)))
SLIDERS = [*EVERY_LAW, ts.Table(((-1, -10), (0, -10), (0, 10), (1, 10))), STEP]


def sliders():
    """A block of its own for every registered law, and for tables with steps."""
    inputs = {n for law in SLIDERS for n in law.inputs}
    return ts.Model(
        "sliders",
        gravity=(0, 0, 0),
        bodies=tuple(ts.Body(f"b{i}", "m") for i in range(len(SLIDERS))),
        joints=tuple(
            ts.Joint(f"x{i}", "world", f"b{i}", ts.Prismatic("x")) for i in range(len(SLIDERS))
        ),
        forces=tuple(ts.JointForce(f"f{i}", f"x{i}", law) for i, law in enumerate(SLIDERS)),
        inputs=tuple(map(ts.Input, sorted(inputs))),
        parameters={"m": 2.0, "low": -4.0, "high": 6.0, "k": 100.0, "L": 0.3, "k2": "2*k"},
    ).check()


def test_efforts_count_every_law_at_the_parameters_that_are_given():
    """Each alone over floats; a table with a step by the line through its points."""
    system = sliders()
    dyn, named = ts.compile(system, parameters=("m", "low", "high")), (3.0, -7.0, 9.0)
    K = Floats({**system.parameters, "low": -7.0, "high": 9.0})
    for x, rate in ((0.13, 0.4), (-0.17, -0.3)):
        T = []
        for law in SLIDERS[:-2]:
            s = Seen(x, rate, u=(0.0,) * (len(law.inputs) + len(law.signals)))
            z, m = law.start(K, s)
            T.append(float(law.force(K, s._replace(z=z, m=m))))
        T += [10 * np.sign(x), 9 + x if x > 0 else -7 + 3 * x]
        q, v, a = (np.full(system.nv, y) for y in (x, rate, 0.5))
        tau = dyn.inverse_dynamics(q, v, a, forces=True, p=named)
        np.testing.assert_allclose(tau, 1.5 + np.array(T), rtol=1e-12, atol=1e-12)
        both = dyn.inverse_dynamics(q, v, a, forces=True, p=np.array([named, (2.0, -4.0, 6.0)]))
        np.testing.assert_allclose(both[0], tau, rtol=1e-12)
        np.testing.assert_allclose(both[1], dyn.inverse_dynamics(q, v, a, forces=True), rtol=1e-12)
    with pytest.raises(ts.KernelError, match=r"on the vertical step 'f\d+\.step', .* up to 10 N"):
        dyn.applied(0.0, np.zeros(system.nq), np.ones(system.nv))

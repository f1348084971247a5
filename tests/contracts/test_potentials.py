"""Potentials of several coordinates and of time: forces, books and equations from one text."""

import numpy as np
import pytest
from zoo import close

import torseur as ts
from torseur.scalars import derivative, nominal, parse

TEXTS = [
    "3*a*x**2 + sin(2*x) - cos(x/3)",
    "exp(-x)*tanh(x)/(1 + x**2) - (2 - x)/x",
    "sqrt(1 + x**2) + atan2(x, 2) + asin(x/3) - acos(x/4) + log(2 + x)",
    "max(x, a)*min(x, 2) + abs(x - 1) + sign(x)",
    "tan(x)*atan(x) + x**-2 - pi*x",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("x", [0.37, 1.3])
def test_derivatives_of_texts(text, x):
    def f(x):
        return nominal(parse(text), {"a": 0.9, "x": x})

    h = 1e-5
    want = (f(x + h) - f(x - h)) / (2 * h)
    assert nominal(derivative(parse(text), "x"), {"a": 0.9, "x": x}) == pytest.approx(want, 1e-7)


def double(**more):
    rod = {"mass": 1.0, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.1, 0, 0, 0)}
    joints = (
        ts.Joint("A", "world", "a", ts.Revolute("y")),
        ts.Joint("B", "a", "b", ts.Revolute("y"), at=(0, 0, -1)),
    )
    return ts.Model("m", bodies=(ts.Body("a", **rod), ts.Body("b", **rod)), joints=joints, **more)


BOTH = {"a": "A.angle", "b": "B.angle"}


def test_a_potential_is_the_spring_that_it_writes():
    spring = ts.CoordinateForce("p", {"A.angle": 1, "B.angle": -2}, ts.Spring(30.0))
    written = ts.Potential("p", "30*(a - 2*b)**2/2", BOTH)
    runs = [
        ts.simulate(double(forces=(f,)), 0.5, {"A.angle": 0.5}, rtol=1e-10)
        for f in (spring, written)
    ]
    for name in ("A.angle", "B.rate", "p.energy.stored", "energy.potential"):
        close(runs[1][name], runs[0][name], 1, scale=1e7)
    assert abs(runs[1]["energy.dissipated"]).max() == 0


def test_time_in_it_is_supplied_and_files_and_equations_have_it(tmp_path):
    text = "k*(a - b)**2/2*(1 + sin(3*t)/2) + 2*cos(a)*b"
    model = double(forces=(ts.Potential("p", text, BOTH),), parameters={"k": 30.0})
    run = ts.simulate(model, 1.0, {"A.angle": 0.5}, rtol=1e-10)
    assert run.completed and abs(run["energy.residual"]).max() < 1e-8
    t, a, b = run.time, run["A.angle"], run["B.angle"]
    power = 30 * (a - b) ** 2 / 2 * np.cos(3 * t) * 1.5
    work = np.concatenate([[0], np.cumsum(np.diff(t) * (power[1:] + power[:-1]) / 2)])
    np.testing.assert_allclose(run["energy.supplied"], work, atol=1e-4 * abs(work).max())
    model.save(tmp_path / "m.yaml")
    close(
        ts.compile(ts.load(tmp_path / "m.yaml")).applied(0.3, [0.2, 0.1], [0.0, 0.0]),
        ts.compile(model).applied(0.3, [0.2, 0.1], [0.0, 0.0]),
        0,
    )
    q, v, acc = [0.4, -0.3], [0.5, 0.2], [1.0, -2.0]
    eq = ts.equations(model, forces=True)
    dyn = ts.compile(model)
    want = dyn.inverse_dynamics(q, v, acc) - dyn.applied(0.7, q, v)
    close(eq.evaluate(q, v, acc, {"t": 0.7, "k": 30.0}), want, 100)


def test_what_is_wrong_with_one_is_told_at_once():
    wrong = ts.Potential("p", "k*(a - b)**2 + c", {"a": "A.angle", "b": "B.angl", "z": "A.angle"})
    with pytest.raises(ts.ModelError) as told:
        double(forces=(wrong,), parameters={"k": 3.0}).check()
    assert len(told.value.problems) == 3
    assert all(
        x in str(told.value) for x in ("'z' does not occur", "'c'", "did you mean 'B.angle'")
    )


def test_a_potential_on_the_motor_of_a_drive_is_the_spring_there():
    """Parts of drives are coordinates like others, for every line that names coordinates."""
    drive = ts.Drive(ratio=1.0, stages=(ts.DriveStage("motor", inertia=0.1, stiffness=50.0),))
    joint = ts.Joint("x", "world", "b", ts.Revolute("y"), drive=drive)
    body = ts.Body("b", 1.0, (0, 0, -0.2), (0.1, 0.1, 0.1, 0, 0, 0))
    system = ts.Model(bodies=(body,), joints=(joint,)).check()
    (name,) = (n for n in system.coordinates if n != "x.angle")
    ends = [
        ts.simulate(ts.Model(bodies=(body,), joints=(joint,), forces=(f,)), 0.5, {"x.angle": 0.3})
        for f in (
            ts.Potential("p", "15*a**2", {"a": name}),
            ts.CoordinateForce("p", {name: 1.0}, ts.Spring(30.0)),
        )
    ]
    assert abs(ends[0]["x.angle"][-1] - ends[1]["x.angle"][-1]) < 1e-9

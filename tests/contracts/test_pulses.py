"""No pulse of a formula of time is passed over, wherever the formula stands.

Before it the rates are still, and the steps of an adaptive method as long as the run.
"""

import numpy as np
import pytest

import torseur as ts

BUMP = "exp(-((t - 1.13)/w)**2)"
NARROW = BUMP.replace("w", "0.02")
BLOCK = {
    "gravity": (0, 0, 0),
    "bodies": (ts.Body("b", 1.0),),
    "joints": (ts.Joint("x", "world", "b", ts.Prismatic("x")),),
}


def block(law, **more):
    return ts.Model(**BLOCK | {"forces": (ts.JointForce("f", "x", law),)} | more)


def on_rail(at):
    """A block on a spring, on a rail that time moves."""
    rail = ts.Joint("x", "world", "b", ts.Prismatic("x"), at=(at, 0, 0))
    return block(ts.Spring(50.0), joints=(rail,))


PLACES = {
    "a force": block(ts.Expression(f"100*{NARROW}")),
    "beside another": block(ts.Parallel(ts.Viscous(0.1), ts.Expression(f"100*{NARROW}"))),
    "times the speed": block(ts.Expression(f"1 + 100*rate*{NARROW}")),
    "a wrench": ts.Model(
        **BLOCK,
        forces=(ts.Wrench("f", "b", (0, 0, 0, 1, 0, 0), law=ts.Expression(f"100*{NARROW}")),),
    ),
    "an energy": ts.Model(
        **BLOCK, forces=(ts.Potential("f", f"-100*x*{NARROW}", {"x": "x.displacement"}),)
    ),
    "a placement": on_rail(f"0.1*{NARROW}"),
    "beside a stop": block(
        ts.Parallel(ts.Expression(f"100*{NARROW}"), ts.Limits(-1.0, 1.0, stiffness=1e3))
    ),
    "on and off": block(ts.Expression("100*(tanh((t - 1.1)/0.003) - tanh((t - 1.14)/0.003))")),
}  # fmt: skip


def last(run):
    return np.array([run["x.displacement"][-1], run["x.speed"][-1]])


@pytest.mark.parametrize("place", PLACES)
def test_no_pulse_is_passed_over(place):
    model = PLACES[place]
    right = last(ts.simulate(model, 2.0, method="dop853", max_step=0.002, rtol=1e-10))
    assert abs(right[0]) > 1e-3
    for method in ("dopri5", "dop853", "rodas5p"):
        assert last(ts.simulate(model, 2.0, method=method)) == pytest.approx(right, rel=1e-6)
    many = ts.batch(model, 2.0, {"x.displacement": [0.0, 1e-9]}, method="dopri5")
    assert many["x.speed"][:, -1] == pytest.approx(right[1], rel=1e-5)


def test_a_pulse_of_an_input_and_of_parameters():
    pushed = block(ts.Effort(input="u"), inputs=(ts.Input("u", unit="N"),))
    run = ts.simulate(pushed, 2.0, inputs={"u": NARROW}, method="dopri5")
    assert run["x.speed"][-1] == pytest.approx(0.02 * np.sqrt(np.pi), rel=1e-6)
    model = block(ts.Expression(f"-{BUMP}"), parameters={"w": 0.5})
    for w in (0.3, 0.01):  # the second is another question, to the same system
        run = ts.simulate(model, 2.0, parameters={"w": w}, method="dopri5")
        right = ts.simulate(model, 2.0, parameters={"w": w}, max_step=0.002)["x.speed"][-1]
        assert run["x.speed"][-1] == pytest.approx(right, rel=1e-6)


def test_a_driven_joint_follows_a_pulse():
    arm = ts.Body("c", 1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0), arm),
        joints=(
            ts.Joint("x", "world", "b", ts.Prismatic("x")),
            ts.Joint("y", "b", "c", ts.Revolute("y")),
        ),
        constraints=(ts.Driven("d", "x.displacement", f"0.3*{NARROW}"),),
    )
    start = {"y.angle": 0.4}
    right = ts.simulate(model, 2.0, start, max_step=0.002)["y.angle"][-1]
    for method in ("dopri5", "dop853"):
        run = ts.simulate(model, 2.0, start, method=method)
        assert abs(run["x.displacement"]).max() > 0.299
        assert run["y.angle"][-1] == pytest.approx(right, abs=1e-6)


def test_what_is_slow_costs_no_steps():
    """Waves, ramps and what decays from the start are seen by the error estimate."""
    for text in ("sin(3*t)", "t**2", "exp(-50*t)", "3"):
        run = ts.simulate(block(ts.Expression(text)), 2.0, method="dop853")
        free = ts.simulate(block(ts.Expression(text)), 2.0, method="dop853", max_step=2.0)
        assert run.statistics["steps"] <= free.statistics["steps"] + 4

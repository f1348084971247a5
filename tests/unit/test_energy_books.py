"""Books of energy are followed as closely as the motion, however few rows are asked for."""

import math
from dataclasses import replace

import pytest

import torseur as ts


def driven_arm():
    """Every joint driven: the motion itself is known, and only the books are integrated."""
    rows = [(0, 0, 0, 0.34), ("-pi/2", 0.3, 0, 0), (0, 0.3, 0, 0)]
    bodies = [
        ts.Body(f"b{i}", 5.0 - i, (0.1, -0.03, 0.1), (0.1, 0.09, 0.02, 0, 0, 0)) for i in range(3)
    ]
    arm = ts.from_dh(rows, bodies, convention="modified")
    joints = (1, 2, 3)
    return replace(
        arm,
        forces=tuple(ts.JointForce(f"f{i}", f"joint{i}", ts.Viscous(0.5)) for i in joints),
        constraints=tuple(ts.Driven(f"d{i}", f"joint{i}.angle", f"sin({i}*t)") for i in joints),
    )


@pytest.mark.parametrize("output", [[0.0, 2.0], 101])
@pytest.mark.parametrize("method", ["dopri5", "dop853", "rodas5p"])
def test_a_driven_arm_closes_its_audit(method, output):
    run = ts.simulate(driven_arm(), 2.0, method=method, rtol=1e-8, output=output)
    assert run.energy_audit.supplied > 1.0 and run.energy_audit.dissipated > 1.0
    assert run.energy_audit.relative < 1e-6


@pytest.mark.parametrize("method", ["dopri5", "dop853", "rodas5p"])
def test_the_work_of_a_force_too_small_to_move_anything(method):
    """On a mass of 1e9 kg at 1 m/s: the speed tells nothing of the force, its book does."""
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("m", mass=1e9),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        forces=(ts.JointForce("hum", "x", ts.Expression("sin(50*t)", work="supplied")),),
    )
    run = ts.simulate(model, 2.0, {"x.speed": 1.0}, method=method, output=[0.0, 2.0])
    assert run["energy.supplied"][-1] == pytest.approx((math.cos(100) - 1) / 50, abs=1e-6)

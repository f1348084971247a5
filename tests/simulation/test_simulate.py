"""Four models all the way: description, check, kernel, native integrator, trajectory, plot."""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import Crush, JointForce
from torseur.simulation import simulate

LDV = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))


def test_pendulum_keeps_its_energy_and_its_period():
    rod = ts.Body("rod", mass=2.0, com=(0, 0, -1.0))
    model = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    period = 4 / np.sqrt(9.81) * _elliptic(np.sin(0.5))  # amplitude 1 rad
    run = simulate(model, t_end=2 * period, initial={"pivot.angle": 1.0}, rtol=1e-11, atol=1e-13)
    assert abs(run["pivot.angle"][-1] - 1.0) < 1e-9
    assert run.energy_audit.relative < 1e-9


def _elliptic(k):
    """Complete elliptic integral of the first kind by the arithmetic-geometric mean."""
    a, b = 1.0, np.sqrt(1 - k * k)
    for _ in range(8):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return np.pi / (2 * a)


def test_arm_conserves_energy_and_shows_every_signal(tmp_path):
    rows = [
        (0, 0, 0, 0.5),
        ("pi/2", 0, 0, 0),
        (0, 0.4318, 0, 0.15),
        ("-pi/2", 0.02, 0, 0.43),
        ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0),
    ]
    bodies = [
        ts.Body(f"b{i}", 2.0 + i, (0.1, 0.02, 0.05), (0.1, 0.12, 0.08, 0, 0, 0)) for i in range(6)
    ]
    arm = ts.from_dh(rows, bodies, convention="modified")
    run = simulate(arm, t_end=1.0, initial={"joint2.angle": 0.3, "joint3.rate": 1.0}, output=101)
    assert run.energy_audit.relative < 1e-7
    assert all(np.isfinite(run[name]).all() and run.units[name] for name in run.signals)
    figure = run.plot("joint1.angle", "joint1.rate", path=tmp_path / "arm.png")
    assert len(figure.axes) == 2 and (tmp_path / "arm.png").stat().st_size > 1000


def test_free_body_turns_on_the_unit_sphere():
    body = ts.Body("b", mass=1.0, inertia=(1.0, 2.0, 2.5, 0, 0, 0))
    model = ts.Model(bodies=(body,), joints=(ts.Joint("f", "world", "b", ts.Free()),))
    run = simulate(model, t_end=10.0, initial={"f.wx": 0.1, "f.wy": 3.0, "f.wz": 0.2, "f.vx": 1.0})
    q = np.stack([run[f"f.q{c}"] for c in "wxyz"])
    assert abs(np.linalg.norm(q, axis=0) - 1).max() < 4 * np.finfo(float).eps
    assert run.energy_audit.relative < 1e-7
    assert run["f.px"][-1] == pytest.approx(_world_travel(run), rel=1e-7)


def _world_travel(run):
    """A free body's center moves straight at its first velocity, whatever it turns."""
    return 10.0 * run["b.velocity.x"][0]


def test_crash_spring():
    car = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("car", mass=1000.0),),
        joints=(ts.Joint("slide", "world", "car", ts.Prismatic("x")),),
        forces=(JointForce("bumper", "slide", law=Crush(LDV, 2e7, 6e6)),),
    )
    run = simulate(car, t_end=0.1, initial={"slide.speed": 50 / 3.6}, rtol=1e-10, atol=1e-12)
    x = run["slide.displacement"]
    deepest = int(np.argmax(x))
    assert x[deepest] == pytest.approx(0.5156766840, abs=1e-9)  # O-CR1
    assert run.time[deepest] == pytest.approx(0.057501740, abs=1e-9)
    assert run["bumper.force"].max() == pytest.approx(594060.104204, rel=1e-9)
    assert run["slide.speed"][-1] == pytest.approx(-4.2006392812, rel=1e-9)
    assert run.energy_audit.dissipated == pytest.approx(87627.932099, rel=1e-9)
    assert run["bumper.energy.dissipated"][-1] == pytest.approx(87627.932099, rel=1e-9)
    assert [e.name for e in run.events][-2:] == ["bumper: turning", "bumper: set"]
    assert set(run["bumper.state"]) == {0.0, 1.0, 2.0}

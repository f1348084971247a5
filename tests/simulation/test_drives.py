"""Drives with catalog stiffness, play and hysteresis; Rayleigh losses; servos along laws."""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import (
    Backlash,
    BoucWen,
    CoordinateForce,
    Drive,
    Effort,
    Follow,
    JointForce,
    Spring,
    Table,
    rayleigh,
)
from torseur.robots import Quintic, Trapezoidal
from torseur.simulation import simulate


def bar(drive, *forces, **model):
    body = ts.Body("bar", mass=15.0, com=(0, 0, -1.0), inertia=(0, 15, 15, 0, 0, 0))
    return ts.Model(
        gravity=(0, 0, -9.8),
        bodies=(body,),
        forces=forces,
        joints=(ts.Joint("j", "world", "bar", ts.Revolute("y"), drive=drive),),
        **model,
    )


def test_catalog_stiffness_is_a_spring_within_its_first_range_and_stiffer_beyond():
    points = ((-0.1, -950.0), (-0.02, -150.0), (0.0, 0.0), (0.02, 150.0), (0.1, 950.0))
    start = {"j.angle": 0.01}
    soft = simulate(bar(Drive(rotor_inertia=5.0, stiffness=Table(points))), 1.0, start, rtol=1e-10)
    line = simulate(bar(Drive(rotor_inertia=5.0, stiffness=7500.0)), 1.0, start, rtol=1e-10)
    np.testing.assert_allclose(soft["j.angle"][-1], line["j.angle"][-1], atol=1e-9)
    start = {"j.angle": 0.05}
    far = simulate(bar(Drive(rotor_inertia=5.0, stiffness=Table(points))), 1.0, start, rtol=1e-10)
    assert far.energy_audit.relative < 1e-8 and len(far.events) > 10
    assert abs(far["j.motor.shaft.force"]).max() > 150


def test_play_in_a_gear():
    drive = Drive(rotor_inertia=2.0, stiffness=Backlash(0.01, 5e4, 20.0), input="torque")
    model = bar(drive, inputs=(ts.Input("torque"),))
    run = simulate(model, 0.5, inputs={"torque": 10.0}, rtol=1e-9)
    twist = run["j.motor.angle"] - run["j.angle"]
    first = next(e for e in run.events if "edge above" in e.name)
    assert first.time == pytest.approx(np.sqrt(2 * 0.01 / 5.0), rel=1e-6)  # rotor in free flight
    assert twist.max() > 0.01 and set(run["j.motor.shaft.state"]) >= {0.0, 1.0}
    assert run.energy_audit.relative < 1e-8 and run["j.motor.shaft.energy.dissipated"][-1] > 0


def test_hysteresis_in_a_gear_loses_energy():
    run = simulate(
        bar(Drive(rotor_inertia=2.0, stiffness=BoucWen(2e4, 0.002, 0.3))),
        2.0,
        {"j.motor.angle": 0.05},
        rtol=1e-9,
    )
    assert run.energy_audit.dissipated > 1.0 and run.energy_audit.relative < 1e-6


def test_rayleigh_losses_are_the_matrix_times_the_speeds():
    C = np.array([[3.0, -1.0], [-1.0, 2.0]])
    bodies = (ts.Body("a", 1.0), ts.Body("b", 1.0))
    joints = (
        ts.Joint("x", "world", "a", ts.Prismatic("x")),
        ts.Joint("y", "a", "b", ts.Prismatic("y")),
    )
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=bodies,
        joints=joints,
        forces=rayleigh("loss", ("x.displacement", "y.displacement"), C),
    )
    v = np.array([0.7, -0.4])
    run = simulate(model, 0.5, {"x.speed": v[0], "y.speed": v[1]}, rtol=1e-10)
    efforts = np.array([run["x.effort"][0], run["y.effort"][0]])
    np.testing.assert_allclose(efforts, -C @ v, atol=1e-12)
    assert run.energy_audit.relative < 1e-9
    with pytest.raises(ValueError, match="negative eigenvalue"):
        rayleigh("bad", ("x.displacement", "y.displacement"), [[1, 2], [2, 1]])


@pytest.mark.parametrize(
    "law",
    [Trapezoidal(0.1, 1.1, speed=2.0, acceleration=6.0, begin=0.2), Quintic(0.1, 1.1, 0.9, 0.2)],
    ids=["trapezoidal", "quintic"],
)
def test_a_servo_sees_the_breakpoints_of_its_law(law):
    servo = Follow.along(law, 4e4, 800.0)
    model = bar(None, JointForce("servo", "j", servo))
    run = simulate(model, 1.6, {"j.angle": 0.1}, rtol=1e-9)
    times = [e.time for e in run.events if e.name == "servo: breakpoint"]
    np.testing.assert_allclose(times, law.breakpoints, atol=1e-9)
    want, rate, _ = law(run.time)
    push = 4e4 * (want - run["j.angle"]) + 800.0 * (rate - run["j.rate"])
    away = abs(np.subtract.outer(run.time, law.breakpoints)).min(axis=1) > 1e-6
    assert abs(run["servo.force"] - push)[away].max() < 1e-3  # of 4e4 N m a radian
    assert abs(run["j.angle"] - want).max() < 0.02
    assert run.energy_audit.relative < 1e-8


def test_motor_shaft_by_hand_equals_the_drive():
    by_drive = bar(Drive(rotor_inertia=3.0, stiffness=900.0))
    by_hand = bar(
        None,
        CoordinateForce("shaft", {"rotor.angle": 1, "j.angle": -1}, Spring(900.0)),
        rotors=(ts.Rotor("rotor", 3.0),),
    )
    a = simulate(by_drive, 1.0, {"j.angle": 0.3})
    b = simulate(by_hand, 1.0, {"j.angle": 0.3})
    assert a["j.motor.angle"][-1] == pytest.approx(b["rotor.angle"][-1], abs=1e-12)


@pytest.mark.parametrize(
    "drive, text",
    [
        (Drive(stiffness=10.0), "has no inertia on an elastic shaft"),
        (Drive(rotor_inertia=1.0, input="pedal"), "no input is named 'pedal'"),
        (Drive(rotor_inertia=1.0, stiffness=Table(((0, 0), (0, 1)))), "needs growing abscissae"),
    ],
)
def test_messages(drive, text):
    with pytest.raises(ts.ModelError) as caught:
        bar(drive).check()
    assert text in str(caught.value) and "'j'" in str(caught.value)


def test_a_rigid_drive_on_a_joint_whose_damping_is_a_list_of_one():
    def arm(damping):
        return ts.Model(
            bodies=(ts.Body("b", 1.0, (0, 0, -1)),),
            joints=(
                ts.Joint(
                    "j",
                    "world",
                    "b",
                    ts.Revolute("y"),
                    damping=damping,
                    drive=ts.Drive(ratio=10, rotor_inertia=1e-3),
                ),
            ),
        ).check()

    one, other = arm(0.2), arm((0.2,))
    assert one.digest == other.digest


def test_effort_between_two_points():
    """An actuator that pulls two free masses together keeps their momentum."""
    bodies = (ts.Body("a", 1.0), ts.Body("b", 3.0))
    joints = (
        ts.Joint("x", "world", "a", ts.Prismatic("x")),
        ts.Joint("y", "world", "b", ts.Prismatic("x")),
    )
    pull = ts.PointForce("pull", "a", "b", Effort(-6.0))
    model = ts.Model(gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=(pull,))
    run = simulate(model, 0.5, {"y.displacement": 10.0})
    assert run["x.speed"][-1] == pytest.approx(3.0) and run["y.speed"][-1] == pytest.approx(-1.0)
    assert run.energy_audit.supplied == pytest.approx(0.5 * 9 + 0.5 * 3)

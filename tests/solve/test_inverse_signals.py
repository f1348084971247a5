"""Reactions, energies and power along a motion that was asked for, against runs that follow it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import torseur as ts

TIMES = np.linspace(0, 1, 41)


def arm(**more):
    """Three joints of space, a weld, a spring between bodies, dampers."""
    inertia = (0.02, 0.05, 0.06, 0.003, -0.002, 0.001)
    return ts.Model(
        "arm",
        bodies=(
            ts.Body("base", 4.0, (0.01, 0.02, -0.1), inertia),
            ts.Body("upper", 3.0, (0.2, 0.01, 0.02), inertia),
            ts.Body("lower", 2.0, (0.15, -0.02, 0.01), inertia),
            ts.Body("hand", 0.7, (0.02, 0, 0.03), (0.001,) * 3 + (0,) * 3),
        ),
        joints=(
            ts.Joint("j1", "world", "base", ts.Revolute("z"), damping=0.4),
            ts.Joint("j2", "base", "upper", ts.Revolute("y"), at=(0.05, 0, 0.3), armature=0.1),
            ts.Joint("j3", "upper", "lower", ts.Prismatic("x"), at=(0.4, 0, 0), damping=2.0),
            ts.Joint("grip", "lower", "hand", ts.Weld(), at=(0.3, 0, 0)),
        ),
        forces=(
            ts.PointForce(
                "spring", ("base", (0, 0, 0.6)), ("lower", (0.1, 0, 0)), ts.Expression("400*x**3")
            ),
        ),
        **more,
    )


def rod(name, length):
    J = 2 * length**3 / 12
    return ts.Body(name, mass=2 * length, com=(length / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))


def four_bar():
    pin = ts.Revolute("z")
    return ts.Model(
        gravity=(0, -9.81, 0),
        bodies=(rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
        joints=(
            ts.Joint("A", "world", "crank", pin),
            ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "rocker", pin, at=(0.9, 0, 0)),
        ),
        loops=(ts.Loop("C", "rocker", "coupler", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),),
    )


LAWS = {"j1.angle": "0.6*sin(3*t)", "j2.angle": "0.5*cos(2*t)", "j3.displacement": "0.1*sin(4*t)"}


def driven(model, laws, near=()):
    drives = tuple(ts.Driven(f"drive{i}", n, law) for i, (n, law) in enumerate(laws.items()))
    run = ts.inverse(model, laws, TIMES, near=dict(near) or None)
    names = (*run.provenance["coordinates"],)
    start = {n: run[n][0] for n in names} | {
        n: run[n][0] for n in model.check().speeds if n in run.signals
    }
    follow = ts.simulate(
        replace(model, constraints=(*model.constraints, *drives)),
        1.0,
        start,
        keep=tuple(laws),
        output=TIMES,
        rtol=1e-11,
        atol=1e-12,
    )
    return run, follow


@pytest.mark.parametrize("loops", (False, True), ids=("tree", "four-bar"))
def test_reactions_are_those_of_a_run_that_follows(loops):
    if loops:
        model, laws = four_bar(), {"A.angle": "1 + 2*t + 0.3*sin(5*t)"}
        run, follow = driven(model, laws, {"B.angle": -0.9, "D.angle": 1.6})
    else:
        run, follow = driven(arm(), LAWS)
    names = [n for n in run.signals if ".reaction." in n]
    assert len(names) == 7 * 4  # and the power of each
    scale = np.nanmax([abs(follow[n]).max() for n in names])
    for n in names:
        np.testing.assert_allclose(run[n], follow[n], atol=1e-8 * scale, err_msg=n)
        assert run.units[n] == follow.units[n]
    for n in ("energy.kinetic", "energy.potential"):
        np.testing.assert_allclose(run[n], follow[n] - follow[n][0] + run[n][0], atol=1e-7)


def test_books_close_and_power_is_effort_times_rate():
    """Trapezoids jump in acceleration; splined integrals do not cross the jumps."""
    laws = {
        "j1.angle": ts.robots.Trapezoidal(0, 1.2, speed=1.5, acceleration=5.0),
        "j2.angle": ts.robots.Quintic(0.2, -0.6, 1.0),
        "j3.displacement": ts.robots.Cycloidal(0.0, 0.1, 0.8),
    }
    run = ts.inverse(arm(), laws)
    assert run.energy_audit.relative < 1e-8
    assert run["energy.dissipated"][-1] > 0.1
    np.testing.assert_array_equal(run["j2.power"], run["j2.effort"] * run["j2.rate"])
    t, total = run.time, sum(run[f"{j}.power"] for j in ("j1", "j2", "j3"))
    by_hand = np.sum(np.diff(t) * (total[1:] + total[:-1]) / 2)
    assert run["energy.supplied"][-1] == pytest.approx(by_hand, abs=1e-3)
    assert run.units["j2.power"] == "W"


def test_books_close_behind_elastic_shafts():
    soft = ts.Drive(ratio=50, rotor_inertia=4e-5, stiffness=2000.0, damping=1.0)
    model = arm()
    joints = tuple(replace(j, drive=soft) if j.name == "j1" else j for j in model.joints)
    run = ts.inverse(replace(model, joints=joints), {"j1.angle": ts.robots.Septic(0, 1, 1.0)})
    assert run.energy_audit.relative < 1e-6


def test_a_pickled_motion_keeps_its_signals():
    run = ts.inverse(arm(), LAWS, TIMES)
    back = pickle.loads(pickle.dumps(run))
    for n in ("j2.effort", "j2.effort.gravity", "grip.reaction.moment.y", "hand.position.z"):
        np.testing.assert_array_equal(back[n], run[n])


def test_kernels_of_power_count_elements():
    dyn, q = ts.compile(arm()), np.array([[0.1, 0.2, 0.05], [0.3, -0.4, 0.0]])
    v, a = q + 0.5, q - 0.3
    np.testing.assert_allclose(dyn.power(q, v, a), dyn.inverse_dynamics(q, v, a, forces=True) * v)
    alone = dyn.inverse_dynamics(q, v, a) * v
    np.testing.assert_allclose(dyn.power(q, v, a, forces=False), alone)
    T0, U0 = dyn.energy(q, v)
    h = 1e-6
    T1, U1 = dyn.energy(q + h * v + h * h / 2 * a, v + h * a)
    rate = (T1 + U1 - T0 - U0) / h
    lost = 0.4 * v[:, 0] ** 2 + 2.0 * v[:, 2] ** 2
    np.testing.assert_allclose(dyn.power(q, v, a).sum(axis=1) - lost, rate, rtol=1e-4)


@pytest.mark.parametrize("rows", [4, 60])
def test_the_motion_of_a_run_asks_for_no_effort_whatever_its_rows(rows):
    """Positions, speeds and accelerations of its rows, not a spline through positions."""
    arm = ts.Model(
        "arm",
        bodies=[
            ts.Body("a", 2.0, com=(0.1, 0, -0.2), inertia=(0.1, 0.12, 0.05, 0, 0, 0)),
            ts.Body("b", 1.0, com=(0, 0.1, -0.2), inertia=(0.03, 0.02, 0.02, 0, 0, 0.001)),
        ],
        joints=[
            ts.Joint("j", "world", "a", ts.Universal("x", "y"), damping=0.2),
            ts.Joint("k", "a", "b", ts.Revolute("y"), at=(0, 0, -0.5), armature=0.1),
        ],
        forces=[
            ts.JointForce("stop", "k", ts.Limits(-0.2, 0.3, 800.0, 2.0)),
            ts.PointForce("cord", ("b", (0, 0, -0.3)), ("world", (1, 0, 0)), ts.Spring(90.0, 0.4)),
        ],
    )
    start = {"j.angle1": 0.4, "j.rate2": 1.0, "k.rate": 6.0}
    run = ts.simulate(arm, 0.6, start, output=rows, rtol=1e-10)
    assert run.events
    back = ts.inverse(arm, run)
    size = abs(run["j.reaction.force.z"]).max()
    for name in ("j.effort.rate1", "j.effort.rate2", "k.effort"):
        assert abs(back[name]).max() < 1e-9 * size
    times = np.linspace(0.01, 0.05, 7)  # between rows: quintics
    near = ts.inverse(arm, run, times=times)
    assert abs(near["k.effort"]).max() < (1e-6 if rows > 10 else 1e-3) * size


def test_dry_friction_of_a_joint_that_stands_still_has_no_sign():
    """A joint held by friction while the next one swings: its effort is what the motion asks."""
    rods = [ts.Body(n, 1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)) for n in ("a", "c")]
    model = ts.Model(
        bodies=rods,
        joints=(
            ts.Joint("j", "world", "a", ts.Revolute("y")),
            ts.Joint("k", "a", "c", ts.Revolute("y"), at=(0, 0, -1)),
        ),
        constraints=(ts.DryFriction("d", "j.angle", force=20.0),),
    )
    run = ts.simulate(model, 0.6, {"k.rate": 3.0}, rtol=1e-10, atol=1e-12)
    assert 0 < abs(run["j.rate"]).max() < 1e-20  # rounding
    found = ts.inverse(model, run)
    held = np.interp(found.time, run.time, run["d.multiplier"])  # what friction held with
    assert abs(held).max() > 4
    assert np.allclose(found["j.effort"], held, atol=0.05)

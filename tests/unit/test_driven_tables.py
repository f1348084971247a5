"""Motions by points: exact ways, exact efforts, points as events, bad tables told."""

import numpy as np
import pytest

import torseur as ts
from torseur.integrate import METHODS

T = np.array([0.0, 0.1, 0.25, 0.4, 0.7])
Y = np.array([0.0, -3.0, 2.0, 5.0, 0.0])
END = 0.9


def slider(**table):
    model = ts.Model(
        "slider",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 2.0), ts.Body("rider", 1.0)),
        joints=(
            ts.Joint("x", "world", "b", ts.Prismatic("x")),
            ts.Joint("r", "b", "rider", ts.Prismatic("x")),
        ),
        forces=(ts.JointForce("belt", "r", ts.Spring(50.0)),),
        constraints=(ts.Driven("drive", "x.displacement", **table),),
    )
    return model, ts.simulate(model, END, rtol=1e-10, output=np.linspace(0, END, 181))


def integral(y, t):
    """Of the broken line through (T, Y), zero after its end, and once more; exact."""
    from scipy.interpolate import PPoly

    line = PPoly(np.array([np.diff(Y) / np.diff(T), Y[:-1]]), T)
    one, two = line.antiderivative(), line.antiderivative(2)
    inside = np.minimum(t, T[-1])
    beyond = np.maximum(t - T[-1], 0)
    return one(inside) + Y[-1] * beyond * (y == "speed"), two(inside) + one(T[-1]) * beyond


def test_accelerations_are_integrated_exactly_and_the_effort_follows_them():
    _, run = slider(acceleration=np.column_stack([T, Y]), start=(0.3, 1.5))
    t, (v, x) = run.time, integral("acceleration", run.time)
    np.testing.assert_allclose(run["x.displacement"], 0.3 + 1.5 * t + x, atol=1e-11)
    np.testing.assert_allclose(run["x.speed"], 1.5 + v, atol=1e-9)
    force = 2.0 * np.where(t <= T[-1], np.interp(t, T, Y), 0) - 50 * run["r.displacement"]
    np.testing.assert_allclose(run["drive.multiplier"], force, atol=1e-6)
    assert {e.time for e in run.events} >= set(T[1:]) and run.energy_audit.relative < 1e-9


def test_speeds_and_positions():
    _, run = slider(speed=tuple(zip(T, Y, strict=True)), start=(0.2, 0.0))
    way = integral("speed", run.time)[0]
    np.testing.assert_allclose(run["x.displacement"], 0.2 + way, atol=1e-9)
    _, run = slider(motion=np.column_stack([T, Y]))  # a table in place of a law
    from scipy.interpolate import CubicSpline

    spline, inside = CubicSpline(T, Y, bc_type="natural"), run.time <= T[-1]
    np.testing.assert_allclose(run["x.displacement"][inside], spline(run.time[inside]), atol=1e-9)
    after = Y[-1] + spline(T[-1], 1) * (run.time[~inside] - T[-1])
    np.testing.assert_allclose(run["x.displacement"][~inside], after, atol=1e-8)
    assert run.energy_audit.relative < 1e-9


def test_a_table_survives_a_file_with_units(tmp_path):
    model, run = slider(acceleration=np.column_stack([T, Y]))
    model.save(tmp_path / "m.yaml")
    again = ts.simulate(ts.load(tmp_path / "m.yaml"), END, rtol=1e-10)
    assert again["r.displacement"][-1] == pytest.approx(run["r.displacement"][-1], abs=1e-12)
    (tmp_path / "w.yaml").write_text(
        "gravity: [0, 0, 0]\nbodies: {b: {mass: 1}}\n"
        "joints: {x: {parent: world, child: b, type: prismatic, axis: x}}\n"
        "constraints:\n  - {name: d, type: driven, coordinate: x.displacement,\n"
        "     acceleration: {time: [0 ms, 100 ms], acceleration: [0, 1 g0]}, start: [0, 36 km/h]}\n"
    )
    run = ts.simulate(ts.load(tmp_path / "w.yaml"), 0.1)
    assert run["x.speed"][-1] == pytest.approx(10 + 9.80665 * 0.05, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({}, "expected one of motion, position, speed, acceleration; got none"),
        ({"motion": "t", "speed": ((0, 0), (1, 1))}, "got motion, speed"),
        ({"speed": ((0, 0), (0, 1))}, "times must grow, but 0 s follows 0 s"),
        ({"speed": ((0, 0),)}, "two points"),
        ({"speed": ((0, "a"), (1, 1))}, "plain numbers"),
        ({"acceleration": ((0, 0), (1, float("nan")))}, "point 1 is not finite"),
        ({"acceleration": ((0, 0), (1, 1)), "start": (0,)}, "start: expected position and speed"),
    ],
)
def test_bad_tables_are_told(table, sentence):
    with pytest.raises(ts.ModelError, match=sentence):
        slider(**table)


@pytest.mark.parametrize("name", METHODS)
def test_a_leap_of_the_acceleration_is_in_no_step(name):
    """The effort has both of its values at the knot, and its work is exact by any method."""
    drive = ts.Driven("drive", "x.displacement", speed=((0.0, 0.0), (0.1, 0.2), (0.3, 0.1)))
    model = ts.Model(
        "slider",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 2.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        constraints=(drive,),
    )
    step = {} if METHODS[name].adaptive else {"step": 0.003}
    run = ts.simulate(model, 0.4, method=name, **step)
    assert run.completed, run.outcome
    for t, before, after in ((0.1, 4.0, -1.0), (0.3, -1.0, 0.0)):
        at = np.flatnonzero(abs(run.time - t) < 1e-12)[[0, -1]]
        np.testing.assert_allclose(run["drive.multiplier"][at], (before, after), atol=1e-10)
    if METHODS[name].order > 2:
        np.testing.assert_allclose(run["energy.supplied"][-1], 0.01, rtol=1e-12)

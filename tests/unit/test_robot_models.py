"""Robots as data: rows with drives and limits, inputs in one word, limits told, laws as texts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.scalars.values import value

FOLDER = Path(__file__).parents[2] / "examples"
LAW = {
    f"joint{i + 1}.angle": ts.robots.Trapezoidal(*np.radians(ends), speed=2.5, acceleration=8.0)
    for i, ends in enumerate(((0, 180), (0, 90), (20, 120)))
}


def test_the_mac_file_gives_the_torques_of_o_b4():
    run = ts.inverse(ts.load(FOLDER / "mac.yaml"), LAW, times=[0.2, 0.5, 0.8])
    got = np.stack([run[f"joint{j}.effort"] for j in (1, 2, 3)], axis=1)
    want = [
        (329.047275, 572.000906, 323.343734),
        (-14.453051, 137.566682, -0.533487),
        (13.165698, -348.405837, -288.255435),
    ]
    np.testing.assert_allclose(got, want, atol=2e-6)
    assert "beyond" not in run.outcome


def test_the_mac_design_lowers_rms_c2_by_3_percent_and_raises_c1_by_7():
    """The thesis' design judged by what motors feel over its cycle: the default of `balance`."""
    mac = ts.load(FOLDER / "mac.yaml")
    bare = replace(
        mac,
        bodies=tuple(b for b in mac.bodies if b.name != "counterweight"),
        joints=tuple(j for j in mac.joints if j.name != "mount"),
        forces=tuple(f for f in mac.forces if f.name != "spring"),
    )
    rms = []
    for model in (bare, mac):
        run = ts.inverse(model, ts.robots.design(mac).motion("swing"))
        C = np.stack([run[f"joint{j}.effort"] for j in (1, 2)])
        rms.append(np.sqrt(np.trapezoid(C**2, run.time) / np.ptp(run.time)))
    np.testing.assert_allclose(rms[1] / rms[0] - 1, (0.0685, -0.0325), atol=5e-4)


def test_inverse_tells_limits_of_effort_speed_and_travel():
    quick = {**LAW, "joint2.angle": ts.robots.Quintic(0.0, 2.0, 0.3)}
    told = ts.inverse(ts.load(FOLDER / "mac.yaml"), quick).outcome
    assert "joint2.rate goes beyond max_speed 2.5 rad/s by 10 rad/s at t = 0.15" in told
    assert "joint2.angle goes beyond its upper limit 1.74533 rad by 0.2547 rad" in told
    assert "joint2.effort goes beyond max_effort 700 N m by" in told


def test_the_puma_file_has_eight_solutions_and_inputs_in_one_word():
    arm = ts.load(FOLDER / "puma.yaml", actuate=True)
    assert [u.name for u in arm.inputs] == [f"u_{j.name}" for j in arm.joints]
    assert arm.joints[1].drive.ratio == 107.815 and arm.joints[1].max_effort == 186.4
    q = [0.3, 0.7, -1.1, 0.9, 0.6, -1.2]
    found = ts.inverse_kinematics(arm, "tool", ts.compile(arm).pose("tool", q))
    assert len(found) == 8 and abs(found.q - q).max(axis=1).min() < 1e-10
    linear = ts.linearize(arm, {"shoulder.angle": 0.5})
    M = ts.compile(arm).mass_matrix(arm.check().state({"shoulder.angle": 0.5})[0])
    gain = np.diag([j.drive.ratio for j in arm.joints])
    np.testing.assert_allclose(linear.B[6:], np.linalg.solve(M, gain), rtol=1e-9)


def test_rows_of_python_take_fields_of_joints():
    row = {"alpha": 0, "r": 0.5, "name": "waist", "limits": (-1, 1), "damping": 2.0}
    arm = ts.from_dh([row], [ts.Body("a", 1, (0.1, 0, 0))], convention="modified", actuate=True)
    joint = arm.joints[0]
    assert (joint.name, joint.limits, joint.damping) == ("waist", (-1, 1), 2.0)
    assert arm.inputs[0].name == "u_waist"
    with pytest.raises(ts.ArgumentError, match="no column is named 'limts'; did you mean 'limits'"):
        ts.from_dh([{"limts": 1}], [ts.Body("a", 1)], convention="modified")


def test_an_actuated_model_keeps_the_inputs_it_has():
    arm = ts.from_dh(
        [(0, 0, 0, 0.5)], [ts.Body("a", 1, (0.1, 0, 0))], convention="modified", actuate=True
    )
    from torseur.model import actuated

    assert actuated(arm).inputs == arm.inputs and actuated(arm).forces == arm.forces


@pytest.mark.parametrize(
    "law",
    [
        ts.robots.Trapezoidal(1.0, -1.0, speed=1.0, acceleration=4.0, deceleration=2.0),
        ts.robots.SCurve(0.0, 1.0, speed=1.0, acceleration=4.0, jerk=40.0),
        ts.robots.Cubic(0.2, 1.0, 1.5, 0.1),
        ts.robots.Quintic(0.0, 1.0, 1.5),
        ts.robots.Septic(1.0, 3.0, 2.0),
        ts.robots.Cycloidal(0.0, 1.0, 1.5),
        ts.robots.Spline([0, 0.5, 1, 2], [0, 1, 0.5, 2], "quintic"),
    ],
    ids=lambda law: type(law).__name__,
)
def test_a_law_as_a_text_is_the_law(law):
    t = np.linspace(-0.3, 2.5, 23)
    text = value.exact(law.expression)
    got = [value.nominal(text, {"t": x}) for x in t]
    np.testing.assert_allclose(got, law(t)[0], atol=1e-12)


def test_a_motion_law_drives_a_coordinate():
    law = ts.robots.Trapezoidal(0.0, 1.0, speed=1.0, acceleration=4.0)
    cart = ts.Model(
        bodies=(ts.Body("b", 2.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        constraints=(ts.Driven("motor", "x.displacement", law),),
    )
    run = ts.simulate(cart, 1.4)
    np.testing.assert_allclose(run["x.displacement"], law(run.time)[0], atol=1e-9)
    assert replace(cart, constraints=()).check().nv == 1


def test_a_long_table_drives_a_coordinate(tmp_path):
    """Kept as numbers: the effort is that of `inverse`, through a file too."""
    t = np.linspace(0.1, 1.1, 61)
    law = ts.robots.Spline(t, np.sin(3 * t) ** 2)
    rod = ts.Body("rod", 2.0, (0.3, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    free = ts.Model("rod", bodies=(rod,), joints=(ts.Joint("j", "world", "rod", ts.Revolute("y")),))
    path = tmp_path / "led.yaml"
    replace(free, constraints=(ts.Driven("lead", "j.angle", law),)).save(path)
    run = ts.simulate(ts.load(path), 1.3, output=131)
    for order, signal in enumerate(("j.angle", "j.rate", "j.acceleration")):
        np.testing.assert_allclose(run[signal], law.derivative(run.time, order), atol=1e-10)
    asked = ts.inverse(free, {"j.angle": law}, times=run.time)["j.effort"]
    np.testing.assert_allclose(run["lead.multiplier"], asked, atol=1e-10)
    late = ts.Driven("lead", "j.angle", ((0, 1, 2.0), (2, 3, 4.0)))
    with pytest.raises(ts.ModelError, match="piece 2 of its motion begins at 2 s, the one before"):
        replace(free, constraints=(late,)).check()


def test_feedforward_drives_rotors_behind_elastic_gears_that_damp():
    """By the names of inputs and at the rotors; noise of the damped inverse makes no pieces."""
    gear = ts.Drive(ratio=100, rotor_inertia=1e-4, stiffness=1e4, damping=5.0)
    rod = ts.Body("rod", 5.0, (0.2, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    rows = [{"alpha": "pi/2", "drive": gear}]
    arm = ts.from_dh(rows, [rod], convention="modified", actuate=True)
    motion = {"joint1.angle": ts.robots.Septic(0.0, 1.0, 1.0)}
    start = ts.inverse(arm, motion, times=[0.0])
    given = ts.robots.feedforward(arm, motion, inputs=True)
    assert list(given) == ["u_joint1"]
    at = {n: float(start[n][0]) for n in arm.check().coordinates}
    run = ts.simulate(arm, 1.0, at, inputs=given, rtol=1e-9)
    assert abs(run["joint1.angle"][-1] - 1.0) < 1e-6 and len(run.events) < 400
    with pytest.raises(ts.TorseurError, match="no joint of 'robot' has an input; load it with"):
        ts.robots.feedforward(
            ts.from_dh([{"alpha": "pi/2"}], [rod], convention="modified"), motion, inputs=True
        )


def test_branches_of_a_table_by_the_name_of_the_body_they_leave(tmp_path):
    bodies = [ts.Body(n, 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for n in "abcd"]
    rows = [{}, {"alpha": "pi/2"}, {"d": 0.3, "after": "a"}, {"d": 0.2, "after": "b"}]
    tree = ts.from_dh(rows, bodies, convention="modified")
    want = [("world", "a"), ("a", "b"), ("a", "c"), ("b", "d")]
    assert [(j.parent, j.child) for j in tree.joints] == want
    tree.save(tmp_path / "tree.yaml")
    again = ts.load(tmp_path / "tree.yaml")
    assert [(j.parent, j.child) for j in again.joints] == want
    assert again.check().coordinates == tree.check().coordinates
    for row, told in (
        ({"after": "d"}, "no earlier row's body"),
        ({"after": "a", "parent": 0}, "not both"),
    ):
        with pytest.raises(ts.TorseurError, match=told):
            ts.from_dh([*rows[:2], row, {}], bodies, convention="modified")


def test_a_motion_of_times_and_values_beside_a_law():
    mac = ts.load(FOLDER / "mac.yaml")
    t = np.linspace(0, 1, 101)
    rest = {"joint2.angle": "0.3*t**2", "joint3.angle": ts.robots.Quintic(0.3, 1.0, 1.0)}
    run = ts.inverse(mac, {"joint1.angle": (t, np.sin(t)), **rest})
    same = ts.inverse(mac, {"joint1.angle": "sin(t)", **rest}, times=run.time)
    np.testing.assert_allclose(run["joint1.effort"], same["joint1.effort"], atol=1e-6)

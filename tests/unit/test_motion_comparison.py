"""Laws compared, residual vibration in closed form and in a run; ruckig; hysteresis of gears."""

import numpy as np
import pytest
from french_walk import untold

import torseur as ts
from torseur.robots.french import FRENCH


def test_vibration_after_a_trapezoid_in_closed_form():
    law = ts.robots.Trapezoidal(0.1, 1.3, speed=1.0, acceleration=3.0)
    r, T, A = 1 / 3, law.duration, 3.0
    for f in (0.7, 2.2, 5.1, 9.0):
        w = 2 * np.pi * f
        exact = 4 * A / w**2 * abs(np.sin(w * r / 2) * np.sin(w * (T - r) / 2))
        assert ts.robots.residual_vibration(law, f) == pytest.approx(exact, abs=1e-13)


def test_vibration_is_what_an_elastic_joint_keeps():
    """A load of 0.2 kg m2 behind 80 N m/rad, its motor moved by each law: twist after the end."""
    frequency = np.sqrt(80 / 0.2) / (2 * np.pi)
    rotor = ts.Body("rotor", 1.0, inertia=(1, 1, 1, 0, 0, 0))
    load = ts.Body("load", 1.0, inertia=(0.2, 0.2, 0.2, 0, 0, 0))
    for law in (ts.robots.Quintic(0, 1, 0.5), ts.robots.Cycloidal(0, 1, 0.35)):
        model = ts.Model(
            gravity=(0, 0, 0),
            bodies=(rotor, load),
            joints=(
                ts.Joint("motor", "world", "rotor", ts.Revolute("z")),
                ts.Joint("shaft", "rotor", "load", ts.Revolute("z")),
            ),
            forces=(ts.JointForce("spring", "shaft", ts.Spring(80.0)),),
            constraints=(ts.Driven("move", "motor.angle", law),),
        )
        run = ts.simulate(model, law.duration + 0.6, rtol=1e-9, output=801)
        after = run["shaft.angle"][run.time > law.duration + 1e-9]
        wanted = ts.robots.residual_vibration(law, frequency)
        assert abs(after).max() == pytest.approx(wanted, rel=2e-3)


def arm():
    return ts.Model(
        bodies=(ts.Body("a", 3.0, (0.3, 0, 0)), ts.Body("b", 1.0, (0.2, 0, 0))),
        joints=(
            ts.Joint("j1", "world", "a", ts.Revolute((0, -1, 0))),
            ts.Joint("j2", "a", "b", ts.Revolute((0, -1, 0)), at=(0.5, 0, 0)),
        ),
    )


def test_comparison_page(tmp_path):
    laws = [
        ts.robots.Cubic(0, 1.0, 1.0),
        ts.robots.Quintic(0, 1.0, 1.0),
        ts.robots.Quintic(0, 1.0, 2.0),
    ]
    found = ts.robots.compare_profiles(
        arm(), "j1.angle", laws, frequencies=(3.0,), at={"j2.angle": 0.4}
    )
    assert list(found.rows) == ["Cubic", "Quintic 2", "Quintic 3"]
    run = ts.inverse(arm(), {"j1.angle": laws[0], "j2.angle": "0.4 + 0*t"}, points=401)
    row = found.rows["Cubic"]
    assert row["peak"] == pytest.approx(abs(run["j1.effort"]).max())
    t, p = run.time, abs(run["j1.power"])
    assert row["work"] == pytest.approx(np.sum(np.diff(t) * (p[1:] + p[:-1]) / 2), rel=1e-9)
    assert found.rows["Quintic 3"]["top speed"] == pytest.approx(15 / 16, rel=1e-4)
    found.report(tmp_path / "laws.html")
    text = (tmp_path / "laws.html").read_text()
    assert "left at 3 Hz" in text and not untold(text, FRENCH)
    with pytest.raises(ts.TorseurError, match=r"no coordinate is named 'j9\.angle'"):
        ts.robots.compare_profiles(arm(), "j9.angle", laws)


def test_transitions_of_ruckig_are_ours_from_rest_to_rest():
    pytest.importorskip("ruckig")
    for way, v, a, j in ((1.0, 1.0, 4.0, 40.0), (-0.02, 1.0, 4.0, 40.0), (0.6, 5.0, 2.0, 9.0)):
        limits = {"speed": v, "acceleration": a, "jerk": j}
        own = ts.robots.SCurve(0.2, 0.2 + way, begin=0.3, **limits)
        other = ts.robots.Transition(0.2, 0.2 + way, begin=0.3, **limits)
        assert other.duration == pytest.approx(own.duration, rel=1e-9)
        t = np.linspace(0, 0.5 + own.duration, 50)
        np.testing.assert_allclose(other(t)[0], own(t)[0], atol=1e-9)


def test_a_new_goal_in_motion():
    pytest.importorskip("ruckig")
    law = ts.robots.Transition(
        0.4, -0.3, speed=1.0, acceleration=3.0, jerk=20.0, start_speed=0.8, start_acceleration=2.0,
        end_speed=-0.2,
    )  # fmt: skip
    x, v, a = (float(y) for y in law(0.0))
    assert (x, v, a) == pytest.approx((0.4, 0.8, 2.0))
    end = law.duration * (1 - 1e-12)
    assert law.derivative(end, 0) == pytest.approx(-0.3, abs=1e-9)
    assert law.derivative(end, 1) == pytest.approx(-0.2, abs=1e-9)
    t = np.linspace(0, law.duration * (1 - 1e-9), 4001)
    assert abs(law.derivative(t, 1)).max() <= 1.0 + 1e-9
    assert abs(law.derivative(t, 2)).max() <= 3.0 + 1e-9
    assert abs(law.derivative(t, 3)).max() == pytest.approx(20.0)
    slope = np.gradient(law.derivative(t, 0), t)
    np.testing.assert_allclose(slope[1:-1], law.derivative(t, 1)[1:-1], atol=1e-5)
    run = ts.inverse(arm(), {"j1.angle": law})
    assert np.isfinite(run["j1.effort"]).all()
    with pytest.raises(ts.TorseurError, match=r"start_speed = 2 is beyond the limit 1 by 1"):
        ts.robots.Transition(0, 1, speed=1.0, start_speed=2.0)


def test_hysteresis_of_a_gear_has_the_width_it_says():
    """One arc-minute at no torque, three-piece stiffness; the loop's area by hand."""
    width = np.radians(1 / 60)
    gear = ts.robots.Gearbox(
        "g", 100, stiffness=(3.1e4, 5e4, 5.7e4), knees=(14, 48), hysteresis=width
    )
    model = ts.Model(
        bodies=(ts.Body("b", 1.0, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "b", ts.Revolute("z")),),
        forces=(ts.JointForce("twist", "j", gear.law()),),
        constraints=(ts.Driven("move", "j.angle", "0.002*sin(2*pi*t)"),),
    )
    run = ts.simulate(model, 2.0, rtol=1e-8, output=2001)
    late = run.time >= 1.0
    x, T = run["j.angle"][late], run["twist.force"][late]
    down = np.gradient(x) < 0
    ends = []
    for side in (down, ~down):
        order = np.argsort(T[side])
        ends.append(float(np.interp(0.0, T[side][order], x[side][order])))
    assert abs(ends[0] - ends[1]) == pytest.approx(width, rel=0.02)
    area = abs(np.sum((T[1:] + T[:-1]) / 2 * np.diff(x)))
    lost = run["twist.energy.dissipated"][-1] - run["twist.energy.dissipated"][late][0]
    assert lost == pytest.approx(area, rel=1e-3)
    assert lost == pytest.approx(4 * 0.002 * 3.1e4 * width / 2, rel=0.15)
    drive = gear.drive(ts.robots.Motor("m", 1, 2, 100, 1e-4), "u")
    whole = ts.from_dh([{"drive": drive}], [ts.Body("b", 1, (0.2, 0, 0))], convention="modified",
                       inputs=(ts.Input("u"),))  # fmt: skip
    moved = ts.simulate(whole, 0.05, inputs={"u": 0.3}, rtol=1e-6, output=3)
    assert moved.completed
    with pytest.raises(ts.TorseurError, match="backlash= or hysteresis="):
        ts.robots.Gearbox("g", 9, stiffness=(1e4,), backlash=1e-3, hysteresis=1e-3).law()

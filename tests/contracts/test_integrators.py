"""The contract of an integrator, on every registered one: order, interpolation, sameness."""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import Coulomb, Effort, JointForce, PointForce, Spring, TimeTable, Viscous
from torseur.integrate import METHODS
from torseur.simulation import Simulation, simulate

EVERY = pytest.mark.parametrize("method", METHODS)


def spinning(quaternion=True):
    """A top on a damped spring: quaternion (or angles), gravity, a line between points, time."""
    kind = ts.Spherical() if quaternion else ts.Spherical("zyx")
    body = ts.Body("top", mass=2.0, com=(0.1, 0, 0.4), inertia=(0.3, 0.25, 0.2, 0, 0, 0))
    forces = (
        PointForce(
            "line", a=("top", (0, 0.3, 0.4)), b=("world", (0.5, 1, 1)), law=Spring(20.0, 0.4)
        ),
    )
    return ts.Model(
        bodies=(body,), joints=(ts.Joint("ball", "world", "top", kind),), forces=forces
    ).check()


START = {"ball.rate1": 0.7, "ball.rate2": -0.4, "ball.rate3": 2.0}


def reference(system, times):
    return simulate(system, times[-1], START, method="dop853", rtol=1e-13, atol=1e-14, output=times)


def states(run):
    return np.stack([run[n] for n in run.provenance["state"]], axis=1)


def fixed(system, method, h, t_end=0.5, output="steps"):
    """An integrator with its error control switched off."""
    from dataclasses import replace

    m = METHODS[method]
    run = Simulation(system, t_end, START, method=replace(m, E=None), step=h, output=output)
    return run.go().result()


@EVERY
def test_order(method):
    system = spinning()
    exact = states(reference(system, np.array([0.0, 0.5])))[-1]
    order = METHODS[method].order
    errors, steps = [], (20, 40) if order < 8 else (3, 6)
    if order == 5:
        steps = (40, 80)
    for n in steps:
        errors.append(abs(states(fixed(system, method, 0.5 / n))[-1] - exact).max())
    seen = np.log2(errors[0] / errors[1])
    assert order - 0.35 < seen < order + 1.5, f"{method}: {seen:.2f} instead of {order}"


@EVERY
def test_interpolation(method):
    """Between steps the error falls with the order of the interpolant (or of the method)."""
    system = spinning()
    order = {"dopri5": 4, "dop853": 7, "rodas5p": 4}.get(method, min(METHODS[method].order, 3))
    times = np.linspace(0, 0.5, 38)  # no multiple of the steps
    exact = states(reference(system, times))
    errors = []
    for n in (10, 20) if order < 7 else (3, 6):
        got = states(fixed(system, method, 0.5 / n, output=times))
        errors.append(abs(got - exact).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.5, errors


@EVERY
def test_unit_quaternions_stay_unit_and_runs_repeat_bit_for_bit(method):
    system = spinning()
    step = None if METHODS[method].adaptive else 1e-3
    runs = [simulate(system, 0.5, START, method=method, step=step, rtol=1e-6) for _ in range(2)]
    q = np.stack([runs[0][f"ball.q{c}"] for c in "wxyz"])
    assert abs(np.linalg.norm(q, axis=0) - 1).max() <= 4 * np.finfo(float).eps
    assert (states(runs[0]) == states(runs[1])).all()


@pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m].adaptive])
def test_tolerance_is_kept(method):
    system = spinning()
    exact = states(reference(system, np.array([0.0, 2.0])))[-1]
    for rtol in (1e-4, 1e-7, 1e-10):
        run = simulate(system, 2.0, START, method=method, rtol=rtol, atol=rtol, output=[0.0, 2.0])
        assert abs(states(run)[-1] - exact).max() < 100 * rtol


def test_the_same_motion_in_quaternions_and_angles():
    runs = []
    for quaternion in (True, False):
        start = START if quaternion else {}
        runs.append(simulate(spinning(quaternion), 0.5, start, rtol=1e-11, atol=1e-12, output=11))
    rates = {"ball.rate1": 2.0, "ball.rate2": -0.4, "ball.rate3": 0.7}  # of z, y, x, at zero
    angles = simulate(spinning(False), 0.5, rates, rtol=1e-11, atol=1e-12, output=11)
    for c in "xyz":
        np.testing.assert_allclose(
            runs[0][f"top.angular_velocity.{c}"], angles[f"top.angular_velocity.{c}"], atol=1e-9
        )


def test_scipy_agrees():
    from scipy.integrate import solve_ivp

    system = spinning()
    run = Simulation(system, 1.0, START)
    y0, m = run.record.y.copy(), run.record.m.copy()
    want = solve_ivp(
        lambda t, y: run.rates(t, y, m), (0, 1), y0, method="DOP853", rtol=1e-12, atol=1e-12
    ).y[:, -1]
    got = simulate(system, 1.0, START, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(states(got)[-1], want[: system.nq + system.nv], atol=1e-9)


@pytest.mark.parametrize("method", ["scipy:DOP853", "scipy:LSODA", "cvode"])
def test_references_agree(method):
    if method == "cvode":
        pytest.importorskip("sksundae")
    got = simulate(spinning(), 0.5, START, method=method, rtol=1e-10, atol=1e-12, output=5)
    want = simulate(spinning(), 0.5, START, rtol=1e-11, atol=1e-12, output=5)
    np.testing.assert_allclose(states(got), states(want), atol=1e-7)
    assert method in got.outcome and got.energy_audit.relative < 1e-7


def slider(*forces, **model):
    return ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("m", mass=1.0),),
        forces=forces,
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        **model,
    )


def test_stiff_models_are_found_and_solved():
    model = slider(JointForce("k", "x", Spring(1e6)), JointForce("c", "x", Viscous(1e6)))
    run = simulate(model, 10.0, {"x.displacement": 1.0}, rtol=1e-6)
    assert run.provenance["method"] == "rodas5p" and "stiff" in run.provenance["why"]
    assert run.statistics["steps"] < 200
    assert run["x.displacement"][-1] == pytest.approx(np.exp(-10.0 * (1 + 1e-6)), rel=1e-4)


def test_a_table_in_time_is_followed_through_its_breakpoints():
    push = JointForce("push", "x", TimeTable(((0, 0), (1, 2), (1.5, -4), (2, 0))))
    for method in ("dopri5", "rodas5p"):
        run = simulate(slider(push), 3.0, method=method, rtol=1e-9)
        assert [round(e.time, 12) for e in run.events] == [1.0, 1.5, 2.0]
        assert run["x.speed"][-1] == pytest.approx(1.0 - 0.5 - 1.0, abs=1e-12)


def test_resuming_and_changing_inputs_between_samples():
    model = slider(JointForce("push", "x", Effort(input="force")), inputs=(ts.Input("force"),))

    def control(t, q, v):
        return {"force": 1.0 if t < 0.5 - 1e-9 else -1.0}

    run = simulate(model, 1.0, control=control, period=0.01)
    assert run["x.speed"][-1] == pytest.approx(0.0, abs=1e-12)
    assert run["x.displacement"][-1] == pytest.approx(0.25, abs=1e-12)
    assert run.energy_audit.relative < 1e-12


def test_a_run_that_fails_says_where_and_what_to_try():
    model = slider(JointForce("f", "x", ts.Expression("-x**3 - rate**3*x", work="supplied")))
    run = simulate(model, 100.0, {"x.displacement": 2.0, "x.speed": 1.0})
    assert not run.completed and run.time[-1] < 100
    assert "failed at t =" in run.outcome and "try" in run.outcome
    with pytest.raises(ts.IntegrationError):
        run.check()


def test_a_bouncing_ball_meets_its_closed_form_and_the_cap_on_events_is_reported():
    body = ts.Body("ball", mass=1.0)
    model = ts.Model(
        gravity=(0, 0, -10),
        bodies=(body,),
        joints=(
            ts.Joint(
                "h",
                "world",
                "ball",
                ts.Prismatic("z"),
                limits=ts.Limits(0.0, 100.0, restitution=0.5),
            ),
        ),
    )
    run = simulate(model, 1.3, {"h.displacement": 1.25}, rtol=1e-10)  # first contact at 0.5 s
    times = [e.time for e in run.events]
    np.testing.assert_allclose(times[:3], [0.5, 1.0, 1.25], atol=1e-9)
    assert run.energy_audit.dissipated == pytest.approx(
        12.5 * (1 - 1 / 64), rel=1e-9
    )  # three quarters each
    assert abs(run.energy_audit.jumps) < 1e-12 and run.energy_audit.relative < 1e-8
    late = simulate(model, 3.0, {"h.displacement": 1.25}, max_events=25)  # endless by 1.5 s
    assert not late.completed and "more than 25 events" in late.outcome
    assert "h.limits" in late.outcome


def test_regularized_friction_slows_down():
    run = simulate(slider(JointForce("mu", "x", Coulomb(2.0, 1e-4))), 1.0, {"x.speed": 1.0})
    assert run["x.displacement"][-1] == pytest.approx(0.25, abs=2e-3)
    assert run.energy_audit.dissipated == pytest.approx(0.5, abs=1e-3)


def test_thresholds_are_events_that_may_stop_the_run():
    watch = JointForce("gate", "x", ts.Threshold(0.5))
    model = slider(JointForce("k", "x", Spring(4 * np.pi**2)), watch)  # period one second
    run = simulate(model, 1.0, {"x.displacement": 1.0}, rtol=1e-10)
    np.testing.assert_allclose([e.time for e in run.events], [1 / 6, 5 / 6], atol=1e-9)
    assert [e.name for e in run.events] == ["gate: falls", "gate: rises"]
    stopped = simulate(model, 1.0, {"x.displacement": 1.0}, stop_when=["gate: rises"], rtol=1e-10)
    assert stopped.time[-1] == pytest.approx(5 / 6, abs=1e-9) and stopped.completed
    assert "stopped at t = 0.83333" in stopped.outcome and "'gate: rises'" in stopped.outcome


def test_plain_limits_are_watched():
    body = ts.Body("m", mass=1.0)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(body,),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x"), limits=(-1, 0.5)),),
    )
    assert "limits" not in simulate(model, 1.0, {"x.speed": 0.4}).outcome
    assert (
        "x.displacement left its limits -1 .. 0.5 m at t = 0.5"
        in simulate(model, 1.0, {"x.speed": 1.0}).outcome
    )


def test_compliant_stops_send_the_body_back():
    body = ts.Body("m", mass=1.0)
    stop = ts.Limits(-1.0, 0.5, stiffness=1e4)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(body,),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x"), limits=stop),),
    )
    run = simulate(model, 2.0, {"x.speed": 1.0}, rtol=1e-10)
    assert [e.name.split(": ")[1] for e in run.events] == ["high stop", "high stop"]
    assert run["x.speed"][-1] == pytest.approx(-1.0, abs=1e-8)
    assert run["x.displacement"].max() == pytest.approx(0.5 + 0.01, abs=1e-4)
    assert run.energy_audit.relative < 1e-8


@EVERY
def test_a_run_does_not_depend_on_how_it_is_cut(method):
    """Stopping after every attempt, refused ones too, gives the same bits as one go."""
    stop = ts.Limits(-0.5, 0.5, stiffness=1e4)
    system = slider(JointForce("stop", "x", stop), JointForce("pull", "x", Spring(30.0)))
    adaptive = METHODS[method].adaptive
    whole, cut = (
        Simulation(
            system, 1.0, {"x.speed": 4.0}, method, output=11, step=0.1 if adaptive else 0.002
        )
        for _ in range(2)
    )
    whole.go()
    while cut.t < 1.0:
        cut.advance(1.0, 1)
    a, b = whole.result(), cut.result()
    assert adaptive == bool(a.statistics["rejected"])
    assert len(a.events) > 2 and a.events == b.events
    assert all(np.array_equal(a[n], b[n]) for n in a.provenance["state"])


def test_a_new_method_is_one_file(tmp_path, monkeypatch):
    """Heun's method, from a file outside the package, is of its order and told in messages."""
    (tmp_path / "heun.py").write_text(
        "from torseur.integrate import explicit_method, method\n\n\n"
        "@method\n"
        "def heun():\n"
        "    rows = [(), (1,), (0.5, 0.5)]\n"
        '    return explicit_method("heun", 2, rows, (0, 1, 1), "Heun, fixed step")\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    import heun  # noqa: F401

    try:
        system = spinning()
        exact = states(reference(system, np.array([0.0, 0.5])))[-1]
        runs = [simulate(system, 0.5, START, method="heun", step=0.5 / n) for n in (40, 80)]
        one, two = (abs(states(run)[-1] - exact).max() for run in runs)
        assert 1.65 < np.log2(one / two) < 3.5
        with pytest.raises(ts.TorseurError, match="heun"):
            simulate(system, 0.5, START, method="hein")
    finally:
        METHODS._held.pop("heun")

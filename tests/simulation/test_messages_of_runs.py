"""What a run says when it cannot start, and runs without anything that moves."""

import warnings

import numpy as np
import pytest

import torseur as ts
from torseur.simulation import simulate


def pendulum(**model):
    return ts.Model(
        bodies=(ts.Body("b", mass=1.0, com=(0, 0, -1)),),
        joints=(ts.Joint("j", "world", "b", ts.Revolute("y")),),
        **model,
    )


@pytest.mark.parametrize("wrong", [[0.1, 0.2], 5, "j.angle"])
def test_a_start_is_names_with_numbers(wrong):
    for model in (pendulum(), pendulum(initial={"j.angle": 0.1})):
        with pytest.raises(ts.ArgumentError, match="coordinates and speeds: expected a dictionary"):
            simulate(model, 1.0, wrong)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"t_end": -1}, "t_end = -1.0 s lies before the start, 0.0 s"),
        ({"t_end": float("nan")}, "t_end = nan s"),
        ({"t_end": 1, "method": "rk5"}, "no method is named 'rk5'; did you mean 'rk4'?"),
        ({"t_end": 1, "method": "rk4"}, "method 'rk4' has a fixed step; give step="),
        ({"t_end": 1, "method": "rk4", "step": 0}, "step = 0 s; use more than zero"),
        ({"t_end": 1, "output": "all"}, "expected 'steps', a number of rows, or times"),
        ({"t_end": 1, "output": [0.5, 0.2]}, "output times must grow"),
        ({"t_end": 1, "inputs": {"u": 1}}, "no input is named 'u'"),
        ({"t_end": 1, "parameters": {"k": 1}}, "no parameter is named 'k'"),
        ({"t_end": 1, "stop_when": ["x"]}, "no event is named 'x'"),
        ({"t_end": 1, "initial": {"j.angel": 1}}, "did you mean 'j.angle'?"),
        ({"t_end": 1, "control": lambda t, q, v: 0}, "needs both control= and period="),
        ({"t_end": None}, "no end time: give t_end="),
        ({"t_end": float("inf")}, "t_end = inf s; expected a finite number of seconds"),
        ({"t_end": 1, "method": "rk4", "step": 1e-300}, "less than rounding of the time"),
        ({"t_end": 1, "max_step": 0}, "max_step = 0 s; use more than zero"),
        ({"t_end": 1, "max_step": float("nan")}, "max_step = nan s; use more than zero"),
        ({"t_end": 1, "output": 0}, "output=0: expected"),
        ({"t_end": 1, "output": 2.5}, "output=2.5: expected"),
        ({"t_end": 1, "output": [0, float("nan")]}, "nan]: expected 'steps', a number of rows"),
        ({"t_end": 1, "output": [0, 2]}, "output asks for t = 2 s, after the end at 1 s"),
        ({"t_end": 1, "stop_when": "wall"}, "no event is named 'wall'"),
        ({"t_end": 1, "stop_when": 3}, "stop_when = 3; expected names"),
        ({"t_end": 1, "max_events": -1}, "max_events = -1; expected a whole number"),
        ({"t_end": 1, "max_events": "few"}, "max_events = 'few'"),
        (
            {"t_end": 1, "control": 3, "period": 0.1},
            "control = 3; expected a function of (t, q, v)",
        ),
        (
            {"t_end": 1, "control": lambda t, q, v: {}, "period": 0.1, "method": "cvode"},
            "method 'cvode' is a reference that knows no controllers",
        ),
    ],
)
def test_messages(options, text):
    with pytest.raises(ts.TorseurError) as caught:
        simulate(pendulum(), **options)
    assert text in str(caught.value)


def test_inputs_have_sizes():
    model = pendulum(
        inputs=(ts.Input("hand", size=6),), forces=(ts.Wrench("push", "b", input="hand"),)
    )
    with pytest.raises(ts.TorseurError, match="input 'hand' takes 6 numbers"):
        simulate(model, 1.0, inputs={"hand": 1.0})
    with pytest.raises(ts.TorseurError, match="the controller gave 2 numbers for 6 inputs"):
        simulate(model, 1.0, control=lambda t, q, v: [1, 2], period=0.1)
    run = simulate(model, 0.5, inputs={"hand": (0, 2.0, 0, 0, 0, 0)})
    assert run["j.rate"][-1] > 0 and run.energy_audit.supplied > 0
    assert run.energy_audit.relative < 1e-7


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rk4"])
def test_nothing_that_moves(method):
    model = ts.Model(
        bodies=(ts.Body("b", mass=1.0),), joints=(ts.Joint("w", "world", "b", ts.Weld()),)
    )
    run = simulate(model, 1.0, method=method, step=0.1, output=3)
    assert run.completed and len(run.time) == 3


NAN = float("nan")


@pytest.mark.parametrize(
    "options, text",
    [
        ({"parameters": {"c": NAN}}, "parameter 'c': expected a finite number, got nan"),
        ({"inputs": {"u": NAN}}, "input 'u' is [nan]; expected finite numbers"),
        ({"inputs": {"u": [1, "a"]}}, "input 'u' is [1, 'a']; expected numbers"),
        ({"inputs": [1.0]}, "inputs = [1.0]; expected a dictionary"),
        ({"control": lambda t, q, v: [NAN], "period": 0.1}, "input 'u' is [nan]"),
        (
            {"control": lambda t, q, v: "push", "period": 0.1},
            "the controller gave 'push' at t = 0 s",
        ),
    ],
)
def test_numbers_from_outside_are_finite(options, text):
    motor = ts.JointForce("motor", "j", ts.Effort(input="u"))
    grease = ts.JointForce("grease", "j", ts.Viscous("c"))
    model = pendulum(inputs=(ts.Input("u"),), forces=(motor, grease), parameters={"c": 0.1})
    with pytest.raises(ts.TorseurError) as caught:
        simulate(model, 1.0, **options)
    assert text in str(caught.value)
    with pytest.raises(ts.ArgumentError, match="expected finite numbers"):
        ts.linearize(model, inputs={"u": NAN})
    held = simulate(model, 0.2, inputs={"u": 3.0}, control=lambda t, q, v: None, period=0.1)
    assert held["u"][-1] == 3


@pytest.mark.filterwarnings("error")
def test_a_start_too_fast_to_measure_is_no_traceback():
    assert "t = " in simulate(pendulum(), 1.0, {"j.rate": 1e200}).outcome


def test_no_time_is_one_row():
    assert len(simulate(pendulum(), 0.0).time) == 1


@pytest.mark.parametrize("value", [lambda t: 3 * t, "3*t"], ids=["function", "text"])
def test_inputs_of_a_plain_run_hold_their_value(value):
    """`simulate` writes functions of time into the model; a `Simulation` has numbers only."""
    model = pendulum(
        inputs=(ts.Input("u"),), forces=(ts.JointForce("motor", "j", ts.Effort(input="u")),)
    )
    with pytest.raises(
        ts.ArgumentError,
        match=r"input 'u' is .*, but an input holds its value; "
        r"a function of time is a law, ts\.Expression.*control=lambda t, q, v",
    ):
        ts.Simulation(model, 1.0, inputs={"u": value})
    law = ts.Expression("-3*t", work="supplied")  # as the message advises
    told = simulate(pendulum(forces=(ts.JointForce("motor", "j", law),)), 1.0, rtol=1e-10)
    held = simulate(model, 1.0, control=lambda t, q, v: {"u": 3 * (t + 5e-4)}, period=1e-3)
    assert held["j.angle"][-1] == pytest.approx(told["j.angle"][-1], abs=1e-5)
    timed = simulate(model, 1.0, inputs={"u": value}, rtol=1e-10)
    assert timed["j.angle"][-1] == pytest.approx(told["j.angle"][-1], abs=1e-9)


def test_elements_take_as_many_inputs_as_the_model_has():
    model = pendulum(
        inputs=(ts.Input("u"), ts.Input("hand", size=6)),
        forces=(
            ts.JointForce("motor", "j", ts.Effort(input="u")),
            ts.Wrench("push", "b", input="hand"),
        ),
    )
    dyn = ts.compile(model)
    with pytest.raises(
        ts.KernelError,
        match=r"u= has the shape \(2,\), but the model has 7 "
        r"numbers of inputs: u, hand \(6\); expected \(\.\.\., 7\)",
    ):
        dyn.applied(0.0, [0.1], [0.0], u=[1.0, 2.0])
    with pytest.raises(ts.KernelError, match="m= has the shape"):
        dyn.applied(0.0, [0.1], [0.0], m=[1.0])
    assert dyn.applied(0.0, [0.1], [0.0], u=[2.0] + [0.0] * 6) == pytest.approx([2.0])


@pytest.mark.parametrize(
    "motion, text",
    [
        (None, "inverse: expected a motion: {coordinate: law}"),
        (3.0, "got 3.0"),
        ({"j.angel": "t"}, "did you mean 'j.angle'"),
        ({"j.angle": [1, 2]}, "arrays need 'time'"),
        ({"j.angle": "t"}, "give times="),
        ({"j.angle": "t + y"}, "'j.angle' = 't + y'"),
        ({"time": [0, 1], "j.angle": [1, 2]}, "has 2 rows; a spline needs six"),
        ({"time": [0, 1], "j.angle": [1, 2, 3]}, "has the shape (3,), its times (2,)"),
        ({"j.angle": lambda t: t}, "must give (position, speed, acceleration)"),
    ],
)
def test_motions_that_are_none(motion, text):
    times = [0.0, 1.0] if isinstance(motion, dict) and callable(motion.get("j.angle")) else None
    with pytest.raises(ts.TorseurError) as caught:
        ts.inverse(pendulum(), motion, times)
    assert text in str(caught.value)


@pytest.mark.parametrize("times", ["abc", [], [1.0, 0.0], [[0.0, 1.0]], [0.0, float("nan")]])
def test_times_that_are_none(times):
    with pytest.raises(ts.ArgumentError, match=r"times=.*expected growing times \[s\]"):
        ts.inverse(pendulum(), {"j.angle": "t"}, times)
    with pytest.raises(ts.TorseurError, match="nobody can make the efforts of 1 degree of freedom"):
        ts.inverse(pendulum(), {"j.angle": "t"}, [0.0], actuators=[])


@pytest.mark.parametrize(
    "late, text",
    [
        (lambda: {"u": NAN}, "input 'u' is [nan] at t = 0.375 s; expected finite numbers"),
        (lambda: {"w": 1.0}, "no input is named 'w' (known: u)"),
        (lambda: "push", "the controller gave 'push' at t = 0.375 s"),
        (
            lambda: 1 / 0,
            "the controller failed, ZeroDivisionError: division by zero (test_",
        ),
    ],
)
def test_a_controller_that_fails_on_the_way_costs_no_row(late, text):
    motor = ts.JointForce("motor", "j", ts.Effort(input="u"))
    model = pendulum(inputs=(ts.Input("u"),), forces=(motor,))

    def control(t, q, v):
        return late() if t > 0.25 else {"u": 0.1}

    run = simulate(model, 1.0, control=control, period=0.125, output=81)
    assert not run.completed and run.time[-1] == pytest.approx(0.375) and len(run.time) == 31
    assert run.outcome.startswith("stopped at t = 0.375 s of 1 s: ") and text in run.outcome
    assert run.outcome.endswith("; the results so far are kept")
    whole = simulate(model, 1.0, inputs={"u": 0.1}, output=81)
    np.testing.assert_allclose(run["j.angle"], whole["j.angle"][:31], atol=1e-7)
    with pytest.raises(ts.IntegrationError, match=r"stopped at t = 0\.375 s"):
        run.check()
    with pytest.raises((ts.TorseurError, ZeroDivisionError)):  # at the start nothing is lost
        simulate(model, 1.0, control=lambda t, q, v: late(), period=0.125)


def test_what_takes_minutes_to_compile_is_told_before(monkeypatch):
    monkeypatch.setattr("torseur.simulation.run.budget.MAX_QUICK_DERIVATIVES", 0)
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    model = ts.Model(
        "swing", bodies=(rod,), joints=(ts.Joint("p", "world", "rod", ts.Revolute("y")),)
    )
    ts.simulate(model, 0.1, {"p.angle": 0.1})
    text = r"'swing' has 1 speeds and constraint rows, and the method 'rodas5p' asks for all their "
    with pytest.warns(ts.ModelWarning, match=text):
        ts.simulate(model, 0.1, {"p.angle": 0.1}, method="rodas5p")
    with pytest.warns(ts.ModelWarning, match="sensitivities ask for their derivatives, which are"):
        ts.simulate(model, 0.1, {"p.angle": 0.1}, sensitivities="rod.mass")


def test_a_motion_that_takes_minutes_to_compile_is_told_before(monkeypatch):
    monkeypatch.setattr("torseur.simulation.run.budget.MAX_QUICK_MOTION", 1)
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    joint = ts.Joint("p", "world", "rod", ts.Revolute("y"))
    parts = {"bodies": (rod,), "joints": (joint,)}
    rubs = ts.DryFriction("d", "p.angle", 0.1)
    touches = ts.Contact("c", ("rod", (0, 0, -2)), ground=("world", (0, 0, -3)))
    drives = ts.Driven("m", "p.angle", "t")
    for more, text in (
        ((rubs,), "1 dry frictions that stick in one mechanism: .*; ts.Coulomb or"),
        ((touches, drives), "contacts or dry frictions beside loops: .*ts.PlaneForce"),
    ):
        system = ts.Model("swing", constraints=more, **parts).check()
        with pytest.warns(ts.ModelWarning, match=text) as told:
            ts.simulate(system, 0.01)
        assert len(told) == 1 and told[0].filename == __file__
        with warnings.catch_warnings():  # once for each system
            warnings.simplefilter("error")
            ts.simulate(system, 0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.simulate(ts.Model("swing", constraints=(drives,), **parts), 0.01)

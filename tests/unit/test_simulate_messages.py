"""What a run says when it cannot start, and runs without anything that moves."""

import pytest

import torseur as ts
from torseur.simulate import simulate


def pendulum(**model):
    return ts.Model(bodies=(ts.Body("b", mass=1.0, com=(0, 0, -1)),),
                    joints=(ts.Joint("j", "world", "b", ts.Revolute("y")),), **model)


@pytest.mark.parametrize("options, text", [
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
])
def test_messages(options, text):
    with pytest.raises(ts.TorseurError) as caught:
        simulate(pendulum(), **options)
    assert text in str(caught.value)


def test_inputs_have_sizes():
    model = pendulum(inputs=(ts.Input("hand", size=6),),
                     forces=(ts.forces.Wrench("push", "b", input="hand"),))
    with pytest.raises(ts.TorseurError, match="input 'hand' takes 6 numbers"):
        simulate(model, 1.0, inputs={"hand": 1.0})
    with pytest.raises(ts.TorseurError, match="the controller gave 2 numbers for 6 inputs"):
        simulate(model, 1.0, control=lambda t, q, v: [1, 2], period=0.1)
    run = simulate(model, 0.5, inputs={"hand": (0, 2.0, 0, 0, 0, 0)})
    assert run["j.rate"][-1] > 0 and run.energy_audit.supplied > 0
    assert run.energy_audit.relative < 1e-7


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rk4"])
def test_nothing_that_moves(method):
    model = ts.Model(bodies=(ts.Body("b", mass=1.0),),
                     joints=(ts.Joint("w", "world", "b", ts.Weld()),))
    run = simulate(model, 1.0, method=method, step=0.1, output=3)
    assert run.completed and len(run.time) == 3


def test_no_time_is_one_row():
    assert len(simulate(pendulum(), 0.0).time) == 1

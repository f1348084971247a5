"""A run that is interrupted says so: rows kept, not completed, exit 130; no interrupt is lost."""

import itertools
import json
import os
import signal

import numpy as np
import pytest

import torseur as ts
from torseur.cli.main import main
from torseur.dynamics import SOLUTIONS
from torseur.simulation import interrupt
from torseur.simulation.run import Run


@pytest.fixture(autouse=True)
def keyboard():
    """Ctrl-C as at a terminal, also where the suite was started with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


BARS = (("crank", 0.3), ("coupler", 0.8), ("rocker", 0.6))
START = {"A.angle": 1.0, "A.rate": 2.0, "B.angle": -0.6, "D.angle": 1.6}


def four_bar():
    pin = ts.Revolute("z")
    bodies = [
        ts.Body(n, 2 * x, (x / 2, 0, 0), (1e-3, x**3 / 6, x**3 / 6, 0, 0, 0)) for n, x in BARS
    ]
    joints = (
        ts.Joint("A", "world", "crank", pin),
        ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
        ts.Joint("D", "world", "rocker", pin, at=(0.9, 0, 0)),
    )
    loop = ts.Loop("C", "rocker", "coupler", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0))
    return ts.Model("four bar", bodies=bodies, joints=joints, loops=(loop,), gravity=(0, -9.81, 0))


def pressed_after(monkeypatch, calls, swallowed=False):
    """A real Ctrl-C while the native steps of a run are taken for the n-th time."""
    advance, count = Run.advance, itertools.count(1)

    def pressed(run, *args):
        out = advance(run, *args)
        if next(count) == calls:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                if not swallowed:  # as CasADi does inside an array
                    raise
        return out

    monkeypatch.setattr(Run, "advance", pressed)


@pytest.mark.parametrize("swallowed", [False, True])
@pytest.mark.parametrize("solution", SOLUTIONS)
def test_an_interrupted_run_is_not_complete(solution, swallowed, monkeypatch):
    pressed_after(monkeypatch, 2, swallowed)
    options = {"keep": ("A.angle", "A.rate"), "solution": solution, "output": "steps"}
    run = ts.simulate(four_bar(), 1e5, START, **options)
    assert not run.completed and run.outcome.startswith("interrupted at t = ")
    assert 0 < run.time[-1] < 1e5 and len(run.time) > 10
    with pytest.raises(ts.IntegrationError, match="interrupted"):
        run.check()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_command_exits_with_130(monkeypatch, tmp_path, capsys):
    rod = ts.Body("rod", 1.0, (0, 0, -1.0))
    joint = ts.Joint("j", "world", "rod", ts.Revolute("y"))
    ts.Model("m", bodies=(rod,), joints=(joint,)).save(tmp_path / "m.yaml")
    pressed_after(monkeypatch, 2)
    words = ["simulate", str(tmp_path / "m.yaml"), "--t-end", "1e5", "--json"]
    assert main([*words, "--initial", "j.angle=1"]) == 130
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is False and said["completed"] is False and "interrupted" in said["outcome"]


def test_steps_between_two_looks_at_the_keyboard_are_few(monkeypatch):
    """Chunks follow the time they take: two tenths of a second, whatever the model."""
    asked, spent = [], iter(np.repeat([0.1, 1.0, 1.0, 1.0], 3))
    advance = Run.advance

    def slow(run, stop, most):
        asked.append(most)
        code = advance(run, stop, most)
        run.elapsed += next(spent, 0.2)
        return code

    monkeypatch.setattr(Run, "advance", slow)
    ts.simulate(four_bar(), 200.0, START, keep=("A.angle", "A.rate"))
    assert max(asked[5:8]) <= max(asked[0] // 4, 1)


def test_outside_the_main_handler_nothing_is_touched():
    def mine(*_):
        pass

    before = signal.signal(signal.SIGINT, mine)
    try:
        with interrupt.Heed() as heed:
            assert signal.getsignal(signal.SIGINT) is mine
            heed.now()
    finally:
        signal.signal(signal.SIGINT, before)

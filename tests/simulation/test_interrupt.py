"""A run that is interrupted says so: rows kept, not completed, exit 130; no interrupt is lost."""

import dataclasses
import itertools
import json
import os
import re
import signal
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur import keyboard
from torseur.cli.main import main
from torseur.dynamics import SOLUTIONS
from torseur.simulation import interrupt
from torseur.simulation.ensemble import smooth_simd
from torseur.simulation.run.run import Simulation

batch_module = import_module("torseur.simulation.ensemble.batch")


@pytest.fixture(autouse=True)
def default_keyboard():
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
    advance, count = Simulation.advance, itertools.count(1)

    def pressed(run, *args):
        out = advance(run, *args)
        if next(count) == calls:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                if not swallowed:  # as CasADi does inside an array
                    raise
        return out

    monkeypatch.setattr(Simulation, "advance", pressed)


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
    advance = Simulation.advance

    def slow(run, stop, most):
        asked.append(most)
        code = advance(run, stop, most)
        run.elapsed += next(spent, 0.2)
        return code

    monkeypatch.setattr(Simulation, "advance", slow)
    ts.simulate(four_bar(), 200.0, START, keep=("A.angle", "A.rate"))
    assert max(asked[5:8]) <= max(asked[0] // 4, 1)


def test_outside_the_main_handler_nothing_is_touched():
    def mine(*_):
        pass

    before = signal.signal(signal.SIGINT, mine)
    try:
        with interrupt.InterruptFlag() as flag:
            assert signal.getsignal(signal.SIGINT) is mine
            flag.raise_pending()
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_ctrl_c_in_a_destructor_is_pressed_again(monkeypatch):
    """Python can only report it as ignored; it comes out a moment later all the same."""
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    keyboard.resend_lost_interrupts()

    class Unlucky:
        def __init__(self, error):
            self.error = error

        def __del__(self):
            raise self.error

    with pytest.raises(KeyboardInterrupt):
        Unlucky(KeyboardInterrupt)
        for _ in range(1000):
            time.sleep(0.01)
    Unlucky(ZeroDivisionError)
    assert [x.exc_type for x in told] == [ZeroDivisionError]  # others are told as ever


def test_writing_in_parts_is_not_torn():
    done = []
    with pytest.raises(KeyboardInterrupt), keyboard.defer_interrupts():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("the other part")
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler


RAIL = ts.Model(
    gravity=(0, 0, 0),
    bodies=(ts.Body("b", 1.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("f", "x", ts.Spring(100.0)),),
)
STOPS = dataclasses.replace(
    RAIL, forces=(ts.JointForce("f", "x", ts.Limits(-1, 1, stiffness=1e4, damping=1.0)),)
)


@pytest.mark.parametrize(
    "model, options",
    [
        (RAIL, {}),
        (RAIL, {"step": 0.01}),
        (STOPS, {}),
        (RAIL, {"method": "rodas5p"}),
    ],
)
def test_an_interrupted_batch_keeps_what_is_finished(model, options, monkeypatch):
    """A Ctrl-C after the first of several pieces of work: its runs are whole, the others say so."""
    count = itertools.count(1)

    def in_turn(work, items, threads, lost=None, progress=None):
        def pressed(x, interrupt):
            if next(count) == 2:
                os.kill(os.getpid(), signal.SIGINT)
                while not interrupt.is_set:  # the main thread hears it
                    time.sleep(0.001)
            interrupt.raise_pending()
            return work(x, interrupt)

        return threaded(pressed, items, 1, lost)

    threaded = interrupt.map_threads
    for module in (smooth_simd, batch_module):
        monkeypatch.setattr(module, "map_threads", in_turn)
    angles = np.linspace(0.1, 1.0, 300)
    got = ts.batch(model, 1.0, {"x.displacement": angles}, output=5, **options)
    whole = int(got.completed.sum())
    assert 0 < whole < 300
    monkeypatch.undo()
    want = ts.batch(model, 1.0, {"x.displacement": angles}, output=5, **options)
    for i in range(300):
        if got.completed[i]:
            np.testing.assert_array_equal(got["x.displacement"][i], want["x.displacement"][i])
        else:
            assert "interrupted before its end" in got.outcomes[i]
            assert np.isnan(got["x.displacement"][i, -1])


def test_work_of_many_runs_ends_with_an_interrupted_one(monkeypatch):
    """A study whose members are single runs, and a fit: KeyboardInterrupt, no half run counted."""
    from torseur.simulation import obeyed

    pressed_after(monkeypatch, 2)
    run = ts.simulate(four_bar(), 1e5, START, keep=("A.angle", "A.rate"), output="steps")
    with pytest.raises(KeyboardInterrupt):
        obeyed(run)


def test_parts_of_larger_work_obey():
    """Every call of `simulate` by studies, fits and designs goes through `obeyed`."""
    room = Path(ts.__path__[0])
    for name in ("studies", "identify", "robots", "vehicles", "crash"):
        for file in (room / name).rglob("*.py"):
            text = file.read_text()
            calls = re.findall(r"^ +(?!.*>>>)(?:run = |return |.*= )simulate\($", text, re.M)
            assert len(calls) <= text.count("obeyed("), file

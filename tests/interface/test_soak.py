"""Short soaks with fixed seeds; `make soak` takes an hour, `make fuzz` any number of files."""

import signal

import pytest
from soak import interrupts, kills, long_runs, memory, models


def test_random_mechanisms_agree():
    faults, tried, _ = models.run("floats", 16, seed=5)
    assert not faults and tried.keys() == {"tree", "loop", "rolling"}


def test_the_comparison_sees_a_difference():
    with pytest.raises(models.Differs, match="efforts: off by"):
        models.agree("efforts", [1.0, 2.0 + 1e-6], [1.0, 2.0], models.EFFORTS)
    with pytest.raises(models.Differs):
        models.agree("efforts", [float("nan")], [1.0], models.EFFORTS)


@pytest.mark.parametrize(
    "name, rtol",
    [
        (n, r)
        if n == "pendulum"
        else pytest.param(n, r, marks=[pytest.mark.slow] * (n != "rolling disc" or r < 1e-9))
        for n in long_runs.CASES
        for r in long_runs.MOST
    ],
)
def test_long_runs_keep_their_books(name, rtol):
    """1000 s: the audit at most 1e-6 at rtol 1e-8, 1e-9 at 1e-11; IN.13."""
    said, run = long_runs.one(name, 1000.0, rtol)
    assert not said and run.time[-1] == 1000.0


@pytest.mark.slow
def test_more_random_mechanisms():
    for way, count in (("floats", 400), ("compiled", 24)):
        assert not models.run(way, count, seed=6)[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", memory.CALLS)
def test_memory_stays_flat(name):
    assert memory.left(name, 1000) <= memory.MOST


@pytest.mark.slow
def test_ctrl_c_at_random_moments(monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", "off")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert interrupts.run(60, seed=7)[0] == []
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_kills_at_random_moments(monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", "off")  # given back afterwards
    assert kills.run(30, seed=8)[0] == []

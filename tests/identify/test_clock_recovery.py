"""Late stamps of even ticks are mended; right stamps are left as they are.  Theory: ID.21."""

import numpy as np
import pytest

import torseur as ts
from torseur.identify.robots.data import samples
from torseur.signal_processing import recover_clock

TICK = 1e-3


def motion(t):
    turn = np.array([2.0, 3.1]) * t[:, None] + [0.3, 1.0]
    rate = np.array([2.0, 3.1])
    return np.sin(turn), rate * np.cos(turn), -(rate**2) * np.sin(turn)


def recorded(rng, n=4000):
    """(stamps, times): the robot's last row, read at uneven times; some lost, some read twice."""
    read = np.cumsum(TICK * rng.uniform(0.75, 1.3, n))
    return read, TICK * np.floor(read / TICK)


def arm():
    rod = {"mass": 2.0, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.01, 0, 0, 0)}
    return ts.Model(
        bodies=(ts.Body("upper", **rod), ts.Body("lower", **rod)),
        joints=(
            ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
            ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -1)),
        ),
    )


def test_the_ticks_are_found():
    stamps, times = recorded(np.random.default_rng(1))
    found = recover_clock(stamps, motion(times)[0], 10.0)
    wrong = abs(np.diff(found - times))
    assert np.ptp(found - times) < TICK and (wrong > 0.01 * TICK).mean() < 0.002  # near rest
    assert np.mean(abs(np.diff(stamps - times)) > 0.01 * TICK) > 0.9


def test_accelerations_and_parameters_are_better_for_it():
    stamps, times = recorded(np.random.default_rng(2))
    q, v, a = motion(times)
    model = arm()
    data = (stamps, q, ts.compile(model).inverse_dynamics(q, v, a))
    noise, off = {}, {}
    for mend in (False, True):
        seen = samples(model.check(), data, clock=mend)
        exact = ts.compile(model).inverse_dynamics(seen.q, seen.v, seen.a)
        noise[mend] = np.sqrt(((exact - seen.tau)[50:-50] ** 2).mean())
        found = ts.identify.robot(model, seen, friction="viscous", consistent=False)
        off[mend] = np.sqrt(((found.predict(q, v, a) - data[2]) ** 2).mean())
    assert noise[True] < 0.1 * noise[False] and off[True] < 0.5 * off[False]
    assert len(ts.identify.robot(model, data, consistent=False).data) == len(seen)


@pytest.mark.parametrize("case", ["even", "lost, and said so", "irregular", "coarse", "at rest"])
def test_stamps_that_are_right_or_not_to_be_told_stay(case):
    rng = np.random.default_rng(3)
    t = TICK * np.arange(3000)
    if case == "lost, and said so":
        t = t[np.sort(rng.permutation(len(t))[:2500])]
    if case == "irregular":  # measured at these times, in truth
        t = t + rng.uniform(0, 0.6 * TICK, len(t))
    q = motion(t)[0]
    if case == "coarse":  # steps of the sensor hide the clock
        t, q = t + rng.uniform(0, 0.3 * TICK, len(t)), np.round(q, 2)
    if case == "at rest":
        t, q = t + rng.uniform(0, 0.3 * TICK, len(t)), 0 * q
    assert recover_clock(t, q, 10.0) is t

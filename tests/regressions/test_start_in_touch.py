"""A run that starts in touch: sliding goes on as given; what strikes at once is told and booked."""

import numpy as np
import pytest

import torseur as ts
from torseur.results import Event

HALF, J = 0.5, 0.25 / 3  # half a rod's length [m], its inertia [kg m2]; mass 1 kg


def leaning(mu):
    return ts.Model(
        "rod",
        bodies=(ts.Body("rod", 1.0, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("p", "world", "rod", ts.Planar("y", order="translation_first")),),
        constraints=(ts.Contact("tip", ("rod", (0, 0, -HALF)), friction=mu),),
    )


@pytest.mark.parametrize(("mu", "speed"), [(0.0, 2.0), (0.2, 2.0), (0.2, -2.0), (1.6, 2.0)])
def test_a_sliding_tip_keeps_the_speed_given(mu, speed):
    angle = np.radians(30)
    start = {"p.angle": angle, "p.x": HALF * np.cos(angle), "p.speed_y": speed}
    run = ts.simulate(leaning(mu), 0.02, start)
    s, c = np.sin(angle), np.cos(angle)
    normal = 9.81 / (1 + 3 * s * (s + np.sign(speed) * mu * c))  # of the sliding rod, exact
    assert run["energy.kinetic"][0] == pytest.approx(2.0, rel=1e-12) and not run.events
    assert run["tip.normal.multiplier"][0] == pytest.approx(normal, rel=1e-9)
    assert run.completed and "jump" not in run.outcome


def test_what_strikes_at_the_start_is_told_and_booked():
    ball = ts.Model(
        "ball",
        bodies=(ts.Body("ball", 2.0),),
        joints=(ts.Joint("z", "world", "ball", ts.Prismatic("z")),),
        constraints=(ts.Contact("ground", "ball", restitution=0.5),),
    )
    run = ts.simulate(ball, 0.1, {"z.speed": -3.0})
    assert run["z.speed"][0] == pytest.approx(1.5)
    assert run.events[0] == Event(0.0, "start: speeds jump")
    assert "z.speed from -3 to 1.5" in run.outcome
    assert run["energy.dissipated"][0] == pytest.approx(0.5 * 2 * (9 - 2.25), rel=1e-12)


@pytest.mark.parametrize(("mu", "angle", "speed"), [(1.6, 30, -2.0), (2.0, -30, 2.0)])
def test_a_rod_that_jams_jumps_with_an_event_and_a_book(mu, angle, speed):
    angle = np.radians(angle)
    start = {"p.angle": angle, "p.x": HALF * np.cos(angle), "p.speed_y": speed}
    run = ts.simulate(leaning(mu), 0.1, start)
    (jam,) = [e for e in run.events if e.name == "tip: speeds jump"]
    assert jam.time < 1e-9 and run["p.speed_y"][0] == speed
    before, after = np.flatnonzero(run.time == jam.time)[[0, -1]]
    lost = run["energy.dissipated"][after] - run["energy.dissipated"][before]
    kinetic = run["energy.kinetic"]
    assert lost > 0.1 and kinetic[before] - kinetic[after] == pytest.approx(lost, rel=1e-12)

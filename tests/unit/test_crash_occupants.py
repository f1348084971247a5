"""Occupants: a mass behind a slack is the pulse index; every one of them closes its books."""

import numpy as np
import pytest

import torseur as ts
from torseur.crash import (
    Belt,
    Dummy,
    Member,
    OneMass,
    ThreeBody,
    Vehicle,
    Wall,
    against,
    occupant_metrics,
    seated,
    sled,
)

T = np.arange(0, 0.1201, 1e-3)
PULSE = -300 * np.sin(np.pi * np.clip(T, 0, 0.1) / 0.1) ** 2


def test_one_mass_behind_a_slack_is_the_pulse_index():
    """The run steps through events; the index solves each interval in closed form."""
    mass = OneMass(1.0, Belt(slack=0.03, stiffness=2500.0, limit=1e4))
    run = ts.simulate(seated(sled(T, PULSE, 14), "cabin", mass), output=2001, rtol=1e-9)
    want = ts.crash.vpi(T, PULSE)
    got = abs(run["driver.acceleration.x"])
    assert got.max() == pytest.approx(want, rel=1e-6)
    assert run.time[got.argmax()] == pytest.approx(want.time, abs=1e-4)


def test_the_sled_moves_as_its_pulse_says():
    run = ts.simulate(seated(sled(T, PULSE, 14), "cabin", Dummy()))
    np.testing.assert_allclose(run["cabin.speed"][-1], 14 + np.trapezoid(PULSE, T), atol=1e-9)


@pytest.mark.parametrize("kind", [OneMass, ThreeBody, Dummy])
def test_an_occupant_in_a_car_that_crashes_closes_the_books(kind):
    law = ts.Crush(((0, 0), (0.05, 3e5), (0.4, 3.5e5), (0.6, 6e5)), 2e7)
    body = ts.Body("body", mass=1400.0, inertia=(400, 1900, 2100, 0, 0, 0))
    car = Vehicle("car", (body,), (Member("front", "body", law=law),))
    run = ts.simulate(seated(against(car, Wall(), "50 km/h", 1, t_end=0.12), "body", kind()))
    assert run.completed and run.energy_audit.relative < 1e-8
    found = occupant_metrics(run, carrier="body")
    assert 5 < found["chest_3ms"] / 9.80665 < 100
    belts = [x for n, x in found.items() if n.endswith("belt")]
    assert belts and all(0 < x < 25e3 for x in belts)
    assert 0.05 < found["head_excursion"] < 1.0
    for name in run.signals:
        if name.endswith(("belt.force", "bolster.force", "airbag.force")):
            assert run[name].min() > -1e-6  # belts pull, pads push: these never change sign


def test_a_tighter_belt_and_a_load_limiter_do_what_they_are_for():
    def chest(**belt):
        run = ts.simulate(seated(sled(T, PULSE, 14), "cabin", OneMass(75.0, Belt(**belt))))
        return occupant_metrics(run)

    loose, tight = chest(slack=0.08, stiffness=6e4, limit=1e6), chest(slack=0.0, stiffness=6e4,
                                                                      limit=1e6)  # fmt: skip
    assert tight["chest_3ms"] < loose["chest_3ms"]
    limited = chest(slack=0.0, stiffness=6e4, limit=12e3)
    assert limited["belt"] == pytest.approx(12e3)
    assert limited["chest_3ms"] == pytest.approx(12e3 / 75, rel=2e-3)
    assert limited["head_excursion"] > tight["head_excursion"]


def test_the_dummy_weighs_what_it_should_and_mistakes_are_told():
    for occupant in (OneMass(), ThreeBody(), Dummy()):
        parts = occupant.parts("cabin")
        assert sum(b.mass for b in parts["bodies"]) == pytest.approx(78.15)
    cabin = sled(T, PULSE, 14)
    with pytest.raises(ts.ModelError, match="no body is named 'cabn'; did you mean 'cabin'"):
        seated(cabin, "cabn", Dummy())
    with pytest.raises(ts.TorseurError, match="expected an occupant such as"):
        seated(cabin, "cabin", 3)
    with pytest.raises(ts.TorseurError, match="no occupant is called 'passenger'"):
        occupant_metrics(ts.simulate(seated(cabin, "cabin", OneMass())), "passenger")


def test_a_pretensioner_is_the_motion_of_an_anchor():
    """One mass on a belt that is wound up: beside the two-line equation, by SciPy."""
    from scipy.integrate import solve_ivp

    k, m, slack, pull, fires, within = 40e3, 70.0, 0.03, 0.07, 0.012, 0.008
    belt = ts.crash.Belt(slack, k, 1e6, pull=pull, fires=fires, within=within)
    t = np.linspace(0, 0.08, 81)
    cabin = ts.crash.sled(t, np.full(81, -60.0), speed=10)
    run = ts.simulate(ts.crash.seated(cabin, "cabin", ts.crash.OneMass(m, belt)), rtol=1e-10)

    def rates(t, y):
        s = np.clip((t - fires) / within, 0, 1)
        taut = y[0] + pull * s**3 * (10 - 15 * s + 6 * s**2) - slack
        return y[1], 60.0 - k * max(taut, 0) / m

    exact = solve_ivp(rates, (0, 0.05), (0, 0), rtol=1e-11, atol=1e-13, max_step=1e-4)
    at = int(np.searchsorted(run.time, 0.05))
    assert run["driver.displacement"][at] == pytest.approx(exact.y[0, -1], abs=2e-7)
    assert run["driver_belt_reel.displacement"][-1] == pytest.approx(pull, abs=1e-12)


def test_a_pretensioner_fires_when_it_says_and_the_limiter_still_gives_way():
    t = np.linspace(0, 0.1, 101)
    cabin = ts.crash.sled(t, -220 * np.sin(np.pi * t / 0.1), speed=14)
    runs = []
    for pull in (0.0, 0.09):
        belt = ts.crash.Belt(limit=4e3, pull=pull, fires=0.02)
        runs.append(
            ts.simulate(ts.crash.seated(cabin, "cabin", ts.crash.ThreeBody(shoulder=belt))).check()
        )
    before = runs[0].time < 0.0199
    head = "driver_head_cg.position.x"
    np.testing.assert_allclose(runs[0][head][before], runs[1][head][before], atol=1e-9)
    slow, early = (ts.crash.occupant_metrics(r) for r in runs)
    for found in (slow, early):
        assert found["shoulder_belt"] == pytest.approx(4e3, rel=1e-9)
    assert early["head_excursion"] < 0.9 * slow["head_excursion"]
    assert all(r.energy_audit.relative < 1e-8 for r in runs)


def test_numbers_of_a_belt_that_cannot_be_are_told_together():
    with pytest.raises(ts.ModelError) as told:
        ts.crash.Belt(stiffness=0, pull=-0.1, within="soon")
    for said in ("stiffness: expected a number above zero, got 0", "pull: ", "within: "):
        assert said in str(told.value)


@pytest.mark.parametrize("kind", [OneMass, ThreeBody, Dummy])
def test_numbers_of_an_occupant_that_cannot_be_are_told(kind):
    for mass in ("x", 0, None, (1, 2), float("nan")):
        with pytest.raises(ts.ModelError, match=r"occupant: mass: expected a number \[kg\] above"):
            kind(mass=mass)
    if kind is not OneMass:
        with pytest.raises(ts.ModelError, match=r"bolster: expected a number \[N/m\] of zero or"):
            kind(bolster=-1.0)


@pytest.mark.parametrize(
    ("time", "a", "lost"),
    [
        ([0, 0.05, 0.0501, 0.08], [-100, -100, 0, 0], 5.005),
        ([0, 4e-4, 0.0805], [0, -90, -90], 7.227),
    ],
)
def test_a_pulse_of_few_points_is_driven_through_each(time, a, lost):
    run = ts.simulate(sled(time, a, 15.0, t_end=0.09))
    assert 15 - run["cabin.speed"][-1] == pytest.approx(lost, abs=1e-4)

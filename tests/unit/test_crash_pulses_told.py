"""Metrics of a run and of a record: none where the pulse does not tell it, and the reason."""

import numpy as np
import pytest

import torseur as ts

C = ts.crash
SOFT = ts.Crush(((0, 0), (2.0, 8e5)), 5e8)
HARD = ts.Crush(((0, 0), (2.0, 8e6)), 5e9)


def vehicle(name, mass, law):
    body = ts.Body("body", mass=mass, inertia=(400, 1800, 2000, 0, 0, 0))
    front = C.Member("front", "body", at=(1.5, 0, 0.4), law=law, width=1.6)
    return C.Vehicle(name, bodies=(body,), members=(front,), points={"floor": ("body", (0, 0, 0))})


CAR, TRUCK = vehicle("car", 1000.0, SOFT), vehicle("truck", 10000.0, HARD)


def test_the_way_to_a_standstill_is_no_crush_where_the_other_moves():
    """A car is pushed back by a truck: its front goes on crushing after it stood still."""
    run = ts.simulate(C.collide(CAR, TRUCK, ("50 km/h", "50 km/h")))
    way, deep = run["a_body.position.x"].max(), run["a_front.deflection"].max()
    assert deep > 2.5 * way  # what was told as crush
    found = C.metrics(run, "a_floor")
    assert not {"crush", "restitution"} & set(found)
    with pytest.raises(ts.ArgumentError, match=r"crush: 'a_floor' meets 'b_body', which moves too"):
        found["crush"]
    assert "no crush: 'a_floor' meets" in C.table(found)
    assert found["delta_v"] > 20 and found["olc"] > 0  # of the cabin alone


def test_against_what_stands_still_it_is():
    for other in (C.Wall(), C.DeformableFace()):
        run = ts.simulate(C.against(CAR, other, "30 km/h"))
        found = C.metrics(run, "floor")
        assert found["crush"] == pytest.approx(run["body.displacement"].max(), rel=1e-2)
        assert not {"crush", "restitution"} & set(found.missing)


def test_asi_is_of_all_axes_whichever_face_is_struck():
    """Of x alone it was 5 % low in an oblique crash, and 25 % on a side (12 g in place of 9)."""
    side = C.Member("side", "body", at=(0, -0.85, 0.4), law=SOFT, direction="-y", width=2.0)
    body = ts.Body("body", mass=1000.0, inertia=(400, 1800, 2000, 0, 0, 0))
    car = C.Vehicle("car", bodies=(body,), members=(side,))
    struck = ts.simulate(C.against(car, C.Wall(), "30 km/h", 2, struck="right"))
    oblique = ts.simulate(C.against(CAR, C.Wall("30 deg", friction=0.3), "48 km/h", 2))
    for run, axis in ((struck, "-y"), (oblique, "x")):
        pulses = [C.pulse_of(run, "body", c) for c in "xy"]
        t, x, y = pulses[0][0], *(C.cfc(t, a, 60) for t, a in pulses)
        found = C.metrics(run, "body", axis=axis)["asi"]
        assert found == pytest.approx(C.asi(t, x, y), rel=1e-12) and found > 1.02 * C.asi(t, x)


def test_a_metric_that_is_not_there_tells_why():
    t = np.arange(0, 0.02, 1e-4)
    found = C.pulse_metrics(t, np.full(t.size, -100.0), 15.0)
    with pytest.raises(KeyError, match="still drives at 13 m/s"):
        found["crush"]
    with pytest.raises(ts.ArgumentError, match="no metric is named 'pek'; did you mean 'peak'"):
        found["pek"]
    with pytest.raises(ts.ArgumentError, match="no scenario is named 'ncap'; did you mean"):
        C.scenario["ncap"]
    assert found.get("crush") is None and C.scenario.get("ncap") is None


def test_time_in_milliseconds_and_ways_in_millimeters_are_told():
    t = np.arange(0, 0.15, 1e-4)
    a = -400 * np.sin(np.pi * t / 0.1) * (t < 0.1)
    driven = (C.olc, C.crush, C.restitution)
    for metric in (C.hic, C.clip_3ms, C.asi, C.delta_v, C.vpi, C.thiv, C.pulse_duration,
                   *(lambda t, a, f=f: f(t, a, speed=14.0) for f in driven)):  # fmt: skip
        metric(t, a)
        with pytest.raises(ts.ArgumentError, match="write 1e-3 \\* time"):
            metric(1e3 * t, a)
    with pytest.raises(ts.ArgumentError, match="write milliseconds as '15 ms'"):
        C.hic(t, a, window=15)
    x = np.linspace(0, 0.6, 100)
    assert C.kw400(x, 1e6 * x) == pytest.approx(1e6)
    with pytest.raises(ts.ArgumentError, match="write 1e-3 \\* displacement"):
        C.kw400(1e3 * x, 1e6 * x)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"speeds": (10, -20)}, "they never meet"),
        ({"speeds": (10, 20), "angle": "180 deg", "struck": "rear"}, "they never meet"),
        ({"speeds": "50 km/h"}, "expected two speeds"),
        ({"speeds": (10, 20), "angle": 30, "dimensions": 2}, "write degrees as '30 deg'"),
        ({"speeds": (10, 20), "cell_mass": "3 m"}, "cell_mass: expected a number in kg"),
        ({"speeds": (10, 20), "cell_mass": 0}, "cell_mass: expected a number above zero"),
    ],
)
def test_two_vehicles_that_do_not_meet(wrong, sentence):
    speeds = wrong.pop("speeds")
    with pytest.raises(ts.ArgumentError, match=sentence):
        C.collide(CAR, TRUCK, speeds, **wrong)
    assert C.collide(CAR, TRUCK, (20, 10), angle="180 deg").name  # overtakes it
    assert C.collide(CAR, TRUCK, (10, 20), cell_mass="500 g").name


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda t, a: C.asi(t, None), "one axis at least"),
        (lambda t, a: C.crush(t - 1, a, 14.0), "ends at -0.85"),
        (lambda t, a: C.crush(t, -a, 14.0), "a is negative while"),
        (lambda t, a: C.restitution(t, a, 3.0), "faster than the 3 m/s of the impact"),
        (lambda t, a: C.peak(t, a + 0j), "values: expected numbers"),
    ],
)
def test_a_pulse_that_cannot_be_is_told(wrong, sentence):
    t = np.arange(0, 0.15, 1e-4)
    with pytest.raises(ts.ArgumentError, match=sentence):
        wrong(t, -400 * np.sin(np.pi * t / 0.1) * (t < 0.1))

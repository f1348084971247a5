"""Metrics against closed forms, against pyisomme and against the laboratory of a real test."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.crash import G0

T = np.arange(-200, 1500) * 1e-4
WAVES = (
    np.where(T > 0, -300 * np.sin(np.pi * np.clip(T, 0, 0.1) / 0.1) ** 2, 0)
    + 60 * np.sin(2 * np.pi * 130 * T)
    + 25 * np.cos(2 * np.pi * 37 * T + 1)
)
HEAD = G0 * (120 * np.exp(-(((T - 0.05) / 0.004) ** 2)) - 1)
PYISOMME = {  # 1.1.0, Channel.cfc, method ISO-6487, of WAVES at samples 0, 1, 150, 200, ...
    60: (13.486246988502053, 9.457147088097445, 46.857333479767995, 13.402050621837297,
         -275.2250007183138, 34.622632090087485, -0.5580706669052127, -2.018061734643749),
    180: (13.423705518331975, 8.487222362371917, 72.52979239834478, 13.506263712416896,
          -275.0435962720082, 45.971090614369274, 2.144049974743096, -2.010688885601305),
    600: (13.423705224461171, 8.9588274368289, 73.2075022319074, 13.50754902006731,
          -275.0413636311672, 46.271053980101875, 2.2806731801540723, -2.010687765531798),
    1000: (13.423705224461171, 9.03010409098161, 73.211723195716, 13.507556914187537,
           -275.0413499186245, 46.27292148038957, 2.290380009916653, -2.0106877655317987),
}  # fmt: skip


@pytest.mark.parametrize("channel_class", PYISOMME)
def test_filters_are_those_of_pyisomme(channel_class):
    got = ts.crash.cfc(T, WAVES, channel_class, "ISO 6487")[[0, 1, 150, 200, 700, 1234, 1698, 1699]]
    np.testing.assert_allclose(got, PYISOMME[channel_class], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("standard", "k"), [("SAE J211", 2.0775), ("ISO 6487", 1.25 / 0.6)])
def test_filter_has_the_response_of_its_poles(standard, k):
    """Two passes of a Butterworth filter: 1 / (1 + (tan / tan)^4) at every frequency."""
    t = np.arange(0, 2, 1e-4)
    for f in (20.0, 100.0, 150.0):
        y = ts.crash.cfc(t, np.cos(2 * np.pi * f * t), 60, standard)[5000:15000]
        ratio = np.tan(np.pi * f * 1e-4) / np.tan(np.pi * 60 * k * 1e-4)
        got = 2 * np.mean(y * np.cos(2 * np.pi * f * t[5000:15000]))
        assert got == pytest.approx(1 / (1 + ratio**4), rel=1e-9)


def test_criteria_are_those_of_pyisomme():
    """1.1.0: calculate_hic (every pair, the signal has negative parts), calculate_xms."""
    assert ts.crash.hic(T, HEAD) == pytest.approx(604.7241457278102, rel=1e-12)
    assert ts.crash.hic(T, HEAD, window=0.036) == pytest.approx(604.7241457278102, rel=1e-12)
    assert ts.crash.clip_3ms(T, HEAD) == pytest.approx(1012.6131705800016, rel=1e-12)
    assert ts.crash.clip_3ms(T, WAVES) == pytest.approx(308.7751719435517, rel=1e-12)
    assert ts.crash.clip_3ms(T, WAVES, cumulative=True) == pytest.approx(336.7591892335575)


METRICS = {
    "hic": {}, "clip_3ms": {}, "asi": {}, "delta_v": {}, "pulse_duration": {}, "vpi": {},
    "crush": {"speed": 9.0}, "olc": {"speed": 9.0}, "restitution": {"speed": 9.0},
}  # fmt: skip


@pytest.mark.parametrize("name", METRICS)
def test_a_pulse_the_other_way_has_the_same_measure_or_is_refused(name):
    """Never 0: some do not know a direction, to the others a positive pulse stops nothing."""
    pulse = -200 * np.sin(np.pi * np.clip(T / 0.1, 0, 1)) ** 2
    measure, options = getattr(ts.crash, name), METRICS[name]
    right = measure(T, pulse, **options)
    assert right > 0
    try:
        other = measure(T, -pulse, **options)
    except ts.TorseurError as refused:
        assert name in str(refused)
    else:
        assert other == pytest.approx(right, rel=1e-12)


def test_criteria_of_pyisomme_again():
    """1.1.0, calculate_hic of a noisy pulse; its window ends one sample before its end, ours on it.
    calculate_olc of a squared sine whose samples are 1 ns apart where its two phases end."""
    rng, t = np.random.default_rng(11), np.arange(0, 900) * 1e-4
    head = G0 * (90 * np.exp(-(((t - 0.045) / 0.009) ** 2)) + rng.normal(size=t.size) * 3 - 2)
    assert ts.crash.hic(t, head, window=0.0149) == pytest.approx(634.8835265041143, rel=1e-12)
    assert ts.crash.hic(t, head, window=0.036) == pytest.approx(635.2040703346833, rel=1e-12)
    t = np.arange(0, 12000) * 1e-5
    got = ts.crash.olc(t, -300 * np.sin(np.pi * np.clip(t, 0, 0.1) / 0.1) ** 2, speed=15)
    assert float(got) == pytest.approx(275.32299112535685, rel=1e-6)


def test_occupant_load_criterion_against_its_equations_and_pyisomme():
    """A squared sine: t1 and t2 from its integrals in closed form; pyisomme on a grid of 1 us."""
    t = np.arange(0, 12000) * 1e-5
    got = ts.crash.olc(t, -300 * np.sin(np.pi * np.clip(t, 0, 0.1) / 0.1) ** 2, speed=15)
    w = 2 * np.pi / 0.1
    ahead = 150 * (got.start**2 / 2 + (np.cos(w * got.start) - 1) / w**2)
    assert ahead == pytest.approx(0.065, rel=1e-6)
    assert got / G0 == pytest.approx(28.075135805551902, rel=1e-6)
    assert got / 9.81 == pytest.approx(28.065999173134156, rel=2e-5)  # its g, its first sample past


def test_pulse_of_a_linear_spring():
    """Quarter of a cosine: crush v sqrt(m/k), peak v sqrt(k/m), at pi/2 sqrt(m/k)."""
    w, v = 20.0, 14.0
    t = np.linspace(0, np.pi / w, 4001)
    a = -v * w * np.sin(w * t)
    found = ts.crash.crush(t, a, speed=v)
    assert (found, found.time) == pytest.approx((v / w, np.pi / 2 / w), rel=1e-6)
    assert ts.crash.delta_v(t, a) == pytest.approx(2 * v, rel=1e-6)
    assert ts.crash.restitution(t, a, speed=v) == pytest.approx(1, rel=1e-6)
    assert abs(ts.crash.peak(t, a)) == pytest.approx(v * w, rel=1e-6)
    assert ts.crash.pulse_duration(t, a, threshold=v * w / 2) == pytest.approx(
        2 * np.pi / 3 / w, rel=1e-6
    )
    assert ts.crash.crush(t, a, speed="50.4 km/h") == pytest.approx(found)


def test_pulse_index_is_the_spring_behind_a_slack():
    """A constant pulse: slack s is met at speed sqrt(2 a s), then a known oscillation."""
    a, s, w = 200.0, 0.03, 50.0
    t = np.linspace(0, 0.2, 41)
    want = a + np.hypot(a, w * np.sqrt(2 * a * s))
    assert ts.crash.vpi(t, np.full(41, -a)) == pytest.approx(want, rel=1e-9)


def test_severity_and_head_impact_of_a_turning_car():
    t = np.linspace(0, 0.4, 4001)
    one = np.ones(t.size)
    assert ts.crash.asi(t, -6 * G0 * one, 4.5 * G0 * one, 5 * G0 * one) == pytest.approx(
        np.sqrt(0.75), rel=1e-12
    )
    hit = ts.crash.thiv(t, 0 * one, 60 * one)
    assert (hit, hit.time, hit.phd) == pytest.approx((6.0, 0.1, 60.0), rel=1e-6)
    # a cabin that only turns at the rate r about a point x0 behind the head: the head stays in
    # space and circles in the cabin, sideways by x0 sin(r t)
    turn = ts.crash.thiv(t, 0 * one, 0 * one, 2.0 * one, forward_distance=0.5)
    assert turn.time == pytest.approx(np.arcsin(0.6) / 2, rel=1e-5)
    assert turn == pytest.approx(1.0, rel=1e-5)


def test_thiv_does_not_ask_how_the_car_turned_before_the_contact():
    t = np.arange(-0.1, 0.3, 1e-4)
    push = np.where((t > 0) & (t < 0.1), np.sin(np.pi * t / 0.1), 0.0)
    turning = 1.5 + 4 * np.clip(t, 0, 0.1)
    on = t >= -1e-12
    whole = ts.crash.thiv(t, -200 * push, 60 * push, turning)
    cut = ts.crash.thiv(t[on], -200 * push[on], 60 * push[on], turning[on])
    assert abs(whole - cut) < 1e-9 and abs(whole.time - cut.time) < 1e-9


def test_arguments_that_make_no_sense_are_told():
    t, a = [0.0, 0.1, 0.2], [-10.0, -10.0, -10.0]
    cases = {
        "cfc 60: needs even sampling": lambda: ts.crash.cfc([0, 1e-4, 3e-4], a, 60),
        "values has 2 samples and time 3": lambda: ts.crash.delta_v(t, a[:2]),
        "time must grow, but 0 s follows 0.1 s": lambda: ts.crash.hic([0.1, 0.0, 1.0], a),
        "sample 1 is nan": lambda: ts.crash.peak(t, [1.0, np.nan, 2.0]),
        "still drives at 48 m/s": lambda: ts.crash.crush(t, a, speed=50),
        "standard='J211'": lambda: ts.crash.cfc(np.arange(9) * 1e-4, np.zeros(9), 60, "J211"),
        "expected the speed before the impact": lambda: ts.crash.olc(t, a, speed=-3),
        "and .kg. is not one": lambda: ts.crash.crush(t, a, speed="50 kg"),
        "hold no signal up to": lambda: ts.crash.cfc(np.arange(9) * 0.1, np.zeros(9), 60),
        "the crush ends at 0.2 m": lambda: ts.crash.kw400([0, 0.1, 0.2], [0, 1, 2]),
    }
    for sentence, call in cases.items():
        with pytest.raises(ts.TorseurError, match=sentence):
            call()


PLACE = Path(__file__).parents[2]
CAMRY = next(
    (p for up in (PLACE, *PLACE.parents) if (p := up / "shared/data/nhtsa_10146.zip").exists()),
    None,
)


@pytest.fixture(scope="module")
def camry():
    if CAMRY is None:
        pytest.skip("shared/data/nhtsa_10146.zip is not beside this checkout")
    return ts.crash.read_test(CAMRY)


def test_a_wall_with_a_cell_whose_file_is_missing_has_no_force(camry):
    lost = replace(camry.cells()[3], record=None, missing="status AM: its file is missing")
    rows = tuple(lost if r.number == lost.number else r for r in camry.rows)
    with pytest.raises(ts.TorseurError, match="1 of the 174 barrier cells have no data"):
        replace(camry, rows=rows).barrier_force()
    assert camry.force_crush().channels == (93, 94)


def test_the_camry_of_nhtsa_10146(camry):
    assert len(camry) == len(camry.channels) == 634
    assert sum(r.record is not None for r in camry) == 630
    found = camry.summary()
    assert found["peak"] / G0 == pytest.approx(40.94, rel=1e-3)
    assert found["peak"].time == pytest.approx(0.0631, abs=1e-4)
    assert found["crush"] == pytest.approx(0.7461, rel=1e-3)
    assert found["crush"].time == pytest.approx(0.0739, abs=1e-4)
    assert found["olc"] / G0 == pytest.approx(29.42, rel=1e-3)
    assert found["restitution"] * camry.speed == pytest.approx(2.61, rel=2e-3)
    assert found["delta_v"] == pytest.approx(18.5, rel=3e-3)
    second = camry.summary((99, 100))
    assert second["peak"] / G0 == pytest.approx(42.52, rel=1e-3)
    assert second["crush"] == pytest.approx(0.7364, rel=1e-3)
    engine = camry[95]
    assert abs(ts.crash.peak(engine.time, engine.cfc(60))) / G0 == pytest.approx(106.9, rel=1e-3)
    wall = ts.crash.peak(*camry.barrier_force())
    assert (wall, wall.time) == pytest.approx((678e3, 0.035), rel=2e-3)
    assert camry.force_crush().work == pytest.approx(216.9e3, rel=5e-3)
    assert camry.force_crush(force="barrier").work == pytest.approx(248e3, rel=5e-3)


def test_the_camry_s_driver_and_pulse_are_those_of_pyisomme(camry):
    """1.1.0 with every pair of samples (a last one below zero), told windows half a sample longer;
    calculate_olc on samples 1 ns apart where its two phases end, with our g."""
    head = np.linalg.norm(
        [ts.crash.cfc(camry[i].time, camry[i].zeroed(), 1000, "ISO 6487") for i in (1, 2, 3)],
        axis=0,
    )
    time = camry[1].time
    inside = (time > 0) & (time < 0.14)
    assert ts.crash.hic(time[inside], head[inside], 0.015) == pytest.approx(139.90997603260843)
    assert ts.crash.hic(time[inside], head[inside], 0.036) == pytest.approx(268.5629970132005)
    assert ts.crash.clip_3ms(time, head) / G0 == pytest.approx(40.761273845615726)
    assert ts.crash.clip_3ms(time, head, cumulative=True) / G0 == pytest.approx(41.878744949082)
    time, a = camry.mean(93, 94)
    got = ts.crash.olc(time, ts.crash.cfc(time, a, 180, "ISO 6487"), camry.speed)
    assert got == pytest.approx(288.5413570174603, rel=1e-6)


def test_a_model_of_the_camry_starts_in_one_line_from_its_test(camry):
    """One mass and the test's own force-crush curve: the way it came from comes back."""
    car = ts.crash.front_of(camry)
    found = ts.crash.metrics(ts.simulate(ts.crash.against(car, speed=camry.speed)), "car")
    told = camry.summary()
    assert found["crush"] == pytest.approx(told["crush"], rel=1e-3)
    assert found["crush"].time == pytest.approx(told["crush"].time, abs=5e-4)
    assert found["delta_v"] == pytest.approx(told["delta_v"], rel=2e-3)
    assert found["restitution"] == pytest.approx(told["restitution"], rel=0.02)
    assert found["peak"] == pytest.approx(told["peak"], rel=0.02)
    assert found["olc"] == pytest.approx(told["olc"], rel=0.02)


@pytest.mark.slow
def test_masses_fitted_to_the_camry(camry):
    """The smallest model of benchmarks/identify_crash.py: crush to 1 %."""
    at = PLACE / "benchmarks/identify_crash.py"
    spec = importlib.util.spec_from_file_location("identify_crash", at)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    found, wall, _ = script.fitted("one mass", camry)
    told, _ = script.compared(found, wall, camry)
    ratio = {n: model / test for n, (test, model) in told.items()}
    assert ratio["crush"] == pytest.approx(1, abs=0.01)
    assert ratio["body peak"] == pytest.approx(1, abs=0.12)
    assert ratio["wall peak"] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_laboratory_s_own_injury_values(camry, seat):
    """The OCCUPANT record: HIC15 and the 3 ms clip of the chest, to a whole g."""
    told = camry.header["OCCUPANT"][seat]
    n = 46 * seat
    head = np.linalg.norm([ts.crash.cfc(camry[n + i].time, camry[n + i].values, 1000)
                           for i in (1, 2, 3)], axis=0)  # fmt: skip
    chest = np.linalg.norm([ts.crash.cfc(camry[n + i].time, camry[n + i].values, 180)
                            for i in (13, 14, 15)], axis=0)  # fmt: skip
    assert ts.crash.hic(camry[n + 1].time, head) == pytest.approx(float(told[32]), abs=0.6)
    assert ts.crash.clip_3ms(camry[n + 13].time, chest) / G0 == pytest.approx(
        float(told[35]), abs=0.5
    )


def test_the_command_starts_a_model_from_a_test(camry, tmp_path, capsys, monkeypatch):
    from torseur.cli import main

    monkeypatch.setitem(sys.modules, "objective_rating_metrics", None)  # numba takes 10 s for it
    path = tmp_path / "camry.yaml"
    assert main(["crash", str(CAMRY), "--front", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["metrics"]["crush"]["value"] == pytest.approx(said["test"]["crush"]["value"], 1e-3)
    assert ts.crash.load_vehicle(path).mass == camry.mass
    assert main(["crash", str(CAMRY), "--front", str(path)]) == 1  # it exists
    assert "camry.yaml" in capsys.readouterr().err
    assert main(["crash", str(path), "--speed", "9", "--front", str(tmp_path / "b.yaml")]) == 1
    assert "--front is for a measured test" in capsys.readouterr().err

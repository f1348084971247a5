"""The crash tab of a car on a linear spring: curves, tables and cards by the closed form."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from known_motions import prescribe_run
from svg_figures import read_figures

import torseur as ts
from torseur.crash.report import crash_cards, crash_tab
from torseur.results import Event

MASS, SPEED, END = 1000.0, 15.0, 0.1  # kg, m/s, s of contact: half a period
OMEGA = np.pi / END
CRUSH, PEAK, G0 = SPEED / OMEGA, SPEED * OMEGA, 9.80665
STIFFNESS = MASS * OMEGA**2
TIME = np.linspace(0, END, 1001)


def scene() -> ts.Model:
    spring = ts.PointForce("front", ("car", (0, 0, 0.5)), ("world", (2, 0, 0.5)), ts.Spring(1.0))
    return ts.Model(
        bodies=(ts.Body("car", mass=MASS),),
        joints=(ts.Joint("way", "world", "car", ts.Prismatic("x")),),
        forces=(spring,),
    )


def crash_run():
    """x = X sin(w t): deceleration, crush and force have one shape."""
    shape = np.sin(OMEGA * TIME)
    still = np.zeros(TIME.size)
    signals = {
        **{f"car.body_acceleration.{c}": ("m/s^2", still) for c in "yz"},
        **{f"car.velocity.{c}": ("m/s", still) for c in "yz"},
        "car.body_acceleration.x": ("m/s^2", -PEAK * shape),
        "car.velocity.x": ("m/s", SPEED * np.cos(OMEGA * TIME)),
        "front.deflection": ("m", -CRUSH * shape),
        "front.force": ("N", -STIFFNESS * CRUSH * shape),
        "front.energy.stored": ("J", 0.5 * STIFFNESS * (CRUSH * shape) ** 2),
        "front.energy.dissipated": ("J", 40 * TIME / END),
    }
    position = np.stack([CRUSH * shape, still, still], -1)
    events = (Event(0.0625, "front: torn"),)
    return prescribe_run(TIME, {"car": (position, (0, 0, 0))}, signals, events=events)


@pytest.fixture(scope="module")
def tab() -> str:
    return crash_tab(crash_run(), scene(), "car")


@pytest.fixture(scope="module")
def figures(tab):
    return read_figures(tab)


def curve(figure, k=0):
    return [values for *_, values in figure.curves()][k]


def test_curves_of_the_pulse(figures):
    """Deceleration is positive in g, the way in mm, the time in ms."""
    wanted = {
        "Deceleration": (PEAK / G0, lambda s: np.sin(s), "[g]"),
        "Speed": (SPEED, lambda s: np.cos(s), "[m/s]"),
        "Way": (1e3 * CRUSH, lambda s: np.sin(s), "[mm]"),
    }
    for title, (size, shape, label) in wanted.items():
        t, y = curve(figures[title])
        np.testing.assert_allclose(y, size * shape(1e-3 * OMEGA * t), atol=0.015 * size)
        assert (t[0], t[-1]) == pytest.approx((0, 1e3 * END), abs=0.2)
        texts = [text for text, *_ in figures[title].texts]
        assert label in texts and "time [ms]" in texts


def test_the_filtered_pulse_is_close_to_the_raw_one(figures):
    """CFC 60 passes 5 Hz, away from the ends of the record."""
    assert [n for n, _ in figures["Deceleration"].legend] == ["as computed", "CFC 60"]
    t, y = curve(figures["Deceleration"], 1)
    inner = (t > 20) & (t < 80)
    wanted = PEAK / G0 * np.sin(1e-3 * OMEGA * t)
    np.testing.assert_allclose(y[inner], wanted[inner], atol=0.02 * PEAK / G0)


def test_the_construction_of_the_olc_is_on_the_speed(figures):
    """A free ride of 65 mm, then a constant deceleration until 235 mm, both relative to the car."""
    t, v = curve(figures["Speed"], 1)
    seconds = 1e-3 * t
    assert v[0] == pytest.approx(SPEED, rel=0.01) and v[1] == pytest.approx(SPEED, rel=0.01)
    car = CRUSH * np.sin(OMEGA * seconds)
    assert SPEED * seconds[1] - car[1] == pytest.approx(0.065, abs=0.002)
    occupant = SPEED * seconds[1] + (v[1] + v[2]) / 2 * (seconds[2] - seconds[1])
    assert occupant - car[2] == pytest.approx(0.065 + 0.235, abs=0.004)
    assert v[2] == pytest.approx(SPEED * np.cos(OMEGA * seconds[2]), abs=0.15)  # of the car
    level = (v[1] - v[2]) / (seconds[2] - seconds[1]) / G0
    ((said, _),) = [entry for entry in figures["Speed"].legend if entry[0].startswith("OLC")]
    assert float(said.split()[1]) == pytest.approx(level, rel=0.01)


def test_force_crush_and_energy_in_their_units(figures):
    x, force = curve(figures["Force against crush"])
    top = 1e-3 * STIFFNESS * CRUSH
    assert abs(x).max() == pytest.approx(1e3 * CRUSH, rel=0.01)
    np.testing.assert_allclose(force, top * x / (1e3 * CRUSH), atol=0.01 * top)
    ((_, (t, energy)),) = figures["Energy by member"].areas()
    stored = 0.5e-3 * STIFFNESS * CRUSH**2
    over = energy[: len(t) // 2]
    assert over.max() == pytest.approx(stored, rel=0.01)
    assert t[over.argmax()] == pytest.approx(500 * END, abs=0.5)
    wall = figures["Force on the wall"]
    t, force = curve(wall)
    np.testing.assert_allclose(force, top * np.sin(1e-3 * OMEGA * t), atol=0.01 * top)
    assert [name for name, _ in wall.legend] == ["z = 0.56 m"]  # a row of 125 mm from 0.5 m


def read_tables(tab) -> dict[str, dict[str, str]]:
    out = {}
    for text in re.findall(r"<table>.*?</table>", tab, re.S):
        root = ET.fromstring(text.replace(" data-say", ""))
        rows = [[c.text for c in row] for row in root.find("tbody")]
        out[root.find("caption").text] = {row[0]: row[1] for row in rows}
    return out


def test_metrics_energies_and_ruptures_as_text(tab):
    tables = read_tables(tab)
    metrics = tables["Metrics"]
    number, unit, _, at, moment = metrics["peak, unfiltered"].split()
    assert (float(number), unit) == (pytest.approx(PEAK / G0, rel=1e-3), "g")
    assert (float(at), moment) == (pytest.approx(500 * END, rel=1e-3), "ms")
    assert float(metrics["crush"].split()[0]) == pytest.approx(CRUSH, rel=0.01)
    assert float(metrics["change of speed"].split()[0]) == pytest.approx(2 * SPEED, rel=0.01)
    assert tables["Energy at the end"] == {"front": "0.04"}  # kJ
    assert "Torn: front (62.5 ms)." in tab


def test_cards_of_a_crash():
    cards = {c.label: c for c in crash_cards(crash_run(), scene(), "car")}
    peak, crush, wall = (cards[n] for n in ("Peak deceleration", "Crush", "Force on the wall"))
    assert (peak.value, peak.unit) == (pytest.approx(PEAK / G0, rel=0.02), "g")
    assert peak.at == pytest.approx(END / 2, abs=1e-3)
    assert (crush.value, crush.unit) == (pytest.approx(CRUSH, rel=0.01), "m")
    assert (wall.value, wall.unit) == (pytest.approx(STIFFNESS * CRUSH), "N")
    assert wall.at == pytest.approx(END / 2)

"""SVG figures: paths are read back as numbers through the ticks of their axes."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from svg_figures import FigureNumbers

from torseur.show.svg_plots import Line, cards, figure, round_ticks

TIME = np.linspace(0, 2, 41)
RISE, SINE = 10 * TIME - 5, 12 * np.sin(4 * TIME)


def test_curves_are_their_values_at_the_ticks():
    lines = [Line("rise", TIME, RISE), Line("wave", TIME, SINE, dashed=True)]
    drawn = FigureNumbers(figure("Speeds", lines, "time [s]", "v [m/s]"))
    assert drawn.y[0] < 0 < drawn.x[0]  # larger values are higher up and to the right
    (first, solid, a), (second, dashed, b) = drawn.curves()
    for (x, y), wanted in ((a, RISE), (b, SINE)):
        np.testing.assert_allclose(x, TIME, atol=0.002)
        np.testing.assert_allclose(y, wanted, atol=0.05)
    assert solid is None and dashed
    assert drawn.legend == [("rise", first), ("wave", second)] and first != second
    texts = [t[0] for t in drawn.texts]
    assert "time [s]" in texts and "v [m/s]" in texts
    assert [t[2] - h for t, h in zip(drawn.ends, drawn.heights, strict=True)] == [4] * len(
        drawn.ends
    )  # a number stands at its line


@pytest.mark.parametrize(("low", "high"), [(-3.0, -1.0), (0.0, 0.0), (1e5, 3e5), (-2e-4, 1e-4)])
def test_axes_hold_all_values(low, high):
    drawn = FigureNumbers(figure("f", [Line("f", [0, 1, 2], [low, high, low])], "x", "y"))
    ((_, _, (x, y)),) = drawn.curves()
    assert x == pytest.approx([0, 1, 2], abs=0.005)
    span = (high - low) or max(abs(high), 1.0)
    assert y == pytest.approx([low, high, low], abs=0.005 * span)
    box = [float(v) for v in drawn.svg.get("viewBox").split()]
    (path,) = [p for p in drawn.svg.findall("path") if p.get("fill") == "none"]
    for point in path.get("d")[1:].split("L"):
        u, v = map(float, point.split())
        assert 42 <= u <= box[2] - 10 and 18 <= v <= box[3] - 30


def test_stacked_areas_add_up():
    parts = {"a": 1 + TIME, "b": TIME**2, "c": 0 * TIME + 2}
    lines = [Line(n, TIME, y) for n, y in parts.items()]
    drawn = FigureNumbers(figure("Energy", lines, "time [ms]", "[kJ]", stacked=True))
    under = np.zeros(TIME.size)
    for (ink, (x, y)), (name, part) in zip(drawn.areas(), parts.items(), strict=True):
        np.testing.assert_allclose(x, [*TIME, *TIME[::-1]], atol=0.01)
        np.testing.assert_allclose(y, [*(under + part), *under[::-1]], atol=0.06)
        assert (name, ink) in drawn.legend
        under = under + part


def test_the_clock_of_a_figure_is_its_time_axis():
    """`data-clock`: first and last time, their places, and the seconds of one unit of the axis."""
    for label, unit in (("time [s]", 1.0), ("time [ms]", 1e-3)):
        text = figure("f", [Line("f", [3.0, 7.0], [0.0, 1.0])], label, "y")
        x0, x1, left, right, second = map(float, re.search('data-clock="([^"]*)"', text)[1].split())
        drawn = FigureNumbers(text)
        assert (x0, x1, second) == (3.0, 7.0, unit)
        assert np.polyval(drawn.x, (left, right)) == pytest.approx((x0, x1), abs=0.005)
    assert "data-clock" not in figure("f", [Line("f", [3.0, 7.0], [0.0, 1.0])], "crush [mm]", "y")


def test_a_peak_of_one_point_survives_thinning():
    x = np.linspace(0, 1, 20_001)
    y = np.sin(6 * x)
    y[7123], y[15001] = 9.0, -4.0
    drawn = FigureNumbers(figure("f", [Line("f", x, y)], "x", "y"))
    ((_, _, (u, v)),) = drawn.curves()
    assert len(u) <= 702 and (np.diff(u) > -1e-9).all()
    assert v.max() == pytest.approx(9, abs=0.06) and v.min() == pytest.approx(-4, abs=0.06)
    assert u[v.argmax()] == pytest.approx(x[7123], abs=2e-3)
    assert u[v.argmin()] == pytest.approx(x[15001], abs=2e-3)
    assert (u[0], u[-1]) == pytest.approx((0, 1), abs=1e-3)


@pytest.mark.parametrize(
    ("low", "high", "about", "wanted"),
    [
        (-1, 1, 4, [-1, -0.5, 0, 0.5, 1]),
        (0.03, 0.97, 5, [0.2, 0.4, 0.6, 0.8]),
        (-7, 13, 4, [-5, 0, 5, 10]),
        (1200, 2300, 4, [1500, 2000]),
        (2, 2, 4, [2]),
    ],
)
def test_ticks_by_hand(low, high, about, wanted):
    assert round_ticks(low, high, about) == pytest.approx(wanted)


def test_cards_say_name_number_and_unit():
    row = ET.fromstring(
        cards([("Crush", "0.48", "m at 60 ms"), ("a < b", 3, "")]).replace("<br>", "")
    )
    texts = [[t.strip() for t in card.itertext() if t.strip()] for card in row]
    assert texts == [["Crush", "0.48", "m at 60 ms"], ["a < b", "3"]]

"""Figures of runs by matplotlib: axes, units, factors, events and legends."""

import numpy as np
import pytest

import torseur as ts
from torseur.results import Event, Trajectory

TIME = np.linspace(0, 2, 21)
SIGNALS = {
    "pin.angle": ("rad", np.sin(TIME)),
    "slide.displacement": ("m", 0.03 * TIME),
    "far.displacement": ("m", 3 * TIME),
    "spring.force": ("N", 4000 * np.cos(TIME)),
    "soft.force": ("N", 300 * np.cos(TIME)),
    "energy.kinetic": ("J", 2e3 + TIME),
    "pin.effort": ("N m", -1500 * TIME),
}


def make_run(names=tuple(SIGNALS), factor=1.0, **options) -> Trajectory:
    values = {n: factor * SIGNALS[n][1] for n in names}
    return Trajectory(TIME, values, {n: SIGNALS[n][0] for n in names}, **options)


def read_lines(axes):
    """Label, color and data of the curves of an axes."""
    return [(l.get_label(), l.get_color(), l.get_xydata()) for l in axes.lines
            if len(l.get_xdata()) > 1]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "label", "factor"),
    [
        ("pin.angle", "pin.angle [rad]", 1),
        ("slide.displacement", "slide.displacement [mm]", 1e3),
        ("far.displacement", "far.displacement [m]", 1),
        ("spring.force", "spring.force [kN]", 1e-3),
        ("soft.force", "soft.force [N]", 1),
        ("energy.kinetic", "energy.kinetic [kJ]", 1e-3),
        ("pin.effort", "pin.effort [kN m]", 1e-3),
    ],
)
def test_an_axis_says_the_unit_of_what_it_shows(name, label, factor):
    (axes,) = ts.plot(make_run(), name, show=False).axes
    ((_, _, data),) = read_lines(axes)
    np.testing.assert_allclose(data, np.stack([TIME, factor * SIGNALS[name][1]], -1))
    assert axes.get_ylabel() == label and axes.get_xlabel() == "time [s]"


def test_signals_of_one_unit_share_a_panel_and_a_legend():
    names = ("pin.angle", "soft.force", "spring.force")
    angle, force = ts.plot(make_run(), *names, show=False).axes
    assert angle.get_ylabel() == "pin.angle [rad]" and angle.get_legend() is None
    assert force.get_ylabel() == "[kN]" and force.get_xlabel() == "time [s]"
    assert [t.get_text() for t in force.get_legend().get_texts()] == list(names[1:])
    (_, one, soft), (_, other, stiff) = read_lines(force)
    assert one != other
    np.testing.assert_allclose(soft[:, 1], 0.3 * np.cos(TIME))
    np.testing.assert_allclose(stiff[:, 1], 4 * np.cos(TIME))


def test_a_signal_against_another_has_both_units():
    figure = ts.plot(make_run(), "spring.force", x="far.displacement", show=False)
    (axes,) = figure.axes
    ((_, _, data),) = read_lines(axes)
    np.testing.assert_allclose(data, np.stack([3 * TIME, 4 * np.cos(TIME)], -1))
    assert axes.get_xlabel() == "far.displacement [m]"
    assert axes.get_ylabel() == "spring.force [kN]"


def test_events_are_ticks_at_their_times():
    run = make_run(events=(Event(0.5, "a: torn"), Event(1.25, "b: high stop")))
    (axes,) = ts.plot(run, "pin.angle", show=False).axes
    ticks = [float(l.get_xdata()[0]) for l in axes.lines if len(l.get_xdata()) == 1]
    assert ticks == [0.5, 1.25]
    (bare,) = ts.plot(run, "pin.angle", events=False, show=False).axes
    assert all(len(l.get_xdata()) > 1 for l in bare.lines)


def test_runs_laid_over_each_other_keep_a_signal_s_color():
    light, heavy = make_run(), make_run(factor=0.5)
    figure = ts.plot([light, heavy], "pin.angle", "pin.effort", labels=["light", "heavy"],
                     show=False)  # fmt: skip
    for axes, name, factor in zip(figure.axes, ("pin.angle", "pin.effort"), (1, 1e-3), strict=True):
        (first, one, a), (second, two, b) = read_lines(axes)
        assert (first, second) == (f"{name}, light", f"{name}, heavy") and one == two
        np.testing.assert_allclose(a[:, 1], factor * SIGNALS[name][1])
        np.testing.assert_allclose(b[:, 1], 0.5 * factor * SIGNALS[name][1])


def test_without_names_the_coordinates_are_drawn():
    facts = {"coordinates": ("far.displacement", "free.qw", "pin.angle"), "model": "arm"}
    axes = ts.plot(make_run(provenance=facts), show=False).axes
    assert [a.get_ylabel() for a in axes] == ["far.displacement [m]", "pin.angle [rad]"]
    assert axes[0].get_title(loc="left") == "arm"
    titled = ts.plot(make_run(provenance=facts), title="mine", show=False).axes[0]
    assert titled.get_title(loc="left") == "mine"

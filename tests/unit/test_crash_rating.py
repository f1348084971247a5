"""The score of ISO 18571: its published parts, in closed form where a curve has one."""

import numpy as np
import pytest

import torseur as ts

pytestmark = pytest.mark.slow  # its library compiles for ten seconds
pytest.importorskip("objective_rating_metrics", reason="the extra torseur[crash] is not installed")

TIME = np.arange(0, 0.1, 1e-4)
PULSE = -350 * np.sin(np.pi * TIME / 0.1) * (1 + 0.2 * np.sin(90 * TIME))


def test_a_curve_scores_one_against_itself():
    s = ts.crash.score(TIME, PULSE, PULSE)
    assert (s, s.corridor, s.phase, s.magnitude, s.slope) == (1, 1, 1, 1, 1)


@pytest.mark.parametrize("shift", [0.003, -0.008, 0.015])
def test_a_shift_costs_phase_in_proportion_and_nothing_of_shape(shift):
    """A fifth of the record is the most: the phase falls straight from one to nothing."""
    wide = np.arange(-0.1, 0.2, 1e-4)
    curve = -350 * np.exp(-(((wide - 0.05) / 0.012) ** 2))
    window = (wide > -1e-6) & (wide < 0.1 - 1e-6)
    moved = np.interp(wide - shift, wide, curve)
    s = ts.crash.score(wide[window], curve[window], moved[window])
    assert s.phase == pytest.approx(1 - abs(shift) / 0.02, abs=0.011)
    assert s.magnitude > 0.98
    assert s.corridor < 1


@pytest.mark.parametrize("off", [0.04, 0.2, 0.35, 0.6])
def test_corridors(off):
    """Within 5 % of the peak all is well, beyond 50 % nothing, between by the square."""
    s = ts.crash.score(TIME, PULSE, PULSE + off * abs(PULSE).max())
    assert s.corridor == pytest.approx(np.clip((0.5 - off) / 0.45, 0, 1) ** 2, abs=1e-3)
    assert (s.phase, s.slope) == (1, 1)


def test_weights():
    s = ts.crash.score(TIME, PULSE, 1.2 * np.interp(TIME - 0.004, TIME, PULSE))
    whole = 0.4 * s.corridor + 0.2 * (s.phase + s.magnitude + s.slope)
    assert s == pytest.approx(whole, abs=1.1e-3)
    assert 0.3 < s < 0.95


def test_what_cannot_be_rated_is_told():
    for time, a, b, said in (
        (TIME, PULSE, 0 * TIME, "the computed curve is 0 throughout"),
        (TIME, 0 * TIME - 3, PULSE, "the measured curve is -3 throughout"),
        (TIME[:20], PULSE[:20], PULSE[:20], "the curves last 0.0019 s"),
        (TIME, PULSE, PULSE[:-1], "999 samples and time 1000"),
    ):
        with pytest.raises(ts.TorseurError, match=said):
            ts.crash.score(time, a, b)

"""Each example with loops, rolling, friction or suspensions runs and gives its number."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import loop_contacts
import loop_four_bar
import loop_rolling_disc
import loop_stick_slip
import loop_suspension


@pytest.mark.parametrize(
    "example, want, words",
    [
        (loop_contacts, 4 * 5 / 7, "bounces, then it slides until it rolls"),
        (loop_four_bar, 1.2601263962, "mobility 1 (Gruebler count -2)"),
        (loop_rolling_disc, -4.300835333575, "independent speeds"),
        (loop_stick_slip, 0.75, "rub: breaks loose"),
        (loop_suspension, -45 * 9.81 / 22000, "camber gain"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_examples(example, want, words, capsys):
    room = 1e-3 if example is loop_suspension else 1e-8
    assert example.main() == pytest.approx(want, rel=room)
    assert words in capsys.readouterr().out

"""Solutions of constraints in floats near a singular position: one answer, or a sentence."""

from types import SimpleNamespace

import numpy as np
import pytest

from torseur.dynamics.constraints.reference_solutions import solve_by_null_space, solve_by_penalty
from torseur.errors import TorseurError


@pytest.mark.parametrize("least", 10.0 ** -np.arange(0.0, 6.0, 0.25))
def test_penalties_settle_or_say_that_they_have_not(least):
    """A second row that leaves the first by `least` only, and a force that presses on both."""
    rng = np.random.default_rng(5)
    first, other = np.linalg.qr(rng.normal(size=(5, 2)))[0].T
    half = rng.normal(size=(5, 5))
    x = SimpleNamespace(
        M=half @ half.T + np.eye(5),
        J=np.array([first, first + least * other]),
        gamma=np.array([0.3, 0.3]),
    )
    force = rng.normal(size=5)
    want, _ = solve_by_null_space(x, force)
    try:
        got, _ = solve_by_penalty(x, force)
    except TorseurError as e:
        assert least < 0.02 and "null_space" in str(e)
    else:
        assert abs(got - want).max() <= 1e-8 * abs(want).max()


def test_what_cannot_move_has_settled():
    """Rows that hold every speed: nothing but rounding is left, and it is no error."""
    rng = np.random.default_rng(6)
    half = rng.normal(size=(4, 4))
    x = SimpleNamespace(M=half @ half.T + np.eye(4), J=rng.normal(size=(4, 4)), gamma=np.zeros(4))
    force = rng.normal(size=4)
    assert abs(solve_by_penalty(x, force)[0]).max() < 1e-12

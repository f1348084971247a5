"""Small motions of the Whipple bicycle against the canonical equations, and published numbers."""

import numpy as np
import pytest
import zoo
from bicycle import ahead, bicycle, by_hand

import torseur as ts

WEAVE, CAPSIZE, CASTERING = (
    -0.775341882195845 + 4.46486771378823j,
    -0.322866429004087,
    -14.07838969279822,
)


def canonical(v):
    M, C, K = by_hand(v)
    return np.block(
        [[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]]
    )


def test_the_canonical_equations_have_the_published_eigenvalues():
    values = np.linalg.eigvals(canonical(5.0))
    for want in (WEAVE, WEAVE.conjugate(), CAPSIZE, CASTERING):
        assert abs(values - want).min() < 1e-12 * abs(want)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("v", zoo.few([4.2, 5.0, -3.0], 5.0))
def test_a_bicycle_that_rolls_upright(v, free):
    """Weave, capsize, castering; place, heading and the angles of wheels are indifferent."""
    found = ts.linearize(bicycle(free), ahead(v, free))
    assert len(found.states) == 7 + 3  # two of nine small motions follow, six of nine speeds
    values = list(found.eigenvalues)
    for want in np.linalg.eigvals(canonical(v)):
        near = min(values, key=lambda x: abs(x - want))
        assert abs(near - want) < 1e-10 * max(1.0, abs(want))
        values.remove(near)
    assert max(map(abs, values)) < 1e-10


def test_its_matrices_are_the_canonical_ones():
    """`M`, `C`, `K` of lean and steer; a lean to the right and a steer to the right in theirs."""
    v = 5.0
    found = ts.linearize(bicycle(), ahead(v))
    d = [found.states.index(f"d({n}.angle)") for n in ("lean", "steer")]
    leads = [n for n in found.states if not n.startswith("d(")]
    w = [leads.index(f"{n}.rate") for n in ("lean", "steer")]
    sign = np.diag([1.0, -1.0])
    M, C, K = by_hand(v)
    np.testing.assert_allclose(sign @ found.M[np.ix_(w, w)] @ sign, M, rtol=1e-11)
    np.testing.assert_allclose(sign @ found.C[np.ix_(w, w)] @ sign, C, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sign @ found.K[np.ix_(w, d)] @ sign, K, rtol=1e-9, atol=1e-9)

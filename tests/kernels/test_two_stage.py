"""Derivatives of the accelerations: straight-line code first, then one text for all columns."""

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.quantities import QUANTITIES


@pytest.fixture(scope="module")
def dyn():
    """A tree of five speeds: blocks of four columns, of which the last two overlap."""
    joints = (ts.Revolute("z"), ts.Prismatic("y"), ts.Revolute("x"), ts.Revolute("y"))
    return ts.compile(
        zoo.tree((*joints, ts.Helical("z", 0.1)), seed=4, parents=(-1, 0, 0, 2, 2)).check()
    )


@pytest.fixture(scope="module")
def states(dyn):
    rng = np.random.default_rng(2)
    return [np.array(x) for x in zip(*(zoo.state(dyn.system, rng) for _ in range(11)), strict=True)]


def test_columns_are_slopes_of_the_accelerations(dyn, states):
    q, v, tau = (x[0] for x in states)
    dq, dv, dtau = dyn.forward_dynamics_derivatives(q, v, tau)
    step, f = 1e-5, dyn.forward_dynamics
    for i, e in enumerate(np.eye(dyn.nv) * step):
        for got, slope in (
            (dq, f(q + e, v, tau) - f(q - e, v, tau)),
            (dv, f(q, v + e, tau) - f(q, v - e, tau)),
            (dtau, f(q, v, tau + e) - f(q, v, tau - e)),
        ):
            np.testing.assert_allclose(got[:, i], slope / (2 * step), atol=2e-7 * abs(got).max())


def test_both_stages_are_the_graph_in_one_and_batches_are_bit_for_bit(dyn, states):
    many = dyn.forward_dynamics_derivatives(*states)
    kernel = dyn.kernel("forward_dynamics_derivatives")
    single = [kernel.gufunc(*(x[k] for x in states)) for k in range(len(states[0]))]
    for batch, alone in zip(many, zip(*single, strict=True), strict=True):
        np.testing.assert_array_equal(batch, alone)
    np.testing.assert_array_equal(many[2], many[2].swapaxes(1, 2))
    whole = dyn.casadi("forward_dynamics_derivatives")
    for got, want in zip(single[0], whole(*(x[0] for x in states)), strict=True):
        zoo.close(got, np.array(want), 1000)


def test_operations_count_every_column(dyn):
    """What is run: the zeros of a tree are columns' numbers like others."""
    staged = dyn._build_variant(QUANTITIES["forward_dynamics_derivatives"], "scalar")
    assert staged.column.operations["mul"] == 5 + 2 * 6  # pivots, and 6 pairs out and back
    assert dyn.operations("forward_dynamics_derivatives") == staged.operations
    assert staged.operations["mul"] == staged.first.operations["mul"] + 15 * 17


def test_the_inverse_is_symmetric_to_the_last_bit_beyond_one_tile():
    """Ten speeds: tiles of four beside and on the diagonal, and two rows that are left."""
    system = zoo.tree([ts.Revolute("z")] * 10, seed=2, parents=range(-1, 9)).check()
    dyn, (q, v, tau) = ts.compile(system), zoo.state(system, np.random.default_rng(3))
    *_, inverse = dyn.forward_dynamics_derivatives(q, v, tau)
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_allclose(inverse @ dyn.mass_matrix(q), np.eye(10), atol=1e-9)

"""The short way to a kernel: same numbers, same errors, no leak."""

import gc
import sys

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.compiler.runtime import fastcall

pytestmark = pytest.mark.skipif(not fastcall.is_supported(), reason="another interpreter")


@pytest.fixture(scope="module")
def arm():
    system = zoo.tree((ts.Revolute("z"), ts.Free(), ts.Revolute("x")), seed=2).check()
    dyn = ts.compile(system)
    state = zoo.state(system, np.random.default_rng(0))
    dyn.inverse_dynamics(*state)  # the first call compiles and shortens
    return dyn, state


def test_it_is_taken(arm):
    dyn, _ = arm
    assert type(dyn.inverse_dynamics).__name__ == "builtin_function_or_method"
    assert "Efforts" in dyn.inverse_dynamics.__doc__


def test_same_bits_as_the_general_way(arm):
    dyn, (q, v, a) = arm
    general = ts.Dynamics.inverse_dynamics
    np.testing.assert_array_equal(dyn.inverse_dynamics(q, v, a), general(dyn, q, v, a))
    dyn.inverse_dynamics_derivatives(q, v, a)
    short = dyn.inverse_dynamics_derivatives(q, v, a)
    assert isinstance(short, tuple) and len(short) == 3
    for x, y in zip(short, type(dyn).inverse_dynamics_derivatives(dyn, q, v, a), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    "change",
    [
        list,
        tuple,
        lambda x: x[::-1].copy()[::-1],
        lambda x: x.astype(">f8"),
        lambda x: np.repeat(x, 2)[::2],
        lambda x: x[None],
        lambda x: x.view(np.recarray),
    ],
    ids=range(7),
)
def test_anything_else_goes_the_general_way(arm, change):
    dyn, (q, v, a) = arm
    want = dyn.inverse_dynamics(q, v, a)
    np.testing.assert_array_equal(np.ravel(dyn.inverse_dynamics(change(q), v, a)), want)
    np.testing.assert_array_equal(np.ravel(dyn.inverse_dynamics(q, v, change(a))), want)


def test_options_and_errors_are_those_of_the_general_way(arm):
    dyn, (q, v, a) = arm
    out = np.empty_like(v)
    assert dyn.inverse_dynamics(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, dyn.inverse_dynamics(q, v, a))
    np.testing.assert_array_equal(dyn.inverse_dynamics(q=q, v=v, a=a), out)
    with pytest.raises(
        ValueError, match=r"a has the shape \(7,\), expected \(\.\.\., 8\) \(j0.rate, "
    ):
        dyn.inverse_dynamics(q, v, a[:-1].copy())
    with pytest.raises(TypeError):
        dyn.inverse_dynamics(q, v)
    with pytest.raises(TypeError):
        dyn.inverse_dynamics(q, v, a, nonsense=1)
    with pytest.raises((TypeError, ValueError)):
        dyn.inverse_dynamics(q, v, None)


def test_nothing_leaks(arm):
    dyn, (q, v, a) = arm
    before = [sys.getrefcount(x) for x in (q, v, a)]
    results = [dyn.inverse_dynamics(q, v, a) for _ in range(1000)]
    assert [sys.getrefcount(x) for x in (q, v, a)] == before
    assert all(sys.getrefcount(r) <= 3 for r in results)
    import tracemalloc

    gc.collect()
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    for _ in range(10_000):
        dyn.inverse_dynamics(q, v, a)
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    assert grown < 10_000


def test_numbers_stay_numbers(arm):
    dyn, (q, v, _) = arm
    for _ in range(3):
        kinetic, potential = dyn.energy(q, v)
        assert isinstance(kinetic, float) and isinstance(potential, float)

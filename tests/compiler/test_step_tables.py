"""Tables that are looked up: the same row over every scalar and in every text, no derivative."""

import numpy as np
import pytest
from test_c_printer import GCC, build_c, run_c, run_python

from torseur.compiler import KeptGraph, Kernel, read
from torseur.compiler.runtime.machine import lanes
from torseur.scalars import Agreed, Columns, Duals, Floats, Graph, Stairs, cases, evaluate, spline
from torseur.scalars.kinds.jet import Jet, Jets

KNOTS = [-1.0, 0.0, 0.25, 3.0, 3.5]
ROWS = [(float(k), 2.0 * k * k - 5, 4.0) for k in range(6)]
STAIRS = Stairs(KNOTS, ROWS)
X = np.array([-np.inf, -2.0, -1.0, -0.5, -0.0, 0.0, 0.1, 0.25, 1.0, 3.0, 3.2, 3.5, 9.0, np.inf])


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", "off")


def want(x):
    return np.array([ROWS[sum(k <= e for k in KNOTS)] for e in np.ravel(x)])


def parabola(K, x):
    """What is smooth between knots, and nowhere on them."""
    a, b, c = K.stairs(STAIRS, x)
    return a + x * (b + x * c)


def function():
    K = Graph()
    x = K.symbol("x")
    y = parabola(K, x)
    slope = K.lib.jacobian(y.x, x.x)  # forward, through the call
    steep = K.derive(K.derive(y, x), x)
    row = [K.sx(e) for e in K.stairs(STAIRS, x * 1.0)]
    return K.lib.Function("f", [x.x], [K.lib.vertcat(y.x, slope, K.sx(steep), *row)], ["x"], ["y"])


def wanted(x):
    a, b, c = want(x).T
    with np.errstate(all="ignore"):
        return np.array([a + x * (b + x * c), b + 2 * x * c, 2 * c, a, b, c]).T


def test_every_scalar_has_the_same_row():
    rows = want(X)
    np.testing.assert_array_equal([STAIRS.at(x) for x in X], rows)
    np.testing.assert_array_equal([Floats().stairs(STAIRS, x) for x in X], rows)
    np.testing.assert_array_equal(evaluate(Columns(), lambda x: [*Columns().stairs(STAIRS, x[0])],
                                           X[:, None]).T, rows)  # fmt: skip
    found = Agreed().stairs(STAIRS, cases(X))
    np.testing.assert_array_equal(np.array([*found[:2]]).T, rows[:, :2])
    K = Duals(1)
    for x, (a, b, c) in zip(X[1:-1], rows[1:-1], strict=True):
        assert [*K.stairs(STAIRS, K.seeded(x, 0))] == [a, b, c]
        assert parabola(K, K.seeded(x, 0)).d[0] == pytest.approx(b + 2 * x * c)
        made = parabola(Jets(Floats()), Jet(Floats(), x, 1))
        assert (made.d, made.e) == pytest.approx((b + 2 * x * c, 2 * c))
    assert STAIRS.at(np.nan) == ROWS[-1]


def test_kernels_lanes_and_kept_graphs_find_the_same():
    f, x = function(), X[1:-1]
    kernel, many = Kernel("f", function), np.tile(x, lanes())[: 3 * lanes() + 1, None]
    np.testing.assert_allclose([kernel([e]) for e in x], wanted(x), rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(kernel(many), [kernel(e) for e in many])
    np.testing.assert_allclose([f(e).full().ravel() for e in x], wanted(x), rtol=1e-14, atol=1e-14)
    kept = KeptGraph.of(f)
    assert kept is not None
    np.testing.assert_allclose(kept([x[:, None]])[0].T, wanted(x), rtol=1e-14, atol=1e-14)
    assert kept.program({}).operations == read(f).operations
    assert kernel([np.nan])[3] == ROWS[-1][0] == kept([np.array([[np.nan]])])[0][3, 0]


def test_a_kept_graph_brings_its_numbers(tmp_path, monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path))
    kept = KeptGraph.of(function())
    assert kept is not None
    kept.keep(b"key", {})
    again = KeptGraph.kept(b"key")
    assert again is not None
    x = X[1:-1, None]
    np.testing.assert_array_equal(again[0]([x])[0], kept([x])[0])


@pytest.mark.skipif(GCC is None, reason="no C compiler")
def test_exports_find_the_same(tmp_path):
    program, x = read(function()), X[1:-1]
    library = build_c(tmp_path, [program], "f")
    got = [run_c(library, program, [np.array([e])])[0] for e in x]
    np.testing.assert_allclose(got, wanted(x), rtol=1e-14, atol=1e-14)
    exported = run_python([program])["f"]
    np.testing.assert_allclose(exported(x[:, None]), wanted(x), rtol=1e-14, atol=1e-14)


def test_what_does_not_change_is_no_lookup():
    K = Graph()
    assert K.stairs(STAIRS, K.symbol("x"))[2] == 4.0 and K.stairs(STAIRS, 0.1)[0] == 2.0
    assert read(function()).operations["call"] == 3  # one is found, two are taken


@pytest.mark.parametrize("ends", ["not-a-knot", "natural", "periodic"])
@pytest.mark.parametrize("n", [4, 5, 40])
def test_splines_are_those_of_scipy(ends, n):
    from scipy.interpolate import CubicSpline

    rng = np.random.default_rng(n)
    x, y = np.cumsum(rng.uniform(0.01, 2, n)), rng.normal(size=(n, 3))
    if ends == "periodic":
        y[-1] = y[0]
    ours, theirs = spline(x, y, ends), CubicSpline(x, y, bc_type=ends).c[::-1].transpose(1, 0, 2)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12 * abs(theirs).max())

"""Compiled kernels give the numbers of the graph, the same alone and in SIMD lanes."""

import ctypes
import pickle

import casadi as ca
import numpy as np
import pytest

from torseur.compiler import Kernel
from torseur.compiler.runtime.machine import lanes

EPS = np.finfo(float).eps


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", "off")


def random_function(seed, size=60, inputs=5, outputs=4):
    """A random graph whose values stay of moderate size."""
    rng = np.random.default_rng(seed)
    x, p = ca.SX.sym("x", inputs), ca.SX.sym("p", 2, 2)
    pool = [*ca.vertsplit(x), *ca.vertsplit(ca.reshape(p, 4, 1)), ca.SX(2), ca.SX(-0.75), ca.SX(1)]
    one = [
        ca.sin, ca.cos, ca.tanh, ca.atan, lambda a: -a, lambda a: ca.sqrt(1 + a * a), ca.fabs,
        lambda a: ca.exp(-a * a), lambda a: ca.log(2 + ca.sin(a)), lambda a: ca.asin(ca.sin(a) / 2),
        lambda a: ca.acos(ca.cos(a) / 2), lambda a: ca.sin(a) ** 3, lambda a: ca.tan(ca.sin(a)),
        lambda a: ca.sinh(ca.sin(a)), lambda a: (1 + a * a) ** -0.3, lambda a: 1 / (1 + a * a),
    ]  # fmt: skip
    two = [
        lambda a, b: (a + b) / 2, lambda a, b: a - b, lambda a, b: ca.sin(a) * b,
        lambda a, b: a * b, lambda a, b: a / (2 + ca.cos(b)), ca.fmin, ca.fmax,
        lambda a, b: ca.atan2(a, 2 + b * b),
        lambda a, b: ca.if_else(a < b, a, ca.sin(b)), lambda a, b: a * b - b * ca.cos(a),
    ]  # fmt: skip
    for _ in range(size):
        i, j = rng.integers(len(pool), size=2)
        if rng.random() < 0.4:
            new = one[rng.integers(len(one))](pool[i])
        else:
            new = two[rng.integers(len(two))](pool[i], pool[j])
        pool.append(new if rng.random() < 0.3 else ca.tanh(new) if rng.random() < 0.2 else new)
        if rng.random() < 0.5:
            pool[-1] = ca.sin(pool[-1])
    picked = [pool[-1 - k] * (1 if k % 2 else -1) for k in range(outputs)]
    y = ca.vertcat(*picked)
    return ca.Function("f", [x, p], [y, ca.mtimes(y[:2], y[2:].T)], ["x", "p"], ["y", "Y"])


def compare(f, kernel, args, scale=400):
    """A kernel against CasADi's own evaluation, row by row."""
    got = kernel(*args)
    got = got if isinstance(got, tuple) else (got,)
    for k in range(len(args[0])):
        want = f(*(ca.DM(a[k]) for a in args))
        want = want if isinstance(want, tuple) else (want,)
        for g, w in zip(got, want, strict=True):
            w = np.array(w).reshape(g[k].shape)
            np.testing.assert_allclose(g[k], w, rtol=scale * EPS, atol=scale * EPS)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_agree_with_casadi(seed):
    f = random_function(seed)
    rng = np.random.default_rng(seed)
    n = 2 * lanes() + 3
    x, p = rng.normal(size=(n, 5)), rng.normal(size=(n, 2, 2))
    kernel = Kernel("f", lambda: f)
    compare(f, kernel, (x, p), scale=4000)


@pytest.mark.parametrize("seed", range(12, 18))
def test_lanes_and_single_states_agree_to_the_bit(seed):
    f = random_function(seed)
    rng = np.random.default_rng(seed)
    n = 3 * lanes() + 1
    x, p = rng.normal(size=(n, 5)), rng.normal(size=(n, 2, 2))
    kernel = Kernel("f", lambda: f)
    together = kernel(x, p)
    for k in range(n):
        for a, b in zip(together, kernel(x[k], p[k]), strict=True):
            np.testing.assert_array_equal(a[k], b)


UNARY = [
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "log",
    "expm1",
    "log1p",
    "erf",
    "sqrt",
    "fabs",
    "sign",
    "floor",
    "ceil",
]


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name):
    x = ca.SX.sym("x")
    f = ca.Function(
        "f", [x], [getattr(ca, name)(x), -getattr(ca, name)(-x * 0.5)], ["x"], ["a", "b"]
    )
    values = np.array([-0.9, -0.3, 0.1, 0.5, 0.75, 0.99, 1.0, 0.2, -0.99])
    if name in ("log", "sqrt", "acosh"):
        values = np.abs(values) + (name == "acosh")
        f = ca.Function("f", [x], [getattr(ca, name)(x)], ["x"], ["a"])
    if name == "atanh":
        values = values * 0.9
    compare(f, Kernel(name, lambda: f), (values[:, None],), scale=4)


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: ca.fabs(a) ** b,
    "atan2": ca.atan2,
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: ca.logic_and(a > 0, b),
    "or": lambda a, b: ca.logic_or(a, b > 0),
    "not": lambda a, b: ca.logic_not(a) + ca.logic_not(a < b),
    "if_else_zero": lambda a, b: ca.if_else(a > b, a * b, 0),
    "if_else": lambda a, b: ca.if_else(a > b, -a * b, b),
    "select_negative": lambda a, b: 1 - ca.if_else(a > b, -a * b, b),
    "hypot": ca.hypot,
    "fmod": ca.fmod,
    "copysign": ca.copysign,
    "twice": lambda a, b: a * b + a * b,
    "inv": lambda a, b: 1 / (a - 3.3 * b),
    "sq": lambda a, b: (a - b) ** 2,
    "power_7": lambda a, b: a**7 - b**-3,
    "nested_sine": lambda a, b: ca.sin(ca.cos(a) + ca.sin(b * ca.sin(a))),
    "bare": lambda a, b: -a,
    "constant": lambda a, b: ca.SX(2.5),
    "negated_product": lambda a, b: -(a * b),
    "negated_sum": lambda a, b: -(a * b + a),
    "negated_constant_product": lambda a, b: -3 * a,
}


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(name):
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    f = ca.Function("f", [a, b], [BINARY[name](a, b)], ["a", "b"], ["y"])
    pairs = [(x, y) for x in (-1.5, -0.5, 0.25, 2.0) for y in (-0.5, 0.25, 1.0)]
    x, y = np.array(pairs).T[:, :, None]
    compare(f, Kernel(name, lambda: f), (x, y), scale=8)


def test_functions_of_constants_are_folded_or_left_to_happen():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [x * ca.exp(ca.SX(1.0)), x + 1 / ca.SX(0)], ["x"], ["y", "z"])
    y, z = Kernel("f", lambda: f)([2.0])
    assert y[0] == 2.0 * np.exp(1.0)
    np.testing.assert_equal(z[0], float(f(2.0)[1]))  # inf; not a number before CasADi 3.8


def chain():
    q, v = ca.SX.sym("q", 3), ca.SX.sym("v", 3)
    y = ca.vertcat(ca.sin(q[0]) * v[1], 1 / q[1], ca.sqrt(q[2]))
    return ca.Function("f", [q, v], [y, ca.mtimes(q, v.T)], ["q", "v"], ["y", "A"])


def pointers(*arrays):
    return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))


def test_native_addresses():
    kernel = Kernel("f", chain)
    q, v = np.array([0.3, 2.0, 4.0]), np.array([1.0, 2.0, 3.0])
    want = kernel(q, v)
    y, A = np.zeros(3), np.zeros((3, 3))
    thunk = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(kernel.address)
    thunk(*(a.ctypes.data for a in (q, v, y, A)))
    np.testing.assert_array_equal(y, want[0])
    np.testing.assert_array_equal(A, want[1])
    y[:], A[:] = 0, 0
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(kernel.abi_address)
    assert call(pointers(q, v), pointers(y, A), None) == 0
    np.testing.assert_array_equal(y, want[0])
    np.testing.assert_array_equal(A, want[1])


def test_status_names_the_first_bad_number():
    kernel = Kernel("f", chain)
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(kernel.abi_address)
    y, A = np.zeros(3), np.zeros((3, 3))
    for q, v, want in [
        ([0, 0, 1], [1, 1, 1], "f: y[1] is not finite"),
        ([0, 1, -1], [1, 1, 1], "f: y[2] is not finite"),
        ([0, 1, 1], [0, 0, np.inf], "f: A[0, 2] is not finite"),
        ([0, 1, 1], [1, 1, 1], "ok"),
    ]:
        q, v = np.array(q, float), np.array(v, float)
        assert kernel.describe_status(call(pointers(q, v), pointers(y, A), None)) == want


def test_status_among_many_numbers():
    """Looked at in blocks; the first bad one is named, wherever it is, and zeros may have signs."""
    import casadi

    x = casadi.SX.sym("x", 83)
    kernel = Kernel("f", lambda: casadi.Function("f", [x], [-x], ["x"], ["y"]))
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(kernel.abi_address)
    given, y = np.linspace(-3, 0, 83), np.zeros(83)
    assert call(pointers(given), pointers(y), None) == 0
    for places in ((0,), (82,), (79, 80), (40, 17), (64, 81)):
        bad = given.copy()
        bad[[*places]] = np.nan if places[0] % 2 else -np.inf
        told = kernel.describe_status(call(pointers(bad), pointers(y), None))
        assert told == f"f: y[{min(places)}] is not finite"


def test_facts():
    kernel = Kernel("f", chain)
    assert "not yet compiled" in repr(kernel)
    assert kernel.operations == {"mul": 10, "add": 0, "div": 1, "trig": 1, "sqrt": 1}
    assert len(kernel.stamp) == 64 and [p.name for p in kernel.outputs] == ["y", "A"]
    assert repr(kernel) == "<Kernel 'f', compiled>"


def remake(name):
    return Kernel(name, chain, rebuild=(remake, (name,)))


def test_pickling_rebuilds():
    kernel = remake("f")
    q, v = np.array([0.3, 2.0, 4.0]), np.ones(3)
    again = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(again(q, v)[0], kernel(q, v)[0])
    assert again.stamp == kernel.stamp
    with pytest.raises(TypeError, match="rebuild"):
        pickle.dumps(Kernel("g", chain))


def test_the_graph_is_built_once_and_only_when_needed():
    built = []

    def build():
        built.append(1)
        return chain()

    kernel = Kernel("f", build)
    assert not built
    kernel(np.ones((9, 3)), np.ones(3))
    kernel.program, kernel.address, kernel.stamp  # noqa: B018 each would build it again
    assert built == [1]


@pytest.mark.parametrize("limit", [50_000, 100])
def test_a_large_program(monkeypatch, limit):
    """Above a size, LLVM is asked for quick work: the numbers stay."""
    monkeypatch.setattr("torseur.compiler.runtime.kernel.LARGE_KERNEL_NODES", limit)
    x = ca.SX.sym("x", 16)
    M = ca.mtimes(x, x.T) + ca.diag(ca.sin(x))
    y = ca.mtimes(ca.mtimes(M, M), x)
    f = ca.Function("f", [x], [y], ["x"], ["y"])
    values = np.random.default_rng(0).normal(size=(3, 16))
    kernel = Kernel("f", lambda: f)
    got = kernel(values)
    for k in range(3):
        want = np.array(f(values[k])).ravel()
        np.testing.assert_allclose(got[k], want, rtol=1e3 * EPS, atol=1e3 * EPS * abs(want).max())


def test_outputs_that_are_always_zero():
    """Many zeros are written apart, with nothing beside them touched."""
    x = ca.SX.sym("x", 9)
    M = ca.SX(9, 9)
    for i, j in [(0, 0), (3, 1), (3, 2), (8, 8), (5, 7)]:
        M[i, j] = x[i] * (j + 1)
    tail = ca.vertcat(*[x[k] if k % 4 == 3 else 0 for k in range(9)], *[0] * 50, x[0])
    f = ca.Function("f", [x], [M, x + 1, tail], ["x"], ["M", "y", "z"])
    values = np.random.default_rng(1).normal(size=(2 * lanes() + 1, 9))
    compare(f, Kernel("f", lambda: f), (values,), scale=1)
    compare(f, Kernel("f", lambda: f), (values[:1],), scale=1)

"""Sine and cosine of the kernels, in units of the last place."""

import casadi as ca
import mpmath
import numpy as np
import pytest

from torseur.compiler import Kernel
from torseur.compiler.codegen import entry_points
from torseur.compiler.program.casadi_reader import read
from torseur.compiler.runtime import kernel, machine

ULPS = 2.0


@pytest.fixture(scope="module")
def sincos():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.sin(x), ca.cos(x)], ["x"], ["s", "c"])
    made = Kernel("f", lambda: f, shapes={"x": (), "s": (), "c": ()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORSEUR_CACHE", "off")
        made(np.zeros(9))
    return made


def exact(x):
    """Sine and cosine as pairs of doubles, head and tail, from 60 digits."""
    with mpmath.workdps(60 + 310 * (np.max(np.abs(x)) > 1e30)):
        for f in (mpmath.sin, mpmath.cos):
            values = [f(mpmath.mpf(float(v))) for v in x]
            head = np.array([float(v) for v in values])
            tail = np.array([float(v - h) for v, h in zip(values, head, strict=True)])
            yield head, tail


def worst(sincos, x):
    error = 0.0
    for got, (head, tail) in zip(sincos(x), exact(x), strict=True):
        error = max(error, np.max(np.abs((got - head) - tail) / np.spacing(np.abs(head))))
    return error


def samples(kind, count=1500):
    rng = np.random.default_rng(7)
    if kind == "one turn":
        return rng.uniform(-np.pi, np.pi, count)
    if kind == "tiny":
        return rng.choice([-1, 1], count) * 10.0 ** rng.uniform(-320, -1, count)
    if kind == "near multiples of pi / 2":
        k = rng.integers(-63661, 63662, count)
        near = k * (np.pi / 2)
        for _ in range(3):
            near = np.where(rng.random(count) < 0.5, np.nextafter(near, np.inf), near)
        return np.where(np.abs(near) < 1e5, near, 1.0)
    if kind == "near odd multiples of pi / 4":
        near = (2 * rng.integers(-60000, 60000, count) + 1) * (np.pi / 4)
        return near * (1 + rng.normal(size=count) * 1e-15)
    limit = {"up to a thousand": 1e3, "up to 1e5": 1e5, "up to the limit": 2.0**19}[kind]
    return rng.uniform(-limit, limit, count)


@pytest.mark.parametrize(
    "kind",
    ["one turn", "tiny", "near multiples of pi / 2", "near odd multiples of pi / 4"]
    + ["up to a thousand", "up to 1e5", "up to the limit"],
)
def test_two_ulps(sincos, kind):
    assert worst(sincos, samples(kind)) <= ULPS


def test_two_ulps_densely(sincos):
    """Many angles, against long double where it is longer."""
    if np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("long double is a double here")
    x = np.concatenate(
        [
            np.random.default_rng(1).uniform(-7, 7, 400_000),
            np.random.default_rng(2).uniform(-1e5, 1e5, 400_000),
        ]
    )
    for got, f in zip(sincos(x), (np.sin, np.cos), strict=True):
        want = f(x.astype(np.longdouble))
        ulp = np.spacing(np.abs(want.astype(float)))
        assert np.max(np.abs(got - want) / ulp) <= ULPS


def test_beyond_the_limit_it_is_right_too(sincos):
    x = np.concatenate(
        [
            10.0 ** np.random.default_rng(3).uniform(5.5, 22, 300),
            [2.0**19, np.nextafter(2.0**19, np.inf), 1e15, 2.0**53, 1e300],
        ]
    )
    assert worst(sincos, np.concatenate([x, -x])) <= ULPS
    hardest = 6381956970095103.0 * 2.0**797  # the double nearest to a multiple of pi / 2
    np.testing.assert_allclose(sincos(hardest)[1], -4.6871659242546276e-19, rtol=1e-14)


def test_one_lane_out_of_range_does_not_disturb_the_others(sincos):
    W = machine.lanes()
    x = np.linspace(0.1, 1.0, 3 * W)
    want = sincos(x)
    for lane in range(W):
        y = x.copy()
        y[W + lane] = 1e9
        got = sincos(y)
        for g, w in zip(got, want, strict=True):
            keep = np.arange(3 * W) != W + lane
            np.testing.assert_array_equal(g[keep], w[keep])


def test_what_is_not_finite_gives_nan(sincos):
    with np.errstate(invalid="ignore"):
        for bad in (np.nan, np.inf, -np.inf):
            assert all(np.isnan(v) for v in sincos(bad))
            s, c = sincos(np.array([0.5, bad, 0.5, 0.5, 0.5]))
            assert np.isnan(s[1]) and np.isnan(c[1]) and s[2] == s[0]
    with np.errstate(all="raise"):
        sincos(np.nan)  # a quiet value is no new fault
        sincos(np.array([1e200, 1.0, -1e300]))  # and a huge angle raises no false alarm
        with pytest.raises(FloatingPointError):
            sincos(np.inf)


def test_zero_and_symmetry(sincos):
    s, c = sincos(np.array([0.0, -0.0]))
    assert s.tolist() == [0.0, 0.0] and c.tolist() == [1.0, 1.0]
    x = samples("up to 1e5")
    (s, c), (ms, mc) = sincos(x), sincos(-x)
    np.testing.assert_array_equal(s, -ms)
    np.testing.assert_array_equal(c, mc)


def test_alone_and_in_lanes_to_the_bit(sincos):
    x = samples("up to a thousand", 200)
    s, c = sincos(x)
    assert all(sincos(v) == (a, b) for v, a, b in zip(x, s, c, strict=True))


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("fused", [True, False])
def test_every_width_and_machines_without_fused_products(width, fused):
    """Same text, other widths: LLVM splits vectors that are too wide for this machine."""
    import ctypes

    if fused and not machine.has_fma():
        pytest.skip("no fused multiply-add here")
    x = ca.SX.sym("x", 9)
    program = read(ca.Function("f", [x], [ca.sin(x), ca.cos(x)], ["x"], ["s", "c"]))
    text = entry_points.write_scalar_module(program, width, fused)
    code = kernel.link_code(
        machine.compile_module(text), ("thunk",), tuple(kernel.DECLARED_SYMBOL.findall(text))
    )
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(code["thunk"])
    kinds = ("one turn", "up to 1e5", "near multiples of pi / 2")
    angles = np.concatenate([samples(kind, 90) for kind in kinds])
    got = np.empty((2, len(angles)))
    for k in range(0, len(angles), 9):
        x, s, c = angles[k : k + 9].copy(), np.empty(9), np.empty(9)
        call(*(a.ctypes.data for a in (x, s, c)))
        got[:, k : k + 9] = s, c
    assert worst(lambda _: got, angles) <= ULPS


def test_long_code_has_its_sines_next_to_it(monkeypatch):
    """Beside code that just fits the caches a function elsewhere costs a fifth of the time."""
    from torseur.compiler.codegen import basic_block

    x = ca.SX.sym("x", 3)
    f = ca.Function("f", [x], [ca.sin(x) * ca.cos(x)], ["x"], ["y"])
    at = np.array([0.3, -2.0, 7e5])
    usual = Kernel("usual", lambda: f)(at)
    monkeypatch.setattr(basic_block, "MAX_ONE_BLOCK_NODES", 0)
    long = Kernel("long", lambda: f)
    assert "define internal void @torseur.sincos" in long._write_part("scalar", long.program)
    np.testing.assert_array_equal(long(at), usual)

"""Plain functions as native code do what Python does with the same text."""

import ctypes
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from torseur.compiler.pyjit.function import translate_module
from torseur.compiler.pyjit.translate import intrinsic, native
from torseur.errors import KernelError

doubles = longs = call = intrinsic
TABLE = (0.5, -1.25, 4.0)
LIMIT = 7


def collatz(n):
    steps = 0
    while n != 1 and steps < 200:
        half = n
        count = 0
        while half > 1:
            half = half - 2
            count += 1
        if half == 0:
            n = count
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def mixed(a, b, k):
    best, other = min(a, b), max(a, b)
    best, other = other, best
    total = 0.0
    for i in range(k, -3, -2):
        if i == 4:
            continue
        if i < -1 or (total > 50.0 and not b > 0.0):
            break
        total += i * TABLE[1] + (best if i > 2 else other) / 3
    for j in range(2, LIMIT):
        total = total - j * abs(a) ** 0.5
    return total + abs(b) ** 1.3


def sign(x):
    if x > 0.0:
        return 1
    elif x < 0.0:
        return -1
    return 0


def signs(x, y):
    return 10 * sign(x) + sign(y) - 100 * (-sign(x * y))


def spy(address):
    counter = longs(address)
    counter[0] = counter[0] + 1
    return counter[0]


def lazy(address, x):
    """How often the right side of `and` and `or` is looked at."""
    if x > 0.0 and spy(address) > 0:
        counter = longs(address)
        counter[1] = 5
    if x > 0.0 or spy(address) > 100:
        return longs(address)[0]
    return -longs(address)[0]


def turn(xs, n):
    x = doubles(xs)
    for i in range(n):
        x[i] = -2 * x[n - 1 - i] + i


def repeat(kernel, inp, outp):
    return call(kernel, inp, outp) + call(kernel, inp, outp)


NATIVE = native(
    (globals(),),
    {
        "collatz": "i->i",
        "mixed": "ffi->f",
        "signs": "ff->i",
        "lazy": "if->i",
        "turn": "ii->",
        "repeat": "iii->i",
    },
)
COLLATZ, MIXED, SIGNS, LAZY, TURN, REPEAT = NATIVE
REAL = st.floats(-1e3, 1e3)


@given(st.integers(1, 2000))
@settings(deadline=None, max_examples=30)
def test_whole_numbers_and_loops(n):
    assert COLLATZ(n) == collatz(n)


@given(REAL, REAL, st.integers(-5, 12))
@settings(deadline=None)
def test_reals_branches_and_tables(a, b, k):
    want = mixed(a, b, k)
    assert MIXED(a, b, k) == pytest.approx(want, rel=1e-13, abs=1e-12 * (abs(a) + abs(b) + 1))


@given(REAL, REAL)
@settings(deadline=None)
def test_functions_that_return_early(x, y):
    assert SIGNS(x, y) == signs(x, y)


def test_what_is_not_a_number_compares_as_in_python():
    assert math.isnan(MIXED(math.nan, 1.0, 3))
    assert SIGNS(math.nan, -1.0) == signs(math.nan, -1.0) == -1


def test_the_right_side_waits_for_the_left():
    for x, looks in ((1.0, 1), (-1.0, 1)):
        words = np.zeros(2, dtype=np.int64)
        answer = LAZY(words.ctypes.data, x)
        assert abs(answer) == looks and words[1] == (5 if x > 0 else 0)


def test_arrays_are_changed_in_place():
    x = np.arange(5.0)
    TURN(x.ctypes.data, 5)
    want = np.arange(5.0)
    for i in range(5):
        want[i] = -2 * want[4 - i] + i
    np.testing.assert_array_equal(x, want)


def test_kernels_are_called_by_address():
    seen = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, *(ctypes.c_void_p,) * 3)

    @kind
    def kernel(inp, outp, work):
        seen.append((inp, outp, work))
        return -3

    address = ctypes.cast(kernel, ctypes.c_void_p).value
    assert REPEAT(address, 16, 32) == -6
    assert seen == [(16, 32, None)] * 2


@pytest.mark.parametrize(
    "body, why",
    [
        ("x = 1\n    x = doubles(x)\n    return 0", "x is 'i' and 'F'"),
        ("return 1 if a > 0.0 else doubles(3)", "is 'i' and 'F'"),
        ("if a > 0.0:\n        return 1.0\n    return 1", "it returns both 'f' and 'i'"),
        ("return 0.0 < a < 1.0", "one comparison at a time"),
        ("return 1", "returns 'i', not 'f'"),
        ("return [a]", "line 2: List is not supported"),
        ("with a:\n        return a", "line 2: With is not supported"),
    ],
)
def test_what_has_no_one_type_is_told(body, why):
    with pytest.raises(KernelError, match=why):
        translate_module(f"def f(a):\n    {body}", {}, {"f": "f->f"})


def test_intrinsics_do_not_run_in_python():
    with pytest.raises(KernelError, match="native code only"):
        turn(0, 1)


def test_bodies_are_replaced_and_marked_functions_made_small():
    text = """
def rare(x):
    return helper(x)

def helper(x):
    return x * 1000

@optsize
def often(x):
    return rare(x) + x
"""
    whole = translate_module(text, {}, {"often": "i->i"})
    short = translate_module(text, {}, {"often": "i->i"}, bodies={"rare": "return 1"})
    assert "@helper" in whole and "@helper" not in short
    (marked,) = (line for line in short.splitlines() if "optsize" in line)
    assert "@often" in marked


def test_explicit_methods_have_integrators_without_the_others():
    from torseur.integrate import advance
    from torseur.integrate.record import EXPLICIT, NEWMARK, ROSENBROCK

    short, whole = advance.compile_advance(EXPLICIT), advance.compile_advance(ROSENBROCK)
    assert whole is advance.compile_advance(NEWMARK) and short is advance.compile_advance()
    assert len(short[0].code.data) < 0.9 * len(whole[0].code.data)

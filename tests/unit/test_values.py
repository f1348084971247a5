"""Exact numbers and expressions of parameters."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from zoo import close

from torseur.errors import NotInRing, shown
from torseur.scalars import Floats, Graph, Ring, exact_root
from torseur.scalars.digest import _spell
from torseur.scalars.values.parser import parse
from torseur.scalars.values.value import (
    Value,
    cos as value_cos,
    divide,
    exact,
    exacts,
    leaves,
    nominal,
    quarter,
    sin as value_sin,
    sqrt,
    symbol,
    symbols,
)


def test_a_decimal_means_what_it_says():
    assert exact(0.35) == Fraction(7, 20) and exact(2.0) == 2 and isinstance(exact(2.0), int)
    assert exact(np.float64(0.1)) == exact(np.float32(0.5)) / 5 == Fraction(1, 10)
    assert exact(np.int16(3)) == exact(Fraction(6, 2)) == exact("3") == exact(np.array(3.0)) == 3
    assert isinstance(exact(Fraction(6, 2)), int)


@given(st.floats(-1e90, 1e90))
def test_every_float_survives(x):
    assert float(exact(x)) == x


@pytest.mark.parametrize("bad", [None, True, 1j, [], {}, object(), np.bool_(1), np.zeros(2), b"1"])
def test_what_is_no_number(bad):
    with pytest.raises(TypeError, match="expected a number or the text of an expression, got"):
        exact(bad)


def test_equal_expressions_are_one_object():
    L = symbol("L")
    assert exact("L/2 + 1") is L / 2 + 1 and L * 1 is L and L + 0 is L and 0 * L == 0
    back = -L
    assert -back is L and L**1 is L and L**0 == 1 and 1 * L is L and -1 * L is -L
    assert pickle.loads(pickle.dumps(L / 2)) is L / 2
    assert len({L / 2, exact("L/2"), L / 3}) == 2
    with pytest.raises(AttributeError, match="frozen"):
        L.op = "pi"


@pytest.mark.parametrize(
    "text",
    [
        "a + b*c",
        "(a + b)*c",
        "a - (b - c)",
        "a - b - c",
        "a/(b/c)",
        "a/b/c",
        "-a**2",
        "(-a)**2",
        "2*a**-3",
        "-(a + b)",
        "sin(a)*cos(b - 1)",
        "a*(b + 1)/3",
        "0.25*a",
        "sqrt(2)*a",
        "a**2**2",
        "atan2(a, b)",
        "min(a, 1) + max(b, 2)",
        "abs(-a)",
        "1/a",
        "2/3*a",
        "1e-3*a",
        "exp(-a)",
    ],
)
def test_texts_go_both_ways(text):
    """Reading what is printed gives the same number, and Python agrees with the parser."""
    x = exact(text)
    at = {"a": 1.3, "b": 0.7, "c": 2.9}
    names = {f: getattr(math, f) for f in ("sin", "cos", "sqrt", "atan2", "exp")}
    want = eval(text, {"__builtins__": {}, "abs": abs, "min": min, "max": max, **names}, at)
    close(nominal(x, at), want, 8)
    close(nominal(exact(repr(x)), at), want, 8)


@given(
    st.recursive(
        st.sampled_from(["a", "b", "2", "0.5"]),
        lambda inner: st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
            st.builds("-{}".format, inner),
            st.builds("{}**2".format, inner.map("({})".format)),
        ),
    )
)
def test_random_texts_go_both_ways(text):
    x, at = exact(text), {"a": 0.9, "b": -1.1}
    want = eval(text, {"__builtins__": {}}, at)
    again = exact(repr(x)) if isinstance(x, Value) else x
    close(nominal(again, at), want, 1e3, scale=max(1, abs(want)))
    K = Graph(at)
    close(K.number(x), want, 1e3, scale=max(1, abs(want)))


@pytest.mark.parametrize(
    "text, problem",
    [
        ("", "cannot read '' as an expression; write arithmetic such as 'L/2'"),
        ("a b", "cannot read 'a b' as an expression"),
        ("import os", "cannot read 'import os'"),
        ("__import__('os')", "only numbers, parameter names"),
        ("a.b", "only numbers"),
        ("a[0]", "only numbers"),
        ("a if b else c", "only numbers"),
        ("'x'", "only numbers"),
        ("sin(a, b)", "only numbers"),
        ("atan2(a)", "only numbers"),
        ("min()", "only numbers"),
        ("sin(x=1)", "only numbers"),
        ("a**b", "powers must be whole numbers up to 64"),
        ("a**65", "powers must be whole numbers up to 64"),
        ("m*L^2/12", "a power is written **, not ^"),
        ("a**0.5", "powers must be whole numbers"),
        ("1/0", "division by zero"),
        ("a/0", "division by zero"),
        ("0**-1", "division by zero"),
        ("nan", "expected a finite number, got 'nan'"),
        ("-Infinity", "expected a finite number"),
        ("sqrt(-2)", "the square root of -2 is not real"),
        ("1e999", "out of the range of numbers"),
        ("9**64**64", "out of the range of numbers"),
        ("9" * 200, "out of the range of numbers"),
        ("1" * 10_001, "an expression of 10001 characters is too long"),
        ("(" * 2000 + "1" + ")" * 2000, "cannot read"),
        ("-" * 5000 + "a", "cannot read"),
        ("True", "only numbers"),
        ("1j", "only numbers"),
        ("a @ b", "only numbers"),
    ],
)
def test_texts_that_are_no_expression(text, problem):
    with pytest.raises(ValueError) as e:
        parse(text)
    assert problem in str(e.value) and len(str(e.value)) < 300


def test_right_angles_are_exact_to_a_few_ulp():
    for n in range(-5, 9):
        x = n * math.pi / 2
        assert quarter(exact(x)) == n and value_cos(exact(x)) == round(math.cos(x))
        assert value_sin(exact(np.nextafter(x, 9))) == round(math.sin(x))
    assert quarter(exact("3*pi/2")) == 3 and value_sin(exact("pi/2")) == 1
    assert quarter(exact(1.5708)) is None and quarter(exact("pi/3")) is None
    assert quarter(exact("a")) is None and quarter(exact(math.pi / 2 + 1e-14)) is None
    assert repr(value_cos(exact(0.3))) == "cos(0.3)"


def test_roots_are_exact_when_rational():
    assert sqrt(Fraction(9, 4)) == Fraction(3, 2) and sqrt(0) == 0 and exact_root(2) is None
    assert repr(sqrt(2)) == "sqrt(2)" and exact_root(-1) is None
    with pytest.raises(ValueError, match="not real"):
        sqrt(-1)


def test_arrays_have_a_shape():
    assert exacts([[1, "a"], [0.5, 2]], (2, 2)).tolist() == [[1, symbol("a")], [Fraction(1, 2), 2]]
    for x, text in (
        ((1, 2), "expected 3 numbers, got 2 numbers"),
        (5, "expected 3 numbers, got 5"),
        ("abc", "expected 3 numbers, got 'abc'"),
        (np.eye(2), "expected 3 numbers, got 2 x 2 numbers"),
        ([[1, 2], [3]], "expected 3 numbers, got 2 numbers"),
    ):
        with pytest.raises(ValueError, match=text):
            exacts(x, (3,))


def test_symbols_and_leaves_in_order():
    x = np.array([exact("b*sin(0.3) + a"), 2, exact("sqrt(2)*pi*b")], dtype=object)
    assert symbols(x) == ("b", "a")
    assert [repr(leaf) for leaf in leaves(x)] == ["b", "sin(0.3)", "a", "sqrt(2)", "pi"]


def test_arithmetic_with_arrays_of_values():
    a, b = symbol("a"), symbol("b")
    v = np.array([a, 1, b], dtype=object)
    assert (a * v).tolist() == [a * a, a, a * b] and (v * 0).tolist() == [0, 0, 0]
    assert (v @ v) is a * a + 1 + b * b and (a - v)[1] is a - 1 and (a + v)[0] is a + a
    assert divide(a, 2) is a / 2 and 1 / a is exact("1/a") and 2 - a is exact("2 - a")


def test_a_shared_part_is_evaluated_once():
    """A thousand squarings: written out, more terms than atoms."""
    x = symbol("a")
    for _ in range(1000):
        x = x * x + 1
    K = Graph()
    calls = 0

    class Counting(Floats):
        def parameter(self, name):
            nonlocal calls
            calls += 1
            return 0.0

    assert math.isinf(x.over(Counting())) and calls == 1
    _spell((x, x), pieces := [], {})  # each distinct part once, then two numbers and two brackets
    assert "expression of more than" in repr(x) and len(pieces) == 2005
    assert symbols(x) == ("a",) and K is not None


def test_the_scalars_agree_on_an_expression():
    x = exact("(a + 1/3)**2*sqrt(2) - a/7")
    ring = Ring(plain=("a",), constants=("sqrt(2)",))
    assert "sqrt(2)" in str(x.over(ring))
    want = nominal(x, {"a": 2.0})
    close(Graph({"a": 2.0}).number(x), want, 4)
    with pytest.raises(NotInRing, match="parameter 'a' has no value here"):
        nominal(x, {})


def test_what_is_shown_in_messages_is_short():
    class Rude:
        def __repr__(self):
            raise RuntimeError("no")

    assert shown(Rude()) == "a Rude" or "Rude" in shown(Rude())
    for x in (
        "x" * 10**6,
        10**5000,
        list(range(10**5)),
        {i: i for i in range(1000)},
        [[[[[[1]]]]]],
    ):
        assert len(shown(x)) < 200 and "\n" not in shown(x)
    assert isinstance(exact("a"), Value)

"""The three scalars behave inside NumPy arrays, and say what they cannot do."""

import math
from fractions import Fraction

import numpy as np
import pytest
from zoo import close

from torseur.errors import NotInRing
from torseur.scalars import Floats, Graph, Node, Ring, matrix, vector


@pytest.fixture(params=["graph", "ring"])
def symbolic(request):
    if request.param == "graph":
        K = Graph()
        return K, *K.symbols(("x", "y"))
    K = Ring(plain=("x", "y"))
    return K, K["x"], K["y"]


def test_nodes_are_safe_in_arrays(symbolic):
    _, x, y = symbolic
    v = vector([x, 2, y])
    assert v.dtype == object and v.shape == (3,)
    for result in (x * v, v * x, x + v, v - x, x - v, np.outer(v, v), v @ v * v):
        assert isinstance(result, np.ndarray) and result.dtype == object
    assert matrix([[x, 0], [1, y]]).shape == (2, 2)
    with pytest.raises((TypeError, ValueError)):
        np.zeros(2)[0] = x  # never a silent NaN
    with pytest.raises(TypeError):
        float(x)
    with pytest.raises(TypeError):
        list(x)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x)


def test_zeros_and_ones_never_reach_the_library(symbolic):
    _, x, y = symbolic
    for zero in (0, 0.0, Fraction(0)):
        assert (x * zero) == 0 and isinstance(x * zero, int)
        assert x + zero is x and zero + x is x and x - zero is x
    assert x * 1 is x and 1.0 * x is x
    assert (vector([0, 1, 0]) @ vector([x, y, x])) is y
    assert isinstance(-x, Node) and (0 - x) == -x and x**1 is x and x**0 == 1
    with pytest.raises(TypeError, match="whole powers only"):
        x**0.5


def test_equality_is_of_expressions(symbolic):
    K, x, y = symbolic
    assert x + y == x + y and x != y and x != 1
    assert len({x, y, x}) == 2 and type(K).__name__ in repr(x)


def test_the_ring_reduces_and_proves():
    K = Ring(angles=("a",), plain=("m",), quaternions=[("w", "x", "y", "z")])
    c, s = K.cos(K["a"]), K.sin(K["a"])
    assert c * c + s * s == 1 and isinstance(c * c + s * s, int)
    q = [K[n] for n in "wxyz"]
    assert sum(e * e for e in q) == 1
    assert (c + s) * (c - s) == 2 * c * c - 1
    assert K.derive(s * c, K["a"]) == 2 * c * c - 1
    assert K.sin(-K["a"]) == -s and K.cos(-K["a"]) == c


def test_the_ring_takes_no_inexact_number():
    K = Ring(plain=("m",))
    with pytest.raises(TypeError, match=r"the inexact number 0\.5 may not enter a ring"):
        K["m"] * 0.5
    assert K["m"] * Fraction(1, 2) + K["m"] / 2 == K["m"]


@pytest.mark.parametrize(
    "ask, what",
    [
        (lambda K, x: K.divide(1, x), "divide"),
        (lambda K, x: K.sqrt(x), "root"),
        (lambda K, x: K.less(x, 0), "branch"),
        (lambda K, x: K.select(True, x, x), "branch"),
        (lambda K, x: K.call("tanh", x), "branch"),
    ],
)
def test_the_ring_names_what_it_lacks(ask, what):
    K = Ring(plain=("m",))
    with pytest.raises(NotInRing, match=f"'{what}', which ring elements do not have"):
        ask(K, K["m"])


def test_floats_do_not_derive():
    with pytest.raises(NotInRing, match="a derivative needs the operation 'derive'"):
        Floats().derive(1.0, 2.0)


@pytest.mark.parametrize(
    "name, at",
    [
        ("tan", (0.4,)),
        ("exp", (0.4,)),
        ("log", (0.4,)),
        ("sign", (-2.0,)),
        ("tanh", (0.4,)),
        ("abs", (-0.4,)),
        ("asin", (0.4,)),
        ("acos", (0.4,)),
        ("atan", (0.4,)),
        ("atan2", (0.4, -0.3)),
        ("min", (0.4, 0.3)),
        ("max", (0.4, 0.3)),
    ],
)
def test_floats_and_graph_know_the_same_functions(name, at):
    import casadi as ca

    K = Graph()
    x = K.symbols(f"x{i}" for i in range(len(at)))
    f = ca.Function("f", [K.sx(x)], [K.sx(K.call(name, *x))])
    close(float(f(at)), Floats().call(name, *at), 4)


def test_graph_selects_and_differentiates():
    import casadi as ca

    K = Graph()
    x = K.symbol("x")
    y = K.select(K.less(x, 0), -x, x * x)
    f = ca.Function("f", [K.sx(x)], [K.sx(y), K.sx(K.derive(y, x))])
    assert [float(e) for e in f(-2)] == [2, -1] and [float(e) for e in f(3)] == [9, 6]
    assert K.select(True, 1, 2) == 1 and K.derive(3.0, x) == 0
    assert K.derive(3, vector([x])).tolist() == [0]


def test_floats():
    K = Floats({"L": 2.0})
    assert K.number(Fraction(1, 4)) == 0.25 and K.select(K.less(1, 2), "a", "b") == "a"
    assert K.power(2.0, -2) == 0.25 and K.sqrt(4.0) == 2 and K.pi == math.pi
    assert K.parameter("L") == 2.0

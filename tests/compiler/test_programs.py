"""Programs in normal form: what is counted, what is shared, what is stamped."""

import casadi as ca
import numpy as np
import pytest

from torseur.compiler.program.casadi_reader import read, read_ports
from torseur.compiler.program.normal_form import Builder
from torseur.compiler.program.ports import Port
from torseur.errors import KernelError

X, Y, Z = (ca.SX.sym(n) for n in "xyz")


def program(*results, args=(X, Y, Z)):
    return read(ca.Function("f", list(args), list(results)))


def counts(*results):
    return {k: n for k, n in program(*results).operations.items() if n}


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([X * Y - (-X) * Y], {"mul": 1, "add": 1}),  # x y + x y
        ([X - Y, Y - X], {"add": 1}),
        ([(X - Y) * Z, (Y - X) * Z], {"add": 1, "mul": 1}),
        ([X * 0 + Y * 1 + 0], {}),
        ([2 * X], {"add": 1}),
        ([3 * (2 * X)], {"mul": 1}),
        ([3 * (2 * (X * Y))], {"mul": 2}),
        ([X + 1 + 2 - 3], {}),
        ([X / 4], {"mul": 1}),
        ([ca.sin(X), ca.cos(X), ca.sin(-X), ca.cos(-X)], {"trig": 1}),
        ([ca.sin(X) * ca.cos(Y)], {"trig": 2, "mul": 1}),
        ([X**3], {"mul": 2}),
        ([X**-2], {"mul": 1, "div": 1}),
        ([ca.sqrt(X) + X**0.5], {"sqrt": 1, "add": 1}),
        ([(X + Y) + Z, (Z + X) + Y], {"add": 4}),  # no reassociation of values
        ([ca.fabs(-X) - ca.fabs(X)], {}),
        ([ca.atan2(X, Y)], {"call": 1}),
        ([ca.if_else(X > 0, Y, Z)], {"branch": 2}),
        ([ca.SX(3) * ca.sin(ca.SX(1))], {}),
    ],
)
def test_operations_are_as_few_as_they_can_be(results, expected):
    assert counts(*results) == expected


def test_dead_code_is_dropped():
    f = ca.Function("f", [X, Y], [X * Y, ca.sin(X)], ["x", "y"], ["a", "b"])
    g = ca.Function("g", [X, Y], [f(X, Y)[0]])
    assert read(g).operations == {"mul": 1, "add": 0, "div": 0, "trig": 0, "sqrt": 0}


def test_stamp_does_not_depend_on_the_order_of_writing():
    a, b = X * Y - ca.sin(Z - X), ca.sin(X - Z) + Y * X
    assert program(a).stamp == program(b).stamp


def test_stamp_ignores_how_a_builder_met_the_nodes():
    stamps = set()
    for swap in (False, True):
        b = Builder()
        x, y = (b.input(0, k) for k in ((1, 0) if swap else (0, 1)))
        x, y = (y, x) if swap else (x, y)
        value = b.call("sin", b.sub(x, y))
        result = b.sub(b.mul(value, x), b.div(value, y))
        done = b.build_program("f", [Port("x", (2,))], [Port("y", ())], [[result]])
        stamps.add(done.stamp)
    assert len(stamps) == 1


def test_stamp_sees_signs_constants_functions_and_ports():
    texts = [X + Y, X - Y, Y - X, X * Y, X + 2 * Y, X + 3 * Y, ca.sin(X), ca.cos(X), -ca.sin(X)]
    texts += [X / Y, Y / X, ca.fmin(X, Y), ca.atan2(X, Y), ca.atan2(Y, X), Z + Y]
    assert len({program(t).stamp for t in texts}) == len(texts)
    f = ca.Function("f", [X, Y], [X + Y], ["x", "y"], ["s"])
    g = ca.Function("f", [X, Y], [X + Y], ["x", "z"], ["s"])
    assert read(f).stamp != read(g).stamp


def test_matrices_are_read_row_by_row_and_holes_are_zero():
    A = ca.SX.sym("A", 2, 3)
    M = ca.SX(2, 3)
    M[1, 0] = A[0, 2]
    p = read(ca.Function("f", [A], [M], ["A"], ["M"]))
    assert p.inputs == (Port("A", (2, 3)),) and p.outputs == (Port("M", (2, 3)),)
    assert ("input", 0, 2) in p.nodes
    (row,) = p.results
    assert [p.nodes[r >> 1] for r in row].count(("const", 0.0)) == 5
    assert p.nodes[row[3] >> 1] == ("input", 0, 2)


def test_shapes_can_be_told():
    f = ca.Function("f", [X, ca.SX.sym("w", 12)], [X], ["t", "w"], ["y"])
    inputs, outputs = read_ports(f, {"t": (), "w": (2, 6)})
    assert inputs == (Port("t", ()), Port("w", (2, 6)))
    assert outputs == (Port("y", (1,)),)
    with pytest.raises(KernelError, match=r"'w' of 'f' has 12 x 1 numbers.*\(3, 3\)"):
        read_ports(f, {"w": (3, 3)})


def test_matrix_graphs_are_refused():
    x = ca.MX.sym("x", 2)
    with pytest.raises(KernelError, match="expand"):
        read(ca.Function("f", [x], [ca.sin(x)]))


def test_constants_that_are_not_numbers_stay_so():
    p = program(X + ca.SX(np.nan), Y * ca.SX(np.nan))
    assert sum(n[0] == "const" for n in p.nodes) == 1 and p.operations["add"] == 1


def test_folding_keeps_the_range_of_numbers():
    """A product of constants that overflows, or a reciprocal that does, is not folded."""
    b = Builder()
    x, large, small = b.input(0, 0), b.const(1e200), b.const(1e-200)
    rows = [b.mul(large, b.mul(large, x)), b.div(x, b.const(1e-310)), b.mul(small, b.mul(small, x))]
    p = b.build_program("f", [Port("x", (1,))], [Port("y", (3,))], [rows])
    assert all(np.isfinite(n[1]) and n[1] for n in p.nodes if n[0] == "const")
    assert p.operations["mul"] == 4 and p.operations["div"] == 1


def test_powers_that_are_no_whole_number():
    assert counts(X**2.5, X**np.inf) == {"call": 2}


def test_a_product_that_only_sums_read_is_fused_into_each():
    from torseur.compiler.program.scheduling import select_fma_products, select_shared_fma_products

    shared = X * X * Y
    p = program(shared + Z, Y - shared)
    assert (
        not select_fma_products(p)
        and len(more := select_shared_fma_products(p, select_fma_products(p))) == 2
        and len({*more.values()}) == 1
    )
    p = program(shared + Z, Y - shared, shared)  # somebody else reads it too
    assert not select_shared_fma_products(p, select_fma_products(p))

"""Parts of a graph that are written once and called: same numbers, less code."""

import casadi
import numpy as np
import pytest

import torseur as ts
from torseur.compiler import Kernel
from torseur.errors import KernelError, NotInRing
from torseur.kernels import MotionKernels
from torseur.kernels.tracing import trace_function
from torseur.quantities.register import PORTS, find
from torseur.quantities.symbolic_system import SymbolicSystem
from torseur.scalars import Called, Graph, vector


def swing(K, x, y):
    """Sines before, inside and behind calls of a routine that calls another."""

    def inner(fixed, given):
        (A,), (b,) = fixed, given
        return vector((A[0, 0] * b[0] + A[0, 1] * K.sin(b[1]), 2 * b[1] - A[1, 1], 3.0))

    def outer(fixed, given):
        (A,), (b, c) = fixed, given
        first = K.routine(("inner",), inner, [A], [b])
        second = K.routine(("inner",), inner, [A], [first[:2] * c])
        return vector((*second, K.cos(first[0])))

    A = np.array([[x[0], K.sin(x[1])], [0, x[1] * x[0]]], dtype=object)
    one = K.routine(("outer",), outer, [A], [x, y])
    two = K.routine(("outer",), outer, [A], [y, one[:2]])
    turned = K.sin(two[0]) + one[2]
    three = K.routine(("outer",), outer, [A], [vector((turned, 1)), one[:2]])
    return vector((*three, turned, two[2] * x[0]))


def made(K, f, *names):
    x, y = (K.symbols(f"{n}{i}" for i in range(2)) for n in names)
    return K.functions("f", [K.sx(x), K.sx(y)], [K.sx(f(K, x, y))], list(names), ["z"])


def test_routines_give_the_numbers_of_what_is_written_out():
    out, called = made(Graph(), swing, "x", "y"), made(Called(), swing, "x", "y")
    plain, short = Kernel("f", lambda: out), Kernel("f", lambda: called)
    x, y = np.random.default_rng(0).normal(size=(2, 50, 2))
    assert np.allclose(short(x, y), plain(x, y), rtol=1e-13, atol=1e-13)
    assert np.array_equal(short(x, y), [short(*row) for row in zip(x, y, strict=True)])  # lanes
    assert [len(p.calls) for p in (short.program, *short.program.routines)] == [3, 0, 2]
    assert short.stamp == Kernel("f", lambda: made(Called(), swing, "x", "y")).stamp
    assert short.stamp != plain.stamp
    assert short.operations["trig"] == 11  # of what runs, not of what is written


def test_symbols_are_replaced_through_routines():
    def renamed(K, x, y):
        new = vector((y[0] * x[1], K.cos(x[0]), x[0], y[1]))
        return K.substitute(swing(K, x, y), np.concatenate([x, y]), new)

    out, called = made(Graph(), renamed, "x", "y"), made(Called(), renamed, "x", "y")
    x, y = np.random.default_rng(1).normal(size=(2, 20, 2))
    short = Kernel("f", lambda: called)
    assert np.allclose(short(x, y), Kernel("f", lambda: out)(x, y), rtol=1e-13, atol=1e-13)
    assert len(short.program.calls) == 3  # what stood before is gone


def test_what_a_routine_may_not_do_is_refused():
    K = Called()
    x = K.symbols(["a", "b"])
    with pytest.raises(KernelError, match="reads a number that it is not given"):
        K.routine(("r",), lambda _, given: given[0] * x[0], [], [x])
    got = K.routine(("s",), lambda _, given: given[0] * given[0][0], [], [x])
    with pytest.raises(NotInRing, match="has no derivative"):
        K.derive(got[0] * x[1], x[1])
    assert casadi.is_equal(K.derive(x[0] * x[1], x[1]).x, x[0].x)


def corners(n):
    """A box on n feet with friction."""
    turn = 2 * np.pi / n
    feet = [(0.1 * np.cos(i * turn), 0.1 * np.sin(i * turn), -0.1) for i in range(n)]
    box = ts.Body("box", 2.0, inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    contacts = [
        ts.Contact(f"c{i}", ("box", x), friction=0.3, restitution=0.2) for i, x in enumerate(feet)
    ]
    fly = ts.Joint("fly", "world", "box", ts.Free())
    return ts.Model("box", bodies=(box,), joints=(fly,), constraints=contacts).check()


def written_out(system):
    own = find("jump")
    reads = [*PORTS, *(x for x in own.inputs if x not in PORTS)]
    scene = SymbolicSystem(system, Graph(), tuple(system.parameters))
    return Kernel(
        "jump", lambda: trace_function(own, scene, reads), shapes=own.shape(system), rare=True
    )


def test_an_impact_is_that_of_its_rounds_written_out():
    system = corners(2)
    short, plain = MotionKernels(system)["jump"], written_out(system)
    rng = np.random.default_rng(2)
    for k in (-1.0, *range(len(system.layout.guards))):
        state = {"q": np.array([1, 0, 0, 0, 0, 0, 0.1]), "v": rng.normal(size=6), "k": [k]}
        given = [state.get(p.name, np.zeros(p.shape)) for p in short.inputs]
        for x, y in zip(short(*given), plain(*given), strict=True):
            assert np.allclose(x, y, rtol=1e-10, atol=1e-10), k


def test_the_code_of_an_impact_grows_slowly_with_contacts():
    """Rounds are routines: written out, four contacts have 62 600 nodes.

    Those of an impact, and of frictions at rest that share what holds them (DF.16).
    """
    sizes = {n: MotionKernels(corners(n))["jump"].program for n in (1, 2, 4)}
    assert sizes[1].size < 2_000 and sizes[2].size < 7_000 and sizes[4].size < 14_000
    names = [r.name for r in sizes[4].routines]
    once = ("active_set4", "active_set9", "forces3", "onset_direction")
    assert [names.count(x) for x in once] == [1] * len(once)
    assert names.count("pass") == 2
    assert names.count("factor") == names.count("solve") == 2  # one without the rows of a friction
    called = [c.routine.name for c in sizes[4].calls]
    assert called.count("active_set4") == called.count("forces3") == 2


def test_guards_go_on_from_what_the_flow_gives():
    """They call the flow's code, and add little of their own; the numbers are those of a graph."""
    system = corners(4)
    kernels = MotionKernels(system)
    short = kernels["guards"]
    own = find("guards")
    scene = SymbolicSystem(system, Graph())
    plain = Kernel("guards", lambda: trace_function(own, scene, PORTS), shapes=own.shape(system))
    assert short.program.size < 800 < plain.program.size / 10
    assert sum(short.operations.values()) > sum(kernels["flow"].operations.values())
    rng, rows = np.random.default_rng(3), 20
    given = {p.name: rng.normal(size=(rows, *p.shape)) for p in short.inputs}
    given["q"][:, :4] /= np.linalg.norm(given["q"][:, :4], axis=1)[:, None]
    given["m"] = rng.integers(-1, 3, given["m"].shape).astype(float)
    x, y = short(*given.values()), plain(*given.values())
    assert np.allclose(x, y, rtol=1e-6, atol=1e-6)
    assert np.array_equal(x[0], short(*(e[0] for e in given.values())))  # lanes, and one alone


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 11])
@pytest.mark.parametrize("wavy", [False, True])
def test_columns_side_by_side_are_those_one_after_the_other(count, wavy):
    """Columns that share an array: in vectors where nothing else is called, one by one in lanes."""

    def one(K, fixed, x):
        (A,) = fixed
        bent = K.sin(x[1]) if wavy else x[1] * x[1]
        return vector((A[0, 0] * x[0] + A[0, 1] * bent, x[2] + A[1, 1], 7, K.divide(x[0], A[0, 1])))

    def swung(K, x, y):
        A = np.array([[x[0], 2 + x[1] * x[1]], [0, x[1] * x[0]]], dtype=object)
        columns = [vector((x[0] + k, y[1] * k, 3)) for k in range(count)]
        found = K.abreast(("one",), lambda fixed, given: one(K, fixed, given[0]), [A], columns)
        back = K.substitute(np.concatenate(found), y, vector((y[1], y[0] + 1)))
        return np.concatenate([*found, back])

    out, called = made(Graph(), swung, "x", "y"), made(Called(), swung, "x", "y")
    plain, short = Kernel("f", lambda: out), Kernel("f", lambda: called)
    x, y = np.random.default_rng(count).normal(size=(2, 50, 2))
    assert np.allclose(short(x, y), plain(x, y), rtol=1e-14, atol=1e-14)
    assert np.array_equal(short(x, y), [short(*row) for row in zip(x, y, strict=True)])  # lanes
    calls = short.program.calls if count > 2 else ()
    assert sum(c.columns for c in calls) == 2 * count * (count > 2)
    assert {len(c.routine.inputs) for c in calls} <= {2} and len(short.program.routines) < 2
    assert count < 3 or short.operations["div"] == 2 * count  # of what runs


def both_ways(name, system):
    """A kernel of a system, and the same from a graph without routines; both at ten states."""
    short, own, scene = MotionKernels(system)[name], find(name), SymbolicSystem(system, Graph())
    plain = Kernel(name, lambda: trace_function(own, scene, PORTS), shapes={"t": ()})
    rng, rows = np.random.default_rng(len(system.layout.m)), 10
    given = {p.name: rng.normal(size=(rows, *p.shape)) for p in short.inputs}
    given["q"][:, :4] /= np.linalg.norm(given["q"][:, :4], axis=1)[:, None]
    given["m"] = rng.integers(0, 3, given["m"].shape).astype(float)
    found, wanted = short(*given.values()), plain(*given.values())
    for k in range(rows):
        alone = short(*(e[k] for e in given.values()))
        assert all(np.array_equal(x[k], y) for x, y in zip(found, alone, strict=True))  # lanes
    return short.program, found, wanted


@pytest.mark.parametrize("n", [2, 3])
def test_forces_of_sliding_contacts_are_solved_side_by_side(n):
    """One text for all frictions; the numbers are those of the flow written out."""
    program, found, wanted = both_ways("flow", corners(n))
    assert [r.name for r in program.routines] == ["solve"]
    assert sum(c.columns for c in program.calls) == 1 + n
    for x, y in zip(found, wanted, strict=True):
        assert np.allclose(x, y, rtol=1e-5, atol=1e-5 * abs(y).max())


def test_corrections_of_many_rows_are_written_once():
    """Two of the positions and one of the speeds; of few rows they are written out."""
    program, found, wanted = both_ways("project", corners(4))
    assert [r.name for r in program.routines] == ["correct"] and len(program.calls) == 3
    for x, y in zip(found, wanted, strict=True):
        assert np.allclose(x, y, rtol=1e-7, atol=1e-7 * abs(y).max())
    assert not MotionKernels(corners(2))["project"].program.calls

"""The contract of a quantity, on every registered one: its three ways of evaluation agree."""

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.errors import NotInRing
from torseur.kernels import GraphInterpreter
from torseur.kernels.column_evaluation import column_evaluator
from torseur.quantities import QUANTITIES, quantity

ROWS = 3
NEEDS_GRAPH = (TypeError, AttributeError, NotInRing, ts.KernelError)


def crank() -> ts.Model:
    """A pendulum with a spring, a damper, an input and a rod that closes a loop."""
    bodies = tuple(ts.Body(n, 1.5, (0, 0, -0.3), (0.1, 0.1, 0.02, 0, 0, 0)) for n in "ab")
    joints = (
        ts.Joint("p", "world", "a", ts.Revolute("y"), damping=0.3),
        ts.Joint("r", "a", "b", ts.Revolute("y"), at=(0, 0, -0.6)),
    )
    spring = ts.PointForce("s", a=("b", (0, 0, -0.6)), b=("world", (1, 0, 0)), law=ts.Spring(9.0))
    rod = ts.Distance("rod", ("b", (0, 0, -0.5)), ("world", (0.8, 0, -0.2)), 1.1)
    return ts.Model(bodies=bodies, joints=joints, forces=(spring,), constraints=(rod,))


@pytest.fixture(scope="module")
def crank_ways():
    s = crank().check()
    return ts.compile(s), GraphInterpreter(s, {}), column_evaluator(s, ())


def numbers(scene, inputs, rng) -> list[np.ndarray]:
    return [0.3 + 0.2 * rng.uniform(-1, 1, (ROWS, scene.size(x))) for x in inputs]


@pytest.mark.parametrize("name", [n for n, x in QUANTITIES.items() if not x.frame])
def test_compiled_interpreted_and_by_columns(name, crank_ways):
    compiled, graphs, columns = crank_ways
    own = QUANTITIES[name]
    if name == "inverse_dynamics_parameters":
        pytest.skip("of declared parameters, which this model has not")
    given = numbers(graphs.scene, own.inputs, np.random.default_rng(4))
    want = np.concatenate(graphs.rows(name, *given))
    assert want.shape[1] == ROWS and np.isfinite(want).all()
    one = np.concatenate([np.ravel(x) for x in graphs(name, *(x[0] for x in given))])
    zoo.close(one, want[:, 0], 100)
    if not want.size:
        return
    found = compiled.kernel(name)(
        *(x[:, 0] if n in "tk" else x for n, x in zip(own.inputs, given, strict=True))
    )
    found = found if isinstance(found, tuple) else (found,)
    zoo.close(np.concatenate([np.reshape(x, (ROWS, -1)).T for x in found]), want, 1e4)
    try:
        by = columns(name, *given)
    except NEEDS_GRAPH:  # derivatives, rows of constraints: what columns cannot
        return
    zoo.close(by, want, 1e4)


def test_a_new_quantity_is_one_decorated_function(tmp_path, monkeypatch):
    """Written in a file outside the package, it is compiled, interpreted and run by columns."""
    (tmp_path / "spin.py").write_text(
        "from torseur.quantities import quantity\n\n\n"
        '@quantity("q v", "twice")\n'
        "def twice_the_rates(s, q, v):\n"
        "    return 2 * v\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import spin  # noqa: F401

    try:
        dyn = ts.compile(crank())
        q, v = np.array([0.1, 0.2]), np.array([3.0, 4.0])
        np.testing.assert_array_equal(dyn.twice_the_rates(q, v), 2 * v)
        assert dyn.operations("twice_the_rates")["mul"] + dyn.operations("twice_the_rates")["add"]
        np.testing.assert_array_equal(
            GraphInterpreter(dyn.system, {})("twice_the_rates", q, v)[0], 2 * v
        )
        by = column_evaluator(dyn.system, ())("twice_the_rates", q[None], v[None])
        np.testing.assert_array_equal(by[:, 0], 2 * v)
    finally:
        QUANTITIES._held.pop("twice_the_rates")


def test_names_are_kept_apart():
    with pytest.raises(ts.ArgumentError, match="two quantitys are named 'bias'"):

        @quantity("q", "tau")
        def bias(s, q):
            return q

    with pytest.raises(ts.KernelError, match="did you mean 'mass_matrix'"):
        ts.compile(crank()).kernel("mass_matrx")
    with pytest.raises(AttributeError, match="no quantity 'mass_matrx'"):
        ts.compile(crank()).mass_matrx  # noqa: B018

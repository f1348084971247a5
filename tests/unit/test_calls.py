"""What a call of `simulate` leaves behind, and what runs of one system share."""

import gc
import tracemalloc
import weakref
from dataclasses import replace

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.compiler import Float64Array, Int64, Pattern, Record
from torseur.kernels import begun, interpreted, repeated
from torseur.kernels.state_evaluation import StateRows

ROD = ts.Body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1, 0, 0, 0))


def four_bar() -> ts.Model:
    hinge = ts.Revolute("z")
    return ts.Model(
        "four-bar",
        gravity=(0, -9.81, 0),
        bodies=[replace(ROD, name=n) for n in ("a", "b", "c")],
        joints=[
            ts.Joint("A", "world", "a", hinge),
            ts.Joint("B", "a", "b", hinge, at=(1, 0, 0)),
            ts.Joint("C", "world", "c", hinge, at=(1.2, 0, 0)),
        ],
        loops=[ts.Loop("D", "b", "c", hinge, at=(1, 0, 0), child_at=(1, 0, 0))],
        initial={"A.angle": 1.2},
        simulation={"t_end": 0.2, "output": 5},
    )


def crushed() -> ts.Model:
    car = ts.crash.car("light_car")
    model = ts.crash.against(car, ts.crash.Wall(), speed=9.0, dimensions=1)
    return replace(model, simulation={**model.simulation, "output": 5})


@pytest.mark.slow
@pytest.mark.parametrize("make", [four_bar, crushed])
def test_a_call_leaves_less_than_a_kilobyte(make):
    system = make().check()
    for _ in range(3):
        ts.simulate(system)
    gc.collect()
    tracemalloc.start()
    try:
        ts.simulate(system)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            ts.simulate(system)
        gc.collect()
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert left / 20 < 1024


@pytest.mark.parametrize("make", [four_bar, crushed])
def test_nothing_keeps_a_system_alive(make):
    model = make()
    system = model.check()
    for _ in range(2):
        run = ts.simulate(system)
        run["energy.kinetic"], run.energy_audit
    seen = weakref.ref(system)
    del system, model, run
    gc.collect()
    assert seen() is None


def test_equal_models_use_one_code_in_memory():
    """LLVM frees no code whole: a model written anew must not load its kernels again."""
    from torseur.kernels import motion_kernels

    one, other = (motion_kernels(four_bar().check())["flow"] for _ in range(2))
    assert one is not other
    assert one.address == other.address


def test_starts_of_many_runs_are_those_of_each():
    """States and memory of laws at the start, beside the formulas over plain floats."""
    from torseur.dynamics import start
    from torseur.scalars import Floats

    system = ts.crash.against(
        ts.crash.car("k3"), ts.crash.Wall(), speed="30 km/h", dimensions=1
    ).check()
    rng = np.random.default_rng(3)
    q = rng.uniform(-0.2, 0.6, (5, system.nq))
    v = rng.uniform(-3, 12, (5, system.nv))
    z, m = begun(system, 0.0, q, v, np.zeros(0), np.zeros(0))
    for i in range(5):
        now = start(system, Floats(), 0.0, q[i], v[i])
        np.testing.assert_allclose(z[i], np.array(now.z, float), rtol=1e-14)
        np.testing.assert_allclose(m[i], np.array(now.m, float), rtol=1e-12, atol=1e-9)


def test_a_graph_asked_again_is_compiled_and_gives_the_same():
    system = four_bar().check()
    rng = np.random.default_rng(4)
    q, v = rng.uniform(-1, 1, (2, 37, 3))
    none = np.zeros((37, 0))
    rows = StateRows(np.zeros(37), q, v, none, none, none)
    first = repeated(system, "audit", rows, np.zeros(0))
    assert interpreted(system)._function.__self__.asked == {"audit"}
    again = repeated(system, "audit", rows, np.zeros(0))
    for x, y in zip(first, again, strict=True):
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=1e-13, atol=1e-13)


class Sheet(Record):
    n = Int64()
    x = Float64Array("n")
    still = Float64Array("n")
    K = Float64Array(2, "n")


def test_copies_of_a_record_share_what_was_said_and_nothing_else():
    still = np.array([5.0, 6.0])
    pattern = Pattern(Sheet(n=2, x=np.array([1.0, 2]), still=still, K=np.ones((2, 2))), ("still",))
    a, b = pattern.copy(), pattern.copy()
    a.x[0], a.K[1, 1], a.n = 7.0, 8.0, 1
    assert b.x.tolist() == [1, 2]
    assert b.K.tolist() == [[1, 1], [1, 1]]
    assert (b.n, b.still is still, a.still is still) == (2, True, True)
    with pytest.raises(ts.TorseurError, match="shape is"):
        assert a.address  # the rows of K are longer than said now
    b.x = np.zeros(1)
    with pytest.raises(ts.TorseurError, match="x: its shape"):
        assert b.address


def test_a_robot_of_a_table_is_checked_once():
    """The row that a joint keeps for files is nothing that `check` reads."""
    rows = [(0, 0, 0, 0.3), ("pi/2", 0, 0, 0)]
    arm = ts.from_dh(rows, [replace(ROD, name=n) for n in "ab"], convention="modified")
    assert arm.check() is arm.check()


def hung() -> ts.Model:
    """Quaternions, inputs, a parameter and a contact beside a rod that always holds."""
    return replace(
        zoo.mechanism(
            constraints=(
                ts.Distance("string", "tip", length="L"),
                ts.Contact("floor", ("flier", (0, 0, 0.1)), friction=0.3),
            )
        ),
        initial={"ball.angle2": 0.8},
    )


@pytest.mark.parametrize("make", [four_bar, hung])
def test_rows_projected_side_by_side_are_those_projected_alone(make):
    """From its second run on a system has code for several rows at once: not one bit changes."""
    options = {"output": 1500, "parameters": {"L": 0.7}} if make is hung else {"output": 1500}
    system, runs = make().check(), []
    for lanes in (False, True):
        run = ts.Simulation(system, initial=system.model.initial, t_end=0.4, rtol=1e-6, **options)
        assert bool(run.record.project_simd_kernel) is lanes
        run.go()
        runs.append(run.result())
    one, other = runs
    assert one.statistics["steps"] == other.statistics["steps"]
    for name in one.provenance["state"]:
        assert np.array_equal(one[name], other[name])

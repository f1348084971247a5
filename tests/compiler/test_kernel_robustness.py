"""Kernels in the hands of somebody in a hurry: odd numbers, odd arrays, odd machines."""

import concurrent.futures
import multiprocessing
import os
import threading

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.compiler.codegen import basic_block, entry_points
from torseur.kernels import thresholds
from torseur.kernels.graph_trigonometry import TrigonometricGraph
from torseur.quantities.symbolic_system import SymbolicSystem


def hinges(n=4):
    """A chain whose frames are chosen anew, with angles that are not all quarter turns."""
    rng = np.random.default_rng(2)
    axes = ((1, 2, 2), "z", "x", (2, -1, 2), "y")
    return zoo.tree(
        [ts.Revolute(axes[i % 5]) for i in range(n)],
        seed=int(rng.integers(9)),
        parents=range(-1, n - 1),
    )


@pytest.fixture(scope="module")
def dyn():
    return ts.compile(hinges())


def test_bad_numbers_come_out_as_bad_numbers(dyn):
    x = np.zeros(4)
    bad = np.array([0.0, np.nan, 0, 0])
    for q in (bad, np.full(4, np.inf)):
        assert np.isnan(dyn.inverse_dynamics(q, x, x)).any()
        assert np.isnan(dyn.inverse_dynamics(np.stack([x, q] * 8), x, x)[1]).any()
    batch = dyn.inverse_dynamics(np.stack([x, bad] * 8), x, x)
    np.testing.assert_array_equal(batch[0], batch[2])  # neighbors are not touched
    assert np.isfinite(batch[::2]).all()


@pytest.mark.parametrize("size", [1e6, 1e10, 1e17, 1e300])
@pytest.mark.parametrize("looped", [False, True])
def test_huge_angles_are_angles(monkeypatch, size, looped):
    if looped:
        monkeypatch.setattr(thresholds, "MAX_STRAIGHT_LINE_SPEEDS", 0)
    dyn = ts.compile(hinges())
    assert any(SymbolicSystem(dyn.system, TrigonometricGraph()).frames.offsets)
    q, v = np.array([size, -size, size / 3, 1.0]), np.ones(4)
    small = np.arctan2(np.sin(q), np.cos(q))
    want = dyn.inverse_dynamics(small, v, v)
    zoo.close(dyn.inverse_dynamics(q, v, v), want, 500)
    zoo.close(dyn.inverse_dynamics(np.stack([q] * 9), v, v)[8], want, 500)
    zoo.close(dyn.mass_matrix(q), dyn.mass_matrix(small), 500)


def test_arrays_of_every_sort(dyn):
    q = np.linspace(0.1, 0.4, 4)
    want = dyn.inverse_dynamics(q, q, q)
    frozen = q.copy()
    frozen.flags.writeable = False
    swapped = q.astype(q.dtype.newbyteorder())
    for x in (frozen, swapped, q.tolist(), np.repeat(q, 2)[::2], np.asfortranarray(q)):
        np.testing.assert_array_equal(dyn.inverse_dynamics(x, x, x), want)
    single = dyn.inverse_dynamics(q.astype(np.float32), q, q)
    assert single.dtype == float
    zoo.close(single, want, 1e9)
    with pytest.raises(ts.ArgumentError, match=r"inverse_dynamics: q has the shape \(\), expected"):
        dyn.inverse_dynamics(0.0, q, q)
    with pytest.raises(ValueError, match="read-only"):
        dyn.inverse_dynamics(q, q, q, out=frozen)
    for bad in (q + 1j, None, "text"):
        with pytest.raises((TypeError, ts.ArgumentError)):
            dyn.inverse_dynamics(bad, q, q)


def test_rows_that_do_not_go_together_are_named(dyn):
    q = np.linspace(0.1, 0.4, 4)
    for _ in range(2):  # the short way too
        dyn.forward_dynamics(q, q, q)
        with pytest.raises(ts.ArgumentError, match="different numbers of rows: q 3, v 2, tau one"):
            dyn.forward_dynamics(np.stack([q] * 3), np.stack([q] * 2), q)
        with pytest.raises(ts.ArgumentError, match="v has rows of different lengths"):
            dyn.forward_dynamics(q, [1, [2, 3], 4, 5], q)


def test_a_mechanism_that_cannot_move():
    dyn = ts.compile(
        ts.Model(bodies=(ts.Body("b", 1.0),), joints=(ts.Joint("j", "world", "b", ts.Weld()),))
    )
    none = np.zeros(0)
    for name in ("inverse_dynamics", "forward_dynamics"):
        assert getattr(dyn, name)(none, none, none).shape == (0,)
        assert getattr(dyn, name)(np.zeros((3, 0)), none, none).shape == (3, 0)
        assert [x.shape for x in getattr(dyn, f"{name}_derivatives")(none, none, none)] == [
            (0, 0)
        ] * 3
    assert dyn.mass_matrix([]).shape == (0, 0) and dyn.jacobian("b", []).shape == (6, 0)
    np.testing.assert_array_equal(dyn.pose("b", []), np.eye(4))


def test_threads_that_meet_at_the_first_call(monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", "off")
    model, q = hinges(3), np.array([0.1, 0.2, 0.3])
    want, dyn = ts.compile(model).inverse_dynamics(q, q, q), ts.compile(model)
    gate = threading.Barrier(8)

    def work(i):
        gate.wait()
        one = dyn.inverse_dynamics(q, q, q)
        many = dyn.inverse_dynamics(np.stack([q] * 9), q, q)
        return one, many[i]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for pair in pool.map(work, range(8)):
            for got in pair:
                zoo.close(got, want, 16)


def elsewhere(dyn, q):
    return dyn.inverse_dynamics(q, q, q)


def test_another_process_gives_the_same_numbers(dyn):
    q = np.linspace(0.1, 0.4, 4)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(elsewhere, (dyn, q)), elsewhere(dyn, q))


@pytest.mark.parametrize("place", ["off", "", "/dev/null/nowhere", "locked"])
def test_without_a_cache(monkeypatch, tmp_path, place):
    if place == "locked":
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o500)
        place = str(folder)
    monkeypatch.setenv("TORSEUR_CACHE", place)
    assert ts.compile(hinges(1)).mass_matrix([0.0])[0, 0] > 0
    if place == "off":
        assert not os.path.exists("off")


def test_long_code_in_short_blocks_gives_the_same_bits(monkeypatch):
    """Blocks only make LLVM quicker: 200 bodies with a wrench are still straight-line code."""
    monkeypatch.setenv("TORSEUR_CACHE", "off")
    q, batch = np.linspace(0.1, 0.4, 4), np.random.default_rng(1).normal(size=(9, 4))
    whole = ts.compile(hinges())
    want = whole.inverse_dynamics(q, q, q), whole.inverse_dynamics(batch, q, q)
    monkeypatch.setattr(basic_block, "BASIC_BLOCK_NODES", 7)
    monkeypatch.setattr(basic_block, "MAX_ONE_BLOCK_NODES", 0)
    split = ts.compile(hinges())
    np.testing.assert_array_equal(split.inverse_dynamics(q, q, q), want[0])
    np.testing.assert_array_equal(split.inverse_dynamics(batch, q, q), want[1])
    text = entry_points.write_scalar_module(split.kernel("inverse_dynamics").program, 4, True)
    assert text.count("br label %block") > 20


def test_sums_of_long_code_are_fused_alike_in_lanes(monkeypatch):
    """Products join their sums one after the other: as exact, and the same bits in lanes."""
    monkeypatch.setenv("TORSEUR_CACHE", "off")
    q = np.random.default_rng(3).normal(size=(9, 4))
    plain = ts.compile(hinges())
    want = plain.inverse_dynamics_derivatives(q, q, q)
    for name in ("MAX_ONE_BLOCK_NODES", "MAX_ICACHE_NODES"):
        monkeypatch.setattr(basic_block, name, 0)
    dyn = ts.compile(hinges())
    for got, exact in zip(dyn.inverse_dynamics_derivatives(q, q, q), want, strict=True):
        zoo.close(got, exact, 50)
    single = [dyn.kernel("inverse_dynamics_derivatives").gufunc(x, x, x) for x in q]
    for got, one in zip(
        dyn.inverse_dynamics_derivatives(q, q, q), zip(*single, strict=True), strict=True
    ):
        np.testing.assert_array_equal(got, np.stack(one))
    program = dyn.kernel("inverse_dynamics_derivatives").program
    now = basic_block.KernelBody(program, 1, 4, True)
    monkeypatch.setattr(basic_block, "MAX_ICACHE_NODES", 10**9)
    before = basic_block.KernelBody(program, 1, 4, True)
    count = [
        sum(op in ("add", "mul") for op, *_ in b.program.nodes) - len(b.fused_nodes)
        for b in (now, before)
    ]
    assert count[0] < count[1]  # instructions


@pytest.mark.parametrize("long", [0, 10**9])
def test_zeros_of_a_pattern_are_written_among_the_rest(monkeypatch, long):
    """Nine hinges on the world: 72 entries of the mass matrix are zero by structure."""
    monkeypatch.setenv("TORSEUR_CACHE", "off")
    monkeypatch.setattr(basic_block, "MAX_ONE_BLOCK_NODES", long)
    names = [f"b{i}" for i in range(9)]
    bodies = [ts.Body(n, mass=1.0, com=(0.1 * i, 0.2, 0.3)) for i, n in enumerate(names, start=1)]
    joints = [ts.Joint(f"j{n}", "world", n, ts.Revolute("z")) for n in names]
    joints[1] = ts.Joint("jb1", "b0", "b1", ts.Revolute("x"))
    dyn = ts.compile(ts.Model(bodies=bodies, joints=joints))
    q = np.random.default_rng(2).normal(size=(11, 9))
    want = np.stack([ts.compile(dyn.system).mass_matrix(x) for x in q])
    assert (want == 0).sum(axis=(1, 2)).tolist() == [70] * 11
    for x, M in ((q, want), (q[0], want[0])):
        got = np.full(M.shape, np.nan)
        dyn.kernel("mass_matrix").gufunc(x, out=got)
        np.testing.assert_array_equal(got, M)

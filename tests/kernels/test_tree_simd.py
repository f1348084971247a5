"""Derivatives with links and pairs of joints side by side, against those of the graph itself."""

import ctypes
from ctypes.util import find_library
from dataclasses import replace

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur import kinematics
from torseur.compiler import TreeFactorization
from torseur.compiler.runtime import machine
from torseur.compiler.runtime.kernel import DECLARED_SYMBOL, link_code
from torseur.dynamics import forward_dynamics
from torseur.formalisms import (
    composite_body,
    composite_derivatives,
    composite_derivatives_common_axes,
    newton_euler,
)
from torseur.kernels import choose_generator, thresholds
from torseur.kernels.graph_trigonometry import TrigonometricGraph
from torseur.kernels.strategy import Generator
from torseur.kernels.tree_simd import (
    entry_points,
    mass_matrix,
    newton_euler as limbs,
)
from torseur.quantities.formulas import dynamics as formulas
from torseur.quantities.symbolic_system import SymbolicSystem
from torseur.spatial import Pose, Wrench

HINGES = (ts.Revolute("z"), ts.Revolute("y"), ts.Prismatic("x"), ts.Helical("z", 0.1))
PARENTS = (-1, 0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 7, 9, 12)
"""A branch of one, of two and of three; a level of six; a tip beside a long arm."""


def tree(parents=PARENTS, kinds=HINGES, seed=3):
    joints = tuple(kinds[(i // 3) % len(kinds)] for i in range(len(parents)))  # neighbors alike
    return zoo.tree(joints, seed=seed, parents=parents, armature=True).check()


def scene(system):
    return SymbolicSystem(system, TrigonometricGraph())


def has_simd(system, name="forward_dynamics_derivatives", lanes=8, **options) -> bool:
    """Whether a quantity of a system has a kernel with SIMD over the tree."""
    return choose_generator(system, name, lanes=lanes, **options).generator is Generator.TREE_SIMD


def dirty():
    """Fills the stack with what adds up to nonsense: NaNs that signal, and infinities."""
    lines = ["define void @dirty() {", "  %room = alloca [65536 x i64], align 64", "  br label %l"]
    lines += ["l:", "  %i = phi i64 [0, %0], [%j, %l]", "  %j = add i64 %i, 1"]
    lines += ["  %p = getelementptr i64, ptr %room, i64 %i", "  %odd = and i64 %i, 1"]
    lines += ["  %bits = add i64 %odd, 9218868437227405312"]  # an infinity, or a NaN that signals
    lines += ["  store volatile i64 %bits, ptr %p", "  %more = icmp slt i64 %j, 65536"]
    lines += ["  br i1 %more, label %l, label %e", "e:", "  ret void", "}"]
    code = machine.Code(machine.compile_module("\n".join(lines)), ("dirty",))
    return ctypes.CFUNCTYPE(None)(code["dirty"]), code


def native(kernel, lanes, fused):
    """The kernel for vectors of some width, as a function of arrays."""
    text = kernel.module(lanes, fused)
    code = link_code(
        machine.compile_module(text), ("thunk",), tuple(sorted({*DECLARED_SYMBOL.findall(text)}))
    )

    def call(*args):
        outs = [np.full(p.shape, np.nan) for p in kernel.outputs]
        arrays = [*(np.ascontiguousarray(x, dtype=float) for x in args), *outs]
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))
        kind(code["thunk"])(*(x.ctypes.data for x in arrays))
        return outs

    return call


def by_graph(s):
    """Derivatives of the efforts as the graph makes them."""
    K, ports = s.K, ("q", "v", "a", *["p"] * bool(s.parameters), *["w"] * bool(s.wrenches))
    found = formulas.graph_derivatives(s, *(s[x] for x in "qva"))
    columns = [K.lib.densify(x if isinstance(x, K.lib.SX) else K.sx(x)) for x in found]
    f = K.lib.Function("f", [K.sx(s[x]) for x in ports], columns)
    return lambda *state: [np.array(x) for x in f(*state)]


def related(system):
    """Which speeds are one of the other's way to the root."""
    found = np.eye(system.nv, dtype=bool)
    for k in system.links:
        i = k.index
        while i:
            found[k.index - 1, i - 1] = found[i - 1, k.index - 1] = True
            i = system.links[i - 1].parent
    return found


@pytest.fixture(scope="module")
def wanted():
    """By the graph's own derivative, at one state."""
    system = tree()
    state = zoo.state(system, np.random.default_rng(5))
    return system, state, by_graph(scene(system))(*state)


@pytest.mark.parametrize(
    "lanes, fused",
    zoo.few([(2, True), (4, True), (8, True), (2, False), (4, False), (8, False)],
        (2, True), (4, False), (8, True)),
)  # fmt: skip
def test_vectors_of_any_width_give_the_derivatives(wanted, lanes, fused):
    system, state, want = wanted
    f = native(entry_points.inverse_dynamics(scene(system), lanes), lanes, fused)
    got = f(*state)
    for x, y in zip(got, want, strict=True):
        zoo.close(x, y, 1000)
        assert (x[~related(system)] == 0).all()  # what was there before is gone
    np.testing.assert_array_equal(got, f(*state))


@pytest.mark.parametrize("count", zoo.few([9, 11, 16], 11))
def test_lanes_beyond_the_last_say_nothing(count):
    """Whatever is on the stack and behind the arguments, no lane meets it: NumPy would warn."""
    flags = ctypes.CDLL(find_library("m") or None)
    if not hasattr(flags, "fetestexcept"):
        pytest.skip("no flags of the processor in this C library")
    parents = (-1, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10)[:count]
    system = tree(parents, HINGES[:1])
    state = zoo.state(system, np.random.default_rng(1))
    q, v, a = (np.pad(x, (0, 9), constant_values=np.inf)[:count] for x in state)
    spoil, _held = dirty()
    for make in (
        entry_points.inverse_dynamics,
        entry_points.forward_dynamics,
        entry_points.accelerations,
    ):
        kernel = native(make(scene(system), 8), 8, True)
        spoil()
        flags.feclearexcept(1)
        found = kernel(q, v, a)
        assert not flags.fetestexcept(1)  # nothing invalid
        assert all(np.isfinite(x).all() for x in found)


@pytest.mark.parametrize("parents", [(-1, -1, 0, 1), (-1, 0, 1, 2, 3), (-1,), (-1, -1, -1)])
def test_trees_of_few_links(parents):
    """Several roots, a chain, no pair at all."""
    system = tree(parents)
    state = zoo.state(system, np.random.default_rng(1))
    want = composite_derivatives.derivatives(system.floats(), *state)
    got = native(entry_points.inverse_dynamics(scene(system), 4), 4, True)(*state)
    for x, y in zip(got, want, strict=True):
        zoo.close(x, y.astype(float), 1000)


def test_joints_of_several_speeds_over_floats():
    joints = (ts.Free(), ts.Revolute("y"), ts.Spherical(), ts.Revolute("x"), ts.Cylindrical("z"))
    system = zoo.tree(joints, seed=8, parents=(-1, 0, 1, 1, 2), armature=True).check()
    state = zoo.state(system, np.random.default_rng(7))
    found = (
        f.derivatives(system.floats(), *state)
        for f in (composite_derivatives_common_axes, composite_derivatives)
    )
    for x, y in zip(*found, strict=True):
        zoo.close(x.astype(float), y.astype(float), 1000)


@pytest.mark.parametrize("lanes", zoo.few([4, 8], 4))
def test_accelerations_and_their_slopes(lanes):
    """The first of two stages: slopes of the efforts at the accelerations that efforts give."""
    system = tree()
    dyn, n = ts.compile(system), system.nv
    q, v, tau = zoo.state(system, np.random.default_rng(5))
    dq, dv, shared = native(entry_points.forward_dynamics(scene(system), lanes), lanes, True)(
        q, v, tau
    )
    a = np.linalg.solve(dyn.mass_matrix(q), tau - dyn.bias(q, v))
    want = composite_derivatives.derivatives(system.floats(), q, v, a)
    zoo.close(dq, want[0].astype(float), 1e5)
    zoo.close(dv, want[1].astype(float), 1e5)
    assert (shared[:n] > 0).all()  # inverse pivots
    (alone,) = native(entry_points.accelerations(scene(system), lanes), lanes, True)(q, v, tau)
    zoo.close(alone, a, 1e5)


def test_the_kernels_of_a_large_tree():
    """Where it pays the kernel is made of it; batches, made of one text, agree to rounding."""
    parents = (-1, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9)
    dyn = ts.compile(tree(parents, HINGES[:2]))
    assert has_simd(dyn.system)
    rng = np.random.default_rng(2)
    rows = [np.array(x) for x in zip(*(zoo.state(dyn.system, rng) for _ in range(3)), strict=True)]
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        kernel = dyn.kernel(name)
        alone = [kernel.gufunc(*(x[k] for x in rows)) for k in range(3)]
        whole = dyn.casadi(name)
        for k, got in enumerate(alone):
            for x, y in zip(got, whole(*(r[k] for r in rows)), strict=True):
                zoo.close(x, np.array(y), 2e5 if name.startswith("forward") else 1000)
        for x, y in zip(alone[1], kernel.gufunc(*(r[1] for r in rows)), strict=True):
            np.testing.assert_array_equal(x, y)


def test_where_it_does_not_pay():
    chain = tuple(range(-1, 15))
    assert has_simd(tree(chain)) and not has_simd(tree(chain), batch=True)
    assert not has_simd(tree(chain), lanes=2)  # vectors of two
    assert not has_simd(tree(chain[:7]))  # short
    assert not has_simd(tree((-1, *[0] * 15)))  # few pairs
    world = ts.Spherical("quaternion", "world")  # its screws vary in the link
    assert not has_simd(tree(chain, (ts.Revolute("z"), world)))


def test_few_operations_are_straight_line_code():
    """Of a free body with two limbs, whose own speeds are many pairs; not of a row of hinges."""
    drone = zoo.tree((ts.Free(), *HINGES[:1] * 2), seed=3, parents=(-1, 0, 0)).check()
    row = tree(range(-1, 8), HINGES[:1])
    for name in ("inverse_dynamics_derivatives", "mass_matrix"):
        for system, few in ((drone, True), (row, False)):
            assert has_simd(system)
            assert has_simd(system, name) != few


def test_accelerations_alone_pay_for_many_pairs_of_short_branches():
    spine, teeth = list(range(-1, 13)), [*range(4, 13)]
    comb = tree((*spine, *teeth), HINGES[:1])
    assert has_simd(comb, "forward_dynamics")
    assert not has_simd(tree(range(-1, 18), HINGES[:1]), "forward_dynamics")  # articulated bodies
    assert not has_simd(tree(range(-1, 11), HINGES[:1]), "forward_dynamics")  # few pairs
    dyn = ts.compile(comb)
    q, v, tau = zoo.state(comb, np.random.default_rng(3))
    a = dyn.forward_dynamics(q, v, tau)
    zoo.close(dyn.inverse_dynamics(q, v, a), tau, 1e5)
    zoo.close(dyn.forward_dynamics(*(np.tile(x, (9, 1)) for x in (q, v, tau)))[4], a, 1e5)


def test_operations_count_lanes_and_pairs():
    """Three hinges in a row: three links, three pairs."""
    kernel = entry_points.inverse_dynamics(scene(tree((-1, 0, 1))), 4)
    own, pair = kernel.stages[2].program, kernel.stages[5].program
    assert kernel.operations["mul"] > 3 * own.operations["mul"] + 3 * pair.operations["mul"]
    assert pair.operations["mul"] == 36 and kernel.operations["trig"] == 3


MIXED = (
    *(ts.Free(), ts.Revolute("z"), ts.Universal("x", "y"), ts.Spherical(), ts.Revolute("y")),
    *(ts.Helical("z", "lead"), ts.Revolute("y"), ts.Cylindrical("z")),
)
MIXED_PARENTS = (-1, 0, 0, 1, 2, 3, 4, 5)
PUSHED = ("b6", "b0", "tool", "b3")
VALUES = {"g": 9.1, "m4": 2.5, "c6": 0.3, "L2": 0.7, "r5": 0.4, "rotor": 0.2, "lead": 0.15}


def mixed(**values):
    """Joints of several speeds at the root and inside; numbers of every kind have names."""
    made = zoo.tree(MIXED, seed=4, parents=MIXED_PARENTS, armature=True, gravity=(0.3, "-g", 0.1))
    bodies, joints = list(made.bodies), list(made.joints)
    bodies[4], bodies[6] = replace(bodies[4], mass="m4"), replace(bodies[6], com=("c6", 0.1, 0.2))
    joints[2] = replace(joints[2], at=("L2", 0.1, 0.3))
    joints[5] = replace(joints[5], rpy=("r5", 0, 0.2))
    joints[6] = replace(joints[6], armature=("rotor",))
    return replace(made, bodies=bodies, joints=joints, parameters=VALUES | values).check()


@pytest.mark.parametrize("lanes", zoo.few([4, 8], 8))
def test_joints_of_several_speeds_parameters_and_wrenches(lanes):
    """All at once, against the graph's own derivatives; what lies on the stack says nothing."""
    system = mixed()
    s = SymbolicSystem(system, TrigonometricGraph(), tuple(VALUES), PUSHED)
    assert has_simd(s.system, lanes=lanes, parameters=s.parameters, wrenches=s.wrenches)
    q, v, x = zoo.state(system, np.random.default_rng(5))
    p, w = [*VALUES.values()], np.random.default_rng(6).normal(size=(4, 6))
    spoil, _held = dirty()

    def found(make):
        f = native(make(s, lanes), lanes, True)
        spoil()
        return f(q, v, x, p, w)

    want = by_graph(s)
    for got, y in zip(
        found(entry_points.inverse_dynamics), want(q, v, x, p, w.ravel()), strict=True
    ):
        zoo.close(got, y, 1000)
    (a,) = found(entry_points.accelerations)
    slopes = want(q, v, a, p, w.ravel())
    for got, y in zip(found(entry_points.forward_dynamics)[:2], slopes[:2], strict=True):
        zoo.close(got, y, 1e5)
    tau = scene_efforts(system, s.wrenches, q, v, a, w)
    zoo.close(tau, x, 1e5)
    f = native(limbs.inverse_dynamics(s, lanes), lanes, True)
    spoil()
    zoo.close(f(q, v, a, p, w)[0], tau, 1000)
    f = native(
        mass_matrix.mass_matrix(SymbolicSystem(system, TrigonometricGraph(), tuple(VALUES)), lanes),
        lanes,
        True,
    )
    spoil()
    zoo.close(f(q, p)[0], slopes[2], 1000)


def scene_efforts(system, wrenches, q, v, a, w):
    """By floats: wrenches in the world's axes as wrenches in links."""
    tree, F = system.floats(), {}
    X = kinematics.poses(tree, q)
    for name, six in zip(wrenches, w, strict=True):
        place = tree.place(name)
        pull = X[place.link].inverse() @ Pose(p=(X[place.link] @ place.X_LB).p)
        F[place.link] = F.get(place.link, Wrench()) + pull.push_wrench(Wrench.of(six))
    return newton_euler.inverse_dynamics(tree, q, v, a, F).astype(float)


CHAIN, ROOTS = range(-1, 18), (-1, -1, 0, 1, 2, 3, 4, 5, 0)


@pytest.mark.parametrize("lanes", zoo.few([2, 4, 8], 4))
def test_limbs_side_by_side(lanes):
    """A branch of one, of two and of three; joints of every kind of one speed."""
    system = tree()
    s, state = scene(system), zoo.state(system, np.random.default_rng(5))
    want = newton_euler.inverse_dynamics(system.floats(), *state).astype(float)
    spoil, _held = dirty()
    f = native(limbs.inverse_dynamics(s, lanes), lanes, True)
    spoil()
    zoo.close(f(*state)[0], want, 1000)
    name = "inverse_dynamics"
    assert has_simd(s.system, name) and not has_simd(s.system, name, lanes=2)
    assert not has_simd(tree(range(-1, 9), HINGES[:1]), name)  # a chain


@pytest.mark.parametrize(
    "parents, lanes",
    zoo.few([(p, n) for p in (PARENTS, CHAIN, ROOTS) for n in (2, 4, 8)],
        (PARENTS, 8), (CHAIN, 4), (ROOTS, 2)),
)  # fmt: skip
def test_momenta_side_by_side(lanes, parents):
    """Branches of all sizes, a chain longer than two vectors, two roots: symmetric to the last bit,
    zero between branches, whatever was there before."""
    system = tree(parents)
    q, *_ = zoo.state(system, np.random.default_rng(5))
    spoil, _held = dirty()
    f = native(mass_matrix.mass_matrix(scene(system), lanes), lanes, True)
    spoil()
    (M,) = f(q)
    zoo.close(M, composite_body.mass_matrix(system.floats(), q).astype(float), 1000)
    np.testing.assert_array_equal(M, M.T)
    assert (M[~related(system)] == 0).all()


COMB, TWO_ROOTS = (*range(-1, 13), *range(4, 13)), (-1, *range(9), -1, *range(10, 20))


@pytest.mark.parametrize(
    "lanes, fused, parents",
    zoo.few(
        [(8, True, range(-1, 15)), (4, True, COMB), (8, False, TWO_ROOTS), (4, True, TWO_ROOTS)],
        (4, True, COMB),
        (8, False, TWO_ROOTS),
    ),
)
def test_rows_are_factorized_in_vectors(lanes, fused, parents, monkeypatch):
    """Accelerations, and the factors where those are wanted too, whatever was there before."""
    monkeypatch.setattr(thresholds, "MIN_SCALAR_PER_VECTOR_SUMS", 0.0)
    system = tree(parents, HINGES[:2])
    q, v, tau = zoo.state(system, np.random.default_rng(5))
    floats, (spoil, _held) = system.floats(), dirty()
    M = composite_body.mass_matrix(floats, q).astype(float)
    efforts = tau - newton_euler.inverse_dynamics(floats, q, v, 0 * q).astype(float)
    want = np.linalg.solve(M, efforts)
    alone, slopes = (
        f(scene(system), lanes) for f in (entry_points.accelerations, entry_points.forward_dynamics)
    )
    for made in (alone, slopes):
        assert any(isinstance(x, TreeFactorization) for x in made.stages)
    f = native(alone, lanes, fused)
    spoil()
    zoo.close(f(q, v, tau)[0], want, 1e5)
    f = native(slopes, lanes, fused)
    spoil()
    dq, dv, shared = f(q, v, tau)
    assert not dq[~related(system)].any() and not dv[~related(system)].any()
    shared = shared[[*slopes.layout]]
    factors = forward_dynamics.Factors.of(shared, forward_dynamics.speed_parents(floats))
    zoo.close(factors.solve(efforts).astype(float), want, 1e5)


def test_lanes_that_nobody_reads_raise_no_flag():
    system = tree(COMB, HINGES[:1])
    assert any(
        isinstance(x, TreeFactorization)
        for x in entry_points.accelerations(scene(system), 8).stages
    )
    kernel, (spoil, _held) = ts.compile(system).kernel("forward_dynamics"), dirty()
    state = zoo.state(system, np.random.default_rng(5))
    kernel(*state)
    spoil()
    with np.errstate(all="raise"):
        assert np.isfinite(kernel(*state)).all()


def test_declared_parameters_are_those_of_the_call():
    dyn, new = ts.compile(mixed(), parameters=tuple(VALUES)), {"m4": 4.0, "L2": 0.1, "g": 3.0}
    other = ts.compile(mixed(**new))
    q, v, a = zoo.state(dyn.system, np.random.default_rng(8))
    p = [*(VALUES | new).values()]
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        for x, y in zip(
            getattr(dyn, name)(q, v, a, p=p), getattr(other, name)(q, v, a), strict=True
        ):
            zoo.close(x, y, 2e5)


def test_a_wrench_stays_as_the_joints_move():
    """Against differences: in the world's axes it is constant, its point moves with the body."""
    system = mixed()
    dyn = ts.compile(system, wrenches=PUSHED)
    q, v, a = zoo.state(system, np.random.default_rng(2))
    w, step = np.random.default_rng(3).normal(size=(4, 6)) * 20, 1e-5
    dq, *_ = dyn.inverse_dynamics_derivatives(q, v, a, w=w)
    for i, e in enumerate(np.eye(system.nv) * step):
        ends = (dyn.inverse_dynamics(dyn.integrate(q, x), v, a, w=w) for x in (e, -e))
        slope = np.subtract(*ends) / (2 * step)
        np.testing.assert_allclose(dq[:, i], slope, atol=2e-7 * abs(dq).max())

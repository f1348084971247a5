"""Derivatives by composite quantities, against those that the graph makes by itself."""

from functools import cache

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.compiler.program.casadi_reader import read
from torseur.formalisms import composite_derivatives
from torseur.joints import EVERY_JOINT
from torseur.kernels.graph_trigonometry import TrigonometricGraph
from torseur.quantities.formulas import dynamics as graphs
from torseur.quantities.symbolic_system import SymbolicSystem

MOVING = tuple(j for j in EVERY_JOINT if j.nv)


def scene(*joints, seed=3, parents=None):
    return SymbolicSystem(
        zoo.tree(joints, seed=seed, armature=True, parents=parents).check(), TrigonometricGraph()
    )


@cache
def eligible(joint) -> bool:
    s = scene(joint)
    return composite_derivatives.has_constant_subspaces(s.reduced, s["q"])


@cache
def eligible_joints() -> tuple:
    return tuple(filter(eligible, MOVING))


def function(s, formula):
    K = s.K
    results = formula(s, *(s[x] for x in "qva"))
    columns = [r if isinstance(r, K.lib.SX) else K.sx(r) for r in results]
    return K.lib.Function("f", [K.sx(s[x]) for x in "qva"], [K.lib.densify(x) for x in columns])


def both(s):
    return (function(s, graphs.inverse_dynamics_derivatives), function(s, graphs.graph_derivatives))


def test_constant_subspaces_are_recognized():
    found = eligible_joints()
    names = {type(j).__name__ for j in found}
    assert names == {
        "Revolute",
        "Prismatic",
        "Helical",
        "Cylindrical",
        "Spherical",
        "Free",
        "Translation",
        "Universal",  # from here on: as joints of one step each
        "Planar",
    }
    assert {ts.Free(), ts.Spherical(), ts.Spherical("zyx"), ts.Planar(), ts.Free("zyx")} <= {*found}
    assert not {ts.Free(speeds="world"), ts.Planar("y", "translation_first")} & {*found}


@pytest.mark.parametrize("joint", zoo.one_of_each(MOVING))
def test_each_joint_between_others(joint):
    """The joint at the root, inside and at the tip of a branch."""
    if not eligible(joint):
        return  # its screws vary: the graph differentiates them
    s = scene(joint, ts.Revolute("x"), joint, ts.Prismatic("y"), joint, parents=(-1, 0, 1, 2, 1))
    state = zoo.state(s.system, np.random.default_rng(5))
    for got, want in zip(*(f(*state) for f in both(s)), strict=True):
        zoo.close(got, want, 1000)


@pytest.mark.slow
def test_all_together_and_with_fewer_operations():
    s = scene(*eligible_joints())
    state = zoo.state(s.system, np.random.default_rng(6))
    mine, graph = both(s)
    for got, want in zip(mine(*state), graph(*state), strict=True):
        zoo.close(got, want, 4000)
    counts = [sum(read(f).operations[x] for x in ("mul", "add")) for f in (mine, graph)]
    assert counts[0] < 0.75 * counts[1]


def test_operation_counts_of_a_hinged_arm():
    """Seven hinges in frames of quarter turns, as in the benchmark."""
    axes = [ts.Revolute("zyx"[i % 2]) for i in range(7)]
    bodies = tuple(
        ts.Body(f"b{i}", 1 + i, (0.1, 0.02 * i, -0.05), np.diag([0.3, 0.2, 0.25])) for i in range(7)
    )
    joints = tuple(
        ts.Joint(f"j{i}", "world" if not i else f"b{i - 1}", f"b{i}", axes[i], at=(0, 0, 0.3))
        for i in range(7)
    )
    dyn = ts.compile(ts.Model("arm", bodies=bodies, joints=joints))
    count = dyn.operations("inverse_dynamics_derivatives")
    assert count["mul"] <= 1600 and count["add"] <= 1550


def test_over_floats_it_is_the_slope():
    system = zoo.tree((ts.Free(), ts.Revolute("y"), ts.Spherical()), seed=8).check()
    tree, (q, v, a) = system.floats(), zoo.state(system, np.random.default_rng(7))
    dyn, step = ts.compile(system), 1e-5
    dq, dv, M = (x.astype(float) for x in composite_derivatives.derivatives(tree, q, v, a))
    for i, e in enumerate(np.eye(system.nv) * step):
        f = dyn.inverse_dynamics
        by_q = f(dyn.integrate(q, e), v, a) - f(dyn.integrate(q, -e), v, a)
        np.testing.assert_allclose(dq[:, i], by_q / (2 * step), atol=2e-7 * abs(dq).max())
        by_v = f(q, v + e, a) - f(q, v - e, a)
        np.testing.assert_allclose(dv[:, i], by_v / (2 * step), atol=2e-7 * abs(dv).max())
    zoo.close(M, dyn.mass_matrix(q), 200)


def test_wrenches_go_by_the_graph():
    system = zoo.tree(
        (ts.Revolute("z"), ts.Universal("x", "y"), ts.Revolute("x")), parents=(-1, 0, 1)
    ).check()
    q, v, a = zoo.state(system, np.random.default_rng(1))
    plain = ts.compile(system).inverse_dynamics_derivatives(q, v, a)
    loaded = ts.compile(system, wrenches=("b2",))
    for x, y in zip(loaded.inverse_dynamics_derivatives(q, v, a), plain, strict=True):
        zoo.close(x, y, 1000)
    w = np.array([[1.0, 2, 3, 4, 5, 6]])
    step, (dq, _, _) = 1e-5, loaded.inverse_dynamics_derivatives(q, v, a, w=w)
    for i, e in enumerate(np.eye(system.nv) * step):
        f = loaded.inverse_dynamics
        slope = (f(q + e, v, a, w=w) - f(q - e, v, a, w=w)) / (2 * step)
        np.testing.assert_allclose(dq[:, i], slope, atol=2e-7 * abs(dq).max())

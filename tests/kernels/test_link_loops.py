"""Kernels that loop over links give the numbers of the plain text, and stay small."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.compiler import Kernel
from torseur.formalisms import articulated_body, composite_body, newton_euler
from torseur.kernels import MotionKernels, strategy, thresholds
from torseur.kernels.link_loops import build_loops
from torseur.kernels.link_loops.implicit_solve import local_element_classes


def chain(n, kind=None):
    """Equal links on equal hinges."""
    return ts.Model(
        "chain",
        bodies=tuple(
            ts.Body(f"b{i}", 1.0, (0, 0, -0.5), (0.1, 0.1, 0.01, 0, 0, 0)) for i in range(n)
        ),
        joints=tuple(
            ts.Joint(
                f"j{i}",
                "world" if i == 0 else f"b{i - 1}",
                f"b{i}",
                kind or ts.Revolute("y"),
                at=(0, 0, 0 if i == 0 else -1),
            )
            for i in range(n)
        ),
    )


def mixed(n, seed):
    """A random tree with joints of several sizes, rotors included."""
    rng = np.random.default_rng(seed)
    kinds = (
        ts.Revolute("x"),
        ts.Revolute((1, 2, 2)),
        ts.Prismatic("y"),
        ts.Spherical(),
        ts.Free(),
        ts.Helical("z", 0.1),
        ts.Universal(),
        ts.Spherical("zyx"),
    )
    bodies, joints = [], []
    for i in range(n):
        A = rng.normal(size=(3, 3))
        J = np.trace(A @ A.T) * np.eye(3) - A @ A.T
        bodies.append(ts.Body(f"b{i}", rng.uniform(0.5, 2), tuple(rng.normal(size=3)), J))
        kind = kinds[int(rng.integers(len(kinds)))]
        joints.append(
            ts.Joint(
                f"j{i}",
                "world" if i < 2 else f"b{int(rng.integers(0, i))}",
                f"b{i}",
                kind,
                at=tuple(rng.normal(size=3)),
                rpy=tuple(rng.normal(size=3)),
                armature=0.3 if kind.holonomic else 0,
            )
        )
    return ts.Model("mixed", bodies=tuple(bodies), joints=tuple(joints))


def planar(n, gravity):
    """A branched tree of hinges and slides in one plane, which the loop may reduce to it."""
    rng = np.random.default_rng(n)
    kinds = (ts.Revolute("z"), ts.Prismatic("x"), ts.Revolute("z"))
    return ts.Model(
        "planar",
        gravity=gravity,
        bodies=tuple(
            ts.Body(
                f"b{i}", rng.uniform(0.5, 2), (*rng.normal(size=2), 0), (0.1, 0.2, 0.3, 0, 0, 0)
            )
            for i in range(n)
        ),
        joints=tuple(
            ts.Joint(
                f"j{i}",
                "world" if i == 0 else f"b{int(rng.integers(0, i))}",
                f"b{i}",
                kinds[i % 3],
                at=(*rng.normal(size=2), 0),
                rpy=(0, 0, rng.normal()),
                armature=0.1,
            )
            for i in range(n)
        ),
    )


def state(system, seed=1):
    rng = np.random.default_rng(seed)
    q = system.neutral()
    q = ts.compile(system).integrate(q, rng.normal(size=system.nv))
    return q, rng.normal(size=system.nv), rng.normal(size=system.nv)


@pytest.mark.parametrize(
    "model",
    [
        chain(5),
        pytest.param(mixed(12, 0), marks=pytest.mark.slow),
        pytest.param(mixed(12, 3), marks=pytest.mark.slow),
        planar(9, (0, -9.81, 0)),
        pytest.param(planar(8, (1, -2, 3)), marks=pytest.mark.slow),
        pytest.param(planar(7, (0, 0, 0)), marks=pytest.mark.slow),
    ],
    ids=["chain", "mixed 0", "mixed 3", "planar", "planar, oblique weight", "planar, no weight"],
)
def test_loops_give_the_numbers_of_the_formalisms(model, monkeypatch):
    monkeypatch.setattr(thresholds, "MAX_STRAIGHT_LINE_SPEEDS", 0)
    system = model.check()
    q, v, a = state(system)
    dyn, tree = ts.compile(system), system.floats()
    tau = newton_euler.inverse_dynamics(tree, q, v, a).astype(float)
    eps = np.finfo(float).eps
    np.testing.assert_allclose(
        dyn.inverse_dynamics(q, v, a), tau, rtol=0, atol=2000 * eps * abs(tau).max()
    )
    M = composite_body.mass_matrix(tree, q).astype(float)
    np.testing.assert_allclose(dyn.mass_matrix(q), M, rtol=0, atol=2000 * eps * abs(M).max())
    want = articulated_body.forward_dynamics(tree, q, v, tau).astype(float)
    scale = np.linalg.cond(M) * abs(want).max()
    np.testing.assert_allclose(
        dyn.forward_dynamics(q, v, tau), want, rtol=0, atol=200 * eps * scale
    )


def test_a_batch_goes_through_a_loop_row_by_row(monkeypatch):
    monkeypatch.setattr(thresholds, "MAX_STRAIGHT_LINE_SPEEDS", 0)
    system = mixed(8, 5).check()
    states = [state(system, k) for k in range(5)]
    dyn = ts.compile(system)
    together = dyn.inverse_dynamics(*(np.array(x) for x in zip(*states, strict=True)))
    for row, one in zip(together, states, strict=True):
        np.testing.assert_array_equal(row, dyn.inverse_dynamics(*one))


def test_code_does_not_grow_with_the_chain():
    sizes = []
    for n in (100, 200):
        loop = build_loops.build_quantity_loop(chain(n).check(), "forward_dynamics")
        sizes.append(sum(len(p.nodes) for p in loop.programs.values()))
        assert len(loop.kinds) <= 3
    assert sizes[0] == sizes[1]


def test_a_chain_in_a_plane_costs_what_a_plane_costs():
    """The loop's sweeps find by themselves what stays zero and what nothing depends on."""
    loop, short = (
        build_loops.build_quantity_loop(chain(100).check(), "forward_dynamics"),
        ts.compile(chain(20).check()).operations("forward_dynamics"),
    )
    assert {b: len(loop.live[b]) for b in "VI"} == {"V": 3, "I": 9}
    assert loop.operations["mul"] / 100 <= 1.15 * short["mul"] / 20


def test_long_mechanisms_are_loops_and_short_ones_are_not():
    loops = strategy.Generator.LINK_LOOPS
    long, short = (
        strategy.choose_generator(x, "forward_dynamics") for x in (chain(100).check(), zoo_arm())
    )
    assert long.generator is loops is not short.generator


def zoo_arm():
    return chain(6).check()


def test_export_of_a_loop_says_why_not(tmp_path):
    with pytest.raises(ts.KernelError, match="100 speeds make a loop"):
        ts.compile(chain(100)).export(tmp_path / "long.c")
    assert not list(tmp_path.iterdir())


def folded_against_full(model, seed=1, rounds=5000):
    """The equation of an implicit step solved link by link, and by the full Jacobian."""
    system = model.check()
    rng, at = np.random.default_rng(seed), system.layout
    kinds = local_element_classes(system)
    assert kinds is not None
    made = build_loops.build_implicit_loops(system, kinds)
    fold, unfold = (Kernel(n, lambda n=n: made[n], loop=True) for n in ("fold", "unfold"))
    kernels = MotionKernels(system)
    q = ts.compile(system).integrate(system.neutral(), 0.5 * rng.normal(size=system.nv))
    v, z = rng.normal(size=system.nv), 1e-3 * rng.normal(size=len(at.z))
    p = np.array(list(system.parameters.values()))
    now = (0.3, q, v, z, np.zeros(len(at.m)), np.zeros(len(at.u)), p)
    a = kernels["flow"](*now)[1]
    J, slope = kernels["flow_jacobian"](*now)
    n = len(J)
    for h in (1e-3, 0.1):
        scales, r = np.array([1 / h, 1 / h, 0.37]), rng.normal(size=n)
        x = unfold(fold(*now, a, scales), r, scales)
        wanted = np.linalg.solve(np.eye(n) / h - J, r + 0.37 * slope.ravel())
        bound = rounds * np.finfo(float).eps * np.linalg.cond(np.eye(n) / h - J)
        np.testing.assert_allclose(x, wanted, rtol=0, atol=bound * abs(wanted).max())


def sprung(n=9):
    """A chain with springs and dampers, and a law of time and one with a state on a few joints."""
    laws = (ts.Spring(40.0, 0.2), ts.Viscous(0.6), ts.Expression("k*sin(3*t)*x - rate**3"))
    model = chain(n)
    forces = [
        ts.JointForce(f"f{i}{k}", f"j{i}", law) for i in range(n) for k, law in enumerate(laws)
    ]
    return replace(model, forces=tuple(forces), parameters={"k": 2.5})


def test_an_implicit_step_is_solved_along_the_chain(monkeypatch):
    monkeypatch.setattr(thresholds, "MIN_EQUAL_ELEMENTS", 1)
    folded_against_full(sprung(3))


def test_an_implicit_step_is_solved_along_links_of_declared_lengths(monkeypatch):
    monkeypatch.setattr(thresholds, "MIN_EQUAL_ELEMENTS", 1)
    model = sprung(3)
    joints = [replace(j, at=(0, 0, "-L") if i else j.at) for i, j in enumerate(model.joints)]
    bodies = [replace(b, mass="m", com=(0, 0, "-L/2")) for b in model.bodies]
    own = {"parameters": {"k": 2.5, "L": 0.8, "m": 1.7}, "joints": joints, "bodies": bodies}
    folded_against_full(replace(model, **own))


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(ts.Spherical("quaternion"), id="ball"),
        pytest.param(ts.Free(), id="free", marks=pytest.mark.slow),
    ],
)
def test_an_implicit_step_is_solved_along_quaternions(kind, monkeypatch):
    """Against differences of the loop itself, in all directions, those off the unit length too."""
    monkeypatch.setattr(thresholds, "MIN_EQUAL_ELEMENTS", 1)
    model = chain(3)
    joints = [replace(j, kind=kind, damping=0.3) if i else j for i, j in enumerate(model.joints)]
    system = replace(model, joints=joints).check()
    made = build_loops.build_implicit_loops(system, local_element_classes(system))
    flow = Kernel("flow", lambda: build_loops.build_flow_loop(system), loop=True, shapes={"t": ()})
    fold, unfold = (Kernel(n, lambda n=n: made[n], loop=True) for n in ("fold", "unfold"))
    rng, nq, end = np.random.default_rng(2), system.nq, system.nq + system.nv
    q = ts.compile(system).integrate(system.neutral(), rng.normal(size=system.nv))
    y = np.concatenate([q, rng.normal(size=system.nv), np.zeros(len(system.layout.z))])
    none = np.zeros(0)

    def rates(x):
        return np.concatenate(flow(0.0, x[:nq], x[nq:end], x[end:], none, none, none)[:3])

    step, each = 1e-5, np.eye(len(y))
    J = np.array([(rates(y + step * e) - rates(y - step * e)) / (2 * step) for e in each]).T
    scales, r = np.array([50.0, 50.0, 0.0]), rng.normal(size=len(y))
    now = (0.0, q, y[nq:end], y[end:], none, none, none)
    x = unfold(fold(*now, rates(y)[nq:end], scales), r, scales)
    wanted = np.linalg.solve(50.0 * each - J, r)
    np.testing.assert_allclose(x, wanted, rtol=0, atol=1e-8 * abs(wanted).max())


@pytest.mark.slow
def test_an_implicit_step_is_solved_along_trees_of_every_joint():
    kinds = (ts.Revolute((1, 2, 2)), ts.Prismatic("y"), ts.Helical("z", 0.1), ts.Universal(),
             ts.Spherical("zyx"), ts.Cylindrical("z"), ts.Planar())  # fmt: skip
    for seed in (0, 3):
        model, rng = mixed(9, seed), np.random.default_rng(seed)
        joints = tuple(replace(j, kind=kinds[rng.integers(len(kinds))]) for j in model.joints)
        folded_against_full(replace(model, joints=joints), seed)
    law = ts.LuGre(50.0, 1.0, 0.5, 0.3, 0.4, 0.1)
    model = chain(9)
    forces = tuple(ts.JointForce(f"f{i}", f"j{i}", law) for i in range(9))
    folded_against_full(replace(model, forces=forces))


def test_long_stiff_chains_take_implicit_steps_of_their_own(monkeypatch):
    """The same motion by steps along the chain and by the full Jacobian."""
    monkeypatch.setattr(thresholds, "MAX_STRAIGHT_LINE_SPEEDS", 2)
    monkeypatch.setattr(thresholds, "MIN_EQUAL_ELEMENTS", 1)
    for method in ({"method": "rodas5p", "rtol": 1e-6}, {"method": "newmark", "step": 2e-3}):
        runs = []
        for folds in (True, False):
            monkeypatch.setattr(MotionKernels, "folds", folds)
            runs.append(ts.simulate(sprung(3), t_end=0.02, initial={"j0.angle": 0.5}, **method))
        for i in (0, 2):
            x, y = (r[f"j{i}.angle"] for r in runs)
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-12)

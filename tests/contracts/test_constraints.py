"""Every joint as a loop, and every constraint: residual, Jacobian and right-hand side agree."""

import numpy as np
import pytest
from zoo import close, constraints, mechanism, one_of_each, state

from torseur import kinematics
from torseur.constraints import LoopRows
from torseur.dynamics.constraints.rows import constraint_rows, wrench_map
from torseur.joints import EVERY_JOINT
from torseur.model import (
    Loop,
)
from torseur.scalars import Floats, Graph, vector
from torseur.solve.constraint_system import constrained_system
from torseur.spatial import Twist

LOOPS = [j for j in EVERY_JOINT if j.nv < 6]
EVERY_CONSTRAINT, EVERY_SWITCHED = constraints()


def graph(system, switched=False):
    K = Graph()
    tree = system.over(K)
    t, q, v = K.symbol("t"), K.symbols(map(str, system.coordinates)), K.symbols(system.speeds)
    return K, tree, t, q, v, constraint_rows(tree, system, t, q, v, switched=switched)


def evaluate(K, t, q, v, outputs):
    ports = [K.sx(vector((t,))), K.sx(q), K.sx(v)]
    run = K.lib.Function("rows", ports, [K.lib.densify(K.sx(x)) for x in outputs])
    return lambda *a: [np.array(x) for x in run(*a)]


def check_by_differences(system):
    """Central differences of the float path along the motion, against the graph's derivatives."""
    K, _, t, q, v, r = graph(system, switched=True)
    run = evaluate(K, t, q, v, (r.phi, r.psi, r.J, r.gamma))
    flat, found = system.floats(), (*system.held, *system.switched)
    q0, v0, w = state(system, np.random.default_rng(5))
    t0, h = 0.3, 2e-5

    def residual(s, speeds):
        """Everything at the time t0 + s of a motion with constant speeds."""
        at = kinematics.integrate(flat, q0, s * v0)
        phi = [e.residual(flat, t0 + s, at) for e in found if not e.speeds]
        psi = [e.rate(flat, t0 + s, at, speeds) for e in found if e.speeds]
        return tuple(np.concatenate([np.zeros(0), *x]).astype(float) for x in (phi, psi))

    phi, psi, J, gamma = run(t0, q0, v0)
    close(phi.ravel(), residual(0, v0)[0], 100)
    n = len(phi)
    forth, back = residual(h, v0), residual(-h, v0)
    np.testing.assert_allclose(psi[:n, 0], (forth[0] - back[0]) / (2 * h), atol=3e-9)
    close(psi[n:, 0], residual(0, v0)[1], 100)
    ahead, behind = (
        run(t0 + s, kinematics.integrate(flat, q0, s * v0).astype(float), v0)[1] for s in (h, -h)
    )
    np.testing.assert_allclose(-gamma, (ahead - behind) / (2 * h), atol=2e-8)
    slope = run(t0, q0, v0 + w)[1] - psi  # linear in v, with this J
    np.testing.assert_allclose(J @ w, slope.ravel(), atol=400 * np.finfo(float).eps)
    assert np.linalg.norm(J, axis=1).min(initial=1.0) > 1e-6


@pytest.mark.parametrize("joint", one_of_each(LOOPS))
def test_every_joint_closes_a_loop(joint):
    loop = Loop(
        "loop",
        "hand",
        "flier",
        joint,
        at=(0.1, 0.2, -0.1),
        rpy=(0.3, -0.2, 0.5),
        child_at=(-0.2, 0.1, 0.3),
        child_rpy=(0.1, 0.7, -0.4),
    )
    system = mechanism(loops=(loop,)).check()
    check_by_differences(system)


@pytest.mark.parametrize("joint", one_of_each(LOOPS))
def test_the_jacobian_is_the_wrench_map_times_the_relative_twist(joint):
    """J by derivatives of the residual equals A (twist of M in F) by geometric Jacobians.

    Where the loop is closed: elsewhere the rows measure along axes of their own.
    """
    loop = Loop("loop", "other", "flier", joint, at=(0.1, 0.2, -0.1), child_at=(-0.2, 0.1, 0.3))
    system = mechanism(loops=(loop,)).check()
    K, tree, t, q, v, r = graph(system)
    element = next(e for e in system.held if isinstance(e, LoopRows))
    A = wrench_map(tree, element, q)
    q0, v0, _ = state(system, np.random.default_rng(2))
    q0 = constrained_system(system).assemble(q0=q0).q
    J, A = evaluate(K, t, q, v, (r.J, A))(0.0, q0, v0)
    flat = system.floats()
    X_WL = kinematics.poses(flat, q0)
    ends = []
    for place in (element.F, element.M):
        X_LB = type(place.X_LB)(Floats().numbers(place.X_LB.R), Floats().numbers(place.X_LB.p))
        ends.append((X_WL[place.link] @ X_LB, place.link, X_LB))
    X_WM = ends[1][0]
    relative = np.zeros((6, system.nv))
    for i, e in enumerate(np.eye(system.nv)):
        V = [X_LB.pull_twist(kinematics.twists(flat, q0, e)[link]) for _, link, X_LB in ends]
        X_FM = ends[0][0].inverse() @ X_WM
        relative[:, i] = (V[1] - X_FM.pull_twist(V[0])).array.astype(float)
    np.testing.assert_allclose(J, A @ relative, atol=2000 * np.finfo(float).eps)
    assert isinstance(V[0], Twist)


@pytest.mark.parametrize(
    "constraint", EVERY_CONSTRAINT, ids=lambda c: f"{type(c).__name__}-{EVERY_CONSTRAINT.index(c)}"
)
def test_every_constraint(constraint):
    check_by_differences(mechanism(constraints=(constraint,)).check())


@pytest.mark.parametrize(
    "constraint", EVERY_SWITCHED, ids=lambda c: f"{type(c).__name__}-{EVERY_SWITCHED.index(c)}"
)
def test_every_row_with_a_switch(constraint):
    check_by_differences(mechanism(constraints=(constraint,)).check())

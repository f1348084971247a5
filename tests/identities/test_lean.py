"""Kernels move inertia between bodies and choose frames anew; the plain text must not notice.

Every registered joint, between moving neighbors, and random trees: the graph that is compiled
against the float path, which does neither.
"""

from dataclasses import replace

import numpy as np
import pytest
from zoo import around, close, floats, one_of_each, random_kinds, state, tree

import torseur as ts
from torseur.dynamics.base_inertias import shared
from torseur.formalisms import articulated_body, composite_body, newton_euler
from torseur.joints import EVERY_JOINT, Prismatic, Revolute
from torseur.spatial import Inertia

MOVING = [j for j in EVERY_JOINT if j.nv]


def same_as_plain(system, seed=0):
    dyn, numbers = ts.compile(system), system.floats()
    q, v, a = state(system, np.random.default_rng(seed))
    tau = floats(newton_euler.inverse_dynamics(numbers, q, v, a))
    M = floats(composite_body.mass_matrix(numbers, q))
    got = {n: dyn.casadi(n) for n in ("inverse_dynamics", "mass_matrix", "forward_dynamics")}
    close(np.array(got["inverse_dynamics"](q, v, a)).ravel(), tau, 1e5)
    close(np.array(got["mass_matrix"](q)), M, 1e5)
    plain = floats(articulated_body.forward_dynamics(numbers, q, v, tau))
    slack = 100 * max(100, np.linalg.cond(M))
    close(np.array(got["forward_dynamics"](q, v, tau)).ravel(), plain, slack)
    close(plain, a, slack)


@pytest.mark.parametrize("joint", one_of_each(MOVING))
def test_every_joint_between_moving_neighbors(joint):
    same_as_plain(around(joint, seed=6, armature=True).check())


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed):
    rng = np.random.default_rng(seed)
    same_as_plain(tree(random_kinds(rng, 6, MOVING), seed).check(), seed)


@pytest.mark.parametrize("seed", range(3))
def test_random_robots(seed):
    """Hinges and sliders only, where frames follow Denavit and Hartenberg; also right angles."""
    rng = np.random.default_rng(seed)
    kinds = [Revolute("z"), Revolute("x"), Prismatic("y"), Revolute((1, 2, 2)), Prismatic("z")]
    model = tree([kinds[i] for i in rng.integers(0, 5, 6)], seed)
    same_as_plain(model.check(), seed)
    turns = [("pi/2", 0, 0), (0, 0, 0), (0, "-pi/2", 0), ("pi", 0, 0), (0, 0, 0.3), (0, 0, 0)]
    joints = [
        replace(j, rpy=r, child_rpy=(0, 0, 0)) for j, r in zip(model.joints, turns, strict=True)
    ]
    same_as_plain(replace(model, joints=joints).check(), seed)


def test_every_hidden_part_makes_no_difference():
    """Adding a hidden part to a link and taking it from the parent changes no effort."""
    rng = np.random.default_rng(5)
    for joint in EVERY_JOINT:
        for _, row in shared(joint):
            system = around(joint, seed=3).check()
            plain = system.floats()
            k = plain.links[1]
            D = Inertia.of_parameters([float(x) for x in row])
            start = k.X_PF @ joint.pose(plain.K, joint.neutral())
            changed = {
                k.index: k.inertia + D,
                k.parent: plain.links[0].inertia + Inertia(-D.mass, -D.h, -D.J).moved(start),
            }
            links = tuple(replace(x, inertia=changed.get(x.index, x.inertia)) for x in plain.links)
            q, v, a = state(system, rng)
            want = newton_euler.inverse_dynamics(plain, q, v, a)
            close(newton_euler.inverse_dynamics(replace(plain, links=links), q, v, a), want, 2000)

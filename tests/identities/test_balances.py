"""Balances that hold whatever the formalism: power, momentum, reactions, external wrenches, the
tree form, and the decomposition of every joint."""

import casadi as ca
import numpy as np
import pytest
from zoo import (
    around,
    body,
    close,
    coordinates,
    evaluate,
    floats,
    label,
    numbers,
    one_of_each,
    state,
    tree,
)

from torseur import kinematics
from torseur.dynamics import coriolis_matrix, gravity_forces, momentum, tree_form
from torseur.errors import TorseurError
from torseur.formalisms import articulated_body, composite_body, lagrange, newton_euler
from torseur.joints import (
    EVERY_JOINT,
    Cylindrical,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translation,
    Universal,
)
from torseur.model import Body, Frame, Joint, Model, Rotor
from torseur.scalars import Graph, vector
from torseur.scalars.values.value import nominal
from torseur.spatial import Wrench, matrix_to_quaternion

MOVING = [j for j in EVERY_JOINT if j.nv]
TREE = (
    Free(),
    Revolute("z"),
    Spherical("zyx"),
    Universal("x", "y"),
    Planar("z"),
    Cylindrical("x"),
    Spherical(),
    Prismatic((0, 3, 4)),
)


@pytest.fixture(scope="module")
def system():
    return tree(TREE, seed=11).check()


def along(system, f, q, v):
    """Value and rate, along the motion at constant v, of what `f(tree, q, v)` gives."""
    K = Graph()
    qs, vs = (
        K.symbols(f"{s}{i}" for i in range(n)) for s, n in (("q", system.nq), ("v", system.nv))
    )
    numbers_ = system.over(K)
    out = np.array(f(numbers_, qs, vs), dtype=object)
    flat = K.sx(vector(out.ravel()))
    rate = ca.jtimes(flat, K.sx(qs), K.sx(kinematics.rates(numbers_, qs, vs)))
    run = ca.Function("f", [K.sx(qs), K.sx(vs)], [flat, rate])
    return [np.array(x).reshape(out.shape) for x in run(q, v)]


# ---- energy and momentum ------------------------------------------------------------------------


@pytest.mark.parametrize("joint", one_of_each(MOVING))
def test_power_of_the_efforts_is_the_rate_of_energy(joint):
    system = around(joint, seed=1, armature=True).check()
    q, v, a = state(system, np.random.default_rng(0))
    tau = newton_euler.inverse_dynamics(system.floats(), q, v, a)
    K = Graph()
    qs, vs = (
        K.symbols(f"{s}{i}" for i in range(n)) for s, n in (("q", system.nq), ("v", system.nv))
    )
    numbers_ = system.over(K)
    E = K.sx(sum(lagrange.energies(numbers_, qs, vs)))
    rate = ca.jtimes(E, K.sx(qs), K.sx(kinematics.rates(numbers_, qs, vs)))
    slope = ca.gradient(E, K.sx(vs))
    f = ca.Function("f", [K.sx(qs), K.sx(vs)], [rate, slope])
    rate, slope = (np.array(x).ravel() for x in f(q, v))
    close(tau @ v, rate[0] + slope @ a, 2e4, scale=abs(tau).max())


def test_kinetic_energy_is_half_v_m_v(system):
    q, v, _ = state(system, np.random.default_rng(1))
    numbers_ = system.floats()
    M = floats(composite_body.mass_matrix(numbers_, q))
    close(lagrange.energies(numbers_, q, v)[0], v @ M @ v / 2, 1e4)
    assert np.linalg.eigvalsh(M).min() > 0


def test_foundation_feels_the_rate_of_momentum_and_the_weight(system):
    q, v, a = state(system, np.random.default_rng(2))
    numbers_ = system.floats()
    solution = newton_euler.solve(numbers_, q, v, a)
    _, rate = along(system, momentum, q, v)
    M = np.column_stack([momentum(numbers_, q, e) for e in np.eye(system.nv)]).astype(float)
    at_rest = newton_euler.solve(numbers_, q, 0 * v, 0 * a).foundation.array
    close(solution.foundation.array, rate + M @ a + floats(at_rest), 2e4)


def test_reactions_balance_every_isolated_body(system):
    """Each link alone: what its joint gives, less what it hands on, plus loads and weight, is the
    rate of its momentum, written here from point velocities of the graph alone."""
    q, v, a = state(system, np.random.default_rng(3))
    numbers_ = system.floats()
    rng = np.random.default_rng(4)
    loads = {k.index: Wrench.of(rng.normal(size=6)) for k in system.links}
    solution = newton_euler.solve(numbers_, q, v, a, loads)
    X = kinematics.poses(numbers_, q)

    def momenta(tree, q, v):
        return [
            m.X_W.push_momentum(k.inertia @ m.V).array
            for k, m in zip(tree.links, kinematics.velocities(tree, q, v)[1:], strict=True)
        ]

    _, rates = along(system, momenta, q, v)
    linear = np.stack([np.stack(momenta(numbers_, q, e)) for e in np.eye(system.nv)], -1)
    gravity = floats(numbers_.gravity)
    for k in numbers_.links:
        total = X[k.index].push_wrench(solution.reactions[k.index - 1]).array
        total = total + X[k.index].push_wrench(loads[k.index]).array
        for child in numbers_.links:
            if child.parent == k.index:
                total = (
                    total - X[child.index].push_wrench(solution.reactions[child.index - 1]).array
                )
        m = k.inertia.mass
        com = floats(X[k.index].p) + floats(X[k.index].rotate(k.inertia.h)) / m
        weight = np.r_[np.cross(com, m * gravity), m * gravity]
        want = rates[k.index - 1] + linear[k.index - 1].astype(float) @ a
        close(floats(total) + weight, want, 1e5, scale=100)


# ---- external wrenches --------------------------------------------------------------------------


@pytest.mark.parametrize("joint", one_of_each(MOVING))
def test_a_wrench_on_a_frame_works_through_its_jacobian(joint):
    system = around(joint, seed=8).check()
    numbers_ = system.floats()
    q, v, a = state(system, np.random.default_rng(5))
    F = np.random.default_rng(6).normal(size=6)  # world axes, at the tool's origin
    place = numbers_.place("tool")
    X = kinematics.pose(numbers_, "tool", q)
    here = Wrench(X.unrotate(vector(F[:3])), X.unrotate(vector(F[3:])))
    external = {place.link: place.X_LB.push_wrench(here)}
    free = newton_euler.inverse_dynamics(numbers_, q, v, a)
    loaded = newton_euler.inverse_dynamics(numbers_, q, v, a, external)
    J = kinematics.jacobian(numbers_, "tool", q)
    close(free - loaded, J.T @ F, 1e4)
    close(articulated_body.forward_dynamics(numbers_, q, v, loaded, external), a, 1e5)
    close(tree_form(numbers_, q, v, frames=("tool",)).E @ F, J.T @ F, 10)


def test_a_wrench_on_the_world_reaches_the_foundation_only(system):
    q, v, a = state(system, np.random.default_rng(7))
    numbers_ = system.floats()
    F = Wrench.of(np.arange(6.0))
    one, two = newton_euler.solve(numbers_, q, v, a), newton_euler.solve(numbers_, q, v, a, {0: F})
    close(one.tau, two.tau, 0)
    close((one.foundation - two.foundation).array, F.array, 100)
    close(articulated_body.forward_dynamics(numbers_, q, v, one.tau, {0: F}), a, 1e5)


# ---- the tree form ------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", one_of_each(MOVING))
def test_the_rate_of_h_less_twice_c_is_skew(joint):
    system = around(joint, seed=2, armature=True).check()
    q, v, a = state(system, np.random.default_rng(8))
    numbers_ = system.floats()
    H, dH = along(system, lambda t, q, v: composite_body.mass_matrix(t, q), q, v)
    form = tree_form(numbers_, q, v)
    C, scale = floats(form.C), abs(dH).max()
    N = dH - 2 * C
    close(N + N.T, 0 * N, 2e4, scale=max(1, scale))
    close(form.H, H, 1e4)
    tau = newton_euler.inverse_dynamics(numbers_, q, v, a)
    close(form.H @ a + C @ v + form.G, tau, 2e4)
    close(form.G, gravity_forces(numbers_, q), 0)
    assert (form.B == np.eye(system.nv)).all()


def test_actuators_are_chosen_by_name(system):
    q, v, _ = state(system, np.random.default_rng(9))
    B = tree_form(system.floats(), q, v, joints=("j1", "j3")).B
    assert B.shape == (system.nv, 3) and B.sum() == 3
    assert [tuple(np.flatnonzero(c)) for c in B.T] == [
        (i,)
        for name in ("j1", "j3")
        for i in range(system.link(name).v.start, system.link(name).v.stop)
    ]


def test_an_unknown_actuator_is_named(system):
    q, v, _ = state(system, np.random.default_rng(9))
    with pytest.raises(TorseurError, match="no joint is named 'jj1'; did you mean 'j1'"):
        tree_form(system.floats(), q, v, joints=("jj1",))


def test_the_coriolis_matrix_is_linear_in_the_speeds(system):
    q, v, a = state(system, np.random.default_rng(10))
    numbers_ = system.floats()
    C = lambda v: floats(coriolis_matrix(numbers_, q, v))  # noqa: E731
    close(C(v + 2 * a), C(v) + 2 * C(a), 1e5, scale=abs(C(v)).max())


# ---- kinematics ---------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", one_of_each(MOVING))
def test_jacobian_and_its_rate_are_derivatives_of_the_pose(joint):
    system = around(joint, seed=3).check()
    numbers_ = system.floats()
    q, v, a = state(system, np.random.default_rng(11))
    T, dT = along(system, lambda t, q, v: kinematics.pose(t, "tool", q).matrix(), q, v)
    W = dT[:3, :3] @ T[:3, :3].T
    twist = np.r_[W[2, 1], W[0, 2], W[1, 0], dT[:3, 3]]
    J = kinematics.jacobian(numbers_, "tool", q)
    close(J @ v, twist, 1e3)
    close(kinematics.velocity(numbers_, "tool", q, v), twist, 1e3)
    _, dJ = along(system, lambda t, q, v: kinematics.jacobian(t, "tool", q), q, v)
    close(kinematics.jacobian_rate(numbers_, "tool", q, v), dJ, 1e4)
    close(kinematics.acceleration(numbers_, "tool", q, v, a), J @ a + dJ @ v, 1e4)


def test_points_move_with_their_body(system):
    numbers_ = system.floats()
    q, v, a = state(system, np.random.default_rng(12))
    point = np.array([0.3, -0.2, 0.5])

    def moving(t, q, v):
        x, u, _ = kinematics.point_motion(t, "tool", point, q, v, vector([0] * system.nv))
        return np.concatenate([x, u])

    value, rate = along(system, moving, q, v)
    x, u, du = kinematics.point_motion(numbers_, "tool", point, q, v, a)
    close(np.concatenate([x, u]), value, 1e3)
    close(u, rate[:3], 1e3)
    slope = np.column_stack(
        [kinematics.point_motion(numbers_, "tool", point, q, e, a)[1] for e in np.eye(system.nv)]
    ).astype(float)
    close(du, rate[3:] + slope @ a, 1e4)


def test_lagrange_screws_relative_to_another_body(system):
    """The screws of B seen from A give the velocity of B as an observer on A measures it."""
    numbers_ = system.floats()
    q, v, _ = state(system, np.random.default_rng(13))

    def seen(t, q, v):
        return (kinematics.pose(t, "b1", q).inverse() @ kinematics.pose(t, "tool", q)).matrix()

    T, dT = along(system, seen, q, v)
    W = dT[:3, :3] @ T[:3, :3].T
    R = floats(kinematics.pose(numbers_, "b1", q).R)
    want = np.r_[R @ [W[2, 1], W[0, 2], W[1, 0]], R @ dT[:3, 3]]
    close(kinematics.lagrange_screws(numbers_, "tool", q, relative_to="b1") @ v, want, 1e4)
    close(
        kinematics.lagrange_screws(numbers_, "tool", q), kinematics.jacobian(numbers_, "tool", q), 0
    )


# ---- decomposition ------------------------------------------------------------------------------


def one_dof_parts(joint):
    """The one-dof joints that a joint is made of, in order, with the index of each coordinate."""
    return [
        ((Revolute if s.turn else Prismatic)(tuple(nominal(x, {}) for x in s.axis)), s.index)
        for s in joint.steps()
    ]


DECOMPOSED = [
    Cylindrical((1, 2, 2)),
    Universal("z", (1, 0, 1)),
    Spherical("zxz"),
    Spherical("xyz"),
    Spherical("zyx"),
    Planar("y", "translation_first"),
    Planar("z"),
    Free("zyx"),
    Free("xyz"),
    Translation(),
]


def test_every_holonomic_joint_of_several_dof_is_decomposed():
    several = {type(j) for j in EVERY_JOINT if j.nv > 1 and j.holonomic and j.steps()}
    assert several == {type(j) for j in DECOMPOSED} and all(j.steps() for j in DECOMPOSED)


@pytest.mark.parametrize("joint", DECOMPOSED, ids=label)
def test_a_joint_equals_its_decomposition_with_massless_bodies(joint):
    rng = np.random.default_rng(14)
    base, tip = body("base", rng), body("tip", rng)
    first = Joint("pivot", "world", "base", Revolute("x"), at=numbers(rng, 3))
    ends = (
        {"at": numbers(rng, 3), "rpy": numbers(rng, 3)},
        {"child_at": numbers(rng, 3), "child_rpy": numbers(rng, 3)},
    )
    whole = Model(
        "whole",
        bodies=(base, tip),
        joints=(first, Joint("joint", "base", "tip", joint, **ends[0], **ends[1])),
    ).check()
    parts = one_dof_parts(joint)
    names = ["base", *(f"massless{i}" for i in range(len(parts) - 1)), "tip"]
    joints = [
        Joint(
            f"part{n}",
            names[i],
            names[i + 1],
            part,
            **(ends[0] if i == 0 else {}),
            **(ends[1] if i == len(parts) - 1 else {}),
        )
        for i, (part, n) in enumerate(parts)
    ]
    split = Model(
        "split", bodies=(base, *map(Body, names[1:-1]), tip), joints=(first, *joints)
    ).check()
    order = [0, *(1 + n for _, n in parts)]
    for _ in range(3):
        q, v, a = state(whole, rng)
        one = newton_euler.inverse_dynamics(whole.floats(), q, v, a)
        two = newton_euler.inverse_dynamics(split.floats(), q[order], v[order], a[order])
        close(one[order], two, 1e4)
        tau = rng.normal(size=whole.nv)
        one = articulated_body.forward_dynamics(whole.floats(), q, v, tau)
        two = articulated_body.forward_dynamics(split.floats(), q[order], v[order], tau[order])
        close(one[order], two, 1e6)


@pytest.mark.parametrize("joint", [j for j in EVERY_JOINT if j.quaternion is not None], ids=label)
def test_a_quaternion_moves_as_angles_do(joint):
    """Same pose, same twist, same wrench: the accelerations of the body agree in the world."""
    rng = np.random.default_rng(15)
    angles = Spherical("zyx") if isinstance(joint, Spherical) else Free("zyx")
    hull = body("hull", rng)

    def of(kind):
        return Model("m", bodies=(hull,), joints=(Joint("j", "world", "hull", kind),)).check()

    one, two = of(joint), of(angles)
    a_, b_ = one.floats(), two.floats()
    q2 = coordinates(angles, rng)
    R = floats(kinematics.pose(b_, "hull", q2).R)
    q1 = np.r_[q2[:-3], matrix_to_quaternion(R)]
    v2 = rng.normal(size=angles.nv)
    twist = floats(kinematics.velocity(b_, "hull", q2, v2))
    J1, J2 = (floats(kinematics.jacobian(t, "hull", q)) for t, q in ((a_, q1), (b_, q2)))
    v1 = np.linalg.lstsq(J1, twist, rcond=None)[0]
    F = rng.normal(size=6)
    acc = [
        kinematics.acceleration(
            t, "hull", q, v, articulated_body.forward_dynamics(t, q, v, J.T @ F)
        )
        for t, q, v, J in ((a_, q1, v1, J1), (b_, q2, v2, J2))
    ]
    close(acc[0], floats(acc[1]), 1e5)


# ---- auxiliary degrees of freedom ---------------------------------------------------------------


def test_a_rotor_is_inertia_without_a_body():
    arm = tree((Revolute("x"),), seed=1)
    system = Model(
        "m",
        gravity=arm.gravity,
        bodies=arm.bodies,
        joints=arm.joints,
        rotors=(Rotor("motor", 0.25),),
        frames=(Frame("tip", "b0"),),
    ).check()
    assert system.coordinates[-1] == "motor.angle" and system.links[-1].auxiliary
    q, v, a = state(system, np.random.default_rng(0))
    tau = newton_euler.inverse_dynamics(system.floats(), q, v, a)
    alone = newton_euler.inverse_dynamics(arm.check().floats(), q[:1], v[:1], a[:1])
    close(tau, [*alone, 0.25 * a[1]], 100)
    close(evaluate(system, lagrange.inverse_dynamics, q, v, a), tau, 1e4)

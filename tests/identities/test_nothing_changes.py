"""Metamorphic and poison tests: what must not matter does not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from zoo import body, close, floats, numbers, state, tree

from torseur import kinematics
from torseur.dynamics import center_of_mass, coriolis_matrix, gravity_forces, momentum
from torseur.formalisms import articulated_body, composite_body, lagrange, newton_euler
from torseur.joints import (
    EVERY_JOINT,
    Cylindrical,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from torseur.model import Body, Frame, Joint, Model
from torseur.scalars import Floats
from torseur.spatial import Wrench, angles_to_matrix, matrix_to_quaternion

TREE = (
    Free(),
    Revolute("z"),
    Spherical("zyx"),
    Universal("x", "y"),
    Weld(),
    Planar("z"),
    Cylindrical("x"),
    Weld(),
    Spherical(),
    Prismatic((0, 3, 4)),
)
MODEL = tree(TREE, seed=5)


def by_name(model, q, v, a):
    """Efforts of each joint by name, at states given by name."""
    system = model.check()
    pick = lambda table, place: np.concatenate(  # noqa: E731
        [np.zeros(0), *(table[k.name] for k in system.links)]
    )
    tau = newton_euler.inverse_dynamics(system.floats(), pick(q, "q"), pick(v, "v"), pick(a, "v"))
    return {k.name: floats(tau[k.v]) for k in system.links}


def named_state(system, seed=0):
    q, v, a = state(system, np.random.default_rng(seed))
    return (
        {k.name: q[k.q] for k in system.links},
        {k.name: v[k.v] for k in system.links},
        {k.name: a[k.v] for k in system.links},
    )


def efforts(system, q, v, a):
    return floats(newton_euler.inverse_dynamics(system.floats(), q, v, a))


def test_names_change_nothing():
    new = {b.name: f"étape {i} of 'x'" for i, b in enumerate(MODEL.bodies)} | {"world": "world"}
    other = replace(
        MODEL,
        bodies=[replace(b, name=new[b.name]) for b in MODEL.bodies],
        frames=(),
        joints=[
            replace(j, name=f"n{i}", parent=new[j.parent], child=new[j.child])
            for i, j in enumerate(MODEL.joints)
        ],
    )
    system, renamed = replace(MODEL, frames=()).check(), other.check()
    x = state(system, np.random.default_rng(0))
    assert (efforts(system, *x) == efforts(renamed, *x)).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_bodies_and_joints_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    x = named_state(MODEL.check())
    shuffled = replace(
        MODEL,
        bodies=[MODEL.bodies[i] for i in rng.permutation(len(MODEL.bodies))],
        joints=[MODEL.joints[i] for i in rng.permutation(len(MODEL.joints))],
    )
    one, two = by_name(MODEL, *x), by_name(shuffled, *x)
    for name in one:
        close(one[name], two[name], 2000, scale=100)


def test_moving_the_world_changes_no_effort():
    """Everything, gravity included, turned and displaced together."""
    R, p = floats(angles_to_matrix(Floats(), "zyx", (0.4, -0.3, 0.8))), (0.5, -1.5, 2.5)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    base = Frame("base", "world")
    moved = replace(
        MODEL,
        gravity=tuple(R @ np.array(MODEL.gravity)),
        frames=(base,),
        joints=[replace(j, parent="ground") if j.parent == "world" else j for j in MODEL.joints]
        + [Joint("carry", "world", "ground", Weld(), pose=T)],
        bodies=[*MODEL.bodies, Body("ground")],
    )
    x = named_state(MODEL.check())
    one, two = by_name(MODEL, *x), by_name(moved, *x)
    for name in one:
        close(one[name], two[name], 5e3, scale=100)


def test_cutting_a_body_and_welding_it_back_changes_no_effort():
    rng = np.random.default_rng(2)
    for target in ("b1", "b3", "b9"):
        cut = next(b for b in MODEL.bodies if b.name == target)
        m1, c1 = 0.4 * cut.mass, np.array(cut.com) + 0.1
        m2 = cut.mass - m1
        c2 = (cut.mass * np.array(cut.com) - m1 * c1) / m2
        J = np.array(cut.inertia)
        steiner = sum(
            m * ((d @ d) * np.eye(3) - np.outer(d, d))
            for m, d in ((m1, c1 - cut.com), (m2, c2 - cut.com))
        )
        at, rpy = numbers(rng, 3), numbers(rng, 3)
        R = floats(angles_to_matrix(Floats(), "zyx", rpy[::-1]))
        half = (J - steiner) / 2
        kept = Body(target, m1, tuple(c1), half)
        rest = Body("rest", m2, tuple(R.T @ (c2 - at)), (lambda S: (S + S.T) / 2)(R.T @ half @ R))
        glued = replace(
            MODEL,
            bodies=[kept if b.name == target else b for b in MODEL.bodies] + [rest],
            joints=[*MODEL.joints, Joint("glue", target, "rest", Weld(), at=at, rpy=rpy)],
        )
        x = named_state(MODEL.check())
        one, two = by_name(MODEL, *x), by_name(glued, *x)
        for name in one:
            close(two[name], one[name], 5e3, scale=100)


def test_welds_are_merged_and_still_reported():
    system = MODEL.check()
    assert len(system.links) == len(TREE) - 2 and set(system.bodies) <= set(system.places)
    assert [k.parent < k.index for k in system.links] == [True] * len(system.links)
    degree = [0]
    for k in system.links:
        degree.append(degree[k.parent] + 1)
    assert degree == sorted(degree), "links are ordered by connection degree"


def alike(one, two, k=100, **frames):
    """Two joints that must be the same in a moving tree."""
    kinds = lambda j: (Revolute((1, 2, 2)), j, Universal("x", "y"))  # noqa: E731
    a, b = (tree(kinds(j), seed=7, parents=(-1, 0, 1)).check() for j in (one, two))
    for seed in range(3):
        x = state(a, np.random.default_rng(seed))
        close(efforts(a, *x), efforts(b, *x), k)


@pytest.mark.parametrize(
    "one, two",
    [
        (Helical("z", 0), Revolute("z")),
        (Helical((1, 2, 2), 0), Revolute((1, 2, 2))),
        (Revolute("x"), Revolute((5, 0, 0))),
        (Revolute("-z"), Revolute((0, 0, -2.5))),
        (Revolute((1, 2, 2)), Revolute((1 / 3, 2 / 3, 2 / 3))),
        (Prismatic("y"), Prismatic((0, 0.1, 0))),
        (Universal("x", "y"), Universal((1, 0, 0), (0, 1, 0))),
        (Planar("z"), Planar((0, 0, 3))),
        (Cylindrical("z"), Cylindrical((1e-17, 0, 1))),
    ],
    ids=str,
)
def test_two_ways_to_write_a_joint(one, two):
    alike(one, two)


def test_swapping_the_frames_of_a_joint_reverses_it():
    """A hinge seen from its child: same motion, opposite coordinate and effort."""
    rng = np.random.default_rng(3)
    a, b = body("a", rng), body("b", rng)
    ends = [numbers(rng, 3) for _ in range(4)]

    def pair(first, second, kind, at, rpy, child_at, child_rpy):
        return Model(
            "m",
            bodies=(a, b),
            joints=(
                Joint("float", "world", first, Free()),
                Joint(
                    "hinge",
                    first,
                    second,
                    kind,
                    at=at,
                    rpy=rpy,
                    child_at=child_at,
                    child_rpy=child_rpy,
                ),
            ),
        )

    for kind in (Revolute("z"), Prismatic((0, 3, 4)), Helical("x", 0.2)):
        one = pair("a", "b", kind, *ends).check()
        two = pair("b", "a", kind, *ends[2:], *ends[:2]).check()
        q, v, acc = state(one, rng)
        t1, t2 = one.floats(), two.floats()
        X = kinematics.pose(t1, "b", q)
        q2 = np.r_[floats(X.p), matrix_to_quaternion(X.R), -q[7]]
        V = floats(kinematics.velocity(t1, "b", q, v))
        R = floats(X.R)
        v2 = np.r_[R.T @ V[:3], R.T @ V[3:], -v[6]]
        A = floats(kinematics.acceleration(t1, "b", q, v, acc))
        spatial = A[3:] - np.cross(V[:3], V[3:])
        a2 = np.r_[R.T @ A[:3], R.T @ spatial, -acc[6]]
        tau1, tau2 = (
            newton_euler.inverse_dynamics(*x) for x in ((t1, q, v, acc), (t2, q2, v2, a2))
        )
        close(lagrange.energies(t1, q, v), lagrange.energies(t2, q2, v2), 1e4)
        close(kinematics.pose(t2, "a", q2).matrix(), kinematics.pose(t1, "a", q).matrix(), 1e3)
        # the free joint's wrench is zero when the sum of both is carried by the hinge alone
        X_BA = X.inverse() @ kinematics.pose(t1, "a", q)
        carried = X_BA.push_wrench(Wrench.of(tau1[:6])).array
        S = floats(kinematics.lagrange_screws(t1, "b", q, relative_to="a")[:, 6])
        S = np.r_[R.T @ S[:3], R.T @ S[3:]]
        close(tau2[:6], carried, 1e5, scale=100)
        close(-tau2[6], tau1[6] - S @ floats(carried), 1e5, scale=100)


def test_a_parameter_is_its_number():
    symbolic = Model(
        "m",
        gravity=(0, 0, "-g"),
        parameters={"m": 2, "L": 0.5, "g": 9.81, "t": 0.3},
        bodies=(Body("rod", "m", (0, 0, "-L/2"), ("m*L**2/12", "m*L**2/12", "m/1000", 0, 0, 0)),),
        joints=(Joint("pivot", "world", "rod", Revolute("y"), at=("2*L", 0, 0), rpy=("t", 0, 0)),),
    )
    plain = Model(
        "m",
        bodies=(Body("rod", 2, (0, 0, -0.25), (0.5 / 12, 0.5 / 12, 0.002, 0, 0, 0)),),
        joints=(Joint("pivot", "world", "rod", Revolute("y"), at=(1, 0, 0), rpy=(0.3, 0, 0)),),
    )
    x = ([0.7], [1.3], [-0.4])
    close(
        efforts(symbolic.check(), *map(np.array, x)), efforts(plain.check(), *map(np.array, x)), 10
    )
    other = symbolic.check().floats({"g": 1.62})
    moon = replace(plain, gravity=(0, 0, -1.62)).check()
    close(
        newton_euler.inverse_dynamics(other, *map(np.array, x)),
        efforts(moon, *map(np.array, x)),
        10,
    )
    assert (
        symbolic.check().digest != plain.check().digest == replace(plain, name="x").check().digest
    )


# ---- poison -------------------------------------------------------------------------------------


def test_what_must_not_be_read_is_not_read():
    system = MODEL.check()
    numbers_ = system.floats()
    q, v, a = state(system, np.random.default_rng(1))
    bad_v, bad = np.full(system.nv, np.nan), np.full(system.nq, np.nan)
    for X in kinematics.poses(numbers_, q):
        assert np.isfinite(floats(X.matrix())).all()
    assert np.isfinite(floats([m.V.array for m in kinematics.velocities(numbers_, q, v)])).all()
    assert np.isfinite(floats(composite_body.mass_matrix(numbers_, q))).all()
    assert np.isfinite(floats(gravity_forces(numbers_, q))).all()
    assert np.isfinite(floats(center_of_mass(numbers_, q))).all()
    massless = replace(
        MODEL,
        bodies=[replace(b, mass="nothing", inertia=("J",) * 3 + (0,) * 3) for b in MODEL.bodies],
        frames=MODEL.frames,
    ).check()
    poisoned = massless.floats({"nothing": np.nan, "J": np.nan})  # kinematics says no to masses
    assert np.isfinite(floats(kinematics.jacobian(poisoned, "tool", q))).all()
    assert np.isfinite(floats(kinematics.jacobian_rate(poisoned, "tool", q, v))).all()
    assert np.isfinite(floats(kinematics.acceleration(poisoned, "tool", q, v, a))).all()
    # a joint's motion reaches nothing inboard of it, and no other branch
    last = system.links[-1]
    spoilt = v.copy()
    spoilt[last.v] = np.nan
    for k, m in zip(system.links, kinematics.velocities(numbers_, q, spoilt)[1:], strict=True):
        assert np.isfinite(floats(m.V.array)).all() == (k.index != last.index)
    assert np.isnan(floats(newton_euler.inverse_dynamics(numbers_, q, bad_v, a))).any()
    assert np.isnan(floats(newton_euler.inverse_dynamics(numbers_, bad, v, a))).any()


def test_arguments_are_not_written_to():
    system = MODEL.check()
    numbers_ = system.floats()
    q, v, a = state(system, np.random.default_rng(1))
    before = [x.copy() for x in (q, v, a)]
    for x in (q, v, a):
        x.flags.writeable = False
    for f in (newton_euler.inverse_dynamics, articulated_body.forward_dynamics):
        f(numbers_, q, v, a)
    coriolis_matrix(numbers_, q, v), momentum(numbers_, q, v), kinematics.integrate(numbers_, q, v)
    assert all((x == y).all() for x, y in zip((q, v, a), before, strict=True))


# ---- random models ------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.lists(st.sampled_from(EVERY_JOINT), min_size=1, max_size=5), st.integers(0, 10**6))
def test_forward_dynamics_undoes_inverse_dynamics_on_any_tree(kinds, seed):
    system = tree(kinds, seed, armature=True).check()
    numbers_ = system.floats()
    q, v, a = state(system, np.random.default_rng(seed))
    tau = newton_euler.inverse_dynamics(numbers_, q, v, a)
    M = floats(composite_body.mass_matrix(numbers_, q))
    slack = np.linalg.cond(M) if system.nv else 1
    close(articulated_body.forward_dynamics(numbers_, q, v, tau), a, 100 * max(slack, 100))
    h = newton_euler.inverse_dynamics(numbers_, q, v, 0 * a)
    close(M @ a + h, tau, 1e5)

"""One question to every joint: does its pose, differentiated by the graph, confirm the rest?"""

import casadi as ca
import numpy as np
import pytest
from zoo import close, coordinates, floats, label

from torseur.formalisms.global_inertia import pseudo_pairs
from torseur.joints import EVERY_JOINT, across, unit_axis
from torseur.scalars import Floats, Graph, vector
from torseur.spatial import Pose, Twist, exp, skew

each_joint = pytest.mark.parametrize("joint", EVERY_JOINT, ids=label)
KF = Floats()


def samples(joint, n=6):
    rng = np.random.default_rng(1)
    for _ in range(n):
        yield coordinates(joint, rng), *rng.uniform(-1.5, 1.5, (2, joint.nv))


def graph(joint):
    """Scalars, symbols q, v, w and the derivative along the joint's own rates."""
    K = Graph()
    q, v, w = (
        K.symbols(f"{s}{i}" for i in range(n))
        for s, n in (("q", joint.nq), ("v", joint.nv), ("w", joint.nv))
    )
    rates = K.sx(joint.rates(K, q, v))
    ports = [K.sx(x) for x in (q, v, w)]

    def along(x):
        return ca.jtimes(x, ports[0], rates) if joint.nq else 0 * x

    return K, (q, v, w), ports, along


@each_joint
def test_names_units_and_neutral_pose(joint):
    names = [n for n, _ in (*joint.coordinates, *joint.speeds)]
    assert len(set(names)) == len(names) and all(unit for _, unit in joint.coordinates)
    close(joint.pose(KF, joint.neutral()).matrix(), np.eye(4), 4)
    if joint.holonomic:
        assert joint.nq == joint.nv
        for q, v, _ in samples(joint, 2):
            close(joint.rates(KF, q, v), v, 0)


@each_joint
def test_subspace_and_bias_are_derivatives_of_the_pose(joint):
    K, (q, _v, _w), ports, along = graph(joint)
    X = joint.pose(K, q)
    R, p = K.sx(X.R), K.sx(X.p)
    twist = ca.vertcat(ca.inv_skew(R.T @ along(R)), R.T @ along(p))
    S = K.sx(joint.subspace(K, q)) if joint.nv else ca.SX(6, 0)
    dS = along(ca.vec(S @ ports[2])) if joint.nv else ca.SX(6, 1)
    truth = ca.Function("truth", ports, [twist, along(twist), dS])
    for q0, v0, w0 in samples(joint):
        V, dV, dSw = (np.array(x).ravel() for x in truth(q0, v0, w0))
        close(joint.subspace(KF, q0) @ v0, V, 40)
        close(joint.bias(KF, q0, v0), dV, 200)
        close(joint.subspace_rate(KF, q0, v0) @ w0, dSw, 200)


@each_joint
def test_speeds_are_the_left_inverse_of_rates(joint):
    for q, v, _ in samples(joint):
        close(joint.speeds_from(KF, q, joint.rates(KF, q, v)), v, 200)
        if joint.quaternion is not None:  # the rates keep the quaternion unit
            i = slice(joint.quaternion, joint.quaternion + 4)
            close(q[i] @ joint.rates(KF, q, v)[i], 0, 20)


@each_joint
def test_closure_vanishes_on_the_joint_and_only_there(joint):
    """6 - nv residuals of full rank, blind to the joint's own motion."""
    K = Graph()
    q, x = K.symbols(f"q{i}" for i in range(joint.nq)), K.symbols(f"x{i}" for i in range(6))
    X = joint.pose(K, q)
    moved = Pose(X.R + X.R @ skew(x[:3]), X.p + X.R @ x[3:])
    residual = K.sx(joint.closure(K, moved))
    assert residual.shape[0] == 6 - joint.nv
    if joint.nv == 6:
        return
    run = ca.Function("closure", [K.sx(q), K.sx(x)], [residual, ca.jacobian(residual, K.sx(x))])
    for q0, _, _ in samples(joint):
        value, J = (np.array(y) for y in run(q0, np.zeros(6)))
        close(value, 0 * value, 40)
        close(joint.closure(KF, joint.pose(KF, q0)), 0 * value.ravel(), 40)
        assert np.linalg.svd(J)[1].min() > 1e-3, "the closure must have rank 6 - nv"
        if joint.nv:
            close(J @ floats(joint.subspace(KF, q0)), np.zeros((6 - joint.nv, joint.nv)), 40)


@each_joint
def test_integrate_and_difference_undo_each_other(joint):
    rng = np.random.default_rng(3)
    for q0, v, _ in samples(joint):
        q1 = coordinates(joint, rng)
        back = joint.integrate(KF, q0, joint.difference(KF, q0, q1))
        close(joint.pose(KF, back).matrix(), joint.pose(KF, q1).matrix(), 400)
        for size in (1, 1e-3, 1e-9, 0):
            there = joint.integrate(KF, q0, size * v)
            close(joint.difference(KF, q0, there), size * v, 400, scale=2)
        if joint.quaternion is not None:
            i = slice(joint.quaternion, joint.quaternion + 4)
            close(np.linalg.norm(floats(joint.integrate(KF, q0, v)[i])), 1, 8)


@each_joint
def test_a_small_step_follows_the_rates(joint):
    """The derivative of `integrate` at no motion is N(q), by the graph through its branches."""
    K = Graph()
    q, dv = K.symbols(f"q{i}" for i in range(joint.nq)), K.symbols(f"d{i}" for i in range(joint.nv))
    if not joint.nv:
        return
    step = K.sx(vector(joint.integrate(K, q, dv)))
    slope = ca.Function("slope", [K.sx(q), K.sx(dv)], [ca.jacobian(step, K.sx(dv))])
    for q0, v, _ in samples(joint, 3):
        close(np.array(slope(q0, np.zeros(joint.nv))) @ v, joint.rates(KF, q0, v), 100)


@each_joint
def test_the_graph_gives_the_same_numbers(joint):
    K, (q, v, _w), ports, _ = graph(joint)
    X = joint.pose(K, q)
    run = ca.Function(
        "same",
        ports,
        [K.sx(X.matrix()), K.sx(joint.bias(K, q, v)), K.sx(vector(joint.rates(K, q, v)))],
    )
    for q0, v0, w0 in samples(joint, 2):
        T, bias, rates = (np.array(x) for x in run(q0, v0, w0))
        close(joint.pose(KF, q0).matrix(), T, 10)
        close(joint.bias(KF, q0, v0), bias.ravel(), 40)
        close(joint.rates(KF, q0, v0), rates.ravel(), 40)


@each_joint
def test_closures_are_called_as_they_turn_and_slide(joint):
    """Where F and M coincide, the row "x" grows with a slide along x, "about_x" with a turn."""
    assert len(joint.closing) == 6 - joint.nv
    assert len(dict(joint.closing)) == 6 - joint.nv
    K, h = Floats(), 1e-6
    e = np.eye(3)
    axis = getattr(joint, "axis", getattr(joint, "normal", "z"))
    first, second = (K.numbers(t).astype(float) for t in across(axis))
    named = dict(zip("xyz", e, strict=True)) | {"across1": first, "across2": second}
    named |= {f"minus_{n}": -u for n, u in zip("xyz", e, strict=True)}
    named["height"] = K.numbers(unit_axis(axis)).astype(float)

    def moved(turn, slide):
        return np.array(joint.closure(K, exp(Twist(turn, slide))), dtype=float)

    zero = np.zeros(3)
    turns = np.array([(moved(h * u, zero) - moved(-h * u, zero)) / (2 * h) for u in e]).T
    slides = np.array([(moved(zero, h * u) - moved(zero, -h * u)) / (2 * h) for u in e]).T
    for (row, unit), turn, slide in zip(joint.closing, turns, slides, strict=True):
        if row in ("advance", "across_axes"):  # a screw, the normal of two axes
            assert unit == ("m" if row == "advance" else "rad")
            continue
        about = row.startswith("about_")
        assert unit == ("rad" if about else "m")
        want = named[row.removeprefix("about_")]
        np.testing.assert_allclose(turn, want if about else zero, atol=1e-9)
        np.testing.assert_allclose(slide, zero if about else want, atol=1e-9)


def _bracket_by_differences(joint, i, j, q):
    """`[N_i, N_j]` of a joint's rate fields by central differences."""
    K, h, units = Floats(), 1e-6, np.eye(joint.nv, dtype=int).astype(object)

    def field(k, x):
        return np.array(joint.rates(K, x, units[k]), dtype=float)

    def along(a, b):
        d = field(a, q)
        return (field(b, q + h * d) - field(b, q - h * d)) / (2 * h)

    return along(i, j) - along(j, i)


@each_joint
def test_pseudo_pairs_are_those_whose_rate_fields_do_not_commute(joint):
    rng = np.random.default_rng(5)
    q = rng.uniform(0.2, 0.9, joint.nq)
    if (i := joint.quaternion) is not None:
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    want = {
        (i, j)
        for i in range(joint.nv)
        for j in range(i + 1, joint.nv)
        if abs(_bracket_by_differences(joint, i, j, q)).max() > 1e-6
    }
    assert set(pseudo_pairs(joint)) == want

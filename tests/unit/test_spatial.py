"""Spatial algebra by its laws, on random vectors, and by the values of oracle X3."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from zoo import close, floats

from torseur.errors import SingularPose
from torseur.scalars import Floats, Graph, vector
from torseur.spatial import (
    IDENTITY,
    SEQUENCES,
    Inertia,
    Momentum,
    Pose,
    Twist,
    Wrench,
    angles_to_matrix,
    axial,
    axis_rotation,
    comoment,
    cross,
    direction_cosines,
    exp,
    exp_quaternion,
    exp_rotation,
    log,
    log_quaternion,
    log_rotation,
    matrix_to_angles,
    matrix_to_quaternion,
    quaternion_product,
    quaternion_rates,
    quaternion_to_matrix,
    skew,
    symmetric,
)

K = Floats()
number = st.floats(-3, 3, allow_subnormal=False)
three = st.tuples(number, number, number).map(np.array)
six = st.tuples(*[number] * 6)
twist, wrench = six.map(Twist.of), six.map(Wrench.of)
direction = three.filter(lambda u: np.linalg.norm(u) > 0.1).map(lambda u: u / np.linalg.norm(u))
rotation = st.builds(lambda u, t: exp_rotation(u * t), direction, st.floats(0, math.pi))
pose = st.builds(lambda R, p: Pose(R.astype(object), vector(p)), rotation, three)
masses = st.lists(st.tuples(st.floats(0.1, 2), three), min_size=4, max_size=8)


def inertia_of(points) -> Inertia:
    """Ten numbers summed over point masses."""
    ten = np.zeros(10)
    for m, (x, y, z) in points:
        ten += m * np.array(
            [1, x, y, z, y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
        )
    return Inertia.of_parameters(ten)


# ---- screws ---------------------------------------------------------------------------------


@given(twist, twist, twist)
def test_jacobi(a, b, c):
    total = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    close(total.array, np.zeros(6), 500, scale=30)


@given(twist, twist)
def test_bracket_is_skew_and_ad_is_its_matrix(a, b):
    close((a.cross(b) + b.cross(a)).array, np.zeros(6), 0)
    close(a.ad() @ b.array, a.bracket(b).array, 20, scale=20)


@given(twist, twist, wrench)
def test_force_cross_product_is_dual_to_the_motion_one(a, b, F):
    """Power of a wrench carried along is unchanged: (a x* F) b = -F (a x b)."""
    close(a.cross(F) @ b, -(F @ a.cross(b)), 100, scale=100)


@given(pose, pose, twist)
def test_ad_is_a_homomorphism(X, Y, V):
    close((X @ Y).push_twist(V).array, X.push_twist(Y.push_twist(V)).array, 200, scale=50)
    close((X @ Y).adjoint(), X.adjoint() @ Y.adjoint(), 200, scale=50)
    close(X.adjoint() @ V.array, X.push_twist(V).array, 100, scale=50)


@given(pose, twist, wrench)
def test_poses_keep_power_and_undo_themselves(X, V, F):
    close(X.push_wrench(F) @ X.push_twist(V), F @ V, 200, scale=200)
    close(X.pull_twist(X.push_twist(V)).array, V.array, 100, scale=20)
    close(X.pull_wrench(X.push_wrench(F)).array, F.array, 100, scale=20)
    close((X @ X.inverse()).matrix(), np.eye(4), 20, scale=5)
    close(X.push_wrench(F).array, np.linalg.inv(floats(X.adjoint())).T @ F.array, 200, scale=50)


@given(pose, twist, twist)
def test_ad_keeps_the_bracket(X, a, b):
    close(
        X.push_twist(a.cross(b)).array, X.push_twist(a).cross(X.push_twist(b)).array, 500, scale=100
    )


@given(pose, three)
def test_points_follow_the_matrix(X, x):
    close(X.point(x), (floats(X.matrix()) @ np.r_[x, 1])[:3], 20, scale=10)
    close(X.unrotate(X.rotate(x)), x, 20, scale=10)


def test_kinds_do_not_mix():
    V, F, h = Twist.of(range(6)), Wrench.of(range(6)), Momentum.of(range(6))
    for a, b, text in (
        (V, F, "cannot add a twist and a wrench"),
        (F, V, "cannot add a wrench and a twist"),
        (F, h, "cannot add a wrench and a momentum"),
        (V, 1.0, "cannot add a twist and a float"),
        (V, np.zeros(6), "cannot add a twist and a ndarray"),
    ):
        for f in (lambda a, b: a + b, lambda a, b: a - b):
            with pytest.raises(TypeError, match=text):
                f(a, b)
    with pytest.raises(TypeError, match="a twist meets a wrench or a momentum, not a twist"):
        V @ V
    with pytest.raises(TypeError, match="a wrench meets a twist, not a wrench"):
        F @ F
    with pytest.raises(TypeError, match="a twist can be multiplied by a number only"):
        V * F
    with pytest.raises(TypeError, match="a twist has no cross product with a int"):
        V.cross(1)
    with pytest.raises(ValueError, match="a twist takes two vectors of 3, got shapes"):
        Twist((1, 2), (3, 4, 5))
    assert comoment(F, V) == F @ V == V @ F == 55
    assert (2 * V).array.tolist() == (V * 2).array.tolist() == [0, 2, 4, 6, 8, 10]
    assert (-V).array.tolist() == [0, -1, -2, -3, -4, -5]
    assert isinstance(IDENTITY.push_momentum(h), Momentum)


@given(three, three)
def test_vectors(a, b):
    close(skew(a) @ b, np.cross(a, b), 4, scale=20)
    close(cross(a, b), np.cross(a, b), 4, scale=20)
    close(axial(skew(a)), a, 0)


# ---- inertia --------------------------------------------------------------------------------


@given(masses, twist)
def test_momentum_is_the_sum_over_points(points, V):
    I = inertia_of(points)
    w, v = (np.asarray(x, float) for x in (V.angular, V.linear))
    points = [(float(m), np.asarray(r, float)) for m, r in points]
    moment = sum(m * np.cross(r, v + np.cross(w, r)) for m, r in points)
    force = sum(m * (v + np.cross(w, r)) for m, r in points)
    close((I @ V).array, np.r_[moment, force], 200, scale=2000)
    close(I.matrix() @ V.array, (I @ V).array, 100, scale=2000)


@given(masses, pose)
def test_moving_an_inertia_moves_its_points(points, X):
    moved = [(m, floats(X.point(r))) for m, r in points]
    close(inertia_of(points).moved(X).parameters(), inertia_of(moved).parameters(), 500, scale=2000)


@given(masses, three)
def test_parallel_axes(points, p):
    I = inertia_of(points)
    shifted = [(m, r + p) for m, r in points]
    close(I.shifted(vector(p)).parameters(), inertia_of(shifted).parameters(), 300, scale=2000)
    mass, c = I.mass, floats(I.h) / I.mass
    J = symmetric(I.J).astype(float) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    close(Inertia.about_com(mass, c, J).parameters(), I.parameters(), 300, scale=2000)


@given(masses)
def test_the_views_of_an_inertia_go_both_ways(points):
    I = inertia_of(points)
    for same in (
        Inertia.of_matrix(I.matrix()),
        Inertia.of_pseudo(I.pseudo()),
        Inertia.of_parameters(I.parameters()),
    ):
        close(same.parameters(), I.parameters(), 20, scale=200)
    P = sum(m * np.outer(np.r_[r, 1], np.r_[r, 1]) for m, r in points)
    close(I.pseudo(), P, 100, scale=200)
    assert np.linalg.eigvalsh(I.pseudo().astype(float)).min() > -1e-12
    assert np.linalg.eigvalsh(I.matrix().astype(float)).min() > -1e-10


@given(masses, masses)
def test_inertias_add(a, b):
    close(
        (inertia_of(a) + inertia_of(b)).parameters(), inertia_of(a + b).parameters(), 50, scale=2000
    )


# ---- turns ----------------------------------------------------------------------------------


@given(st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, -1), (0.6, 0, 0.8)]), number, three, six)
def test_a_turn_is_its_matrix(axis, angle, x, J6):
    t = axis_rotation(K, axis, angle)
    R = floats(t.matrix)
    close(R, exp_rotation(np.array(axis) * angle), 20)
    close(t.rotate(vector(x)), R @ x, 10, scale=5)
    close(t.unrotate(vector(x)), R.T @ x, 10, scale=5)
    close(symmetric(t.tensor(vector(J6))), R @ symmetric(J6).astype(float) @ R.T, 40, scale=10)
    close(t.inverse().matrix, R.T, 0)


def test_quarter_turns_permute_exactly():
    from itertools import permutations, product

    J6 = vector(range(1, 7))
    for order, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        R = np.zeros((3, 3), dtype=int)
        R[range(3), order] = signs
        if np.linalg.det(R) > 0:
            X = Pose(R.astype(object))
            assert X.rotate(vector((1, 2, 3))).tolist() == (R @ [1, 2, 3]).tolist()
            assert X.unrotate(vector((1, 2, 3))).tolist() == (R.T @ [1, 2, 3]).tolist()
            want = R @ symmetric(J6) @ R.T
            assert symmetric(X.tensor(J6)).tolist() == want.tolist()


# ---- exponential and logarithm --------------------------------------------------------------

ANGLES = [
    0,
    1e-320,
    1e-12,
    1e-8,
    1e-4,
    0.0316,
    0.0317,
    0.5,
    1,
    3,
    math.pi - 1e-3,
    math.pi - 1e-8,
    math.pi - 1e-12,
]


@pytest.mark.parametrize("angle", ANGLES)
@given(u=direction, v=three)
def test_exp_and_log_undo_each_other(angle, u, v):
    V = Twist(vector(u * angle), vector(v))
    X = exp(V)
    close(log(X).array, V.array, 200 if angle < 3.1 else 4e3, scale=10)
    close(exp(log(X)).matrix(), X.matrix(), 200, scale=5)
    close(direction_cosines(floats(X.R)), exp_rotation(u * angle), 4)
    close(log_rotation(exp_rotation(u * angle)), u * angle, 40, scale=4)


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_is_the_sum_of_its_series(angle):
    V = Twist(vector(np.array([0.6, 0, 0.8]) * angle), vector((1.0, -2.0, 0.5)))
    T = np.zeros((4, 4))
    T[:3, :3], T[:3, 3] = skew(V.angular).astype(float), V.linear
    total, term = np.eye(4), np.eye(4)
    for n in range(1, 40):
        term = term @ T / n
        total = total + term
    close(exp(V).matrix(), total, 100, scale=5)


def test_half_a_turn_has_a_logarithm():
    for u in np.vstack([np.eye(3), [[0.6, 0, 0.8], [1 / 3, 2 / 3, -2 / 3]]]):
        R = 2 * np.outer(u, u) - np.eye(3)
        w = log_rotation(R)
        close(abs(w @ u), math.pi, 20)
        close(exp_rotation(w), R, 20)


@given(twist)
def test_exp_of_a_twist_is_fixed_by_its_own_ad(V):
    close(exp(V).push_twist(V).array, V.array, 1e3, scale=30)


@given(direction, st.floats(0, 3))
def test_quaternions_of_rotation_vectors(u, t):
    w = vector(u * t)
    q = exp_quaternion(K, w)
    close(q, np.r_[math.cos(t / 2), math.sin(t / 2) * u], 20)
    close(log_quaternion(K, q), w, 100, scale=3)
    close(log_quaternion(K, -q), w, 100, scale=3)  # both signs are one rotation


def test_the_graph_differentiates_through_the_branches():
    """At no rotation at all the derivative of the step is one half, not NaN."""
    import casadi as ca

    G = Graph()
    w = G.symbols(("x", "y", "z"))
    J = ca.Function("J", [G.sx(w)], [ca.jacobian(G.sx(exp_quaternion(G, w)), G.sx(w))])
    close(np.array(J(np.zeros(3))), np.vstack([np.zeros(3), np.eye(3) / 2]), 0)


# ---- parametrizations of orientation --------------------------------------------------------


@pytest.mark.parametrize("sequence", SEQUENCES)
@given(first=st.floats(-3.1, 3.1), middle=st.floats(0.05, 1.5), third=st.floats(-3.1, 3.1))
def test_angles_both_ways(sequence, first, middle, third):
    angles = np.array([first, middle, third])
    R = floats(angles_to_matrix(K, sequence, angles))
    close(matrix_to_angles(sequence, R), angles, 400, scale=10)
    axes = [np.eye(3)[k] for k in SEQUENCES[sequence]]
    close(
        R, np.linalg.multi_dot([exp_rotation(u * t) for u, t in zip(axes, angles, strict=True)]), 40
    )


@pytest.mark.parametrize(
    "sequence, middle",
    [
        ("zxz", 0.0),
        ("zxz", math.pi),
        ("xyz", math.pi / 2),
        ("xyz", -math.pi / 2),
        ("zyx", math.pi / 2),
    ],
)
def test_singular_angles_are_detected(sequence, middle):
    R = angles_to_matrix(K, sequence, (0.3, middle, 0.4))
    with pytest.raises(
        SingularPose, match=f"{sequence} angles are not unique here: the middle angle is"
    ):
        matrix_to_angles(sequence, R)
    matrix_to_angles(sequence, angles_to_matrix(K, sequence, (0.3, middle - 1e-6, 0.4)))


@given(direction, st.floats(0, math.pi))
def test_quaternion_and_matrix_both_ways(u, t):
    R = exp_rotation(u * t)
    q = matrix_to_quaternion(R)
    close(np.linalg.norm(q), 1, 4)
    assert q[0] >= 0
    close(quaternion_to_matrix(q), R, 20)


@given(direction, st.floats(0, 3), direction, st.floats(0, 3), three)
def test_quaternions_multiply_as_rotations(u, s, v, t, w):
    p, q = exp_quaternion(K, vector(u * s)), exp_quaternion(K, vector(v * t))
    R = floats(quaternion_to_matrix(p)) @ floats(quaternion_to_matrix(q))
    close(quaternion_to_matrix(quaternion_product(p, q)), R, 20)
    rate = quaternion_product(q, vector((0, *w))) * 0.5
    close(quaternion_rates(q) @ w, rate, 10, scale=5)


def test_direction_cosines_are_checked():
    with pytest.raises(ValueError, match="columns must be orthonormal and right-handed"):
        direction_cosines(np.diag([1, 1, -1]))
    with pytest.raises(ValueError, match=r"a 3 x 3 matrix, got shape \(2, 2\)"):
        direction_cosines(np.eye(2))


def test_oracle_x3():
    """Orientation matrix and Euler parameters of (.3, .7, -.4)."""
    R = floats(angles_to_matrix(K, "zxz", (0.3, 0.7, -0.4)))
    np.testing.assert_allclose(R[0], (0.9679419716, 0.1638415238, 0.1903793441), atol=6e-11)
    np.testing.assert_allclose(
        matrix_to_quaternion(R),
        (0.9381987416, 0.3221088436, 0.1175789064, -0.0469490678),
        atol=6e-11,
    )
    for sequence in ("zyx", "xyz"):
        R = floats(angles_to_matrix(K, sequence, (0.3, 0.7, -0.4)))
        close(
            matrix_to_angles(sequence, quaternion_to_matrix(matrix_to_quaternion(R))),
            (0.3, 0.7, -0.4),
            40,
        )

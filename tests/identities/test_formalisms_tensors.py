"""Uicker's coefficients and Fayet's tensors, one by one: layouts, properties, printed forms."""

import importlib
import sys
from itertools import product
from pathlib import Path

import numpy as np
import zoo

from torseur.formalisms import composite_body, global_inertia, uicker
from torseur.joints import Free, Guided, Revolute
from torseur.model import Body, Joint, Model
from torseur.scalars import Floats, Graph
from torseur.symbolic import equations, open_ring

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
ROBOTS = importlib.import_module("equations_robots")
VEHICLE = importlib.import_module("equations_vehicle")


def test_uicker_layout_and_values():
    system = ROBOTS.puma3().check()
    S = open_ring(system)
    c, eq = uicker.coefficients(S.tree, S.q), equations(system)
    assert c.A.shape == (3, 3) and c.B.shape == (3, 3) and c.pairs == ((0, 1), (0, 2), (1, 2))
    for i in range(3):
        for j in range(3):
            assert eq.mass_matrix[i, j] == eq._express(c.A[i, j])
            assert eq.centrifugal[i, j] == eq._express(c.C[i, j])
        for n, (j, k) in enumerate(c.pairs):
            assert eq.coriolis[i, j, k] == eq._express(c.B[i, n])
        assert eq.gravity[i] == eq._express(-c.G[i])


def test_properties_of_the_coefficients_as_corrected():
    eq = equations(ROBOTS.puma560())
    for i, j, k in product(range(6), repeat=3):
        if j < i and j < k and i != k:
            assert eq.coriolis[i, j, k] == -eq.coriolis[k, i, j]
    for i in range(6):
        assert eq.centrifugal[i, i] == 0
        for j in range(i):
            assert eq.coriolis[i, i, j] == 0
            assert 2 * eq.centrifugal[i, j] == -eq.coriolis[j, j, i]


def test_tensors_are_integrals_over_point_masses():
    """G_ij and K_ij against their definitions, summed over the points of every body."""
    rng = np.random.default_rng(2)
    points = {n: (rng.uniform(-0.5, 0.5, (6, 3)), rng.uniform(0.2, 1, 6)) for n in "abc"}

    def body(n):
        r, m = points[n]
        com = m @ r / m.sum()
        J = sum(mk * (x @ x * np.eye(3) - np.outer(x, x)) for mk, x in zip(m, r - com, strict=True))
        return Body(n, mass=m.sum(), com=tuple(com), inertia=J)

    model = Model(
        "points",
        bodies=[body(n) for n in "abc"],
        joints=[
            Joint("first", "world", "a", Revolute("y"), at=(0.1, 0, 0)),
            Joint(
                "guide",
                "a",
                "b",
                Guided(("0.2*z**2", "z", "0.3*z"), ("z", "z**2", 0), coordinate="z"),
                at=(0, 0.2, 0),
            ),
            Joint("last", "b", "c", Revolute("x"), at=(0.3, 0, 0.1)),
        ],
    )
    system = model.check()
    q = np.array([0.4, 0.3, -0.7])
    I = global_inertia.GlobalInertia(system.floats(), q)

    def position(q, body):  # world positions of a body's points
        X = global_inertia.GlobalInertia(system.floats(), np.array(q)).poses[
            0, system.places[body].link
        ]
        r = points[body][0]
        return np.array(X.p, dtype=float) + r @ np.array(X.R, dtype=float).T

    names = "abc"
    h = 1e-5

    def partial(body, i):
        e = np.eye(3)[i] * h
        return (position(q + e, body) - position(q - e, body)) / (2 * h)

    for i in range(3):
        for j in range(i, 3):
            R = np.array(I.poses[0, j + 1].R, dtype=float)
            K = sum(
                m * np.outer(R.T @ x, R.T @ y)
                for n in names[j:]
                for m, x, y in zip(points[n][1], partial(n, i), partial(n, j), strict=True)
            )
            np.testing.assert_allclose(np.array(I.K[i, j], dtype=float), K, atol=1e-8)
            O = [np.array(I.poses[0, k + 1].p, dtype=float) for k in (i, j)]
            Ri = np.array(I.poses[0, i + 1].R, dtype=float)
            G = sum(
                m * np.outer([*(Ri.T @ (x - O[0])), 1], [*(R.T @ (x - O[1])), 1])
                for n in names[j:]
                for m, x in zip(points[n][1], position(q, n), strict=True)
            )
            np.testing.assert_allclose(np.array(I.G[i + 1, j + 1], dtype=float), G, atol=1e-12)

    # Christoffel symbols from their definition (7), second derivatives by differences
    def second(body, j, k):
        a, b = np.eye(3)[j] * 1e-4, np.eye(3)[k] * 1e-4
        return (
            position(q + a + b, body)
            - position(q + a - b, body)
            - position(q - a + b, body)
            + position(q - a - b, body)
        ) / 4e-8

    for i, j, k in product(range(3), repeat=3):
        want = sum(
            m * (x @ y)
            for n in names
            for m, x, y in zip(points[n][1], partial(n, i), second(n, j, k), strict=True)
        )
        assert abs(float(I.christoffel.get((i, j, k), 0)) - want) < 1e-5, (i, j, k)
    assert abs(float(I.christoffel[1, 1, 1])) > 1e-3  # a complex joint: not zero


def test_the_printed_recursion_with_the_augmented_body():
    """(23) as printed holds with the augmented body, its own mass alone in the corner (E-000-6)."""
    system = zoo.tree((Revolute("x"), Revolute("y"), Revolute("z")), 3, parents=(-1, 0, 1)).check()
    tree = system.floats()
    q = np.array([0.3, -0.5, 0.9])
    I = global_inertia.GlobalInertia(tree, q)
    for i in (2, 3):
        X = I.poses[i - 1, i]
        R, d = np.array(X.R, dtype=float), np.array(X.p, dtype=float)
        turn = np.eye(4)
        turn[:3, :3] = R
        outer = turn @ np.array(I.composite[i], dtype=float) @ turn.T  # in the axes of i - 1
        M, U = outer[3, 3], outer[:3, 3]
        own = np.array(tree.links[i - 2].inertia.pseudo(), dtype=float)
        augmented = own.copy()
        augmented[:3, :3] += M * np.outer(d, d)
        augmented[:3, 3] += M * d
        augmented[3, :3] += M * d
        cross = np.zeros((4, 4))
        cross[:3, :3] = np.outer(d, U) + np.outer(U, d)
        zoo.close(outer + augmented + cross, np.array(I.composite[i - 1], dtype=float), 50)


def test_mass_matrix_and_christoffel_tables():
    system = ROBOTS.stanford().check()
    S = open_ring(system)
    M = composite_body.mass_matrix(S.tree, S.q)
    I = global_inertia.GlobalInertia(S.tree, S.q)
    assert all(x == y for x, y in zip(M.ravel(), I.a.ravel(), strict=True))
    eq = equations(system)
    for i, j, k in product(range(6), repeat=3):
        assert eq.christoffel[i, j, k] == eq._express(I.christoffel.get((i, j, k), 0))
        definition = (
            S.K.derive(M[i, j], S.q[k]) + S.K.derive(M[i, k], S.q[j]) - S.K.derive(M[j, k], S.q[i])
        )
        assert 2 * eq.christoffel[i, j, k] == eq._express(definition)


def test_pairs_of_pseudo_parameters_are_reported_and_never_symmetrized():
    def tensors(joint):
        model = zoo.free_body(joint)
        S = open_ring(model.check())
        return global_inertia.GlobalInertia(S.tree, S.q)

    assert tensors(Free("zyx")).non_holonomic == ()
    across = set(product(range(3), range(3, 6))) - {(2, 3)}  # roll leaves its own axis alone
    assert set(tensors(Free("zyx", speeds="vehicle")).non_holonomic) == across
    turns = {(0, 1), (0, 2), (1, 2)}
    carried = {(i, 3 + j) for i in range(3) for j in range(3) if i != j}
    assert set(tensors(Free()).non_holonomic) == turns | carried
    assert set(tensors(Free(speeds="mixed")).non_holonomic) == turns
    assert set(tensors(Free(speeds="world")).non_holonomic) == turns
    eq = equations(zoo.free_body(Free("zyx", speeds="vehicle")))
    assert eq.christoffel[4, 0, 3] != eq.christoffel[4, 3, 0] == 0
    both = eq.christoffel[4, 0, 3] + eq.christoffel[4, 3, 0]
    assert both == eq.coriolis[4, 0, 3]
    assert "not holonomic" in global_inertia.GlobalInertia(
        VEHICLE.vehicle().check().floats(), np.array(VEHICLE.STATE[0])
    ).report(VEHICLE.vehicle().check().speeds)


def test_screw_of_a_pose_alone():
    knuckle = VEHICLE.knuckle("fl")
    K = Graph()
    z = K.symbol("z")
    screw, slope = global_inertia.screw_of(K, lambda K, z: knuckle.pose(K, [z]), z)
    import casadi as ca

    f = ca.Function("f", [z.x], [K.sx(np.concatenate([screw.array, slope.array]))])
    got = np.array(f(0.07)).ravel()
    F = Floats()
    zoo.close(got[:6], knuckle.subspace(F, [0.07]).ravel().astype(float), 20)
    zoo.close(got[6:], knuckle.subspace_rate(F, [0.07], [1.0]).ravel().astype(float), 200)

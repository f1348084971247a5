"""A quick look at the whole of the mechanics, for planted mutants: raises when something is wrong.

Each comparison has one side that the mutant cannot reach: the derivative of a pose, a sum over
point masses, a power series, or another formalism.
"""

from functools import partial

import casadi as ca
import numpy as np
import zoo
from zoo import close, floats

from torseur import kinematics
from torseur.dynamics import center_of_mass, coriolis_matrix, momentum
from torseur.formalisms import articulated_body, composite_body, lagrange, newton_euler
from torseur.joints import (
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
from torseur.model import Body, Joint, Model
from torseur.scalars import Floats, Graph, vector
from torseur.spatial import (
    Inertia,
    PlanarRotation,
    Pose,
    Twist,
    Wrench,
    exp,
    log,
    skew,
    symmetric,
)

KF = Floats()
JOINTS = (
    Helical("z", 0.3),
    Universal("x", "y"),
    Planar("z"),
    Planar("y", "translation_first"),
    Cylindrical((1, 2, 2)),
    Spherical(),
    Free(),
    Free(speeds="world"),
    Free("zyx"),
    Free("zyx", "body"),
)
TREE = (Spherical(), Prismatic((0, 3, 4)), Universal("x", "y"), Weld(), Helical("z", 0.3))
PARENTS = (-1, 0, 1, 1, 3)


def joints():
    rng = np.random.default_rng(0)
    for joint in JOINTS:
        K = Graph()
        q, v, x = (
            K.symbols(f"{s}{i}" for i in range(n))
            for s, n in (("q", joint.nq), ("v", joint.nv), ("x", 6))
        )
        X = joint.pose(K, q)
        R, p, rates = K.sx(X.R), K.sx(X.p), K.sx(joint.rates(K, q, v))
        along = partial(lambda q, rates, e: ca.jtimes(e, q, rates), K.sx(q), rates)
        twist = ca.vertcat(ca.inv_skew(R.T @ along(R)), R.T @ along(p))
        moved = Pose(X.R + X.R @ skew(x[:3]), X.p + X.R @ x[3:])
        gap = K.sx(joint.closure(K, moved))
        truth = ca.Function(
            "truth",
            [K.sx(q), K.sx(v), K.sx(x)],
            [twist, along(twist), gap, ca.jacobian(gap, K.sx(x))],
        )
        q0, v0 = zoo.coordinates(joint, rng), rng.uniform(-1, 1, joint.nv)
        V, dV, gap, slope = (np.array(e) for e in truth(q0, v0, np.zeros(6)))
        S = floats(joint.subspace(KF, q0))
        close(S @ v0, V.ravel(), 1e3)
        close(joint.bias(KF, q0, v0), dV.ravel(), 1e4)
        close(gap.ravel(), 0 * gap.ravel(), 100)
        close(slope @ S, 0 * (slope @ S), 1e3)
        close(joint.speeds_from(KF, q0, joint.rates(KF, q0, v0)), v0, 1e3)
        close(joint.difference(KF, q0, joint.integrate(KF, q0, v0)), v0, 1e4)
        if joint.quaternion is None:
            assert joint.nv == 6 or np.linalg.matrix_rank(slope) == 6 - joint.nv
        small = floats(joint.integrate(KF, q0, 1e-6 * v0))
        close(small, q0 + 1e-6 * floats(joint.rates(KF, q0, v0)), 1e5)
    # body speeds: X exp(dv), from the series
    q1 = floats(Free().integrate(KF, np.r_[0, 0, 0, 1, 0, 0, 0], np.arange(6) / 5.0))
    close(Free().pose(KF, q1).matrix(), series(Twist.of(np.arange(6) / 5.0)), 100)


def series(V):
    T = np.zeros((4, 4))
    T[:3, :3], T[:3, 3] = skew(V.angular).astype(float), V.linear
    total = term = np.eye(4)
    for n in range(1, 40):
        term = term @ T / n
        total = total + term
    return total


def spatial():
    rng = np.random.default_rng(1)
    for size in (1.0, 1e-3):
        V = Twist.of(np.r_[size * rng.normal(size=3), rng.normal(size=3)])
        close(exp(V).matrix(), series(V), 100)
        close(log(exp(V)).array, V.array, 1e3)
    points = [(m, r) for m, r in zip(rng.uniform(1, 2, 5), rng.normal(size=(5, 3)), strict=True)]

    def ten(points):
        return sum(
            m
            * np.array(
                [1, x, y, z, y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
            )
            for m, (x, y, z) in points
        )

    I, X = Inertia.of_parameters(ten(points)), exp(V)
    close(
        I.moved(X).parameters(), ten([(m, floats(X.point(r))) for m, r in points]), 1e3, scale=100
    )
    w, v = floats(V.angular), floats(V.linear)
    close(
        (I @ V).array,
        np.r_[
            sum(m * np.cross(r, v + np.cross(w, r)) for m, r in points),
            sum(m * (v + np.cross(w, r)) for m, r in points),
        ],
        1e3,
        scale=100,
    )
    close(Inertia.of_pseudo(I.pseudo()).parameters(), I.parameters(), 100, scale=100)
    for axis in range(3):
        turn = PlanarRotation(axis, 0.6, 0.8)
        R = floats(turn.matrix)
        J = floats(symmetric(I.J))
        close(symmetric(turn.tensor(I.J)), R @ J @ R.T, 100, scale=100)
        close(turn.unrotate(turn.rotate(vector(v))), v, 10)


def dynamics():
    model = zoo.tree(TREE, 2, parents=PARENTS, armature=True)
    system = model.check()
    tree = system.floats()
    q, v, a = zoo.state(system, np.random.default_rng(3))
    K = Graph()
    qs, vs, as_ = (
        K.symbols(f"{s}{i}" for i in range(n))
        for s, n in (("q", system.nq), ("v", system.nv), ("a", system.nv))
    )
    graph = system.over(K)
    along = lambda e: ca.jtimes(e, K.sx(qs), K.sx(kinematics.rates(graph, qs, vs)))  # noqa: E731
    T = K.sx(kinematics.pose(graph, "tool", qs).matrix())
    J = K.sx(kinematics.jacobian(graph, "tool", qs))
    M = K.sx(composite_body.mass_matrix(graph, qs))
    f = ca.Function(
        "f",
        [K.sx(x) for x in (qs, vs, as_)],
        [K.sx(lagrange.inverse_dynamics(graph, qs, vs, as_)), T, along(T), along(J), M, along(M)],
    )
    tau, T, dT, dJ, M, dM = (np.array(x) for x in f(q, v, a))
    tau = tau.ravel()
    close(newton_euler.inverse_dynamics(tree, q, v, a), tau, 1e5)
    close(articulated_body.forward_dynamics(tree, q, v, tau), a, 1e7)
    bias = floats(newton_euler.inverse_dynamics(tree, q, v, 0 * a))
    rest = floats(newton_euler.inverse_dynamics(tree, q, 0 * v, 0 * a))
    close(M @ a + bias, tau, 1e5)
    C = floats(coriolis_matrix(tree, q, v))
    close(C @ v + rest, bias, 1e5)
    close(dM - 2 * C + (dM - 2 * C).T, 0 * M, 1e6)
    W = dT[:3, :3] @ T[:3, :3].T
    twist = np.r_[W[2, 1], W[0, 2], W[1, 0], dT[:3, 3]]
    J = floats(kinematics.jacobian(tree, "tool", q))
    close(J @ v, twist, 1e4)
    close(kinematics.jacobian_rate(tree, "tool", q, v), dJ, 1e4)
    close(kinematics.acceleration(tree, "tool", q, v, a), J @ a + dJ @ v, 1e5)
    close(kinematics.lagrange_screws(tree, "tool", q, "tool") @ v, np.zeros(6), 1e4)
    F = np.arange(6.0)
    place, X = tree.place("tool"), kinematics.pose(tree, "tool", q)
    here = place.X_LB.push_wrench(Wrench(X.unrotate(F[:3]), X.unrotate(F[3:])))
    close(
        tau - floats(newton_euler.inverse_dynamics(tree, q, v, a, {place.link: here})), J.T @ F, 1e5
    )
    close(articulated_body.forward_dynamics(tree, q, v, tau - J.T @ F, {place.link: here}), a, 1e7)
    whole_energies(model, tree, q, v, rest)


def whole_energies(model, tree, q, v, rest):
    """Energy, momentum and center of mass from bodies as the user gave them, welds and all."""
    T = h = m = c = 0
    power = 0
    for b in model.bodies:
        X = kinematics.pose(tree, b.name, q)
        w, u = np.split(floats(kinematics.velocity(tree, b.name, q, v)), 2)
        R, r = floats(X.R), floats(X.R) @ np.array(b.com)
        x, s = floats(X.p) + r, u + np.cross(w, r)
        L = R @ np.array(b.inertia) @ R.T @ w
        T += b.mass * s @ s / 2 + w @ L / 2
        h = h + np.r_[L + b.mass * np.cross(x, s), b.mass * s]
        m, c = m + b.mass, c + b.mass * x
        power += -b.mass * np.array(model.gravity) @ s
    rotors = sum(floats(k.armature) @ v[k.v] ** 2 for k in tree.links) / 2
    close(lagrange.energies(tree, q, v)[0], T + rotors, 1e5)
    close(momentum(tree, q, v), h, 1e5)
    close(center_of_mass(tree, q), c / m, 1e4)
    close(rest @ v, power, 1e5)  # weight works as it should


def places():
    """Where a child sits: parent to F, F to M by the angle, M back to the child."""
    at, rpy, child_at, child_rpy = (
        (0.1, 0.2, 0.3),
        (0.3, -0.4, 0.5),
        (0.4, 0.1, -0.2),
        (0.2, 0.6, -0.1),
    )
    system = Model(
        "m",
        bodies=(Body("b", 1.0, inertia=np.eye(3)),),
        joints=(
            Joint(
                "j",
                "world",
                "b",
                Revolute("z"),
                at=at,
                rpy=rpy,
                child_at=child_at,
                child_rpy=child_rpy,
            ),
        ),
    ).check()

    def frame(p, roll, pitch, yaw):
        (a, b, c), (d, e, f) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
        T = np.eye(4)
        T[:3, :3] = (
            np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])
            @ np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
            @ np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
        )
        T[:3, 3] = p
        return T

    want = (
        frame(at, *rpy) @ frame((0, 0, 0), 0, 0, 0.7) @ np.linalg.inv(frame(child_at, *child_rpy))
    )
    close(kinematics.pose(system.floats(), "b", np.array([0.7])).matrix(), want, 100)


def run():
    places()
    spatial()
    joints()
    dynamics()


if __name__ == "__main__":
    run()

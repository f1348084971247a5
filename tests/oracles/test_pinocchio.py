"""Every joint that Pinocchio has, in random trees, against Pinocchio; 1e-10 relative.

Conventions differ: their twists are linear first, their quaternions scalar last, their free joint
puts the velocity first, their planar joint keeps (x, y, cos, sin) and a velocity in the body.
"""

import numpy as np
import pytest
from zoo import floats, label, random_kinds, state, tree

from torseur import kinematics
from torseur.dynamics import center_of_mass, elementary_joints, momentum
from torseur.formalisms import (
    articulated_body,
    composite_body,
    composite_derivatives,
    lagrange,
    newton_euler,
)
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
from torseur.spatial import Wrench

pin = pytest.importorskip("pinocchio")
TOL = 1e-10
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
SWAP = np.r_[3:6, 0:3]


def unit(axis):
    a = np.array(AXES.get(axis, axis) if isinstance(axis, str) else axis, float)
    return a / np.linalg.norm(a)


def composite(*parts):
    joint = pin.JointModelComposite()
    for part in parts:
        joint.addJoint(part)
    return joint


def slider(axis):
    return pin.JointModelPrismaticUnaligned(unit(axis))


def hinge(axis):
    return pin.JointModelRevoluteUnaligned(unit(axis))


class Same:
    """How our coordinates and speeds become theirs: identity for most joints."""

    def q(self, q):
        return q

    def map(self, q, v):
        """T and Tdot with `v_theirs = T v_ours`."""
        return np.eye(len(v)), np.zeros((len(v), len(v)))


class Quaternion(Same):
    def q(self, q):
        return q[[1, 2, 3, 0]]


class FreeQuaternion(Same):
    def q(self, q):
        return q[[0, 1, 2, 4, 5, 6, 3]]

    def map(self, q, v):
        return np.eye(6)[SWAP], np.zeros((6, 6))


class InPlane(Same):
    def q(self, q):
        return np.array([q[1], q[2], np.cos(q[0]), np.sin(q[0])])

    def map(self, q, v):
        c, s, w = np.cos(q[0]), np.sin(q[0]), v[0]
        T, dT = np.zeros((2, 3, 3))
        T[:2, 1:], dT[:2, 1:], T[2, 0] = [[c, s], [-s, c]], [[-s * w, c * w], [-c * w, -s * w]], 1
        return T, dT


THEIRS = [
    (Revolute("x"), lambda: pin.JointModelRX(), Same()),
    (Revolute("y"), lambda: pin.JointModelRY(), Same()),
    (Revolute("z"), lambda: pin.JointModelRZ(), Same()),
    (Revolute((1, 2, 2)), lambda: hinge((1, 2, 2)), Same()),
    (Prismatic("x"), lambda: pin.JointModelPX(), Same()),
    (Prismatic("y"), lambda: pin.JointModelPY(), Same()),
    (Prismatic("z"), lambda: pin.JointModelPZ(), Same()),
    (Prismatic((0, 3, 4)), lambda: slider((0, 3, 4)), Same()),
    (Helical("x", 0.2), lambda: pin.JointModelHX(0.2), Same()),
    (Helical("y", -0.1), lambda: pin.JointModelHY(-0.1), Same()),
    (Helical("z", 0.1), lambda: pin.JointModelHZ(0.1), Same()),
    (
        Helical((2, -1, 2), -0.3),
        lambda: pin.JointModelHelicalUnaligned(*unit((2, -1, 2)), -0.3),
        Same(),
    ),
    (Cylindrical((1, 2, 2)), lambda: composite(hinge((1, 2, 2)), slider((1, 2, 2))), Same()),
    (Universal("x", "y"), lambda: pin.JointModelUniversal(*map(unit, "xy")), Same()),
    (Universal("z", (1, 0, 1)), lambda: composite(hinge("z"), hinge((1, 0, 1))), Same()),
    (Spherical(), lambda: pin.JointModelSpherical(), Quaternion()),
    (Spherical("zyx"), lambda: pin.JointModelSphericalZYX(), Same()),
    (Spherical("zxz"), lambda: composite(hinge("z"), hinge("x"), hinge("z")), Same()),
    (Spherical("xyz"), lambda: composite(hinge("x"), hinge("y"), hinge("z")), Same()),
    (Planar("z", "translation_first"), lambda: pin.JointModelPlanar(), InPlane()),
    (
        Planar("y", "rotation_first"),
        lambda: composite(hinge("y"), slider("z"), slider("x")),
        Same(),
    ),
    (Free(), lambda: pin.JointModelFreeFlyer(), FreeQuaternion()),
    (
        Free("zyx"),
        lambda: composite(pin.JointModelTranslation(), pin.JointModelSphericalZYX()),
        Same(),
    ),
    (Weld(), None, Same()),
]
OURS = tuple(row[0] for row in THEIRS)


def depth_first(model, parent="world"):
    """Their mass matrix wants every subtree in one block."""
    for body, joint in zip(model.bodies, model.joints, strict=True):
        if joint.parent == parent:
            yield body, joint
            yield from depth_first(model, body.name)


class Twin:
    """Our system and the same mechanism in Pinocchio, with the maps between their states."""

    def __init__(self, model):
        self.system = model.check()
        self.tree = self.system.floats()
        self.model = pin.Model()
        self.model.gravity.linear = np.array(model.gravity, float)
        places, rows, self.kinds = {"world": (0, pin.SE3.Identity())}, [], []
        maker = {label(ours): (make, kind) for ours, make, kind in THEIRS}
        armature = {}
        for body, joint in depth_first(model):
            up, X_UP = places[joint.parent]
            X_PF, X_CM = self.pose(joint.at, joint.rpy), self.pose(joint.child_at, joint.child_rpy)
            inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
            make, kind = maker[label(joint.kind)]
            if make is None:
                places[body.name] = (up, X_UP * X_PF * X_CM.inverse())
            else:
                rows.append((joint.name, kind))
                i = self.model.addJoint(up, make(), X_UP * X_PF, joint.name)
                places[body.name] = (i, X_CM.inverse())
                if np.ndim(joint.armature):
                    armature[i] = joint.armature
            i, X = places[body.name]
            self.model.appendBodyToJoint(i, inertia, X)
        for frame in model.frames:
            i, X = places[frame.body]
            places[frame.name] = (i, X * self.pose(frame.at, frame.rpy))
        for i, rotor in armature.items():
            j = self.model.joints[i]
            a = np.array(self.model.armature)
            a[j.idx_v : j.idx_v + j.nv] = rotor
            self.model.armature = a
        self.frames = {
            name: self.model.addFrame(pin.Frame(name, i, 0, X, pin.FrameType.OP_FRAME))
            for name, (i, X) in places.items()
            if name != "world"
        }
        self.links = [
            (self.system.link(name), self.model.joints[self.model.getJointId(name)], kind)
            for name, kind in rows
        ]
        self.data = self.model.createData()

    @staticmethod
    def pose(at, rpy):
        return pin.SE3(pin.rpy.rpyToMatrix(*map(float, rpy)), np.array(at, float))

    def q(self, q):
        out = np.zeros(self.model.nq)
        for ours, theirs, kind in self.links:
            out[theirs.idx_q : theirs.idx_q + theirs.nq] = kind.q(q[ours.q])
        return out

    def maps(self, q, v):
        T, dT = np.zeros((2, self.model.nv, self.system.nv))
        for ours, theirs, kind in self.links:
            rows = slice(theirs.idx_v, theirs.idx_v + theirs.nv)
            T[rows, ours.v], dT[rows, ours.v] = kind.map(q[ours.q], v[ours.v])
        return T, dT


def same(got, want, scale=1.0):
    want = np.asarray(want)
    np.testing.assert_allclose(
        floats(got), want, rtol=0, atol=TOL * max(scale, abs(want).max(initial=0))
    )


def models():
    for i, kind in enumerate(OURS):  # every joint, under a moving base
        yield tree(
            (Revolute("z"), kind, Universal("x", "y")),
            i,
            parents=(-1, 0, 1),
            armature=not isinstance(kind, Planar),
        )  # their speeds are not ours there
    rng = np.random.default_rng(9)
    for seed in range(6):  # random trees of all of them
        yield tree(random_kinds(rng, 9, OURS), seed)


@pytest.fixture(
    scope="module",
    params=list(models()),
    ids=lambda m: "-".join(type(j.kind).__name__ for j in m.joints),
)
def twin(request):
    return Twin(request.param)


@pytest.fixture
def at(twin):
    q, v, a = state(twin.system, np.random.default_rng(3))
    T, dT = twin.maps(q, v)
    return q, v, a, twin.q(q), T @ v, T @ a + dT @ v, T


def test_inverse_and_forward_dynamics(twin, at):
    q, v, a, q_, v_, a_, T = at
    tau = newton_euler.inverse_dynamics(twin.tree, q, v, a)
    same(tau, T.T @ pin.rnea(twin.model, twin.data, q_, v_, a_))
    effort = np.random.default_rng(4).normal(size=twin.system.nv) * 10
    got = articulated_body.forward_dynamics(twin.tree, q, v, effort)
    ddq = pin.aba(twin.model, twin.data, q_, v_, np.linalg.solve(T.T, effort))
    same(got, np.linalg.solve(T, ddq - twin.maps(q, v)[1] @ v))


def test_external_wrenches(twin, at):
    q, v, a, q_, v_, a_, T = at
    rng = np.random.default_rng(5)
    ours, theirs = {}, pin.StdVec_Force([pin.Force.Zero() for _ in range(twin.model.njoints)])
    for link, joint, _ in twin.links:
        F = rng.normal(size=6)
        ours[link.index], theirs[joint.id] = Wrench.of(F), pin.Force(F[3:], F[:3])
    tau = newton_euler.inverse_dynamics(twin.tree, q, v, a, ours)
    same(tau, T.T @ pin.rnea(twin.model, twin.data, q_, v_, a_, theirs))
    same(articulated_body.forward_dynamics(twin.tree, q, v, tau, ours), a)


def test_mass_matrix(twin, at):
    q, q_, T = at[0], at[3], at[6]
    M = pin.crba(twin.model, twin.data, q_)
    M = np.triu(M) + np.triu(M, 1).T
    same(composite_body.mass_matrix(twin.tree, q), T.T @ M @ T)


def test_poses_jacobians_and_accelerations(twin, at):
    q, v, a, q_, v_, a_, T = at
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    pin.forwardKinematics(twin.model, twin.data, q_, v_, a_)
    pin.computeJointJacobiansTimeVariation(twin.model, twin.data, q_, v_)
    pin.updateFramePlacements(twin.model, twin.data)
    dT = twin.maps(q, v)[1]
    steady = np.zeros(twin.system.nv, bool)  # they leave out the rate of a varying subspace
    for link, _, _kind in twin.links:
        steady[link.v] = not link.joint.subspace_rate(twin.tree.K, q[link.q], v[link.v]).any()
    for name, i in twin.frames.items():
        same(kinematics.pose(twin.tree, name, q).matrix(), twin.data.oMf[i].homogeneous)
        J_ = pin.getFrameJacobian(twin.model, twin.data, i, axes)
        dJ_ = pin.getFrameJacobianTimeVariation(twin.model, twin.data, i, axes)
        same(kinematics.jacobian(twin.tree, name, q), (J_ @ T)[SWAP])
        dJ = kinematics.jacobian_rate(twin.tree, name, q, v)
        same(dJ[:, steady], (dJ_ @ T + J_ @ dT)[SWAP][:, steady])
        V = pin.getFrameVelocity(twin.model, twin.data, i, axes)
        same(kinematics.velocity(twin.tree, name, q, v), V.vector[SWAP])
        A = pin.getFrameClassicalAcceleration(twin.model, twin.data, i, axes)
        same(kinematics.acceleration(twin.tree, name, q, v, a), A.vector[SWAP])
        same((J_ @ T)[SWAP] @ a + dJ @ v, A.vector[SWAP])


def test_center_of_mass_momentum_and_energies(twin, at):
    q, v, _, q_, v_, *_ = at
    com = pin.centerOfMass(twin.model, twin.data, q_)
    same(center_of_mass(twin.tree, q), com)
    h = pin.computeCentroidalMomentum(twin.model, twin.data, q_, v_)
    same(momentum(twin.tree, q, v), np.r_[h.angular + np.cross(com, h.linear), h.linear])
    kinetic, potential = lagrange.energies(twin.tree, q, v)
    M = np.triu(pin.crba(twin.model, twin.data, q_))  # with every rotor, which their
    same(kinetic, v_ @ (M + np.triu(M, 1).T) @ v_ / 2)  # energy leaves out of some joints
    same(potential, pin.computePotentialEnergy(twin.model, twin.data, q_))


def test_integrate_and_difference(twin, at):
    """Composites add in their coordinates as ours do; quaternions and displacements by SE(3)."""
    q, v, _, q_, v_, _, T = at
    if any(isinstance(kind, InPlane) for *_, kind in twin.links):
        pytest.skip("their planar joint integrates on SE(2), ours in its coordinates")
    for size in (1, 1e-2, 1e-5):
        there = floats(kinematics.integrate(twin.tree, q, size * v))
        want = pin.integrate(twin.model, q_, size * v_)
        same(twin.q(there), want)
        same(
            kinematics.difference(twin.tree, q, there),
            np.linalg.solve(T, pin.difference(twin.model, q_, want)),
        )


def test_derivatives(twin, at):
    """Theirs leave out how a varying subspace changes (universal joints, angles, some composites):
    there against differences of their efforts."""
    q, v, a, q_, v_, a_, T = at
    tree = elementary_joints.split(twin.tree).tree
    if not composite_derivatives.has_constant_subspaces(tree, q):
        pytest.skip("these derivatives are left to the graph")
    found = [floats(x) for x in composite_derivatives.derivatives(tree, q, v, a)[:2]]
    model, data = twin.model, twin.data
    if all(k.joint.nv == 1 or k.joint.quaternion is not None for k in twin.system.links):
        pin.computeRNEADerivatives(model, data, q_, v_, a_)
        for got, want in zip(found, (data.dtau_dq, data.dtau_dv), strict=True):
            same(got, T.T @ want @ T)
        return
    step = 1e-5
    for i, e in enumerate(np.eye(twin.system.nv) * step):
        ends = (
            pin.rnea(model, data, pin.integrate(model, q_, sign * (T @ e)), v_, a_)
            for sign in (1, -1)
        )
        slope = T.T @ np.subtract(*ends) / (2 * step)
        np.testing.assert_allclose(found[0][:, i], slope, atol=1e-6 * abs(found[0]).max())
        ends = (pin.rnea(model, data, q_, v_ + sign * (T @ e), a_) for sign in (1, -1))
        slope = T.T @ np.subtract(*ends) / (2 * step)
        np.testing.assert_allclose(found[1][:, i], slope, atol=1e-6 * abs(found[1]).max())

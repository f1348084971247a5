"""Christoffel symbols and Coriolis matrices as results: kernels, tensors, code, user joints."""

import ctypes
import importlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.dynamics import coriolis_matrix
from torseur.formalisms import GlobalInertia, newton_euler
from torseur.joints import AbstractJoint, joint
from torseur.scalars import matrix, symbols, vector
from torseur.spatial import Pose, axis_rotation

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
VEHICLE = importlib.import_module("equations_vehicle")


@dataclass(frozen=True)
class Polar(AbstractJoint):
    """A user's joint: r and angle, with the radial and the transverse speed, N(q) its own."""

    coordinates: ClassVar = (("r", "m"), ("angle", "rad"))
    speeds: ClassVar = (("radial", "m/s"), ("transverse", "m/s"))

    def pose(self, K, q):
        c, s = K.cos(q[1]), K.sin(q[1])
        return Pose(axis_rotation(K, (0, 0, 1), q[1]), vector((q[0] * c, q[0] * s, 0)))

    def subspace(self, K, q):
        w = K.divide(1, q[0])
        return matrix(((0, 0), (0, 0), (0, w), (1, 0), (0, 1), (0, 0)))

    def subspace_rate(self, K, q, v):
        w = K.divide(-v[0], q[0] * q[0])
        return matrix(((0, 0), (0, 0), (0, w), (0, 0), (0, 0), (0, 0)))

    def rates(self, K, q, v):
        return vector((v[0], K.divide(v[1], q[0])))

    def speeds_from(self, K, q, qdot):
        return vector((qdot[0], q[0] * qdot[1]))

    def closure(self, K, X_FM):
        return vector(())


def mechanism(kind) -> ts.Model:
    """The joint between two hinges."""
    rng = np.random.default_rng(4)
    return ts.Model(
        "gamma",
        gravity=(1, -2, -9),
        bodies=[zoo.body(n, rng) for n in "abc"],
        joints=[
            ts.Joint("first", "world", "a", ts.Revolute("y"), armature=0.3),
            ts.Joint("middle", "a", "b", kind, at=(0.1, 0.2, 0.3)),
            ts.Joint("last", "b", "c", ts.Revolute((1, 2, 2)), at=(0.3, 0, 0.1)),
        ],
    )


KINDS = [*(j for j in joint.examples() if j.nv and not symbols(vector(j.constants())))]


@pytest.mark.parametrize("kind", [*KINDS, Polar()], ids=lambda k: type(k).__name__)
def test_the_products_of_speeds_and_the_antisymmetry(kind):
    """`sum Gamma v v` is the bias less gravity, `M' - 2 C` skew, with pseudo-velocities too."""
    system = mechanism(kind).check()
    q, v, _ = zoo.state(system, np.random.default_rng(5))
    if kind.nq == 1 or isinstance(kind, Polar):
        q[1] = 0.05 if kind.nq == 1 else 0.7
    tree, rest = system.floats(), np.zeros(system.nv)
    tensors = GlobalInertia(tree, q)
    needed = newton_euler.inverse_dynamics
    products = needed(tree, q, v, rest) - needed(tree, q, rest, rest)
    C = tensors.coriolis(v).astype(float)
    zoo.close(C @ v, products.astype(float), 3000)
    zoo.close(coriolis_matrix(tree, q, v).astype(float), C, 3000)

    def moved(h):
        parts = [k.joint.integrate(tree.K, q[k.q], h * v[k.v]) for k in tree.links]
        return GlobalInertia(tree, np.concatenate(parts).astype(float)).a.astype(float)

    h = 1e-5
    rate = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
    np.testing.assert_allclose(rate, C + C.T, atol=1e-8 * max(1, abs(rate).max()))


def test_a_user_joint_with_its_own_rates_in_every_formalism_that_takes_it():
    system = mechanism(Polar()).check()
    q, v, a = zoo.state(system, np.random.default_rng(6))
    q[1] = 0.8
    want = zoo.evaluate(system, newton_euler.inverse_dynamics, q, v, a)
    for name in ("lagrange", "lie_group", "global_inertia"):
        method = importlib.import_module(f"torseur.formalisms.{name}").inverse_dynamics
        zoo.close(zoo.evaluate(system, method, q, v, a), want, 1000)


def test_the_vehicle_by_the_kernel_and_by_its_tensors():
    """O-F1: fourteen speeds, eight pairs that are not holonomic."""
    model = VEHICLE.vehicle()
    q, v, a = (np.array(x, dtype=float) for x in VEHICLE.STATE)
    t = ts.global_inertia(model, q)
    np.testing.assert_allclose(t.quantities(v, a), VEHICLE.QUANTITIES, rtol=0, atol=2e-8)
    assert len(t.not_holonomic) == 8  # roll and the way along x commute
    dyn = ts.compile(model)
    zoo.close(dyn.christoffel(q), t.Gamma, 1000, scale=abs(t.Gamma).max())
    zoo.close(dyn.mass_matrix(q), t.a, 1000, scale=abs(t.a).max())
    assert t.incidence.sum() == 6 * 9 + 4 * 2 + 4
    moved = dict(zip(t.speeds, t.incidence, strict=True))
    assert [b for b, x in zip(t.bodies, moved["travel_fl.speed"], strict=True) if x] == [
        "knuckle_fl",
        "wheel_fl",
    ]
    assert "travel_fl.speed  knuckle_fl, wheel_fl" in str(t).replace("   ", "")
    G = t.G["body", "spin_rr"]  # mass of what both move, in the corner
    assert G.shape == (4, 4) and G[3, 3] == 20


def puma(n=3):
    return importlib.import_module("equations_robots").puma3()


def closed(drive="0.2*sin(3*t)") -> ts.Model:
    pin = ts.Revolute("y")
    bar = {"mass": 1.0, "inertia": (0.01, 0.03, 0.03, 0, 0, 0)}
    return ts.Model(
        "closed",
        bodies=[ts.Body(n, com=(0.2, 0, 0), **bar) for n in ("crank", "coupler", "rocker")],
        joints=[
            ts.Joint("A", "world", "crank", pin),
            ts.Joint("B", "crank", "coupler", pin, at=(0.2, 0, 0)),
            ts.Joint("D", "world", "rocker", pin, at=("L", 0, 0)),
        ],
        loops=[ts.Loop("C", "rocker", "coupler", pin, at=(0.5, 0, 0), child_at=(0.6, 0, 0))],
        constraints=[
            ts.Distance("rod", ("crank", (0.1, 0, 0.05)), ("rocker", (0.2, 0, 0)), 0.55),
            ts.Driven("motor", "A.angle", drive),
        ],
        parameters={"L": 0.7},
    )


def python(eq, quantity):
    space: dict = {}
    exec(eq.code("python", quantity, name="f"), space)
    return space["f"]


def test_code_of_gamma_and_of_the_coriolis_matrix():
    eq = ts.equations(puma())
    given = dict.fromkeys(eq.parameters, 0.7)
    dyn = ts.compile(eq.system, parameters=eq.parameters)
    rng, p = np.random.default_rng(3), [given[n] for n in eq.parameters]
    q, v = rng.normal(size=(2, 5, 3))  # leading axes broadcast
    zoo.close(python(eq, "christoffel")(q, v, v, p), dyn.christoffel(q, p=p), 1000)
    zoo.close(python(eq, "coriolis")(q, v, v, p), dyn.coriolis_matrix(q, v, p=p), 1000)
    at = eq.evaluate(q[0], parameters=given, quantity="christoffel")
    zoo.close(at, dyn.christoffel(q[0], p=p), 1000)


def compiled(source, name, arrays, shape, folder):
    """What a C function of a text writes into its last argument, by gcc."""
    text, library = folder / f"{name}.c", folder / f"{name}.so"
    text.write_text(source)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", text, "-o", library, "-lm"], check=True)
    out = np.zeros(shape)
    given = [np.ascontiguousarray(x, dtype=float) for x in arrays] + [out]
    pointer = ctypes.POINTER(ctypes.c_double)
    getattr(ctypes.CDLL(str(library)), name)(*(x.ctypes.data_as(pointer) for x in given))
    return out


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not on this machine")
def test_c_of_constraint_rows(tmp_path):
    """A residual, J and gamma from C; J and gamma are slopes of the residual."""
    eq = ts.equations(closed())
    q, v = np.random.default_rng(9).normal(size=(2, 3))
    n, t, h = len(eq.constraints.names), 0.4, 1e-4

    def C(quantity, shape, q=q, t=t):
        name = f"f{len(list(tmp_path.iterdir()))}"
        return compiled(
            eq.code("c", quantity, name=name), name, (q, v, v, (0.7, t)), shape, tmp_path
        )

    at = [C("constraint_residual", n, q + s * h * v, t + s * h) for s in (-1, 0, 1)]
    J, gamma = C("constraint_jacobian", (n, 3)), C("constraint_gamma", n)
    drift = np.zeros(n)
    drift[list(eq.constraints.names).index("motor.lag")] = -0.6 * np.cos(3 * t)
    np.testing.assert_allclose((at[2] - at[0]) / (2 * h), J @ v + drift, atol=1e-6)
    np.testing.assert_allclose((at[2] - 2 * at[1] + at[0]) / h**2, -gamma, atol=1e-5)


def test_code_of_constraint_rows():
    """Rows with a root (the rod), a loop, and sines of time, against the kernels."""
    model = closed()
    eq, dyn = ts.equations(model), ts.compile(model)
    q, v = np.random.default_rng(8).normal(size=(2, 3))
    t, L = 0.4, 0.7
    for quantity, want in (
        ("constraint_residual", dyn.constraint_residual(q, t)),
        ("constraint_jacobian", dyn.constraint_jacobian(q, t)),
        ("constraint_gamma", dyn.constraint_gamma(q, v, t)),
    ):
        zoo.close(python(eq, quantity)(q, v, v, (L, t)), want, 1000)
    with pytest.raises(ts.TorseurError, match="has no loop or constraint"):
        ts.equations(puma()).code("c", "constraint_jacobian")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not on this machine")
def test_exported_c_of_gamma(tmp_path):
    """Both ways to C: that of the equations and that of the kernels."""
    model = mechanism(ts.Free("zyx", speeds="vehicle"))
    dyn, eq = ts.compile(model), ts.equations(model)
    q, v = np.random.default_rng(2).normal(size=(2, 8))
    want = dyn.christoffel(q)
    (tmp_path / "eq.c").write_text(eq.code("c", "christoffel", name="f"))
    kernel = dyn.export(tmp_path / "k.c", ("christoffel", "coriolis_matrix"))
    text = kernel.read_text() + (
        "void g(const double *q, const double *v, double *out) { christoffel(q, out); }\n"
    )
    kernel.write_text(text.replace("static inline ", ""))
    for file, name, arrays in (("eq.c", "f", (q, v, v, q)), ("k.c", "g", (q, v))):
        text = (tmp_path / file).read_text()
        zoo.close(compiled(text, name, arrays, (8, 8, 8), tmp_path), want, 1000)

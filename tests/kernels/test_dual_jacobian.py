"""Derivatives of a flow by numbers that carry them are those of its graph, whatever is in it."""

import numpy as np
import pytest
from zoo import one_of_each, state

import torseur as ts
from torseur.dynamics import start
from torseur.forces import EVERY_LAW
from torseur.joints import EVERY_JOINT
from torseur.kernels import GraphInterpreter
from torseur.kernels.dual_jacobian import differentiate_flow
from torseur.kernels.strategy import evaluates_flow_by_dual_numbers
from torseur.scalars import Floats

ROD = {"mass": 1.3, "com": (0.1, -0.2, 0.3), "inertia": (0.3, 0.4, 0.5, 0.02, 0.01, -0.03)}


def compare(model: ts.Model) -> None:
    system = model.check()
    if system.held or system.switched:
        pytest.skip("the graph serves it")
    rng, at = np.random.default_rng(5), system.layout
    q, v, _ = state(system, rng)
    u, p = rng.uniform(0.1, 0.4, len(at.u)), [*system.parameters.values()]
    begun = start(system, Floats(), 0.3, q, v, u)
    z, m = (np.array(x, dtype=float) for x in (begun.z, begun.m))
    given, graphs = (0.3, q, v, z, m, u), GraphInterpreter(system)
    wanted = graphs("flow_jacobian", *given, p=p)[0], graphs("flow_gains", *given, p=p)[0]
    for a, b in zip(differentiate_flow(system, *given, p), wanted, strict=True):
        scale = 1 + abs(b).max(initial=0.0)
        np.testing.assert_allclose(a, b.reshape(a.shape), rtol=0, atol=1e-11 * scale)


JOINTS = pytest.mark.parametrize("joint", one_of_each(EVERY_JOINT))


def of_joint(joint) -> ts.Model:
    return ts.Model(
        gravity=(0, 0, "-g"),
        bodies=(ts.Body("a", **ROD), ts.Body("b", **ROD)),
        joints=(
            ts.Joint("a", "world", "a", joint, at=("0.1*sin(3*t)", 0, "L"), rpy=(0.3, 0.1, 0)),
            ts.Joint("b", "a", "b", ts.Universal(), at=(0.1, "L", 0), damping=0.2),
        ),
        forces=(ts.PointForce("s", ("b", (0.2, 0, 0)), "world", ts.Spring("k", 0.3)),),
        parameters={"g": 9.81, "L": 0.4, "k": 30.0},
    )


@JOINTS
def test_every_joint(joint):
    compare(of_joint(joint))


@JOINTS
def test_derivatives_of_efforts_and_accelerations(joint, monkeypatch):
    system = of_joint(joint).check()
    dyn, rng = ts.compile(system, parameters=("L",)), np.random.default_rng(6)
    states = [state(system, rng) for _ in range(2)]
    q, v, a = (np.array([x[i] for x in states]) for i in range(3))
    more = {"p": [[0.5], [0.6]], "t": 0.3}
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        wanted = getattr(dyn, name)(q, v, a[0], **more)
        with monkeypatch.context() as m:
            m.setattr("torseur.kernels.thresholds.TWO_STAGE_SPEEDS", range(1))
            found = getattr(dyn, name)(q, v, a[0], **more)
        for x, y in zip(found, wanted, strict=True):
            assert x.shape == y.shape
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-10 * (1 + abs(y).max(initial=0.0)))


def test_calls_without_parameters_and_what_does_not_fit(monkeypatch):
    monkeypatch.setattr("torseur.kernels.thresholds.TWO_STAGE_SPEEDS", range(1))
    dyn = ts.compile(chain(2))
    dq, _, da = dyn.inverse_dynamics_derivatives(np.zeros((0, 2)), np.zeros(2), np.zeros(2))
    assert dq.shape == (0, 2, 2)
    dq, _, da = dyn.inverse_dynamics_derivatives(np.zeros(2), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(da, dyn.mass_matrix(np.zeros(2)), atol=1e-14)
    with pytest.raises(ts.ArgumentError, match=r"q has the shape \(3,\), expected \(..., 2\)"):
        dyn.inverse_dynamics_derivatives(np.zeros(3), np.zeros(2), np.zeros(2))
    with pytest.raises(ts.ArgumentError, match="different numbers of rows"):
        dyn.forward_dynamics_derivatives(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2))


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
def test_every_law(law):
    inputs = tuple(ts.Input(n) for n in dict.fromkeys((*law.inputs, *law.signals)))
    compare(
        ts.Model(
            bodies=(ts.Body("a", **ROD), ts.Body("b", **ROD)),
            joints=(
                ts.Joint("a", "world", "a", ts.Revolute("y")),
                ts.Joint("b", "a", "b", ts.Prismatic("x"), at=(0.1, 0, 0)),
            ),
            forces=(ts.JointForce("f", "b", law),),
            inputs=inputs,
        )
    )


def chain(n: int) -> ts.Model:
    names = ["world", *(f"b{i}" for i in range(n))]
    hinge, law = ts.Revolute("y"), ts.Parallel(ts.Spring(20.0), ts.Viscous(0.1))
    return ts.Model(
        bodies=[ts.Body(x, **ROD) for x in names[1:]],
        joints=[ts.Joint(f"j{i}", names[i], f"b{i}", hinge, at=(0, 0, -0.1)) for i in range(n)],
        forces=[ts.JointForce(f"f{i}", f"j{i}", law) for i in range(n)],
    )


def test_a_linear_model_is_the_same_either_way(monkeypatch):
    model, at = chain(21), {"j0.angle": 0.3, "j4.rate": -0.5}
    assert evaluates_flow_by_dual_numbers(model.check())
    assert not evaluates_flow_by_dual_numbers(chain(20).check())
    monkeypatch.setattr("torseur.kernels.thresholds.MAX_COMPILED_MASS_MATRIX_SPEEDS", 20)
    found = ts.linearize(model, at)
    monkeypatch.setattr("torseur.kernels.thresholds.MAX_COMPILED_MASS_MATRIX_SPEEDS", 1000)
    monkeypatch.setattr("torseur.kernels.thresholds.MAX_GRAPH_JACOBIAN_SPEEDS", 1000)
    other = ts.linearize(chain(21), at)
    np.testing.assert_allclose(found.A, other.A, rtol=0, atol=1e-11 * abs(other.A).max())
    np.testing.assert_allclose(found.M, other.M, rtol=0, atol=1e-13 * abs(other.M).max())


def test_a_long_tree_traces_no_derivatives(monkeypatch):
    """The graph of all derivatives of a hundred links takes long."""
    monkeypatch.setattr(GraphInterpreter, "_trace", None)
    modes = ts.modes(chain(80))
    assert len(modes) >= 80 and np.isfinite(modes.omega).all()

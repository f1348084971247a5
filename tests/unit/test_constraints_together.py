"""Loops, complex joints, trees, flexible drives, friction and free bodies in one model."""

import numpy as np
import pytest

import torseur as ts
from torseur.solve.constraint_system import constrained_system


def machine() -> ts.Model:
    """A cart on a guide with friction carries a four-bar driven through a shaft, and a ball."""
    pin = ts.Revolute("y")

    def bar(name, L):
        return ts.Body(name, mass=1.0, com=(L / 2, 0, 0), inertia=(0.001, 0.05, 0.05, 0, 0, 0))

    return ts.Model(
        "machine",
        bodies=(
            ts.Body("cart", mass=10.0, inertia=(1, 1, 1, 0, 0, 0)),
            bar("crank", 0.2),
            bar("coupler", 0.5),
            bar("rocker", 0.4),
            ts.Body("load", mass=2.0, inertia=(0.02, 0.02, 0.02, 0, 0, 0)),
            ts.Body("ball", mass=0.5, inertia=(0.01, 0.01, 0.01, 0, 0, 0)),
        ),
        joints=(
            ts.Joint(
                "rail",
                "world",
                "cart",
                ts.Guided(("s", 0, "0.1*s**2"), (0, "-0.05*s", 0), coordinate="s"),
            ),
            ts.Joint("A", "cart", "crank", pin),
            ts.Joint("B", "crank", "coupler", pin, at=(0.2, 0, 0)),
            ts.Joint("D", "cart", "rocker", pin, at=(0.5, 0, 0)),
            ts.Joint("pivot", "rocker", "load", ts.Spherical(), at=(0.3, 0, 0)),
            ts.Joint("fly", "world", "ball", ts.Free(), at=(2, 1, 0)),
        ),
        loops=(ts.Loop("C", "rocker", "coupler", pin, at=(0.4, 0, 0), child_at=(0.5, 0, 0)),),
        rotors=(ts.Rotor("motor", 0.02),),
        forces=(
            ts.CoordinateForce("shaft", {"motor.angle": 1, "A.angle": -1}, ts.Spring(200.0)),
            ts.PointForce("tie", a="ball", b="load", law=ts.Spring(50.0, free_length=2.0)),
            ts.JointForce("brake", "D", law=ts.Viscous(0.05)),
        ),
        constraints=(
            ts.DryFriction("guide", "rail.s", force=1.0),
            ts.Rolling("floor", "ball", radius=0.3, axis=None),
        ),
    )


START = {"A.angle": -1.0, "B.angle": 0.6, "D.angle": -1.6, "fly.pz": 0.3, "motor.angle": -1.0}


def test_everything_in_one_model_closes_its_books():
    out = ts.simulate(machine(), 1.5, START, keep=("A.angle", "motor.angle"), rtol=1e-9, output=31)
    assert out.completed, out.outcome
    assert abs(out["energy.residual"]).max() < 1e-5
    assert out["constraints.residual"].max() < 1e-13
    assert out["energy.dissipated"][-1] > 0.01
    np.testing.assert_allclose(out["ball.position.z"], 0.3, atol=1e-13)


def test_friction_and_loops_appear_in_the_reactions():
    """The foundation carries what the reactions say: the cart's guide, isolated."""
    model = machine()
    out = ts.simulate(
        model, 0.4, START, keep=("A.angle", "motor.angle"), rtol=1e-10, output=[0.0, 0.4]
    )
    system = model.check()
    q, v = (np.array([out[n][-1] for n in names]) for names in (system.coordinates, system.speeds))
    a = np.concatenate(
        [
            [
                out[n][-1]
                for n in out.signals
                if n.startswith(f"{k.name}.acceleration") and k.joint.nv == 1
            ]
            or [out[f"{k.name}.acceleration.{n}"][-1] for n, _ in k.joint.speeds]
            for k in system.links
        ]
    )
    cut = ts.solve.isolate(model, ("cart", "crank", "coupler", "rocker", "load"), q, v, a)
    assert set(cut.joints) == {"rail"} and cut.loops == ()
    pull = out["tie.force"][-1]
    line = np.array([out[f"ball.position.{c}"][-1] - out[f"load.position.{c}"][-1] for c in "xyz"])
    guide = np.array([out[f"rail.reaction.force.{c}"][-1] for c in "xyz"])
    from torseur.kinematics import pose
    from torseur.scalars import vector

    R = np.array(pose(system.floats(), "cart", vector(q)).R, dtype=float)
    total = R @ guide + pull * line / np.linalg.norm(line)
    np.testing.assert_allclose(total, cut.dynamic.force.astype(float), atol=1e-6)


def test_mobility_of_the_machine():
    c = constrained_system(machine())
    q, _ = c.assemble(START, keep=("A.angle", "motor.angle"))
    report = c.mobility(q)
    speeds = c.system.nv
    assert speeds == 1 + 3 + 3 + 6 + 1
    assert report.mobility == speeds - 2 - 3  # a planar loop, a rolling ball
    assert report.redundancy == 3


@pytest.mark.parametrize(
    "method, options",
    [("dop853", {"rtol": 1e-9}), ("rodas5p", {"rtol": 1e-8}), ("rk4", {"step": 5e-4})],
)
def test_integrators_agree(method, options):
    names = ("rail.s", "A.angle", "fly.px", "motor.rate")

    def end(**kw):
        out = ts.simulate(
            machine(), 0.5, START, keep=("A.angle", "motor.angle"), output=[0.0, 0.5], **kw
        )
        return [out[n][-1] for n in names]

    np.testing.assert_allclose(
        end(method=method, **options),
        end(method="dopri5", rtol=1e-11),
        atol=2e-4 if method == "rk4" else 1e-6,
    )

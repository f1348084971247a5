"""A double pendulum with a spring and a brake: simulate, look at the energy audit, draw."""

import torseur as ts
from torseur.forces import JointForce, PointForce, Spring, Viscous
from torseur.simulation import simulate


def model() -> ts.Model:
    return ts.Model(
        "double pendulum",
        bodies=(
            ts.Body("upper", 2.0, com=(0, 0, -0.25), inertia=(0.05, 0.05, 0.001, 0, 0, 0)),
            ts.Body("lower", 1.0, com=(0, 0, -0.20), inertia=(0.02, 0.02, 0.001, 0, 0, 0)),
        ),
        joints=(
            ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
            ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.5)),
        ),
        frames=(ts.Frame("tip", "lower", at=(0, 0, -0.4)),),
        forces=(
            PointForce("mount", a="tip", b=("world", (0.5, 0, -0.5)), law=Spring(20.0, 0.3)),
            JointForce("brake", "elbow", law=Viscous(0.1)),
        ),
    )


def main(picture=None):
    run = simulate(model(), t_end=5.0, initial={"elbow.angle": 0.3}, rtol=1e-10, atol=1e-12)
    print(run.outcome)
    print(run.energy_audit)
    assert run.energy_audit.relative < 1e-9
    if picture:
        run.plot("elbow.angle", "shoulder.angle", "mount.force", path=picture)
    return run


if __name__ == "__main__":
    main("double_pendulum.png")

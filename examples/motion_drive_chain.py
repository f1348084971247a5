"""Tachogenerator, motor, reducer, segment: a drive of four stages under a step of torque (O-D1)."""

import torseur as ts
from torseur.forces import Drive, DriveStage
from torseur.simulation import simulate
from torseur.solve import modes

N = 100
CHAIN = (
    DriveStage("tacho", inertia=2e-5, ratio=N, stiffness=50, damping=1e-4),
    DriveStage("motor", inertia=8.751e-4, ratio=N, stiffness=200, damping=1e-3, friction=3.82e-4),
    DriveStage("reducer", inertia=0.05, stiffness=1e4, damping=5, friction=0.5),
)


def model() -> ts.Model:
    segment = ts.Body("segment", mass=15.0, com=(0, 0, -1.0), inertia=(0, 15, 15, 0, 0, 0))
    joint = ts.Joint(
        "joint", "world", "segment", ts.Revolute("y"), drive=Drive(stages=CHAIN, input="torque")
    )
    return ts.Model(
        "drive",
        gravity=(0, 0, -9.8),
        bodies=(segment,),
        joints=(joint,),
        inputs=(ts.Input("torque", unit="N m"),),
    )


def main():
    print(modes(model()))
    run = simulate(model(), 1.0, inputs={"torque": 2.0}, rtol=1e-10, atol=1e-12)
    print(run.outcome)
    print(run.energy_audit)
    assert abs(run["joint.angle"][-1] - 1.8816410195) < 1e-8
    assert abs(run["joint.tacho.angle"][-1] - 1.8905982342) < 1e-8
    return run


if __name__ == "__main__":
    main()

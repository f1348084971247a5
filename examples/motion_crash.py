"""A car against a wall: a crushing law with a permanent set, every kink a located event (O-CR1)."""

import numpy as np

import torseur as ts
from torseur.forces import Crush, JointForce
from torseur.simulation import simulate

CURVE = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))


def model() -> ts.Model:
    return ts.Model(
        "car",
        gravity=(0, 0, 0),
        bodies=(ts.Body("car", mass=1000.0),),
        joints=(ts.Joint("slide", "world", "car", ts.Prismatic("x")),),
        forces=(JointForce("front", "slide", Crush(CURVE, unloading=2e7, beyond=6e6)),),
    )


def main():
    run = simulate(model(), t_end=0.1, initial={"slide.speed": 50 / 3.6}, rtol=1e-10, atol=1e-12)
    crush = run["slide.displacement"]
    print(run.outcome)
    for event in run.events:
        print(" ", event)
    print(
        f"crush {crush.max():.10f} m, rebound {run['slide.speed'][-1]:.10f} m/s, "
        f"dissipated {run.energy_audit.dissipated:.6f} J"
    )
    assert abs(crush.max() - 0.5156766840) < 1e-9
    assert abs(run["slide.speed"][-1] + 4.2006392812) < 1e-9
    assert abs(run.energy_audit.dissipated - 87627.932099) < 1e-5
    assert np.isclose(run.time[np.argmax(crush)], 0.057501740, atol=1e-9)
    return run


if __name__ == "__main__":
    main()

"""Two bars on elastic joints: one switch between two and four degrees of freedom (O-B2)."""

import numpy as np

import torseur as ts
from torseur.forces import Drive
from torseur.simulation import simulate
from torseur.solve import modes


def model(flexible: bool) -> ts.Model:
    drives = [Drive(rotor_inertia=3.33, stiffness=200.0, flexible=flexible) for _ in range(2)]
    bodies = tuple(
        ts.Body(n, mass=5.0, com=(0, 0, -0.5), inertia=(0, "5/12", "5/12", 0, 0, 0))
        for n in ("upper", "lower")
    )
    joints = (
        ts.Joint("j1", "world", "upper", ts.Revolute("y"), drive=drives[0]),
        ts.Joint("j2", "upper", "lower", ts.Revolute("y"), at=(0, 0, -1), drive=drives[1]),
    )
    return ts.Model("two bars", gravity=(0, 0, -9.8), bodies=bodies, joints=joints)


def main():
    for flexible, want in (
        (False, (2.15551902, 2.42511371)),
        (True, (2.08390376, 2.40027785, 8.66811933, 26.66125833)),
    ):
        found = modes(model(flexible))
        print(found)
        assert np.allclose(found.omega, want, rtol=1e-8)
    start = {"j2.angle": np.radians(5), "j2.motor.angle": np.radians(5)}
    run = simulate(model(True), 5.0, start, rtol=1e-11, atol=1e-12)
    assert abs(np.degrees(run["j2.angle"][-1]) + 2.2839244577) < 1e-8
    assert abs(np.degrees(run["j2.motor.angle"][-1]) + 2.6720536073) < 1e-8
    return run


if __name__ == "__main__":
    main()

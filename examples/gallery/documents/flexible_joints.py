"""
Elastic joints
==============

Two bars on elastic gears: with rigid gears there are two modes, with elastic ones four. How a
robot behaves between the two is a question of B. Madani's thesis; here it is the argument
``flexible``.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts


def bars(flexible):
    drive = ts.Drive(rotor_inertia=3.33, stiffness=200.0, flexible=flexible)
    bodies = tuple(
        ts.Body(n, mass=5.0, com=(0, 0, -0.5), inertia=(0, "5/12", "5/12", 0, 0, 0))
        for n in ("upper", "lower")
    )
    joints = (
        ts.Joint("j1", "world", "upper", ts.Revolute("y"), drive=drive),
        ts.Joint("j2", "upper", "lower", ts.Revolute("y"), at=(0, 0, -1), drive=drive),
    )
    return ts.Model("two bars", gravity=(0, 0, -9.8), bodies=bodies, joints=joints)


reference = {
    False: (2.15551902, 2.42511371),
    True: (2.08390376, 2.40027785, 8.66811933, 26.66125833),
}
for flexible, want in reference.items():
    found = ts.modes(bars(flexible)).omega
    print(
        "elastic" if flexible else "stiff",
        found,
        f"error {abs(found / np.array(want) - 1).max():.1e}",
    )
    assert np.allclose(found, want, rtol=1e-8)

start = {"j2.angle": np.radians(5), "j2.motor.angle": np.radians(5)}
run = ts.simulate(bars(True), 5.0, start, rtol=1e-11, atol=1e-12, output=501)
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(run.time, np.degrees(run["j2.angle"]), label="arm")
ax.plot(run.time, np.degrees(run["j2.motor.angle"]), label="motor")
ax.set(xlabel="time [s]", ylabel="second joint [deg]")
ax.legend(frameon=False)
plt.show()

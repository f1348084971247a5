r"""
A governor
==========

Balls on hinges, turned by a shaft. Up to :math:`\omega^2 = g/l` they hang down; beyond, they
stand out at :math:`\cos\theta = g / (\omega^2 l)` and oscillate about it with the angular
frequency :math:`\omega \sin\theta`.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

length, g = 0.5, 9.81


def governor(speed):
    shapes = (
        ts.Sphere(0.05, at=(0, 0, -length)),
        ts.Cylinder(0.01, length, at=(0, 0, -length / 2)),
    )
    ball = ts.Body("ball", mass=1.0, com=(0, 0, -length), shapes=shapes)
    hinge = ts.Joint("hinge", "world", "ball", ts.Revolute("y"), rpy=(0, 0, f"{speed}*t"))
    return ts.Model("governor", bodies=(ball,), joints=(hinge,))


speeds = np.array([5.0, 6.0, 8.0, 12.0])
angles = np.array(
    [abs(ts.equilibrium(governor(w), {"hinge.angle": 1.0})["hinge.angle"]) for w in speeds]
)
swings = np.array(
    [
        ts.modes(governor(w), {"hinge.angle": x}).omega[0]
        for w, x in zip(speeds, angles, strict=True)
    ]
)
exact = np.arccos(g / (speeds**2 * length))
error = max(abs(angles - exact).max(), abs(swings / (speeds * np.sin(exact)) - 1).max())
print(f"angles and frequencies: error {error:.1e}")
assert error < 1e-6

fine = np.linspace(3, 13, 300)
ts.simulate(governor(8.0), 0.7, {"hinge.angle": 1.25}).animate("governor.png", at=0.6)
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(fine, np.arccos(np.minimum(1, g / (fine**2 * length))), label="closed form")
ax.plot(speeds, angles, "o", label="equilibrium found")
ax.set(xlabel="speed of the shaft [rad/s]", ylabel="angle of the balls [rad]")
ax.legend(frameon=False)
plt.show()

"""
Masses of a robot from its torques
==================================

An arm moves along an exciting motion; from its torques, with noise and friction, come back the
parameters that influence them.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

rng = np.random.default_rng(1)
rows = [(0, 0, 0, 0.3), ("-pi/2", 0, 0, 0), (0, 0.4, 0, 0)]
links = [
    ts.Body(
        f"link{i}", mass=3.0 - i, com=(0.1, 0.02, 0.01 * i), inertia=(0.03, 0.04, 0.05, 0, 0, 0)
    )
    for i in range(3)
]
arm = ts.from_dh(rows, links, convention="modified", name="arm")
motion = ts.identify.exciting(arm, 8.0, terms=3, samples=80, max_speed=2.0, iterations=2)
q, v, a = motion.q, motion.v, motion.a
tau = ts.compile(arm).inverse_dynamics(q, v, a) + 0.2 * v
tau += 0.02 * rng.normal(size=tau.shape)
found = ts.identify.robot(
    arm, (q, v, a, tau), friction=("viscous",), rotors=False, consistent=False
)
print(found.table())
error = abs(found.base["joint2.viscous"] - 0.2) / found.sigma["joint2.viscous"]
print(
    f"friction of joint 2: {found.base['joint2.viscous']:.4f} N m s/rad, "
    f"{error:.1f} standard deviations from the truth"
)
assert error < 4

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for i in range(3):
    ax.plot(tau[:, i], ".", ms=3, color=f"C{i}")
    ax.plot(found.predict(q, v, a)[:, i], color=f"C{i}", lw=1, label=f"joint {i + 1}")
ax.set(xlabel="sample", ylabel="torque [N m]")
ax.legend(frameon=False, ncols=3)
plt.show()

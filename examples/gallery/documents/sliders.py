"""
Two sliders, springs as parameters
==================================

The third example of J. P. Mizzi's report on crash tests keeps its springs as letters: a sweep
needs no new equations, only other numbers.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

solid = (2, 2, 4, 0, 0, 0)
model = ts.Model(
    "two sliders",
    bodies=[
        ts.Body("first", mass=1, com=(0, 0, 5), inertia=solid),
        ts.Body("second", mass=1, com=(0, 0, 8), inertia=solid),
    ],
    joints=[
        ts.Joint("s1", "world", "first", ts.Prismatic("z"), rpy=("pi/4", 0, 0)),
        ts.Joint("s2", "first", "second", ts.Prismatic("z"), at=(0, 0, 7)),
    ],
    forces=[ts.JointForce("k1", "s1", ts.Spring("k1")), ts.JointForce("k2", "s2", ts.Spring("k2"))],
    parameters={"k1": 100.0, "k2": 50.0},
)
print(ts.equations(model, formalism="lie_group", forces=True))
stiffness = np.linspace(50, 400, 15)
sags = [ts.equilibrium(model, parameters={"k1": k}).state["s1.displacement"] for k in stiffness]
exact = -2 * 9.81 * np.cos(np.pi / 4) / stiffness
error = abs(np.array(sags) - exact).max()
print(f"sag: error {error:.1e} m")
assert error < 1e-9

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(stiffness, exact, label="closed form")
ax.plot(stiffness, sags, "o", ms=4, label="equilibrium found")
ax.set(xlabel="first spring [N/m]", ylabel="displacement at rest [m]")
ax.legend(frameon=False)
plt.show()

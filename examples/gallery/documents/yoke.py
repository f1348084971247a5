r"""
Yoke, rod, solid
================

The fourth example of J. P. Mizzi's report on crash tests. Its program printed 4359.935 instead
of 4360 because of rounding; here the coefficients are exact, and so is the comparison with
Lagrange.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

model = ts.Model(
    "yoke, rod, solid",
    bodies=[
        ts.Body("yoke", mass=1, com=(0, 0, 10), inertia=(2, 2, 4, 0, 0, 0)),
        ts.Body("rod", mass=10, com=(0, 0, 10), inertia=(30, 30, 40, 0, 0, 0)),
        ts.Body("solid", mass=15, com=(0, 0, 15), inertia=(25, 25, 30, 0, 0, 0)),
    ],
    joints=[
        ts.Joint("vertical", "world", "yoke", ts.Revolute("z")),
        ts.Joint("tilt", "yoke", "rod", ts.Revolute("x"), at=(0, 0, 15)),
        ts.Joint("spin", "rod", "solid", ts.Revolute("z")),
    ],
)
eq = ts.equations(model, formalism="lie_group")
print(eq)
assert eq.tau[1] == "4430 d2q2 - 4360 cos(q2) sin(q2) dq1^2 + 30 sin(q2) dq1 dq3 - 3188.25 sin(q2)"
assert eq == ts.equations(model, formalism="lagrange")

run = ts.simulate(model, 20.0, {"tilt.angle": 0.3, "spin.rate": 60.0}, rtol=1e-10, output=801)
print(f"energy closes to {run.energy_audit.relative:.1e}")
run.animate("yoke.png", at=2.0)
fig, ax = plt.subplots(figsize=(7, 3.0), layout="constrained")
ax.plot(run.time, np.degrees(run["tilt.angle"]), label="tilt")
ax.set(xlabel="time [s]", ylabel="tilt [deg]")
plt.show()

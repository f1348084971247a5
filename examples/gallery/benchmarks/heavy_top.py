"""
Heavy top
=========

A top on a ball joint, spinning at 150 rad/s: the benchmark of integrators on Lie groups
(Géradin and Cardona). The reference was computed in quadruple precision.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

body = ts.Body("top", mass=15.0, com=(0, 1, 0), inertia=(0.234375, 0.46875, 0.234375, 0, 0, 0))
model = ts.Model(
    "heavy top",
    bodies=(body,),
    joints=(ts.Joint("ball", "world", "top", ts.Spherical("quaternion")),),
    frames=(ts.Frame("center", "top", at=(0, 1, 0)),),
)
run = ts.simulate(
    model, 1.0, {"ball.rate2": 150.0, "ball.rate3": -4.61538}, rtol=1e-11, atol=1e-12, output=501
)

reference = (0.173343964098, 0.640088592071, -0.748490791134)  # x, y, z of the center after 1 s [m]
end = np.array([run[f"center.position.{c}"][-1] for c in "xyz"])
error = abs(end - reference).max()
print(f"error after 1 s: {error:.1e} m in {run.statistics['steps']} steps")
assert error < 1e-6

run.animate("heavy_top.png", at=0.3)
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for c in "xyz":
    ax.plot(run.time, run[f"center.position.{c}"], label=c)
ax.plot([1.0] * 3, reference, "k.", label="reference")
ax.set(xlabel="time [s]", ylabel="center of mass [m]")
ax.legend(frameon=False, ncols=4)
plt.show()

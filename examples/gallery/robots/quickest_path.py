"""
The quickest way along a path
=============================

An arm with limits of torque and speed on a given path. On the quickest motion along it, at every
moment some motor is at a limit of its torque or speed.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

inertia = (0.02, 0.4, 0.4, 0, 0, 0)
rows = [
    {"r": 0.7, "limits": (-3.0, 3.0), "max_effort": 300.0, "max_speed": 2.5},
    {"alpha": "pi/2", "limits": (-0.2, 1.8), "max_effort": 400.0, "max_speed": 2.5},
    {"d": 0.6, "limits": (-2.2, 2.2), "max_effort": 250.0, "max_speed": 2.5},
]
bodies = (
    ts.Body("column", 16.0, (0, 0, -0.3)),
    ts.Body("upper", 14.0, (0.28, 0, 0), inertia),
    ts.Body("lower", 8.0, (0.3, 0, 0), inertia),
)
arm = ts.from_dh(
    rows,
    bodies,
    convention="modified",
    name="arm",
    frames=(ts.Frame("tool", "lower", at=(0.65, 0, 0)),),
)
way = [[0.0, 0.0, -0.8], [2.0, 1.4, 0.6]]
quick = ts.robots.time_optimal(arm, way, points=101)
print(quick)

limits = np.array([300.0, 400.0, 250.0])
share = abs(quick.efforts) / limits
print(f"a motor at its limit: {share.max():.4f} of what it may give")
assert share.max() < 1.001

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for i in range(3):
    ax.plot(quick.times, 100 * share[:, i], label=f"joint {i + 1}")
ax.axhline(100, color="#999999", lw=0.8, ls="--")
ax.set(xlabel="time [s]", ylabel="torque [% of its limit]")
ax.legend(frameon=False, ncols=3)
plt.show()

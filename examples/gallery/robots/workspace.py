"""
Where a robot can go, and how well
==================================

The reachable space of an arm, the moment of weight that its shoulder carries there, and the
surfaces where the arm is singular. The same from a shell: ``torseur workspace arm.yaml tool
--report space.html``.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

inertia = (0.02, 0.4, 0.4, 0, 0, 0)
bodies = (
    ts.Body("column", 16.0, (0, 0, -0.3)),
    ts.Body("upper", 14.0, (0.28, 0, 0), inertia),
    ts.Body("lower", 8.0, (0.3, 0, 0), inertia),
)
rows = [
    {"r": 0.7, "limits": (-3.0, 3.0), "max_effort": 300.0},
    {"alpha": "pi/2", "limits": (-0.2, 1.8), "max_effort": 250.0},
    {"d": 0.6, "limits": (-2.2, 2.2), "max_effort": 120.0},
]
arm = ts.from_dh(
    rows,
    bodies,
    convention="modified",
    name="arm",
    frames=(ts.Frame("tool", "lower", at=(0.65, 0, 0)),),
)
space = ts.robots.workspace(arm, "tool", samples=6000, stiffness={"joint2": 2e4, "joint3": 1e4})
print(space)

# %%
# Singular poses are computed directly: the arm stretched out, or the tool above the waist.
q, places = space.loci(800)
stretched = abs(q[:, 2]) < 1e-6
above = np.linalg.norm(places[:, :2], axis=1) < 1e-6
print(f"{stretched.sum()} stretched, {above.sum()} above the waist, of {len(q)}")
assert (stretched | above).all()

# %%
# Seen from the side: distance from the waist against height.
maps = space.maps()
r, z = np.linalg.norm(space.points[:, :2], axis=1), space.points[:, 2]
fig, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
for ax, name in zip(
    axes, ("weight on joint2 [N m]", "payload [kg]", "deflection [m]"), strict=True
):
    drawn = ax.scatter(r, z, 3, maps[name])
    fig.colorbar(drawn, ax=ax, label=name)
    ax.set(xlabel="distance from the waist [m]", aspect="equal")
axes[0].plot(np.linalg.norm(places[:, :2], axis=1), places[:, 2], "k.", ms=1)
axes[0].set(ylabel="height [m]")
plt.show()

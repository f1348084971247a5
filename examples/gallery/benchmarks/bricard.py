"""
Bricard's mechanism
===================

Six bars and six hinges along the edges of a cube. By counting freedoms it cannot move (that
takes seven hinges); but Bricard's geometry makes one closure condition redundant, and it does
move. The check names the redundancy, and the simulation needs no special treatment.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1.0)])
axes = "y z x y z x"  # at each corner: across both of its edges
rods = np.diff(corners, axis=0)
bodies, joints = [], []
for i, (edge, axis) in enumerate(zip(rods, axes.split(), strict=False)):
    J = np.diag(np.ones(3) - abs(edge)) / 12
    bodies.append(ts.Body(f"rod{i}", mass=1.0, com=tuple(edge / 2), inertia=J))
    at = (0, 0, 0) if i == 0 else tuple(rods[i - 1])
    joints.append(
        ts.Joint(f"h{i}", "world" if i == 0 else f"rod{i - 1}", f"rod{i}", ts.Revolute(axis), at=at)
    )
loop = ts.Loop(
    "h5", "rod4", "world", ts.Revolute("x"), at=tuple(rods[4]), child_at=tuple(corners[5])
)
model = ts.Model(
    "Bricard",
    gravity=(0, -9.81, 0),
    bodies=bodies,
    joints=joints,
    loops=(loop,),
    frames=(ts.Frame("P", "rod1", at=tuple(rods[1])),),
)
print(ts.mobility_report(model))
run = ts.simulate(model, 5.0, rtol=1e-11, output=501)
print(f"energy closes to {run.energy_audit.relative:.1e}")
assert run.energy_audit.relative < 1e-7

run.animate("bricard.png")
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for c in "xyz":
    ax.plot(run.time, run[f"P.position.{c}"], label=c)
ax.set(xlabel="time [s]", ylabel="corner opposite to the ground [m]")
ax.legend(frameon=False, ncols=3)
plt.show()

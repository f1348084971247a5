"""
Rattleback
==========

An ellipsoid whose principal axes of inertia are turned against its own rolls without slipping.
Spun one way it goes on; spun the other way it begins to rattle, stops, and turns back: rolling
is not a holonomic constraint, and one direction of spin is preferred.
"""

import matplotlib.pyplot as plt

import torseur as ts

axes = (0.2, 0.03, 0.02)  # of the ellipsoid [m]
stone = ts.Body("stone", mass=1.0, inertia=(2e-4, 1.6e-3, 1.7e-3, -2.2e-4, 0, 0))
model = ts.Model(
    "rattleback",
    bodies=(stone,),
    joints=(ts.Joint("fly", "world", "stone", ts.Free()),),
    constraints=(ts.RollingSurface("table", "stone", axes),),
)


def spun(rate):
    start = {"fly.pz": axes[2], "fly.wx": 0.02, "fly.wz": rate}
    return ts.simulate(model, 6.0, start, rtol=1e-8, keep=("fly.wx", "fly.wz"), output=1201)


runs = {rate: spun(rate) for rate in (2.0, -2.0)}
for rate, run in runs.items():
    back = (rate * run["fly.wz"]).min() < -0.4
    print(
        f"{rate:+.0f} rad/s: {'turns back' if back else 'goes on'}; "
        f"energy closes to {run.energy_audit.relative:.1e}"
    )
turned = [(rate * run["fly.wz"]).min() < -0.4 for rate, run in runs.items()]
assert sorted(turned) == [False, True]

runs[-2.0].animate("rattleback.png", at=1.0)
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for rate, run in runs.items():
    ax.plot(run.time, run["fly.wz"], lw=1, label=f"spun at {rate:+.0f} rad/s")
ax.axhline(0, color="#999999", lw=0.6)
ax.set(xlabel="time [s]", ylabel="spin [rad/s]")
ax.legend(frameon=False)
plt.show()

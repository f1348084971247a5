"""
Woodpecker toy
==============

A sleeve with play on a pole, a spring, a bird that pecks: it jams, slides, hits the pole with
its beak, and falls a little with every cycle (Pfeiffer's numbers). Three contacts with friction
stick, slip and collide; nobody tells the program in which order.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

r0, rM, hM, lM, lG, lS, hS = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.0201, 0.02
back = ts.Revolute((0, -1, 0))
model = ts.Model(
    "woodpecker",
    bodies=(
        ts.Body("slider"),
        ts.Body("sleeve", mass=0.0003, inertia=(5e-9, 5e-9, 5e-9, 0, 0, 0)),
        ts.Body("bird", mass=0.0045, com=(lG, 0, 0), inertia=(7e-7, 7e-7, 7e-7, 0, 0, 0)),
    ),
    joints=(
        ts.Joint("height", "world", "slider", ts.Prismatic("z")),
        ts.Joint("tilt", "slider", "sleeve", back),
        ts.Joint("nod", "sleeve", "bird", back, at=(lM, 0, 0)),
    ),
    forces=(ts.JointForce("spring", "nod", ts.Spring(0.0056)),),
    constraints=(
        ts.Contact(
            "beak",
            ("bird", (lG - lS, 0, hS)),
            ("world", (r0, 0, 0)),
            normal="x",
            restitution=0.5,
            friction=0.3,
        ),
        ts.Contact(
            "lower edge", ("sleeve", (rM, 0, -hM)), ("world", (r0, 0, 0)), normal="x", friction=0.3
        ),
        ts.Contact(
            "upper edge", ("sleeve", (rM, 0, hM)), ("world", (r0, 0, 0)), normal="x", friction=0.3
        ),
    ),
)
start = {"tilt.angle": -0.1, "nod.angle": -0.1788, "height.speed": -0.3411, "nod.rate": -7.4583}
run = ts.simulate(model, 1.0, start, rtol=1e-8, output=4001)
pecks = [ev.time for ev in run.events if "beak" in ev.name and "lands" in ev.name]
late = np.diff([t for t in pecks if t > 0.4])
cycle = late[late > 0.05]
print(
    f"{len(run.events)} events, {len(pecks)} pecks; "
    f"one cycle takes {cycle.mean():.4f} s, the same every time within {np.ptp(cycle):.1e} s"
)
assert np.ptp(cycle) < 0.01

fig, (up, low) = plt.subplots(2, 1, figsize=(7, 4.4), sharex=True, layout="constrained")
up.plot(run.time, 1e3 * run["height.displacement"], color="#333333")
up.set(ylabel="height [mm]")
low.plot(run.time, run["tilt.angle"], lw=1, label="sleeve")
low.plot(run.time, run["tilt.angle"] + run["nod.angle"], lw=1, label="bird")
low.set(xlabel="time [s]", ylabel="angle [rad]")
low.legend(frameon=False, ncols=2)
plt.show()

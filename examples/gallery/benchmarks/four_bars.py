"""
A row of four-bars
==================

Benchmark A02 of the IFToMM library: N squares of bars side by side, here with N = 1. When all
bars lie flat the mechanism could branch into another motion; a simulation must not.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

N = 1
pin = ts.Revolute("z")


def bar(name):
    return ts.Body(name, mass=1, com=(0.5, 0, 0), inertia=(0, "1/12", "1/12", 0, 0, 0))


model = ts.Model(
    "A02",
    gravity=(0, -9.81, 0),
    bodies=[*(bar(f"bar{i}") for i in range(N + 1)), *(bar(f"rod{i}") for i in range(N))],
    joints=[
        *(ts.Joint(f"A{i}", "world", f"bar{i}", pin, at=(i, 0, 0)) for i in range(N + 1)),
        *(ts.Joint(f"B{i}", f"bar{i}", f"rod{i}", pin, at=(1, 0, 0)) for i in range(N)),
    ],
    loops=[
        ts.Loop(f"C{i}", f"bar{i + 1}", f"rod{i}", pin, at=(1, 0, 0), child_at=(1, 0, 0))
        for i in range(N)
    ],
    frames=(ts.Frame("B", "bar0", at=(1, 0, 0)),),
)
start = {f"A{i}.angle": np.pi / 2 for i in range(N + 1)} | {
    f"B{i}.angle": -np.pi / 2 for i in range(N)
}
start |= {f"A{i}.rate": -1.0 for i in range(N + 1)} | {f"B{i}.rate": 1.0 for i in range(N)}
run = ts.simulate(model, 10.0, start, rtol=1e-11, atol=1e-12, output=1001)
reference = (0.4783850577609706, 0.8781501787912093)  # of B after 10 s, in quadruple precision
error = np.hypot(run["B.position.x"][-1] - reference[0], run["B.position.y"][-1] - reference[1])
print(f"error after 10 s: {error:.1e} m; energy closes to {run.energy_audit.relative:.1e}")
assert error < 1e-6

run.animate("four_bars.png", at=1.0)
fig, ax = plt.subplots(figsize=(7, 3.0), layout="constrained")
ax.plot(run.time, run["B.position.x"], label="x")
ax.plot(run.time, run["B.position.y"], label="y")
ax.plot([10, 10], reference, "k.")
ax.set(xlabel="time [s]", ylabel="joint B [m]")
ax.legend(frameon=False, ncols=2)
plt.show()

"""
A double pendulum and its double
================================

Two double pendulums that start a billionth of a radian apart stay together for seconds, then
part for good. The energy balance shows that both are computed well; chaos means that neither
predicts what a real one would do.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts


def rod(name):
    return ts.Body(name, mass=1.0, com=(0, 0, -0.25), inertia=(1 / 48, 1 / 48, 0, 0, 0, 0))


model = ts.Model(
    "double pendulum",
    bodies=(rod("upper"), rod("lower")),
    joints=(
        ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
        ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.5)),
    ),
    frames=(ts.Frame("tip", "lower", at=(0, 0, -0.5)),),
)
starts = (2.0, 2.0 + 1e-9)
runs = [
    ts.simulate(
        model, 12.0, {"shoulder.angle": s, "elbow.angle": 0.5}, rtol=1e-12, atol=1e-12, output=1201
    )
    for s in starts
]
a, b = runs
apart = np.hypot(*(a[f"tip.position.{c}"] - b[f"tip.position.{c}"] for c in "xz"))
print(f"energy closes to {a.energy_audit.relative:.1e}")
assert a.energy_audit.relative < 1e-10 and apart[100] < 1e-6

a.animate("double_pendulum.png", view="Front", at=1.0)
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for run, color in zip(runs, ("#0b5fa5", "#d55e00"), strict=True):
    left.plot(run["tip.position.x"], run["tip.position.z"], lw=0.7, color=color)
left.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title="the tips")
right.semilogy(a.time[1:], apart[1:], color="#333333")
right.set(xlabel="time [s]", ylabel="distance of the tips [m]")
plt.show()

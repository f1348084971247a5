"""
A crush curve from a measured speed
===================================

Forces at the knots of a curve, fitted to a speed with noise, by exact derivatives through every
event.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts


def car(scale):
    curve = tuple((d, scale * F) for d, F in ((0, 0), (0.1, 60e3), (0.3, 80e3), (0.6, 200e3)))
    return ts.Model(
        "car",
        gravity=(0, 0, 0),
        bodies=(ts.Body("body", 1200.0),),
        joints=(ts.Joint("x", "world", "body", ts.Prismatic("x")),),
        forces=(ts.JointForce("front", "x", ts.Crush(curve, 5e6)),),
        initial={"x.speed": 13.4},
    )


time = np.linspace(0, 0.12, 121)[1:]
test = ts.simulate(car(1.0), 0.12, output=time)
speed = np.interp(time, test.time, test["x.speed"]) + 0.02 * np.random.default_rng(0).normal(
    size=len(time)
)
fit = ts.identify.fit(
    [ts.identify.Experiment(car(1.3), {"x.speed": (time, speed)}, sigma={"x.speed": 0.02})],
    free={"front.points": ts.identify.knots(bounds=(0, 1e6))},
)
print(fit)
forces = [F for _, F in fit.model.forces[0].law.points]
print("forces of the knots [kN]:", [round(F / 1e3, 1) for F in forces], "of 0, 60, 80, 200")
assert abs(forces[1] - 60e3) < 3e3 and abs(forces[2] - 80e3) < 3e3

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(1e3 * time, speed, ".", ms=3, color="#999999", label="measured")
for label, model in (("guess", car(1.3)), ("fitted", fit.model)):
    run = ts.simulate(model, 0.12)
    ax.plot(1e3 * run.time, run["x.speed"], label=label)
ax.set(xlabel="time [ms]", ylabel="speed [m/s]")
ax.legend(frameon=False)
plt.show()

"""
A pendulum held upright
=======================

A cart balances a pendulum: the linear model comes from the mechanism, the gains from Riccati's
equation, and the proof from the full nonlinear motion.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

model = ts.Model(
    "cart and pendulum",
    bodies=(
        ts.Body("cart", mass=1.0),
        ts.Body("rod", mass=0.2, com=(0, 0, 0.3), inertia=(0.006, 0.006, 0, 0, 0, 0)),
    ),
    joints=(
        ts.Joint("rail", "world", "cart", ts.Prismatic("x")),
        ts.Joint("pin", "cart", "rod", ts.Revolute("y")),
    ),
    inputs=(ts.Input("push"),),
    forces=(ts.JointForce("motor", "rail", ts.Effort(input="push")),),
)
linear = ts.linearize(model, {"pin.angle": 0.0})
print("poles without control:", np.round(linear.eigenvalues, 3))
control = ts.robots.lqr(
    model,
    {"pin.angle": 0.0},
    weights={"rail.displacement": 10.0, "pin.angle": 100.0, "rail.speed": 1.0, "pin.rate": 10.0},
    effort=0.1,
)
run = ts.simulate(model, 4.0, {"pin.angle": 0.35}, control=control, period=0.005, output=401)
print(f"after 4 s: {np.degrees(run['pin.angle'][-1]):.2e} deg off the vertical")
assert abs(run["pin.angle"][-1]) < 1e-2

run.animate("lqr.png", view="Front")
fig, (up, low) = plt.subplots(2, 1, figsize=(7, 4.0), sharex=True, layout="constrained")
up.plot(run.time, np.degrees(run["pin.angle"]), color="#0b5fa5")
up.set(ylabel="pendulum [deg]")
low.plot(run.time, run["rail.displacement"], color="#d55e00")
low.set(xlabel="time [s]", ylabel="cart [m]")
plt.show()

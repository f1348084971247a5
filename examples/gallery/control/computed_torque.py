"""
Computed torque
===============

The model runs inside the controller and computes the torques for the accelerations that are
wanted. An arm follows a synchronized motion, controlled at 1 kHz.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

rows = [(0, 0, 0, 0.5), ("pi/2", 0, 0, 0), (0, 0.4, 0, 0)]
bodies = [ts.Body(f"b{i}", 3.0 - i, (0.15, 0, 0), (0.02, 0.05, 0.05, 0, 0, 0)) for i in range(3)]
arm = ts.actuated(ts.from_dh(rows, bodies, convention="modified", name="arm"))
goal = {
    f"joint{i + 1}.angle": ts.robots.Quintic(0.0, x, 1.0) for i, x in enumerate((1.2, -0.6, 0.9))
}
control = ts.robots.ComputedTorque(arm, goal, kp=400.0, kd=40.0)
start = {"joint2.angle": 0.2}  # away from where it should be
run = ts.simulate(arm, 1.4, start, control=control, period=1e-3, output=281)
wanted = {n: np.array([law(t)[0] for t in run.time]) for n, law in goal.items()}
error = {n: run[n] - wanted[n] for n in goal}
print({n: f"{e[-1]:.1e} rad" for n, e in error.items()})
assert max(abs(e[-1]) for e in error.values()) < 1e-3

run.animate("computed_torque.png")
fig, (up, low) = plt.subplots(2, 1, figsize=(7, 4.0), sharex=True, layout="constrained")
for n in goal:
    up.plot(run.time, run[n], label=n)
    up.plot(run.time, wanted[n], "k:", lw=0.8)
    low.plot(run.time, 1e3 * error[n])
up.set(ylabel="angle [rad]")
up.legend(frameon=False, ncols=3, fontsize=8)
low.set(xlabel="time [s]", ylabel="error [mrad]")
plt.show()

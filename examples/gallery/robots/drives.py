"""
Motors and gears for a cycle
============================

Which motor with which gear can drive each joint through its work, what limits each pair, and
how warm the winding gets. The same from a shell: ``torseur size arm.yaml --motion pick``.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

inertia = (0.02, 0.4, 0.4, 0, 0, 0)
bodies = (
    ts.Body("column", 16.0, (0, 0, -0.3)),
    ts.Body("upper", 14.0, (0.1, 0, 0), inertia),
    ts.Body("lower", 8.0, (0.1, 0, 0), inertia),
)
rows = [{"r": 0.7}, {"alpha": "pi/2", "limits": (-0.2, 1.8)}, {"d": 0.6, "limits": (-2.2, 2.2)}]
arm = ts.from_dh(rows, bodies, convention="modified", name="arm")
cycle = {
    "joint1.angle": ts.robots.Trapezoidal(-1.0, 1.0, speed=2.0, acceleration=8.0),
    "joint2.angle": ts.robots.Quintic(0.0, 1.2, 1.2),
    "joint3.angle": ts.robots.Quintic(-0.8, 0.6, 1.2),
}
sized = ts.robots.size(arm, cycle, ts.robots.example_catalog(), pause=0.3, points=801)
print(sized.table(2))

# %%
# For a cycle that cannot be driven, the message names the joint, the limit and by how much it
# is exceeded:
try:
    ts.robots.size(
        arm, {"joint2.angle": ts.robots.Quintic(0.0, 2.0, 1.0)}, ts.robots.example_catalog()
    )
except ts.TorseurError as e:
    print(e)

# %%
# Torque and speed in the envelope of the motor, and its temperature from a cold start.
best = sized["joint2"][0]
minutes, warm = best.heat.warming()
assert best.feasible and abs(warm[-1, 0] - best.heat.winding[-1]) < 0.02 * best.temperature

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
rpm = 30 / np.pi
speed = np.linspace(0, best.motor.speed, 100)
left.plot(speed * rpm, best.motor.envelope(speed), color="#b3261e", label="peak")
left.axhline(best.motor.torque, color="#1769aa", label="continuous")
left.plot(abs(best.speed) * rpm, abs(best.torque), ".", ms=2, color="#1b1f24", label="cycle")
left.set(xlabel=f"speed of {best.motor.name} [rpm]", ylabel="torque [N m]")
left.legend(frameon=False)
right.plot(minutes / 60, warm, label=["winding", "housing"])
right.set(xlabel="time from cold [min]", ylabel="above ambient [K]")
right.legend(frameon=False)
plt.show()

"""
A spring that carries the weight
================================

A spring of zero free length between the column and the arm balances it in every position, if
its stiffness is right. The condition comes in letters, and the effort that is left is nothing.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

arm = ts.Model(
    "arm",
    bodies=(ts.Body("arm", mass=8.0, com=(0.4, 0, 0), inertia=(0.02, 0.3, 0.3, 0, 0, 0)),),
    joints=(ts.Joint("shoulder", "world", "arm", ts.Revolute("y")),),
)
height, radius = 0.3, 0.15
k = 8.0 * 9.81 * 0.4 / (height * radius)  # m g l = k h r
spring = ts.PointForce("spring", ("world", (0, 0, height)), ("arm", (radius, 0, 0)), ts.Spring(k))
angle = np.linspace(-1.4, 1.4, 57)[:, None]
zero = np.zeros_like(angle)
with_spring = ts.compile(
    ts.Model("balanced", bodies=arm.bodies, joints=arm.joints, forces=(spring,))
)
efforts = {
    "bare": ts.compile(arm).inverse_dynamics(angle, zero, zero),
    "with spring": with_spring.inverse_dynamics(angle, zero, zero, forces=True),
}
left = abs(efforts["with spring"]).max()
print(f"k = {k:.1f} N/m leaves {left:.1e} N m of {abs(efforts['bare']).max():.1f} N m")
assert left < 1e-9

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name, x in efforts.items():
    ax.plot(np.degrees(angle), x, label=name)
ax.set(xlabel="shoulder [deg]", ylabel="holding torque [N m]")
ax.legend(frameon=False)
plt.show()

r"""
Tippe top
=========

A ball with its center of mass below its center, spun fast on a table with friction, stands up
on its stem: its center of mass rises. Friction does it, and yet leaves one number constant,
Jellett's: the angular momentum along the line from the center of mass to the contact, :math:`L
\cdot (R\, z - a\, e_3)`.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

R, a, m = 0.025, 0.006, 0.02  # radius, center of mass below the center [m], mass [kg]
J1, J3 = 0.4 * m * R**2, 0.42 * m * R**2
top = ts.Body("top", mass=m, com=(0, 0, -a), inertia=(J1, J1, J3, 0, 0, 0))
model = ts.Model(
    "tippe top",
    bodies=(top,),
    joints=(ts.Joint("fly", "world", "top", ts.Free()),),
    constraints=(ts.Contact("table", "top", radius=R, friction=0.2),),
)
lean = 0.3
start = {"fly.pz": R, "fly.qw": np.cos(lean / 2), "fly.qx": np.sin(lean / 2)}
start |= {"fly.wy": 200.0 * np.sin(lean), "fly.wz": 200.0 * np.cos(lean)}  # about the vertical
run = ts.simulate(model, 6.0, start, rtol=1e-9, output=1501)

q = np.stack([run[f"fly.q{c}"] for c in "wxyz"])
e3 = np.array(
    [
        2 * (q[1] * q[3] + q[0] * q[2]),
        2 * (q[2] * q[3] - q[0] * q[1]),
        1 - 2 * (q[1] ** 2 + q[2] ** 2),
    ]
)
w = np.stack([run[f"fly.w{c}"] for c in "xyz"])  # body axes
J = np.array([J1, J1, J3])
tilt = np.arccos(np.clip(e3[2], -1, 1))
z_body = np.array(
    [2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), e3[2]]
)  # the vertical, in the body
jellett = (J[:, None] * w * (R * z_body - a * np.array([0, 0, 1])[:, None])).sum(axis=0)
drift = abs(jellett / jellett[0] - 1).max()
print(
    f"tilt from {np.degrees(tilt[0]):.0f} to {np.degrees(tilt[-1]):.0f} degrees; "
    f"Jellett's number drifts by {drift:.1e}"
)
assert tilt[-1] > 2.5 and drift < 1e-5

fig, (up, low) = plt.subplots(2, 1, figsize=(7, 4.2), sharex=True, layout="constrained")
up.plot(run.time, np.degrees(tilt), color="#0b5fa5")
up.set(ylabel="tilt [deg]")
low.plot(run.time, w[2], color="#d55e00")
low.axhline(0, color="#999999", lw=0.6)
low.set(xlabel="time [s]", ylabel="spin about its axis [rad/s]")
plt.show()

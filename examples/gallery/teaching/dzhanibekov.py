r"""
The wing nut that turns over
============================

A free body spun about its middle axis of inertia turns over, again and again, at even intervals
(Dzhanibekov saw it in orbit). Euler's equations have Jacobi's elliptic functions as solution,
and the run follows them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipj, ellipk

import torseur as ts

A, B, C = 1.0, 2.0, 2.6  # moments of inertia [kg m^2]; spun about y, the middle one
wings = ts.Box((3.0, 0.25, 0.4))
stem = ts.Cylinder(0.25, 2.2, at=(0, -1.1, 0), rpy=("pi/2", 0, 0), color=(0.85, 0.37, 0.0))
nut = ts.Body("nut", mass=1.0, inertia=(A, B, C, 0, 0, 0), shapes=(wings, stem))
model = ts.Model(
    "wing nut",
    gravity=(0, 0, 0),
    bodies=(nut,),
    joints=(ts.Joint("fly", "world", "nut", ts.Free()),),
)
w0 = (0.002, 8.0, 0.0)
run = ts.simulate(
    model,
    12.0,
    dict(zip(("fly.wx", "fly.wy", "fly.wz"), w0, strict=True)),
    rtol=1e-12,
    atol=1e-12,
    output=2401,
)

# the exact solution: energy and momentum give the amplitude, the modulus and the pace
E2 = A * w0[0] ** 2 + B * w0[1] ** 2
H2 = (A * w0[0]) ** 2 + (B * w0[1]) ** 2
pace = np.sqrt((C - B) * (H2 - A * E2) / (A * B * C))
modulus = (B - A) * (C * E2 - H2) / ((C - B) * (H2 - A * E2))
if modulus > 1:  # the herpolhode goes round the other axis
    pace = np.sqrt((B - A) * (C * E2 - H2) / (A * B * C))
    modulus = 1 / modulus
    top = np.sqrt((H2 - A * E2) / (B * (B - A)))
else:
    top = np.sqrt((C * E2 - H2) / (B * (C - B)))
exact = top * ellipj(pace * run.time + ellipk(modulus), modulus)[0]
error = abs(run["fly.wy"] - exact).max() / w0[1]
print(f"middle axis: error {error:.1e}; turns over every {2 * ellipk(modulus) / pace:.4f} s")
assert error < 1e-8

run.animate("dzhanibekov.png")
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for c in "xyz":
    ax.plot(run.time, run[f"fly.w{c}"], label=f"about {c}")
ax.plot(run.time[::60], exact[::60], "k.", ms=4, label="Jacobi")
ax.set(xlabel="time [s]", ylabel="angular velocity [rad/s]")
ax.legend(frameon=False, ncols=4)
plt.show()

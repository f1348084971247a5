r"""
Quarter car on a bump
=====================

Body, wheel, strut and tire over a bump of 5 cm; the two modes against the closed form of two
masses on two springs.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

ms, mu, ks, kt, c = 300.0, 40.0, 20e3, 180e3, 1500.0
model = ts.Model(
    "quarter car",
    gravity=(0, 0, 0),
    bodies=(ts.Body("wheel", mass=mu), ts.Body("body", mass=ms)),
    joints=(
        ts.Joint("hop", "world", "wheel", ts.Prismatic("z")),
        ts.Joint("strut", "wheel", "body", ts.Prismatic("z")),
    ),
    forces=(
        ts.JointForce("spring", "strut", ts.Parallel(ts.Spring(ks), ts.Viscous(c))),
        ts.JointForce("tire", "hop", ts.Expression("180e3*(x - 0.05*exp(-((t - 0.3)/0.05)**2))")),
    ),
)
undamped = ts.Model(
    "undamped",
    gravity=(0, 0, 0),
    bodies=model.bodies,
    joints=model.joints,
    forces=(ts.JointForce("s", "strut", ts.Spring(ks)), ts.JointForce("t", "hop", ts.Spring(kt))),
)
found = np.sort(ts.modes(undamped).omega)
K = np.array([[ks + kt, -ks], [-ks, ks]])
exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(np.diag([mu, ms]), K))))
print(
    f"bounce {found[0] / 2 / np.pi:.2f} Hz, wheel hop {found[1] / 2 / np.pi:.2f} Hz; "
    f"error {abs(found / exact - 1).max():.1e}"
)
assert np.allclose(found, exact, rtol=1e-9)
run = ts.simulate(model, 2.0, output=801)

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(run.time, 1e3 * run["wheel.position.z"], label="wheel")
ax.plot(run.time, 1e3 * run["body.position.z"], label="body")
ax.set(xlabel="time [s]", ylabel="height [mm]")
ax.legend(frameon=False)
plt.show()

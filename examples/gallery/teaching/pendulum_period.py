r"""
The period of a pendulum
========================

The larger the swing, the longer it takes. The period is an elliptic integral, :math:`T = 4
\sqrt{l/g}\, K(\sin \theta_0/2)`; sixteen amplitudes run at once in SIMD lanes.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk

import torseur as ts

bob = ts.Body("bob", mass=1.0, com=(0, 0, -1.0))
model = ts.Model(
    "pendulum", bodies=(bob,), joints=(ts.Joint("pin", "world", "bob", ts.Revolute("y")),)
)

amplitude = np.linspace(0.1, 3.0, 16)
runs = ts.batch(model, 12.0, {"pin.angle": amplitude}, output=2401, rtol=1e-10)


def period(t, x):
    """Four times the first passage through zero, by the line between two rows."""
    k = np.argmax(x < 0)
    return 4 * (t[k - 1] + (t[k] - t[k - 1]) * x[k - 1] / (x[k - 1] - x[k]))


measured = np.array([period(runs.time, x) for x in runs["pin.angle"]])
exact = 4 * np.sqrt(1 / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
error = abs(measured / exact - 1).max()
print(f"largest error of the period: {error:.1e}")
assert error < 1e-5

fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(amplitude, exact, label="elliptic integral")
ax.plot(amplitude, measured, "o", label="simulated")
ax.set(xlabel="amplitude [rad]", ylabel="period [s]")
ax.legend(frameon=False)
plt.show()

"""
Whipple's bicycle
=================

A bicycle ridden without hands is stable between 4.3 and 6.0 m/s. Eigenvalues of lean and steer
over the speed, against those published by Meijaard, Papadopoulos, Ruina and Schwab (2007).
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

here = Path(__file__).resolve().parent if "__file__" in globals() else Path.cwd()
model = ts.load(
    next(p / "bicycle.yaml" for p in (here, *here.parents) if (p / "bicycle.yaml").exists())
)


def eigenvalues(v):
    at = {"fly.vx": v, "hub.rate": v / 0.3, "axle.rate": v / 0.35}
    found = np.asarray(ts.linearize(model, at).eigenvalues)
    return found[abs(found) > 1e-6]  # place, heading and turns of the wheels are indifferent


published = (-0.775341882195845 + 4.46486771378823j, -0.322866429004087, -14.07838969279822)
error = max(abs(eigenvalues(5.0) - want).min() / abs(want) for want in published)
print(f"weave, capsize and castering at 5 m/s: error {error:.1e}")
assert error < 1e-9

ride = ts.simulate(model, 0.01, {"fly.vx": 5.0, "hub.rate": 5 / 0.3, "axle.rate": 5 / 0.35})
ride.animate("bicycle.png")
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for v in np.linspace(0.5, 10, 39):
    found = eigenvalues(v)
    ax.plot([v] * len(found), found.real, ".", color="#0b5fa5", ms=3)
    ax.plot([v] * len(found), abs(found.imag), ".", color="#d55e00", ms=2)
ax.axhline(0, color="#999999", lw=0.6)
ax.axvspan(4.292, 6.024, color="#009e73", alpha=0.15, lw=0)
ax.set(
    xlabel="speed [m/s]",
    ylabel="eigenvalues [1/s]",
    ylim=(-10, 10),
    title="real parts blue, imaginary orange; stable in the band",
)
plt.show()

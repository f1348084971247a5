"""
A curve that crushes, springs back and stays crushed
====================================================

One mass on a measured curve of force against crush: every corner of the curve is an event,
located to rounding, and so is the moment of greatest crush. The numbers beside it were
integrated piece by piece in closed form.
"""

import matplotlib.pyplot as plt

import torseur as ts

curve = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))
car = ts.Model(
    "car",
    gravity=(0, 0, 0),
    bodies=(ts.Body("car", mass=1000.0),),
    joints=(ts.Joint("slide", "world", "car", ts.Prismatic("x")),),
    forces=(ts.JointForce("front", "slide", ts.Crush(curve, unloading=2e7, beyond=6e6)),),
)
run = ts.simulate(car, 0.1, {"slide.speed": 50 / 3.6}, rtol=1e-10, atol=1e-12)
crush, speed = run["slide.displacement"], run["slide.speed"]
error = max(abs(crush.max() - 0.5156766840), abs(speed[-1] + 4.2006392812))
print(f"crush {crush.max():.7f} m, rebound {speed[-1]:.7f} m/s: error {error:.1e}")
assert error < 1e-9

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.plot(1e3 * crush, 1e-3 * 1000.0 * -run["slide.acceleration"], color="#0b5fa5")
ax.set(xlabel="crush [mm]", ylabel="force [kN]")
plt.show()

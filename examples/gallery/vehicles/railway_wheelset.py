"""
A railway wheelset that hunts
=============================

Two coned wheels on one axle steer themselves, and above a critical speed they never stop doing so.
The wheelset moves sideways and yaws in a frame that runs along the track; creep between wheel and
rail acts by Kalker's linear law.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

given = {"m": 1500.0, "I": 800.0, "b": 0.75, "r0": 0.46, "cone": 0.05, "f11": 8e6, "f22": 8e6,
         "ky": 2e5, "kpsi": 1e6, "V": 40.0}  # fmt: skip
wheelset = ts.Model(
    "wheelset",
    gravity=0,
    bodies=(ts.Body("slider"), ts.Body("axle", "m", inertia=("I", "I/8", "I"))),
    joints=(
        ts.Joint("side", "world", "slider", ts.Prismatic("y")),
        ts.Joint("yaw", "slider", "axle", ts.Revolute("z")),
    ),
    forces=(
        ts.JointForce(
            "rail", "side", ts.Expression("ky*x + 2*f22*(rate/V - psi)", {"psi": "yaw.angle"})
        ),
        ts.JointForce(
            "spin",
            "yaw",
            ts.Expression("kpsi*x + 2*f11*(b**2*rate/V + cone*b/r0*y)", {"y": "side.displacement"}),
        ),
    ),
    parameters=given,
)


def least(roots) -> complex:
    """The one of a conjugate pair whose real part is largest."""
    return complex(max(roots, key=lambda s: (round(s.real, 9), s.imag)))


def growth(speed: float) -> complex:
    """The eigenvalue that is damped least, of the linear model at rest in the moving frame."""
    found = ts.linearize(wheelset, parameters={"V": speed}).eigenvalues
    return least(found)


def by_hand(speed: float) -> complex:
    """The same from the equations of the textbooks."""
    m, I, b, r0, cone, f11, f22, ky, kpsi, _ = given.values()
    y = np.poly1d([m, 2 * f22 / speed, ky])
    psi = np.poly1d([I, 2 * f11 * b**2 / speed, kpsi])
    roots = (y * psi + 4 * f11 * f22 * cone * b / r0).roots
    return least(roots)


low, high = 20.0, 200.0
while high - low > 1e-9:
    middle = (low + high) / 2
    low, high = (middle, high) if growth(middle).real < 0 else (low, middle)
print(f"critical speed {low:.3f} m/s = {3.6 * low:.1f} km/h, {abs(growth(low)) / 2 / np.pi:.2f} Hz")
assert abs(by_hand(low).real) < 1e-6 and abs(growth(60.0) - by_hand(60.0)) < 1e-6 * 60

runs = {
    speed: ts.simulate(wheelset, 3.0, {"side.displacement": 0.003}, parameters={"V": speed})
    for speed in (0.9 * low, 1.05 * low)
}
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for speed, run in runs.items():
    ax.plot(run.time, 1e3 * run["side.displacement"], label=f"{3.6 * speed:.0f} km/h")
ax.set(xlabel="time [s]", ylabel="sideways [mm]")
ax.legend()
plt.show()

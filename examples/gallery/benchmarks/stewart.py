"""
Stewart platform
================

Six legs move a plate in all six degrees of freedom: lengths of the legs, checked against the
distances of their ends, and the force of each leg.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts


def ring(radius, degrees):
    return [(radius * np.cos(x), radius * np.sin(x), 0.0) for x in np.radians(degrees)]


base, top = ring(1.0, [10, 110, 130, 230, 250, 350]), ring(0.6, [50, 70, 170, 190, 290, 310])
rod = {"inertia": (0.02, 0.02, 0.01, 0, 0, 0)}
disc = (ts.Cylinder(0.62, 0.03),)
barrel, piston = ts.Cylinder(0.035, 0.7, at=(0, 0, 0.35)), ts.Cylinder(0.02, 0.7, at=(0, 0, -0.35))
bodies = [ts.Body("plate", 5.0, inertia=(0.5, 0.5, 1, 0, 0, 0), shapes=disc)]
joints = [ts.Joint("fly", "world", "plate", ts.Free("zyx"))]
loops = []
for i, (a, b) in enumerate(zip(base, top, strict=True)):
    bodies += [
        ts.Body(f"low{i}", 1.0, (0, 0, 0.2), shapes=(barrel,), **rod),
        ts.Body(f"up{i}", 1.0, (0, 0, -0.2), shapes=(piston,), **rod),
    ]
    joints.append(ts.Joint(f"foot{i}", "world", f"low{i}", ts.Universal("x", "y"), at=a))
    joints.append(ts.Joint(f"leg{i}", f"low{i}", f"up{i}", ts.Prismatic("z")))
    loops.append(ts.Loop(f"ball{i}", "plate", f"up{i}", ts.Spherical(), at=b))
wave = {
    "px": "0.1*sin(2*t)",
    "py": "0.1*sin(3*t)",
    "pz": "1 + 0.05*sin(4*t)",
    "angle1": "0.2*sin(t)",
    "angle2": "0.1*sin(2*t)",
    "angle3": "0.1*sin(3*t)",
}
drives = tuple(ts.Driven(f"drive {n}", f"fly.{n}", text) for n, text in wave.items())
model = ts.Model("Stewart platform", bodies=bodies, joints=joints, loops=loops, constraints=drives)

start = {"fly.pz": 1.0}  # legs point at their balls
for i, (a, b) in enumerate(zip(base, top, strict=True)):
    x, y, z = np.array(b) + (0, 0, 1) - np.array(a)
    length = np.sqrt(x**2 + y**2 + z**2)
    start |= {
        f"foot{i}.angle1": np.arctan2(-y, z),
        f"foot{i}.angle2": np.arcsin(x / length),
        f"leg{i}.displacement": length,
    }
run = ts.simulate(model, 2 * np.pi, start, rtol=1e-8, output=361)


def turned(t):
    """Rotation of the plate: about z, then y, then x."""
    R = np.eye(3)
    for axis, x in ((2, 0.2 * np.sin(t)), (1, 0.1 * np.sin(2 * t)), (0, 0.1 * np.sin(3 * t))):
        S = np.zeros((3, 3))
        j, k = (axis + 1) % 3, (axis + 2) % 3
        S[k, j], S[j, k] = 1, -1
        R = R @ (np.eye(3) + np.sin(x) * S + (1 - np.cos(x)) * S @ S)
    return R


center = np.stack(
    [0.1 * np.sin(2 * run.time), 0.1 * np.sin(3 * run.time), 1 + 0.05 * np.sin(4 * run.time)],
    axis=1,
)
exact = np.array(
    [
        [np.linalg.norm(p + turned(t) @ b - a) for a, b in zip(base, top, strict=True)]
        for t, p in zip(run.time, center, strict=True)
    ]
)
legs = np.stack([run[f"leg{i}.displacement"] for i in range(6)], axis=1)
error = abs(legs - exact).max()
print(f"lengths of the legs: error {error:.1e} m")
assert error < 1e-8

run.animate("stewart.png", at=0.5)
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
for i in range(6):
    ax.plot(run.time, legs[:, i], label=f"leg {i + 1}")
ax.set(xlabel="time [s]", ylabel="length [m]")
ax.legend(frameon=False, ncols=6, fontsize=8)
plt.show()

"""
Sixteen ways to one pose
========================

Six hinges can reach a pose in up to sixteen ways. The arm of Manseur and Doty reaches one in
exactly sixteen; all of them are found, as eigenvalues of a matrix.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

alpha, a, r = np.radians([90, 1, 90, 1, 90, 1]), (0.3, 1, 0, 1.5, 0, 0), (0, 0, 0.2, 0, 0, 0)
bodies = [ts.Body(f"b{i}", 1, (0.1, 0.05, 0.03), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(6)]
arm = ts.from_dh([(alpha[i], a[i], 0, r[i]) for i in range(6)], bodies, convention="classic")
pose = np.eye(4)
pose[:3] = [
    [-0.760117, -0.641689, 0.102262, -1.140175],
    [0.133333, 0.0, 0.991071, 0.0],
    [-0.635959, 0.766965, 0.085558, 0.0],
]
U, _, V = np.linalg.svd(pose[:3, :3])
pose[:3, :3] = U @ V  # a rotation, as the print of six digits is not quite
found = ts.inverse_kinematics(arm, "b5", pose, starts=16)
dyn = ts.compile(arm)
error = max(abs(dyn.pose("b5", q) - pose).max() for q in found.q)
print(f"{len(found)} solutions; each reaches the pose within {error:.1e}")
assert error < 1e-9 and len(found) == 16

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
for q in np.degrees(found.q):
    ax.plot(range(1, 7), q, "o-", lw=0.8, ms=3)
ax.set(xlabel="joint", ylabel="angle [deg]")
plt.show()

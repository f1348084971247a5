"""
A PUMA by Uicker's method
=========================

The first three axes of a PUMA with every inertial parameter a letter: coefficients A, B, C and
G as the thesis of B. Madani tabulates them, and the numbers of a generic case.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts


def link(i):
    """A body with ten letters."""
    moments = tuple(f"I{e}{i}" for e in ("xx", "yy", "zz", "xy", "xz", "yz"))
    return ts.Body(
        f"link{i}",
        mass=f"m{i}",
        first_moment=(f"mx{i}", f"my{i}", f"mz{i}"),
        inertia=moments,
        about="origin",
    )


rows = [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, "d3", 0, 0)]
arm = ts.from_dh(
    rows,
    [link(i) for i in (1, 2, 3)],
    convention="modified",
    name="PUMA, three axes",
    gravity=(0, 0, "-g"),
)
eq = ts.equations(arm, formalism="uicker")
print(eq.text("coefficients"))
assert eq.mass_matrix[1, 1] == "Izz2 + Izz3 + 2 d3 mx3 c3 - 2 d3 my3 s3 + m3 d3^2"
assert eq.gravity[2] == "g (mx3 c23 - my3 s23)"

numbers = dict.fromkeys(eq.parameters, 0.0) | {
    "m3": 36.2,
    "d3": 0.6,
    "g": 9.81,
    "Izz1": 4.36,
    "Iyy2": 2.1,
    "Izz2": 2.5,
    "Iyy3": 1.9,
    "Izz3": 2.2,
    "mx2": 7.2,
    "mx3": 5.1,
}
angle = np.linspace(-np.pi, np.pi, 121)
efforts = np.array([eq.evaluate((0, 0.7, x), (0, 0, 0), (0, 0, 0), numbers) for x in angle])

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for i in (1, 2):
    ax.plot(np.degrees(angle), efforts[:, i], label=f"joint {i + 1}")
ax.set(xlabel="third joint [deg]", ylabel="holding torque [N m]")
ax.legend(frameon=False)
plt.show()

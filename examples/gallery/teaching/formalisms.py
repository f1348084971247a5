"""
One arm, seven formalisms
=========================

Every formalism writes the same equations: not nearly, but coefficient by coefficient, as exact
polynomials. What differs is the work.
"""

import matplotlib.pyplot as plt

import torseur as ts
from torseur.formalisms import FORMALISMS

rows = [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, "d3", 0, 0)]
links = [
    ts.Body(
        f"link{i}",
        mass=f"m{i}",
        first_moment=(f"mx{i}", f"my{i}", 0),
        inertia=(0, 0, f"I{i}", 0, 0, 0),
        about="origin",
    )
    for i in (1, 2, 3)
]
arm = ts.from_dh(rows, links, convention="modified", name="arm", gravity=(0, 0, "-g"))
names = [n for n in FORMALISMS if n != "articulated_body"]
all_of_them = {n: ts.equations(arm, formalism=n) for n in names}
first = all_of_them["newton_euler"]
print(first.tau[2])
assert all(eq == first for eq in all_of_them.values())
print(f"{len(names)} formalisms give the same exact equations")

terms = [first.tau[i].terms for i in range(3)]
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.barh([f"joint {i + 1}" for i in range(3)], terms, color="#0b5fa5")
ax.set(xlabel="terms of the equation")
ax.invert_yaxis()
plt.show()

"""
Operations of the recursions
============================

Spatial algebra gives recursions whose cost grows with the number of bodies: Newton-Euler in
proportion, the mass matrix with its square. Operations are counted, not timed; the accelerations
of chains as short as these are solved by the mass matrix.
"""

import matplotlib.pyplot as plt

import torseur as ts


def chain(n):
    bodies = [
        ts.Body(f"b{i}", 1.0, (0.1, 0.02, 0.03), (0.02, 0.03, 0.04, 0.001, 0.002, 0.003))
        for i in range(n)
    ]
    kinds = [ts.Revolute("zyx"[i % 3]) for i in range(n)]
    joints = [
        ts.Joint(f"j{i}", "world" if i == 0 else f"b{i - 1}", f"b{i}", k, at=(0.3, 0, 0.1))
        for i, k in enumerate(kinds)
    ]
    return ts.Model(f"chain of {n}", bodies=bodies, joints=joints)


sizes = (2, 4, 6, 8)
names = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
count = {name: [] for name in names}
for n in sizes:
    dyn = ts.compile(chain(n))
    for name in names:
        made = dyn.operations(name)
        count[name].append(sum(made.values()) if isinstance(made, dict) else int(made))
print(count)
growth = (
    count["inverse_dynamics"][3] - count["inverse_dynamics"][2],
    count["inverse_dynamics"][2] - count["inverse_dynamics"][1],
)
assert abs(growth[0] / growth[1] - 1) < 0.25  # a straight line

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name in names:
    ax.plot(sizes, count[name], "o-", label=name.replace("_", " "))
ax.set(xlabel="hinges", ylabel="additions and multiplications")
ax.legend(frameon=False)
plt.show()

"""
Weight that motors need not carry
=================================

A counterweight for the elbow, a spring for the shoulder: in symbols, the condition for perfect
balance; in numbers, the best choice within bounds. The same from a shell: ``torseur balance
arm.yaml``.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

axis = ts.Revolute((0, -1, 0))


def arm(m2, x2, m3, x3, length, g):
    """Two links that lift: of each its mass and where its center is."""
    return ts.Model(
        "arm",
        gravity=(0, 0, f"-{g}"),
        bodies=(ts.Body("upper", m2, (x2, 0, 0)), ts.Body("lower", m3, (x3, 0, 0))),
        joints=(
            ts.Joint("shoulder", "world", "upper", axis),
            ts.Joint("elbow", "upper", "lower", axis, at=(length, 0, 0)),
        ),
    )


# %%
# In symbols: no effort in any pose.
weight = ts.robots.Counterweight("weight", "elbow", mass="Mcp", distance="d")
spring = ts.robots.Spring("spring", "shoulder", anchor=(0, 0, "H"), radius="R", stiffness="k")
letters = arm("m2", "x2", "m", "x", "L", "g")
said = ts.robots.balance_conditions(letters, [weight, spring], solve_for=("d", "k"))
print(said.by_weight())

# %%
# In numbers, with a real spring that is slack where the arm stands up: the least RMS within bounds,
# over both joints.
robot = arm(14.0, 0.28, 8.0, 0.3, 0.6, 9.81)
weight = ts.robots.Counterweight("weight", "elbow", mass=12.0)
spring = ts.robots.Spring("spring", "shoulder", anchor=(0, 0, 0.2), radius=0.12, rest=np.pi / 2)
angles = np.linspace(0, 1.4, 41)
done = ts.robots.balance(
    robot,
    [weight, spring],
    over={"shoulder.angle": angles},
    bounds={"weight.distance": (0.1, 0.4), "spring.stiffness": (1e3, 6e4)},
)
print(done)
assert abs(done.values["weight.distance"] - 8.0 * 0.3 / 12.0) < 1e-9
assert abs(done.after[:, 1]).max() < 0.4 * abs(done.before[:, 1]).max()

fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
for ax, i, name in zip(axes, range(2), done.joints, strict=True):
    ax.plot(np.degrees(angles), done.before[:, i], label="before", color="#8a94a0")
    ax.plot(np.degrees(angles), done.after[:, i], label="after", color="#1769aa")
    ax.set(xlabel="shoulder [deg]", ylabel=f"effort of the {name} [N m]")
axes[0].legend(frameon=False)
plt.show()

"""
Parts cut free
==============

C. Pontonnier's lectures isolate a part and write the wrench that everything outside exerts on
it. Here: the pin forces of a four-bar over one turn, and the work of its motor, which must
be zero over a whole turn.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts


def rod(name, length):
    m = 2 * length
    J = m * length**2 / 12
    return ts.Body(name, mass=m, com=(length / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))


pin = ts.Revolute("z")
model = ts.Model(
    "four-bar",
    gravity=(0, -9.81, 0),
    bodies=(rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
    joints=(
        ts.Joint("A", "world", "crank", pin),
        ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
        ts.Joint("D", "world", "rocker", pin, at=(0.9, 0, 0)),
    ),
    loops=(ts.Loop("C", "rocker", "coupler", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0)),),
    constraints=(ts.Driven("motor", "A.angle", "1 + 6*t"),),
    frames=(ts.Frame("middle", "rocker", at=(0.3, 0, 0)),),
)
run = ts.simulate(
    model,
    2 * np.pi / 6,
    {"A.angle": 1.0, "B.angle": -0.6, "D.angle": 1.6},
    keep=("A.angle",),
    rtol=1e-10,
    output=2401,
)
force = {n: np.stack([run[f"{n}.reaction.force.{c}"] for c in "xy"]) for n in "ABCD"}
print({n: f"{np.hypot(*x).max():.2f} N" for n, x in force.items()})

work = np.trapezoid(run["motor.multiplier"] * run["A.rate"], run.time)  # of the motor, over a turn
print(
    f"work of the motor over a turn: {work:.1e} J, "
    f"of up to {np.ptp(run['energy.kinetic']):.2f} J that go to and fro"
)
assert abs(work) < 1e-4

run.animate("cut_free.png", view="Front")
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for n, x in force.items():
    ax.plot(np.degrees(run["A.angle"]), np.hypot(*x), label=f"pin {n}")
ax.set(xlabel="crank [deg]", ylabel="force [N]")
ax.legend(frameon=False, ncols=4)
plt.show()

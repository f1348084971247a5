"""
Andrews' squeezing mechanism
============================

Seven bodies in a plane, three loops that meet in one point, a motor and a spring: the standard
test of solvers for constrained systems. Its crank turns by 15.8 rad in 30 ms. The reference is
that of the Test Set for IVP Solvers (initial value problems).
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

A, B, C = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
d, e, rr, ss, u, zf, zt = 28e-3, 20e-3, 7e-3, 35e-3, 40e-3, 20e-3, 40e-3


def part(i, mass, J, x, y):
    return ts.Body(f"K{i}", mass=mass, com=(x, y, 0), inertia=(J / 2, J / 2, J, 0, 0, 0))


pin = ts.Revolute("z")
model = ts.Model(
    "squeezer",
    gravity=(0, 0, 0),
    bodies=(
        part(1, 0.04325, 2.194e-6, 92e-5, 0),
        part(2, 0.00365, 4.410e-7, -115e-4, 0),
        part(3, 0.02373, 5.255e-6, 1043e-5, -1874e-5),
        part(4, 0.00706, 5.667e-7, 0, -(e - 1421e-5)),
        part(5, 0.07050, 1.169e-5, 2308e-5, 916e-5),
        part(6, 0.00706, 5.667e-7, zf - 1421e-5, 0),
        part(7, 0.05498, 1.912e-5, -449e-5, -1228e-5),
    ),
    joints=(
        ts.Joint("beta", "world", "K1", pin),
        ts.Joint("theta", "K1", "K2", pin, at=(rr, 0, 0)),
        ts.Joint("gamma", "world", "K3", pin, at=B),
        ts.Joint("delta", "world", "K5", pin, at=A),
        ts.Joint("phi", "K5", "K4", pin, at=(zt, 0, 0)),
        ts.Joint("epsilon", "world", "K7", pin, at=A),
        ts.Joint("omega", "K7", "K6", pin, at=(0, -u, 0)),
    ),
    loops=(
        ts.Loop("P3", "K2", "K3", pin, at=(-d, 0, 0), child_at=(0, -ss, 0)),
        ts.Loop("P4", "K2", "K4", pin, at=(-d, 0, 0), child_at=(0, -e, 0)),
        ts.Loop("P6", "K2", "K6", pin, at=(-d, 0, 0), child_at=(zf, 0, 0)),
    ),
    forces=(
        ts.PointForce(
            "spring", ("K3", (0.02, -0.018, 0)), ("world", C), ts.Spring(4530.0, 0.07785)
        ),
        ts.JointForce("motor", "beta", ts.Expression("-0.033")),
    ),
)
names = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
start = (
    -0.0617138900142764,
    0,
    0.4552798191630704,
    0.2226683901658859,
    0.4873649795438426,
    -0.2226683901658859,
    1.2305474445498212,
)
reference = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
)
run = ts.simulate(
    model,
    0.03,
    {f"{n}.angle": x for n, x in zip(names, start, strict=True)},
    rtol=1e-10,
    atol=1e-11,
    output=601,
)
end = np.array([run[f"{n}.angle"][-1] for n in names])
error = abs(end - reference).max()
print(f"largest error of the seven angles after 30 ms: {error:.1e} rad")
assert error < 1e-4

run.animate("andrews.png", view="Top")
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
for n in names[2:]:
    ax.plot(1e3 * run.time, run[f"{n}.angle"], label=n)
ax.plot([30] * 5, reference[2:], "k.")
ax.set(xlabel="time [ms]", ylabel="angle [rad]")
ax.legend(frameon=False, ncols=5, fontsize=8)
plt.show()

"""
What matters in a crash
=======================

A curve, a mass and a speed that vary: 256 runs in SIMD lanes, the spread of the peak, and how
much of it each of them explains.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

car = ts.Model(
    "car",
    gravity=(0, 0, 0),
    bodies=(ts.Body("body", 1200.0),),
    joints=(ts.Joint("x", "world", "body", ts.Prismatic("x")),),
    forces=(ts.JointForce("front", "x", ts.Crush(((0, 0), (0.1, 2e5), (0.6, 4e5)), 2e7)),),
)
study = ts.study(
    car,
    t_end=0.1,
    vary={
        "front.scale": ts.studies.Normal(1, 0.1),
        "body.mass": ts.studies.Uniform(1100, 1300),
        "x.speed": ts.studies.Uniform("40 km/h", "60 km/h"),
    },
    samples=256,
    design="sobol",
    keep={"peak": ts.studies.Peak("x.acceleration")},
    engine="lanes",
)
print(study.table[["front.scale", "body.mass", "x.speed", "peak"]].describe().round(2))
share = study.sensitivity("peak")["S1"]
print(share.round(3))
assert study["completed"].all() and 0.8 < share.sum() < 1.2

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", width_ratios=(2, 1))
left.hist(study["peak"] / 9.80665, bins=24, color="#0b5fa5")
left.set(xlabel="peak acceleration [g]", ylabel="runs")
right.barh(list(share.index), np.maximum(share, 0), color="#d55e00")
right.set(xlabel="share of the variance")
plt.show()

"""
Jansen's leg
============

Theo Jansen's "holy numbers": eleven bars turn a crank into a step. The foot's path is compared
with the intersections of circles by which the leg can be constructed.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

a, b, c, d, e, f, g, h, i, j, k, l, m = (
    np.array([38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 7.8, 15.0]) / 100
)
B = np.array([-a, -l])


def meet(P, p, Q, q, side):
    """Where circles about P and Q meet, on one side of PQ."""
    D = Q - P
    s = np.hypot(*D)
    x = (p**2 - q**2 + s**2) / (2 * s)
    return P + (x * D + side * np.sqrt(p**2 - x**2) * np.array([-D[1], D[0]])) / s


def points(t):
    """Pins by hand: crank, two knees, hip, ankle, foot."""
    C = m * np.array([np.cos(t), np.sin(t)])
    D = meet(C, j, B, b, -1)
    E = meet(C, k, B, c, 1)
    F = meet(D, e, B, d, -1)
    G = meet(F, f, E, g, -1)
    return C, D, E, F, G, meet(G, h, E, i, -1)


def angle(P, Q):
    return float(np.arctan2(*(Q - P)[::-1]))


def local(P, Q, X):
    """X in the frame at P whose x axis goes to Q."""
    t = angle(P, Q)
    return (*(np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) @ (X - P)), 0.0)


def bar(name, length, mass=1.0):
    J = mass * length**2 / 12
    return ts.Body(name, mass=mass, com=(length / 2, 0, 0), inertia=(0, J, J, 0, 0, 0))


C, D, E, F, G, H = points(0.0)
pin, hip = ts.Revolute("z"), (*B, 0.0)
model = ts.Model(
    "Jansen's leg",
    gravity=(0, -9.81, 0),
    bodies=(
        bar("crank", m),
        bar("j", j),
        bar("k", k),
        bar("thigh", b),
        bar("c", c),
        bar("f", f),
        bar("shin", g),
    ),
    joints=(
        ts.Joint("crank", "world", "crank", pin),
        ts.Joint("j", "crank", "j", pin, at=(m, 0, 0)),
        ts.Joint("k", "crank", "k", pin, at=(m, 0, 0)),
        ts.Joint("thigh", "world", "thigh", pin, at=hip),
        ts.Joint("c", "world", "c", pin, at=hip),
        ts.Joint("shin", "c", "shin", pin, at=(c, 0, 0)),
        ts.Joint("f", "thigh", "f", pin, at=local(B, D, F)),
    ),
    loops=(
        ts.Loop("D", "j", "thigh", pin, at=(j, 0, 0), child_at=(b, 0, 0)),
        ts.Loop("E", "k", "c", pin, at=(k, 0, 0), child_at=(c, 0, 0)),
        ts.Loop("G", "f", "shin", pin, at=(f, 0, 0), child_at=(g, 0, 0)),
    ),
    constraints=(ts.Driven("turn", "crank.angle", "2*pi*t"),),
    frames=(ts.Frame("foot", "shin", at=local(E, G, H)),),
)
start = {
    "j.angle": angle(C, D), "k.angle": angle(C, E),
    "thigh.angle": angle(B, D), "c.angle": angle(B, E),
    "shin.angle": angle(E, G) - angle(B, E), "f.angle": angle(F, G) - angle(B, D),
}  # fmt: skip
run = ts.simulate(model, 1.0, start, rtol=1e-9, output=181)
foot = np.stack([run["foot.position.x"], run["foot.position.y"]], axis=1)
exact = np.array([points(2 * np.pi * t)[-1] for t in run.time])
error = abs(foot - exact).max()
print(
    f"foot: error {error:.1e} m; "
    f"torque of the crank up to {abs(run['turn.multiplier']).max():.2f} N m"
)
assert error < 1e-14

run.animate("jansen.png", view="Front", at=0.2)
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
left.plot(*foot.T, color="#d55e00")
for P, Q in (
    (0 * C, C),
    (C, D),
    (C, E),
    (B, D),
    (B, E),
    (B, F),
    (D, F),
    (F, G),
    (E, G),
    (G, H),
    (E, H),
):
    left.plot(*np.stack([P, Q]).T, "o-", color="#0b5fa5", ms=3)
left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
right.plot(run.time, run["turn.multiplier"], color="#333333")
right.set(xlabel="time [s]", ylabel="torque of the crank [N m]")
plt.show()

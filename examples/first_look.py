"""A first look: a robot arm from its DH table, as numbers, as machine code, as equations."""

import numpy as np

import torseur as ts

rows = [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)]
links = [
    ts.Body("column", mass=20.0, inertia=(0.3, 0.3, 0.2, 0, 0, 0)),
    ts.Body("arm", mass=12.0, com=(0.3, 0, 0), inertia=(0.02, 0.4, 0.4, 0, 0, 0)),
    ts.Body("forearm", mass=6.0, com=(0.25, 0, 0), inertia=(0.01, 0.15, 0.15, 0, 0, 0)),
]
arm = ts.from_dh(
    rows,
    links,
    convention="modified",
    name="three-axis arm",
    frames=(ts.Frame("tool", "forearm", at=(0.5, 0, 0)),),
)


def main() -> None:
    system = arm.check()
    print(system, "with coordinates", ", ".join(system.coordinates))

    dyn = ts.compile(system)
    q, v, a = [0.4, 0.7, -1.1], [1.2, -0.8, 1.5], [2.0, -3.0, 4.0]
    tau = dyn.inverse_dynamics(q, v, a)
    print("efforts [N m]:", tau.round(4), " with", dyn.operations("inverse_dynamics"))
    print("tool at [m]:  ", dyn.pose("tool", q)[:3, 3].round(4))
    back = dyn.forward_dynamics(q, v, tau)
    print("forward(inverse) is off by", f"{abs(back - a).max():.1e}")
    assert abs(back - a).max() < 1e-12

    batch = np.random.default_rng(0).normal(size=(3, 100_000, 3))
    print("100 000 states at once:", dyn.inverse_dynamics(*batch).shape)


if __name__ == "__main__":
    main()

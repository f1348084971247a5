"""A thousand throws of one pendulum in SIMD lanes: how the period grows with the amplitude."""

import numpy as np

import torseur as ts
from torseur.simulation import batch


def main():
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    pendulum = ts.Model(
        "pendulum", bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),)
    )
    start = np.linspace(0.01, 2.5, 1000)
    many = batch(pendulum, 4.0, {"pivot.angle": start}, step=2e-3, output=2001)
    angle = many["pivot.angle"]
    falls = [np.flatnonzero((a[:-1] > 0) & (a[1:] <= 0))[0] for a in angle]
    quarter = np.array(
        [
            many.time[i] + a[i] / (a[i] - a[i + 1]) * (many.time[1] - many.time[0])
            for i, a in zip(falls, angle, strict=True)
        ]
    )
    print(
        f"{many}: period {4 * quarter[0]:.5f} s at {start[0]:.2f} rad, "
        f"{4 * quarter[-1]:.5f} s at {start[-1]:.2f} rad"
    )
    assert abs(4 * quarter[0] - 2 * np.pi / np.sqrt(9.81)) < 1e-4
    assert (np.diff(quarter) > 0).all()
    return many


if __name__ == "__main__":
    main()

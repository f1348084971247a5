"""A bead on a wire: a cycloid by its parameter, and the same wire measured at a few points."""

import numpy as np

import torseur as ts

RADIUS = 0.5  # of the circle that draws the cycloid [m]
PERIOD = 4 * np.pi * np.sqrt(RADIUS / 9.81)  # Huygens: whatever the amplitude


def bead(wire: ts.PointOnCurve) -> ts.Model:
    """A point of 0.3 kg with two Cartesian coordinates, on a wire."""
    return ts.Model(
        "bead",
        bodies=(ts.Body("across"), ts.Body("bead", mass=0.3)),
        joints=(
            ts.Joint("x", "world", "across", ts.Prismatic("x")),
            ts.Joint("z", "across", "bead", ts.Prismatic("z")),
        ),
        constraints=(wire,),
    )


def swing(model: ts.Model, start: float):
    return ts.simulate(
        model,
        2 * PERIOD,
        {"wire.parameter": start},
        keep=("wire.parameter",),
        rtol=1e-10,
        output=401,
    )


def period(run) -> float:
    """Between two passages of the lowest point in the same direction [s]."""
    s = run["wire.parameter"]
    falling = np.flatnonzero((s[:-1] > 0) & (s[1:] <= 0))[:2]
    t = run.time[falling] - s[falling] * np.diff(run.time)[falling] / np.diff(s)[falling]
    return float(np.diff(t)[0])


def main() -> float:
    cycloid = bead(
        ts.PointOnCurve(
            "wire", "bead", curve=(f"{RADIUS}*(s + sin(s))", 0, f"{RADIUS}*(1 - cos(s))")
        )
    )
    for start in (0.3, 1.2, 2.4):
        run = swing(cycloid, start)
        force = np.hypot(run["wire.x.multiplier"], run["wire.z.multiplier"])
        print(
            f"from s = {start}: period {period(run):.6f} s, the wire pushes with up to "
            f"{force.max():.3f} N, energy drifts by {abs(run['energy.residual']).max():.0e} J"
        )
    s = np.linspace(-2.6, 2.6, 27)
    measured = bead(
        ts.PointOnCurve(
            "wire",
            "bead",
            knots=s,
            points=np.stack([RADIUS * (s + np.sin(s)), 0 * s, RADIUS * (1 - np.cos(s))], axis=1),
        )
    )
    print(
        f"measured at 27 points: period {period(swing(measured, 1.2)):.6f} s; "
        f"4 pi sqrt(a / g) is {PERIOD:.6f} s"
    )
    return period(run)


if __name__ == "__main__":
    main()

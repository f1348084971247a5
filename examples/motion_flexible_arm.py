"""A robot link that bends: it is driven through 90 degrees and its load lags behind."""

import numpy as np

import torseur as ts


def model(modes: tuple[int, int, int, int] = (0, 2, 0, 0)) -> ts.Model:
    return ts.Model(
        "flexible arm",
        gravity=(0, 0, 0),
        bodies=(
            ts.Beam("link", length=1.2, EI=400.0, mass_per_length=0.6, modes=modes, damping=0.01),
            ts.Body("load", mass=0.3, inertia=(2e-4, 2e-4, 2e-4)),
        ),
        joints=(
            ts.Joint("shoulder", "world", "link", ts.Revolute("z")),
            ts.Joint("grip", "link", "load", ts.Weld(), at=(1.2, 0, 0)),
        ),
        constraints=(ts.Driven("drive", "shoulder.angle", "pi/4*(1 - cos(pi*t/0.6))"),),
    )


def main(picture=None):
    arm = model()
    turned = ts.simulate(arm, 0.6)
    x, y = (turned[f"load.position.{c}"] for c in "xy")
    lag = 1.2 * turned["shoulder.angle"] - 1.2 * np.arctan2(y, x)
    print(f"the load lags by up to {1e3 * abs(lag).max():.1f} mm on its way")
    still = ts.modes(arm, keep=["shoulder.angle"])
    print(f"held at the shoulder, it swings at {still.frequency[0]:.2f} Hz")
    assert abs(turned["energy.residual"]).max() < 1e-6
    # a massless beam with the load and 33/140 of its own mass at the tip (Rayleigh)
    swing = np.sqrt(3 * 400.0 / (1.2**3 * (0.3 + 33 / 140 * 0.6 * 1.2))) / (2 * np.pi)
    assert abs(still.frequency[0] / swing - 1) < 0.02
    if picture:
        turned.plot("link.bending_y1", "link.bending_y2", path=picture)
    return turned


if __name__ == "__main__":
    main("flexible_arm.png")

"""A disc that rolls without slipping: speeds that satisfy it, and the force of the ground."""

import numpy as np

import torseur as ts

disc = ts.Model(
    name="rolling disc",
    bodies=(ts.Body("disc", mass=1.0, inertia=(0.25, 0.5, 0.25, 0, 0, 0)),),
    joints=(ts.Joint("fly", "world", "disc", ts.Free()),),
    constraints=(ts.Rolling("contact", "disc", radius=1.0),),
)
LEAN, YAW, SPIN = 0.3, 1.0, 4.0
START = {
    "fly.pz": np.cos(LEAN),
    "fly.qw": np.cos(LEAN / 2),
    "fly.qx": np.sin(LEAN / 2),
    "fly.wx": 0.0,
    "fly.wy": SPIN + YAW * np.sin(LEAN),
    "fly.wz": YAW * np.cos(LEAN),
}


def main() -> float:
    print(ts.mobility_report(disc, START))
    run = ts.simulate(disc, t_end=5.0, initial=START, rtol=1e-11, atol=1e-12, output=501)
    normal = run["contact.normal.multiplier"]
    print(run.outcome, f"; the ground pushes with {normal.min():.2f} to {normal.max():.2f} N")
    return float(run["fly.px"][-1])


if __name__ == "__main__":
    print(f"x after 5 s: {main():.10f} m")

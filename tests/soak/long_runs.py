"""Long runs: pendulum, heavy top, four-bar, rolling disc, drives; the books close all the way.

    python tests/soak/long_runs.py --seconds 1000 --rtol 1e-8 1e-11

The energy audit relative to the energies in play is asked to be at most 1e-6 at rtol 1e-8 and 1e-9
at rtol 1e-11, the constraints 1e-9 of the mechanism, and the run complete.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import torseur as ts

MOST = {1e-8: 1e-6, 1e-11: 1e-9}


def pendulum():
    rod = ts.Body("rod", 1.0, (0, 0, -1.0), (0.1, 0.1, 0.1, 0, 0, 0))
    model = ts.Model(bodies=(rod,), joints=(ts.Joint("p", "world", "rod", ts.Revolute("y")),))
    return model, {"p.angle": 2.5}, None


def heavy_top():
    top = ts.Body("top", 15.0, (0, 1, 0), (0.234375, 0.46875, 0.234375, 0, 0, 0))
    model = ts.Model(bodies=(top,), joints=(ts.Joint("b", "world", "top", ts.Spherical()),))
    return model, {"b.rate2": 150.0, "b.rate3": -4.61538}, None


def four_bar():
    from simulation.test_interrupt import START, four_bar as made

    return made(), START, ("A.angle", "A.rate")


def rolling_disc():
    disc = ts.Body("disc", 1.0, inertia=(0.25, 0.5, 0.25, 0, 0, 0))
    model = ts.Model(
        bodies=(disc,),
        joints=(ts.Joint("f", "world", "disc", ts.Free()),),
        constraints=(ts.Rolling("c", "disc", radius=1.0),),
    )
    lean, yaw, spin = 0.3, 1.0, 4.0
    start = {
        "f.pz": np.cos(lean), "f.qw": np.cos(lean / 2), "f.qx": np.sin(lean / 2), "f.wx": 0.0,
        "f.wy": spin + yaw * np.sin(lean), "f.wz": yaw * np.cos(lean),
    }  # fmt: skip
    return model, start, None


def drive(*stages):
    """A link behind a drive that gives."""
    link = ts.Body("link", 15.0, (0, 0, -1.0), (0, 15, 15, 0, 0, 0))
    joint = ts.Joint(
        "j", "world", "link", ts.Revolute("y"), drive=ts.Drive(stages=stages, input="torque")
    )
    model = ts.Model(bodies=(link,), joints=(joint,), inputs=(ts.Input("torque", unit="N m"),))
    return model, {"j.angle": 1.0}, None


CASES: dict[str, Callable] = {
    "pendulum": pendulum,
    "heavy top": heavy_top,
    "four-bar": four_bar,
    "rolling disc": rolling_disc,
    "drive, damped": lambda: drive(
        ts.DriveStage("motor", inertia=8.8e-4, ratio=100, stiffness=200, damping=1e-3),
        ts.DriveStage("reducer", inertia=0.05, stiffness=1e4, damping=5),
    ),
    "drive, undamped": lambda: drive(ts.DriveStage("motor", inertia=0.1, stiffness=1e3)),
}


def one(name: str, seconds: float, rtol: float) -> tuple[str, ts.Trajectory]:
    """What is wrong with one run, or nothing; and the run."""
    model, start, keep = CASES[name]()
    run = ts.simulate(
        model, seconds, start, keep=keep, rtol=rtol, atol=rtol / 100, output=1001, progress=False
    )
    faults = [] if run.completed else [run.outcome]
    if not run.energy_audit.relative <= MOST.get(rtol, 100 * rtol):
        faults.append(f"the audit is {run.energy_audit.relative:.2g}")
    if "constraints.residual" in run.signals and not run["constraints.residual"].max() <= 1e-9:
        faults.append(f"constraints are open by {run['constraints.residual'].max():.2g}")
    return "; ".join(faults), run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1000.0)
    parser.add_argument("--rtol", type=float, nargs="+", default=list(MOST))
    parser.add_argument("--only", nargs="+", choices=list(CASES))
    args = parser.parse_args()
    bad = 0
    for name in args.only or CASES:
        for rtol in args.rtol:
            said, run = one(name, args.seconds, rtol)
            bad += bool(said)
            steps, took = run.statistics["steps"], run.statistics["seconds"]
            print(f"{name}, rtol {rtol:g}: audit {run.energy_audit.relative:.2g}, {steps} steps of "
                  f"{run.provenance['method']}, {took:.1f} s {'; ' if said else ''}{said}",
                  flush=True)  # fmt: skip
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())

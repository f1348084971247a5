"""Inverse kinematics of seven real arms: `python benchmarks/inverse_kinematics.py [n] [page.md]`.

Poses are those of coordinates spread at random within the limits, so that all can be reached; one
counts as found when a solution within the limits reaches it to 1e-8.
"""

import sys
import time
from importlib import metadata
from pathlib import Path

import numpy as np

import torseur as ts
from torseur.files import write

ROBOTS = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "UR10": ("ur_description/urdf/ur10_robot.urdf", "tool0"),
    "Panda": ("panda_description/urdf/panda.urdf", "panda_hand"),
    "Kinova Jaco 2": ("kinova_description/robots/kinova.urdf", "j2s6s200_end_effector"),
    "xArm 7": ("xarm_description/urdf/xarm7.urdf", "link_eef"),
    "SO-101": ("so_arm_description/urdf/so101.urdf", "gripper_link"),
    "Unitree Z1": ("z1_description/urdf/z1.urdf", "link06"),
}


HEAD = """# Inverse kinematics of real arms

{count} poses each, of coordinates spread at random within the joints' limits (URDF files of
example-robot-data); found: a solution within the limits reaches the pose to 1e-8.  Seconds of
one core, `python benchmarks/inverse_kinematics.py`; times include every solution where the method
gives all (closed forms, elimination), one a pose otherwise.

"""


def folder() -> Path:
    package = metadata.distribution("example-robot-data")
    return Path(package.locate_file("cmeel.prefix/share/example-robot-data/robots"))


def measured(file: str, frame: str, count: int) -> dict:
    """Share found, by which method, and how long it took."""
    model = ts.load(folder() / file, right_angles=True)
    s, dyn = model.check(), ts.compile(model)
    limits = {j.name: j.limits for j in model.joints}
    low, high = np.array([limits[k.name] or (-np.pi, np.pi) for k in s.links], float).T
    T = dyn.pose(frame, np.random.default_rng(0).uniform(low, high, (count, s.nq)))
    ts.inverse_kinematics(model, frame, T[:20])  # compiles
    start = time.process_time()
    found = ts.inverse_kinematics(model, frame, T)
    seconds = time.process_time() - start
    best = np.nan_to_num(found.best)
    off = abs(dyn.pose(frame, best) - T).max(axis=(1, 2))
    good = (off < 1e-8) & found.within_limits.any(axis=1)
    return {
        "joints": s.nq,
        "method": found.method,
        "found": float(good.mean()),
        "mean": float(np.isfinite(found.q[..., 0]).sum(axis=1).mean()),
        "seconds": seconds,
    }


def main(count: int, page: str | None) -> None:
    rows = ["| robot | joints | method | found [%] | solutions a pose | time [s] |"]
    rows.append("|---|---|---|---|---|---|")
    for name, (file, frame) in ROBOTS.items():
        x = measured(file, frame, count)
        shown = (x["joints"], x["method"], f"{100 * x['found']:.2f}", f"{x['mean']:.2f}")
        rows.append(f"| {' | '.join(map(str, (name, *shown, round(x['seconds'], 2))))} |")
        print(rows[-1], flush=True)
    if page:
        write(Path(page), HEAD.format(count=count) + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, *(sys.argv[2:3] or [None]))

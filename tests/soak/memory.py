"""Thousands of simulate, compile and report calls: memory stays flat.

    python tests/soak/memory.py --calls 10000

First a quarter as many calls are made, 500 at least; then the resident size before the others is
compared with that after them: at most 1 KB a call may be left, of any of them.
"""

import argparse
import gc
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import torseur as ts

MOST = 1024.0  # bytes that a call may leave


def model(mass: float = 1.0) -> ts.Model:
    rod = ts.Body("rod", mass, (0, 0, -1.0), (0.1, 0.1, 0.1, 0, 0, 0))
    stop = ts.JointForce("stop", "p", ts.Limits(-1.0, 1.0, stiffness=1e4, damping=10.0))
    joint = ts.Joint("p", "world", "rod", ts.Revolute("y"), damping=0.1)
    return ts.Model("m", bodies=(rod,), joints=(joint,), forces=(stop,))


FIXED = model()


def simulated(k: int, folder: Path) -> None:
    """A call with a model of its own, whose kernels are there already."""
    ts.simulate(model(), 0.05, {"p.angle": 0.9 + 1e-6 * k}, output=11)["stop.force"]


def compiled(k: int, folder: Path) -> None:
    """Kernels of eight models in turn, each asked for anew."""
    dyn, q = ts.compile(model(1.0 + k % 8)), np.array([0.1])
    dyn.forward_dynamics(q, q, q)
    dyn.mass_matrix(np.full((9, 1), 0.2))


def reported(k: int, folder: Path) -> None:
    run = ts.simulate(FIXED, 0.05, {"p.angle": 0.9}, output=11)
    run.report(folder / "run.html")
    run.to_csv(folder / "run.csv")


def checked(k: int, folder: Path) -> None:
    """A file with names and numbers that were never seen before."""
    text = f"name: m{k}\nbodies: {{b{k}: {{mass: {1 + k}, com: [0, 0, 1]}}}}\n"
    text += f"joints: {{j{k}: {{parent: world, child: b{k}, type: revolute, axis: y}}}}\n"
    (folder / "m.yaml").write_text(text)
    ts.load(folder / "m.yaml").check()


CALLS: dict[str, Callable[[int, Path], None]] = {
    f.__name__: f for f in (simulated, compiled, reported, checked)
}


def resident() -> int:
    """Bytes of memory of this process, after a collection."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def left(name: str, calls: int) -> float:
    """Bytes that a call leaves, once as many again as a quarter have been made."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        warm = max(calls // 4, 500)
        for k in range(warm):
            CALLS[name](k, folder)
        before = resident()
        for k in range(warm, warm + calls):
            CALLS[name](k, folder)
        return (resident() - before) / calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--only", nargs="+", choices=list(CALLS))
    args = parser.parse_args()
    bad = 0
    for name in args.only or CALLS:
        bytes_ = left(name, args.calls)
        bad += bytes_ > MOST
        print(f"{name}: {bytes_:.0f} bytes a call over {args.calls} calls", flush=True)
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())

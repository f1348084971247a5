"""kill -9 at random moments of compiling and writing: nothing damaged is ever trusted.

    python tests/soak/kills.py --count 1000 --seed 3

A child fills the cache of kernels, writes a run, a table, a page, a model and a store of a study,
over and over, into one folder, until it is killed.  After every kill all that is there under its
own name must be whole: kernels from the cache give the same bits as freshly made ones, files are
read, and the study goes on.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

import torseur as ts

LAST = 0.35  # seconds that a child lives at the most


def chain(mass: float) -> ts.Model:
    """Two hinges; every mass is a kernel of its own."""
    rods = [ts.Body(n, m, (0, 0, -0.2), (0.02, 0.02, 0.01, 0, 0, 0)) for n, m in
            (("a", mass), ("b", 1.0))]  # fmt: skip
    joints = (
        ts.Joint("p", "world", "a", ts.Revolute("y")),
        ts.Joint("q", "a", "b", ts.Revolute("x"), at=(0, 0, -0.4)),
    )
    return ts.Model("chain", bodies=rods, joints=joints)


MASSES = (1.0, 1.25, 1.5, 1.75)
START = {"p.angle": 0.5}
Q = np.array([[0.1, 0.2]] * 9)


def numbers(mass: float):
    """What kernels of a model give, alone and in lanes."""
    dyn = ts.compile(chain(mass))
    return dyn.mass_matrix(Q[0]).tobytes(), dyn.forward_dynamics(Q, Q, Q).tobytes()


def study(folder: Path):
    return ts.study(
        chain(1.0), t_end=0.05, vary={"p.angle": ts.studies.Uniform(0, 1)}, samples=320,
        design="random", keep={"fast": ts.studies.Peak("p.rate")}, engine="lanes",
        store=folder / "store", progress=False,
    )  # fmt: skip


def written(folder: Path, run, what: int, rng: random.Random) -> None:
    """One piece of writing."""
    if what == 0:
        for path in (folder / "cache" / "kernels").glob("*"):
            path.unlink(missing_ok=True)
        for mass in rng.sample(MASSES, 2):
            numbers(mass)
    elif what == 1:
        run.save(folder / "run.nc")
        run.to_csv(folder / "run.csv")
    elif what == 2:
        run.report(folder / "run.html")
    elif what == 3:
        chain(1.0).save(folder / "model.yaml")
    else:
        study(folder)
        gone = Path(tempfile.mkdtemp(dir=folder))  # half of a store, killed here, is no study
        (folder / "store").rename(gone / "store")
        shutil.rmtree(gone)


def work(folder: Path, run, rng: random.Random) -> None:
    """What a child does until it is killed."""
    while True:
        written(folder, run, rng.randrange(5), rng)


def damaged(folder: Path, want, study_wanted) -> list[str]:
    """What is wrong with what a killed child left."""
    faults = []
    for mass in MASSES:
        if numbers(mass) != want[mass]:
            faults.append(f"kernels of mass {mass} give other numbers")
    try:
        if (path := folder / "run.nc").exists() and len(ts.Trajectory.load(path).time) != 51:
            faults.append("run.nc lacks rows")
        if (path := folder / "run.csv").exists() and len(path.read_text().splitlines()) != 52:
            faults.append("run.csv lacks rows")
        if (path := folder / "run.html").exists() and not path.read_text().rstrip().endswith(
            "</html>"
        ):
            faults.append("run.html is cut off")
        if (path := folder / "model.yaml").exists():
            ts.load(path).check()
        if (folder / "store").exists() and (folder / "store" / "done").exists():
            found = study(folder)
            if not np.array_equal(found["fast"], study_wanted):
                faults.append("the study that went on has other members")
    except Exception as e:
        faults.append(f"{type(e).__name__}: {e}")
    for name in ("store", ".store"):
        for path in folder.glob(f"{name}*"):
            shutil.rmtree(path, ignore_errors=True)
    return faults


def run(count: int, seed: int) -> tuple[list[str], int]:
    """Faults after so many kills, and how many partial files were left behind in all."""
    rng, faults, left = random.Random(seed), [], 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        os.environ["TORSEUR_CACHE"] = "off"
        want = {mass: numbers(mass) for mass in MASSES}
        study_wanted = study(folder)["fast"]
        shutil.rmtree(folder / "store")
        os.environ["TORSEUR_CACHE"] = str(folder / "cache")
        saved = ts.simulate(chain(1.0), 0.05, START, output=51)
        for what in range(5):  # every library is there before children are made
            written(folder, saved, what, rng)
        for k in range(count):
            child = os.fork()
            if child == 0:
                try:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                    work(folder, saved, random.Random(f"{seed} {k}"))
                finally:
                    os._exit(3)
            time.sleep(rng.uniform(0.0, LAST))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if not os.WIFSIGNALED(status):
                faults.append(f"kill {k}: the child ended by itself")
            faults += [f"kill {k}: {x}" for x in damaged(folder, want, study_wanted)]
            partial = list(folder.rglob(".*"))
            left += len(partial)
            for path in partial:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    return faults, left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    faults, left = run(args.count, args.seed)
    print(f"{args.count} kills, seed {args.seed}: {len(faults)} faults; {left} partial files left")
    for text in faults[:40]:
        print(text)
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())

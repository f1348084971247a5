"""Ctrl-C at random moments of all that takes long: obeyed soon, nothing half written, state kept.

    python tests/soak/interrupts.py --count 1000 --seed 3

Each task runs here, in this process, while a thread presses Ctrl-C at a random moment.  What may
come out: KeyboardInterrupt, a run or an ensemble that says that it was interrupted, exit code 130,
or, when the task was quicker, its answer.  Then the task is done again and must answer as ever.
The time from the key to the end is measured in seconds of this process's work (one second is
asked), and beside it by the clock, which other work on the machine makes longer.
"""

import argparse
import contextlib
import io
import itertools
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import zoo

import torseur as ts
from torseur.cli import main as command

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECONDS = 1.0
LOST = 0.1  # so much work after a Ctrl-C, and an answer as if there had been none: not heard
fresh = itertools.count(1)


def chain(n: int = 5, **more) -> ts.Model:
    """A chain of hinges that nobody has compiled yet: its first mass is always another."""
    bodies = [ts.Body(f"b{i}", 1.0, (0, 0, -0.2), (0.02, 0.02, 0.01, 0, 0, 0)) for i in range(n)]
    bodies[0] = ts.Body("b0", 1.0 + next(fresh) / 1024, (0, 0, -0.2), (0.02, 0.02, 0.01, 0, 0, 0))
    up = ["world", *(b.name for b in bodies)]
    joints = [
        ts.Joint(f"j{i}", up[i], f"b{i}", ts.Revolute("xyz"[i % 3]), at=(0, 0, -0.4 * (i > 0)))
        for i in range(n)
    ]
    return ts.Model("chain", bodies=bodies, joints=joints, **more)


BLOCK = ts.Model(
    "block",
    gravity=(0, 0, 0),
    bodies=(ts.Body("b", 100.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("f", "x", ts.Crush(((0, 0), (0.1, 2e4), (0.3, 6e4)), 1e6)),),
)
FIXED = chain()
TOP = {"j0.angle": 1.0}


def check(folder: Path):
    chain(60).save(folder / "chain.yaml")
    return tuple(ts.load(folder / "chain.yaml").check().coordinates)


def compiled(folder: Path):
    x = np.linspace(0.1, 0.5, 5)
    dyn = ts.compile(chain())
    return dyn.forward_dynamics(x, x, x).shape, dyn.mass_matrix(np.stack([x] * 9)).shape


def equations(folder: Path):
    return len(str(ts.equations(zoo.puma(4)).tau[0]))


def simulated(folder: Path):
    return ts.simulate(FIXED, 300.0, TOP, output=101)


def led(folder: Path):
    from simulation.test_interrupt import START, four_bar

    keep = ("A.angle", "A.rate")
    return ts.simulate(four_bar(), 100.0, START, keep=keep, solution="null_space", output=101)


def many(folder: Path):
    return ts.batch(FIXED, 3.0, {"j0.angle": np.linspace(0.1, 1.0, 512)}, output=11)


def steps(folder: Path):
    start = {"j0.angle": np.linspace(0.1, 1.0, 256)}
    return ts.batch(FIXED, 3.0, start, step=1e-3, output=4)


def lanes(folder: Path):
    return ts.batch(BLOCK, 0.5, {"x.speed": np.linspace(1, 10, 1024)}, output=11)


def study(folder: Path):
    """A store is made once and goes on afterwards: what a Ctrl-C left is taken up."""
    found = ts.study(
        BLOCK, t_end=0.2, vary={"x.speed": ts.studies.Uniform(1, 10)}, samples=640, design="random",
        keep={"peak": ts.studies.Peak("x.acceleration")}, engine="lanes", store=folder / "store",
        progress=False,
    )  # fmt: skip
    return float(np.nansum(found["peak"])), bool(found["completed"].all())


def report(folder: Path):
    run = ts.simulate(FIXED, 1.0, TOP, output=201)
    size = len(run.report(folder / "report.html").read_bytes())
    return size > 10_000


def saved(folder: Path):
    run = ts.simulate(FIXED, 0.2, TOP, output=51)
    again = ts.Trajectory.load(run.save(folder / "run.nc"))
    table = run.to_csv(folder / "run.csv").read_text().splitlines()
    return float(again["j0.angle"][-1]), len(table)


def commanded(folder: Path):
    words = ["simulate", str(EXAMPLES / "robot_arm.yaml"), "-o", str(folder / "out"), "--force"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return command([*words, "--json"])


TASKS: dict[str, Callable[[Path], object]] = {
    f.__name__: f
    for f in (check, compiled, equations, simulated, led, many, steps, lanes, study, report, saved,
              commanded)
}  # fmt: skip


def told(x) -> object:
    """An answer that can be compared, of runs their state at the end."""
    if isinstance(x, ts.Trajectory):
        return x.completed, [float(x[n][-1]) for n in x.provenance["state"]]
    if isinstance(x, ts.Ensemble):
        names = (*x.coordinates, *x.speeds)
        return bool(x.completed.all()), [float(np.nansum(x[n])) for n in names]
    return x


def stopped(x) -> bool:
    """Whether an answer admits that it was interrupted, rows kept."""
    if isinstance(x, ts.Trajectory):
        return not x.completed and "interrupted" in x.outcome and len(x.time) > 0
    if isinstance(x, ts.Ensemble):
        lost = [o for o, c in zip(x.outcomes, x.completed, strict=True) if not c]
        return bool(lost) and all("interrupted" in o for o in lost)
    return x == 130


class Key(threading.Thread):
    """Presses Ctrl-C after a while, once, unless the task is over."""

    def __init__(self, wait: float):
        super().__init__(daemon=True)
        self.wait, self.begun, self.over = wait, threading.Event(), threading.Event()
        self.at: tuple[float, float] | None = None

    def run(self):
        self.begun.wait()
        if not self.over.wait(self.wait):
            self.at = time.process_time(), time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)


def pressed(task, folder: Path, wait: float) -> tuple[object, float, float]:
    """The answer of a task with a Ctrl-C after so long, and how long it took to obey (or 0)."""
    key, answer, end = Key(wait), None, (0.0, 0.0)
    key.start()
    try:
        try:
            key.begun.set()
            answer = told_or_stopped(task(folder))
        except Exception as e:
            answer = f"{type(e).__name__}: {e}"
        finally:
            key.over.set()
            end = time.process_time(), time.perf_counter()
        key.join()
        if key.at is not None:
            time.sleep(0.2)  # a key pressed at the very end, or again, is heard here
    except KeyboardInterrupt:
        answer = "stopped"
        key.over.set()
    key.join()
    if key.at is None:
        return answer, 0.0, 0.0
    return answer, end[0] - key.at[0], end[1] - key.at[1]


def told_or_stopped(x):
    return "stopped" if stopped(x) else told(x)


def half_written(folder: Path) -> list[str]:
    """Files that are there under a temporary name, or not whole."""
    out = [str(p) for p in folder.rglob("*") if p.name.startswith(".")]
    for path in folder.rglob("*.nc"):
        try:
            ts.Trajectory.load(path)
        except ts.TorseurError as e:
            out.append(str(e))
    for path in folder.rglob("*.html"):
        if not path.read_text().rstrip().endswith("</html>"):
            out.append(f"{path.name} is cut off")
    return out


def run(count: int, seed: int, only=None) -> tuple[list[str], dict[str, list[tuple]]]:
    """Faults, and of every task how often it was stopped and how long that took."""
    rng = random.Random(seed)
    names = list(only or TASKS)
    want, span, waits = {}, {}, {n: [] for n in names}
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in names:
            TASKS[name](_clean(folder))  # kernels are there
            before = time.perf_counter()
            want[name] = told(TASKS[name](_clean(folder)))
            span[name] = time.perf_counter() - before
        for k in range(count):
            name = names[k % len(names)]
            _clean(folder)
            wait = rng.uniform(0, 1.05 * span[name])
            answer, cpu, wall = pressed(TASKS[name], folder, wait)
            at = f"{name}, press {k} after {wait:.4f} s"
            waits[name].append((answer == "stopped", cpu, wall))
            if answer not in ("stopped", want[name]):
                faults.append(f"{at}: answered {answer!r:.200}")
            if answer == want[name] and cpu > LOST:
                faults.append(f"{at}: not heard, {cpu:.2f} s of work went on")
            if cpu > SECONDS:
                faults.append(f"{at}: obeyed after {cpu:.2f} s of work")
            faults += [f"{at}: {x}" for x in half_written(folder)]
            try:
                again = told(TASKS[name](folder))
            except KeyboardInterrupt:  # pressed again so late on a busy machine
                again = told(TASKS[name](folder))
            except Exception as e:
                again = f"{type(e).__name__}: {e}"
            if again != want[name]:
                faults.append(f"{at}: afterwards {again!r:.200}")
    return faults, waits


def _clean(folder: Path) -> Path:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=list(TASKS))
    args = parser.parse_args()
    os.environ["TORSEUR_CACHE"] = "off"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faults, waits = run(args.count, args.seed, args.only)
    print(f"{args.count} presses, seed {args.seed}: {len(faults)} faults")
    for name, found in waits.items():
        hit = [x for x in found if x[0]]
        cpu, wall = (max((x[i] for x in hit), default=0.0) for i in (1, 2))
        print(f"{name}: {len(hit)} of {len(found)} stopped, {cpu:.3f} s of work, {wall:.3f} s")
    for text in faults[:40]:
        print(text)
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())

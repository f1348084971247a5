"""Speed of one checkout of torseur beside another, measured in turn.

    python benchmarks/compare_checkouts.py OLD NEW [--rounds 30] [--only TEXT]

One process for each checkout, with its own kernel cache, measures the same cases alternately.  The
table shows the least CPU time of each and the ratio NEW / OLD.  Ratios over the limit of their
group are marked: 5 % for single calls, motion and loops, 10 % for batches, 20 % for first runs
with an empty cache.  Counts of operations must be equal.  The last lines count the files of torseur
that `ts.simulate` of the robot arm enters in a fresh process with a warm cache.

The exit status is 1 if a ratio is over its limit or counts of operations differ.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LIMITS = {"call": 1.05, "motion": 1.05, "loops": 1.05, "batch": 1.10, "first run": 1.20}
ROUNDS = 30
FIRST_ROUNDS = 3  # of runs with an empty cache
ROUND_TIME = 0.02  # least CPU time of one round [s]
KERNELS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
FIRST_RUNS = ("robot arm", "four-bar", "contact box")


# ---- models, in the process of a checkout -----------------------------------------------------


def arm7(ts):
    """Seven hinges in a row with the lengths of a Panda."""
    rows = [
        (0, 0, 0, 0.333),
        ("-pi/2", 0, 0, 0),
        ("pi/2", 0, 0, 0.316),
        ("pi/2", 0.0825, 0, 0),
        ("-pi/2", -0.0825, 0, 0.384),
        ("pi/2", 0, 0, 0),
        ("pi/2", 0.088, 0, 0),
    ]
    bodies = [
        ts.Body(f"b{i}", 4.0 - 0.4 * i, (0.01, -0.03, 0.1), (0.1, 0.09, 0.02, 0, 0, 0))
        for i in range(7)
    ]
    return ts.from_dh(rows, bodies, convention="modified", name="arm")


def humanoid(ts):
    """A free trunk with a head on two hinges, two arms of seven and two legs of six."""
    bodies = [ts.Body("trunk", 20.0, (0, 0, 0.2), (1.0, 0.9, 0.4, 0, 0, 0))]
    joints = [ts.Joint("fly", "world", "trunk", ts.Free())]
    limbs = {
        "head": (2, (0, 0, 0.5)),
        "arm_l": (7, (0, 0.2, 0.4)),
        "arm_r": (7, (0, -0.2, 0.4)),
        "leg_l": (6, (0, 0.1, 0)),
        "leg_r": (6, (0, -0.1, 0)),
    }
    for limb, (count, at) in limbs.items():
        parent = "trunk"
        for i in range(count):
            name = f"{limb}{i}"
            bodies.append(ts.Body(name, 2.0, (0.01, 0.02, -0.1), (0.02, 0.02, 0.01, 0, 0, 0)))
            joints.append(ts.Joint(name, parent, name, ts.Revolute("xyz"[i % 3]), at=at))
            parent, at = name, (0, 0, -0.2)
    return ts.Model("humanoid", bodies=bodies, joints=joints)


def contact_box(ts):
    """A box thrown on a floor: four contacts with friction."""
    corners = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    return ts.Model(
        "box",
        bodies=(ts.Body("box", 2.0, inertia=(0.01, 0.01, 0.01, 0, 0, 0)),),
        joints=(ts.Joint("fly", "world", "box", ts.Free()),),
        constraints=[
            ts.Contact(f"c{i}", ("box", at), friction=0.3, restitution=0.2)
            for i, at in enumerate(corners)
        ],
        initial={"fly.pz": 0.2, "fly.vx": 1.0, "fly.wy": 0.5},
        simulation={"t_end": 0.5},
    )


def four_bars(ts, n: int = 10):
    """n four-bar linkages in a row."""
    rod, hinge = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}, ts.Revolute("y")
    bars = range(n + 1)
    return ts.Model(
        "four-bars",
        bodies=[ts.Body(f"r{i}", com=(0, 0, 0.5), **rod) for i in bars]
        + [ts.Body(f"c{i}", com=(0.5, 0, 0), **rod) for i in range(n)],
        joints=[ts.Joint(f"p{i}", "world", f"r{i}", hinge, at=(float(i), 0, 0)) for i in bars]
        + [ts.Joint(f"a{i}", f"r{i}", f"c{i}", hinge, at=(0, 0, 1)) for i in range(n)],
        loops=[
            ts.Loop(f"l{i}", f"c{i}", f"r{i + 1}", hinge, at=(1, 0, 0), child_at=(0, 0, 1))
            for i in range(n)
        ],
        initial={"p0.rate": 1.0},
        simulation={"t_end": 1.0},
    )


def crash(ts):
    """The bundled car K3 against a wall at 48.3 km/h."""
    return ts.crash.against(ts.crash.car("k3"), ts.crash.Wall(), speed="48.3 km/h", dimensions=1)


def build_model(ts, root: Path, name: str):
    """A model by its name in the table."""
    files = {"robot arm": "robot_arm.yaml", "four-bar": "four_bar.yaml"}
    if name in files:
        return ts.load(str(root / "examples" / files[name]))
    builders = {
        "Panda-like arm": arm7,
        "humanoid": humanoid,
        "contact box": contact_box,
        "10 four-bars": four_bars,
        "crash": crash,
    }
    return builders[name](ts)


# ---- measures, in the process of a checkout ---------------------------------------------------


def prepare_cases(ts, root: Path) -> dict[str, Callable[[], Callable[[], Any]]]:
    """Cases by "group: name"; each prepares a function without arguments that is timed."""
    import numpy as np

    cases: dict[str, Callable] = {}

    def kernel_call(model: str, kernel: str, count: int | None):
        dyn = ts.compile(build_model(ts, root, model).check())
        shape = () if count is None else (count,)
        rng = np.random.default_rng(0)
        q = dyn.integrate(dyn.system.neutral(), rng.uniform(-1, 1, (*shape, dyn.nv)))
        more = [] if kernel == "mass_matrix" else [rng.normal(size=(*shape, dyn.nv))] * 2
        getattr(dyn, kernel)(q, *more)  # the next attribute is the short path of a call
        return lambda: getattr(dyn, kernel)(q, *more)

    def simulation(model: str):
        system = build_model(ts, root, model).check()
        return lambda: ts.simulate(system, progress=False)

    def simulation_batch(model: str, signal: str, **options):
        system = build_model(ts, root, model).check()
        start = {signal: np.linspace(0.0, 0.5, 64)}
        return lambda: ts.batch(system, 0.2, start, threads=1, progress=False, **options)

    for model in ("Panda-like arm", "humanoid"):
        for kernel in KERNELS:
            cases[f"call: {kernel}, {model}"] = lambda m=model, k=kernel: kernel_call(m, k, None)
            cases[f"batch: {kernel}, {model}"] = lambda m=model, k=kernel: kernel_call(m, k, 2000)
    for model in ("robot arm", "contact box", "crash"):
        cases[f"motion: {model}"] = lambda m=model: simulation(m)
    for model in ("four-bar", "10 four-bars"):
        cases[f"loops: {model}"] = lambda m=model: simulation(m)
    cases["batch: runs, Panda-like arm, rk4"] = lambda: simulation_batch(
        "Panda-like arm", "joint1.angle", step=1e-3
    )
    cases["batch: runs, robot arm, dop853"] = lambda: simulation_batch("robot arm", "waist.angle")
    return cases


def count_operations(ts, root: Path) -> dict[str, dict[str, int]]:
    """Counts of operations of the timed kernels."""
    found = {}
    for model in ("Panda-like arm", "humanoid"):
        dyn = ts.compile(build_model(ts, root, model).check())
        for kernel in KERNELS:
            found[f"{kernel}, {model}"] = {n: int(x) for n, x in dyn.operations(kernel).items()}
    return found


def serve_requests(root: Path) -> None:
    """Answer requests of the parent: one line of JSON each."""
    import torseur as ts

    if root.resolve() not in Path(str(ts.__file__)).resolve().parents:
        raise SystemExit(f"torseur is imported from {ts.__file__}")
    answers, sys.stdout = sys.stdout, sys.stderr
    cases, ready = prepare_cases(ts, root), {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = answer_request(ts, root, request, cases, ready)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def answer_request(ts, root: Path, request, cases, ready) -> Any:
    """The names of the cases, counts of operations, or one timed round of a case [s]."""
    if request == "cases":
        return list(cases)
    if request == "operations":
        return count_operations(ts, root)
    if request not in ready:
        work = cases[request]()
        work(), work()  # kernels and signals are compiled by the second call
        begun = time.process_time()
        work()
        spent = max(time.process_time() - begun, 1e-7)
        ready.clear()
        ready[request] = work, max(1, math.ceil(ROUND_TIME / spent))
    work, calls = ready[request]
    begun = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - begun) / calls


def first_run(root: Path, name: str) -> None:
    """Print the CPU time [s] of a run, its model included."""
    import torseur as ts

    begun = time.process_time()
    ts.simulate(build_model(ts, root, name), progress=False)
    print(time.process_time() - begun)


def count_files(root: Path) -> None:
    """Print how many files of torseur a run of the robot arm enters.

    First those whose functions it calls, then also those that it imports on the way, then all
    modules that the process holds.
    """
    import torseur as ts

    package = str(Path(str(ts.__file__)).parent)
    model = build_model(ts, root, "robot arm")
    called, executed = set(), set()

    def watch(frame, event, _argument):
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(package):
            return
        executed.add(file)
        while frame is not None and frame.f_code.co_name != "<module>":
            frame = frame.f_back
        if frame is None or frame.f_globals["__name__"] == "__main__":
            called.add(file)  # not at import

    sys.setprofile(watch)
    try:
        ts.simulate(model, progress=False)
    finally:
        sys.setprofile(None)
    modules = [m for m in sys.modules if m.partition(".")[0] == "torseur"]
    print(len(called), len(executed), len(modules))


# ---- the parent -------------------------------------------------------------------------------


class Checkout:
    """A checkout, its kernel cache, and the process that measures it."""

    def __init__(self, root: Path, cache: Path):
        self.root, self.cache = root.resolve(), cache
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            self.command("serve"), env=self.environment(cache), stdin=pipe, stdout=pipe, text=True
        )

    def command(self, *words: str) -> list[str]:
        return [sys.executable, __file__, str(self.root), "--worker", *words]

    def environment(self, cache: Path) -> dict[str, str]:
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        own = {"PYTHONPATH": str(self.root / "src"), "TORSEUR_CACHE": str(cache)}
        return {**os.environ, **threads, **own}

    def ask(self, request: str) -> Any:
        """The answer of the process."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        if not (line := self.process.stdout.readline()):
            raise SystemExit(f"{self.root}: the process ended while it answered {request!r}")
        return json.loads(line)

    def run(self, *words: str, cache: Path | None = None) -> list[float]:
        """Numbers that a fresh process prints."""
        done = subprocess.run(
            self.command(*words),
            env=self.environment(cache or self.cache),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{self.root}, {' '.join(words)}:\n{done.stderr[-2000:]}")
        return [float(x) for x in done.stdout.split()]

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure_cases(pair: list[Checkout], rounds: int, only: str) -> Iterator[tuple[str, list]]:
    """Least time [s] of every case in both checkouts; a text where one of them fails."""
    for name in pair[0].ask("cases"):
        if only not in name:
            continue
        best: list[Any] = [math.inf, math.inf]
        for i in range(rounds):
            for k in (0, 1) if i % 2 == 0 else (1, 0):
                answer = pair[k].ask(name)
                failed = isinstance(answer, dict)
                best[k] = answer["error"] if failed else min(best[k], answer)
            if any(isinstance(x, str) for x in best):
                break
        yield name, best


def measure_first_runs(pair: list[Checkout], only: str) -> Iterator[tuple[str, list]]:
    """Least CPU time [s] of runs with an empty kernel cache."""
    for name in FIRST_RUNS:
        if only not in (title := f"first run: {name}"):
            continue
        best = [math.inf, math.inf]
        for i in range(FIRST_ROUNDS):
            for k in (0, 1) if i % 2 == 0 else (1, 0):
                with tempfile.TemporaryDirectory() as empty:
                    (spent,) = pair[k].run("first", name, cache=Path(empty))
                best[k] = min(best[k], spent)
        yield title, best


def print_row(name: str, times: list) -> bool:
    """Print a row of the table; whether the ratio is within its limit."""
    if any(isinstance(x, str) for x in times):
        texts = [x if isinstance(x, str) else "measured" for x in times]
        print(f"{name:<48} OLD: {texts[0]}; NEW: {texts[1]}", flush=True)
        return False
    old, new = times
    ratio, limit = new / old, LIMITS[name.partition(":")[0]]
    mark = "" if ratio <= limit else f"  OVER {limit:.2f}"
    print(f"{name:<48} {1e6 * old:12.2f} {1e6 * new:12.2f} {ratio:7.3f}{mark}", flush=True)
    return ratio <= limit


def compare_operations(pair: list[Checkout]) -> bool:
    """Print counts of operations that differ; whether all are equal."""
    old, new = (x.ask("operations") for x in pair)
    different = [n for n in {**old, **new} if old.get(n) != new.get(n)]
    print(f"counts of operations: {len(old) - len(different)} of {len(old)} equal")
    for name in different:
        print(f"  DIFFERENT {name}: {old.get(name)} -> {new.get(name)}")
    return not different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW", nargs="?")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", default="", help="part of the names of cases")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        mode, *words = given.worker
        {"serve": serve_requests, "first": first_run, "files": count_files}[mode](given.old, *words)
        return 0
    if given.new is None:
        parser.error("give two checkouts, OLD and NEW")
    with tempfile.TemporaryDirectory() as folder:
        pair = [Checkout(x, Path(folder, n)) for n, x in (("old", given.old), ("new", given.new))]
        try:
            good = [compare_operations(pair)]
            print(f"{'CPU time':<48} {'OLD [us]':>12} {'NEW [us]':>12} {'ratio':>7}")
            good += [print_row(*x) for x in measure_cases(pair, given.rounds, given.only)]
            good += [print_row(*x) for x in measure_first_runs(pair, given.only)]
            for title, checkout in zip(("OLD", "NEW"), pair, strict=True):
                checkout.run("files")  # fills the cache
                called, executed, modules = checkout.run("files")
                print(f"{title}: a warm run calls functions of {called:.0f} files, ", end="")
                print(f"executes {executed:.0f} with imports; {modules:.0f} modules are loaded")
        finally:
            for checkout in pair:
                checkout.close()
    return not all(good)


if __name__ == "__main__":
    sys.exit(main())

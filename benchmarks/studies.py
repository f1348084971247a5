"""Studies: every row that was asked for, in one table: asked, found.

    python benchmarks/studies.py [row ...] [--quick]

Rows are arm, crash, cores, pendulum, first, cluster and kills; each runs in a process of its own
(its memory is then its own) and takes a few minutes at most on a quiet machine.  Rates of one core
are members over CPU time; engines with workers of their own are compared by wall time, all that a
call costs included, and tell only on a machine with two free cores: the load is printed.  Nothing
is compiled while the clock runs.  The peer of the arm is `mujoco.rollout` on one thread, the same
model and step; there is none for crashes with rupture.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import gate
import numpy as np

import torseur as ts

FAST = {"rtol": 1e-6, "atol": 1e-8, "output": 151}
Row = tuple[str, str, str]  # what, asked, found
ROWS: dict[str, Callable[[bool], list[Row]]] = {}


def row(work: Callable[[bool], list[Row]]) -> Callable[[bool], list[Row]]:
    """Declare a row of the table under the name of its function."""
    ROWS[work.__name__] = work
    return work


def judged(found: float, least: float, said: str) -> str:
    """What was found, and whether it is enough."""
    return f"{said}: {'yes' if found >= least else 'NO'}"


def spent(work, clock=time.process_time) -> float:
    """Time of one call [s]."""
    before = clock()
    work()
    return clock() - before


def on_disk(work, column: str) -> tuple[float, float, int]:
    """CPU time of a study with a store, the size of the store [bytes], and how many numbers a
    column has in it.
    """
    import zarr  # noqa: F401 (its import is no part of the time)

    folder = Path(tempfile.mkdtemp())
    before = time.process_time()
    study = work(folder / "study.zarr")
    took = time.process_time() - before
    size = sum(f.stat().st_size for f in (folder / "study.zarr").rglob("*") if f.is_file())
    there = int(np.isfinite(study[column]).sum())  # read from the store
    shutil.rmtree(folder)
    return took, size, there


def memory() -> float:
    """The largest memory of this process so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@row
def arm(quick: bool) -> list[Row]:
    """1 s at 1 kHz by RK4 of a 7R arm; the peer runs a part of the members."""
    from motion import arm as model_of_arm, to_mujoco

    model = model_of_arm()
    system = model.check()
    members, some = (1024, 8) if quick else (100_000, 48)

    def study(n):
        ts.study(
            model,
            t_end=1.0,
            vary={system.speeds[0]: ts.studies.Uniform(0.1, 1.0)},
            samples=n,
            design="random",
            keep={"end": ts.studies.Final(system.coordinates[0])},
            engine="lanes",
            method="rk4",
            step=1e-3,
            output=2,
            progress=False,
        )

    study(64)
    ours = members / spent(lambda: study(members))
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return [("7R arm, members a CPU second", "3000", judged(ours, 3000, f"{ours:.0f}"))]
    peer = to_mujoco(system)
    peer.opt.integrator, peer.opt.timestep = int(mujoco.mjtIntegrator.mjINT_RK4), 1e-3
    state = np.zeros((some, mujoco.mj_stateSize(peer, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    state[:, 1 + peer.nq] = np.linspace(0.1, 1.0, some)
    data = mujoco.MjData(peer)
    rollout.rollout(peer, data, state[:1], nstep=1000)
    theirs = some / min(
        spent(lambda: rollout.rollout(peer, data, state, nstep=1000)) for _ in range(3)
    )
    gate.record("studies", {"7R arm beside mujoco.rollout": ours / theirs})
    ratio = f"{ours / theirs:.1f}x ({some} members by mujoco.rollout: {theirs:.0f} a CPU second)"
    return [
        (f"7R arm, {members} members a CPU second", "3000", judged(ours, 3000, f"{ours:.0f}")),
        ("7R arm beside mujoco.rollout", "30x", judged(ours / theirs, 30, ratio)),
    ]


def k3(samples: int, engine="lanes", **options) -> ts.studies.Study:
    """K3 against a wall: masses, a scale of the frame; peak, rupture, rebound are kept."""
    return ts.study(
        ts.crash.against(ts.crash.car("k3"), ts.crash.Wall(), "56 km/h"),
        vary={
            "body.mass": ts.studies.Uniform(1000, 1100),
            "front_frame.scale": ts.studies.Normal(1, 0.05),
        },
        samples=samples,
        design="random",
        keep={
            "peak": ts.studies.Peak("body.acceleration.x"),
            "torn": ts.studies.EventTime("engine_mount: torn"),
            "rebound": ts.studies.Final("body.velocity.x"),
        },
        engine=engine,
        progress=False,
        **options,
    )


@row
def crash(quick: bool) -> list[Row]:
    """K3 with all its events and ruptures as one study on disk, and at the crash tolerance."""
    members = 2048 if quick else 100_000
    k3(64, **FAST)
    took, size, torn = on_disk(lambda path: k3(members, store=path, **FAST), "torn")
    rate = members / took
    said = f"{rate:.0f} ({torn} torn, {memory():.0f} MB, store {size / 40 / members:.2f} of raw)"
    few = 256 if quick else 2048
    k3(64)
    own = few / spent(lambda: k3(few))
    return [
        (f"K3, {members} members a CPU second", "3000", judged(rate, 3000, said)),
        ("  as crash models have it (rtol 1e-10, 1501 rows)", "-", f"{own:.0f}"),
    ]


@row
def cores(quick: bool) -> list[Row]:
    """The same members by wall time: in this process, two processes, a cluster of two workers."""
    members = 2048 if quick else 100_000
    k3(64, **FAST)
    one = spent(lambda: k3(members, **FAST), time.perf_counter)
    two = spent(lambda: k3(members, "processes", workers=2, **FAST), time.perf_counter)
    said = f"{one / two:.2f}x ({one:.1f} s, {two:.1f} s)"
    out = [("K3, two processes, wall time", "1.8x", judged(one / two, 1.8, said))]
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        return out
    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        k3(128, client, **FAST)  # workers have imported what they need
        own = time.process_time()
        two = spent(lambda: k3(members, client, **FAST), time.perf_counter)
        own = time.process_time() - own
    said = f"{one / two:.2f}x ({two:.1f} s; driver and scheduler {own:.1f} s of CPU time)"
    return [*out, ("K3, Dask, two workers, wall time", "1.7x", judged(one / two, 1.7, said))]


@row
def pendulum(quick: bool) -> list[Row]:
    """A pendulum study on disk: memory, and the store beside the raw numbers."""
    members = 10_000 if quick else 1_000_000
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    joint = ts.Joint("pivot", "world", "rod", ts.Revolute("y"))
    model = ts.Model("pendulum", bodies=(rod,), joints=(joint,))
    took, size, there = on_disk(
        lambda path: ts.study(
            model,
            t_end=1.0,
            vary={
                "pivot.angle": ts.studies.Uniform(0.1, 3.0),
                "pivot.rate": ts.studies.Normal(0, 1),
            },
            samples=members,
            design="random",
            keep={"fast": ts.studies.Peak("pivot.rate"), "end": ts.studies.Final("pivot.angle")},
            engine="lanes",
            store=path,
            output=11,
            rtol=1e-6,
            atol=1e-8,
            progress=False,
        ),
        "end",
    )
    most, over = memory(), size / (8 * 4 * members)
    said = f"{most:.0f} MB ({there} complete, {members / took:.0f} a CPU second)"
    return [
        (f"pendulum, {members} on disk: memory", "< 1000 MB", judged(-most, -1000, said)),
        ("pendulum: store over raw numbers", "< 1.2", judged(-over, -1.2, f"{over:.3f}")),
    ]


FRESH = """
import sys, time
sys.path.insert(0, sys.argv[1])
import studies
from torseur import crash, studies as room
before = time.perf_counter(), time.process_time()
studies.k3(1, **studies.FAST)
print(time.perf_counter() - before[0], time.process_time() - before[1])
"""


@row
def first(quick: bool) -> list[Row]:
    """From the call to the first member of K3, compiled: of a model that was studied, of a model
    made anew, and in a process that has just imported the package.
    """
    model = ts.crash.against(ts.crash.car("k3"), ts.crash.Wall(), "56 km/h")
    asked = {
        "vary": {
            "body.mass": ts.studies.Uniform(1000, 1100),
            "front_frame.scale": ts.studies.Normal(1, 0.05),
        },
        "keep": {
            "peak": ts.studies.Peak("body.acceleration.x"),
            "torn": ts.studies.EventTime("engine_mount: torn"),
        },
    } | {"samples": 1, "design": "random", "engine": "lanes", "progress": False, **FAST}
    ts.study(model, **asked)
    rounds = 5 if quick else 20
    wall = min(spent(lambda: ts.study(model, **asked), time.perf_counter) for _ in range(rounds))
    own = min(spent(lambda: ts.study(model, **asked)) for _ in range(rounds))
    k3(1, **FAST)
    anew = min(spent(lambda: k3(1, **FAST), time.perf_counter) for _ in range(rounds))
    call = [sys.executable, "-c", FRESH, str(Path(__file__).parent)]
    fresh = subprocess.run(call, check=True, capture_output=True, text=True).stdout.split()
    said = f"{1e3 * wall:.1f} ms ({1e3 * own:.1f} ms of CPU time)"
    return [
        ("first member, a compiled model", "50 ms", judged(-wall, -0.05, said)),
        ("  a model made anew, and it", "50 ms", judged(-anew, -0.05, f"{1e3 * anew:.1f} ms")),
        ("  first study of a process", "-", f"{1e3 * float(fresh[0]):.0f} ms"),
    ]


@row
def cluster(quick: bool) -> list[Row]:
    """From the call to the first member of a running cluster that has seen nothing of it."""
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        return []
    k3(1, **FAST)
    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local) as client,
    ):
        wall = spent(lambda: k3(1, client, **FAST), time.perf_counter)
        again = spent(lambda: k3(1, client, **FAST), time.perf_counter)
    said = f"{wall:.2f} s, then {again:.2f} s"
    return [("first member of a running cluster", "2 s", judged(-wall, -2, said))]


DRIVER = """
import sys, torseur as ts
rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
model = ts.Model("pendulum", bodies=(rod,),
                 joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
if __name__ == "__main__":
    ts.study(model, t_end=4.0, vary={"pivot.angle": ts.studies.Uniform(0.1, 3.0)}, samples=40_000,
             keep={"end": ts.studies.Final("pivot.angle")}, rtol=1e-9, atol=1e-11, output=11,
             engine="processes", workers=2, store=sys.argv[1], progress=False)
"""


@row
def kills(quick: bool) -> list[Row]:
    """Kill a worker or the driver at random moments, go on, and compare the final table.

    Odd kills are of the driver, even ones of a worker; what was done before a kill must be there.
    """
    times, seed = 2 if quick else 20, 0
    folder = Path(tempfile.mkdtemp())
    script = folder / "driver.py"
    script.write_text(DRIVER)
    call = [sys.executable, str(script)]
    before = time.perf_counter()
    subprocess.run([*call, str(folder / "whole.zarr")], check=True)
    span = time.perf_counter() - before
    want = ts.studies.open(folder / "whole.zarr")["end"]
    draw, lost, store = random.Random(seed), 0, folder / "killed.zarr"
    done = {"driver": 0, "worker": 0}
    while sum(done.values()) < times:
        driver = subprocess.Popen([*call, str(store)])
        time.sleep(draw.uniform(0.3, 0.9) * span)
        known = set(_finished(store))
        who = "worker" if sum(done.values()) % 2 else "driver"
        children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
        own = [int(x) for x in children.read_text().split()] if children.exists() else []
        if driver.poll() is None:
            target = driver.pid if who == "driver" or not own else own[-1]
            os.kill(target, signal.SIGKILL)
            done[who] += 1
        driver.wait() if who == "driver" else driver.wait(timeout=600)
        lost += len(known - set(_finished(store)))
        if store.exists() and not ts.studies.open(store).store.missing():
            assert np.array_equal(ts.studies.open(store)["end"], want)
            shutil.rmtree(store)  # whole again in spite of all; once more from the start
    same = True
    if store.exists():
        same = np.array_equal(ts.studies.open(store).resume("lanes", progress=False)["end"], want)
    shutil.rmtree(folder)
    said = f"{times} kills, {lost} finished chunks lost, {'the same' if same else 'ANOTHER'} table"
    return [("kill -9 of worker and driver", "20: none lost", judged(same - lost, 1, said))]


def _finished(store: Path) -> list[int]:
    """Chunks that a store holds."""
    if not (store / "zarr.json").exists():
        return []
    found = ts.studies.open(store)
    return sorted(set(range(found.plan.chunks)) - set(found.store.missing()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help=f"which: {', '.join(ROWS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="few members")
    parser.add_argument("--json", action="store_true", help="one row, as data")
    given = parser.parse_args()
    if unknown := sorted(set(given.rows) - set(ROWS)):
        parser.error(f"no row is named {unknown[0]!r}; there are {', '.join(ROWS)}")
    if given.json:
        print(json.dumps([x for name in given.rows for x in ROWS[name](given.quick)]))
        return
    print(gate.row("what", "goal", "measured", "load") + "\n" + gate.rule(4), flush=True)
    failed = []
    for name in given.rows or ROWS:
        call = [sys.executable, __file__, name, "--json", *["--quick"] * given.quick]
        told = subprocess.run(call, stdout=subprocess.PIPE, text=True)
        if told.returncode:
            failed.append(name)
            continue
        for what, asked, found in json.loads(told.stdout.splitlines()[-1]):
            print(gate.row(what, asked, found, f"{os.getloadavg()[0]:.1f}"), flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()

"""Studies: members a CPU second in lanes, on two cores, on a local cluster, on disk.

    python benchmarks/studies.py [--quick]

CPU seconds are those of the process; engines with workers of their own are compared by wall time.
Compilation is left out: every study runs once before it is timed.  The peer of the arm is
`mujoco.rollout` on one thread, the same model and step; there is none for crashes with rupture.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

import gate
import numpy as np
from motion import arm, to_mujoco

import torseur as ts

TOLERANCES = ({"rtol": 1e-6, "atol": 1e-8, "output": 151}, {"rtol": 1e-8, "atol": 1e-10}, {})


def best(work, clock=time.process_time, rounds=3) -> float:
    """Least time of some rounds [s], the first left out."""
    work()
    spent = []
    for _ in range(rounds):
        before = clock()
        work()
        spent.append(clock() - before)
    return min(spent)


def arms(members: int) -> tuple[float, float | None]:
    """Members a CPU second of 1 s at 1 kHz by RK4, ours and MuJoCo's."""
    model = arm()
    system = model.check()
    speeds = np.linspace(0.1, 1.0, members)
    spent = best(
        lambda: ts.batch(system, 1.0, {system.speeds[0]: speeds}, "rk4", 1e-3, threads=1), rounds=2
    )
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return members / spent, None
    peer = to_mujoco(system)
    peer.opt.integrator, peer.opt.timestep = int(mujoco.mjtIntegrator.mjINT_RK4), 1e-3
    some = 16
    state = np.zeros((some, mujoco.mj_stateSize(peer, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    state[:, 1 + peer.nq] = np.linspace(0.1, 1.0, some)
    data = mujoco.MjData(peer)
    theirs = best(lambda: rollout.rollout(peer, data, state, nstep=1000), rounds=2)
    return members / spent, some / theirs


def crash(samples: int, engine="lanes", **options) -> ts.studies.Study:
    """K3 against a wall: masses, a scale of the frame; peak, rupture, rebound are kept."""
    model = ts.crash.against(ts.crash.car("k3"), ts.crash.Wall(), "56 km/h")
    return ts.study(
        model,
        vary={"body.mass": ts.uniform(1000, 1100), "front_frame.scale": ts.normal(1, 0.05)},
        samples=samples,
        design="random",
        keep={
            "peak": ts.peak("body.acceleration.x"),
            "torn": ts.event("engine_mount: torn"),
            "rebound": ts.final("body.velocity.x"),
        },
        engine=engine,
        progress=False,
        **options,
    )


def rate(samples: int, engine="lanes", clock=time.process_time, **options) -> float:
    """Members a second: the time of many less that of few, which has what every call costs."""
    few = samples // 8
    crash(few, engine, **options)
    long, short = (best(lambda n=n: crash(n, engine, **options), clock, 2) for n in (samples, few))
    return (samples - few) / max(long - short, 1e-9)


def cores(samples: int) -> dict[str, float]:
    """Members a second of wall time: this process, two processes, a cluster of two workers."""
    options = TOLERANCES[1]
    out = {"one process": rate(samples, "lanes", time.perf_counter, **options)}
    out["two processes"] = rate(samples, "processes", time.perf_counter, workers=2, **options)
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        return out
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        client = Client(cluster)
        out["Dask, two workers"] = rate(samples, client, time.perf_counter, **options)
        client.close()
    return out


def on_disk(members: int) -> dict[str, float]:
    """A pendulum study in a store: size over that of the raw numbers, memory, members a second."""
    rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    joint = ts.Joint("pivot", "world", "rod", ts.Revolute("y"))
    model = ts.Model("pendulum", bodies=(rod,), joints=(joint,))
    folder = Path(tempfile.mkdtemp())
    before = time.process_time()
    study = ts.study(
        model,
        t_end=1.0,
        vary={"pivot.angle": ts.uniform(0.1, 3.0), "pivot.rate": ts.normal(0, 1)},
        samples=members,
        design="random",
        keep={"fast": ts.peak("pivot.rate"), "end": ts.final("pivot.angle")},
        engine="lanes",
        store=folder / "pendulum.zarr",
        output=11,
        rtol=1e-6,
        atol=1e-8,
        progress=False,
    )
    spent = time.process_time() - before
    size = sum(f.stat().st_size for f in (folder / "pendulum.zarr").rglob("*") if f.is_file())
    columns = len(study.plan.values) + len(study.plan.keep)
    shutil.rmtree(folder)
    return {
        "members": members,
        "members a CPU second": members / spent,
        "store over raw": size / (8 * columns * members),
        "largest memory [MB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def crash_on_disk(members: int) -> dict[str, float]:
    """K3 with all its events and ruptures as one study in a store, at the first tolerance."""
    options = TOLERANCES[0]
    crash(64, **options)
    folder = Path(tempfile.mkdtemp())
    before = time.process_time()
    study = crash(members, store=folder / "k3.zarr", **options)
    spent = time.process_time() - before
    size = sum(f.stat().st_size for f in (folder / "k3.zarr").rglob("*") if f.is_file())
    complete = int(study["completed"].sum())  # read from the store
    shutil.rmtree(folder)
    return {
        "members": members,
        "complete": complete,
        "members a CPU second": members / spent,
        "store over raw": size / (8 * 5 * members),
        "largest memory [MB]": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


DRIVER = """
import sys, torseur as ts
rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
model = ts.Model("pendulum", bodies=(rod,),
                 joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
if __name__ == "__main__":
    ts.study(model, t_end=4.0, vary={"pivot.angle": ts.uniform(0.1, 3.0)}, samples=40_000,
             keep={"end": ts.final("pivot.angle")}, rtol=1e-9, atol=1e-11, output=11,
             engine="processes", workers=2, store=sys.argv[1], progress=False)
"""


def kills(times: int = 20, seed: int = 0) -> dict[str, float]:
    """Kill a worker or the driver at random moments, go on, and compare the final table.

    Odd kills are of the driver, even ones of a worker; what was done before a kill must be there.
    """
    import random
    import signal
    import subprocess
    import sys

    folder = Path(tempfile.mkdtemp())
    script = folder / "driver.py"
    script.write_text(DRIVER)
    call = [sys.executable, str(script)]
    before = time.perf_counter()
    subprocess.run([*call, str(folder / "whole.zarr")], check=True)
    span = time.perf_counter() - before
    want = ts.open_study(folder / "whole.zarr")["end"]
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
        if store.exists() and not ts.open_study(store).store.missing():
            assert np.array_equal(ts.open_study(store)["end"], want)
            shutil.rmtree(store)  # whole again in spite of all; once more from the start
    same = True
    if store.exists():
        same = np.array_equal(ts.open_study(store).resume("lanes", progress=False)["end"], want)
    shutil.rmtree(folder)
    return {"kills": times, "chunks lost": lost, "same table": float(same)}


def _finished(store: Path) -> list[int]:
    """Chunks that a store holds."""
    if not (store / "zarr.json").exists():
        return []
    found = ts.open_study(store)
    return sorted(set(range(found.plan.chunks)) - set(found.store.missing()))


def first_member() -> float:
    """From the call to the first member on a compiled model [s]."""
    options = {"rtol": 1e-6, "atol": 1e-8, "output": 151}
    return best(lambda: crash(1, **options), time.perf_counter, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few members")
    quick = parser.parse_args().quick
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    disk = on_disk(10_000 if quick else 1_000_000)
    for name, x in disk.items():
        print(f"pendulum on disk: {name} {x:.4g}")
    for name, x in crash_on_disk(2000 if quick else 100_000).items():
        print(f"K3 on disk: {name} {x:.4g}")
    ours, theirs = arms(128 if quick else 1024)
    ratio = "MuJoCo not installed" if theirs is None else f"mujoco.rollout {theirs:.0f}"
    print(f"7R arm, 1 s, RK4 of 1 ms: {ours:.0f} members a CPU second; {ratio}")
    gate.record("studies", {"7R arm beside mujoco.rollout": ours / (theirs or float("nan"))})
    for options in TOLERANCES:
        found = rate(256 if quick else 1024, **options)
        print(f"K3, {options or 'as crash models have it'}: {found:.0f} members a CPU second")
    for name, x in cores(256 if quick else 2048).items():
        print(f"K3, {name}: {x:.0f} members a second")
    print(f"first member: {1e3 * first_member():.0f} ms")
    print(f"killed: {kills(2 if quick else 20)}")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

"""Drivers and workers are killed (kill -9) in the midst of a study: nothing but a chunk is lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.studies.storage import Zarr

zarr = pytest.importorskip("zarr")

DRIVER = """
import sys
sys.path.insert(0, {here!r})
from test_interrupted_studies import asked
if __name__ == "__main__":
    import torseur as ts
    ts.study(**asked(), engine="processes", workers={workers}, store={store!r}, progress=False)
"""
CHUNKS = 6


def asked():
    law = ts.Crush(((0, 0), (0.1, 2e4), (0.3, 6e4)), 1e6)
    model = ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 100.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law),),
    )
    return {
        "model": model,
        "t_end": 0.05,
        "vary": {"x.speed": ts.studies.Uniform(1, 10), "f.scale": ts.studies.Normal(1, 0.1)},
        "samples": 64 * CHUNKS,
        "design": "random",
        "keep": {
            "peak": ts.studies.Peak("x.acceleration"),
            "turn": ts.studies.EventTime("f: turning"),
        },
    }


def children(pid: int) -> list[int]:
    """Workers of a driver: those that compute, not the one that watches resources."""
    found = []
    for own in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((own / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"spawn_main" in (own / "cmdline").read_bytes():
                found.append(int(own.name))
        except OSError:
            continue
    return found


def done(store) -> int:
    if not (store / "zarr.json").exists():
        return 0
    return CHUNKS - len(Zarr(store).missing())


def until(true, driver) -> bool:
    """Wait for something while the driver lives; whether it came."""
    while driver.poll() is None:
        if true():
            return True
        time.sleep(0.005)
    return bool(true())


def hurt(store, kills, seed=None, workers=1):
    """Run a driver; kill a worker of its, then itself, after so many chunks (and a while)."""
    here, rng = str(Path(__file__).parent), np.random.default_rng(seed)
    script = store.with_suffix(".py")
    script.write_text(DRIVER.format(here=here, store=str(store), workers=workers))
    driver = subprocess.Popen([sys.executable, str(script)])
    try:
        for kind, after in kills:
            until(lambda after=after: done(store) >= after, driver)
            if seed is not None:
                time.sleep(rng.uniform(0, 0.3))
            left = children(driver.pid)
            if kind == "driver":
                driver.send_signal(signal.SIGKILL)
                driver.wait()
                assert until_gone(left)
            else:
                for pid in left[:1]:
                    os.kill(pid, signal.SIGKILL)
    finally:
        driver.kill()
        driver.wait()


def until_gone(pids) -> bool:
    """No worker outlives its driver for long."""
    for _ in range(2000):
        if not any(alive(p) for p in pids):
            return True
        time.sleep(0.01)
    return False


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def check(store):
    whole = ts.study(**asked(), engine="lanes")
    found = ts.studies.open(store).resume(engine="lanes")
    for name in ("peak", "turn"):
        assert np.array_equal(found[name], whole[name], equal_nan=True)
    assert (found["outcome"] == whole["outcome"]).all() and found["completed"].all()


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@pytest.mark.slow
@linux
def test_a_killed_driver_and_a_killed_worker(tmp_path):
    hurt(tmp_path / "s.zarr", [("worker", 1), ("driver", 3)])
    check(tmp_path / "s.zarr")


@linux
@pytest.mark.slow
def test_twenty_kills_at_any_moment(tmp_path):
    for i in range(10):
        store = tmp_path / f"s{i}.zarr"
        after = i % CHUNKS
        hurt(store, [("worker", after), ("driver", min(after + 1, CHUNKS - 1))], seed=i, workers=2)
        check(store)


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path, monkeypatch):
    store = tmp_path / "s.zarr"
    put, count = Zarr.write, []

    def full(self, name, own, x):
        count.append(name)
        if len(count) > 6:
            raise OSError(28, "No space left on device")
        return put(self, name, own, x)

    monkeypatch.setattr(Zarr, "write", full)
    with pytest.raises(ts.TorseurError, match=r"No space left on device.*resume\(\)"):
        ts.study(**asked(), engine="lanes", store=store)
    monkeypatch.undo()
    assert 0 < done(store) < CHUNKS
    check(store)


def test_ctrl_c_leaves_what_is_done(tmp_path, monkeypatch):
    store = tmp_path / "s.zarr"
    put, count = Zarr.write, []

    def interrupted(self, name, own, x):
        count.append(name)
        if len(count) > 7:
            raise KeyboardInterrupt
        return put(self, name, own, x)

    monkeypatch.setattr(Zarr, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ts.study(**asked(), engine="lanes", store=store)
    monkeypatch.undo()
    assert 0 < done(store) < CHUNKS
    check(store)

"""Where chunks are computed: in this process, in several, on a Dask cluster.  Same numbers."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.shared_memory import SharedMemory
from typing import Any
from uuid import uuid4

import numpy as np

from ..compiler import carry, gathered
from ..errors import ArgumentError, TorseurError, needs
from ..simulation import Progress
from .plan import Plan

# --------------------------------------------------------------------------------------------
# What goes to a worker: the plan, and the object code that its members run.


FEW, BRIEF, ROWS = 8, 1e-6, 17  # members, part of the time, and rows that make all code ready


@dataclass(frozen=True)
class Parcel:
    """A plan without its members, and its code; on a machine of the same kind nothing is compiled.

    Code is found by a name that stands for the model, the sources, the processor and the compiler:
    on another machine it is not found, and compiled.
    """

    plan: Plan
    code: dict[str, bytes]

    def opened(self) -> Plan:
        """The plan; its code is at hand from now on."""
        carry(self.code)
        return self.plan


@contextlib.contextmanager
def lent(given: Parcel) -> Iterator[tuple[str, int]]:
    """Name and size of shared memory where processes of this machine find a parcel.

    A new process reads its arguments from a pipe that holds 64 kB: one that is killed before it
    reads more than that leaves its parent writing for ever.  Two words always fit.
    """
    data = pickle.dumps(given, protocol=pickle.HIGHEST_PROTOCOL)
    room = SharedMemory(create=True, size=len(data))
    try:
        assert room.buf is not None
        room.buf[: len(data)] = data
        yield room.name, len(data)
    finally:
        room.close()
        room.unlink()


def taken(name: str, size: int) -> Parcel:
    """The parcel that the parent has lent."""
    room = SharedMemory(name)
    try:
        assert room.buf is not None
        return pickle.loads(bytes(room.buf[:size]))
    finally:
        room.close()


def parcel(plan: Plan) -> Parcel:
    """A plan with the code of its branches, which is made here, once.

    A few members of each branch run for an instant, from models that nobody has used yet: thus all
    that they ask for is noticed.
    """
    fresh = replace(
        plan,
        branches=pickle.loads(pickle.dumps(plan.branches)),
        options=tuple(map(_brief, plan.options)),
    )
    with gathered() as code:
        for b in np.unique(plan.branch):
            own = np.flatnonzero(plan.branch == b)[:FEW]
            values = {n: x[own] for n, x in plan.values.items()}
            with contextlib.suppress(TorseurError):  # told by the members themselves
                for _, runs in fresh.benches[b].parts(len(own), values):
                    if len(runs.there):
                        runs.ask(*plan.asked)
    return Parcel(plan.shell(), code)


def _brief(options: dict[str, Any]) -> dict[str, Any]:
    start = float(options.get("t_start") or 0.0)
    end = start + BRIEF * (float(options["t_end"]) - start)
    return {**options, "t_end": end, "output": ROWS}


Columns = dict[str, np.ndarray]
TRIES = 3  # times that a chunk may take its worker down before its members are told as lost
WAIT = 120  # for the first worker of a cluster [s]
PATIENCE = 10  # with a scheduler that does not answer [s]
WORTH = 4 * 64  # members from which processes of their own are worth starting


def run(
    plan: Plan, chunks: list[int], engine, workers: int | None
) -> Iterator[tuple[int, Columns]]:
    """Columns of chunks as they are done, in any order."""
    if engine == "auto":
        many = len(chunks) * plan.chunk >= WORTH and (workers or os.cpu_count() or 1) > 1
        engine = "processes" if many and _may_spawn() else "lanes"
    if engine == "lanes":
        return _here(plan, chunks)
    if engine == "processes":
        if not _may_spawn():
            raise ArgumentError(
                "study: engine='processes' starts this script again in every worker; keep it in a "
                "file, what it does under  if __name__ == '__main__':  or use engine='lanes'"
            )
        return _processes(plan, chunks, workers or os.cpu_count() or 1)
    if isinstance(engine, str) and "://" in engine:
        return _at_address(plan, chunks, engine)
    if hasattr(engine, "submit"):
        return _dask(plan, chunks, engine)
    raise ArgumentError(
        f"study: engine = {engine!r}; use 'auto', 'lanes' (this process), 'processes', or a Dask "
        "client or its address, 'tcp://...'"
    )


def _here(plan: Plan, chunks: list[int]) -> Iterator[tuple[int, Columns]]:
    """One after the other, in this process."""
    try:
        for c in chunks:
            yield c, plan.compute(c)
    finally:
        plan.rest()


def _may_spawn() -> bool:
    """Whether a new process may import the main script without running it all again.

    One that was read from standard input, `python - < script.py`, is in no file to import.
    """
    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    if path is None or getattr(main, "__spec__", None) is not None:  # a prompt, or python -m
        return True
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "__name__" in file.read()
    except OSError:
        return False


_own: Plan | None = None


def _begin(name: str, size: int) -> None:
    global _own
    _own = taken(name, size).opened()
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """A worker ends with its driver, however that ends."""
    driver = parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)


def _chunk(*rows: Any) -> Columns:
    assert _own is not None
    return _own.computed(*rows)


def _lost(plan: Plan, chunk: int, why: str) -> Columns:
    n = len(plan.rows(chunk))
    out = {k: np.full((n, *m.shape()), np.nan) for k, m in plan.keep.items()}
    return {
        **out,
        "outcome": np.array([f"failed: {why}"] * n, dtype=object),
        "completed": np.zeros(n, dtype=bool),
    }


def _processes(plan: Plan, chunks: list[int], workers: int) -> Iterator[tuple[int, Columns]]:
    """A pool of processes; one that dies is replaced, its chunks are computed again."""
    tries = dict.fromkeys(chunks, 0)
    left = list(chunks)
    with lent(parcel(plan)) as given:
        yield from _pools(plan, left, tries, workers, given)


def _pools(
    plan: Plan, left: list[int], tries: dict[int, int], workers: int, given: tuple[str, int]
) -> Iterator[tuple[int, Columns]]:
    while left:
        alone = max(tries[c] for c in left) > 1  # one at a time finds who takes workers down
        with ProcessPoolExecutor(
            1 if alone else min(workers, len(left)), get_context("spawn"), _begin, given
        ) as pool:
            jobs = {pool.submit(_chunk, *plan.cut(c)): c for c in (left[:1] if alone else left)}
            try:
                for job in as_completed(jobs):
                    yield jobs[job], job.result()
                    left.remove(jobs[job])
            except BrokenProcessPool:
                for c in jobs.values():
                    tries[c] += c in left
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        for c in [c for c in left if tries[c] > TRIES]:
            left.remove(c)
            yield c, _lost(plan, c, f"its worker died {TRIES + 1} times")


@cache
def _hold_memory() -> None:
    """Let the C library keep what arrays of a chunk free, for the next ones.

    Workers of Dask tell it to give back everything above 64 kB at once: each array then costs a
    page fault for every 4 kB, and a chunk three times its CPU time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        mallopt(-3, 32 << 20)  # M_MMAP_THRESHOLD
        mallopt(-1, 256 << 20)  # M_TRIM_THRESHOLD


_KEPT: dict[str, Plan] = {}
MOST_KEPT = 4  # plans that a worker of a cluster remembers


def _handed(given: Parcel) -> Parcel:
    """What a task of its own hands to all others: a cluster that loses it makes it again."""
    return given


def _at_worker(token: str, given: Parcel, *rows: Any) -> Columns:
    """A chunk; a worker checks the models of a plan once, though it is sent often."""
    _hold_memory()
    own = _KEPT.get(token) or _KEPT.setdefault(token, given.opened())
    while len(_KEPT) > MOST_KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)
    return own.computed(*rows)


def _at_address(plan: Plan, chunks: list[int], address: str) -> Iterator[tuple[int, Columns]]:
    """On the cluster whose scheduler listens there."""
    with needs("studies", "a study on a cluster"):
        from dask.distributed import Client

    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as e:
        raise ArgumentError(
            f"study: no Dask scheduler answers at {address} within {PATIENCE} s; start one with"
            " `dask scheduler`, and workers with `dask worker`"
        ) from e
    with client:
        yield from _dask(plan, chunks, client)


def _dask(plan: Plan, chunks: list[int], client: Any) -> Iterator[tuple[int, Columns]]:
    """Chunks as tasks of a cluster; the plan and its code travel once."""
    with needs("studies", "a study on a cluster"):
        from dask.distributed import as_completed as done

    try:
        client.wait_for_workers(1, timeout=WAIT)
    except TimeoutError as e:
        raise TorseurError(f"study: the cluster has had no worker for {WAIT} s") from e
    there, token = client.submit(_handed, parcel(plan), pure=False), uuid4().hex
    told = {"retries": TRIES, "pure": False}
    jobs = {client.submit(_at_worker, token, there, *plan.cut(c), **told): c for c in chunks}
    try:
        for job in done(list(jobs)):
            error = job.exception()
            if error is not None and not isinstance(error, TorseurError):
                yield jobs[job], _lost(plan, jobs[job], f"{type(error).__name__}: {error}")
            else:
                yield jobs[job], job.result()
    finally:
        client.cancel(list(jobs))


def ordered(plan: Plan, found: Iterable[tuple[int, Columns]], put: Callable, show=None, done=0):
    """Hand every chunk to `put` as it comes, with progress."""
    progress = Progress(plan.members, done, show)
    for chunk, columns in found:
        put(chunk, columns)
        progress.add(len(plan.rows(chunk)))

"""Executors of a study: SIMD lanes in this process, a pool of processes, or a Dask cluster.

All give the same numbers.  Workers get the plan and its object code, so they compile nothing on a
machine of the same type.
"""

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

WARM_UP_MEMBERS, WARM_UP_DURATION, WARM_UP_ROWS = 8, 1e-6, 17  # duration: share of the runs
MAX_RETRIES = 3  # of a chunk whose worker died
WORKER_TIMEOUT = 120  # [s] for the first worker of a cluster
SCHEDULER_TIMEOUT = 10  # [s]
MIN_MEMBERS_OF_POOL = 4 * 64  # from which a pool of processes is worth its start
MAX_CACHED_PLANS = 4  # of a worker of a cluster
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # parameters of mallopt

Columns = dict[str, np.ndarray]


# ---- transport ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlanPackage:
    """A plan without its members, and its object code.

    Code is found by a key of model, sources, processor and compiler.  Another machine does not find
    it and compiles.
    """

    plan: Plan
    code: dict[str, bytes]

    def install(self) -> Plan:
        """Install the code in this process and return the plan."""
        carry(self.code)
        return self.plan


@contextlib.contextmanager
def share_package(package: PlanPackage) -> Iterator[tuple[str, int]]:
    """Name and size of shared memory with a package, for processes of this machine.

    A new process reads its arguments from a pipe that holds 64 kB.  If it is killed before it reads
    more than that, its parent blocks forever.  A name and a size always fit.
    """
    data = pickle.dumps(package, protocol=pickle.HIGHEST_PROTOCOL)
    memory = SharedMemory(create=True, size=len(data))
    try:
        assert memory.buf is not None
        memory.buf[: len(data)] = data
        yield memory.name, len(data)
    finally:
        memory.close()
        memory.unlink()


def receive_package(name: str, size: int) -> PlanPackage:
    """The package in shared memory of the parent process."""
    memory = SharedMemory(name)
    try:
        assert memory.buf is not None
        return pickle.loads(bytes(memory.buf[:size]))
    finally:
        memory.close()


def make_package(plan: Plan) -> PlanPackage:
    """A plan with the code of its branches, which is compiled here, once.

    A few members of each branch run for an instant, with unused copies of the models, so that all
    code that they need is recorded.
    """
    fresh = replace(
        plan,
        branches=pickle.loads(pickle.dumps(plan.branches)),
        options=tuple(map(_shorten_run, plan.options)),
    )
    with gathered() as code:
        for b in np.unique(plan.branch):
            members = np.flatnonzero(plan.branch == b)[:WARM_UP_MEMBERS]
            values = {n: x[members] for n, x in plan.values.items()}
            with contextlib.suppress(TorseurError):  # the members report it themselves
                for _, runs in fresh.benches[b].run_batches(len(members), values):
                    if len(runs.there):
                        runs.ask(*plan.signals)
    return PlanPackage(plan.without_members(), code)


def _shorten_run(options: dict[str, Any]) -> dict[str, Any]:
    start = float(options.get("t_start") or 0.0)
    end = start + WARM_UP_DURATION * (float(options["t_end"]) - start)
    return {**options, "t_end": end, "output": WARM_UP_ROWS}


# ---- choice of the executor --------------------------------------------------------------------


def compute_chunks(
    plan: Plan, chunks: list[int], engine: Any, workers: int | None
) -> Iterator[tuple[int, Columns]]:
    """(chunk, columns) in the order in which they finish."""
    count = workers or os.cpu_count() or 1
    if engine == "auto":
        pays = len(chunks) * plan.chunk >= MIN_MEMBERS_OF_POOL and count > 1
        engine = "processes" if pays and _can_spawn() else "lanes"
    if engine == "lanes":
        return _compute_in_process(plan, chunks)
    if engine == "processes":
        if not _can_spawn():
            raise ArgumentError(
                "study: engine='processes' starts this script again in every worker; save it in a "
                "file, and put its calls under  if __name__ == '__main__':  or use engine='lanes'"
            )
        return _compute_in_pool(plan, chunks, count)
    if isinstance(engine, str) and "://" in engine:
        return _compute_at_address(plan, chunks, engine)
    if hasattr(engine, "submit"):
        return _compute_on_cluster(plan, chunks, engine)
    raise ArgumentError(
        f"study: engine = {engine!r}; use 'auto', 'lanes' (this process), 'processes', or a Dask "
        "client or its address, 'tcp://...'"
    )


def store_chunks(
    plan: Plan,
    results: Iterable[tuple[int, Columns]],
    put: Callable[[int, Columns], None],
    show: Any = None,
    done: int = 0,
) -> None:
    """Pass every finished chunk to `put`, with progress.  `done` members were stored before."""
    progress = Progress(plan.members, done, show)
    for chunk, columns in results:
        put(chunk, columns)
        progress.add(len(plan.rows(chunk)))


def _compute_in_process(plan: Plan, chunks: list[int]) -> Iterator[tuple[int, Columns]]:
    try:
        for c in chunks:
            yield c, plan.compute(c)
    finally:
        plan.release_memory()


def _failed_chunk(plan: Plan, chunk: int, reason: str) -> Columns:
    """Columns of a chunk that no worker could compute."""
    n = len(plan.rows(chunk))
    columns = {k: np.full((n, *m.shape()), np.nan) for k, m in plan.keep.items()}
    return {
        **columns,
        "outcome": np.array([f"failed: {reason}"] * n, dtype=object),
        "completed": np.zeros(n, dtype=bool),
    }


# ---- pool of processes -------------------------------------------------------------------------


def _can_spawn() -> bool:
    """Whether a new process can import the main script without running all of it.

    A script from standard input, `python - < script.py`, is in no file to import.
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


_worker_plan: Plan | None = None  # of this process, if it is a worker


def _start_worker(name: str, size: int) -> None:
    global _worker_plan
    _worker_plan = receive_package(name, size).install()
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """End this worker when its parent process ends, whatever the reason."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _compute_in_worker(*values: Any) -> Columns:
    assert _worker_plan is not None
    return _worker_plan.compute_members(*values)


def _compute_in_pool(plan: Plan, chunks: list[int], workers: int) -> Iterator[tuple[int, Columns]]:
    """A pool of processes.  A dead worker is replaced and its chunks are computed again."""
    with share_package(make_package(plan)) as package:
        yield from _retry_pools(plan, list(chunks), workers, package)


def _retry_pools(
    plan: Plan, remaining: list[int], workers: int, package: tuple[str, int]
) -> Iterator[tuple[int, Columns]]:
    """Pools of processes until every chunk is computed or has failed too often."""
    failures = dict.fromkeys(remaining, 0)
    while remaining:
        one_by_one = max(failures[c] for c in remaining) > 1  # to find the chunk that kills workers
        with ProcessPoolExecutor(
            1 if one_by_one else min(workers, len(remaining)),
            get_context("spawn"),
            _start_worker,
            package,
        ) as pool:
            jobs = {
                pool.submit(_compute_in_worker, *plan.chunk_values(c)): c
                for c in (remaining[:1] if one_by_one else remaining)
            }
            try:
                for job in as_completed(jobs):
                    yield jobs[job], job.result()
                    remaining.remove(jobs[job])
            except BrokenProcessPool:
                for c in jobs.values():
                    failures[c] += c in remaining
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        for c in [c for c in remaining if failures[c] > MAX_RETRIES]:
            remaining.remove(c)
            yield c, _failed_chunk(plan, c, f"its worker died {MAX_RETRIES + 1} times")


# ---- Dask --------------------------------------------------------------------------------------


@cache
def _retain_memory() -> None:
    """Let the C library retain freed arrays of a chunk for the next ones.

    Dask tells its workers to return everything above 64 kB at once.  Each array then costs a page
    fault for every 4 kB, and a chunk three times its CPU time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, 256 << 20)


_CACHED_PLANS: dict[str, Plan] = {}


def _pass_package(package: PlanPackage) -> PlanPackage:
    """Task that holds the package for all others: a cluster that loses it runs the task again."""
    return package


def _compute_on_worker(token: str, package: PlanPackage, *values: Any) -> Columns:
    """Columns of a chunk.  A worker checks the models of a plan once."""
    _retain_memory()
    plan = _CACHED_PLANS.get(token) or _CACHED_PLANS.setdefault(token, package.install())
    while len(_CACHED_PLANS) > MAX_CACHED_PLANS:
        _CACHED_PLANS.pop(next(iter(_CACHED_PLANS)), None)
    return plan.compute_members(*values)


def _compute_at_address(
    plan: Plan, chunks: list[int], address: str
) -> Iterator[tuple[int, Columns]]:
    """On the cluster of the scheduler at an address."""
    with needs("studies", "a study on a cluster"):
        from dask.distributed import Client

    try:
        client = Client(address, timeout=SCHEDULER_TIMEOUT)
    except (OSError, ValueError) as e:
        raise ArgumentError(
            f"study: no Dask scheduler answers at {address} within {SCHEDULER_TIMEOUT} s; start "
            "one with `dask scheduler`, and workers with `dask worker`"
        ) from e
    with client:
        yield from _compute_on_cluster(plan, chunks, client)


def _compute_on_cluster(
    plan: Plan, chunks: list[int], client: Any
) -> Iterator[tuple[int, Columns]]:
    """Chunks as tasks of a Dask cluster, to which the plan and its code are sent once."""
    with needs("studies", "a study on a cluster"):
        from dask.distributed import as_completed as completed_tasks

    try:
        client.wait_for_workers(1, timeout=WORKER_TIMEOUT)
    except TimeoutError as e:
        raise TorseurError(f"study: the cluster has had no worker for {WORKER_TIMEOUT} s") from e
    token = uuid4().hex
    package = client.submit(_pass_package, make_package(plan), pure=False)
    options = {"retries": MAX_RETRIES, "pure": False}
    jobs = {
        client.submit(_compute_on_worker, token, package, *plan.chunk_values(c), **options): c
        for c in chunks
    }
    try:
        for job in completed_tasks(list(jobs)):
            error = job.exception()
            if error is not None and not isinstance(error, TorseurError):
                reason = f"{type(error).__name__}: {error}"
                yield jobs[job], _failed_chunk(plan, jobs[job], reason)
            else:
                yield jobs[job], job.result()
    finally:
        client.cancel(list(jobs))

"""Ctrl-C in long computations and threads, also where a library would swallow it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ..results import Trajectory
    from .progress import Progress


class InterruptFlag:
    """Handler of Ctrl-C that also sets a flag.  `raise_pending()` raises a swallowed one again.

    It does nothing outside the main thread, or where another handler of interrupts is set.

    >>> with InterruptFlag() as interrupt:
    ...     interrupt.raise_pending()
    """

    def __init__(self):
        self.is_set, self._previous_handler = False, None

    def __enter__(self) -> InterruptFlag:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous_handler = signal.signal(signal.SIGINT, self._handle_signal)
        return self

    def __exit__(self, *_: Any) -> None:
        if self._previous_handler is not None:
            signal.signal(signal.SIGINT, self._previous_handler)

    def _handle_signal(self, *_: Any):
        self.is_set = True
        raise KeyboardInterrupt

    def raise_pending(self) -> None:
        """Raise the interrupt if it was swallowed."""
        if self.is_set:
            raise KeyboardInterrupt


CALL_SECONDS = 0.2  # duration of a native call [s], which no Ctrl-C interrupts


class StepPacer:
    """Number of steps of a native call that takes `CALL_SECONDS`, so that Ctrl-C acts soon.

    >>> pacer = StepPacer(100, most=1000)
    >>> pacer.update(0.1), pacer.update(0.001), pacer.update(2.0)
    (200, 800, 80)
    """

    def __init__(self, first: int, most: int, least: int = 1):
        self.steps, self.most, self.least = first, most, least

    def update(self, seconds: float) -> int:
        """The next number of steps, from the duration of the last call."""
        wanted = round(self.steps * min(4.0, CALL_SECONDS / max(seconds, 1e-9)))
        self.steps = min(max(wanted, self.least), self.most)
        return self.steps


INTERRUPTED_TEXT = "interrupted before its end; the results so far are kept"


def map_threads(
    work: Callable,
    items: Iterable,
    threads: int,
    skipped: Callable | None = None,
    progress: Progress | None = None,
) -> list:
    """Results of `work(item, interrupt)` of every item, in their order.

    After a Ctrl-C or an error no more items start, `interrupt.raise_pending()` stops those that
    run, and the error is raised when all have ended.  With `skipped` a Ctrl-C is not raised:
    `skipped(item)` is the result of unfinished items.  `progress` counts finished items, its total
    evenly divided among them.

    >>> map_threads(lambda x, interrupt: 2 * x, (1, 2, 3), 2)
    [2, 4, 6]
    """
    from concurrent.futures import ThreadPoolExecutor

    items = list(items)
    futures: list[Future] = []
    if progress is not None:
        work = _count_finished(work, len(items), progress)
    with InterruptFlag() as interrupt, ThreadPoolExecutor(threads) as pool:
        try:
            futures += [pool.submit(work, x, interrupt) for x in items]
            return [_wait_for_result(x) for x in futures]
        except BaseException as e:
            interrupt.is_set = True
            pool.shutdown(cancel_futures=True)
            if skipped is None or not isinstance(e, KeyboardInterrupt):
                raise
    done = [not f.cancelled() and f.exception() is None for f in futures]
    done += [False] * (len(items) - len(done))
    return [futures[i].result() if done[i] else skipped(x) for i, x in enumerate(items)]


def _wait_for_result(future: Future) -> Any:
    """Result of a future.  Waits are short, because a Ctrl-C just before a long one is lost."""
    from concurrent.futures import wait

    while not future.done():
        wait((future,), CALL_SECONDS)
    return future.result()


def _count_finished(work: Callable, count: int, progress: Progress) -> Callable:
    """The same work, counted by progress."""
    each, finished = progress.total, iter(range(1, count + 1))

    def counted(item, interrupt):
        result = work(item, interrupt)
        k = next(finished)
        progress.add(each * k // count - each * (k - 1) // count)
        return result

    return counted


def obeyed(run: Trajectory) -> Trajectory:
    """A run that is part of a larger computation, which ends with it if it was interrupted."""
    if run.statistics.get("interrupted"):
        raise KeyboardInterrupt
    return run

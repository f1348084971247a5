"""The first Ctrl-C is obeyed, also where a library would swallow it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ..results import Trajectory
    from .progress import Progress


class Heed:
    """While it is open a Ctrl-C is remembered as well as raised; `now()` raises a forgotten one.

    Does nothing outside the main thread, or where somebody else handles interrupts.

    >>> with Heed() as heed:
    ...     heed.now()
    """

    def __init__(self):
        self.heard, self._before = False, None

    def __enter__(self) -> Heed:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, *_):
        self.heard = True
        raise KeyboardInterrupt

    def now(self) -> None:
        """Raise the interrupt that came, if one did."""
        if self.heard:
            raise KeyboardInterrupt


GLANCE = 0.2  # time between two looks at the keyboard [s]


class Pace:
    """Steps of one native call: as many as take a glance, so that a Ctrl-C is heard soon.

    >>> pace = Pace(100, most=1000)
    >>> pace.took(0.1), pace.took(0.001), pace.took(2.0)
    (200, 800, 80)
    """

    def __init__(self, first: int, most: int, least: int = 1):
        self.steps, self.most, self.least = first, most, least

    def took(self, seconds: float) -> int:
        """The next number of steps, when the last took so long."""
        wanted = round(self.steps * min(4.0, GLANCE / max(seconds, 1e-9)))
        self.steps = min(max(wanted, self.least), self.most)
        return self.steps


STOPPED = "interrupted before its end; what was computed is kept"


def in_threads(
    work: Callable,
    items: Iterable,
    threads: int,
    lost: Callable | None = None,
    progress: Progress | None = None,
) -> list:
    """`work(item, heed)` of every item, in their order.

    On a Ctrl-C, or an error of one, nothing more is begun, what is under way hears it by
    `heed.now()`, and it is raised when all have ended.  With `lost` a Ctrl-C is not raised: what
    was not finished is answered by `lost(item)`.  `progress` is told of each that is finished; its
    total is shared evenly.

    >>> in_threads(lambda x, heed: 2 * x, (1, 2, 3), 2)
    [2, 4, 6]
    """
    from concurrent.futures import ThreadPoolExecutor

    items = list(items)
    waiting: list[Future] = []
    if progress is not None:
        work = _counted(work, len(items), progress)
    with Heed() as heed, ThreadPoolExecutor(threads) as pool:
        try:
            waiting += [pool.submit(work, x, heed) for x in items]
            return [x.result() for x in waiting]
        except BaseException as e:
            heed.heard = True
            pool.shutdown(cancel_futures=True)
            if lost is None or not isinstance(e, KeyboardInterrupt):
                raise
    done = [not f.cancelled() and f.exception() is None for f in waiting]
    done += [False] * (len(items) - len(done))
    return [waiting[i].result() if done[i] else lost(x) for i, x in enumerate(items)]


def _counted(work: Callable, count: int, progress: Progress) -> Callable:
    """The same work, of which progress is told."""
    each, finished = progress.total, iter(range(1, count + 1))

    def counted(item, heed):
        found = work(item, heed)
        k = next(finished)
        progress.add(each * k // count - each * (k - 1) // count)
        return found

    return counted


def obeyed(run: Trajectory) -> Trajectory:
    """A run that is a part of larger work, which ends with it when it was interrupted."""
    if run.statistics.get("interrupted"):
        raise KeyboardInterrupt
    return run

"""The first Ctrl-C is obeyed, also where a library would swallow it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor


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


def in_threads(work: Callable, items: Iterable, threads: int) -> list:
    """`work(item, heed)` of every item, in their order.

    On a Ctrl-C, or an error of one, nothing more is begun, what is under way hears it by
    `heed.now()`, and it is raised when all have ended.

    >>> in_threads(lambda x, heed: 2 * x, (1, 2, 3), 2)
    [2, 4, 6]
    """
    with Heed() as heed, ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(work, x, heed) for x in items]
        try:
            return [x.result() for x in waiting]
        except BaseException:
            heed.heard = True
            pool.shutdown(cancel_futures=True)
            raise

"""How far much work is: a line with a bar, the rate and the time left; terminals and notebooks."""

from __future__ import annotations

import sys
import threading
import time as clock

EVERY = 0.5  # time between two lines [s]
WIDE = 24  # letters of the bar


def watched(show: bool | None) -> bool:
    """Whether somebody looks: as told, or where there is a terminal or a notebook."""
    if show is not None:
        return show
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or type(shell).__name__ == "ZMQInteractiveShell"


class Progress:
    """One line: a bar, members done, rate, time left.  It begins when the first are done.

    >>> Progress(400, 100, show=False).line(200, 2.0)
    '[############------------]  200 of 400 members, 50 a second, 4 s left'
    """

    def __init__(self, total: int, done: int = 0, show: bool | None = None, what: str = "members"):
        self.total, self.done, self.first, self.what = total, done, done, what
        self.started = self.last = clock.perf_counter()
        self.show, self._lock, self._wrote = watched(show), threading.Lock(), False

    def line(self, done: int, spent: float) -> str:
        """What is said after so many, so many seconds after the start."""
        rate = (done - self.first) / max(spent, 1e-9)
        left = (self.total - done) / max(rate, 1e-9)
        full = WIDE * done // max(self.total, 1)
        bar = "#" * full + "-" * (WIDE - full)
        often = f"{rate:.0f} a second" if rate >= 1 else f"{1 / max(rate, 1e-9):.3g} s each"
        return f"[{bar}]  {done} of {self.total} {self.what}, {often}, {_said(left)} left"

    def add(self, more: int) -> None:
        """So many more are done; any thread may say so."""
        with self._lock:
            self.done += more
            now = clock.perf_counter()
            ends = self.done >= self.total
            if not self.show or (now - self.last < EVERY and not (ends and self._wrote)):
                return
            self.last, self._wrote = now, True
            text = self.line(self.done, now - self.started)
            print(f"\r{text}   ", end="\n" if ends else "", file=sys.stderr, flush=True)


class Tally:
    """One line of a search whose end nobody knows: how often it has tried, and for how long.

    Nothing is said in the first second.

    >>> Tally("fit: runs", show=False).line(24, 3.0)
    'fit: runs 24, 8 a second'
    """

    def __init__(self, what: str, show: bool | None = None):
        self.what, self.show, self.count, self.wrote = what, watched(show), 0, False
        self.started = self.last = clock.perf_counter()

    def line(self, count: int, spent: float) -> str:
        """What is said after so many tries and seconds."""
        rate = count / max(spent, 1e-9)
        often = f"{rate:.0f} a second" if rate >= 1 else f"{1 / max(rate, 1e-9):.3g} s each"
        return f"{self.what} {count}, {often}"

    def add(self, more: int = 1) -> None:
        """So many more were tried."""
        self.count += more
        now = clock.perf_counter()
        if self.show and now - self.started > 1.0 and now - self.last >= EVERY:
            self.last, self.wrote = now, True
            text = self.line(self.count, now - self.started)
            print(f"\r{text}   ", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """The search is over: the line is left as it is."""
        if self.wrote:
            self.wrote = False
            print(file=sys.stderr, flush=True)


def _said(seconds: float) -> str:
    """A time as people say it.

    >>> _said(42.0), _said(600.0), _said(9000.0)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"

"""Progress of long computations: one line on a terminal or in a notebook."""

from __future__ import annotations

import sys
import threading
import time as clock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run.run import Simulation

UPDATE_PERIOD = 0.5  # between two lines [s]
SEARCH_DELAY = 1.0  # before the first line of a search [s]
BAR_WIDTH = 24  # letters


def shows_progress(show: bool | None) -> bool:
    """Whether progress is shown: the argument, or by default on a terminal and in a notebook."""
    if show is not None:
        return show
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or type(shell).__name__ == "ZMQInteractiveShell"


class RunProgress:
    """One line about a run that takes more than `UPDATE_PERIOD`: time and share."""

    def __init__(self) -> None:
        self.last = clock.perf_counter()

    def __call__(self, run: Simulation) -> None:
        """Show the line when it is due."""
        now = clock.perf_counter()
        if now - self.last < UPDATE_PERIOD:
            return
        self.last = now
        assert run.t_end is not None
        share = (run.t - run.t_start) / (run.t_end - run.t_start)
        text = f"\rt = {run.t:.4g} s of {run.t_end:g} s ({share:.0%})"
        print(text, end="\n" if share >= 1 else "", file=sys.stderr, flush=True)


class Progress:
    """One line about many jobs: a bar, number of finished ones, rate, time left.

    The first line comes when the first jobs are finished.

    >>> Progress(400, 100, show=False).line(200, 2.0)
    '[############------------]  200 of 400 members, 50 a second, 4 s left'
    """

    def __init__(self, total: int, done: int = 0, show: bool | None = None, noun: str = "members"):
        self.total, self.done, self.first, self.noun = total, done, done, noun
        self.started = self.last = clock.perf_counter()
        self.show, self._lock, self._has_written = shows_progress(show), threading.Lock(), False

    def line(self, done: int, spent: float) -> str:
        """The line after a number of jobs and seconds."""
        rate = (done - self.first) / max(spent, 1e-9)
        left = _format_duration((self.total - done) / max(rate, 1e-9))
        full = BAR_WIDTH * done // max(self.total, 1)
        bar = "#" * full + "-" * (BAR_WIDTH - full)
        return f"[{bar}]  {done} of {self.total} {self.noun}, {_format_rate(rate)}, {left} left"

    def add(self, more: int) -> None:
        """Count finished jobs, from any thread, and show the line when it is due."""
        with self._lock:
            self.done += more
            now = clock.perf_counter()
            ends = self.done >= self.total
            if not self.show or (
                now - self.last < UPDATE_PERIOD and not (ends and self._has_written)
            ):
                return
            self.last, self._has_written = now, True
            text = self.line(self.done, now - self.started)
            print(f"\r{text}   ", end="\n" if ends else "", file=sys.stderr, flush=True)


class Tally:
    """One line about a search of unknown length: number of trials and their rate.

    The first line comes after a second.

    >>> Tally("fit: runs", show=False).line(24, 3.0)
    'fit: runs 24, 8 a second'
    """

    def __init__(self, noun: str, show: bool | None = None):
        self.noun, self.show, self.count, self._has_written = noun, shows_progress(show), 0, False
        self.started = self.last = clock.perf_counter()

    def line(self, count: int, spent: float) -> str:
        """The line after a number of trials and seconds."""
        return f"{self.noun} {count}, {_format_rate(count / max(spent, 1e-9))}"

    def add(self, more: int = 1) -> None:
        """Count trials, and show the line when it is due."""
        self.count += more
        now = clock.perf_counter()
        if self.show and now - self.started > SEARCH_DELAY and now - self.last >= UPDATE_PERIOD:
            self.last, self._has_written = now, True
            text = self.line(self.count, now - self.started)
            print(f"\r{text}   ", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """End the line of a finished search."""
        if self._has_written:
            self._has_written = False
            print(file=sys.stderr, flush=True)


def _format_rate(rate: float) -> str:
    """A rate of jobs [1/s] as text."""
    return f"{rate:.0f} a second" if rate >= 1 else f"{1 / max(rate, 1e-9):.3g} s each"


def _format_duration(seconds: float) -> str:
    """A duration as text.

    >>> _format_duration(42.0), _format_duration(600.0), _format_duration(9000.0)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"

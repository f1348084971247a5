"""Ctrl-C: heard where Python would lose it, and kept waiting where it would tear something.

Python forgets an exception of a destructor, of a weak reference's callback or of a callback from
native code.  Where that is a Ctrl-C, it is pressed again a moment later.
"""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator

RESEND_DELAY = 0.01  # seconds until a lost Ctrl-C is pressed again: its callback is over by then


def resend_interrupt() -> None:
    """Ctrl-C in the main thread, a moment later."""
    again = threading.Timer(RESEND_DELAY, _thread.interrupt_main)
    again.daemon = True
    again.start()


def resend_lost_interrupts() -> None:
    """From now on a Ctrl-C that Python can only report as ignored is pressed again instead."""
    before = sys.unraisablehook

    def hook(lost: sys.UnraisableHookArgs, /) -> None:
        if lost.exc_type is not None and issubclass(lost.exc_type, KeyboardInterrupt):
            resend_interrupt()
        else:
            before(lost)

    sys.unraisablehook = hook


@contextlib.contextmanager
def defer_interrupts() -> Iterator[None]:
    """Inside, a Ctrl-C waits for the end of the block: for a short piece of writing in parts.

    >>> with defer_interrupts():
    ...     pass
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    heard: list[tuple] = []
    signal.signal(signal.SIGINT, lambda *key: heard.append(key))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard and callable(before):
            before(*heard[0])

"""A run of method "auto" is looked at on its way: whether another method has become better.

An explicit method whose steps are as long as stability lets them, however smooth the motion, gives
way to the implicit one; that one to an explicit one whose steps would be stable at its own length.
Looks come after fixed numbers of attempts, so that the same run is always the same.  Theory: IN.20.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from ..integrate import EXPLICIT, METHODS, Method
from .choice import MOST, damped, linearized, slow, smooth

if TYPE_CHECKING:
    from .run import Simulation

NEARLY = 0.45  # of the longest stable step, on average since the last look: then a change is tried
WORTH = 250  # such steps still to come before a change is worth code for the Jacobian
EASY = 1.5  # of the fastest mode in a step of the implicit method: an explicit one follows as well
EARLY = (20, 36, 52, 84, 148)  # attempts at the first looks, where there is doubt
TRANSIENT = 148  # of the implicit method: what decays at the start is over
GAIN = 1.5  # of a step of the implicit method over those before: else it gives way again
SETTLED = 64  # attempts after a change, before the next look
LATE = 2000  # of an explicit method without doubt
CHANGES = 4  # of the method, at most


@cache
def stability(method: Method) -> np.ndarray:
    """Coefficients, highest first, of the polynomial R(z) by which a mode grows in a step.

    >>> stability(METHODS["rk4"]).round(6).tolist()
    [0.041667, 0.166667, 0.5, 1.0, 1.0]
    """
    n = method.stages
    A, b = method.A[:n, :n], method.B[:n]
    found, row = [1.0], np.ones(n)
    for _ in range(n):
        found.append(float(b @ row))
        row = A @ row
    return np.array(found[: max(np.flatnonzero(found)) + 1][::-1])


class Watch:
    """When a run is looked at next, and what is found."""

    def __init__(self, run: Simulation):
        self.run, self.changes, self.t, self.tried = run, 0, run.t_start, 0
        self.gave_way = 0.0  # mean step of the explicit method before the implicit one [s]
        explicit = run.method.family == EXPLICIT
        self.looks = _looks(EARLY * (explicit and run.doubtful), LATE if explicit else TRANSIENT)
        own = len(run.record.y) - (run.system.layout.books.stop - run.system.layout.books.start)
        able = (
            run.changes and run.options.method == "auto" and run.method.adaptive and 0 < own <= MOST
        )
        self.next = next(self.looks) if able and not slow(run) else 0

    def left(self, steps: int) -> int:
        """Attempts to make before the next look, no more than `steps`."""
        now = self.run.record
        return steps if not self.next else max(1, min(steps, self.next - now.steps - now.rejected))

    def look(self) -> None:
        """Change the method of the run if it is time for a look, and that shows a better one."""
        run, now = self.run, self.run.record
        tried = now.steps + now.rejected
        assert run.t_end is not None
        if not self.next or tried < self.next or now.seeking or now.split or run.t >= run.t_end:
            return
        h, self.t, self.tried = (now.t - self.t) / (tried - self.tried), now.t, tried
        self.next = next(self.looks)
        before, self.gave_way = self.gave_way, 0.0
        if before and h < GAIN * before:
            return self._change(*self._explicit("its steps are hardly longer"))
        _, J = linearized(run, now.t, now.y.copy(), now.m.copy())
        found = self._better(h, J) if np.isfinite(J).all() else None
        if found is not None:
            self.gave_way = h * (run.method.family == EXPLICIT)
            self._change(*found)

    def _change(self, method: Method, why: str) -> None:
        """Let the run go on with another method; after the second change it stays with that."""
        self.run.change(method, why)
        self.changes += 1
        self.looks = _looks((), self.tried + SETTLED)
        self.next = next(self.looks) if self.changes < CHANGES else 0

    def _better(self, h: float, J: np.ndarray) -> tuple[Method, str] | None:
        """Another method, and why, for steps of length h."""
        run, name = self.run, self.run.method.name
        assert run.t_end is not None
        if run.method.family == EXPLICIT:
            modes = damped(J, span=run.t_end - run.t)
            longer = h / NEARLY * modes
            fast = modes[abs(np.polyval(stability(run.method), longer)) > 1.0]  # IN.20
            if not len(fast) or (run.t_end - run.t) < WORTH * h:
                return None
            decay = -np.real(fast).min()
            return METHODS["rodas5p"], (
                f"stiff from t = {run.t:.4g} s on: steps of {name} were as long as stability lets "
                f"them, a mode that decays at {decay:.3g} 1/s sees to that"
            )
        if h * abs(np.linalg.eigvals(J)).max(initial=0.0) > EASY:
            return None
        return self._explicit("its steps would be stable for an explicit one")

    def _explicit(self, why: str) -> tuple[Method, str]:
        """The explicit method that suits the run, and why the implicit one gives way to it."""
        other, _ = smooth(self.run.guards, self.run.options.rtol)
        return METHODS[other], f"not stiff from t = {self.run.t:.4g} s on: {why}"


def _looks(early: tuple[int, ...], first: int) -> Iterator[int]:
    """Attempts at every look: some early ones, then twice as many from one to the next."""
    yield from early
    first = 2 * early[-1] if early else first
    for k in count():
        yield first * 2**k

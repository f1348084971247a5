"""A run of method "auto" is looked at on its way: whether another method has become better.

An explicit method whose steps are as long as stability lets them, however smooth the motion, gives
way to the implicit one; that one to an explicit one whose steps would be stable at its own length.
Looks come after fixed numbers of attempts, so that the same run is always the same.  Theory: IN.20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from ...integrate import EXPLICIT, METHODS, Method
from ...system import once

if TYPE_CHECKING:
    from .run import Simulation

# --------------------------------------------------------------------------------------------
# Which integrator suits a run, and why.


STIFF = 2e4  # decays of the fastest damped mode within the run, above which it is stiff
DOUBTFUL = 2e3  # angle or decays of a damped mode within a run that is looked at early (`watch`)
DAMPED = 0.03  # damping ratio below which a mode is an oscillation, which no method may lose,
# unless it is gone after the first ten-thousandth of the run (`STIFF`)
LOOPED = 1e3  # times as many before the full Jacobian of a long tree is worth compiling
MOST = 200  # numbers of a state, books apart, whose spectrum is looked at
LOOSE = 1e-5  # relative tolerance above which the method of order five costs less


def choose(run, y, m, rtol, step) -> tuple[str, str]:
    """Name of a method and the reason, from the spectrum at the start, tolerance and events."""
    if step is not None and run.t_end is not None and rtol is None:
        return "rk4", "a fixed step was asked for"
    span = 1.0 if run.t_end is None else run.t_end - run.t_start
    n = len(y) - (run.system.layout.books.stop - run.system.layout.books.start)
    if 0 < n <= MOST:
        most = STIFF * (LOOPED if slow(run) else 1)
        run.f0, J = linearized(run, run.t_start, y, m)
        modes = damped(J, DOUBTFUL / span if span > 0 else np.inf, span)
        run.doubtful = bool(abs(modes).max(initial=0.0) * span > DOUBTFUL)
        decay = -np.real(modes).min(initial=0.0)
        if decay * span > most:
            return "rodas5p", (
                f"stiff: the fastest mode decays at {decay:.3g} 1/s, "
                f"{decay * span:.2g} times within the run"
            )
    return smooth(run.guards, rtol)


@once()
def timed(system) -> bool:
    """Whether a formula of time is in a placement, a drive or a force."""
    forces = (e.line.timed or (e.law is not None and e.law.timed) for e in system.elements)
    return system.rheonomic or any(e.drives for e in system.held) or any(forces)


def fastest(run, y, m) -> float:
    """How often the fastest damped mode of the start decays within the run."""
    n = len(y) - (run.system.layout.books.stop - run.system.layout.books.start)
    if not 0 < n <= MOST:
        return 0.0
    span = 1.0 if run.t_end is None else run.t_end - run.t_start
    _, J = linearized(run, run.t_start, y, m)
    return float(-np.real(damped(J)).min(initial=0.0) * span)


def slow(run) -> bool:
    """Whether the Jacobian that an implicit method asks for takes long to compile."""
    return run.kernels.looped and not run.kernels.folds


def smooth(guards, rtol) -> tuple[str, str]:
    """Name of a method for what is not stiff, and the reason."""
    if rtol > LOOSE:
        return "dopri5", f"rtol = {rtol:g}: order five is enough"
    if count := sum(not g.ends for g in guards):
        return "dopri5", f"{count} guards: an interpolant without extra stages"
    return "dop853", f"rtol = {rtol:g}, smooth: order eight"


def stiff(flow: Callable[[np.ndarray, np.ndarray], np.ndarray], Y: np.ndarray, span: float):
    """Whether each of many runs is stiff: `flow(rows, Y)` gives rates of states of some runs.

    The same question as of a single run; eigenvalues are taken only where powers of the Jacobian do
    not settle it.
    """
    count, n = Y.shape
    if not 0 < n <= MOST:
        return np.zeros(count, dtype=bool)
    d = 1e-7 * np.maximum(1.0, abs(Y))
    moved = np.repeat(Y[:, None], n + 1, axis=1)
    each = np.arange(n)
    moved[:, each + 1, each] += d
    rows = np.repeat(np.arange(count), n + 1)
    f = flow(rows, moved.reshape(-1, n)).reshape(count, n + 1, n)
    with np.errstate(all="ignore"):  # rates that are not finite are told by the run itself
        J = np.swapaxes((f[:, 1:] - f[:, :1]) / d[:, :, None], 1, 2)
    found = np.isfinite(J).all(axis=(1, 2))
    square = np.zeros_like(J)
    square[found] = J[found] @ J[found]
    with np.errstate(over="ignore"):
        bound = np.linalg.norm(square @ square, axis=(1, 2)) ** 0.25
    found &= ~(bound * span <= STIFF)
    for i in np.flatnonzero(found):
        decay = max(0.0, -np.linalg.eigvals(J[i]).real.min(initial=0.0))
        found[i] = decay * span > STIFF
    return found


def damped(J: np.ndarray, enough: float = 0.0, span: float = 0.0) -> np.ndarray:
    """Eigenvalues of a linear flow [1/s] whose modes decay; none when all are under `enough`.

    Within a `span` [s] in which they decay very often oscillations are among them.

    >>> damped(np.array([[0.0, 1.0], [-2.0, -3.0]])).real.tolist()
    [-1.0, -2.0]
    """
    none = np.zeros(0, dtype=complex)
    if not np.isfinite(J).all():
        return none
    with np.errstate(all="ignore"):
        squared = J @ J
        if np.linalg.norm(squared @ squared) ** 0.25 < enough:  # no mode is faster
            return none
    modes = np.linalg.eigvals(J)
    return modes[-modes.real > np.minimum(DAMPED * abs(modes), STIFF / span if span else np.inf)]


def linearized(run, t: float, y: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rates of the whole state, and their derivatives by it, books apart, by differences."""
    books = run.system.layout.books  # they act on nothing
    n = len(y) - (books.stop - books.start)
    d = 1e-7 * np.maximum(1.0, abs(y[:n]))
    moved = np.repeat(y[None], n + 1, axis=0)
    each = np.arange(n)
    moved[each + 1, each] += d
    f = run.rates(np.full(n + 1, t), moved, m)
    with np.errstate(all="ignore"):
        return f[0], (f[1:, :n] - f[0, :n]).T / d


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
        return (
            steps
            if not self.next
            else max(1, min(steps, self.next - now.step_count - now.rejection_count))
        )

    def look(self) -> None:
        """Change the method of the run if it is time for a look, and that shows a better one."""
        run, now = self.run, self.run.record
        tried = now.step_count + now.rejection_count
        assert run.t_end is not None
        if (
            not self.next
            or tried < self.next
            or now.refinements_left
            or now.fixed_step_split
            or run.t >= run.t_end
        ):
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

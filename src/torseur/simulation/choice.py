"""Which integrator suits a run, and why."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..system import once

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

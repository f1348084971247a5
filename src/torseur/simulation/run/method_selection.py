"""Choice of the integration method: stiffness detection at the start and during a run.

A damped mode that decays very often within the run makes it stiff (Hairer and Wanner 1996, IV.2).
With method "auto" such a run starts with an implicit method.  During the run, an explicit method
whose steps are limited by stability gives way to the implicit one, and back.  The checks come after
fixed numbers of attempts, so that equal runs have equal results.  Theory: IN.20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...integrate import EXPLICIT, METHODS, Method
from ...system import once

if TYPE_CHECKING:
    from ...system import System
    from .run import Simulation

# ---- choice at the start ---------------------------------------------------------------------

STIFF_DECAYS = 2e4  # decays of the fastest damped mode within the run from which on it is stiff
UNCERTAIN_DECAYS = 2e3  # decays or angle of a damped mode within the run: checked early
MIN_DAMPING_RATIO = 0.03  # of a mode that counts as damped: no method may lose an oscillation,
# unless it is gone after the first ten-thousandth of the run (`STIFF_DECAYS`)
LONG_TREE_FACTOR = 1e3  # on STIFF_DECAYS where the full Jacobian of a long tree is compiled
MAX_SPECTRUM_SIZE = 200  # size of a state, accumulated energies apart, whose spectrum is computed
LOOSE_RTOL = 1e-5  # relative tolerance above which the method of order five costs less


class MethodChoice(NamedTuple):
    """A method by name, the reason, and the data that the choice computed."""

    name: str
    reason: str
    is_uncertain: bool = False  # modes decay so fast that the method is checked early
    initial_rates: np.ndarray | None = None  # of the whole state


def choose_method(run: Simulation, y: np.ndarray, m: np.ndarray) -> MethodChoice:
    """Method for a run, from the spectrum at the start, tolerance and events."""
    rtol, step = run.options.rtol, run.options.step
    if step is not None and run.t_end is not None and rtol is None:
        return MethodChoice("rk4", "a fixed step was asked for")
    span = 1.0 if run.t_end is None else run.t_end - run.t_start
    if not 0 < state_size(run.system, y) <= MAX_SPECTRUM_SIZE:
        return MethodChoice(*choose_explicit_method(run.guards, rtol))
    max_decays = STIFF_DECAYS * (LONG_TREE_FACTOR if has_slow_jacobian(run) else 1)
    rates, J = linearize_rates(run, run.t_start, y, m)
    modes = find_damped_modes(J, UNCERTAIN_DECAYS / span if span > 0 else np.inf, span)
    is_uncertain = bool(abs(modes).max(initial=0.0) * span > UNCERTAIN_DECAYS)
    decay = -np.real(modes).min(initial=0.0)
    if decay * span > max_decays:
        reason = (
            f"stiff: the fastest mode decays at {decay:.3g} 1/s, "
            f"{decay * span:.2g} times within the run"
        )
        return MethodChoice("rodas5p", reason, is_uncertain, rates)
    return MethodChoice(*choose_explicit_method(run.guards, rtol), is_uncertain, rates)


def choose_explicit_method(guards: Sequence[Any], rtol: float) -> tuple[str, str]:
    """Name of a method for a run that is not stiff, and the reason."""
    if rtol > LOOSE_RTOL:
        return "dopri5", f"rtol = {rtol:g}: order five is enough"
    if events := sum(not g.ends for g in guards):
        return "dopri5", f"{events} event functions: dense output without extra stages"
    return "dop853", f"rtol = {rtol:g}, smooth: order eight"


def state_size(system: System, y: np.ndarray) -> int:
    """Size of a state without accumulated energies, on which no rate depends."""
    books = system.layout.books
    return len(y) - (books.stop - books.start)


@once()
def is_time_dependent(system: System) -> bool:
    """Whether a formula of time is in a placement, a drive or a force."""
    forces = (e.line.timed or (e.law is not None and e.law.timed) for e in system.elements)
    return system.rheonomic or any(e.drives for e in system.held) or any(forces)


def has_slow_jacobian(run: Simulation) -> bool:
    """Whether the Jacobian that an implicit method asks for takes long to compile."""
    return run.kernels.looped and not run.kernels.folds


def count_decays(
    rates: Callable[..., np.ndarray],
    system: System,
    span: tuple[float, float | None],
    y: np.ndarray,
    m: np.ndarray,
) -> float:
    """Decays of the fastest damped mode of the initial state within a span [s].  0 of none."""
    if not 0 < state_size(system, y) <= MAX_SPECTRUM_SIZE:
        return 0.0
    t_start, t_end = span
    duration = 1.0 if t_end is None else t_end - t_start
    J = differentiate_rates(rates, state_size(system, y), t_start, y, m)[1]
    return float(-np.real(find_damped_modes(J)).min(initial=0.0) * duration)


def find_stiff_runs(
    rates: Callable[[np.ndarray, np.ndarray], np.ndarray], Y: np.ndarray, span: float
) -> np.ndarray:
    """Whether each of many runs over a span [s] is stiff.  `rates(runs, states)` gives y'.

    The criterion is that of a single run.  Eigenvalues are computed only where a norm of a power of
    the Jacobian exceeds the bound.
    """
    n_runs, n = Y.shape
    if not 0 < n <= MAX_SPECTRUM_SIZE:
        return np.zeros(n_runs, dtype=bool)
    step = 1e-7 * np.maximum(1.0, abs(Y))
    states = np.repeat(Y[:, None], n + 1, axis=1)
    entry = np.arange(n)
    states[:, entry + 1, entry] += step
    runs = np.repeat(np.arange(n_runs), n + 1)
    f = rates(runs, states.reshape(-1, n)).reshape(n_runs, n + 1, n)
    with np.errstate(all="ignore"):  # the run itself reports rates that are not finite
        J = np.swapaxes((f[:, 1:] - f[:, :1]) / step[:, :, None], 1, 2)
    is_stiff = np.isfinite(J).all(axis=(1, 2))
    square = np.zeros_like(J)
    square[is_stiff] = J[is_stiff] @ J[is_stiff]
    with np.errstate(over="ignore"):
        bound = np.linalg.norm(square @ square, axis=(1, 2)) ** 0.25
    is_stiff &= ~(bound * span <= STIFF_DECAYS)
    for i in np.flatnonzero(is_stiff):
        decay = max(0.0, -np.linalg.eigvals(J[i]).real.min(initial=0.0))
        is_stiff[i] = decay * span > STIFF_DECAYS
    return is_stiff


def find_damped_modes(J: np.ndarray, min_norm: float = 0.0, span: float = 0.0) -> np.ndarray:
    """Eigenvalues [1/s] of a Jacobian whose modes decay.  None if its norm is below `min_norm`.

    Oscillations count as damped if they decay very often within a span [s].

    >>> find_damped_modes(np.array([[0.0, 1.0], [-2.0, -3.0]])).real.tolist()
    [-1.0, -2.0]
    """
    none = np.zeros(0, dtype=complex)
    if not np.isfinite(J).all():
        return none
    with np.errstate(all="ignore"):
        squared = J @ J
        if np.linalg.norm(squared @ squared) ** 0.25 < min_norm:  # a bound of all modes
            return none
    modes = np.linalg.eigvals(J)
    max_decay = STIFF_DECAYS / span if span else np.inf
    return modes[-modes.real > np.minimum(MIN_DAMPING_RATIO * abs(modes), max_decay)]


def linearize_rates(
    run: Simulation, t: float, y: np.ndarray, m: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rates of the whole state, and their Jacobian without accumulated energies."""
    return differentiate_rates(run.rates, state_size(run.system, y), t, y, m)


def differentiate_rates(
    rates: Callable[..., np.ndarray], n: int, t: float, y: np.ndarray, m: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rates of a state, and the Jacobian (n, n) of the first n by forward differences."""
    step = 1e-7 * np.maximum(1.0, abs(y[:n]))
    states = np.repeat(y[None], n + 1, axis=0)
    entry = np.arange(n)
    states[entry + 1, entry] += step
    f = rates(np.full(n + 1, t), states, m)
    with np.errstate(all="ignore"):
        return f[0], (f[1:, :n] - f[0, :n]).T / step


# ---- change of the method during a run -------------------------------------------------------

STABILITY_SHARE = 0.45  # of the longest stable step, on average since the last check: then change
MIN_REMAINING_STEPS = 250  # before a change is worth code for the Jacobian
MAX_IMPLICIT_STEP = 1.5  # h |lambda| of the fastest mode that an explicit method follows as well
EARLY_CHECKS = (20, 36, 52, 84, 148)  # attempts at the first checks of an uncertain choice
FIRST_IMPLICIT_CHECK = 148  # attempts of the implicit method: initial transients are over
FIRST_EXPLICIT_CHECK = 2000  # attempts of an explicit method that is not uncertain
MIN_STEP_GAIN = 1.5  # of steps of the implicit method over those before, else it gives way again
ATTEMPTS_AFTER_CHANGE = 64  # before the next check
MAX_METHOD_CHANGES = 4  # in one run


@cache
def stability_polynomial(method: Method) -> np.ndarray:
    """Coefficients, highest first, of the stability function R(z) of an explicit method.

    >>> stability_polynomial(METHODS["rk4"]).round(6).tolist()
    [0.041667, 0.166667, 0.5, 1.0, 1.0]
    """
    n = method.stages
    A, b = method.A[:n, :n], method.B[:n]
    coefficients, row = [1.0], np.ones(n)
    for _ in range(n):
        coefficients.append(float(b @ row))
        row = A @ row
    return np.array(coefficients[: max(np.flatnonzero(coefficients)) + 1][::-1])


class StiffnessDetector:
    """Schedule of checks of the method during a run, and their criterion."""

    def __init__(self, run: Simulation):
        """Schedule the checks of a run with method "auto"."""
        self.run, self.change_count = run, 0
        self.last_time, self.last_attempts = run.t_start, 0  # at the last check
        self.explicit_step = 0.0  # mean step of the explicit method before the implicit one [s]
        is_explicit = run.method.family == EXPLICIT
        self.schedule = _schedule_checks(
            EARLY_CHECKS * (is_explicit and run.is_method_uncertain),
            FIRST_EXPLICIT_CHECK if is_explicit else FIRST_IMPLICIT_CHECK,
        )
        can_change = (
            run.can_change_method
            and run.options.method == "auto"
            and run.method.adaptive
            and 0 < state_size(run.system, run.record.y) <= MAX_SPECTRUM_SIZE
            and not has_slow_jacobian(run)
        )
        self.next_check = next(self.schedule) if can_change else 0  # attempts; 0: none

    def limit_attempts(self, attempts: int) -> int:
        """Attempts to make before the next check, at most as many as given."""
        record = self.run.record
        if not self.next_check:
            return attempts
        return max(1, min(attempts, self.next_check - record.step_count - record.rejection_count))

    def check_method(self) -> tuple[Method, str] | None:
        """A better method and the reason, if a check is due and finds one."""
        run, record = self.run, self.run.record
        attempts = record.step_count + record.rejection_count
        assert run.t_end is not None
        is_due = self.next_check and attempts >= self.next_check
        if not is_due or record.refinements_left or record.fixed_step_split or run.t >= run.t_end:
            return None
        h = (record.t - self.last_time) / (attempts - self.last_attempts)
        self.last_time, self.last_attempts = record.t, attempts
        self.next_check = next(self.schedule)
        explicit_step, self.explicit_step = self.explicit_step, 0.0
        if explicit_step and h < MIN_STEP_GAIN * explicit_step:
            return self._count_change(self._explicit_method("its steps are hardly longer"))
        _, J = linearize_rates(run, record.t, record.y.copy(), record.m.copy())
        choice = self._better_method(h, J) if np.isfinite(J).all() else None
        if choice is not None:
            self.explicit_step = h * (run.method.family == EXPLICIT)
            return self._count_change(choice)
        return None

    def _count_change(self, choice: tuple[Method, str]) -> tuple[Method, str]:
        """Schedule the checks after a change.  After the last allowed one there are none."""
        self.change_count += 1
        self.schedule = _schedule_checks((), self.last_attempts + ATTEMPTS_AFTER_CHANGE)
        self.next_check = next(self.schedule) if self.change_count < MAX_METHOD_CHANGES else 0
        return choice

    def _better_method(self, h: float, J: np.ndarray) -> tuple[Method, str] | None:
        """Another method and the reason, for steps of mean length h [s] and Jacobian J."""
        run, name = self.run, self.run.method.name
        assert run.t_end is not None
        if run.method.family == EXPLICIT:
            modes = find_damped_modes(J, span=run.t_end - run.t)
            growth = np.polyval(stability_polynomial(run.method), h / STABILITY_SHARE * modes)
            unstable = modes[abs(growth) > 1.0]  # IN.20
            if not len(unstable) or (run.t_end - run.t) < MIN_REMAINING_STEPS * h:
                return None
            decay = -np.real(unstable).min()
            return METHODS["rodas5p"], (
                f"stiff from t = {run.t:.4g} s on: steps of {name} were as long as stability lets "
                f"them, a mode that decays at {decay:.3g} 1/s sees to that"
            )
        if h * abs(np.linalg.eigvals(J)).max(initial=0.0) > MAX_IMPLICIT_STEP:
            return None
        return self._explicit_method("its steps would be stable for an explicit one")

    def _explicit_method(self, reason: str) -> tuple[Method, str]:
        """The explicit method that suits the run, and why it replaces the implicit one."""
        name, _ = choose_explicit_method(self.run.guards, self.run.options.rtol)
        return METHODS[name], f"not stiff from t = {self.run.t:.4g} s on: {reason}"


def _schedule_checks(early: tuple[int, ...], first: int) -> Iterator[int]:
    """Attempts at every check: some early ones, then twice as many from one to the next."""
    yield from early
    first = 2 * early[-1] if early else first
    for k in count():
        yield first * 2**k

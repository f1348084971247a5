"""Many runs of one model: other initial states or parameters, in SIMD lanes and threads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import (
    ArgumentError,
    AssemblyError,
    SingularPose,
    TorseurError,
    shown,
    system_of,
    unknown_name,
)
from ...integrate import EXPLICIT, METHODS, simd_smooth
from ...kernels import motion_kernels
from ...model import Model
from ...results import Ensemble
from ...scalars import arguments as asked
from ...signals import signal_units
from ...solve import arguments
from ...system import System, following, start_of
from ..interrupt import STOPPED, in_threads
from ..options import Options
from ..progress import Progress
from ..run.foreign_integrators import REFERENCES
from ..run.limits import caps, refuse_rows, refuse_steps
from ..run.run import Simulation
from ..sensitivity.parameters import refuse_followed
from ..sensitivity.run import SensitiveRun, carries
from ..sensitivity.simd import SensitiveCohort
from ..time_inputs import written_in
from .simd_results import broken
from .simd_runs import LEAST_QUEUE, Cohort
from .smooth_simd import Flat, SideBySide

# --------------------------------------------------------------------------------------------
# Rows of the runs of a batch, however they were made, as signals of (runs, rows).


class Pieces:
    """Signals of runs in lanes at some times, piece by piece."""

    def __init__(self, pieces, time):
        self.pieces, self.time = pieces, time

    def __call__(self, name) -> dict[str, np.ndarray]:
        """The signal of a name, (runs, rows)."""
        return {
            name: np.concatenate(
                [x[name] if isinstance(x, dict) else x.at(x[name], self.time) for x in self.pieces]
            )
        }

    def run(self, i: int):
        """One of the runs, as a trajectory; None where there is none."""
        for x in self.pieces:
            if i < len(x.outcomes):
                return x.alone(i) if x.completed[i] else None
            i -= len(x.outcomes)
        return None


class Unmade:
    """Runs that a Ctrl-C left undone: no rows, and a sentence."""

    method = ""

    def __init__(self, count, size):
        self.outcomes, self.completed = [STOPPED] * count, [False] * count
        self.events: list[tuple] = [()] * count
        self.none = np.full((count, size), np.nan)

    def __getitem__(self, name) -> np.ndarray:
        return self.none

    def at(self, values, time) -> np.ndarray:
        """No values at any time."""
        return values


class Sampled:
    """Signals of one run at some times; NaN beyond its end."""

    def __init__(self, run, time):
        self.run = run
        self.at = np.searchsorted(run.time, time, side="right") - 1
        self.beyond = time > run.time[-1]

    def __getitem__(self, name) -> np.ndarray:
        return np.where(self.beyond, np.nan, self.run[name][self.at])


class Each:
    """Signals of runs that were made one by one, from what was kept of each; NaN from no run."""

    def __init__(self, rows, size):
        self.rows, self.size = rows, size

    def __call__(self, name) -> dict[str, np.ndarray]:
        """The signal of a name, (runs, rows)."""
        none = np.full(self.size, np.nan)
        return {name: np.array([none if own is None else own[name] for own in self.rows])}

    def run(self, i: int):
        """One of the runs, as a trajectory; None where there is none."""
        own = self.rows[i]
        return None if own is None or not own.run.completed else own.run


FIXED = {
    "rk4": simd_smooth.RK4,
    "euler": simd_smooth.EULER,
    "semi_implicit": simd_smooth.SEMI_IMPLICIT_EULER,
}


def batch(
    model: Model | System,
    t_end: float | None = None,
    initial: Mapping[Any, Any] | None = None,
    method: str = "auto",
    step: float | None = None,
    *,
    keep: Sequence[str] | str | None = None,
    output: int | ArrayLike = 2,
    parameters: Mapping[Any, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    stop_when: Iterable[str] | str | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    threads: int | None = None,
    max_steps: int | None = None,
    max_rows: int | None = None,
    progress: bool | None = None,
    sensitivities: Iterable[str] | str = (),
) -> Ensemble:
    """Motion of many copies of one model.

    Parameters
    ----------
    t_end : [s]; that of the model when left out
    initial, parameters : names with a number, or an array of one number a run; the model's own
        start otherwise
    method : "rk4", "euler" or "semi_implicit" with a fixed `step`, "dopri5" or "dop853" with steps
        of each run's own: all in SIMD lanes, models with events, memory, contacts and loops too; or
        another native method of `simulate`.  "auto": of a model without events "rk4" when a step is
        given, else "dop853"; otherwise as `simulate` chooses
    keep : names of the signals to keep, any that a run has; the state, from which the others are
        computed when asked for, when left out
    output : number of evenly spaced rows, both ends included (at least two); or times [s].  A fixed
        step must divide the time between rows
    stop_when : names of elements or events that end a run
    threads : how many (default: all cores)
    max_steps, max_rows : caps on the steps of a run (10 000 000) and on the rows of all runs (what
        fits into 4 GB)
    progress : whether a line tells how far it is; when left out, on a terminal or in a notebook
    sensitivities : names of numbers whose derivatives run beside every motion, as of `simulate`,
        for `many.sensitivity(signal, name)`

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> many = batch(pendulum, 1.0, {"pivot.angle": [0.1, 0.2, 0.3]})
    >>> many["pivot.angle"][:, -1].round(4)
    array([-0.1   , -0.2   , -0.2999])
    >>> batch(pendulum, 1.0, {"pivot.angle": [0.1, 0.2]}, keep="energy.kinetic",
    ...       output=[0.5, 0.8])["energy.kinetic"].round(4)
    array([[0.049 , 0.0173],
           [0.1955, 0.0699]])
    >>> many = batch(pendulum, 1.0, {"pivot.angle": [0.1, 0.2]}, sensitivities="pivot.angle")
    >>> many.sensitivity("pivot.angle", "pivot.angle")[:, -1].round(2)
    array([-1., -1.])

    Returns
    -------
    Ensemble
        Also of runs that failed: `outcomes` says so run by run, `check()` raises.
    """
    system = system_of(model, "batch")
    own, options = start_of(system)
    said = {p.name: p.unit for p in system.ports}
    initial, inputs = (x if x is None else asked.named(x) for x in (initial, inputs))
    arguments.refuse_units(system, asked.named(parameters), "batch")
    parameters = _columns("parameters", parameters, {})
    own |= following(system, parameters)
    given = initial
    initial = dict(system.spelt(own | _columns("initial", initial, said)))
    inputs = options.get("inputs") if inputs is None else inputs
    stop_when = options.get("stop_when") if stop_when is None else stop_when
    widths = {np.size(x) for x in (*initial.values(), *parameters.values()) if np.ndim(x)}
    if len(widths) > 1:
        raise TorseurError(f"a batch needs arrays of one length, got lengths {sorted(widths)}")
    count = widths.pop() if widths else 1
    t_end = arguments.seconds("t_end", options.get("t_end") if t_end is None else t_end, "batch")
    if isinstance(inputs, Mapping):
        system, inputs = written_in(system, inputs, t_end, "batch")
    arguments.spacing(0.0, t_end, step, None)
    arguments.tolerances(rtol, atol, "batch")
    if not arguments.positive(threads or 1):
        raise ArgumentError(f"batch: threads = {threads!r}; use a number greater than zero")
    wide = 1 + system.nq + system.nv + len(system.layout.z)
    limits = Options(max_steps=max_steps, max_rows=max_rows)
    most = caps(limits, t_end, wide)
    room = 4 * most.rows if max_rows is None else most.rows
    refuse_rows(count * arguments.count_of_rows(output), wide, room, "batch")
    time = _times(output, t_end)
    names, known = _kept(keep, system), METHODS.get(method)
    threads = int(threads or os.cpu_count() or 1)
    if method in REFERENCES:
        raise ArgumentError(
            f"batch: method {method!r} is a reference of single runs; use a native one"
        )
    told = Progress(count, show=progress, what="runs")
    kernels = motion_kernels(system)
    slopes = arguments.names(sensitivities, "sensitivities")
    plain = not (
        slopes
        or system.layout.guards
        or len(system.layout.m)
        or system.closures
        or system.constraints
        or kernels.looped
        or stop_when
    )
    if slopes:
        carries(method)
        refuse_followed(system, slopes, given)
    if plain and method == "auto":
        method = "dop853" if step is None else "rk4"
        known = METHODS[method]
    explicit = known is not None and known.adaptive and known.family == EXPLICIT
    if plain and (method in FIXED or explicit):
        made = _side_by_side(
            system,
            kernels,
            initial,
            parameters,
            inputs,
            count,
            time,
            t_end,
            method,
            step,
            rtol,
            atol,
            threads,
            most.steps,
            told,
        )
    elif Cohort.suits(
        system, alike := _options(method, step, rtol, atol, time, stop_when, max_steps), t_end
    ):
        made = _in_lanes(
            system,
            t_end,
            alike,
            initial,
            parameters,
            inputs or {},
            count,
            time,
            names,
            threads,
            told,
            slopes,
        )
    else:
        made = _one_by_one(
            system,
            kernels,
            initial,
            parameters,
            count,
            time,
            names,
            threads,
            t_end,
            progress=told,
            method=("rk4" if step else "auto") if method == "auto" else method,
            rtol=rtol,
            atol=atol,
            step=step,
            inputs=inputs,
            stop_when=stop_when,
            max_steps=max_steps,
            sensitivities=slopes,
        )
    source, outcomes, completed, events, how = made
    state = (*system.coordinates, *system.speeds)
    found: dict[str, np.ndarray] = {}
    for name in state if names is None else names:
        if name not in found:
            found |= source(name)
    return Ensemble(
        time,
        found if names is None else {n: found[n] for n in names},
        signal_units(system),
        outcomes,
        completed,
        events=events,
        method=how,
        coordinates=system.coordinates,
        speeds=system.speeds,
        source=source if names is None else None,
        sensitive=source if slopes else None,
    )


def _times(output, t_end) -> np.ndarray:
    """Times of rows: evenly spaced, or as given."""
    if isinstance(output, str) or (np.ndim(output) == 0 and not arguments.positive(output)):
        raise ArgumentError(f"batch: output = {shown(output)}; expected a number of rows, or times")
    if np.ndim(output) == 0:
        return np.linspace(0.0, t_end, max(2, int(output)))
    return arguments.rows(output, 0.0, t_end)[0]


def _kept(keep, system) -> tuple[str, ...] | None:
    """Names of signals to keep, each one of the system; None for the state and what it gives."""
    if keep is None:
        return None
    names = arguments.names(keep, "keep")
    known = signal_units(system)
    bad = [unknown_name("signal", n, known, "batch: keep") for n in names if n not in known]
    if bad:
        raise ArgumentError("\n".join(bad))
    return names


def _side_by_side(
    system, kernels, initial, parameters, inputs, count, time, t_end, method,
    step, rtol, atol, threads, most, progress,
):  # fmt: skip
    """In SIMD lanes, from the start to the end, with a row at both."""
    rows = np.unique(np.concatenate([[0.0], time, [t_end]]))
    if t_end == 0:
        rows = np.zeros(2)
    side = SideBySide(system, kernels, initial, parameters, inputs, count, rows)
    if t_end == 0:
        states, failed = side.still()
    elif method in FIXED:
        if arguments.positive(step):
            refuse_steps(t_end, step, most, "batch")
        states, failed = side.fixed(FIXED[method], step, threads, progress)
    else:
        states, failed = side.adaptive(METHODS[method], rtol, atol, threads, most, progress)
    for i, text in side.wrong.items():
        states[i], failed[i] = np.nan, f"could not start: {text}"
    chosen = np.searchsorted(rows, time)
    source = Flat(system, states, rows, chosen, side.u, side.P)
    how = f"{method} in {side.width} lanes"
    outcomes = [x or f"reached t = {t_end:g} s by {how}" for x in failed]
    completed = [not x for x in failed]
    if t_end and METHODS[method].adaptive:
        for i, text in broken(source, np.flatnonzero(completed), METHODS[method], rtol, atol):
            outcomes[i], completed[i] = outcomes[i] + text, False
    for i, text in side.beyond(rows, states):
        outcomes[i] += text * (not failed[i])
    return source, outcomes, completed, ((),) * count, how


def _options(method, step, rtol, atol, time, stop_when, max_steps) -> Options:
    """Options of every run of a batch."""
    method = ("rk4" if step else "auto") if method == "auto" else method
    own = {"step": step, "stop_when": stop_when, "max_steps": max_steps}
    told = {n: x for n, x in own.items() if x is not None}
    return Options(method=method, rtol=rtol, atol=atol, output=time, **told)


def _in_lanes(
    system, t_end, options, initial, parameters, inputs, count, time, names, threads, progress,
    by=(),
):  # fmt: skip
    """In SIMD lanes, each run with its own steps and events."""
    cohort = SensitiveCohort(system, by, t_end, options) if by else Cohort(system, t_end, options)

    def piece(first, heed):
        own = slice(first, min(first + LEAST_QUEUE, count))

        def part(given):
            return {n: x[own] if np.ndim(x) and np.size(x) > 1 else x for n, x in given.items()}

        runs = cohort.runs(own.stop - first, part(initial), part(parameters), inputs, heed)
        kept = None if names is None else {n: runs.at(runs[n], time) for n in names}
        return runs, kept

    def lost(first):
        none = Unmade(min(LEAST_QUEUE, count - first), len(time))
        return none, (None if names is None else dict.fromkeys(names, none[""]))

    found = in_threads(piece, range(0, count, LEAST_QUEUE), threads, lost, progress)
    outcomes = [x for runs, _ in found for x in runs.outcomes]
    completed = [x for runs, _ in found for x in runs.completed]
    events = tuple(x for runs, _ in found for x in runs.events)
    pieces = [runs if kept is None or by else kept for runs, kept in found]
    method = next((runs.method for runs, _ in found if runs.method), options.method)
    return Pieces(pieces, time), outcomes, completed, events, method


def _one_by_one(
    system, kernels, initial, parameters, count, time, names, threads, t_end, *, progress, method,
    sensitivities, **options,
):  # fmt: skip
    """As single runs, one a thread."""
    make: Any = Simulation if not sensitivities else SensitiveRun
    alike = {"kernels": kernels} if not sensitivities else {"names": sensitivities}

    def pick(given, i):
        return {n: float(x[i]) if np.ndim(x) else float(x) for n, x in given.items()}

    def one(i, heed):
        try:
            run = make(
                system,
                t_end=t_end,
                initial=pick(initial, i),
                method=method,
                output=time,
                parameters=pick(parameters, i),
                **alike,
                **options,
            )
        except TorseurError as e:
            return f"could not start: {e}", False, (), e
        run.heed = heed
        found = run.go().result()
        rows = Sampled(found, time)
        kept = rows if names is None or sensitivities else {n: rows[n] for n in names}
        return found.outcome, found.completed, found.events, kept

    def lost(i):
        return STOPPED, False, (), None

    made = in_threads(one, range(count), threads, lost, progress)
    outcomes, completed, events, rows = zip(*made, strict=True)
    failed = [x for x in rows if isinstance(x, TorseurError)]
    if len(failed) == count and not isinstance(failed[0], AssemblyError | SingularPose):
        raise failed[0]  # of what they all have in common
    rows = tuple(None if isinstance(x, TorseurError) else x for x in rows)
    return Each(rows, len(time)), outcomes, completed, events, f"{method}, one run a thread"


def _columns(what, given, said) -> dict[str, np.ndarray]:
    """Numbers by name, each one or one a run; texts with units as their names have `said`."""
    given = asked.named(given)
    if not isinstance(given, Mapping):
        raise ArgumentError(f"batch: {what} = {shown(given)}; expected a dictionary of names with "
                            "a number, or an array of one number a run")  # fmt: skip
    columns = {}
    for name, x in given.items():
        try:
            told = arguments.spoken(x, said.get(name), f"batch: {name}")
            columns[name] = column = np.asarray(told, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError(f"batch: {name} = {shown(x)}; expected numbers") from None
        if column.ndim > 1 or not column.size:
            raise ArgumentError(
                f"batch: {name} has the shape {column.shape}; expected a number, "
                "or an array of one number a run"
            )
        if not np.isfinite(column).all():
            bad = int(np.argmax(~np.isfinite(np.atleast_1d(column))))
            raise ArgumentError(
                f"batch: {name} is {np.atleast_1d(column)[bad]} in run {bad}; "
                "expected finite numbers"
            )
    return columns

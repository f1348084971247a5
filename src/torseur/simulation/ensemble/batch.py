"""Batch: many runs of one model with other initial states or parameters, in SIMD lanes and threads.

A smooth model goes through `smooth_simd`, one with events through `simd_runs`.  What lanes cannot
take is integrated run by run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import (
    ArgumentError,
    AssemblyError,
    SingularPose,
    TorseurError,
    as_system,
    shown,
    unknown_name_message,
)
from ...integrate import EXPLICIT, METHODS, simd_smooth
from ...kernels import MotionKernels, motion_kernels
from ...model import Model
from ...results import Ensemble, Trajectory
from ...scalars import arguments as asked
from ...signals import signal_units
from ...solve import arguments
from ...system import System, following, start_of
from ..interrupt import INTERRUPTED_TEXT, map_threads
from ..options import Options
from ..progress import Progress
from ..run.budget import caps, check_row_budget, check_step_budget
from ..run.reference_integrators import REFERENCE_METHODS
from ..run.run import Simulation
from ..sensitivity.parameters import refuse_followed
from ..sensitivity.simd import VariationalSimdBatch
from ..sensitivity.variational import VariationalSimulation, check_variational_method
from ..time_inputs import write_into_system
from .simd_results import audit_smooth_runs
from .simd_runs import MIN_QUEUE_RUNS, SimdBatch
from .smooth_simd import SmoothSignals, SmoothSimdBatch

SMOOTH_FIXED_STEPS = {
    "rk4": simd_smooth.RK4,
    "euler": simd_smooth.EULER,
    "semi_implicit": simd_smooth.SEMI_IMPLICIT_EULER,
}
"""Fixed-step methods of smooth SIMD batches."""
DEFAULT_TOTAL_ROWS_FACTOR = 4  # times the row budget of a single run


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
    """Simulate many copies of one model.

    Parameters
    ----------
    t_end : [s].  That of the model when left out
    initial, parameters : names with one number, or an array of one number a run.  Default: the
        model's own initial values
    method : "rk4", "euler" or "semi_implicit" with a fixed `step`, "dopri5" or "dop853" with step
        size control in each run, all in SIMD lanes, also with events, contacts and loops.  Or
        another native method of `simulate`.  "auto": of a model without events "rk4" when a step is
        given, else "dop853".  Otherwise as `simulate` chooses
    keep : names of the signals to keep, any that a run has.  Default: the state, from which other
        signals are computed when they are read
    output : number of evenly spaced rows, both ends included (at least two); or times [s].  A fixed
        step must divide the time between rows
    stop_when : names of elements or events that end a run
    threads : number of threads (default: all cores)
    max_steps, max_rows : budgets of the steps of a run (10 000 000) and of the rows of all runs
        (4 GB)
    progress : whether to show a line of progress.  Default: on a terminal or in a notebook
    sensitivities : names of numbers whose derivatives are integrated beside every motion, as of
        `simulate`, for `many.sensitivity(signal, name)`

    Returns
    -------
    Ensemble
        Also of runs that failed: `outcomes` tells how each ended, `check()` raises an error.

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
    """
    system = as_system(model, "batch")
    model_initial, options = start_of(system)
    initial, inputs = (x if x is None else asked.named(x) for x in (initial, inputs))
    arguments.check_units(system, asked.named(parameters), "batch")
    parameters = _read_columns("parameters", parameters, {})
    model_initial |= following(system, parameters)
    port_units = {p.name: p.unit for p in system.ports}
    columns = system.spelt(model_initial | _read_columns("initial", initial, port_units))
    inputs = options.get("inputs") if inputs is None else inputs
    stop_when = options.get("stop_when") if stop_when is None else stop_when
    t_end = arguments.seconds("t_end", options.get("t_end") if t_end is None else t_end, "batch")
    if isinstance(inputs, Mapping):
        system, inputs = write_into_system(system, inputs, t_end, "batch")
    count = _count_runs(columns, parameters)
    arguments.spacing(0.0, t_end, step, None)
    arguments.tolerances(rtol, atol, "batch")
    _check_threads_and_method(threads, method)
    names, signals = arguments.names(sensitivities, "sensitivities"), _read_keep(keep, system)
    if names:
        check_variational_method(method)
        refuse_followed(system, names, initial)
    row_size = 1 + system.nq + system.nv + len(system.layout.z)
    budget = caps(Options(max_steps=max_steps, max_rows=max_rows), t_end, row_size)
    max_total = budget.rows * (DEFAULT_TOTAL_ROWS_FACTOR if max_rows is None else 1)
    check_row_budget(count * arguments.count_rows(output), row_size, max_total, "batch")
    request = BatchRequest(
        system,
        motion_kernels(system),
        count,
        t_end,
        _output_times(output, t_end),
        dict(columns),
        parameters,
        inputs,
        method,
        step,
        rtol,
        atol,
        stop_when,
        max_steps,
        budget.steps,
        signals,
        names,
        int(threads or os.cpu_count() or 1),
        Progress(count, show=progress, noun="runs"),
    )
    return _build_ensemble(request, _integrate_batch(request))


class BatchRequest(NamedTuple):
    """Checked arguments of a batch."""

    system: System
    kernels: MotionKernels
    run_count: int
    t_end: float
    time: np.ndarray  # output times [s]
    initial: dict[str, np.ndarray]
    parameters: dict[str, np.ndarray]
    inputs: Mapping[str, Any] | None
    method: str
    step: float | None
    rtol: float
    atol: float
    stop_when: Any
    max_steps: int | None
    step_budget: int
    signals: tuple[str, ...] | None  # to keep; None: the state
    sensitivities: tuple[str, ...]
    threads: int
    progress: Progress

    @property
    def single_method(self) -> str:
        """Method of runs that are not in smooth lanes."""
        return ("rk4" if self.step else "auto") if self.method == "auto" else self.method


class BatchRuns(NamedTuple):
    """Runs of a batch: `source` gives their signals by name, (runs, rows)."""

    source: Any
    outcomes: Sequence[str]
    completed: Sequence[bool]
    events: Any
    method: str


def _integrate_batch(request: BatchRequest) -> BatchRuns:
    """Integrate the runs where they are fastest: smooth lanes, lanes with events, one by one."""
    system, method, known = request.system, request.method, METHODS.get(request.method)
    is_smooth = not (
        request.sensitivities
        or system.layout.guards
        or len(system.layout.m)
        or system.closures
        or system.constraints
        or request.kernels.looped
        or request.stop_when
    )
    if is_smooth and method == "auto":
        method = "dop853" if request.step is None else "rk4"
        known = METHODS[method]
    is_explicit = known is not None and known.adaptive and known.family == EXPLICIT
    if is_smooth and (method in SMOOTH_FIXED_STEPS or is_explicit):
        return _integrate_smooth(request._replace(method=method))
    optional = {
        "step": request.step,
        "stop_when": request.stop_when,
        "max_steps": request.max_steps,
    }
    options = Options(
        method=request.single_method,
        rtol=request.rtol,
        atol=request.atol,
        output=request.time,
        **{n: x for n, x in optional.items() if x is not None},
    )
    if SimdBatch.can_integrate(system, options, request.t_end):
        return _integrate_in_lanes(request, options)
    return _integrate_one_by_one(request)


def _build_ensemble(request: BatchRequest, runs: BatchRuns) -> Ensemble:
    """The results of a batch, with the signals to keep."""
    system, signals = request.system, request.signals
    values: dict[str, np.ndarray] = {}
    for name in (*system.coordinates, *system.speeds) if signals is None else signals:
        if name not in values:
            values |= runs.source(name)
    return Ensemble(
        request.time,
        values if signals is None else {n: values[n] for n in signals},
        signal_units(system),
        runs.outcomes,
        runs.completed,
        events=runs.events,
        method=runs.method,
        coordinates=system.coordinates,
        speeds=system.speeds,
        source=runs.source if signals is None else None,
        sensitive=runs.source if request.sensitivities else None,
    )


# ---- arguments -------------------------------------------------------------------------------


def _check_threads_and_method(threads: Any, method: Any) -> None:
    """Raise an error for an invalid number of threads, or a reference integrator."""
    if not arguments.positive(threads or 1):
        raise ArgumentError(f"batch: threads = {threads!r}; use a number greater than zero")
    if method in REFERENCE_METHODS:
        raise ArgumentError(
            f"batch: method {method!r} is a reference of single runs; use a native one"
        )


def _count_runs(*columns: Mapping[str, np.ndarray]) -> int:
    """Number of runs: the length of all arrays, or 1."""
    widths = {np.size(x) for values in columns for x in values.values() if np.ndim(x)}
    if len(widths) > 1:
        raise TorseurError(f"a batch needs arrays of one length, got lengths {sorted(widths)}")
    return widths.pop() if widths else 1


def _output_times(output: Any, t_end: float) -> np.ndarray:
    """Times [s] of rows: evenly spaced, or as given."""
    if isinstance(output, str) or (np.ndim(output) == 0 and not arguments.positive(output)):
        raise ArgumentError(f"batch: output = {shown(output)}; expected a number of rows, or times")
    if np.ndim(output) == 0:
        return np.linspace(0.0, t_end, max(2, int(output)))
    return arguments.rows(output, 0.0, t_end)[0]


def _read_keep(keep: Any, system: System) -> tuple[str, ...] | None:
    """Names of signals to keep, each one of the system.  None for the state."""
    if keep is None:
        return None
    names = arguments.names(keep, "keep")
    known = signal_units(system)
    bad = [unknown_name_message("signal", n, known, "batch: keep") for n in names if n not in known]
    if bad:
        raise ArgumentError("\n".join(bad))
    return names


def _read_columns(argument: str, values: Any, units: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Numbers by name, each one or one a run.  Texts with units as `units` of their names."""
    values = asked.named(values)
    if not isinstance(values, Mapping):
        raise ArgumentError(f"batch: {argument} = {shown(values)}; expected a dictionary of names "
                            "with a number, or an array of one number a run")  # fmt: skip
    columns = {}
    for name, x in values.items():
        try:
            numbers = arguments.spoken(x, units.get(name), f"batch: {name}")
            columns[name] = column = np.asarray(numbers, dtype=float)
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


# ---- smooth lanes ----------------------------------------------------------------------------


def _integrate_smooth(request: BatchRequest) -> BatchRuns:
    """Runs without events in SIMD lanes, with a row at both ends."""
    system, method, t_end = request.system, request.method, request.t_end
    rows = np.unique(np.concatenate([[0.0], request.time, [t_end]]))
    if t_end == 0:
        rows = np.zeros(2)
    values = request.initial, request.parameters, request.inputs
    lanes = SmoothSimdBatch(system, request.kernels, request.run_count, rows, *values)
    tolerances, threads = (request.rtol, request.atol), request.threads
    if t_end == 0:
        states, faults = lanes.repeat_initial_states()
    elif method in SMOOTH_FIXED_STEPS:
        if arguments.positive(request.step):
            check_step_budget(t_end, request.step or 0.0, request.step_budget, "batch")
        states, faults = lanes.integrate_fixed(
            SMOOTH_FIXED_STEPS[method], request.step, threads, request.progress
        )
    else:
        states, faults = lanes.integrate_adaptive(
            METHODS[method], tolerances, threads, request.step_budget, request.progress
        )
    for i, text in lanes.failed.items():
        states[i], faults[i] = np.nan, f"could not start: {text}"
    output_rows = np.searchsorted(rows, request.time)
    source = SmoothSignals(system, states, rows, output_rows, lanes.u, lanes.P)
    name = f"{method} in {lanes.width} lanes"
    outcomes = [x or f"reached t = {t_end:g} s by {name}" for x in faults]
    completed = [not x for x in faults]
    if t_end and METHODS[method].adaptive:
        runs = np.flatnonzero(completed)
        for i, text in audit_smooth_runs(source, runs, METHODS[method], tolerances):
            outcomes[i], completed[i] = outcomes[i] + text, False
    for i, text in lanes.note_limits(rows, states):
        if not faults[i]:
            outcomes[i] = f"{outcomes[i]}; {text}"
    return BatchRuns(source, outcomes, completed, ((),) * request.run_count, name)


# ---- lanes with events -----------------------------------------------------------------------


def _integrate_in_lanes(request: BatchRequest, options: Options) -> BatchRuns:
    """Runs with events in SIMD lanes, a queue in each thread."""
    system, count, time = request.system, request.run_count, request.time
    names, signals = request.sensitivities, request.signals
    lanes = (
        VariationalSimdBatch(system, names, request.t_end, options)
        if names
        else SimdBatch(system, request.t_end, options)
    )

    def integrate_queue(first, interrupt):
        """The runs of a queue, and their signals to keep."""
        queue = slice(first, min(first + MIN_QUEUE_RUNS, count))

        def select(values):
            return {n: x[queue] if np.ndim(x) and np.size(x) > 1 else x for n, x in values.items()}

        values = select(request.initial), select(request.parameters), request.inputs or {}
        runs = lanes.runs(queue.stop - first, *values, interrupt)
        kept = None if signals is None else {n: runs.at(runs[n], time) for n in signals}
        return runs, kept

    def skip_queue(first):
        runs = SkippedRuns(min(MIN_QUEUE_RUNS, count - first), len(time))
        return runs, (None if signals is None else dict.fromkeys(signals, runs[""]))

    queues = range(0, count, MIN_QUEUE_RUNS)
    parts = map_threads(integrate_queue, queues, request.threads, skip_queue, request.progress)
    outcomes = [x for runs, _ in parts for x in runs.outcomes]
    completed = [x for runs, _ in parts for x in runs.completed]
    events = tuple(x for runs, _ in parts for x in runs.events)
    blocks = [runs if kept is None or names else kept for runs, kept in parts]
    method = next((runs.method for runs, _ in parts if runs.method), str(options.method))
    return BatchRuns(QueueSignals(blocks, time), outcomes, completed, events, method)


class QueueSignals:
    """Signals of the runs of all queues at some times."""

    def __init__(self, queues: Sequence[Any], time: np.ndarray):
        self.queues, self.time = queues, time

    def __call__(self, name: str) -> dict[str, np.ndarray]:
        """The signal of a name, (runs, rows)."""
        parts = [x[name] if isinstance(x, dict) else x.at(x[name], self.time) for x in self.queues]
        return {name: np.concatenate(parts)}

    def run(self, i: int) -> Trajectory | None:
        """One of the runs, as a trajectory.  None where there is none."""
        for x in self.queues:
            if i < len(x.outcomes):
                return x.alone(i) if x.completed[i] else None
            i -= len(x.outcomes)
        return None


class SkippedRuns:
    """Runs that a Ctrl-C left undone: no rows, and a sentence."""

    method = ""

    def __init__(self, count: int, row_count: int):
        self.outcomes, self.completed = [INTERRUPTED_TEXT] * count, [False] * count
        self.events: list[tuple] = [()] * count
        self.values = np.full((count, row_count), np.nan)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values

    def at(self, values: np.ndarray, time: np.ndarray) -> np.ndarray:
        """No values at any time."""
        return values


# ---- one by one ------------------------------------------------------------------------------


def _integrate_one_by_one(request: BatchRequest) -> BatchRuns:
    """Single runs, one in each thread."""
    count, names, signals = request.run_count, request.sensitivities, request.signals
    create: Any = VariationalSimulation if names else Simulation
    special = {"names": names} if names else {"kernels": request.kernels}
    options = {n: getattr(request, n) for n in ("rtol", "atol", "step", "inputs", "stop_when")}
    options |= {"max_steps": request.max_steps, "method": request.single_method}

    def select(values, i):
        return {n: float(x[i]) if np.ndim(x) else float(x) for n, x in values.items()}

    def integrate(i, interrupt):
        """Outcome, completeness, events and signals of run i, or the error of its start."""
        try:
            run = create(
                request.system,
                t_end=request.t_end,
                initial=select(request.initial, i),
                output=request.time,
                parameters=select(request.parameters, i),
                **special,
                **options,
            )
        except TorseurError as e:
            return f"could not start: {e}", False, (), e
        result = run.go(interrupt=interrupt).result()
        rows = SampledRun(result, request.time)
        kept = rows if signals is None or names else {n: rows[n] for n in signals}
        return result.outcome, result.completed, result.events, kept

    def skip(i):
        return INTERRUPTED_TEXT, False, (), None

    runs = map_threads(integrate, range(count), request.threads, skip, request.progress)
    outcomes, completed, events, rows = zip(*runs, strict=True)
    errors = [x for x in rows if isinstance(x, TorseurError)]
    if len(errors) == count and not isinstance(errors[0], AssemblyError | SingularPose):
        raise errors[0]  # a fault that all runs have in common
    rows = tuple(None if isinstance(x, TorseurError) else x for x in rows)
    source = SingleRunSignals(rows, len(request.time))
    method = f"{request.single_method}, one run a thread"
    return BatchRuns(source, outcomes, completed, events, method)


class SampledRun:
    """Signals of one run at some times.  NaN beyond its end."""

    def __init__(self, run: Trajectory, time: np.ndarray):
        self.run = run
        self.rows = np.searchsorted(run.time, time, side="right") - 1
        self.is_beyond = time > run.time[-1]

    def __getitem__(self, name: str) -> np.ndarray:
        return np.where(self.is_beyond, np.nan, self.run[name][self.rows])


class SingleRunSignals:
    """Signals of runs that were integrated one by one.  NaN of runs without rows."""

    def __init__(self, rows: Sequence[Any], row_count: int):
        self.rows, self.row_count = rows, row_count

    def __call__(self, name: str) -> dict[str, np.ndarray]:
        """The signal of a name, (runs, rows)."""
        none = np.full(self.row_count, np.nan)
        return {name: np.array([none if x is None else x[name] for x in self.rows])}

    def run(self, i: int) -> Trajectory | None:
        """One of the runs, as a trajectory.  None where there is none."""
        rows = self.rows[i]
        return None if rows is None or not rows.run.completed else rows.run

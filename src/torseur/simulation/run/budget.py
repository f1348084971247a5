"""Budgets of a run: steps, evaluations, events, rows, seconds; warnings of long compilations."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import ArgumentError, ModelWarning, shown
from ...integrate import NEWMARK, ROSENBROCK
from ...system import once

if TYPE_CHECKING:
    from ...system import System
    from ..options import Options
    from .diagnostics import RunSummary
    from .run import Simulation

DEFAULT_EVENTS_PER_SECOND = 10_000  # of a run of at least one second
DEFAULT_MAX_STEPS = 10_000_000  # attempts of a run that has an end
DEFAULT_MAX_BYTES = 1_000_000_000  # of the rows of a run
MAX_COUNT = 2**62  # a budget that no run spends
MAX_EVENT_COUNT = 2**40
MIN_USEFUL_RTOL = 1e-12  # smaller tolerances are near rounding


# ---- budgets ---------------------------------------------------------------------------------


class RunBudget(NamedTuple):
    """The largest number of events, attempted steps, evaluations, rows and seconds of a run."""

    events: int
    steps: int
    evaluations: int
    rows: int
    seconds: float


def caps(options: Options, span: float | None, row_size: int) -> RunBudget:
    """Budget of a run over `span` [s] (None: without end) with `row_size` numbers in a row."""
    events = DEFAULT_EVENTS_PER_SECOND * max(1.0, span or 0.0)
    defaults = {
        "max_events": MAX_EVENT_COUNT if span is None else min(events, MAX_EVENT_COUNT),
        "max_steps": MAX_COUNT if span is None else DEFAULT_MAX_STEPS,
        "max_evaluations": MAX_COUNT,
        "max_rows": DEFAULT_MAX_BYTES // (8 * row_size),
        "max_seconds": np.inf,
    }
    values = {n: _check_limit(n, getattr(options, n), x) for n, x in defaults.items()}
    events, steps, evaluations, rows = (
        int(min(values[n], MAX_COUNT))
        for n in ("max_events", "max_steps", "max_evaluations", "max_rows")
    )
    return RunBudget(events, steps, evaluations, rows, float(values["max_seconds"]))


def _check_limit(name: str, x: Any, default: float) -> Any:
    """The option `name` of a budget, or its default where it is None."""
    if x is None:
        return default
    minimum = 0 if name == "max_events" else 1e-300
    try:
        valid = not isinstance(x, str | bool) and np.ndim(x) == 0 and float(x) >= minimum
    except (TypeError, ValueError):
        valid = False
    if not valid:
        bound = "zero or more" if not minimum else "more than zero"
        number = "a number of seconds" if name == "max_seconds" else "a whole number"
        raise ArgumentError(f"simulate: {name} = {shown(x)}; expected {number}, {bound}")
    return x


def check_row_budget(count: int, row_size: int, max_rows: int, caller: str = "simulate") -> None:
    """Raise an error if `count` output rows exceed the budget."""
    if count > max_rows:
        raise ArgumentError(
            f"{caller}: output asks for {count:.6g} rows of {row_size} numbers, "
            f"{8e-9 * count * row_size:.3g} GB, more than max_rows = {max_rows:.6g}; ask for "
            "fewer, or allow more with max_rows="
        )


def check_step_budget(span: float, step: float, max_steps: int, caller: str = "simulate") -> None:
    """Raise an error if the fixed steps [s] of a span [s] exceed the budget."""
    if span / step > max_steps:
        raise ArgumentError(
            f"{caller}: {span:g} s are {span / step:.3g} steps of step = {step:g} s, more than "
            f"max_steps = {max_steps:.6g}; use a longer step, an adaptive method, or allow more "
            "with max_steps="
        )


# ---- diagnosis of a spent budget -------------------------------------------------------------

CHATTER_RATIO = 0.2  # events per step from which on the events limit the steps
CHATTER_LOG = 1000  # last events among which the most frequent one is named
REJECTION_RATIO = 0.4  # rejected steps per attempt: more than kinks now and then cause


def explain_spent_budget(run: RunSummary) -> str:
    """Why a run spent its steps or evaluations, and the remedy: chatter, kinks, tolerance."""
    attempts, rtol = run.step_count + run.rejection_count, run.rtol
    if run.rhs_count >= run.budget.evaluations:
        count, option = f"{run.rhs_count} evaluations of the rates", "max_evaluations="
    else:
        count, option = f"{attempts} steps", "max_steps="
    head = f"{count} were taken, as many as {option} allows"
    if run.event_count > CHATTER_RATIO * max(run.step_count, 1) and len(run.log_index):
        indices, counts = np.unique(run.log_index[-CHATTER_LOG:], return_counts=True)
        often = run.system.layout.guards[indices[np.argmax(counts)]].name
        return (
            f"{head}, {run.event_count} of them to events: {often!r} chatters; give its element "
            "damping, stiffness or a gap, or end there with stop_when="
        )
    if run.rejection_count > REJECTION_RATIO * attempts:
        remedy = rtol_remedy(rtol) if rtol < MIN_USEFUL_RTOL else kink_remedy()
        share = f"{run.rejection_count / attempts:.0%}"
        return f"{head}, and the error test rejected {share} of them: {remedy}"
    if rtol < MIN_USEFUL_RTOL:
        return f"{head}, the last of {run.h:.3g} s: {rtol_remedy(rtol)}"
    left = ""
    if run.t_end and run.h:
        left = f"; some {(run.t_end - run.t) / run.h:.2g} more would reach {run.t_end:g} s"
    return f"{head}, the last of {run.h:.3g} s{left}: end sooner, loosen rtol, or raise {option}"


def rtol_remedy(rtol: float) -> str:
    """Remedy of a tolerance near rounding."""
    return f"rtol = {rtol:.3g} asks for too much accuracy, near rounding; use 1e-11 or more"


def kink_remedy() -> str:
    """Remedy of steps that are rejected without a known cause."""
    return (
        "the motion has a kink that no event announces, or the model is stiff: try "
        "method='rodas5p', or a larger tolerance"
    )


# ---- warnings of long compilations -----------------------------------------------------------

MAX_QUICK_DERIVATIVES = 100  # speeds and rows: more take over ten seconds as straight-line code
MAX_QUICK_MOTION = 180  # speeds and rows: more take over five seconds as straight-line code


def warn_long_derivatives(
    system: System, purpose: str, remedy: str, duration: str = "minutes and gigabytes"
) -> None:
    """Warn if the derivatives of a large model are compiled as straight-line code."""
    size = _problem_size(system)
    if size > MAX_QUICK_DERIVATIVES:
        warnings.warn(
            f"{system.name!r} has {size} speeds and constraint rows, and {purpose}, which are "
            f"compiled as one text without loops: that may take {duration}; {remedy}",
            ModelWarning,
            stacklevel=5,
        )


def _problem_size(system: System) -> int:
    """Number of speeds and constraint rows."""
    return system.nv + sum(e.size for e in (*system.held, *system.switched))


@once()
def _warned(system: System) -> list[bool]:
    """Non-empty once a system was warned about."""
    return []


def warn_long_motion(run: Simulation) -> None:
    """Warn once if the motion of a large model is compiled as straight-line code."""
    s, kernels = run.system, run.kernels
    size = _problem_size(s)
    if size <= MAX_QUICK_MOTION or kernels.looped or (warned := _warned(s)):
        return
    warned.append(True)
    has_friction, has_contact = (
        any(getattr(e, x) for e in s.switched) for x in ("friction", "contact")
    )
    if s.held and s.switched:
        cause = "contacts or dry frictions beside loops"
        remedy = "laws of contact and friction that are forces (ts.PlaneForce, ts.Coulomb)"
    elif has_friction and not has_contact:
        cause = f"{len(s.switched)} dry frictions that stick in one mechanism"
        remedy = "ts.Coulomb or ts.LuGre, laws whose sticking creeps,"
    elif s.held and s.rheonomic:
        cause = "placements that time moves beside loops"
        remedy = "a ts.Prismatic joint with a ts.Driven constraint in place of the placement"
    else:
        return
    warnings.warn(
        f"{s.name!r} has {size} speeds and constraint rows, and {cause}: its motion is compiled as "
        "one text without loops, which grows faster than the model and takes from ten seconds to "
        f"many minutes, once; {remedy} would be looped over",
        ModelWarning,
        stacklevel=6,
    )


def warn_implicit_method(run: Simulation) -> None:
    """Warn if an implicit method, chosen by name, needs a full Jacobian of a large model."""
    if run.method.family not in (ROSENBROCK, NEWMARK) or run.options.method == "auto":
        return
    if not (run.kernels.folds or run.kernels.has_repeated_blocks or run.kernels.by_links):
        warn_long_derivatives(
            run.system,
            f"the method {run.method.name!r} asks for all their derivatives",
            'explicit methods ("dopri5", "dop853") ask for none',
        )

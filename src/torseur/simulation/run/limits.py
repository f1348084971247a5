"""How much a run may take: steps, evaluations, events, rows and seconds; and what is said then."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from ...errors import ArgumentError, ModelWarning, shown
from ...integrate import NEWMARK, ROSENBROCK
from ...system import once
from .record import MOST_EVENTS

MOST_STEPS = 10_000_000  # attempts of a run that has an end, unless max_steps= says so
MOST_BYTES = 1_000_000_000  # of the rows that a run keeps, unless max_rows= says so
NO_CAP = 2**62
LONG = 100  # speeds and rows whose derivatives, written out, take more than some ten seconds
WRITTEN = 180  # speeds and rows whose motion, written out, takes more than some five seconds
CHATTER = 0.2  # events a step: they, not the motion, make the steps
REFUSED = 0.4  # of all attempts: the error test fails more often than a kink now and then
FINE = 1e-12  # tolerances below it are near rounding


class Caps(NamedTuple):
    """The most of everything that a run may take."""

    events: int
    steps: int
    evaluations: int
    rows: int
    seconds: float


def caps(options, span: float | None, numbers: int) -> Caps:
    """Those of a run over `span` seconds (None: no end), whose rows have so many numbers."""
    most = 2**40 if span is None else MOST_EVENTS * max(1.0, span)
    usual = {
        "max_events": min(most, 2**40),
        "max_steps": NO_CAP if span is None else MOST_STEPS,
        "max_evaluations": NO_CAP,
        "max_rows": MOST_BYTES // (8 * numbers),
        "max_seconds": np.inf,
    }
    given = {n: _told(n, getattr(options, n), x) for n, x in usual.items()}
    events, steps, evaluations, rows = (int(min(x, NO_CAP)) for x in list(given.values())[:4])
    return Caps(events, steps, evaluations, rows, float(given["max_seconds"]))


def _told(name: str, given, usual):
    """A cap as given, or the usual one."""
    if given is None:
        return usual
    least = 0 if name == "max_events" else 1e-300
    number = not isinstance(given, str | bool) and np.ndim(given) == 0
    try:
        right = number and float(given) >= least
    except (TypeError, ValueError):
        right = False
    if not right:
        what = "zero or more" if not least else "more than zero"
        kind = "a number of seconds" if name == "max_seconds" else "a whole number"
        raise ArgumentError(f"simulate: {name} = {shown(given)}; expected {kind}, {what}")
    return given


def refuse_rows(count: int, numbers: int, most: int, where: str = "simulate") -> None:
    """Tell of more rows than may be kept."""
    if count > most:
        raise ArgumentError(
            f"{where}: output asks for {count:.6g} rows of {numbers} numbers, "
            f"{8e-9 * count * numbers:.3g} GB, more than max_rows = {most:.6g}; ask for fewer, or "
            "allow more with max_rows="
        )


def refuse_steps(span: float, step: float, most: int, where: str = "simulate") -> None:
    """Tell of more fixed steps than may be taken."""
    if span / step > most:
        raise ArgumentError(
            f"{where}: {span:g} s are {span / step:.3g} steps of step = {step:g} s, more than "
            f"max_steps = {most:.6g}; use a longer step, an adaptive method, or allow more with "
            "max_steps="
        )


def too_long(run) -> str:
    """Why a run has used up its steps or evaluations, and what to do."""
    now = run.record
    tried, rtol = now.step_count + now.rejection_count, now.rtol
    if now.rhs_count >= now.max_rhs_count:
        said, more = f"{now.rhs_count} evaluations of the rates", "max_evaluations="
    else:
        said, more = f"{tried} steps", "max_steps="
    head = f"{said} were taken, as many as {more} allows"
    if now.event_count > CHATTER * max(now.step_count, 1) and now.n_logged:
        names, counts = np.unique(now.log_index[: now.n_logged][-1000:], return_counts=True)
        often = run.guards[names[np.argmax(counts)]].name
        return (
            f"{head}, {now.event_count} of them to events: {often!r} chatters; give its element "
            "damping, stiffness or a gap, or end there with stop_when="
        )
    if now.rejection_count > REFUSED * tried:
        return f"{head}, and the error test refused {now.rejection_count / tried:.0%} of them: " + (
            accuracy(rtol) if rtol < FINE else kink()
        )
    if rtol < FINE:
        return f"{head}, the last of {now.h:.3g} s: {accuracy(rtol)}"
    end = getattr(run, "t_end", None)
    left = f"; some {(end - now.t) / now.h:.2g} more would reach {end:g} s" if end and now.h else ""
    return f"{head}, the last of {now.h:.3g} s{left}: end sooner, loosen rtol, or raise {more}"


def accuracy(rtol: float) -> str:
    """What is said of a tolerance near rounding."""
    return f"rtol = {rtol:.3g} asks for too much accuracy, near rounding; use 1e-11 or more"


def kink() -> str:
    """What is said of steps that fail for no reason that is known."""
    return (
        "the motion has a kink that no event announces, or the model is stiff: try "
        "method='rodas5p', or a larger tolerance"
    )


def tell_long(system, what: str, remedy: str, long="minutes and gigabytes") -> None:
    """Say so, before the silence, when a run asks for derivatives that take long to compile."""
    size = system.nv + sum(e.size for e in (*system.held, *system.switched))
    if size > LONG:
        warnings.warn(
            f"{system.name!r} has {size} speeds and constraint rows, and {what}, which are "
            f"compiled as one text without loops: that may take {long}; {remedy}",
            ModelWarning,
            stacklevel=5,
        )


@once()
def _said(system) -> list[bool]:
    """Whether it was said of a system."""
    return []


def tell_flow(run) -> None:
    """The same of the motion itself, where nothing that repeats in it is looped over."""
    s, kernels = run.system, run.kernels
    size = s.nv + sum(e.size for e in (*s.held, *s.switched))
    if size <= WRITTEN or kernels.looped or (told := _said(s)):
        return
    told.append(True)
    rubs, touches = (any(getattr(e, x) for e in s.switched) for x in ("friction", "contact"))
    if s.held and s.switched:
        why = "contacts or dry frictions beside loops"
        remedy = "laws of contact and friction that are forces (ts.PlaneForce, ts.Coulomb)"
    elif rubs and not touches:
        why = f"{len(s.switched)} dry frictions that stick in one mechanism"
        remedy = "ts.Coulomb or ts.LuGre, laws whose sticking creeps,"
    elif s.held and s.rheonomic:
        why = "placements that time moves beside loops"
        remedy = "a ts.Prismatic joint with a ts.Driven constraint in place of the placement"
    else:
        return
    warnings.warn(
        f"{s.name!r} has {size} speeds and constraint rows, and {why}: its motion is compiled as "
        "one text without loops, which grows faster than the model and takes from ten seconds to "
        f"many minutes, once; {remedy} would be looped over",
        ModelWarning,
        stacklevel=6,
    )


def tell_method(run) -> None:
    """The same of an implicit method that was asked for, where nothing shorter serves it."""
    if run.method.family not in (ROSENBROCK, NEWMARK) or run.options.method == "auto":
        return
    if not (run.kernels.folds or run.kernels.pieced or run.kernels.by_links):
        tell_long(
            run.system,
            f"the method {run.method.name!r} asks for all their derivatives",
            'explicit methods ("dopri5", "dop853") ask for none',
        )

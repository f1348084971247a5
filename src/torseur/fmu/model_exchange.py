"""Model exchange: an importer integrates, guards are its event indicators: native text.

Theory: EV.1 to EV.7.
"""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import events, explicit, knots, looks, record
from .co_simulation import clear
from .initialization import change
from .instance import (
    APART,
    FAILED,
    NO_VARIABLE,
    NOT_NOW,
    OK,
    READY,
    STEPPED,
    STOPPED,
    WARNING,
    Instance,
    the_run,
    told,
    unfit,
)

happen, settle = events.happen, events.settle
copy, project, rates_seen = explicit.copy, explicit.project, explicit.rates_seen
ON_KNOT, arm, left, watch = knots.ON_KNOT, knots.arm, knots.left, knots.watch
guards = looks.guards
BROKEN, NONE, WATCHING = record.BROKEN, record.NONE, record.WATCHING
say = set_half = doubles = intrinsic

SETTLINGS = 64  # events at one instant
DRIFT = 1e-6  # relative: further off its constraints a state of an importer is brought back


def set_time(me: Instance, t):
    """`fmi2SetTime`."""
    run = the_run(me.run)
    me.shown_now, run.t = 0, t
    return OK


def set_states(me: Instance, x, count):
    """`fmi2SetContinuousStates`."""
    if count != me.n:
        return told(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run = the_run(me.run)
    me.shown_now = 0
    copy(run, doubles(x), run.y)
    return OK


def get_states(me: Instance, x, count):
    """`fmi2GetContinuousStates`."""
    if count != me.n:
        return told(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run = the_run(me.run)
    copy(run, run.y, doubles(x))
    return OK


def get_nominals(me: Instance, x, count):
    """`fmi2GetNominalsOfContinuousStates`."""
    out = doubles(x)
    for j in range(count):
        out[j] = 1.0
    return OK


def get_rates(me: Instance, x, count):
    """`fmi2GetDerivatives`."""
    if count != me.n:
        return told(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run = the_run(me.run)
    copy(run, run.y, run.seen)
    if rates_seen(run, run.t, run.rate) != 0:
        return unfit(me, run.t)
    copy(run, run.rate, doubles(x))
    return OK


def get_indicators(me: Instance, x, count):
    """`fmi2GetEventIndicators`: of every guard a number that is positive until it fires."""
    if count != me.ng:
        return told(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run, out = the_run(me.run), doubles(x)
    if run.ng == 0:
        return OK
    if armed(me, run) != 0 or guards(run, run.t, run.y, run.g1) != 0:
        return unfit(me, run.t)
    for j in range(run.ng):
        out[j] = 1.0
        if run.kinds[j] != WATCHING:
            if run.waits_from[j] <= 0.0:
                out[j] = run.g1[j] - run.waits_from[j] + ON_KNOT  # EV.5
            elif run.g0[j] > 0.0:
                out[j] = run.g1[j]
    return OK


def armed(me, run):
    """Guards at the start, where they are not known."""
    if run.armed == 1 or run.ng == 0:
        return 0
    if guards(run, run.t, run.y, run.g0) != 0:
        return 1
    run.armed, run.waiting = 1, 0
    for j in range(run.ng):
        arm(run, j, run.g0[j])
    return 0


def completed(me: Instance, _prior, enter, ends):
    """`fmi2CompletedIntegratorStep`.

    Guards that have become positive are armed; a state that has drifted wants an event.
    """
    run = the_run(me.run)
    set_half(enter, 0, 0)
    set_half(ends, 0, 0)
    if run.ng > 0:
        if armed(me, run) != 0 or guards(run, run.t, run.y, run.g1) != 0:
            return told(me, FAILED, 0, run.t, 0.0)
        if run.waiting > 0:
            watch(run)
        for j in range(run.ng):
            if run.waits_from[j] > 0.0 and run.g1[j] > 0.0:
                run.g0[j] = run.g1[j]
    if run.project != 0 or run.quaternions > 0:
        copy(run, run.y, run.new)
        if project(run, run.t, run.new) != 0:
            return told(me, APART, 0, 0.0, 0.0)
        if change(run, run.y, run.new) > DRIFT:
            set_half(enter, 0, 1)
    return OK


def new_states(me: Instance, info):
    """`fmi2NewDiscreteStates`.

    Guards that have fired act, and the state comes back to its constraints.
    """
    run = the_run(me.run)
    for j in range(5):
        set_half(info, j, 0)
    acted, t = 0, run.t
    me.shown_now = 0
    if armed(me, run) != 0:
        return told(me, FAILED, 0, t, 0.0)
    for _ in range(SETTLINGS):
        clear(run)
        k = due(run, t)
        if k == NONE:
            break
        stop = BROKEN if k == BROKEN else acting(run, t, k)
        if stop == BROKEN:
            return told(me, FAILED, 0, t, 0.0)
        if stop >= 0:
            me.ended = 1
            set_half(info, 1, 1)
            say(me, WARNING, STOPPED, me.guard_label[stop], t, 0.0)
        acted = 1
    if run.project != 0 or run.quaternions > 0:
        copy(run, run.y, run.new)
        if project(run, t, run.new) != 0:
            return told(me, APART, 0, 0.0, 0.0)
        if acted == 1 or change(run, run.y, run.new) > 0.1 * DRIFT:
            copy(run, run.new, run.y)
            acted = 1
    set_half(info, 3, acted)
    return OK


def acting(run, t, k):
    """Let guard k act; answer as `happen`."""
    return happen(run, t, k) if run.waits_from[k] > 0.0 else settle(run, t, k)


def due(run, t):
    """A guard that has fallen, or that the motion leaves the knot of; or none."""
    if run.ng == 0:
        return NONE
    if guards(run, t, run.y, run.g1) != 0:
        return BROKEN
    for j in range(run.ng):
        if run.kinds[j] != WATCHING and run.g0[j] > 0.0 and not run.g1[j] > 0.0:
            return j
    return left(run) if run.waiting > 0 else NONE


def in_order(me: Instance):
    """`fmi2EnterEventMode`, `fmi2EnterContinuousTimeMode`: nothing to do."""
    if me.state != READY:
        return told(me, NOT_NOW, 0, 0.0, 0.0)
    return OK


def terminate(me: Instance):
    """`fmi2Terminate`."""
    me.state = STEPPED
    return OK

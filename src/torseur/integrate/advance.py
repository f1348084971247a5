"""Integrators as native functions of one table of addresses (see `words`).

Nothing here knows a model: kernels are called by address.  With arguments of simple types every
function is compiled once per machine and kept on disk; `ready()` compiles, or loads what was kept.
Theory: IN.9, IN.11 and IN.12.
"""

# ruff: noqa: F403, F405 (words of the table by their names)
from __future__ import annotations

import threading

from ..compiler import intrinsic, native as compiled
from . import control, events as happening, steps as stepping, words
from .control import AFTER, LEAST_KEPT, LONGER, LOST, NEARLY, SHORTEST, TINY, grow, shrink
from .events import crossing, first_event, guards, happen, record, root
from .steps import complete, copy, dense, error, project, rates, step
from .words import *

doubles = longs = intrinsic


def apart(S):
    """How far the last projection, of the state in YT, has moved it, over the tolerance."""
    n, before, after = S[NE], doubles(S[YS]), doubles(S[YT])
    atol, floor, rtol = doubles(S[ATOL]), doubles(S[FLOOR]), doubles(S[NUM])[RTOL]
    total = 0.0
    for j in range(n):
        x = (after[j] - before[j]) / (atol[j] + rtol * max(abs(after[j]), floor[j]))
        total += x * x
    return (total / n) ** 0.5


def wobble(S, t):
    """What rounding does to the new state, over the tolerance: its projection, projected again."""
    copy(S, S[YN], S[YT])
    project(S, t, S[YT])
    return apart(S)


def emit(S, t, h, whole):
    """Record the wanted times of an accepted step; `whole` says the stages are complete."""
    times = doubles(S[TIMES])
    while S[GRID] < S[WANTED] and times[S[GRID]] <= t + h:
        at = times[S[GRID]]
        theta = (at - t) / h
        if theta >= 1.0:
            record(S, at, S[YN])
        else:
            if not whole:
                complete(S, t, h)
                whole = True
            dense(S, h, theta, S[YT])
            project(S, at, S[YT])
            record(S, at, S[YT])
        S[GRID] = S[GRID] + 1


def rough(S, t, h):
    """First wanted time of a step whose interpolation is too far from the constraints, or its end.

    The stages that only interpolation needs must be complete.
    """
    times, k = doubles(S[TIMES]), S[GRID]
    while k < S[WANTED] and times[k] < t + h:
        if times[k] > t:
            dense(S, h, (times[k] - t) / h, S[YT])
            project(S, times[k], S[YT])
            if not apart(S) <= ROUGH:  # IN.11
                return times[k]
        k += 1
    return t + h


def note(table):
    """Record the present state."""
    S = longs(table)
    record(S, doubles(S[NUM])[T], S[Y])


def halted(S, budget):
    """Why no step is to be tried now, or ON."""
    num = doubles(S[NUM])
    if num[T] >= num[STOP]:
        return REACHED
    if S[ROW] + (S[WANTED] - S[GRID]) + 4 > S[ROOM]:
        return FULL
    if budget <= 0:
        return BUDGET
    if S[EVENTS] > S[MOST_EVENTS]:
        return TOO_MANY
    return ON


def begin(S, t):
    """Rates and guards at the start of a step, where they are not known already."""
    if S[FRESH] == 0:
        copy(S, S[Y], S[YS])
        S[DETAIL] = rates(S, t, S[F0])
        if S[DETAIL] != 0:
            return NOT_FINITE
        S[FRESH] = 1
    if S[ARMED] == 0:
        S[DETAIL] = 0
        if S[NG] > 0 and guards(S, t, S[Y], S[G0]) != 0:
            return NOT_FINITE
        S[ARMED] = 1
    return ON


def length(S, t):
    """Choose the step: as wished, or so that the stop is reached by one step or two equal ones."""
    num = doubles(S[NUM])
    stop, h = num[STOP], min(num[H], num[HMAX])
    num[WISH], S[LAST] = h, 0
    if t + NEARLY * h >= stop:
        h, S[LAST] = stop - t, 1
    elif S[ADAPTIVE] == 1 and t + 2.0 * h > stop:
        h = 0.5 * (stop - t)
    num[TRIED] = h


def refuse(S, h):
    """Try again with the step h, and do not let the next one grow."""
    S[REJECTED] = S[REJECTED] + 1
    S[REFUSED] = 1
    doubles(S[NUM])[H] = h
    return AGAIN


def attempt(S):
    """One step of the method, into YN."""
    num = doubles(S[NUM])
    t = num[T]
    code = begin(S, t)
    if code != ON:
        return code
    length(S, t)
    h = num[TRIED]
    if h <= 2.0 * EPS * abs(t) and S[LAST] == 0:
        return TOO_SMALL
    status = step(S, t, h)
    if status == 0:
        return ON
    S[DETAIL] = status
    if S[ADAPTIVE] == 0:
        return NO_CONVERGENCE if S[FAMILY] == NEWMARK else NOT_FINITE
    code = refuse(S, LOST * h)
    return NOT_FINITE if num[H] <= 16.0 * EPS * max(abs(t), TINY) else code


def estimated(S, t, h):
    """The error of the step over its tolerance; below zero to try again, a little longer.

    Near a singular position of the constraints rounding alone may be larger than the tolerance:
    then longer steps are tried, which end elsewhere, and after some the noise is accepted and told.
    """
    num = doubles(S[NUM])
    err = error(S, t, h)
    if not (err > 1.0 and S[PROJECT] != 0):
        return err
    noise = wobble(S, t + h)
    if not err <= NOISE * noise:  # IN.12
        return err
    S[TRIES] = S[TRIES] + 1
    if noise > WOBBLE and S[TRIES] <= OVER:
        return -1.0
    if noise > num[SHAKEN]:
        num[SHAKEN] = noise
        num[WHERE] = t + h
    return 1.0


def judge(S):
    """Accept the attempt, and say how long the next step is to be; or refuse it."""
    num = doubles(S[NUM])
    t, h = num[T], num[TRIED]
    S[WHOLE], num[AHEAD] = 0, h
    if S[ADAPTIVE] == 0:
        return ON
    err = estimated(S, t, h)
    if err < 0.0:
        return refuse(S, LONGER * h)
    if not err <= 1.0:
        code = refuse(S, h * shrink(err, num[EXPONENT]))
        return TOO_SMALL if num[H] <= 2.0 * EPS * abs(t) else code
    grown = grow(err, num[ERR], num[EXPONENT], num[BETA])
    if S[REFUSED] == 1:
        grown = min(1.0, grown)
    num[ERR] = max(err, LEAST_KEPT)
    num[AHEAD] = h * grown
    if h < num[WISH]:
        num[AHEAD] = max(num[AHEAD], num[WISH])
    if S[PROJECT] != 0 and S[GRID] < S[WANTED]:
        if complete(S, t, h) != 0:
            return NOT_FINITE
        S[WHOLE], until = 1, rough(S, t, h)
        if until < t + h and until - t > SHORTEST * h:
            S[REJECTED] = S[REJECTED] + 1
            num[H] = until - t
            return AGAIN
    S[REFUSED], S[TRIES] = 0, 0
    return ON


def locate(S):
    """Shorten the step to the first event within it, if there is one; its guard in FIRED."""
    num = doubles(S[NUM])
    t, h = num[T], num[TRIED]
    S[FIRED] = -1
    if S[NG] == 0:
        return ON
    S[DETAIL] = 0
    if S[ADAPTIVE] == 0:
        if guards(S, t + h, S[YN], S[G1]) != 0:
            return NOT_FINITE
        S[FIRED] = crossing(S)  # EV.4
        return ON
    if complete(S, t, h) != 0:
        return NOT_FINITE
    S[WHOLE], k = 1, first_event(S, t, h)
    if k == -2:
        return NOT_FINITE
    if k >= 0:
        S[FIRED], S[LAST] = k, 0
        num[TRIED] = root(S, t, h, num[THETA], k)
        if step(S, t, num[TRIED]) != 0 or complete(S, t, num[TRIED]) != 0:
            return NOT_FINITE
    return ON


def commit(S):
    """Make the new state the present one, record what is wanted, and let the event act."""
    num, n, k = doubles(S[NUM]), S[N], S[FIRED]
    t, h, ahead = num[T], num[TRIED], num[AHEAD]
    S[STEPS] = S[STEPS] + 1
    emit(S, t, h, S[WHOLE] == 1)
    num[T] = num[STOP] if S[LAST] == 1 else t + h
    if S[FAMILY] == ROSENBROCK:
        S[FRESH] = 0
    else:
        copy(S, S[K_] + 8 * n * (S[STAGES] - 1), S[F0])
        S[FRESH] = 1
    copy(S, S[YN], S[Y])
    if S[ADAPTIVE] == 1:
        num[H] = ahead if k < 0 else min(ahead, max(2.0 * h, AFTER * ahead))
    if k >= 0:
        return act(S, num[T], k)
    g0, g1 = doubles(S[G0]), doubles(S[G1])
    for j in range(S[NG]):
        g0[j] = g1[j]
    if S[EVERY] == 1:
        record(S, num[T], S[Y])
    return ON


def act(S, t, k):
    """Let guard k act; TERMINAL when it, or one that fell with it, ends the run."""
    S[FRESH] = 0
    stopping = happen(S, t, k)
    if stopping == -2:
        return NOT_FINITE
    if stopping >= 0:
        S[DETAIL] = stopping
        return TERMINAL
    return ON


def advance(table, most_steps):
    """Go on until NUM[STOP], an event that stops, full buffers, or a budget of steps."""
    S = longs(table)
    budget, code = most_steps, ON
    while True:
        code = halted(S, budget)
        budget -= 1
        if code == ON:
            code = attempt(S)
        if code == ON:
            code = judge(S)
        if code == ON:
            code = locate(S)
        if code == ON:
            code = commit(S)
        if code >= 0:
            return code


_READY: list = []
_LOCK = threading.RLock()


def ready():
    """The compiled `advance` and `note`, of the address of the table."""
    with _LOCK:
        if not _READY:
            parts = [vars(x) for x in (words, control, stepping, happening)]
            _READY.append(compiled((*parts, globals()), {"advance": "ii->i", "note": "i->"}))
        return _READY[0]

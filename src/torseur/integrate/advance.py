"""Integrators as native functions of one table of addresses (see `words`).

Nothing here knows a model: kernels are called by address.  With arguments of simple types every
function is compiled once per machine and kept on disk; `ready()` compiles, or loads what was kept.
Theory: IN.9, IN.11 and IN.12.
"""

# ruff: noqa: F403, F405 (words of the table by their names)
from __future__ import annotations

import threading

from ..compiler import intrinsic
from ..compiler import native as compiled
from . import events as happening
from . import steps as stepping
from . import words
from .events import crossing, first_event, guards, happen, locate, record
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


def advance(table, most_steps):
    """Go on until NUM[STOP], an event that stops, full buffers, or a budget of steps."""
    S = longs(table)
    num, n, ng = doubles(S[NUM]), S[N], S[NG]
    adaptive, rejected, tries, budget = S[ADAPTIVE] == 1, False, 0, most_steps
    while True:
        t, stop = num[T], num[STOP]
        if t >= stop:
            return REACHED
        if S[ROW] + (S[WANTED] - S[GRID]) + 4 > S[ROOM]:
            return FULL
        if budget <= 0:
            return BUDGET
        if S[EVENTS] > S[MOST_EVENTS]:
            return TOO_MANY
        if S[FRESH] == 0:
            copy(S, S[Y], S[YS])
            status = rates(S, t, S[F0])
            if status != 0:
                S[DETAIL] = status
                return NOT_FINITE
            S[FRESH] = 1
        if S[ARMED] == 0:
            S[DETAIL] = 0
            if ng > 0 and guards(S, t, S[Y], S[G0]) != 0:
                return NOT_FINITE
            S[ARMED] = 1
        wish = min(num[H], num[HMAX])
        h, last = wish, False
        if t + 1.0000001 * h >= stop:
            h, last = stop - t, True
        elif adaptive and t + 2.0 * h > stop:
            h = 0.5 * (stop - t)
        if h <= 2.0 * EPS * abs(t) and not last:
            return TOO_SMALL
        budget -= 1
        status = step(S, t, h)
        if status != 0:
            S[DETAIL] = status
            if not adaptive:
                return NO_CONVERGENCE if S[FAMILY] == NEWMARK else NOT_FINITE
            S[REJECTED] = S[REJECTED] + 1
            num[H] = 0.25 * h
            rejected = True
            if num[H] <= 16.0 * EPS * max(abs(t), 1e-290):
                return NOT_FINITE
            continue
        ahead = h
        if adaptive:
            err = error(S, t, h)
            if err > 1.0 and S[PROJECT] != 0:
                noise = wobble(S, t + h)
                if err <= NOISE * noise:  # IN.12
                    tries += 1
                    if noise > WOBBLE and tries <= OVER:
                        S[REJECTED] = S[REJECTED] + 1
                        num[H] = 1.37 * h
                        rejected = True
                        continue
                    err = 1.0
                    if noise > num[SHAKEN]:
                        num[SHAKEN] = noise
                        num[WHERE] = t + h
            if not err <= 1.0:
                S[REJECTED] = S[REJECTED] + 1
                shrink = 0.2
                if err < 1e30:
                    shrink = max(0.2, 0.9 * err ** (-num[EXPONENT]))
                num[H] = h * shrink
                rejected = True
                if num[H] <= 2.0 * EPS * abs(t):
                    return TOO_SMALL
                continue
            err = max(err, 1e-10)
            grow = 0.9 * err ** (0.75 * num[BETA] - num[EXPONENT]) * num[ERR] ** num[BETA]  # IN.9
            grow = min(6.0, max(0.2, grow))
            if rejected:
                grow = min(1.0, grow)
            num[ERR] = max(err, 1e-4)
            ahead = h * grow
            if h < wish:
                ahead = max(ahead, wish)
        whole, k = False, -1
        if adaptive and S[PROJECT] != 0 and S[GRID] < S[WANTED]:
            if complete(S, t, h) != 0:
                return NOT_FINITE
            whole, until = True, rough(S, t, h)
            if until < t + h and until - t > 1e-3 * h:
                S[REJECTED] = S[REJECTED] + 1
                num[H] = until - t
                continue
        rejected, tries = False, 0
        if ng > 0:
            S[DETAIL] = 0
            if adaptive:
                if complete(S, t, h) != 0:
                    return NOT_FINITE
                whole = True
                k = first_event(S, t, h)
                if k == -2:
                    return NOT_FINITE
                if k >= 0:
                    h = locate(S, t, h, num[THETA], k)
                    last = False
                    if step(S, t, h) != 0 or complete(S, t, h) != 0:
                        return NOT_FINITE
            else:
                if guards(S, t + h, S[YN], S[G1]) != 0:
                    return NOT_FINITE
                k = crossing(S)  # EV.4
        S[STEPS] = S[STEPS] + 1
        end = stop if last else t + h
        emit(S, t, h, whole)
        num[T] = end
        if S[FAMILY] == ROSENBROCK:
            S[FRESH] = 0
        else:
            copy(S, S[K_] + 8 * n * (S[STAGES] - 1), S[F0])
            S[FRESH] = 1
        copy(S, S[YN], S[Y])
        if adaptive:
            num[H] = ahead if k < 0 else min(ahead, max(2.0 * h, 0.01 * ahead))
        if k >= 0:
            S[FRESH] = 0
            stopping = happen(S, end, k)
            if stopping == -2:
                return NOT_FINITE
            if stopping >= 0:
                S[DETAIL] = stopping
                return TERMINAL
        else:
            g0, g1 = doubles(S[G0]), doubles(S[G1])
            for j in range(ng):
                g0[j] = g1[j]
            if S[EVERY] == 1:
                record(S, end, S[Y])


_READY: list = []
_LOCK = threading.RLock()


def ready():
    """The compiled `advance` and `note`, of the address of the table."""
    with _LOCK:
        if not _READY:
            parts = [vars(x) for x in (words, stepping, happening)]
            _READY.append(compiled((*parts, globals()), {"advance": "ii->i", "note": "i->"}))
        return _READY[0]

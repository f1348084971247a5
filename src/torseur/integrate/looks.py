"""Guards where they are looked at, rows that are kept, and where within a step a guard falls.

Theory: EV.1.
"""

from __future__ import annotations

from ..compiler import intrinsic
from .control import moved, weigh
from .explicit import copy, rates_seen, transfer
from .record import NONE

call = intrinsic

NARROW = 1e-10  # of a step: the bracket is closed, steps of the method itself go on
CURVED = 4  # turns of the secant rule before a bisection
NARROWER = 0.9e-10  # of a step: the least distance of a new place from the ends of the bracket
SMOOTH = 0.01  # of the guard before: the secant rule has found a smooth zero
CLOSE = 1e-5  # of a step: from there the slope of a guard says where it vanishes


def guards(run, t, state, into):
    """Guards at time t and a state."""
    seen = run.seen
    for j in range(run.watched):
        seen[j] = state[j]
    return guards_seen(run, t, into)


def guards_seen(run, t, into):
    """Guards at time t and the state in `seen`."""
    run.time[0] = t
    run.outputs[0] = into
    return call(run.guards, run.inputs, run.outputs)


def remember(run):
    """Write memory and inputs down."""
    to = run.past[run.known]
    transfer(run.m, to, run.nm)
    transfer(run.u, to[run.nm :], run.nu)
    run.known += 1
    run.stale = 0


def keep(run, t, state):
    """Keep one row."""
    r = run.row
    if run.stale == 1:
        remember(run)
    run.row_t[r] = t
    run.row_k[r] = run.known - 1
    transfer(state, run.row_y[r], run.n)
    if run.shown > 0:
        copy(run, state, run.seen)
        rates_seen(run, t, run.rate)
        transfer(run.rate[run.nq :], run.row_a[r], run.shown)
    run.row = r + 1


def crossing(run):
    """First guard that was positive (g0) and is not any more (g1), or none.

    How many there are is in `fell`; whether others, that were not, are positive now in `risen`.
    """
    g0, g1, low, high, first, count = run.g0, run.g1, 1.0, 0.0, NONE, 0
    for k in range(run.ng):
        a, b = g0[k], g1[k]
        low = min(low, b if a > 0.0 else 1.0)
        high = max(high, 0.0 if a > 0.0 else b)
    run.risen = high
    if low > 0.0:
        return NONE
    for j in range(run.ng):
        k = run.ng - 1 - j
        if g0[k] > 0.0 and not g1[k] > 0.0:
            first = k
            count += 1
    run.fell = count
    return first


def guards_between(run, t, h, theta):
    """Guards at a part of the step, by interpolation."""
    weigh(run, theta)
    moved(run.seen, run.y, h, run.stage, run.weight, run.rows, run.watched)
    return guards_seen(run, t + theta * h, run.g1)


def guards_looked(run, t, h, i):
    """Guards where they are looked at, by interpolation; at the end as computed."""
    if i == run.looks - 1:
        return guards(run, t + h, run.new, run.g1)
    moved(run.seen, run.y, h, run.stage, run.look_weight[i], run.rows, run.watched)
    return guards_seen(run, t + run.look[i] * h, run.g1)


def narrowed(run, t, h, a, b, k):
    """First guard that falls between two parts of the step, k at the latest; where in `theta`.

    The secant rule of Illinois on the guard that falls, now and then a bisection; both ends of the
    bracket close in.  Where but one falls, and smoothly, its slope says the rest.
    """
    turns, side, low, high, many = 0, 0, run.g0[k], run.g1[k], run.fell
    was, at, run.slope = high, b, 0.0
    while b - a > NARROW:
        x = a + (b - a) * low / (low - high)
        turns += 1
        if turns > CURVED or not (x >= a and x <= b):
            x, turns = 0.5 * (a + b), 0
        x = min(max(x, a + NARROWER), b - NARROWER)
        guards_between(run, t, h, x)
        other = crossing(run)  # EV.1
        if other >= 0:
            if other != k:
                low, was = run.g0[other], 0.0
            elif side > 0:
                low = 0.5 * low
            b, k, high, side, many = x, other, run.g1[other], 1, run.fell
        else:
            a, low = x, run.g1[k]
            if side < 0:
                high = 0.5 * high
            side = -1
        g = run.g1[k]
        if many == 1 and abs(g) < SMOOTH * abs(was):
            dx = g * (x - at) / (was - g)
            if abs(dx) < CLOSE:
                run.slope = (g - was) / ((x - at) * h)
                run.theta = min(max(x + dx, a), b)
                return k
        was, at = g, x
    run.theta = b
    return k

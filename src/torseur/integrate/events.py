"""Events within a step as native functions: guards are watched, located, and act (see `words`).

Theory: EV.1 to EV.4.
"""

# ruff: noqa: F403, F405 (words of the table by their names)
from __future__ import annotations

from ..compiler import intrinsic
from .steps import copy, dense, step
from .words import *

call = doubles = longs = intrinsic


def guards(S, t, state, into):
    """Guards at time t and a state, by addresses."""
    doubles(S[TB])[0] = t
    copy(S, state, S[YS])
    longs(S[OUTP])[0] = into
    return call(S[GUARDS], S[INP], S[OUTP])


def record(S, t, state):
    """Keep one row."""
    r = S[ROW]
    doubles(S[ROWT])[r] = t
    copy(S, state, S[ROWY] + 8 * S[N] * r)
    m, to = doubles(S[M]), doubles(S[ROWM] + 8 * S[NM] * r)
    for j in range(S[NM]):
        to[j] = m[j]
    u, to = doubles(S[U]), doubles(S[ROWU] + 8 * S[NU] * r)
    for j in range(S[NU]):
        to[j] = u[j]
    S[ROW] = r + 1


def crossing(S):
    """First guard that was positive (G0) and is not any more (G1), or -1."""
    before, after = doubles(S[G0]), doubles(S[G1])
    for k in range(S[NG]):
        if before[k] > 0.0 and not after[k] > 0.0:
            return k
    return -1


def first_event(S, t, h):
    """Guard of the first event of the step by interpolation, its theta in NUM[THETA].

    Answers -1 when there is none, -2 when guards are not finite.
    """
    before, after, num = doubles(S[G0]), doubles(S[G1]), doubles(S[NUM])
    a = 0.0
    for i in range(6):
        b = SAMPLES[i]
        if i < 5:
            dense(S, h, b, S[YT])
            status = guards(S, t + b * h, S[YT], S[G1])
        else:
            status = guards(S, t + h, S[YN], S[G1])
        if status != 0:
            return -2
        k = crossing(S)
        if k >= 0:
            while b - a > 1e-10:  # bisect, any guard
                mid = 0.5 * (a + b)
                dense(S, h, mid, S[YT])
                guards(S, t + mid * h, S[YT], S[G1])
                other = crossing(S)  # EV.1
                if other >= 0:
                    b, k = mid, other
                else:
                    a = mid
            num[THETA] = b
            return k
        for j in range(S[NG]):  # a guard may arm itself within the step
            if after[j] > 0.0:
                before[j] = after[j]
        a = b
    return -1


def guard_at(S, t, x, k):
    """Guard k after a step of length x."""
    if step(S, t, x) != 0:
        return 0.0
    guards(S, t + x, S[YN], S[G1])
    return doubles(S[G1])[k]


def root(S, t, h, theta, k):
    """Step length at which guard k vanishes, by steps of the method itself."""
    delta, g1 = 1e-4, doubles(S[G1])
    lo, hi = max(theta - delta, 0.0), min(theta + delta, 1.0)
    dense(S, h, lo, S[YT])
    guards(S, t + lo * h, S[YT], S[G1])
    glo = g1[k]
    dense(S, h, hi, S[YT])
    guards(S, t + hi * h, S[YT], S[G1])
    slope = (g1[k] - glo) / ((hi - lo) * h)
    x = theta * h
    g = guard_at(S, t, x, k)
    for _ in range(10):
        if g == 0.0 or slope == 0.0:
            return x
        dx = -g / slope  # EV.2
        if not abs(dx) < delta * h or x + dx <= 0.0:  # farther: the guard leaps, and stays there
            return x
        if abs(dx) <= 2.0 * EPS * max(abs(t), abs(h)):
            return x
        new = guard_at(S, t, x + dx, k)
        if not abs(new) < abs(g):
            return x
        slope = (new - g) / dx
        x, g = x + dx, new
    return x


def leap(S, t, k):
    """Apply the jump of guard k to Y and M."""
    nq, n, nm = S[NQ], S[N], S[NM]
    copy(S, S[Y], S[YS])
    doubles(S[TB])[0] = t
    doubles(S[KB])[0] = k
    out = longs(S[OUTP])
    out[0] = S[YT]
    out[1] = S[YT] + 8 * S[NV]
    out[2] = S[YT] + 8 * (S[NV] + S[NZ])
    status = call(S[JUMP], S[INP], S[OUTP])
    y, x, m = doubles(S[Y]), doubles(S[YT]), doubles(S[M])
    for j in range(n - nq):
        y[nq + j] = x[j]
    for j in range(nm):
        m[j] = x[n - nq + j]
    return status


def happen(S, t, k):
    """Log the event of guard k and of every guard that fell with it; answer a stopping one.

    Answers -1 when the run goes on, -2 when something is not finite.
    """
    g0, g1, gs, kinds = doubles(S[G0]), doubles(S[G1]), doubles(S[GS]), longs(S[KINDS])
    stop, done = -1, False
    record(S, t, S[Y])
    if guards(S, t, S[Y], S[GS]) != 0:
        return -2
    for i in range(S[NG] + 1):
        j = k if i == 0 else i - 1
        if i > 0 and (j == k or not (g0[j] > 0.0 and not gs[j] > 0.0)):  # EV.3
            continue
        e = S[EVENTS]
        if e < S[LOGGED]:
            doubles(S[WHEN])[e] = t
            longs(S[WHICH])[e] = j
        S[EVENTS] = e + 1
        if kinds[j] == STOPPING:
            stop = j
        if kinds[j] != WATCHING:
            if leap(S, t, j) != 0:
                return -2
            done = True
    if guards(S, t, S[Y], S[G1]) != 0:
        return -2
    for j in range(S[NG]):
        g0[j] = g1[j]
        if (j == k or not gs[j] > 0.0) and g1[j] == gs[j]:
            g0[j] = 0.0  # not armed until it is positive again
    if done:
        record(S, t, S[Y])
    return stop

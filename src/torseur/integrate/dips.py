"""Guards that touch zero between two looks and come back.

Theory: EV.8.
"""

from __future__ import annotations

from .looks import NARROW, crossing, guards_between, guards_looked
from .record import ENDING, NONE

GOLDEN = 0.3819660112501051  # part of a bracket at which a least value is looked for
TURNS = 40  # of that
WITHIN = 1e-3  # of the way from where a guard falls to where it is least: its slope is taken there
FELL, DIPS = 1, 2  # of a look: a guard is not positive any more; one may have been so in between


def take_slopes(run):
    """Values and slopes at the start of a step."""
    for k in range(run.ng):
        run.looked[k], run.slopes[k] = run.g0[k], run.fall[k]


def looked_at(run, span):
    """Take values and slopes of all guards at a look: FELL, DIPS where one may have, or NONE.

    Where each was to be by its slope is left in `dips`; whether one that was not positive before
    is now, in `risen`.
    """
    g0, g1, looked, slopes, dips = run.g0, run.g1, run.looked, run.slopes, run.dips
    low, high, least, per = 1.0, 0.0, 1.0, 1.0 / span
    for k in range(run.ng):
        armed, was, now = g0[k] > 0.0, looked[k], g1[k]
        due = was + slopes[k] * span if armed else 1.0
        low = min(low, now if armed else 1.0)
        high = max(high, 0.0 if armed else now)
        least = min(least, due)
        dips[k], looked[k], slopes[k] = due, now, (now - was) * per
    run.risen = high
    if not low > 0.0:
        return FELL
    return DIPS if least < 0.0 else NONE


def touched(run, t, h, a, b, k):
    """Part of the step between two looks at which guard k is not positive; 2 if there is none.

    Its least value is sought by golden sections; no longer where it is convex and lines through
    three places say that it stays positive.
    """
    low, high, right, turns = a, b, run.looked[k], 0
    left = right - run.slopes[k] * ((b - a) * h)
    x = low + GOLDEN * (high - low)
    guards_between(run, t, h, x)
    least = run.g1[k]
    while turns < TURNS and least > 0.0:
        turns += 1
        before = least - (right - least) / (high - x) * (x - low)
        behind = least + (least - left) / (x - low) * (high - x)
        if before > 0.0 and behind > 0.0 and run.kinds[k] != ENDING:
            return 2.0
        y = low + high - x
        guards_between(run, t, h, y)
        g = run.g1[k]
        if g < least:
            if y > x:
                low, left = x, least
            else:
                high, right = x, least
            x, least = y, g
        elif y > x:
            high, right = y, g
        else:
            low, left = y, g
    return x if least <= 0.0 else 2.0


def entered(run, t, h, a, b, k):
    """First guard that falls between a and b, where k is not positive; where in `theta`.

    By bisection: a dip may be so narrow that no slope from outside says anything about it.
    """
    low, high = a, b
    while high - low > NARROW:
        x = 0.5 * (low + high)
        guards_between(run, t, h, x)
        other = crossing(run)
        if other >= 0:
            high, k = x, other
        else:
            low = x
    near = max(WITHIN * (b - high), NARROW)
    guards_between(run, t, h, max(high - near, 0.0))
    before = run.g1[k]
    guards_between(run, t, h, high + near)
    run.theta, run.slope = high, (run.g1[k] - before) / (2.0 * near * h)
    return k


def dipped(run, t, h, a, i):
    """The first that has touched zero between two looks and come back, or none."""
    b, found, first = run.look[i], NONE, 2.0
    for k in range(run.ng):
        if run.dips[k] < 0.0:
            x = touched(run, t, h, a, b, k)
            if x < first:
                found, first = k, x
    if found < 0:
        guards_looked(run, t, h, i)
        return NONE
    return entered(run, t, h, a, first, found)

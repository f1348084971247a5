"""Guards behind which nothing is valid: they touch zero and come back, and none may be missed.

Theory: EV.8.
"""

from __future__ import annotations

from .looks import crossing, guards, guards_between, guards_looked, narrowed
from .record import ENDING, NONE

GOLDEN = 0.3819660112501051  # part of a bracket at which a least value is looked for
DIPS = 40  # turns of that
UPRIGHT = 0.9  # of these guards, whose unit is 1: from there on an error may be noise
AFAR = 0.5  # from there on a step is not looked into


def leans(run):
    """How many are not far off: there an error is no noise."""
    count = 0
    for k in range(run.ng):
        near = run.kinds[k] == ENDING and run.g0[k] > 0.0 and run.g0[k] < UPRIGHT
        count += 1 if near else 0
    return count


def all_far(run, t, h):
    """Whether there are no guards but these, all far off at both ends of the step."""
    if run.ends < run.ng or guards(run, t + h, run.new, run.g1) != 0:
        return False
    least = 1.0
    for k in range(run.ng):
        run.slopes[k] = (run.g1[k] - run.g0[k]) / h
        least = min(least, min(run.g0[k], run.g1[k]))
    return least > AFAR


def take_slopes(run):
    """Values and slopes at the start of a step."""
    for k in range(run.ng):
        run.looked[k], run.slopes[k] = run.g0[k], run.fall[k]


def dipped(run, t, h, a, i):
    """The one that has touched zero between two looks and come back, or none.

    Suspect is one that was to be below zero by its slope; then its least value is sought.
    """
    b, found = run.look[i], NONE
    for k in range(run.ng):
        was, now = run.looked[k], run.g1[k]
        if run.kinds[k] == ENDING:
            if was > 0.0 and was + run.slopes[k] * (b - a) * h < 0.0:
                found = k
            run.slopes[k] = (now - was) / ((b - a) * h)
            run.looked[k] = now
    if found < 0:
        return NONE
    low, high, turns = a, b, 0
    x = low + GOLDEN * (high - low)
    guards_between(run, t, h, x)
    least = run.g1[found]
    while turns < DIPS and least > 0.0:
        turns += 1
        y = low + high - x
        guards_between(run, t, h, y)
        g = run.g1[found]
        if g < least:
            if y > x:
                low = x
            else:
                high = x
            x, least = y, g
        elif y > x:
            high = y
        else:
            low = y
    if least > 0.0:
        guards_looked(run, t, h, i)
        return NONE
    guards_between(run, t, h, x)
    crossing(run)
    return narrowed(run, t, h, a, x, found)

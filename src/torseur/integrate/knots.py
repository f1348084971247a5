"""Guards that stand on their zero wait there, and where the motion goes decides.

A guard of a law with pieces is zero on a knot.  Whether the motion goes on or back is not read from
a state located to rounding: the guard waits, from the value in `waits_from`, until the motion has
left.  Theory: EV.5 and EV.6.
"""

from __future__ import annotations

from .record import NONE, WATCHING

ON_KNOT = 1e-13  # a guard this near to zero is on its knot
BEHIND = 3e-12  # and one whose fall acts, this little below zero: a start on a rigid stop
ARMED = 1.0  # in `waits_from`: the guard does not wait


def wait(run, j, value):
    """Let guard j wait on its knot."""
    run.g0[j] = 0.0
    run.waits_from[j] = min(value, 0.0)
    run.waiting += 1


def arm(run, j, value):
    """Guard j has a new value: it is armed, off, or waits on its knot."""
    run.g0[j] = value
    run.waits_from[j] = ARMED
    below = BEHIND if run.waits[j] == 2 else ON_KNOT
    if run.waits[j] != 0 and value <= ON_KNOT and value >= -below:
        wait(run, j, value)


def set_down(run):
    """Remember which guards are armed as the step begins."""
    for j in range(run.ng):
        run.before[j] = run.g0[j]


def take_up(run):
    """Guards armed as when the step began."""
    for j in range(run.ng):
        run.g0[j] = run.before[j]


def left(run):
    """First waiting guard whose knot the motion leaves to the other side (g1), or none."""
    least = 0.0
    for j in range(run.ng):
        away = run.g1[j] - run.waits_from[j]
        least = min(least, away if run.waits_from[j] <= 0.0 else 0.0)
    if least >= -ON_KNOT:
        return NONE
    for j in range(run.ng):
        if run.waits_from[j] <= 0.0 and run.g1[j] < run.waits_from[j] - ON_KNOT:  # EV.5
            return j
    return NONE


def watch(run):
    """Arm waiting guards whose side the motion has left to (g1): from there on, not before."""
    most = 0.0
    for j in range(run.ng):
        most = max(most, run.g1[j] if run.waits_from[j] <= 0.0 else 0.0)
    if most <= ON_KNOT:
        return
    for j in range(run.ng):
        away = run.waits_from[j] <= 0.0 and run.g1[j] > ON_KNOT
        run.g0[j] = run.g1[j] if away else run.g0[j]
        run.waits_from[j] = ARMED if away else run.waits_from[j]
        run.waiting -= 1 if away else 0


def turned(run, j):
    """Whether guard j of a law that did not fire itself has fallen because speeds jumped."""
    return run.waits[j] != 0 and fallen(run, j)


def leapt(run, j):
    """Whether guard j of a row that did not fire itself has fallen because a force leapt."""
    return run.waits[j] == 0 and run.kinds[j] != WATCHING and fallen(run, j)


def fallen(run, j):
    """Whether guard j was positive before the event and is below zero after it, untouched."""
    if not (run.g0[j] > 0.0 and run.kept[j] > 0.0 and run.g1[j] < -ON_KNOT):
        return False
    same = 0.0
    for i in range(run.ng):
        if run.owner[i] == run.owner[j]:
            same += run.acted[i]
    return same == 0.0


def rearm(run, k):
    """Arm every guard after the jump of guard k: values before it in `kept`, after it in g1."""
    run.waiting = 0
    for j in range(run.ng):
        value, same, fell = run.g1[j], run.g1[j] == run.kept[j], j == k or not run.kept[j] > 0.0
        if same and (fell or run.acted[j] > 0.0):
            if run.acted[j] == 0.0 and run.waits[j] != 0 and abs(value) <= ON_KNOT:
                wait(run, j, value)
            else:  # not armed until it is positive again
                run.g0[j] = 0.0
                run.waits_from[j] = ARMED
        elif run.waits[j] != 0 and not value > 0.0 and not same:
            wait(run, j, value)  # on a knot located to rounding
        else:
            arm(run, j, value)

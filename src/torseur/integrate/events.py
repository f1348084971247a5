"""Events within a step: guards are watched, located, and act.

Theory: EV.1 to EV.6.
"""

from __future__ import annotations

from ..compiler import intrinsic
from .explicit import copy
from .knots import ARMED, left, rearm, set_down, take_up, turned
from .record import BROKEN, EPS, LEAVES, NONE, STOPPING, WATCHING
from .steps import between, step

call = intrinsic

SAMPLES = (0.015625, 0.0625, 0.25, 0.5, 0.75, 1.0)  # of a step, where guards are looked at
NARROW = 1e-10  # of a step: bisection ends, steps of the method itself go on
NEAR = 1e-4  # of a step, on both sides of an event: where the slope of its guard is taken
REFINED = 10  # steps of the secant rule at most
EARLY = 15  # halvings of the first of SAMPLES, looked at too while a guard waits on its knot
MOST_SETTLED = 64  # changes of pieces at one instant


def guards(run, t, state, into):
    """Guards at time t and a state."""
    run.time[0] = t
    copy(run, state, run.seen)
    run.outputs[0] = into
    return call(run.guards, run.inputs, run.outputs)


def keep(run, t, state):
    """Keep one row."""
    r = run.row
    run.row_t[r] = t
    copy(run, state, run.row_y[r])
    m, to = run.m, run.row_m[r]
    for j in range(run.nm):
        to[j] = m[j]
    u, to = run.u, run.row_u[r]
    for j in range(run.nu):
        to[j] = u[j]
    run.row = r + 1


def crossing(run):
    """First guard that was positive (g0) and is not any more (g1), or none."""
    for k in range(run.ng):
        if run.g0[k] > 0.0 and not run.g1[k] > 0.0:
            return k
    return NONE


def guards_between(run, t, h, theta):
    """Guards at a part of the step, by interpolation; its end as computed."""
    if theta >= 1.0:
        return guards(run, t + h, run.new, run.g1)
    between(run, h, theta, run.other)
    return guards(run, t + theta * h, run.other, run.g1)


def bisected(run, t, h, a, b, k):
    """First guard that falls between two parts of the step, k at the latest; where in `theta`."""
    while b - a > NARROW:
        mid = 0.5 * (a + b)
        guards_between(run, t, h, mid)
        other = crossing(run)  # EV.1
        if other >= 0:
            b, k = mid, other
        else:
            a = mid
    run.theta = b
    return k


def first_event(run, t, h):
    """Guard of the first event of the step by interpolation, its place in `theta`.

    Answers LEAVES - k when the motion leaves the knot on which guard k waited.
    """
    set_down(run)
    a = 0.0
    for i in range(-EARLY if run.waiting > 0 else 0, 6):
        b = SAMPLES[max(i, 0)]
        if i < 0:
            b = b * 0.5 ** (-i)
        if guards_between(run, t, h, b) != 0:
            return BROKEN
        k = left(run)
        if k >= 0:
            return LEAVES - k
        k = crossing(run)
        if k >= 0:
            return bisected(run, t, h, a, b, k)
        for j in range(run.ng):  # a guard may arm itself within the step
            if run.g1[j] > 0.0 and run.waits_from[j] > 0.0:
                run.g0[j] = run.g1[j]
        a = b
    return NONE


def guard_after(run, t, x, k):
    """Guard k after a step of length x."""
    if step(run, t, x) != 0:
        return 0.0
    guards(run, t + x, run.new, run.g1)
    return run.g1[k]


def guard_slope(run, t, h, theta, k):
    """Slope of guard k by interpolation, over a little of the step."""
    lo, hi = max(theta - NEAR, 0.0), min(theta + NEAR, 1.0)
    between(run, h, lo, run.other)
    guards(run, t + lo * h, run.other, run.g1)
    before = run.g1[k]
    between(run, h, hi, run.other)
    guards(run, t + hi * h, run.other, run.g1)
    return (run.g1[k] - before) / ((hi - lo) * h)


def root(run, t, h, theta, k):
    """Step length at which guard k vanishes, by steps of the method itself."""
    slope, x = guard_slope(run, t, h, theta, k), theta * h
    g = guard_after(run, t, x, k)
    for _ in range(REFINED):
        if g == 0.0 or slope == 0.0:
            return x
        dx = -g / slope  # EV.2
        if not abs(dx) < NEAR * h or x + dx <= 0.0:  # farther: the guard leaps, and stays there
            return x
        if abs(dx) <= 2.0 * EPS * max(abs(t), abs(h)):
            return x
        new = guard_after(run, t, x + dx, k)
        if not abs(new) < abs(g):
            return x
        slope = (new - g) / dx
        x, g = x + dx, new
    return x


def gather(run):
    """Rows of every list around the number in memory."""
    at = 0
    for i in range(run.lists):
        width, here = run.list_width[i], int(run.m[run.list_place[i]] + 0.5)
        for j in range(here - 1, here + 2):
            row = run.list_start[i] + width * min(max(j, 0), run.list_rows[i] - 1)
            for c in range(width):
                run.gathered[at] = run.listed[row + c]
                at += 1


def leap(run, t, k):
    """Apply the jump of guard k to the state and the memory."""
    gather(run)
    nq, nv, n, y, x, m = run.nq, run.nv, run.n, run.y, run.other, run.m
    copy(run, y, run.seen)
    run.time[0] = t
    run.extra[0] = k
    run.outputs[0] = x
    run.outputs[1] = x[nv:]
    run.outputs[2] = x[nv + run.nz :]
    status = call(run.jump, run.inputs, run.outputs)
    for j in range(n - nq):
        y[nq + j] = x[j]
    for j in range(run.nm):
        m[j] = x[n - nq + j]
    return status


def log(run, t, k):
    """Write an event down."""
    e = run.events
    if e < run.logged:
        run.when[e] = t
        run.which[e] = k
    run.events = e + 1


def happen(run, t, k):
    """Let guard k act, and every guard that fell with it; answer a stopping one, if any."""
    g0, kept, stop, done = run.g0, run.kept, NONE, False
    for j in range(run.ng):
        run.acted[j] = 0.0
    keep(run, t, run.y)
    if guards(run, t, run.y, kept) != 0:
        return BROKEN
    for i in range(run.ng + 1):
        j = k if i == 0 else i - 1
        if i > 0 and (j == k or not (g0[j] > 0.0 and not kept[j] > 0.0)):  # EV.3
            continue
        log(run, t, j)
        if run.kinds[j] == STOPPING:
            stop = j
        if run.kinds[j] != WATCHING:
            if leap(run, t, j) != 0:
                return BROKEN
            run.acted[j] = 1.0
            done = True
    if guards(run, t, run.y, run.g1) != 0:
        return BROKEN
    for j in range(run.ng):
        if turned(run, j):  # EV.6
            if leap(run, t, j) != 0 or guards(run, t, run.y, run.g1) != 0:
                return BROKEN
            run.acted[j] = 1.0
    rearm(run, k)
    if done:
        keep(run, t, run.y)
    return stop


def settle(run, t, k):
    """Move the law of guard k, which waited on a knot, to the piece that the motion leaves to.

    Answers as `happen`; it is an event only where the guard asks for that.
    """
    take_up(run)
    run.settled += 1
    if run.settled > MOST_SETTLED:  # every piece pushes back to the knot
        run.waiting = 0
        for j in range(run.ng):
            run.waits_from[j] = ARMED
        return NONE
    if run.waits[k] == 2 or run.kinds[k] == STOPPING:
        return happen(run, t, k)
    if guards(run, t, run.y, run.kept) != 0 or leap(run, t, k) != 0:
        return BROKEN
    if guards(run, t, run.y, run.g1) != 0:
        return BROKEN
    for j in range(run.ng):
        run.acted[j] = 0.0
        if j != k and run.g1[j] == run.kept[j] and run.waits_from[j] > 0.0:
            run.kept[j] = run.g0[j]  # stays as it was, armed or not
            run.g1[j] = run.g0[j]
    run.acted[k] = 1.0
    rearm(run, k)
    if run.row > 0 and run.row_t[run.row - 1] == t:
        run.row -= 1
        keep(run, t, run.y)
    return NONE

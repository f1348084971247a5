"""Events within a step: guards are watched, located, and act.

Theory: EV.2 to EV.7.
"""

from __future__ import annotations

from ..compiler import intrinsic
from .dips import DIPS, FELL, dipped, looked_at, take_slopes
from .explicit import copy, project, transfer
from .knots import ARMED, ON_KNOT, leapt, left, rearm, set_down, take_up, turned, watch
from .looks import SMOOTH, crossing, guards, guards_looked, guards_seen, keep, narrowed
from .record import BROKEN, ENDING, EPS, EXPLICIT, LEAVES, NONE, STOPPING, WATCHING
from .steps import between

call = intrinsic

NEAR = 1e-4  # of a step, on both sides of an event: where the slope of its guard is taken
WELL = 1e-4  # of the relative tolerance, of a step: an event is located
REFINED = 10  # steps of the secant rule at most
WITH = 2.0  # times what is left of a guard at its event: another that acts falls with it
FOUND = -1  # in `seeking`: the step tried is the one
EARLY = 15  # first of `LOOKS`, for steps in which a guard waits on its knot
LOOKS = (*(2.0 ** (k - 21) for k in range(EARLY)), 0.015625, 0.35, 0.7, 1.0)
"""Parts of a step at which guards are looked at."""
MOST_SETTLED = 64  # changes of pieces at one instant


def armed_anew(run):
    """Guards that have become positive (g1) are armed (g0), and the others as they now are.

    A guard may arm itself within the step; one that waits is not asked.
    """
    for j in range(run.ng):
        old, new = run.g0[j], run.g1[j]
        run.g0[j] = new if new > 0.0 and run.waits_from[j] > 0.0 else old


def first_event(run, t, h):
    """Guard of the first event of the step by interpolation, its place in `theta`.

    Answers LEAVES - k when the motion leaves the knot on which guard k waited.
    """
    set_down(run)
    a, before = 0.0, 0.0
    take_slopes(run)
    for i in range(run.looks):
        if i < EARLY and (run.waiting == 0 or run.adaptive == 0):
            continue
        if guards_looked(run, t, h, i) != 0:
            return BROKEN
        seen = looked_at(run, (run.look[i] - before) * h)
        k = crossing(run) if seen == FELL else NONE
        ends = i == run.looks - 1
        if run.waiting > 0 and (run.adaptive == 1 or ends or k >= 0):  # EV.4
            waits = left(run)
            if waits >= 0:
                return LEAVES - waits
        if k >= 0:
            return narrowed(run, t, h, a, run.look[i], k)
        if seen == DIPS:
            k = dipped(run, t, h, before, i)
            if k >= 0:
                return k
        before = run.look[i]
        if run.waiting > 0 and (run.adaptive == 1 or ends):
            watch(run)
        if run.risen > 0.0 and not ends:
            armed_anew(run)
            a = run.look[i]
    return NONE


def guard_slope(run, t, h, theta, k):
    """Slope of guard k by interpolation, over a little of the step."""
    lo, hi = max(theta - NEAR, 0.0), min(theta + NEAR, 1.0)
    between(run, h, lo, run.other)
    guards(run, t + lo * h, run.other, run.g1)
    before = run.g1[k]
    between(run, h, hi, run.other)
    guards(run, t + hi * h, run.other, run.g1)
    return (run.g1[k] - before) / ((hi - lo) * h)


def seek(run, t, h, k):
    """Begin to seek the step at whose end guard k vanishes, by steps of the method itself."""
    if run.slope == 0.0:
        run.slope = guard_slope(run, t, h, run.theta, k)
    if run.adaptive == 0 and run.split == 0:  # EV.4
        run.split, run.due = 1, run.stop if run.last == 1 else t + h
    run.seeking, run.fired, run.last = REFINED + 1, k, 0
    run.sought, run.sought_g, run.sought_in = 0.0, 0.0, h
    run.tried = run.theta * h


def sought(run, t, k):
    """After a step to where guard k may vanish: 1 when that is the event, 0 to try `tried`."""
    x, g = run.tried, 0.0
    if run.seeking == FOUND:
        return 1
    if guards(run, t + x, run.new, run.g1) == 0:
        g = run.g1[k]
    if run.seeking <= REFINED:  # not the first
        if not abs(g) < abs(run.sought_g):
            run.tried, run.seeking = run.sought, FOUND
            return 0
        run.slope = (g - run.sought_g) / (x - run.sought)
    run.seeking -= 1
    if g == 0.0 or run.slope == 0.0 or run.seeking == 0:
        return 1
    dx, h, far = -g / run.slope, run.sought_in, NEAR  # EV.2
    if run.adaptive == 0:  # what a long step interpolates is rough: the step itself may be sought
        dx, far = min(dx, h - x), 1.0
    if not abs(dx) < far * h or x + dx <= 0.0:  # farther: the guard leaps, and stays there
        return 1
    if abs(dx) <= max(2.0 * EPS * max(abs(t), abs(h)), WELL * run.rtol * h):
        return 1
    if slide(run, t + x, k, g, dx) == 0:
        return 1
    run.sought, run.sought_g = x, g
    run.tried = x + dx
    return 0


def slide(run, t, k, g, dx):
    """Move the new state of time t along its rates to where guard k vanishes; 0 when it is there.

    About dx away, so little that what is of second order in it is below the tolerance.
    """
    far = dx * dx > WELL * run.rtol * run.sought_in * run.sought_in
    if far or run.family != EXPLICIT or run.adaptive == 0:
        return 1
    f, new = run.stage[run.stages - 1], run.new
    for j in range(run.watched):
        run.seen[j] = new[j] + dx * f[j]
    if guards_seen(run, t + dx, run.g1) != 0:
        return 1
    left = run.g1[k]
    if not abs(left) < SMOOTH * abs(g):  # no smooth zero
        return 1
    dx = dx - left * dx / (left - g)  # EV.2
    for j in range(run.n):
        new[j] = new[j] + dx * f[j]
    status = project(run, t + dx, new)
    if status == 0:
        run.slid = dx
    return status


def gather(run):
    """Rows of every list around the number in memory."""
    at = 0
    for i in range(run.lists):
        width, here = run.list_width[i], int(run.m[run.list_place[i]] + 0.5)
        for j in range(3):
            near = min(max(here - 1 + j, 0), run.list_rows[i] - 1)
            transfer(run.listed[run.list_start[i] + width * near :], run.gathered[at:], width)
            at += width


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
    run.stale = 1
    return status


def log(run, t, k):
    """Write an event down."""
    run.when[run.logs] = t
    run.which[run.logs] = k
    run.logs += 1
    run.events += 1


def fire(run, t, k):
    """Write guard k down and let it act; answer it if it stops the run."""
    log(run, t, k)
    if run.kinds[k] != WATCHING:
        if leap(run, t, k) != 0:
            return BROKEN
        run.acted[k] = 1.0
    return k if run.kinds[k] == STOPPING or run.kinds[k] == ENDING else NONE


def follow(run, t):
    """Let guards act that fell because of what others did at this event; answer as `fire`."""
    stop, least = NONE, 0.0
    if guards(run, t, run.y, run.g1) != 0:
        return BROKEN
    for j in range(run.ng):
        held = run.g0[j] > 0.0 and run.kept[j] > 0.0
        least = min(least, run.g1[j] if held else 0.0)
    if least >= -ON_KNOT:  # as nearly always
        return stop
    some = 1.0
    while some > 0.0:  # what acts last may let those before it fall; each owner acts once
        some = 0.0
        for j in range(run.ng):
            other = NONE
            if turned(run, j):  # EV.6
                if leap(run, t, j) != 0:
                    return BROKEN
                run.acted[j] = 1.0
            elif leapt(run, j):  # EV.7
                other = fire(run, t, j)
                run.acted[j] = 1.0
            else:
                continue
            some = 1.0
            if other == BROKEN or guards(run, t, run.y, run.g1) != 0:
                return BROKEN
            if other >= 0:
                stop = other
    return stop


def happen(run, t, k):
    """Let guard k act, and every guard that fell with it; answer a stopping one, if any.

    In their order, which is the law's: a curve that ends where the motion turns is left before it.
    """
    g0, kept, done, stop = run.g0, run.kept, 0.0, NONE
    for j in range(run.ng):
        run.acted[j] = 0.0
    keep(run, t, run.y)
    if guards(run, t, run.y, kept) != 0:
        return BROKEN
    near = max(WITH * kept[k], ON_KNOT)  # the event is located to its tolerance, no better
    for j in range(run.ng):
        most = 0.0 if run.kinds[j] == WATCHING or not kept[j] < g0[j] else near
        if j == k or (g0[j] > 0.0 and not kept[j] > most):  # EV.3
            other = fire(run, t, j)
            if other == BROKEN:
                return BROKEN
            if other >= 0:
                stop = other
    for j in range(run.ng):
        done += run.acted[j]
    other = follow(run, t)
    if other == BROKEN:
        return BROKEN
    if other >= 0:
        stop = other
    rearm(run, k)
    if done > 0.0:
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

"""Many runs of one model side by side in SIMD lanes, native between rows or from end to end.

Fixed steps keep all lanes at one time.  Adaptive ones do not: each lane has its own time, step and
run, and takes the next run of the queue when its own is over, so that no lane waits for another.
Step control, error norm and interpolation are those of `control`, as for single runs.
"""

from __future__ import annotations

import threading

from ..compiler import intrinsic, native as compiled
from . import control, record
from .control import (
    HOPELESS,
    LEAST_KEPT,
    TINY,
    VANISHED,
    combine,
    fitted,
    grow,
    interpolate,
    norm,
    reaches,
    shrink,
    strict,
    unit,
)
from .record import NOT_FINITE, REACHED, TOO_LONG, TOO_SMALL, Lanes

call_lanes = intrinsic

RK4, EULER, SEMI = 0, 1, 2  # methods of a fixed step


def units(run, y):
    """Quaternions of every lane brought back to length one."""
    for j in range(run.width):
        unit(run, y, j, run.width)


# ---- fixed steps -----------------------------------------------------------------------------


def rates(run, t, scale):
    """Rates at time t and the state y + scale k, into k."""
    x, y, k = run.inputs[1], run.y[0], run.stage[0]
    for j in range(run.width):
        run.inputs[0, j] = t
    for e in range(run.size):
        x[e] = y[e] + scale * k[e]
    call_lanes(run.kernel, run.inputs[0], k)


def rk4(run, t, h):
    """A step of the classical method of order four."""
    y, k, total = run.y[0], run.stage[0], run.other[0]
    for e in range(run.size):
        total[e] = k[e]
    for _ in range(2):
        rates(run, t + 0.5 * h, 0.5 * h)
        for e in range(run.size):
            total[e] = total[e] + 2.0 * k[e]
    rates(run, t + h, h)
    for e in range(run.size):
        y[e] = y[e] + (h / 6.0) * (total[e] + k[e])


def semi_implicit(run, t, h):
    """A step of symplectic Euler: new speeds first, and the coordinates move with them."""
    y, k, first = run.y[0], run.stage[0], run.nq * run.width
    for e in range(first, run.size):
        y[e] = y[e] + h * k[e]
    rates(run, t, 0.0)
    for e in range(first):
        y[e] = y[e] + h * k[e]


def lane_advance(run: Lanes, t, h, first, steps, method):
    """Some steps of RK4, Euler or semi-implicit Euler, all lanes at one time: from the one that
    begins `first` steps after t, so that calls of any length take the same ones."""
    y, k = run.y[0], run.stage[0]
    for s in range(first, first + steps):
        now = t + s * h
        rates(run, now, 0.0)
        if method == RK4:
            rk4(run, now, h)
        elif method == EULER:
            for e in range(run.size):
                y[e] = y[e] + h * k[e]
        else:
            semi_implicit(run, now, h)
        units(run, y)


# ---- steps of each run's own -----------------------------------------------------------------


def take(run, j):
    """Give lane j the next run of the queue, if there is one."""
    i = run.first
    run.fresh = 0
    if i >= run.end:
        run.run[j] = -1
        run.h[j] = 0.0  # goes on standing where it is, a valid state
        return
    run.first += 1
    run.busy += 1
    run.run[j] = i
    for e in range(run.n):
        run.y[e, j] = run.starts[i, e]
    for e in range(run.np):
        run.inputs[run.slots - run.np + e, j] = run.parameters[i, e]
    run.t[j] = run.times[0]
    run.h[j] = run.steps[i]
    run.err[j] = LEAST_KEPT
    run.refused[j] = 0
    run.grid[j] = 0
    run.tried[j] = 0
    keep(run, j, run.y[0])


def over(run, j, status):
    """The run of lane j is over; the next one."""
    run.status[run.run[j]] = status
    run.busy -= 1
    take(run, j)


def keep(run, j, state):
    """The next row of lane j's run, from a state of all lanes."""
    row = run.out[run.wanted * run.run[j] + run.grid[j]]
    for e in range(run.shown):
        row[e] = state[e * run.width + j]
    run.grid[j] += 1


def stage(run, i):
    """Stage i of an explicit method for all lanes; the state it is taken at stays in the inputs."""
    x, y, total, hs = run.inputs[1], run.y[0], run.other[0], run.hs[0]
    combine(total, run.stage, run.A[i], i, run.size)
    for e in range(run.size):
        x[e] = y[e] + hs[e] * total[e]  # IN.2
    for j in range(run.width):
        run.inputs[0, j] = run.t[j] + run.C[i] * run.h[j]
    run.calls += 1
    call_lanes(run.kernel, run.inputs[0], run.stage[i])


def lane_rows(run, j, whole):
    """Rows of lane j that its accepted step passes; answers whether all stages are there now."""
    t, h = run.t[j], run.h[j]
    while run.grid[j] < run.wanted and run.times[run.grid[j]] <= t + h:
        theta = (run.times[run.grid[j]] - t) / h
        if theta >= 1.0:
            keep(run, j, run.new[0])
            continue
        if whole == 0:
            for i in range(run.stages, run.rows):
                stage(run, i)
            whole = 1
        interpolate(run, run.y[0], run.other[0], h, theta, j, run.width)
        unit(run, run.other[0], j, run.width)
        keep(run, j, run.other[0])
    return whole


def begin(run):
    """Rates at the start of a step of every lane, where a lane has just begun a run."""
    if run.fresh == 1:
        return
    x, y = run.inputs[1], run.y[0]
    for e in range(run.size):
        x[e] = y[e]
    for j in range(run.width):
        run.inputs[0, j] = run.t[j]
    run.calls += 1
    call_lanes(run.kernel, run.inputs[0], run.stage[0])
    run.fresh = 1


def attempt(run):
    """One step of every lane, from its state to a new one."""
    stop = run.times[run.wanted - 1]
    for j in range(run.width):
        if run.run[j] >= 0:
            run.h[j] = fitted(run.t[j], min(run.h[j], run.h_max), stop)
        for e in range(run.n):
            run.hs[e, j] = run.h[j]
    for i in range(1, run.stages):
        stage(run, i)
    x, new = run.inputs[1], run.new[0]
    for e in range(run.size):
        new[e] = x[e]
    units(run, new)


def refuse(run, j, err):
    """Lane j tries again with a shorter step, or gives its run up."""
    run.h[j] = run.h[j] * shrink(err, run.exponent)
    run.refused[j] = 1
    if not run.h[j] > VANISHED * max(abs(run.t[j]), TINY):
        over(run, j, TOO_SMALL if err < HOPELESS else NOT_FINITE)


def commit(run, j, err):
    """The new state of lane j is its present one."""
    if reaches(run.t[j], run.h[j], run.times[run.wanted - 1]):
        over(run, j, REACHED)
        return
    grown = grow(err, run.err[j], run.refused[j], run.exponent, run.smoothing)
    run.err[j] = max(err, LEAST_KEPT)
    run.refused[j] = 0
    run.t[j] = run.t[j] + run.h[j]
    run.h[j] = run.h[j] * grown
    f0, f1 = run.stage[0], run.stage[run.stages - 1]
    for e in range(run.n):
        run.y[e, j] = run.new[e, j]
        f0[e * run.width + j] = f1[e * run.width + j]


def lane_begin(run: Lanes):
    """Every lane takes its first run of the queue."""
    run.busy = 0
    for j in range(run.width):
        take(run, j)


def lane_adaptive(run: Lanes, budget):
    """Runs of the queue, from the first wanted time to the last; answers lanes still at work."""
    while run.busy > 0 and budget > 0:
        budget -= 1
        begin(run)
        attempt(run)
        whole = 0
        for j in range(run.width):
            if run.run[j] < 0:
                continue
            err = norm(run, run.y[0], run.new[0], run.h[j], j, run.width)
            err = strict(run, err, run.tried[j])
            if not err <= 1.0:
                refuse(run, j, err)
                continue
            whole = lane_rows(run, j, whole)
            commit(run, j, err)
        for j in range(run.width):
            run.tried[j] += 1
            if run.run[j] >= 0 and run.tried[j] > run.most_steps:
                over(run, j, TOO_LONG)
    return run.busy


_READY: list = []
_LOCK = threading.RLock()


def ready():
    """The compiled `lane_advance`, `lane_begin` and `lane_adaptive`."""
    with _LOCK:
        if not _READY:
            outer = {"lane_advance": "iffiii->", "lane_begin": "i->", "lane_adaptive": "ii->i"}
            _READY.append(compiled((vars(record), vars(control), globals()), outer))
        return _READY[0]

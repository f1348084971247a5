"""Many runs of one model side by side in SIMD lanes, native between rows or from end to end.

Lane j of number k is at `k * lanes + j`, as the kernels for lanes read and write.  Fixed steps keep
all lanes at one time.  Adaptive ones do not: each lane has its own time, step and run, and takes
the next run of the queue when its own is over, so that no lane waits for another.
Theory: IN.2, IN.6 to IN.9, as in `native`.
"""

from __future__ import annotations

import threading

from ..compiler import intrinsic, native as compiled
from . import control
from .control import HOPELESS, LEAST_KEPT, NEARLY, TINY, grow, shrink

EPS = 2.220446049250313e-16
# sizes; kernel; its inputs; state, rates, sums; where quaternions start
(L, N, NQ, NV, NQUAT, KERNEL, IN, Y, K, ACC, QUATS) = range(11)
SIZE = 11
# adaptive, further words.  method: tables, sizes; all but books; tolerances
(
    A_,
    C_,
    E_,
    P_,
    STAGES,
    ROWS,
    DEGREE,
    TWO,
    NE,
    ATOL,
    FLOOR,
    # lanes: time, step, last error, run, next row wanted, all per lane; steps for every number
    T,
    H,
    ERR,
    RUN,
    GRID,
    HB,
    # what is between: new state, interpolated state
    YN,
    YT,
    # runs: first, end, initial states, parameters and where they go, first steps, answers, outputs
    FIRST,
    LAST,
    STARTS,
    NPAR,
    PARS,
    PAR_AT,
    STEPS,
    STATUS,
    OUT,
    NOUT,
    # wanted times, how many; numbers: tolerance, exponent, smoothing, longest step; counters
    TIMES,
    WANTED,
    NUM,
    CALLS,
) = range(SIZE, SIZE + 33)
ADAPTIVE_SIZE = SIZE + 33
DONE, TOO_SMALL, NOT_FINITE = 0, 1, 2

call_lanes = doubles = longs = intrinsic


def lane_rates(S, t, scale):
    """Rates at time t and state Y + scale K, into K."""
    width, n = S[L], S[N]
    x, y, k = doubles(S[IN]), doubles(S[Y]), doubles(S[K])
    for j in range(width):
        x[j] = t
    for i in range(n * width):
        x[width + i] = y[i] + scale * k[i]
    call_lanes(S[KERNEL], S[IN], S[K])


def unit(S, state):
    """Quaternions of every lane brought back to length one."""
    width, y, quats = S[L], doubles(state), longs(S[QUATS])
    for q in range(S[NQUAT]):
        for j in range(width):
            total = 0.0
            for c in range(4):
                x = y[(quats[q] + c) * width + j]
                total += x * x
            total = 1.0 / total**0.5
            for c in range(4):
                y[(quats[q] + c) * width + j] = y[(quats[q] + c) * width + j] * total


def lane_advance(table, t, h, steps, method):
    """Some steps of RK4 (method 0), Euler (1) or semi-implicit Euler (2)."""
    S = longs(table)
    size, width = S[N] * S[L], S[L]
    y, k, acc = doubles(S[Y]), doubles(S[K]), doubles(S[ACC])
    for s in range(steps):
        now = t + s * h
        lane_rates(S, now, 0.0)
        if method == 0:
            for i in range(size):
                acc[i] = k[i]
            lane_rates(S, now + 0.5 * h, 0.5 * h)
            for i in range(size):
                acc[i] = acc[i] + 2.0 * k[i]
            lane_rates(S, now + 0.5 * h, 0.5 * h)
            for i in range(size):
                acc[i] = acc[i] + 2.0 * k[i]
            lane_rates(S, now + h, h)
            for i in range(size):
                y[i] = y[i] + (h / 6.0) * (acc[i] + k[i])
        elif method == 1:
            for i in range(size):
                y[i] = y[i] + h * k[i]
        else:
            first = S[NQ] * width
            for i in range(first, size):
                y[i] = y[i] + h * k[i]
            lane_rates(S, now, 0.0)
            for i in range(first):
                y[i] = y[i] + h * k[i]
        unit(S, S[Y])


# ---- adaptive --------------------------------------------------------------------------------


def take(S, j):
    """Give lane j the next run of the queue; answers 0 when there is none."""
    width, n = S[L], S[N]
    run = S[FIRST]
    runs, grid = longs(S[RUN]), longs(S[GRID])
    t, h, err = doubles(S[T]), doubles(S[H]), doubles(S[ERR])
    if run >= S[LAST]:
        runs[j] = -1
        h[j] = 0.0  # goes on standing where it is, a valid state
        return 0
    S[FIRST] = run + 1
    runs[j] = run
    y, x = doubles(S[Y]), doubles(S[STARTS] + 8 * n * run)
    for i in range(n):
        y[i * width + j] = x[i]
    tail, p = doubles(S[IN]), doubles(S[PARS] + 8 * S[NPAR] * run)
    for i in range(S[NPAR]):
        tail[(S[PAR_AT] + i) * width + j] = p[i]
    t[j] = doubles(S[TIMES])[0]
    h[j] = doubles(S[STEPS])[run]
    err[j] = LEAST_KEPT
    grid[j] = 0
    keep(S, j, S[Y])
    return 1


def keep(S, j, state):
    """The next row of lane j's run, from a state of all lanes."""
    width, out = S[L], S[NOUT]
    grid, y = longs(S[GRID]), doubles(state)
    row = doubles(S[OUT] + 8 * out * (S[WANTED] * longs(S[RUN])[j] + grid[j]))
    for i in range(out):
        row[i] = y[i * width + j]
    grid[j] = grid[j] + 1


def lane_stage(S, i):
    """Stage i of an explicit method for all lanes; the state it is taken at stays in IN."""
    width, size = S[L], S[N] * S[L]
    x, y, acc, hb = doubles(S[IN]), doubles(S[Y]), doubles(S[ACC]), doubles(S[HB])
    t, h, c = doubles(S[T]), doubles(S[H]), doubles(S[C_])[i]
    A = doubles(S[A_] + 8 * S[ROWS] * i)
    for e in range(size):
        acc[e] = 0.0
    for k in range(i):
        a = A[k]
        if a != 0.0:
            row = doubles(S[K] + 8 * size * k)
            for e in range(size):
                acc[e] = acc[e] + a * row[e]
    for e in range(size):
        x[width + e] = y[e] + hb[e] * acc[e]  # IN.2
    for j in range(width):
        x[j] = t[j] + c * h[j]
    S[CALLS] = S[CALLS] + 1
    call_lanes(S[KERNEL], S[IN], S[K] + 8 * size * i)


def lane_error(S, j):
    """The error norm of lane j over its tolerance."""
    width, n, size = S[L], S[N], S[N] * S[L]
    y, yn, K_, E = doubles(S[Y]), doubles(S[YN]), doubles(S[K]), doubles(S[E_])
    atol, floor, rtol = doubles(S[ATOL]), doubles(S[FLOOR]), doubles(S[NUM])[0]
    h, first, second = doubles(S[H])[j], 0.0, 0.0
    if S[NE] == 0:
        return 0.0
    for e in range(n):
        a, b, at = 0.0, 0.0, e * width + j
        for i in range(S[STAGES]):
            x = K_[i * size + at]
            a += E[i] * x
            b += E[S[ROWS] + i] * x
        scale = atol[e] + rtol * max(max(abs(y[at]), abs(yn[at])), floor[e])
        a, b = a / scale, b / scale
        first += a * a
        second += b * b
    if S[TWO] == 0:
        return h * (first / S[NE]) ** 0.5  # IN.6
    if first == 0.0:
        return 0.0
    return h * first / (S[NE] * (first + 0.01 * second)) ** 0.5  # IN.7


def lane_rows(S, j, whole):
    """Rows of lane j that its accepted step passes; answers whether all stages are there now."""
    width, size, degree = S[L], S[N] * S[L], S[DEGREE]
    t, h, grid = doubles(S[T])[j], doubles(S[H])[j], longs(S[GRID])
    times, P, y, yt = doubles(S[TIMES]), doubles(S[P_]), doubles(S[Y]), doubles(S[YT])
    while grid[j] < S[WANTED] and times[grid[j]] <= t + h:
        theta = (times[grid[j]] - t) / h
        if theta >= 1.0:
            keep(S, j, S[YN])
            continue
        if not whole:
            for i in range(S[STAGES], S[ROWS]):
                lane_stage(S, i)
            whole = True
        for e in range(S[N]):
            yt[e * width + j] = 0.0
        for i in range(S[ROWS]):
            w = 0.0
            for d in range(degree - 1, -1, -1):
                w = (w + P[i * degree + d]) * theta
            row = doubles(S[K] + 8 * size * i)
            for e in range(S[N]):
                yt[e * width + j] = yt[e * width + j] + w * row[e * width + j]
        for e in range(S[N]):
            yt[e * width + j] = y[e * width + j] + h * yt[e * width + j]  # IN.8
        unit(S, S[YT])
        keep(S, j, S[YT])
    return whole


def lane_adaptive(table):
    """All runs of the queue, from the first wanted time to the last."""
    S = longs(table)
    width, n = S[L], S[N]
    size, last = n * width, S[STAGES] - 1
    x, y, yn, hb = doubles(S[IN]), doubles(S[Y]), doubles(S[YN]), doubles(S[HB])
    f0, f1 = doubles(S[K]), doubles(S[K] + 8 * size * last)
    t, h, err = doubles(S[T]), doubles(S[H]), doubles(S[ERR])
    runs, status, num = longs(S[RUN]), longs(S[STATUS]), doubles(S[NUM])
    end = doubles(S[TIMES])[S[WANTED] - 1]
    busy, fresh = 0, True
    for j in range(width):
        busy += take(S, j)
    while busy > 0:
        if fresh:
            for e in range(size):
                x[width + e] = y[e]
            for j in range(width):
                x[j] = t[j]
            S[CALLS] = S[CALLS] + 1
            call_lanes(S[KERNEL], S[IN], S[K])
            fresh = False
        for j in range(width):
            if runs[j] >= 0:
                wish = min(h[j], num[3])
                if t[j] + NEARLY * wish >= end:
                    wish = end - t[j]
                elif t[j] + 2.0 * wish > end:
                    wish = 0.5 * (end - t[j])
                h[j] = wish
            for i in range(n):
                hb[i * width + j] = h[j]
        for i in range(1, last + 1):
            lane_stage(S, i)
        for e in range(size):
            yn[e] = x[width + e]
        unit(S, S[YN])
        whole = False
        for j in range(width):
            if runs[j] < 0:
                continue
            off = lane_error(S, j)
            if not off <= 1.0:
                h[j] = h[j] * shrink(off, num[1])
                err[j] = -abs(err[j])  # a step was refused: do not grow next
                if not h[j] > 16.0 * EPS * max(abs(t[j]), TINY):
                    status[runs[j]] = TOO_SMALL if off < HOPELESS else NOT_FINITE
                    busy += take(S, j) - 1
                    fresh = True
                continue
            whole = lane_rows(S, j, whole)
            grown = grow(off, abs(err[j]), num[1], num[2])
            if err[j] < 0.0:
                grown = min(1.0, grown)
            err[j] = max(off, LEAST_KEPT)
            if t[j] + NEARLY * h[j] >= end:
                status[runs[j]] = DONE
                busy += take(S, j) - 1
                fresh = True
                continue
            t[j] = t[j] + h[j]
            h[j] = h[j] * grown
            for i in range(n):
                y[i * width + j] = yn[i * width + j]
                f0[i * width + j] = f1[i * width + j]


_READY: list = []
_LOCK = threading.RLock()


def ready():
    """The compiled `lane_advance` and `lane_adaptive`."""
    with _LOCK:
        if not _READY:
            _READY.append(
                compiled(
                    (vars(control), globals()), {"lane_advance": "iffii->", "lane_adaptive": "i->"}
                )
            )
        return _READY[0]

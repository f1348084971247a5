"""Integrators as functions of one table of addresses, compiled once per machine.

Nothing here knows a model: kernels are called by address through `call`.  `S` is an array of
64-bit words: sizes, counters, addresses of kernels and of arrays (see `WORDS`); an array is
reached by `doubles(S[Y])` or `longs(S[PIV])`.  With one argument of one simple type every function
is compiled once and kept on disk.  `ready()` compiles, or loads what was kept.

A step of any method leaves the new state in YN and rows of K from which `dense` interpolates.
Theory: IN.1 to IN.9, EV.1 to EV.4.
"""

from __future__ import annotations

import threading

from ..kernels.plain import intrinsic
from ..kernels.plain import native as compiled

# families, kinds of guards, answers of `advance`
EXPLICIT, ROSENBROCK, SEMI_IMPLICIT, NEWMARK = 0, 1, 2, 3
ACTING, STOPPING, WATCHING = 0, 1, 2
REACHED, TERMINAL, FULL, BUDGET, NOT_FINITE, TOO_SMALL, TOO_MANY, NO_CONVERGENCE = range(8)
EPS = 2.220446049250313e-16
SAMPLES = (0.015625, 0.0625, 0.25, 0.5, 0.75, 1.0)      # of a step, where guards are looked at
ROUGH = 10.0            # tolerances that the projection of an interpolated state may move it

(
    # sizes: coordinates, speeds, z, all but books of energy, memory, inputs, guards, all of y
    NQ, NV, NZ, NE, NM, NU, NG, N,
    # method: family, stages, rows of K, degree of the interpolant, adaptive, two error estimates
    FAMILY, STAGES, ROWS, DEGREE, ADAPTIVE, TWO,
    # recording: every step, rows that fit, wanted times, events that fit, most events, quaternions
    EVERY, ROOM, WANTED, LOGGED, MOST_EVENTS, NQUAT,
    # a plain tree: the flow kernel is forward dynamics (q, v, tau), and qdot is v
    TREE,
    # counters, changed by `advance`
    ROW, GRID, EVENTS, STEPS, REJECTED, CALLS, FRESH, DETAIL, JACOBIANS, ARMED,
    # kernels, 0 when absent
    FLOW, GUARDS, JUMP, PROJECT, JACOBIAN, INTEGRATE,
    # tables of pointers handed to kernels: t, q, v, z, m, u, p, extra; and outputs
    INP, OUTP,
    # state: at the start of the step, new, as kernels read it; time; extra; memory; inputs
    Y, YN, YS, TB, KB, M, U,
    # rates at the start; stages; method; interpolation; tolerances; scales of quaternions
    F0, K_, A_, B_, C_, D_, G_, E_, P_, ATOL, FLOOR, QUATS,
    # guards at the start, now, kept; what they do; an interpolated state
    G0, G1, GS, KINDS, YT,
    # linear algebra
    W_, J_, FT, PIV,
    # recorded times wanted, rows, events
    TIMES, ROWT, ROWY, ROWM, ROWU, WHEN, WHICH,
    # numbers: see NUMBERS
    NUM,
) = range(75)
SIZE = 75
# the numbers: time, step, last error, end, longest step, tolerance, method's constants, event
T, H, ERR, STOP, HMAX, RTOL, BETA, GAMMA, EXPONENT, THETA = range(10)


call = doubles = longs = intrinsic           # see `kernels.plain`


def rates(S, t, into):
    """Rates at time t and the state in YS, written at the address `into`."""
    doubles(S[TB])[0] = t
    out = longs(S[OUTP])
    S[CALLS] = S[CALLS] + 1
    if S[TREE] == 1:
        copy_some(S[YS] + 8 * S[NQ], into, S[NQ])
        out[0] = into + 8 * S[NQ]
        return call(S[FLOW], S[INP], S[OUTP])
    out[0] = into
    out[1] = into + 8 * S[NQ]
    out[2] = into + 8 * (S[NQ] + S[NV])
    return call(S[FLOW], S[INP], S[OUTP])


def copy_some(source, target, n):
    """Copy n numbers from one address to another."""
    a, b = doubles(source), doubles(target)
    for j in range(n):
        b[j] = a[j]


def copy(S, source, target):
    """Copy a state from one address to another."""
    copy_some(source, target, S[N])


def guards(S, t, state, into):
    """Guards at time t and a state, by addresses."""
    doubles(S[TB])[0] = t
    copy(S, state, S[YS])
    longs(S[OUTP])[0] = into
    return call(S[GUARDS], S[INP], S[OUTP])


def project(S, t, state):
    """Bring a state back to its manifold: unit quaternions, then the kernel for constraint rows."""
    y, starts = doubles(state), longs(S[QUATS])
    for i in range(S[NQUAT]):
        k = starts[i]
        s = y[k] * y[k] + y[k + 1] * y[k + 1] + y[k + 2] * y[k + 2] + y[k + 3] * y[k + 3]
        s = 1.0 / s ** 0.5
        for j in range(k, k + 4):
            y[j] = y[j] * s                                                           # IN.1
    if S[PROJECT] != 0:
        doubles(S[TB])[0] = t
        copy(S, state, S[YS])
        out = longs(S[OUTP])
        out[0] = state
        out[1] = state + 8 * S[NQ]
        return call(S[PROJECT], S[INP], S[OUTP])
    return 0


def stage(S, t, h, i):
    """Stage i of an explicit method."""
    n = S[N]
    y, ys, K = doubles(S[Y]), doubles(S[YS]), S[K_]
    A = doubles(S[A_] + 8 * S[ROWS] * i)
    for j in range(n):
        ys[j] = 0.0
    for k in range(i):
        a = A[k]
        if a != 0.0:
            row = doubles(K + 8 * n * k)
            for j in range(n):
                ys[j] = ys[j] + a * row[j]
    for j in range(n):
        ys[j] = y[j] + h * ys[j]                                                      # IN.2
    return rates(S, t + doubles(S[C_])[i] * h, K + 8 * n * i)


def explicit(S, t, h):
    """A Runge-Kutta step whose last stage is the new state."""
    last = S[STAGES] - 1
    copy(S, S[F0], S[K_])
    for i in range(1, last + 1):
        status = stage(S, t, h, i)
        if i == last:
            copy(S, S[YS], S[YN])
        if status != 0:
            return status
    return 0


def jacobian(S, t, state):
    """Jacobian of the rates, and their derivative by time, into J and FT."""
    doubles(S[TB])[0] = t
    copy(S, state, S[YS])
    out = longs(S[OUTP])
    out[0] = S[J_]
    out[1] = S[FT]
    S[JACOBIANS] = S[JACOBIANS] + 1
    return call(S[JACOBIAN], S[INP], S[OUTP])


def factor(W, piv, n):
    """LU with row exchanges, in place, of an n x n matrix; answers 1 when singular."""
    for k in range(n):
        best, r = abs(W[k * n + k]), k
        for i in range(k + 1, n):
            if abs(W[i * n + k]) > best:
                best, r = abs(W[i * n + k]), i
        piv[k] = r
        if not best > 0.0:
            return 1
        if r != k:
            for j in range(n):
                x = W[k * n + j]
                W[k * n + j] = W[r * n + j]
                W[r * n + j] = x
        inverse = 1.0 / W[k * n + k]
        for i in range(k + 1, n):
            a = W[i * n + k] * inverse
            W[i * n + k] = a
            if a != 0.0:
                for j in range(k + 1, n):
                    W[i * n + j] = W[i * n + j] - a * W[k * n + j]
    return 0


def substitute(W, piv, n, b):
    """Solve with the factors of `factor`, in place."""
    for k in range(n):
        r = piv[k]
        if r != k:
            x = b[k]
            b[k] = b[r]
            b[r] = x
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= W[i * n + j] * b[j]
        b[i] = s
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= W[i * n + j] * b[j]
        b[i] = s / W[i * n + i]


def rosenbrock(S, t, h):
    """A step of a linearly implicit method with the exact Jacobian; row i of K is u_i / h."""
    n, stages = S[N], S[STAGES]
    W, J, piv, ft = doubles(S[W_]), doubles(S[J_]), longs(S[PIV]), doubles(S[FT])
    yn, ys = doubles(S[YN]), doubles(S[YS])
    B, C, D = doubles(S[B_]), doubles(S[C_]), doubles(S[D_])
    gamma = doubles(S[NUM])[GAMMA]
    if S[FRESH] == 1:                                    # J is kept while a step is tried again
        status = jacobian(S, t, S[Y])
        if status != 0:
            return status
        S[FRESH] = 2
    for i in range(n):
        for j in range(n):
            W[i * n + j] = -J[i * n + j]
        W[i * n + i] = W[i * n + i] + 1.0 / (h * gamma)
    if factor(W, piv, n) != 0:
        return 1
    for i in range(stages):
        here = doubles(S[K_] + 8 * n * i)
        A, G = doubles(S[A_] + 8 * S[ROWS] * i), doubles(S[G_] + 8 * S[ROWS] * i)
        if i == 0:
            copy(S, S[F0], S[K_])
        else:
            copy(S, S[Y], S[YS])
            for k in range(i):
                a = h * A[k]
                row = doubles(S[K_] + 8 * n * k)
                for j in range(n):
                    ys[j] = ys[j] + a * row[j]
            status = rates(S, t + C[i] * h, S[K_] + 8 * n * i)
            if status != 0:
                return status
        for k in range(i):
            c = G[k]
            row = doubles(S[K_] + 8 * n * k)
            for j in range(n):
                here[j] = here[j] + c * row[j]
        d = h * D[i]
        for j in range(n):
            here[j] = here[j] + d * ft[j]                                             # IN.3
        substitute(W, piv, n, here)
        for j in range(n):
            here[j] = here[j] / h
    copy(S, S[Y], S[YN])
    for i in range(stages):
        b = h * B[i]
        row = doubles(S[K_] + 8 * n * i)
        for j in range(n):
            yn[j] = yn[j] + b * row[j]
    return 0


def moved(S, t, dv, into):
    """Coordinates reached from Y by the motion dv, written at `into`."""
    doubles(S[TB])[0] = t
    copy(S, S[Y], S[YS])
    a, b = doubles(dv), doubles(S[KB])
    for j in range(S[NV]):
        b[j] = a[j]
    longs(S[OUTP])[0] = into
    return call(S[INTEGRATE], S[INP], S[OUTP])


def closing(S, t, h):
    """Rates at the new state in row 1, mean rate of the step in row 2, for interpolation."""
    n = S[N]
    y, yn, mean = doubles(S[Y]), doubles(S[YN]), doubles(S[K_] + 16 * n)
    copy(S, S[F0], S[K_])
    copy(S, S[YN], S[YS])
    for j in range(n):
        mean[j] = (yn[j] - y[j]) / h
    return rates(S, t + h, S[K_] + 8 * n)


def semi_implicit(S, t, h):
    """Symplectic Euler: new speeds first, and the coordinates move with them."""
    nq, n = S[NQ], S[N]
    y, yn, f0, dv = doubles(S[Y]), doubles(S[YN]), doubles(S[F0]), doubles(S[YT])
    for j in range(S[NV]):
        dv[j] = h * (y[nq + j] + h * f0[nq + j])                                      # IN.4
    status = moved(S, t, S[YT], S[YN])
    for j in range(nq, n):
        yn[j] = y[j] + h * f0[j]
    if status != 0:
        return status
    return closing(S, t, h)


def newmark(S, t, h):
    """Newmark's step, solved by Newton's method for the new accelerations."""
    nq, nv, n = S[NQ], S[NV], S[N]
    num = doubles(S[NUM])
    beta, gamma = num[BETA], num[GAMMA]
    y, yn, f0, J, W = doubles(S[Y]), doubles(S[YN]), doubles(S[F0]), doubles(S[J_]), doubles(S[W_])
    piv, a, dv = longs(S[PIV]), doubles(S[FT]), doubles(S[YT])
    f1, r = doubles(S[K_] + 8 * n), doubles(S[K_] + 16 * n)
    status = jacobian(S, t, S[Y])
    if status != 0:
        return status
    for i in range(nv):
        for j in range(nv):
            s = 0.0
            for k in range(nq):
                s += J[(nq + i) * n + k] * J[k * n + nq + j]
            W[i * nv + j] = -h * gamma * J[(nq + i) * n + nq + j] - h * h * beta * s
        W[i * nv + i] = W[i * nv + i] + 1.0
    if factor(W, piv, nv) != 0:
        return 1
    copy(S, S[F0], S[K_] + 8 * n)
    for j in range(nv):
        a[j] = f0[nq + j]
    size, change = 1.0, 0.0
    for _ in range(50):
        for j in range(nv):
            dv[j] = h * y[nq + j] + h * h * ((0.5 - beta) * f0[nq + j] + beta * a[j])  # IN.5
        status = moved(S, t, S[YT], S[YN])
        if status != 0:
            return status
        for j in range(nv):
            yn[nq + j] = y[nq + j] + h * ((1.0 - gamma) * f0[nq + j] + gamma * a[j])
        for j in range(nq + nv, n):
            yn[j] = y[j] + 0.5 * h * (f0[j] + f1[j])
        copy(S, S[YN], S[YS])
        status = rates(S, t + h, S[K_] + 8 * n)
        if status != 0:
            return status
        size, change = 1.0, 0.0
        for j in range(nv):
            r[j] = f1[nq + j] - a[j]
            size = max(size, abs(a[j]))
            change = max(change, abs(r[j]))
        substitute(W, piv, nv, r)
        for j in range(nv):
            a[j] = a[j] + r[j]
        if change <= 1e-14 * size:
            return closing(S, t, h)
        if not change < 1e100:
            return 1
    if change <= 1e-9 * size:
        return closing(S, t, h)
    return 1


def step(S, t, h):
    """One step of the chosen method from (t, Y): YN, and rows of K."""
    if S[FAMILY] == EXPLICIT:
        status = explicit(S, t, h)
    elif S[FAMILY] == ROSENBROCK:
        status = rosenbrock(S, t, h)
    elif S[FAMILY] == SEMI_IMPLICIT:
        status = semi_implicit(S, t, h)
    else:
        status = newmark(S, t, h)
    if status != 0:
        return status
    return project(S, t + h, S[YN])


def within(S, t, h, row):
    """Mean square of an estimated error over its tolerance and h, within the constraints.

    What points away from them is noise near a singular position, and the projection removes it.
    """
    n, stages = S[N], S[STAGES]
    y, yn, other, K = doubles(S[Y]), doubles(S[YN]), doubles(S[YT]), doubles(S[K_])
    E = doubles(S[E_] + 8 * S[ROWS] * row)
    atol, floor, rtol = doubles(S[ATOL]), doubles(S[FLOOR]), doubles(S[NUM])[RTOL]
    for j in range(n):
        x = 0.0
        for i in range(stages):
            x += E[i] * K[i * n + j]
        other[j] = yn[j] - h * x
    if project(S, t + h, S[YT]) != 0:
        return 1e100
    total = 0.0
    for j in range(n):
        scale = atol[j] + rtol * max(max(abs(y[j]), abs(yn[j])), floor[j])
        x = (yn[j] - other[j]) / (scale * h)
        total += x * x                                                                # IN.10
    return total


def error(S, t, h):
    """Root mean square of the estimated error over its tolerance.

    Books of energy add to it, and do not thin it out.
    """
    n, stages, count = S[N], S[STAGES], S[NE]
    if count == 0:
        return 0.0
    y, yn, K, E = doubles(S[Y]), doubles(S[YN]), doubles(S[K_]), doubles(S[E_])
    atol, floor, rtol = doubles(S[ATOL]), doubles(S[FLOOR]), doubles(S[NUM])[RTOL]
    first, second = 0.0, 0.0
    held = S[PROJECT] != 0
    if held:
        first = within(S, t, h, 0)
        if S[TWO] != 0:
            second = within(S, t, h, 1)
    for j in range(0 if held else n):
        a, b = 0.0, 0.0
        for i in range(stages):
            x = K[i * n + j]
            a += E[i] * x
            b += E[S[ROWS] + i] * x
        scale = atol[j] + rtol * max(max(abs(y[j]), abs(yn[j])), floor[j])
        a, b = a / scale, b / scale
        first += a * a
        second += b * b
    if S[TWO] == 0:
        return h * (first / count) ** 0.5                                             # IN.6
    if first == 0.0:
        return 0.0
    return h * first / (count * (first + 0.01 * second)) ** 0.5                       # IN.7


def complete(S, t, h):
    """Stages that only interpolation needs."""
    if S[FAMILY] != EXPLICIT:
        return 0
    for i in range(S[STAGES], S[ROWS]):
        if stage(S, t, h, i) != 0:
            return 1
    return 0


def dense(S, h, theta, into):
    """State at t + theta h, written at `into`."""
    n, degree = S[N], S[DEGREE]
    y, x, P = doubles(S[Y]), doubles(into), doubles(S[P_])
    for j in range(n):
        x[j] = 0.0
    for i in range(S[ROWS]):
        w = 0.0
        for d in range(degree - 1, -1, -1):
            w = (w + P[i * degree + d]) * theta
        if w != 0.0:
            row = doubles(S[K_] + 8 * n * i)
            for j in range(n):
                x[j] = x[j] + w * row[j]
    for j in range(n):
        x[j] = y[j] + h * x[j]                                                        # IN.8


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
            while b - a > 1e-10:                                         # bisect, any guard
                mid = 0.5 * (a + b)
                dense(S, h, mid, S[YT])
                guards(S, t + mid * h, S[YT], S[G1])
                other = crossing(S)                                                   # EV.1
                if other >= 0:
                    b, k = mid, other
                else:
                    a = mid
            num[THETA] = b
            return k
        for j in range(S[NG]):                           # a guard may arm itself within the step
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


def locate(S, t, h, theta, k):
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
        dx = -g / slope                                                               # EV.2
        if not abs(dx) < 2.0 * delta * h or x + dx <= 0.0:
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
        if i > 0 and (j == k or not (g0[j] > 0.0 and not gs[j] > 0.0)):               # EV.3
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
            g0[j] = 0.0                                  # not armed until it is positive again
    if done:
        record(S, t, S[Y])
    return stop


def apart(S):
    """How far the last projection, of the state in YT, has moved it, over the tolerance."""
    n, before, after = S[NE], doubles(S[YS]), doubles(S[YT])
    atol, floor, rtol = doubles(S[ATOL]), doubles(S[FLOOR]), doubles(S[NUM])[RTOL]
    total = 0.0
    for j in range(n):
        x = (after[j] - before[j]) / (atol[j] + rtol * max(abs(after[j]), floor[j]))
        total += x * x
    return (total / n) ** 0.5


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
            if not apart(S) <= ROUGH:                                                 # IN.11
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
    adaptive, rejected, budget = S[ADAPTIVE] == 1, False, most_steps
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
        rejected = False
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
                k = crossing(S)                                                       # EV.4
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


_READY = []
_LOCK = threading.RLock()


def ready():
    """The compiled `advance` and `note`, of the address of the table."""
    with _LOCK:
        if not _READY:
            _READY.append(compiled(globals(), {"advance": "ii->i", "note": "i->"}))
        return _READY[0]

"""Steps of every method as native functions of one table of addresses (see `words`).

A step leaves the new state in YN, and rows of K from which `dense` interpolates.
Theory: IN.1 to IN.10.
"""

# ruff: noqa: F403, F405 (words of the table by their names)
from __future__ import annotations

from ..compiler import intrinsic
from .words import *

call = doubles = longs = intrinsic


def rates(S, t, into):
    """Rates at time t and the state in YS, written at the address `into`."""
    doubles(S[TB])[0] = t
    out = longs(S[OUTP])
    S[CALLS] = S[CALLS] + 1
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


def project(S, t, state):
    """Bring a state back to its manifold: unit quaternions, then the kernel for constraint rows."""
    y, starts = doubles(state), longs(S[QUATS])
    for i in range(S[NQUAT]):
        k = starts[i]
        s = y[k] * y[k] + y[k + 1] * y[k + 1] + y[k + 2] * y[k + 2] + y[k + 3] * y[k + 3]
        s = 1.0 / s**0.5
        for j in range(k, k + 4):
            y[j] = y[j] * s  # IN.1
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
        ys[j] = y[j] + h * ys[j]  # IN.2
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
    if S[FRESH] == 1:  # J is kept while a step is tried again
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
            here[j] = here[j] + d * ft[j]  # IN.3
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
        dv[j] = h * (y[nq + j] + h * f0[nq + j])  # IN.4
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
        total += x * x  # IN.10
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
        return h * (first / count) ** 0.5  # IN.6
    if first == 0.0:
        return 0.0
    return h * first / (count * (first + 0.01 * second)) ** 0.5  # IN.7


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
        x[j] = y[j] + h * x[j]  # IN.8

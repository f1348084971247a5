"""Steps of implicit methods: Rosenbrock's with the exact Jacobian, Newmark's by Newton's method.

Theory: IN.3 to IN.5.
"""

from __future__ import annotations

from ..compiler import intrinsic
from .control import add
from .explicit import closing, copy, displaced, rates

call = intrinsic

ITERATIONS = 50  # of Newton's method in a step of Newmark's
CONVERGED = 1e-14  # change of the accelerations over their size: rounding
ENOUGH = 1e-9  # the same, when the iterations are used up
DIVERGED = 1e100  # a change of the accelerations


def jacobian(run, t, state):
    """Jacobian of the rates, and their derivative by time, into J and ft."""
    run.time[0] = t
    copy(run, state, run.seen)
    run.outputs[0] = run.J[0]
    run.outputs[1] = run.ft
    run.jacobians += 1
    return call(run.jacobian, run.inputs, run.outputs)


def exchange(W, n, i, j):
    """Two rows of a matrix change places."""
    for k in range(n):
        x = W[i * n + k]
        W[i * n + k] = W[j * n + k]
        W[j * n + k] = x


def factor(W, pivots, n):
    """LU with row exchanges, in place, of n x n numbers row by row; answers 1 when singular."""
    for k in range(n):
        best, r = abs(W[k * n + k]), k
        for i in range(k + 1, n):
            if abs(W[i * n + k]) > best:
                best, r = abs(W[i * n + k]), i
        pivots[k] = r
        if not best > 0.0:
            return 1
        if r != k:
            exchange(W, n, k, r)
        inverse = 1.0 / W[k * n + k]
        for i in range(k + 1, n):
            a = W[i * n + k] * inverse
            W[i * n + k] = a
            if a != 0.0:
                for j in range(k + 1, n):
                    W[i * n + j] = W[i * n + j] - a * W[k * n + j]
    return 0


def substitute(W, pivots, n, b):
    """Solve with the factors of `factor`, in place."""
    for k in range(n):
        r = pivots[k]
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


def folded(run, t, by_v, by_q):
    """The equation of a step at y reduced link by link, for rates that f0 holds."""
    run.time[0] = t
    copy(run, run.y, run.seen)
    run.scales[0] = by_v
    run.scales[1] = by_q
    run.outputs[0] = run.folded
    run.jacobians += 1
    return call(run.fold, run.folding, run.outputs)


def unfolded(run, b, weight):
    """Solve with what `folded` left, in place; the slope by time is added with a weight."""
    copy(run, b, run.rhs)
    run.scales[2] = weight
    run.outputs[0] = run.solved
    status = call(run.unfold, run.unfolding, run.outputs)
    copy(run, run.solved, b)
    return status


def shifted(run, t, h):
    """Factors of 1 / (h gamma) - J in W; J is kept while a step is tried again."""
    if run.fold != 0:
        return folded(run, t, 1.0 / (h * run.gamma), 1.0 / (h * run.gamma))
    n, J, W = run.n, run.J, run.W
    if run.fresh == 1:
        status = jacobian(run, t, run.y)
        if status != 0:
            return status
        run.fresh = 2
    for i in range(n):
        for j in range(n):
            W[i, j] = -J[i, j]
        W[i, i] = W[i, i] + 1.0 / (h * run.gamma)
    return factor(W[0], run.pivots, n)


def rosenbrock(run, t, h):
    """A step of a linearly implicit method; row i of the stages is u_i / h."""
    n, stages, W, pivots, ft = run.n, run.stages, run.W, run.pivots, run.ft
    status = shifted(run, t, h)
    if status != 0:
        return status
    for i in range(stages):
        here = run.stage[i]
        if i == 0:
            copy(run, run.f0, here)
        else:
            copy(run, run.y, run.seen)
            for k in range(i):
                add(run.seen, h * run.A[i, k], run.stage[k], n)
            status = rates(run, t + run.C[i] * h, here)
            if status != 0:
                return status
        for k in range(i):
            add(here, run.G[i, k], run.stage[k], n)
        if run.fold != 0:
            status = unfolded(run, here, h * run.D[i])
            if status != 0:
                return status
        else:
            add(here, h * run.D[i], ft, n)  # IN.3
            substitute(W[0], pivots, n, here)
        for j in range(n):
            here[j] = here[j] / h
    copy(run, run.y, run.new)
    for i in range(stages):
        add(run.new, h * run.B[i], run.stage[i], n)
    return 0


def newton_matrix(run, h):
    """Factors of 1 - h gamma df/dv - h^2 beta df/dq dq/dv in W, of nv x nv numbers."""
    nq, nv, J, W = run.nq, run.nv, run.J, run.W[0]
    beta, gamma = run.beta, run.gamma
    for i in range(nv):
        for j in range(nv):
            s = 0.0
            for k in range(nq):
                s += J[nq + i, k] * J[k, nq + j]
            W[i * nv + j] = -h * gamma * J[nq + i, nq + j] - h * h * beta * s
        W[i * nv + i] = W[i * nv + i] + 1.0
    return factor(W, run.pivots, nv)


def newton_ready(run, t, h):
    """The equation of Newton's method at the start of a step, ready for `corrected`."""
    if run.fold != 0:
        return folded(run, t, 1.0 / (h * run.gamma), run.gamma / (h * run.beta))
    status = jacobian(run, t, run.y)
    if status != 0:
        return status
    return newton_matrix(run, h)


def corrected(run, h, r):
    """The change of accelerations that removes their residual, in place."""
    if run.fold == 0:
        substitute(run.W[0], run.pivots, run.nv, r)
        return 0
    nq, b = run.nq, run.rhs
    for j in range(run.n):
        b[j] = 0.0
    for j in range(run.nv):
        b[nq + j] = r[j]
    run.scales[2] = 0.0
    run.outputs[0] = run.solved
    status = call(run.unfold, run.unfolding, run.outputs)
    for j in range(run.nv):
        r[j] = run.solved[nq + j] / (h * run.gamma)
    return status


def newmark_rates(run, t, h, a, f1):
    """The new state for accelerations `a`, and the rates there."""
    nq, nv, y, new, f0, dv = run.nq, run.nv, run.y, run.new, run.f0, run.other
    beta, gamma = run.beta, run.gamma
    for j in range(nv):
        dv[j] = h * y[nq + j] + h * h * ((0.5 - beta) * f0[nq + j] + beta * a[j])  # IN.5
    status = displaced(run, t, dv, new)
    if status != 0:
        return status
    for j in range(nv):
        new[nq + j] = y[nq + j] + h * ((1.0 - gamma) * f0[nq + j] + gamma * a[j])
    for j in range(nq + nv, run.n):
        new[j] = y[j] + 0.5 * h * (f0[j] + f1[j])
    copy(run, new, run.seen)
    return rates(run, t + h, f1)


def newmark(run, t, h):
    """Newmark's step, solved by Newton's method for the new accelerations."""
    nq, nv, a, f1, r = run.nq, run.nv, run.ft, run.stage[1], run.stage[2]
    status = newton_ready(run, t, h)
    if status != 0:
        return status
    copy(run, run.f0, f1)
    for j in range(nv):
        a[j] = run.f0[nq + j]
    size, change = 1.0, 0.0
    for _ in range(ITERATIONS):
        status = newmark_rates(run, t, h, a, f1)
        if status != 0:
            return status
        size, change = 1.0, 0.0
        for j in range(nv):
            r[j] = f1[nq + j] - a[j]
            size = max(size, abs(a[j]))
            change = max(change, abs(r[j]))
        status = corrected(run, h, r)
        if status != 0:
            return status
        for j in range(nv):
            a[j] = a[j] + r[j]
        if change <= CONVERGED * size:
            return closing(run, t, h)
        if not change < DIVERGED:
            return 1
    if change <= ENOUGH * size:
        return closing(run, t, h)
    return 1

"""Rates, projections, and steps of explicit methods.

A step leaves the new state in `new`, and rows of `stage` from which a state in between follows.
Theory: IN.2 and IN.4.
"""

from __future__ import annotations

from ..compiler import intrinsic
from .control import moved, unit
from .record import QUARTER

call = intrinsic

LOOK = 4  # steps between two looks at the speeds that lead


def copy(run, source, target):
    """Copy a state."""
    for j in range(run.n):
        target[j] = source[j]


def transfer(source, target, n):
    """Copy n numbers; between numbers of lanes and an address of each, lane by lane."""
    for j in range(n):
        target[j] = source[j]


def rates(run, t, into):
    """Rates at time t and the state in `seen`, counted."""
    run.calls += 1
    return rates_seen(run, t, into)


def rates_seen(run, t, into):
    """Rates at time t and the state in `seen`."""
    run.time[0] = t
    run.outputs[0] = into
    run.outputs[1] = into[run.nq :]
    run.outputs[2] = into[run.nq + run.nv :]
    return call(run.flow, run.inputs, run.outputs)


def project(run, t, state):
    """Bring a state back to its manifold: unit quaternions, then the kernel for constraint rows."""
    unit(run, state, 0, 1)
    if run.project == 0:
        return 0
    run.time[0] = t
    copy(run, state, run.seen)
    run.outputs[0] = state
    run.outputs[1] = state[run.nq :]
    run.outputs[2] = state[run.nq + run.nv :]  # of a kernel that carries derivatives
    return call(run.project, run.inputs, run.outputs)


def followed(run):
    """1 while dependent speeds follow firmly those that lead, looked at every few steps.

    When they do so a quarter as firmly as they did, somebody is to ask whether others lead better.
    """
    run.unlooked += 1
    if run.leads == 0 or run.unlooked < LOOK:
        return 1
    run.unlooked = 0
    run.time[0] = run.t
    copy(run, run.y, run.seen)
    run.outputs[0] = run.firm
    call(run.leads, run.inputs, run.outputs)
    run.firmest = max(run.firmest, QUARTER * run.firm[0])
    return 1 if run.firm[0] >= run.firmest else 0


def stage(run, t, h, i):
    """Stage i of an explicit method."""
    count = run.n if i == run.stages - 1 else run.read  # the last one is the new state, books too
    moved(run.seen, run.y, h, run.stage, run.A[i], i, count)  # IN.2
    return rates(run, t + run.C[i] * h, run.stage[i])


def explicit(run, t, h):
    """A Runge-Kutta step whose last stage is the new state."""
    last = run.stages - 1
    copy(run, run.f0, run.stage[0])
    for i in range(1, last + 1):
        status = stage(run, t, h, i)
        if i == last:
            copy(run, run.seen, run.new)
        if status != 0:
            return status
    return 0


def displaced(run, t, dv, into):
    """Coordinates reached from y by the motion dv."""
    extra = run.extra
    run.time[0] = t
    copy(run, run.y, run.seen)
    for j in range(run.nv):
        extra[j] = dv[j]
    run.outputs[0] = into
    return call(run.integrate, run.inputs, run.outputs)


def closing(run, t, h):
    """Rates at the new state in row 1, mean rate of the step in row 2, for interpolation."""
    y, new, mean = run.y, run.new, run.stage[2]
    copy(run, run.f0, run.stage[0])
    copy(run, new, run.seen)
    for j in range(run.n):
        mean[j] = (new[j] - y[j]) / h
    return rates(run, t + h, run.stage[1])


def semi_implicit(run, t, h):
    """Symplectic Euler: new speeds first, and the coordinates move with them."""
    nq, y, new, f0, dv = run.nq, run.y, run.new, run.f0, run.other
    for j in range(run.nv):
        dv[j] = h * (y[nq + j] + h * f0[nq + j])  # IN.4
    status = displaced(run, t, dv, new)
    for j in range(nq, run.n):
        new[j] = y[j] + h * f0[j]
    if status != 0:
        return status
    return closing(run, t, h)

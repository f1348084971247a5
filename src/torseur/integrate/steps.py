"""One step of the chosen method, its error, and states in between.

Theory: IN.10.
"""

from __future__ import annotations

from .control import moved, norm, tolerance, total, weigh
from .explicit import explicit, project, semi_implicit, stage
from .implicit import newmark, rosenbrock
from .record import EXPLICIT, ROSENBROCK, SEMI_IMPLICIT

UNMET = 1e100  # a sum of squares that no tolerance meets: the projection failed


def step(run, t, h):
    """One step of the chosen method from (t, y): the new state, and rows of stages."""
    run.complete, run.foreseen = 0, 0
    if run.family == EXPLICIT:
        status = explicit(run, t, h)
    elif run.family == ROSENBROCK:
        status = rosenbrock(run, t, h)
    elif run.family == SEMI_IMPLICIT:
        status = semi_implicit(run, t, h)
    else:
        status = newmark(run, t, h)
    if status != 0:
        return status
    return project(run, t + h, run.new)


def within(run, t, h, row):
    """Sum of squares of an estimated error over its tolerance and h, within the constraints.

    What points away from them is noise near a singular position, and the projection removes it.
    """
    n, stages, y, new, other = run.n, run.stages, run.y, run.new, run.other
    for j in range(n):
        x = 0.0
        for i in range(stages):
            x += run.E[row, i] * run.stage[i, j]
        other[j] = new[j] - h * x
    if project(run, t + h, other) != 0:
        return UNMET
    squares = 0.0
    for j in range(n):
        x = (new[j] - other[j]) / (tolerance(run, j, y[j], new[j]) * h)
        squares += x * x  # IN.10
    return squares


def error(run, t, h):
    """Root mean square of the estimated error over its tolerance."""
    if run.project == 0:
        return norm(run, run.y, run.new, h, 0, 1)
    if run.counted == 0:
        return 0.0
    first, second = within(run, t, h, 0), 0.0
    if run.two != 0:
        second = within(run, t, h, 1)
    return total(run, h, first, second)


def complete(run, t, h):
    """Stages that only interpolation needs."""
    if run.complete == 1 or run.family != EXPLICIT:
        return 0
    run.complete = 1
    for i in range(run.stages, run.rows):
        if stage(run, t, h, i) != 0:
            return 1
    return 0


def between(run, h, theta, into):
    """State at t + theta h."""
    weigh(run, theta)
    moved(into, run.y, h, run.stage, run.weight, run.rows, run.n)  # IN.8

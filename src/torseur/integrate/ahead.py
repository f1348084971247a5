"""Rows that a step will write, brought back to the constraints before the step is accepted.

Theory: IN.11.
"""

from __future__ import annotations

from .explicit import copy, project, transfer
from .steps import between

ROUGH = 10.0  # tolerances that the projection of an interpolated state may move it


def apart(run):
    """How far the last projection, of `other`, has moved it, over the tolerance."""
    squares = 0.0
    for j in range(run.counted):
        size = max(abs(run.other[j]), run.floor[j])
        x = (run.other[j] - run.seen[j]) / (run.atol[j] + run.rtol * size)
        squares += x * x
    return (squares / run.counted) ** 0.5


def wobble(run, t):
    """What rounding does to the new state, over the tolerance: its projection, projected again."""
    copy(run, run.new, run.other)
    project(run, t, run.other)
    return apart(run)


def rough(run, t, h):
    """First wanted time of a step whose interpolation is too far from the constraints, or its end.

    The stages that only interpolation needs must be complete.  What was interpolated is left where
    its row will be.
    """
    k = run.grid
    while k < run.wanted and run.times[k] < t + h:
        at, ahead = run.times[k], run.row + k - run.grid
        between(run, h, (at - t) / h, run.other)
        project(run, at, run.other)
        if not apart(run) <= ROUGH:  # IN.11
            return at
        transfer(run.other, run.row_y[ahead], run.n)
        run.foreseen = ahead + 1
        k += 1
    return t + h

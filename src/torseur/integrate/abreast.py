"""The same as `ahead` for several rows of a step at once, one a SIMD lane: the same bits.

Only single runs have it: in lanes of runs each lane has its own rows.
"""

from __future__ import annotations

from ..compiler import intrinsic
from .ahead import ROUGH, rough
from .control import unit
from .steps import between

call_lanes = intrinsic


def place(run, t, h, k, j):
    """Leave the interpolated state of the wanted time k where its row will be, and in lane j."""
    at, row = run.times[k], run.row_y[run.row + k - run.grid]
    lanes, width = run.lane_in, run.abreast
    between(run, h, (at - t) / h, row)
    unit(run, row, 0, 1)
    lanes[0, j] = at
    seen = lanes[1]
    for e in range(run.n):
        seen[e * width + j] = row[e]


def taken(run, k, j):
    """Take the answer of lane j into the row of time k; how far that moves it, over the tolerance.

    As `apart` says.
    """
    row, out, width, squares = run.row_y[run.row + k - run.grid], run.lane_out[0], run.abreast, 0.0
    for e in range(run.nq + run.nv):
        new = out[e * width + j]
        size = max(abs(new), run.floor[e])
        x = (new - row[e]) / (run.atol[e] + run.rtol * size)
        row[e] = new
        squares += x * x
    return (squares / run.counted) ** 0.5


def common(run):
    """What all lanes read alike: memory, inputs and parameters."""
    width, first, p = run.abreast, 1 + run.n, run.inputs[6]
    nm, nu = run.nm, run.nu
    for j in range(width):
        for e in range(nm):
            run.lane_in[first + e, j] = run.m[e]
        for e in range(nu):
            run.lane_in[first + nm + e, j] = run.u[e]
        for e in range(run.slots - first - nm - nu):
            run.lane_in[first + nm + nu + e, j] = p[e]


def several(run, t, h):
    """`rough`, with the projections of several rows at a time."""
    k = run.grid
    common(run)
    while k < run.wanted and run.times[k] < t + h:
        count = 0
        while count < run.abreast and k + count < run.wanted and run.times[k + count] < t + h:
            place(run, t, h, k + count, count)
            count += 1
        for e in range(1 + run.n):
            for j in range(count, run.abreast):
                run.lane_in[e, j] = run.lane_in[e, 0]  # a lane to spare repeats the first
        call_lanes(run.project_lanes, run.lane_in[0], run.lane_out[0])
        for j in range(count):
            if not taken(run, k + j, j) <= ROUGH:  # IN.11
                return run.times[k + j]
        k += count
        run.foreseen = run.row + k - run.grid
    return t + h


def foresee(run, t, h):
    """`rough`, by lanes where there are some."""
    return several(run, t, h) if run.project_lanes != 0 else rough(run, t, h)

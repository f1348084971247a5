"""Whether impulses obey the laws of an impact, and others where they do not.  Theory: DF.15."""

from __future__ import annotations

import numpy as np

from ...scalars import NativeText, vector
from ...spatial import HALF
from .complementarity import SwitchProblem
from .delassus import written
from .friction_cone import FLOOR
from .row_velocities import Rates

SWEPT = 1e-10  # speed [m/s] to which sweeps over contacts leave what is at rest
MEETS, STICKS, SLIDES = 1, 2, 3  # ways of rows: `impact_slopes`
MISSED = 1e-4  # of the speeds: by how much an impact may miss its laws where it is differentiated


def obeying(r: Rates, tried, strikes, shut, problem: SwitchProblem, p):
    """Contacts that are closed and impulses, where these miss the laws of an impact: DF.15."""
    K, role = r.K, vector([0] * len(r.G))
    own, within = r.own[: len(shut)], []
    for (k,), x, y, stay in zip(own, tried, problem.joins, problem.stays, strict=True):
        within.append(K.call("max", x, y) * strikes)
        role[k] = within[-1] * (1 + stay)
    found = r.struck(role, problem, p)
    if found is None:
        return shut, _judged(r, role, problem, p) if K.follows and len(own) > 1 else p
    p, anew, out = found[:-1], K.less(HALF, found[-1]), []
    if K.follows:
        target = problem.target * K.select(anew, found[-1] - 1, 1.0)
        p = _followed(r, role, problem._replace(target=target), p)
    left = r.speed + r.along(p) - problem.target
    for (k,), x, y in zip(own, shut, within, strict=True):
        touches = y * K.select(K.less(left[k], SWEPT), 1.0, 0.0)
        out.append(K.select(anew, touches, x))
    return out, p


def _followed(r: Rates, role, problem: SwitchProblem, p) -> np.ndarray:
    """Impulses p, constants so far, as functions of what they were found from: one Newton's step
    on their equations, which changes nothing but their derivatives.  DF.17."""
    K, c, n = r.K, r.c, len(r.c.contacts)
    (broken, nothing), ways, lacks, inverse = _told(r, role, problem, p)
    u, asked = r.speed + r.along(p), vector([0] * len(r.G))
    for (k,) in r.own[:n]:
        asked[k] = K.select(_is(K, ways[k], MEETS), u[k] - problem.target[k], 0.0)
    for i, (own, gate) in enumerate(zip(r.own[n:], c.gates, strict=True)):
        if not own or gate is None:
            continue
        h = sum(r.G[j, j] for j in own)
        slides = _is(K, ways[own[0]], SLIDES)
        x = p[own] * h - u[own]
        size = K.sqrt(K.select(slides, x @ x, 1.0))
        most = h * problem.low[i] * p[r.own[gate][0]]
        for k, e in zip(own, x, strict=True):
            stuck = K.select(_is(K, ways[k], STICKS), u[k], 0.0)
            asked[k] = K.select(slides, p[k] * h - most * K.divide(e, size), stuck)
    step = inverse @ (asked - lacks)
    # the root of nothing has no derivative: SE.6
    edge = K.select(K.less(HALF, broken), K.sqrt(nothing * (asked @ asked)), 0.0)
    return p - step + edge


def _told(r: Rates, role, problem: SwitchProblem, p) -> tuple[np.ndarray, ...]:
    """What `impact_slopes.rows_followed` says of impulses p: whether they have no derivative and
    nothing, the ways of rows, what their equations lack, and the inverse of these."""
    m, (words, block) = len(r.G), written(r)
    given = vector([*role, *problem.free, *problem.target, *r.coned(problem), *p])
    shown = 2 + 2 * m + m * m
    text = NativeText("rows_followed", words, 0, shown, shown + 6 * m + 3 * m * m)
    found = r.K.native(text, [block, given])[0]
    head, ways, lacks, inverse = np.split(found, [2, 2 + m, 2 + 2 * m])
    return head, ways, lacks, inverse.reshape(m, m)


def _is(K, way, one):
    return K.less(K.call("abs", way - one), HALF)


def _judged(r: Rates, role, problem: SwitchProblem, p) -> np.ndarray:
    """Impulses p, or no numbers where they miss the laws: DF.15."""
    K, c, n = r.K, r.c, len(r.c.contacts)
    u, worst, scale = r.speed + r.along(p), 0.0, FLOOR
    for (k,) in r.own[:n]:
        x, y, on = p[k] * r.G[k, k], u[k] - problem.target[k], K.call("min", 1.0, role[k])
        off = K.select(K.less(role[k], 1.5), K.call("min", x, y), y)
        worst = K.call("max", worst, on * K.call("abs", off))
        scale = K.call("max", scale, on * K.call("abs", r.speed[k]))
    for i, (own, gate) in enumerate(zip(r.own[n:], c.gates, strict=True)):
        if not own or gate is None:
            continue
        k, h = r.own[gate][0], sum(r.G[j, j] for j in own)
        most = h * problem.low[i] * K.call("max", 0.0, p[k])
        x = p[own] * h - u[own]
        size = K.sqrt(x @ x + FLOOR * FLOOR)
        share, on = K.call("min", 1.0, K.divide(most, size)), K.call("min", 1.0, role[k])
        off = p[own] * h - share * x
        worst = K.call("max", worst, on * K.sqrt(off @ off + FLOOR * FLOOR))
        scale = K.call("max", scale, on * K.sqrt(r.speed[own] @ r.speed[own] + FLOOR * FLOOR))
    fine = K.select(K.less(MISSED * scale, worst), 0.0, 1.0)
    return vector(K.divide(x, fine) for x in p)

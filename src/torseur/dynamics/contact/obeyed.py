"""Whether impulses obey the laws of an impact, and others where they do not.  Theory: DF.15."""

from __future__ import annotations

import numpy as np

from ...numbers import vector
from ...spatial import HALF
from ..balance import SwitchProblem
from ..row_rates import Rates
from .cone import FLOOR

SWEPT = 1e-10  # speed [m/s] to which sweeps over contacts leave what is at rest
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
        return shut, _judged(r, role, problem, p) if K.judged and len(own) > 1 else p
    p, anew, out = found[:-1], K.less(HALF, found[-1]), []
    left = r.speed + r.along(p) - problem.target
    for (k,), x, y in zip(own, shut, within, strict=True):
        touches = y * K.select(K.less(left[k], SWEPT), 1.0, 0.0)
        out.append(K.select(anew, touches, x))
    return out, p


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

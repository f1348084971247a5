"""Impact law: residual of Newton's and Coulomb's laws, its solution, derivatives of the impulses.

Impulses of the active set method are kept where they obey the law.  Others come from the nonlinear
Gauss-Seidel method with Newton's method (`native/`; Alart and Curnier 1991, Jean 1999).  Equations
DF.15, DF.17.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...scalars import vector
from ...spatial import HALF
from .complementarity import SwitchProblem
from .delassus import RowState
from .native_rows import call_native
from .tolerances import IMPACT_RTOL, MIN_FORCE, RESTING_SPEED

NORMAL_ACTIVE, STICKING, SLIDING = 1, 2, 3  # contact modes of `native/impact_sensitivity`


def enforce_impact_law(r: RowState, tried, strikes, closed, problem: SwitchProblem, p: np.ndarray):
    """Closed contacts and impulses (m) that obey the impact law, from those of the active set.

    `tried` are the contacts that were closed or hit.  `strikes` is one if there is an impact.
    Equation DF.15.
    """
    K, role = r.K, vector([0] * len(r.G))
    contacts, participates = r.slots[: len(closed)], []
    for (k,), x, y, stay in zip(contacts, tried, problem.joins, problem.stays, strict=True):
        participates.append(K.call("max", x, y) * strikes)
        role[k] = participates[-1] * (1 + stay)
    solution = r.solve_impact(role, problem, p)
    if solution is None:
        check = K.follows and len(contacts) > 1
        return closed, _reject_wrong_impulses(r, role, problem, p) if check else p
    p, flag = solution[:-1], solution[-1]
    is_new, closed_after = K.less(HALF, flag), []
    if K.follows:
        target = problem.target * K.select(is_new, flag - 1, 1.0)
        p = _differentiable_impulses(r, role, problem._replace(target=target), p)
    left = r.speed + r.multiply_delassus(p) - problem.target
    for (k,), x, y in zip(contacts, closed, participates, strict=True):
        touches = y * K.select(K.less(left[k], RESTING_SPEED), 1.0, 0.0)
        closed_after.append(K.select(is_new, touches, x))
    return closed_after, p


def _differentiable_impulses(
    r: RowState, role: np.ndarray, problem: SwitchProblem, p: np.ndarray
) -> np.ndarray:
    """Impulses p, so far constants, with derivatives, DF.17.

    One Newton's step on the equations of their contact modes.  It changes no value.
    """
    K, c, n = r.K, r.c, len(r.c.contacts)
    (no_derivative, zero), modes, residuals, inverse = _linearize_impact(r, role, problem, p)
    u, equations = r.speed + r.multiply_delassus(p), vector([0] * len(r.G))
    for (k,) in r.slots[:n]:
        equations[k] = K.select(_equals(K, modes[k], NORMAL_ACTIVE), u[k] - problem.target[k], 0.0)
    for i, (rows, normal_contact) in enumerate(zip(r.slots[n:], c.normal_contacts, strict=True)):
        if not rows or normal_contact is None:
            continue
        h = sum(r.G[j, j] for j in rows)
        slides = _equals(K, modes[rows[0]], SLIDING)
        x = p[rows] * h - u[rows]
        size = K.sqrt(K.select(slides, x @ x, 1.0))
        limit = h * problem.low[i] * p[r.slots[normal_contact][0]]
        for k, e in zip(rows, x, strict=True):
            sticking = K.select(_equals(K, modes[k], STICKING), u[k], 0.0)
            sliding = p[k] * h - limit * K.divide(e, size)
            equations[k] = K.select(slides, sliding, sticking)
    step = inverse @ (equations - residuals)
    # the square root of zero has no derivative: SE.6
    edge = K.select(K.less(HALF, no_derivative), K.sqrt(zero * (equations @ equations)), 0.0)
    return p - step + edge


def _linearize_impact(
    r: RowState, role: np.ndarray, problem: SwitchProblem, p: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Flag and zero, contact modes (m), residuals (m) and inverse Jacobian (m, m) of the impact law
    at impulses p; see `native/impact_sensitivity`."""
    m, (layout, block) = len(r.G), r.native_arrays()
    low = r.contact_coefficients(problem)
    inputs = vector([*role, *problem.free, *problem.target, *low, *p])
    shown, work = 2 + 2 * m + m * m, 6 * m + 3 * m * m
    numbers = call_native(r.K, "linearize_impact", layout, [block, inputs], shown, work)[0]
    head, modes, residuals, inverse = np.split(numbers, [2, 2 + m, 2 + 2 * m])
    return head, modes, residuals, inverse.reshape(m, m)


def _equals(K: Any, x, integer):
    """Condition that a scalar which holds an integer equals another one."""
    return K.less(K.call("abs", x - integer), HALF)


def _reject_wrong_impulses(
    r: RowState, role: np.ndarray, problem: SwitchProblem, p: np.ndarray
) -> np.ndarray:
    """Impulses p, not numbers where the residual of the impact law is too large: DF.15."""
    K, c, n = r.K, r.c, len(r.c.contacts)
    u, worst, scale = r.speed + r.multiply_delassus(p), 0.0, MIN_FORCE
    for (k,) in r.slots[:n]:
        x, y, on = p[k] * r.G[k, k], u[k] - problem.target[k], K.call("min", 1.0, role[k])
        residual = K.select(K.less(role[k], 1.5), K.call("min", x, y), y)
        worst = K.call("max", worst, on * K.call("abs", residual))
        scale = K.call("max", scale, on * K.call("abs", r.speed[k]))
    for i, (rows, normal_contact) in enumerate(zip(r.slots[n:], c.normal_contacts, strict=True)):
        if not rows or normal_contact is None:
            continue
        k, h = r.slots[normal_contact][0], sum(r.G[j, j] for j in rows)
        limit = h * problem.low[i] * K.call("max", 0.0, p[k])
        x = p[rows] * h - u[rows]
        size = K.sqrt(x @ x + MIN_FORCE * MIN_FORCE)
        share, on = K.call("min", 1.0, K.divide(limit, size)), K.call("min", 1.0, role[k])
        residual = p[rows] * h - share * x
        worst = K.call("max", worst, on * K.sqrt(residual @ residual + MIN_FORCE * MIN_FORCE))
        speed = K.sqrt(r.speed[rows] @ r.speed[rows] + MIN_FORCE * MIN_FORCE)
        scale = K.call("max", scale, on * speed)
    is_accepted = K.select(K.less(IMPACT_RTOL * scale, worst), 0.0, 1.0)
    return vector(K.divide(x, is_accepted) for x in p)

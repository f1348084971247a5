"""Semismooth Newton method on the impact law's residual, of all contacts at once.

Restricted Python for native code (`compiler/pyjit`), with `layout` and `block` of
`schur_complement`.  The impact law: Newton's restitution along the normals, Coulomb's cone across
them (Alart and Curnier 1991).  Equation DF.15.

Arguments that all functions share: `inputs` holds the role of each row (1 unilateral contact,
2 bilateral, 0 other), rates before the impact, wanted rates, friction coefficients.  `target` are
the wanted rates, `p` impulses along the rows, `rates` the rates after the impact.
"""

from __future__ import annotations

from .dense_ldl import dot_product, solve_by_pivoting
from .schur_complement import friction_table

NEWTON_COMPLIANCE = 1e-10  # of a row, relative to its diagonal of G; redundant rows need it
MAX_NEWTON_STEPS = 12

# --------------------------------------------------------------------------------------------
# Residual of the impact law


def compute_rates(G, free, p, rates, m):
    """Rates along the rows after the impulses: `u = u0 + G p`."""
    for i in range(m):
        rates[i] = free[i] + dot_product(G[i * m :], p, m)


def friction_limit(layout, inputs, p, k):
    """Largest impulse of friction k: coefficient times normal impulse."""
    m = layout[1]
    frictions = friction_table(layout)
    normal, N = frictions[3 * k + 2], 0.0
    if normal >= 0:
        N = p[normal]
    return inputs[3 * m + k] * max(0.0, N)


def impact_residual(layout, G, inputs, target, p, rates):
    """Largest residual of the impact law, as a rate; not a number if an impulse is not one."""
    m, c = layout[1], layout[2]
    frictions, worst = friction_table(layout), 0.0
    for i in range(m):
        if inputs[i] == 1.0:
            worst = max(worst, abs(min(p[i] * G[i * m + i], rates[i] - target[i])))
        if inputs[i] == 2.0:
            worst = max(worst, abs(rates[i] - target[i]))
        if p[i] != p[i]:
            worst = p[i]
    for k in range(c):
        first, last, h, size = frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1], 0.0, 0.0
        for i in range(first, last):
            h = h + G[i * m + i]
        for i in range(first, last):
            e = p[i] * h - rates[i]
            size = size + e * e
        size = size**0.5
        limit = h * friction_limit(layout, inputs, p, k)
        if size > limit:
            size = limit / size
        else:
            size = 1.0
        for i in range(first, last):
            worst = max(worst, abs(p[i] * h - size * (p[i] * h - rates[i])))
    return worst


# --------------------------------------------------------------------------------------------
# Newton's method


def iterate_newton(layout, block, inputs, target, p, rates, work, tolerance):
    """Newton's steps from impulses p; whether they converged.  Then p is the solution."""
    n, m = layout[0], layout[1]
    free, G = inputs[m:], block[n + 2 * m :]
    A, b = work[m:], work[m + m * m :]
    for i in range(m):
        work[i] = p[i]
    step, residual = 0, 2.0 * tolerance
    while step < MAX_NEWTON_STEPS and residual > tolerance:
        compute_rates(G, free, work, rates, m)
        write_normal_equations(layout, G, inputs, target, work, rates, A, b)
        write_friction_equations(layout, G, inputs, work, rates, A, b)
        solve_by_pivoting(A, b, m)
        for i in range(m):
            work[i] = work[i] + b[i]
        compute_rates(G, free, work, rates, m)
        residual = impact_residual(layout, G, inputs, target, work, rates)
        step = step + 1
        if residual != residual:
            step = MAX_NEWTON_STEPS
    if residual <= tolerance:
        for i in range(m):
            p[i] = work[i]
    compute_rates(G, free, p, rates, m)
    return residual <= tolerance


def write_normal_equations(layout, G, inputs, target, p, rates, A, b):
    """Equations of normal and bilateral rows: the wanted rate, or no impulse."""
    m = layout[1]
    for i in range(m):
        h = G[i * m + i]
        acts = inputs[i] == 2.0 or (inputs[i] == 1.0 and p[i] * h > rates[i] - target[i])
        for j in range(m):
            A[i * m + j] = 0.0
            if acts:
                A[i * m + j] = G[i * m + j]
        b[i] = -p[i]
        if acts:
            A[i * m + i] = h * (1.0 + NEWTON_COMPLIANCE)
            b[i] = target[i] - rates[i]
        else:
            A[i * m + i] = 1.0


def write_friction_equations(layout, G, inputs, p, rates, A, b):
    """Equations of friction rows: no slip, or the largest impulse against the slip."""
    m = layout[1]
    frictions = friction_table(layout)
    for k in range(layout[2]):
        first, last, h, size = frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1], 0.0, 0.0
        for i in range(first, last):
            h = h + G[i * m + i]
        for i in range(first, last):
            size = size + (p[i] * h - rates[i]) ** 2.0
        size = size**0.5
        limit = h * friction_limit(layout, inputs, p, k)
        for i in range(first, last):
            if size <= limit:
                for j in range(m):
                    A[i * m + j] = G[i * m + j]
                A[i * m + i] = A[i * m + i] + h * NEWTON_COMPLIANCE
                b[i] = -rates[i]
            else:
                if limit > 0.0:
                    write_sliding_equation(layout, G, inputs, p, rates, A, b, k, i, size, limit, h)


def write_sliding_equation(layout, G, inputs, p, rates, A, b, k, i, size, limit, h):
    """Equation of row i of sliding friction k: `h p = limit x / |x|`, `x = h p - u`, linearized."""
    m = layout[1]
    frictions = friction_table(layout)
    first, last, s = frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1], limit / size
    d = (p[i] * h - rates[i]) / size
    for j in range(m):
        A[i * m + j] = s * G[i * m + j]
    for a in range(first, last):
        e = (p[a] * h - rates[a]) / size
        for j in range(m):
            A[i * m + j] = A[i * m + j] - s * d * e * G[a * m + j]
        A[i * m + a] = A[i * m + a] + s * h * d * e
    A[i * m + i] = A[i * m + i] + h - s * h
    normal = frictions[3 * k + 2]
    A[i * m + normal] = A[i * m + normal] - inputs[3 * m + k] * h * d
    b[i] = limit * d - p[i] * h

"""Static friction distribution: minimum-norm forces of frictions at rest inside their cones.

Restricted Python for native code (`compiler/pyjit`), with `layout` and `block` of
`schur_complement`.  Alternating projections between the Coulomb cones and the forces that keep the
active rows at rest, relaxed, on cones that grow towards their full size.  Equation DF.16.
"""

from __future__ import annotations

from .schur_complement import (
    doubles,
    factor_active_set,
    friction_table,
    longs,
    multiply_sparse,
    solve_active_set,
)

MAX_CONE_SIZES = 17  # sizes of cones that are tried: 1/2, 3/4, 7/8 ... of the full ones
MAX_PROJECTIONS = 60  # alternating projections with each size
PROXIMAL_ROUNDS = 3  # of CK.4
CONE_RTOL = 1e-9  # excess of a friction over its cone, relative
OVERRELAXATION = 1.5  # of the projection onto a cone


def distribute_static_friction(layout_, index, block_, inputs_, out_):
    """Static friction distribution (m), the forces (m) with it, and the outcome of each friction.

    Outcome: 1 if the friction now sticks with those that it is coupled to, -1 if they cannot, 0 if
    nothing was requested of them.  `inputs_`: of each row one if it is active (m), forces (m),
    static coefficient of each friction (0: it has no part in this), previous distribution (m), and
    of each friction one if it is overloaded.
    """
    layout, block = longs(layout_), doubles(block_)
    inputs, out = doubles(inputs_), doubles(out_)
    n, m, c = layout[0], layout[1], layout[2]
    lam, coefficients = inputs[m:], inputs[2 * m :]
    previous = coefficients[c:]
    x, outcomes, coupled = out[m:], out[2 * m :], out[2 * m + c :]
    largest = 0.0
    for i in range(m):
        out[i] = previous[i]
        x[i] = lam[i]
        coupled[i] = 0.0
    for k in range(c):
        outcomes[k] = 0.0
        largest = max(largest, previous[m + k])
    if largest > 0.5:
        mark_coupled_rows(layout, block, inputs, previous[m:], coupled)
        rows = coupled[m:]
        inverse_pivots, b, d, rest = rows[m:], rows[2 * m :], rows[3 * m :], rows[4 * m :]
        S = rest[m:]
        G = block[n + 2 * m :]
        count = factor_active_set(layout, block, coupled, rows, S, inverse_pivots)
        margin, projections, sizes, outcome = 0.5, 0, 0, -1.0
        while sizes < MAX_CONE_SIZES:
            project_on_cones(layout, coupled, coefficients, x, out, 1.0 - margin)
            for i in range(m):
                rest[i] = 0.0
                if coupled[i] > 0.5:
                    rest[i] = lam[i] - out[i]
            for a in range(count):
                b[a] = multiply_sparse(G[int(rows[a]) * m :], rest, m)
            solve_active_set(layout, block, rows, S, inverse_pivots, count, PROXIMAL_ROUNDS, b, d)
            for a in range(count):
                i = int(rows[a])
                x[i] = out[i] + d[a]
            projections = projections + 1
            if are_in_cones(layout, coupled, coefficients, x, 1.0 - margin):
                outcome = 1.0
                sizes = MAX_CONE_SIZES
            elif projections == MAX_PROJECTIONS:
                projections, margin, sizes = 0, 0.5 * margin, sizes + 1
        for k in range(c):
            if is_sticking(layout, coupled, coefficients, k):
                outcomes[k] = outcome


def mark_coupled_rows(layout, block, active, overloaded, coupled):
    """Mark the active rows that G couples, directly or not, to those of overloaded frictions."""
    n, m = layout[0], layout[1]
    frictions, G = friction_table(layout), block[n + 2 * m :]
    for k in range(layout[2]):
        for i in range(frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1]):
            if overloaded[k] > 0.5 and active[i] > 0.5:
                coupled[i] = 1.0
    changed = True
    while changed:
        changed = False
        for i in range(m):
            if coupled[i] > 0.5:
                for j in range(m):
                    if coupled[j] < 0.5 and active[j] > 0.5 and G[i * m + j] != 0.0:
                        coupled[j] = 1.0
                        changed = True


def is_sticking(layout, coupled, coefficients, k):
    """Whether friction k has a cone, a normal row, and coupled rows."""
    frictions = friction_table(layout)
    sticks = frictions[3 * k + 1] > 0 and frictions[3 * k + 2] >= 0 and coefficients[k] > 0.0
    if sticks:
        sticks = coupled[frictions[3 * k]] > 0.5
    return sticks


def project_on_cones(layout, coupled, coefficients, x, y, fraction):
    """Put into y the friction forces of x, relaxed towards cones of a fraction of the full size."""
    m = layout[1]
    frictions = friction_table(layout)
    for i in range(m):
        if coupled[i] > 0.5:
            y[i] = 0.0
    for k in range(layout[2]):
        if is_sticking(layout, coupled, coefficients, k):
            first, size = frictions[3 * k], 0.0
            for i in range(first, first + frictions[3 * k + 1]):
                size = size + x[i] * x[i]
            normal_force = max(0.0, x[frictions[3 * k + 2]])
            size, limit = size**0.5, fraction * coefficients[k] * normal_force
            ratio = 1.0
            if size > limit:
                ratio = limit / size
            for i in range(first, first + frictions[3 * k + 1]):
                y[i] = (1.0 + OVERRELAXATION * (ratio - 1.0)) * x[i]


def are_in_cones(layout, coupled, coefficients, x, fraction):
    """Whether the forces x lie in cones of a fraction of the full size."""
    frictions, inside = friction_table(layout), True
    for k in range(layout[2]):
        if is_sticking(layout, coupled, coefficients, k):
            first, size = frictions[3 * k], 0.0
            for i in range(first, first + frictions[3 * k + 1]):
                size = size + x[i] * x[i]
            limit = fraction * coefficients[k] * x[frictions[3 * k + 2]]
            inside = inside and size**0.5 <= (1.0 + CONE_RTOL) * limit
    return inside

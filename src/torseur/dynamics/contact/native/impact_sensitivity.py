"""Derivatives of the impulses of an impact: inverse Jacobian of the impact law, contact modes.

Restricted Python for native code (`compiler/pyjit`), with `layout`, `block` and arguments of
`impact_newton`.  The impulses decide the contact mode of each row.  The equations of these modes
are then smooth, except where the smallest change of the impulses changes a mode.  Equation DF.17.
"""

from __future__ import annotations

from .dense_ldl import dot_product, solve_by_pivoting
from .impact_newton import compute_rates, friction_limit, impact_residual, write_sliding_equation
from .schur_complement import doubles, friction_table, longs

MODE_EDGE_RTOL = 1e-8  # of the rates: distance to a change of mode
INTERIOR_RTOL = 1e-7  # of the largest impulse: distance of equivalent impulses to the cones
MAX_RATE_GAIN = 1e5  # rate change by a unit of residual; above, it depends on shared impulses
SHARING_COMPLIANCE, SHARING_STEPS = 1e5, 6  # factor of the compliances; Newton's steps
SHARED_IMPULSE_RTOL, SHARED_RATE_RTOL = 1e-6, 1e-9  # of the largest impulse, of the rates
SEPARATING, NORMAL_ACTIVE, STICKING, SLIDING = 0.0, 1.0, 2.0, 3.0  # contact modes of rows


def linearize_impact(layout_, index, block_, inputs_, out_):
    """Modes (m), residuals (m) and inverse Jacobian (m x m) of the impact law at given impulses.

    Before them: 1 if the impulses have no derivative, else 0, and a zero.  `inputs_`: role of each
    row (m), rates before the impact (m), wanted rates (m), friction coefficients, impulses (m).
    """
    layout, block = longs(layout_), doubles(block_)
    inputs, out = doubles(inputs_), doubles(out_)
    n, m, c = layout[0], layout[1], layout[2]
    free, target, p = inputs[m:], inputs[2 * m :], inputs[3 * m + c :]
    compliances, G = block[n + m :], block[n + 2 * m :]
    modes, residuals, B = out[2:], out[2 + m :], out[2 + 2 * m :]
    rates, A = B[m * m :], B[m * m + m :]
    C, D, b = A[m * m :], A[2 * m * m :], A[3 * m * m :]
    w, z = b[3 * m :], b[4 * m :]
    largest = find_contact_modes(layout, G, inputs, target, free, p, rates, modes, w)
    write_mode_equations(layout, G, inputs, target, p, rates, modes, residuals, A, b)
    add_compliances(A, compliances, modes, m, 1.0)
    invert_mode_equations(A, C, B, b, modes, m)
    out[0], out[1], factor = 0.0, 0.0, 1.0
    if depends_on_sharing(G, B, modes, m):
        solve_compliant_limit(layout, G, compliances, inputs, target, free, p, modes, w, z, A, b)
        for i in range(m):
            if abs(z[i] - p[i]) > SHARED_IMPULSE_RTOL * largest:
                out[0] = 1.0  # impulses are not shared by compliances
            w[i] = 0.0
        largest = find_contact_modes(layout, G, inputs, target, free, p, rates, modes, w)
        write_mode_equations(layout, G, inputs, target, p, rates, modes, residuals, A, b)
        invert_compliant_limit(A, C, D, B, b, compliances, modes, m)
        factor = 0.0
    if changes_mode(layout, inputs, compliances, A, B, p, modes, w, b, z, largest, factor):
        out[0] = 1.0


def share_by_compliance(layout, block, inputs, target, p, work):
    """Share impulses p by compliances if rates depend on how redundant sliding contacts share them.

    p stays where the shared impulses miss the impact law.
    """
    n, m = layout[0], layout[1]
    free, compliances, G = inputs[m:], block[n + m :], block[n + 2 * m :]
    rates, modes, w, residuals = work[m:], work[2 * m :], work[3 * m :], work[4 * m :]
    b, A = work[5 * m :], work[8 * m :]
    C, B = A[m * m :], A[2 * m * m :]
    find_contact_modes(layout, G, inputs, target, free, p, rates, modes, w)
    slides = False
    for i in range(m):
        slides = slides or modes[i] == SLIDING
    if slides:
        write_mode_equations(layout, G, inputs, target, p, rates, modes, residuals, A, b)
        add_compliances(A, compliances, modes, m, 1.0)
        invert_mode_equations(A, C, B, b, modes, m)
        if depends_on_sharing(G, B, modes, m):
            solve_compliant_limit(
                layout, G, compliances, inputs, target, free, p, modes, w, work, A, b
            )
            compute_rates(G, free, work, rates, m)
            scale = 0.0
            for i in range(m):
                scale = max(scale, abs(free[i]))
            residual = impact_residual(layout, G, inputs, target, work, rates)
            if residual <= SHARED_RATE_RTOL * scale:
                for i in range(m):
                    p[i] = work[i]


def solve_compliant_limit(layout, G, compliances, inputs, target, free, p, modes, x, y, A, b):
    """Put into y the impulses of the same modes as p in the limit of vanishing compliances.

    Solutions with compliances of two sizes, and Richardson extrapolation to zero.
    """
    m, factor = layout[1], SHARING_COMPLIANCE
    for i in range(m):
        y[i], x[i] = p[i], p[i]
    for k in range(2):
        for _ in range(SHARING_STEPS):
            step_compliant_newton(
                layout, G, compliances, inputs, target, free, modes, x, A, b, factor, factor
            )
        for i in range(m):
            if k == 0:
                y[i] = -x[i]
            else:
                y[i] = y[i] + 2.0 * x[i]
        factor = 0.5 * factor
    for _ in range(2):
        step_compliant_newton(
            layout, G, compliances, inputs, target, free, modes, y, A, b, SHARING_COMPLIANCE, 0.0
        )


def step_compliant_newton(
    layout, G, compliances, inputs, target, free, modes, x, A, b, factor, residual_factor
):
    """One Newton's step of impulses x whose active rows have compliances times a factor."""
    m = layout[1]
    compute_rates(G, free, x, b[m:], m)
    write_mode_equations(layout, G, inputs, target, x, b[m:], modes, b[2 * m :], A, b)
    add_compliances(A, compliances, modes, m, factor)
    for i in range(m):
        b[i] = b[2 * m + i]
        if modes[i] == NORMAL_ACTIVE or modes[i] == STICKING:
            b[i] = b[i] + residual_factor * compliances[i] * x[i]
    solve_by_pivoting(A, b, m)
    for i in range(m):
        x[i] = x[i] - b[i]


def invert_compliant_limit(A, C, D, B, b, compliances, modes, m):
    """Put into B the inverse of A in the limit of vanishing compliances; A is restored."""
    add_compliances(A, compliances, modes, m, SHARING_COMPLIANCE)
    invert_mode_equations(A, C, D, b, modes, m)
    add_compliances(A, compliances, modes, m, -0.5 * SHARING_COMPLIANCE)
    invert_mode_equations(A, C, B, b, modes, m)
    add_compliances(A, compliances, modes, m, -0.5 * SHARING_COMPLIANCE)
    for i in range(m * m):
        B[i] = 2.0 * B[i] - D[i]


def find_contact_modes(layout, G, inputs, target, free, p, rates, modes, w):
    """Contact modes and rates of all rows, directions w towards a change of mode.

    Returns the largest impulse.
    """
    m, edge, largest = layout[1], 0.0, 0.0
    compute_rates(G, free, p, rates, m)
    for i in range(m):
        edge = max(edge, MODE_EDGE_RTOL * abs(free[i]))
        largest = max(largest, abs(p[i]))
    find_normal_modes(layout, G, inputs, target, p, rates, modes, w, edge, largest)
    find_friction_modes(layout, G, inputs, p, rates, modes, w, edge)
    return largest


def write_mode_equations(layout, G, inputs, target, p, rates, modes, residuals, A, b):
    """Jacobian A and residuals of the equations of all contact modes."""
    m = layout[1]
    for i in range(m):
        residuals[i] = 0.0
        for j in range(m):
            A[i * m + j] = 0.0
        if modes[i] == NORMAL_ACTIVE or modes[i] == STICKING:
            residuals[i] = rates[i]
            if modes[i] == NORMAL_ACTIVE:
                residuals[i] = rates[i] - target[i]
            for j in range(m):
                A[i * m + j] = G[i * m + j]
        if modes[i] == SEPARATING:
            A[i * m + i] = 1.0
    write_sliding_equations(layout, G, inputs, p, rates, modes, residuals, A, b)


def add_compliances(A, compliances, modes, m, factor):
    """Add compliances times a factor to the diagonal of active rows (CK.4)."""
    for i in range(m):
        if modes[i] == NORMAL_ACTIVE or modes[i] == STICKING:
            A[i * m + i] = A[i * m + i] + factor * compliances[i]


def find_normal_modes(layout, G, inputs, target, p, rates, modes, w, edge, largest):
    """Modes of normal rows; w marks impulses that the smallest change may end."""
    m = layout[1]
    for i in range(m):
        modes[i], w[i], reach = SEPARATING, 0.0, 0.0
        x, y = p[i] * G[i * m + i], rates[i] - target[i]
        if inputs[i] == 2.0 or (inputs[i] == 1.0 and x > y):
            modes[i] = NORMAL_ACTIVE
        distance = abs(x)  # a bilateral row may pull: then it has no friction
        if inputs[i] == 1.0:
            distance = max(x, y)
        if inputs[i] > 0.0 and distance <= edge:
            for j in range(m):
                reach = reach + abs(G[i * m + j] * p[j])
            if reach > edge:
                modes[i], w[i] = NORMAL_ACTIVE, largest
            elif inputs[i] == 1.0:
                modes[i] = SEPARATING


def find_friction_modes(layout, G, inputs, p, rates, modes, w, edge):
    """Modes of frictions with an active normal row; w is against those at their limit."""
    m = layout[1]
    frictions = friction_table(layout)
    for k in range(layout[2]):
        first, last = frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1]
        normal = frictions[3 * k + 2]
        h, slip, size, is_pressed = 0.0, 0.0, 0.0, False
        if normal >= 0:
            presses = p[normal] * G[normal * m + normal] > edge or w[normal] > 0.0
            is_pressed = modes[normal] == NORMAL_ACTIVE and presses
        for i in range(first, last):
            h = h + G[i * m + i]
            slip, size = slip + rates[i] ** 2.0, size + p[i] ** 2.0
        slip, size, limit = slip**0.5, size**0.5, friction_limit(layout, inputs, p, k)
        if is_pressed and (slip > edge or inputs[3 * m + k] > 0.0):
            for i in range(first, last):
                modes[i] = STICKING
                if slip > edge:
                    modes[i] = SLIDING
                if slip <= edge and h * (limit - size) <= edge:
                    w[i] = -p[i]


def write_sliding_equations(layout, G, inputs, p, rates, modes, residuals, A, b):
    """Jacobian and residuals of the equations of sliding frictions."""
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
            if modes[i] == SLIDING:
                write_sliding_equation(layout, G, inputs, p, rates, A, b, k, i, size, limit, h)
                residuals[i] = -b[i]


def invert_mode_equations(A, C, B, b, modes, m):
    """Inverse B of A; columns of separating rows are zero."""
    for j in range(m):
        for i in range(m):
            B[i * m + j], b[i] = 0.0, 0.0
        if modes[j] != SEPARATING:
            for i in range(m * m):
                C[i] = A[i]
            b[j] = 1.0
            solve_by_pivoting(C, b, m)
            for i in range(m):
                B[i * m + j] = b[i]


def depends_on_sharing(G, B, modes, m):
    """Whether rates depend on impulses that the equations leave undetermined."""
    depends = False
    for j in range(m):
        if modes[j] != SEPARATING:
            for i in range(m):
                change = 0.0
                for k in range(m):
                    change = change + G[i * m + k] * B[k * m + j]
                if abs(change) > MAX_RATE_GAIN:
                    depends = True
    return depends


def changes_mode(layout, inputs, compliances, A, B, p, modes, w, b, z, largest, factor):
    """Whether the smallest change of the impulses changes a contact mode.

    It does not where equivalent impulses lie inside the cones: redundant sticking contacts may pull
    at each other.
    """
    m, is_marked, t, changes = layout[1], False, 0.3, False
    for i in range(m):
        is_marked = is_marked or w[i] != 0.0
        b[i] = dot_product(A[i * m :], w, m)
        if modes[i] == NORMAL_ACTIVE or modes[i] == STICKING:
            b[i] = b[i] - factor * compliances[i] * w[i]
    if is_marked:
        for i in range(m):
            z[i] = w[i] - dot_product(B[i * m :], b, m)
        changes = True
        while t > 1e-4 and changes:
            for i in range(m):
                b[i] = p[i] + t * z[i]
            changes = not are_inside_cones(layout, inputs, b, modes, INTERIOR_RTOL * largest)
            t = 0.3 * t
    return changes


def are_inside_cones(layout, inputs, p, modes, margin):
    """Whether active contacts push and sticking frictions are below their limit, by a margin."""
    m, inside = layout[1], True
    frictions = friction_table(layout)
    for i in range(m):
        if inputs[i] == 1.0 and modes[i] == NORMAL_ACTIVE and p[i] <= margin:
            inside = False
    for k in range(layout[2]):
        first, last, size = frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1], 0.0
        if last > first and modes[first] == STICKING:
            for i in range(first, last):
                size = size + p[i] ** 2.0
            if size**0.5 > friction_limit(layout, inputs, p, k) - margin:
                inside = False
    return inside

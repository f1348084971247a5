"""Nonlinear Gauss-Seidel method for impacts with Coulomb friction (Jean 1999).

Restricted Python for native code (`compiler/pyjit`), with `layout` and `block` of
`schur_complement`.  Each contact in turn takes the impulse that Newton's restitution law and
Coulomb's cone give it alone under the impulses of all others: separating, sticking or sliding,
exactly and in three dimensions.  After every ten sweeps Newton's method is tried on all contacts
(`impact_newton`; Alart and Curnier 1991).  Equation DF.15.

`w`, the workspace of one contact: changes of three rates by three impulses (0, row by row), rates
(9), wanted rate (12), impulses that result (13), numbers of the rows (16), present impulses (19),
interval of slip directions (22), values of `sliding_misalignment` (27), relaxation factor (40).
"""

from __future__ import annotations

from .impact_newton import compute_rates, friction_limit, impact_residual, iterate_newton
from .impact_sensitivity import share_by_compliance
from .schur_complement import doubles, friction_table, longs

MIN_RATE_SCALE = 1e-30  # [m/s]
GOAL_RTOL = 3e-12  # residual over rates before the impact: goal of the iterations,
ACCEPTED_RTOL = 1e-9  # accepted,
FAILURE_RTOL = 1e-4  # and no solution
MAX_SWEEPS, PHASES, MAX_BISECTIONS = 400, 3, 60
NEWTON_INTERVAL = 10  # sweeps between two trials of Newton's method
RELAXATION = 40  # position of the relaxation factor in w
SLIP_DIRECTIONS = 32  # that are tried, and cosine and sine of the angle between two of them
COS_STEP, SIN_STEP = 0.9807852804032304, 0.19509032201612825


def solve_impact(layout_, index, block_, inputs_, out_):
    """Impulses (m) along all rows that obey the impact law, and a flag.

    Flag: 0 if the first guess obeys it, else 1 plus the fraction of the restitution that was
    applied.  Impulses are not numbers if no solution was found.  `inputs_`: role of each row
    (1 unilateral contact, 2 bilateral, 0 other) (m), rates before the impact (m), wanted rates (m),
    friction coefficients, first guess of the impulses (m).
    """
    layout, block = longs(layout_), doubles(block_)
    inputs, out = doubles(inputs_), doubles(out_)
    n, m, c = layout[0], layout[1], layout[2]
    free, guess = inputs[m:], inputs[3 * m + c :]
    G, p, rates, w = block[n + 2 * m :], out[m + 1 :], out[2 * m + 1 :], out[4 * m + 1 :]
    target = out[3 * m + 1 :]
    scale, largest_role = MIN_RATE_SCALE, 0.0
    for i in range(m):
        scale, largest_role = max(scale, abs(free[i])), max(largest_role, inputs[i])
        out[i] = guess[i]
        p[i] = guess[i]
        target[i] = inputs[2 * m + i]
    out[m] = 0.0
    compute_rates(G, free, p, rates, m)
    residual = impact_residual(layout, G, inputs, target, p, rates)
    if largest_role > 0.0 and (residual != residual or residual > ACCEPTED_RTOL * scale):
        if residual != residual or residual > scale:
            for i in range(m):
                p[i] = 0.0
        fraction = 1.0
        while fraction >= 0.0:
            for i in range(m):
                target[i] = fraction * inputs[2 * m + i]  # reduced restitution: DF.15
            out[m] = 1.0 + fraction
            fraction = fraction - 0.25
            best = iterate_phases(layout, block, inputs, target, p, rates, w, out, scale)
            if best < FAILURE_RTOL * scale:
                fraction = -1.0
                share_by_compliance(layout, block, inputs, target, out, w[RELAXATION + 1 :])
            else:
                for i in range(m):
                    out[i] = (scale - scale) / (out[m] - out[m])


def iterate_phases(layout, block, inputs, target, p, rates, w, out, scale):
    """Put the best impulses of up to three phases of sweeps into out; return their residual."""
    n, m = layout[0], layout[1]
    free, G = inputs[m:], block[n + 2 * m :]
    best, phase = scale, 0
    while phase < PHASES and best > ACCEPTED_RTOL * scale:
        w[RELAXATION] = 1.0
        if phase > 1:  # both orders of sweeps oscillated
            w[RELAXATION] = 0.4
        sweep, since_newton = 0, NEWTON_INTERVAL - 1
        compute_rates(G, free, p, rates, m)
        while sweep < MAX_SWEEPS and best > GOAL_RTOL * scale:
            since_newton, converged = since_newton + 1, False
            if since_newton == NEWTON_INTERVAL:
                since_newton = 0
                work = w[RELAXATION + 1 :]
                goal = GOAL_RTOL * scale
                converged = iterate_newton(layout, block, inputs, target, p, rates, work, goal)
            if not converged:
                sweep_contacts(layout, block, inputs, target, p, rates, w, phase)
            compute_rates(G, free, p, rates, m)
            residual = impact_residual(layout, G, inputs, target, p, rates)
            sweep = sweep + 1
            if residual < best:
                best = residual
                for i in range(m):
                    out[i] = p[i]
        phase = phase + 1
        for i in range(m):
            p[i] = 0.0
    return best


def sweep_contacts(layout, block, inputs, target, p, rates, w, phase):
    """One sweep: each contact with the first friction that it presses, then all other frictions.

    Odd phases sweep backwards, later ones begin elsewhere.
    """
    m, c = layout[1], layout[2]
    frictions = friction_table(layout)
    shift = int(0.5 * phase)
    begin = shift * int(0.34 * m)
    for j in range(m):
        i = begin + j
        if phase != 2 * shift:
            i = begin + m - 1 - j
        while i >= m:
            i = i - m
        if inputs[i] != 0.0:
            friction = -1
            for h in range(c):
                k = c - 1 - h
                if frictions[3 * k + 2] == i and frictions[3 * k + 1] > 0:
                    friction = k
            solve_contact(layout, block, inputs, target, p, rates, w, i, friction)
    for k in range(c):
        repeated = False  # another friction of this normal row was solved with its contact
        for h in range(k):
            repeated = repeated or frictions[3 * h + 2] == frictions[3 * k + 2]
        if repeated and frictions[3 * k + 2] >= 0 and frictions[3 * k + 1] > 0:
            solve_contact(layout, block, inputs, target, p, rates, w, -1, k)


def solve_contact(layout, block, inputs, target, p, rates, w, i, k):
    """Update the impulses of normal row i (-1: none) and friction k (-1: none), others fixed."""
    m = layout[1]
    frictions = friction_table(layout)
    G, row, coefficient = block[layout[0] + 2 * m :], w[16:], 0.0
    row[0], row[1], row[2] = i, -1.0, -1.0
    if k >= 0:
        coefficient = inputs[3 * m + k]
        for j in range(frictions[3 * k + 1]):
            row[1 + j] = frictions[3 * k] + j
    write_local_problem(layout, block, p, rates, w)
    if i >= 0:
        w[12] = target[i]
        solve_frictional_contact(w, coefficient, inputs[i])
    else:
        solve_friction(w, w[9 + 1], w[9 + 2], friction_limit(layout, inputs, p, k))
    for a in range(3):
        if row[a] >= 0.0:
            j = int(row[a])
            change = w[RELAXATION] * (w[13 + a] - p[j])
            p[j] = p[j] + change
            if change != 0.0:
                for b in range(m):
                    rates[b] = rates[b] + G[j * m + b] * change


def write_local_problem(layout, block, p, rates, w):
    """Local Delassus matrix of three rows, and their rates without their own impulses."""
    n, m = layout[0], layout[1]
    compliances, G, row = block[n + m :], block[n + 2 * m :], w[16:]
    for a in range(3):
        for b in range(3):
            w[3 * a + b] = 0.0
            if row[a] >= 0.0 and row[b] >= 0.0:
                w[3 * a + b] = G[int(row[a]) * m + int(row[b])]
        w[9 + a], w[13 + a], w[19 + a] = 0.0, 0.0, 0.0
        if row[a] >= 0.0:
            w[3 * a + a] = w[3 * a + a] + compliances[int(row[a])]  # CK.4
            w[9 + a], w[19 + a] = rates[int(row[a])], p[int(row[a])]
            for b in range(3):
                if row[b] >= 0.0:
                    w[9 + a] = w[9 + a] - w[3 * a + b] * p[int(row[b])]
        else:
            w[3 * a + a] = 1.0


def solve_frictional_contact(w, coefficient, role):
    """Impulse of one contact with friction: separating, sticking or sliding."""
    u, p, present = w[9:], w[13:], w[19:]
    missing = w[12] - u[0]
    if role == 1.0 and missing <= 0.0:
        p[0], p[1], p[2] = 0.0, 0.0, 0.0
    else:
        solve_sticking(w, missing)
        limit = coefficient * max(0.0, p[0])
        separates = role == 1.0 and p[0] < 0.0
        if separates or p[1] * p[1] + p[2] * p[2] > limit * limit:
            if coefficient == 0.0:
                p[0], p[1], p[2] = missing / w[0], 0.0, 0.0
            else:
                if solve_sliding(w, coefficient) == 0.0:  # normal, then friction
                    N = (missing - w[1] * present[1] - w[2] * present[2]) / w[0]
                    if role == 1.0:
                        N = max(0.0, N)
                    y, z = u[1] + w[3] * N, u[2] + w[6] * N
                    solve_friction(w, y, z, coefficient * max(0.0, N))
                    p[0] = N


def solve_sticking(w, missing):
    """Impulse that gives the wanted normal rate and no slip: three linear equations."""
    p, a, b = w[13:], w[3] / w[0], w[6] / w[0]
    A, B, C = w[4] - a * w[1], w[5] - a * w[2], w[8] - b * w[2]
    y, z = -w[10] - a * missing, -w[11] - b * missing
    h = A * C - B * B
    p[1], p[2] = (C * y - B * z) / h, (A * z - B * y) / h
    p[0] = (missing - w[1] * p[1] - w[2] * p[2]) / w[0]


def solve_friction(w, y, z, limit):
    """Friction impulse of at most `limit` against the rates y and z; no normal impulse (DF.8)."""
    p, A, B, C = w[13:], w[4], w[5], w[8]
    h = A * C - B * B
    p[0], p[1], p[2] = 0.0, (B * z - C * y) / h, (B * y - A * z) / h
    if p[1] * p[1] + p[2] * p[2] > limit * limit:
        s = max(0.0, (y * y + z * z) ** 0.5 - limit * (A + C))
        p[1], p[2] = 0.0, 0.0
        if limit > 0.0:
            for _ in range(MAX_BISECTIONS):  # Newton's steps for the slip rate s, DF.8
                a, c = s + limit * A, s + limit * C
                h = 1.0 / (a * c - limit * B * limit * B)
                d, e = (c * y - limit * B * z) * h, (a * z - limit * B * y) * h
                f, g = (c * d - limit * B * e) * h, (a * e - limit * B * d) * h
                size = d * d + e * e
                p[1], p[2] = -limit * d / size**0.5, -limit * e / size**0.5
                step = size / (d * f + e * g) * (size**0.5 - 1.0)
                s = max(0.0, s + step)
                if abs(step) <= 1e-16 * s:
                    break


def solve_sliding(w, coefficient):
    """Impulse of a sliding contact, friction against the slip after the impact; 0 if none exists.

    Sign changes of `sliding_misalignment` between 32 directions, then bisection.  Of several
    solutions the one nearest to the present friction is taken.
    """
    p, present, best, is_solved = w[13:], w[19:], -2.0, 0.0
    size = (present[1] * present[1] + present[2] * present[2]) ** 0.5
    interval = w[22:]
    a, b = 1.0, 0.0
    if size > 0.0:
        a, b = -present[1] / size, -present[2] / size
    d, e = a, b
    last = sliding_misalignment(w, coefficient, d, e)
    for _ in range(SLIP_DIRECTIONS):
        f, g = COS_STEP * d - SIN_STEP * e, SIN_STEP * d + COS_STEP * e
        value = sliding_misalignment(w, coefficient, f, g)
        if last == last and value == value and ((last <= 0.0) != (value <= 0.0) or last == 0.0):
            interval[0], interval[1], interval[2], interval[3] = d, e, f, g
            if bisect_slip_direction(w, coefficient, interval, last) == 1.0:
                dot = a * interval[0] + b * interval[1]
                if size == 0.0:
                    dot = 1.0 / (1.0 + abs(w[22 + 5]))
                if dot > best:
                    best, is_solved = dot, 1.0
                    p[0], p[1], p[2] = interval[5], interval[6], interval[7]
        d, e, last = f, g, value
    return is_solved


def sliding_misalignment(w, coefficient, d, e):
    """Cross product of the direction (d, e) and the slip that friction against it leaves.

    Behind w[26]: normal impulse, two friction impulses, slip along (d, e), effective compliance.
    """
    out, h = w[26:], w[1] * d + w[2] * e
    compliance = w[0] - coefficient * h
    out[1] = (w[12] - w[9]) / compliance
    size = coefficient * out[1]
    out[2], out[3] = -size * d, -size * e
    y = w[10] + w[3] * out[1] + w[4] * out[2] + w[5] * out[3]
    z = w[11] + w[6] * out[1] + w[7] * out[2] + w[8] * out[3]
    out[4] = y * d + z * e
    out[5] = compliance
    return d * z - e * y


def bisect_slip_direction(w, coefficient, interval, first):
    """Bisect between two directions; 1 if friction is against the slip at the solution, else 0."""
    begins_negative = first <= 0.0
    for _ in range(MAX_BISECTIONS):
        d, e = interval[0] + interval[2], interval[1] + interval[3]
        size = (d * d + e * e) ** 0.5
        d, e = d / size, e / size
        value = sliding_misalignment(w, coefficient, d, e)
        if (value <= 0.0) == begins_negative:
            interval[0], interval[1] = d, e
        else:
            interval[2], interval[3] = d, e
    last = sliding_misalignment(w, coefficient, interval[0], interval[1])
    if interval[8] >= 0.0 and interval[9] > 0.0 and interval[5] >= 0.0 and last == last:
        return 1.0
    return 0.0

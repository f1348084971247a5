"""Delassus matrix (Schur complement) of switched constraint rows, and the forces along them.

Restricted Python for native code (`compiler/pyjit`), compiled once per machine.  A kernel calls it
with integer tables, so that its own text does not grow with the square of the number of rows.
Equations DF.4, DF.9, DF.14 (Acary and Brogliato, Numerical Methods for Nonsmooth Dynamical
Systems).

A is a symmetric matrix of n unknowns (the mass matrix), J are m constraint rows, and
`G = J A^-1 J'` is the Delassus matrix.  A friction is a group of one or two rows.  While it slides,
its force has a given direction and is proportional to the force of its normal row.

Integer table `layout`, the same for all routines:

    0 .. 4      n, m, number of frictions, number of entries of A, number of entries of J
    then        position in A (row * n + column) of each entry of its upper triangle,
                row and column of each entry of J,
                owner (element) of each row,
                of each friction: its first row, how many rows, its normal row (-1: constant force)

Unknowns are numbered in the order of elimination.  `block`, the result of `assemble_delassus`:

    n           x = A^-1 r, the unknowns without forces along rows
    m           rates along the rows without forces: J x - wanted rates
    m           compliances of the rows (proximal term, CK.4)
    m * m       G
    n * n       A, factored
    n           inverse pivots of A
    1           number of requested rows
    m           column of each row among the requested rows, -1 if it is not one
    n * m       requested rows after forward elimination, one column each
"""

from __future__ import annotations

from .dense_ldl import (
    dot_product,
    factor_ldl,
    solve_ldl,
    solve_upper_ldl,
    solve_without_pivoting,
)

MIN_COMPLIANCE = 1e-30  # keeps the pivot of a row without entries away from zero
PROXIMAL_COMPLIANCE = 1e-10  # added to a row, relative to the row's own compliance
HEADER_LENGTH = 5  # integers before the tables


def longs(address):
    """Array of integers at an address; in Python the argument is an array already."""
    return address


doubles = longs


def friction_table(layout):
    """Part of `layout` with three integers of each friction."""
    return layout[HEADER_LENGTH + layout[3] + 2 * layout[4] + layout[1] :]


def assemble_delassus(layout_, index, entries_, inputs_, out_):
    """Factor A and compute the Delassus matrix of the requested rows: `block`, DF.9.

    `entries_`: values of A and J.  `inputs_`: right-hand side r (n), wanted rates of the rows (m),
    and of each row one if it is requested (m).
    """
    layout, values = longs(layout_), doubles(entries_)
    inputs, out = doubles(inputs_), doubles(out_)
    n, m = layout[0], layout[1]
    positions = layout[HEADER_LENGTH:]
    row_entries = positions[layout[3] :]
    owners = row_entries[2 * layout[4] :]
    row_values = values[layout[3] :]
    wanted_rates = inputs[n:]
    requested = wanted_rates[m:]
    free_rates, compliances = out[n:], out[n + m :]
    A = out[n + 2 * m + m * m :]
    inverse_pivots = A[n * n :]
    columns = inverse_pivots[n + 1 :]
    Y = columns[m:]
    for k in range(n * n):
        A[k] = 0.0
    for k in range(layout[3]):
        A[positions[k]] = values[k]
    width = 0
    for i in range(m):
        columns[i] = -1.0
        free_rates[i] = -wanted_rates[i]
        compliances[i] = MIN_COMPLIANCE
        if requested[i] != 0.0:
            columns[i] = width
            width = width + 1
    inverse_pivots[n] = width
    for k in range(n):
        inverse_pivots[k] = 1.0 / A[k * n + k]
        out[k] = inputs[k]
    for k in range(n * width):
        Y[k] = 0.0
    for k in range(layout[4]):
        i, j = row_entries[2 * k], row_entries[2 * k + 1]
        if requested[i] != 0.0:
            e = row_values[k]
            compliances[i] = compliances[i] + e * e * inverse_pivots[j]  # CK.3
            Y[j * width + int(columns[i])] = e
    factor_ldl(A, inverse_pivots, n)
    solve_ldl(A, inverse_pivots, n, out)
    for k in range(layout[4]):
        i = row_entries[2 * k]
        if requested[i] != 0.0:
            free_rates[i] = free_rates[i] + row_values[k] * out[row_entries[2 * k + 1]]
    average_compliances(compliances, owners, m)
    for k in range(n):
        pivot_row = Y[k * width :]
        for i in range(k + 1, n):
            l = A[k * n + i] * inverse_pivots[k]
            if l != 0.0:
                row = Y[i * width :]
                for j in range(width):
                    row[j] = row[j] - l * pivot_row[j]  # CK.2
    multiply_eliminated_rows(layout, out, width)


def average_compliances(compliances, owners, m):
    """Give all rows of one owner the mean of their compliances, times the proximal factor."""
    first = 0
    while first < m:
        last = first
        total = 0.0
        while last < m and owners[last] == owners[first]:
            total = total + compliances[last]
            last = last + 1
        factor = PROXIMAL_COMPLIANCE / (last - first)
        for i in range(first, last):
            compliances[i] = total * factor
        first = last


def multiply_eliminated_rows(layout, out, width):
    """G of the requested rows from their eliminated columns: `G = Y' D^-1 Y`, DF.9."""
    n, m = layout[0], layout[1]
    G = out[n + 2 * m :]
    inverse_pivots = G[m * m + n * n :]
    columns = inverse_pivots[n + 1 :]
    Y = columns[m:]
    row = Y[n * width :]
    for i in range(m):
        a = int(columns[i])
        if a >= 0:
            for b in range(width):
                row[b] = 0.0
            for k in range(n):
                t = Y[k * width + a] * inverse_pivots[k]
                if t != 0.0:
                    y = Y[k * width :]
                    for b in range(width):
                        row[b] = row[b] + t * y[b]
            for j in range(m):
                if columns[j] >= 0.0:
                    G[i * m + j] = row[int(columns[j])]


def factor_active_set(layout, block, active, rows, S, inverse_pivots):
    """Factor G of the active rows; put their numbers into `rows`, return how many there are."""
    n, m = layout[0], layout[1]
    compliances = block[n + m :]
    G = compliances[m:]
    count = 0
    for i in range(m):
        if active[i] != 0.0:
            rows[count] = i
            count = count + 1
    for a in range(count):
        i = int(rows[a])
        for b in range(a, count):
            j = int(rows[b])
            S[a * count + b] = G[i * m + j] * (active[i] * active[j])
        S[a * count + a] = S[a * count + a] + (compliances[i] + (1.0 - active[i]))
    factor_ldl(S, inverse_pivots, count)
    return count


def solve_active_set(layout, block, rows, S, inverse_pivots, count, rounds, b, x):
    """Forces x along the active rows from their missing rates b, by proximal iterations (CK.4)."""
    compliances = block[layout[0] + layout[1] :]
    for a in range(count):
        x[a] = b[a]
    solve_ldl(S, inverse_pivots, count, x)
    for _ in range(rounds - 1):
        for a in range(count):
            x[a] = b[a] + compliances[int(rows[a])] * x[a]
        solve_ldl(S, inverse_pivots, count, x)


def solve_active_rows(layout_, rounds, block_, inputs_, out_):
    """Forces (m) along the active rows from the missing rate of each; zero along the others.

    `inputs_`: of each row one if it is active (m), missing rates (m).
    """
    layout, block = longs(layout_), doubles(block_)
    active, out = doubles(inputs_), doubles(out_)
    m = layout[1]
    missing = active[m:]
    rows = out[m:]
    inverse_pivots = rows[m:]
    b = inverse_pivots[m:]
    x = b[m:]
    S = x[m:]
    count = factor_active_set(layout, block, active, rows, S, inverse_pivots)
    for a in range(count):
        i = int(rows[a])
        b[a] = active[i] * missing[i]
    solve_active_set(layout, block, rows, S, inverse_pivots, count, rounds, b, x)
    for i in range(m):
        out[i] = 0.0
    for a in range(count):
        out[int(rows[a])] = x[a]


def multiply_delassus(layout_, index, block_, forces_, out_):
    """Rates (m) along the rows that forces (m) along them cause: `G x`."""
    layout, block, x, out = longs(layout_), doubles(block_), doubles(forces_), doubles(out_)
    n, m = layout[0], layout[1]
    G = block[n + 2 * m :]
    for i in range(m):
        out[i] = 0.0
    for j in range(m):
        f = x[j]
        if f != 0.0:
            row = G[j * m :]
            for i in range(m):
                out[i] = out[i] + row[i] * f


def solve_mass_matrix(layout_, index, block_, forces_, out_):
    """Change (n) of the unknowns that forces (m) along the rows cause: `A^-1 J' x`."""
    layout, block, x, out = longs(layout_), doubles(block_), doubles(forces_), doubles(out_)
    n, m = layout[0], layout[1]
    A = block[n + 2 * m + m * m :]
    inverse_pivots = A[n * n :]
    width, columns = int(inverse_pivots[n]), inverse_pivots[n + 1 :]
    Y = columns[m:]
    for k in range(n):
        out[k] = 0.0
    for i in range(m):
        f = x[i]
        if f != 0.0:
            y = Y[int(columns[i]) :]
            for k in range(n):
                out[k] = out[k] + y[k * width] * f
    solve_upper_ldl(A, inverse_pivots, n, out)


def multiply_sparse(row, x, m):
    """`row . x` over non-zero x: entries of G of rows that were not requested are undefined."""
    total = 0.0
    for j in range(m):
        if x[j] != 0.0:
            total = total + row[j] * x[j]
    return total


def is_sliding(layout, k, directions, active):
    """Whether friction k has a slip direction, and a constant size or an active normal row."""
    frictions = friction_table(layout)
    first, normal, largest = frictions[3 * k], frictions[3 * k + 2], 0.0
    for i in range(first, first + frictions[3 * k + 1]):
        largest = max(largest, abs(directions[i]))
    if largest != 0.0 and normal >= 0:
        largest = active[normal]
    return largest != 0.0


def count_normal_rows(layout):
    """Number of frictions whose size depends on a normal row."""
    frictions, count = friction_table(layout), 0
    for k in range(layout[2]):
        if frictions[3 * k + 1] > 0 and frictions[3 * k + 2] >= 0:
            count = count + 1
    return count


def solve_sliding_sizes(layout, coefficients, rows, count, lam, sliding, responses, s, C, sizes):
    """Sizes of the s sliding frictions: `f_i = k_i (N0_i + N1_ij f_j)`, DF.4.

    `lam` are the forces along the active rows without them, `responses` the change of these forces
    by a unit of each.
    """
    frictions, single = friction_table(layout), count_normal_rows(layout) == 1
    for p in range(s):
        k = int(sliding[p])
        normal, t = frictions[3 * k + 2], coefficients[k]
        for q in range(s):
            C[p * s + q] = 0.0
        C[p * s + p] = 1.0
        sizes[p] = t
        if normal >= 0:
            a = 0
            while int(rows[a]) != normal:
                a = a + 1
            if single and lam[a] < 0.0:  # a single one takes the size of its normal force
                t = -t
            sizes[p] = t * lam[a]
            for q in range(s):
                C[p * s + q] = C[p * s + q] - t * responses[q * count + a]
    solve_without_pivoting(C, sizes, s)
    for p in range(s):
        if frictions[3 * int(sliding[p]) + 2] >= 0 and not single:
            sizes[p] = max(0.0, sizes[p])


def solve_row_forces(layout_, rounds, block_, inputs_, out_):
    """Forces (m) along all rows, sticking and sliding, then the sizes of sliding frictions.

    `inputs_`: of each row one if it is active (m), slip directions of frictions (m), rates without
    forces (m), wanted rates (m), sliding coefficients or forces of frictions, and the static
    friction distribution (m): the forces of active rows are the nearest ones to it (DF.16).
    """
    layout, block = longs(layout_), doubles(block_)
    active, out = doubles(inputs_), doubles(out_)
    n, m, c = layout[0], layout[1], layout[2]
    frictions = friction_table(layout)
    directions, free, target = active[m:], active[2 * m :], active[3 * m :]
    G = block[n + 2 * m :]
    rows = out[m + c :]
    inverse_pivots, b, lam = rows[m:], rows[2 * m :], rows[3 * m :]
    sliding = lam[m:]
    sizes, responses = sliding[c:], sliding[2 * c :]
    C = responses[c * m :]
    S = C[c * c :]
    count, s = factor_active_set(layout, block, active, rows, S, inverse_pivots), 0
    distribution = active[4 * m + c :]
    for a in range(count):
        i = int(rows[a])
        b[a] = active[i] * (target[i] - free[i] - multiply_sparse(G[i * m :], distribution, m))
    solve_active_set(layout, block, rows, S, inverse_pivots, count, rounds, b, lam)
    for a in range(count):
        lam[a] = lam[a] + distribution[int(rows[a])]  # DF.16
    for k in range(c):
        out[m + k] = 0.0
        if is_sliding(layout, k, directions, active):
            sliding[s] = k
            for a in range(count):
                i, t = int(rows[a]), 0.0
                for j in range(frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1]):
                    t = t + G[i * m + j] * directions[j]
                b[a] = active[i] * t
            response = responses[s * count :]
            solve_active_set(layout, block, rows, S, inverse_pivots, count, rounds, b, response)
            s = s + 1
    coefficients = active[4 * m :]
    solve_sliding_sizes(layout, coefficients, rows, count, lam, sliding, responses, s, C, sizes)
    for i in range(m):
        out[i] = 0.0
    for p in range(s):
        k, f = int(sliding[p]), sizes[p]
        out[m + k] = f
        for a in range(count):
            lam[a] = lam[a] + responses[p * count + a] * f
        for i in range(frictions[3 * k], frictions[3 * k] + frictions[3 * k + 1]):
            out[i] = -directions[i] * f
    for a in range(count):
        i = int(rows[a])
        out[i] = out[i] + lam[a]


def reduce_to_friction(layout_, friction, block_, inputs_, out_):
    """Delassus matrix and rates of the two rows of a friction that starts to slide (DF.8).

    Result: rates (2) without its force, their change (2 x 2, row by row) by its force, the normal
    force, and the change (2) of that one.  `inputs_`: of each row one if it is active (m), forces
    (m), rates without forces (m), wanted rates (m), and one if the friction starts to slide.
    Otherwise the result is a regular placeholder.
    """
    layout, block = longs(layout_), doubles(block_)
    inputs, out = doubles(inputs_), doubles(out_)
    for k in range(9):
        out[k] = 0.0
    out[0], out[2], out[5] = 1.0, 1.0, 1.0
    if inputs[4 * layout[1]] > 0.5:
        frictions = friction_table(layout)
        first, normal = frictions[3 * friction], frictions[3 * friction + 2]
        reduce_to_rows(layout, block, inputs, first, normal, out)


def reduce_to_rows(layout, block, inputs, first, normal, out):
    """As `reduce_to_friction`, of the rows `first` and `first + 1` with the given normal row."""
    n, m = layout[0], layout[1]
    lam, free, target = inputs[m:], inputs[2 * m :], inputs[3 * m :]
    G, active = block[n + 2 * m :], out[9:]
    rows, inverse_pivots, b = active[m:], active[2 * m :], active[3 * m :]
    x, forces, S = active[4 * m :], active[5 * m :], active[6 * m :]
    for i in range(m):
        active[i] = inputs[i]
        forces[i] = lam[i] * (1.0 - inputs[i])
    for i in range(first, first + 2):
        active[i] = 0.0
        forces[i] = 0.0
    count = factor_active_set(layout, block, active, rows, S, inverse_pivots)
    for a in range(count):
        i = int(rows[a])
        b[a] = active[i] * (target[i] - free[i] - dot_product(G[i * m :], forces, m))
    solve_active_set(layout, block, rows, S, inverse_pivots, count, 1, b, x)
    for a in range(count):
        i = int(rows[a])
        forces[i] = forces[i] + x[a]
    out[6] = forces[max(normal, 0)]
    for k in range(2):
        out[k] = free[first + k] + dot_product(G[(first + k) * m :], forces, m)
    for k in range(2):
        for a in range(count):
            i = int(rows[a])
            b[a] = -(active[i] * G[i * m + first + k])
        solve_active_set(layout, block, rows, S, inverse_pivots, count, 1, b, x)
        for i in range(m):
            forces[i] = 0.0
        forces[first + k] = 1.0
        for a in range(count):
            forces[int(rows[a])] = x[a]
        out[7 + k] = forces[max(normal, 0)]
        for j in range(2):
            out[2 + 2 * j + k] = dot_product(G[(first + j) * m :], forces, m)

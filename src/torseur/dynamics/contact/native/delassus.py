"""Rows that switch on and off, and what forces along them change: loops over numbers.

Plain text (see `plain`), compiled once per machine; kernels call it with tables of whole numbers,
so that their own text does not grow with the square of the rows.  It is algebra alone: a symmetric
matrix A of n unknowns, m rows J of them, `G = J A^-1 J'`, and groups of rows ("cones") whose force
has a given direction and is in proportion to that along another row.  Theory: DF.4, DF.9, DF.14.

Words, the same for all: n, m, cones, entries of A (upper triangle, in order of elimination), of J;
then places of those of A, row and column of each of J, for each row its owner, for each cone its
first row, how many, and the row that presses it (-1: its size is given).

A block holds, one after the other: x, free, mu, G (m, m), A, its inverse pivots, how many rows are
wanted, which of these each row is, and rows after the elimination of A, side by side.
"""

from __future__ import annotations

from .dense_ldl import backward, eliminated, factored, product, solved

FLOOR = 1e-30  # keeps the pivot of a row that has vanished away from zero
PROXIMAL = 1e-10  # softness of a row, relative to its own compliance
HEAD = 5  # words before the tables


def longs(address):
    """Whole numbers at an address; here an array is one already."""
    return address


doubles = longs


def rows_respond(words_, index, entries_, given_, out_):
    """A block, of A and J, a right-hand side, what rows lack, and which of them are wanted."""
    words, given, right, out = longs(words_), doubles(entries_), doubles(given_), doubles(out_)
    n, m = words[0], words[1]
    places = words[HEAD:]
    of_rows = places[words[3] :]
    owners = of_rows[2 * words[4] :]
    entries = given[words[3] :]
    lack = right[n:]
    wanted = lack[m:]
    free, mu = out[n:], out[n + m :]
    G = out[n + 2 * m :]
    A = G[m * m :]
    inverse = A[n * n :]
    of = inverse[n + 1 :]
    Y = of[m:]
    for k in range(n * n):
        A[k] = 0.0
    for k in range(words[3]):
        A[places[k]] = given[k]
    w = 0
    for i in range(m):
        of[i] = -1.0
        free[i] = -lack[i]
        mu[i] = FLOOR
        if wanted[i] != 0.0:
            of[i] = w
            w = w + 1
    inverse[n] = w
    for k in range(n):
        inverse[k] = 1.0 / A[k * n + k]
        out[k] = right[k]
    for k in range(n * w):
        Y[k] = 0.0
    for k in range(words[4]):
        i, j = of_rows[2 * k], of_rows[2 * k + 1]
        if wanted[i] != 0.0:
            e = entries[k]
            mu[i] = mu[i] + e * e * inverse[j]  # CK.3
            Y[j * w + int(of[i])] = e
    factored(A, inverse, n)
    solved(A, inverse, n, out)
    for k in range(words[4]):
        i = of_rows[2 * k]
        if wanted[i] != 0.0:
            free[i] = free[i] + entries[k] * out[of_rows[2 * k + 1]]
    softened(mu, owners, m)
    for k in range(n):
        row = Y[k * w :]
        for i in range(k + 1, n):
            l = A[k * n + i] * inverse[k]
            if l != 0.0:
                to = Y[i * w :]
                for j in range(w):
                    to[j] = to[j] - l * row[j]  # CK.2
    gathered(words, out, w)


def softened(mu, owners, m):
    """Rows of one owner share what makes them soft."""
    first = 0
    while first < m:
        last = first
        total = 0.0
        while last < m and owners[last] == owners[first]:
            total = total + mu[last]
            last = last + 1
        share = PROXIMAL / (last - first)
        for i in range(first, last):
            mu[i] = total * share
        first = last


def gathered(words, out, w):
    """`G` of the rows that are wanted, from what elimination has left of them: DF.9."""
    n, m = words[0], words[1]
    G = out[n + 2 * m :]
    inverse = G[m * m + n * n :]
    of = inverse[n + 1 :]
    Y = of[m:]
    row = Y[n * w :]
    for i in range(m):
        a = int(of[i])
        if a >= 0:
            for b in range(w):
                row[b] = 0.0
            for k in range(n):
                t = Y[k * w + a] * inverse[k]
                if t != 0.0:
                    y = Y[k * w :]
                    for b in range(w):
                        row[b] = row[b] + t * y[b]
            for j in range(m):
                if of[j] >= 0.0:
                    G[i * m + j] = row[int(of[j])]


def chosen(words, block, on, index, S, inverse):
    """Factor what holds: numbers of rows that are on, in order, and their matrix; how many."""
    n, m = words[0], words[1]
    mu = block[n + m :]
    G = mu[m:]
    h = 0
    for i in range(m):
        if on[i] != 0.0:
            index[h] = i
            h = h + 1
    for a in range(h):
        i = int(index[a])
        for b in range(a, h):
            j = int(index[b])
            S[a * h + b] = G[i * m + j] * (on[i] * on[j])
        S[a * h + a] = S[a * h + a] + (mu[i] + (1.0 - on[i]))
    factored(S, inverse, h)
    return h


def held(words, block, index, S, inverse, h, rounds, b, x):
    """x of rows that are on, from what they lack, with proximal rounds (CK.4)."""
    mu = block[words[0] + words[1] :]
    for a in range(h):
        x[a] = b[a]
    solved(S, inverse, h, x)
    for _ in range(rounds - 1):
        for a in range(h):
            x[a] = b[a] + mu[int(index[a])] * x[a]
        solved(S, inverse, h, x)


def rows_answer(words_, rounds, block_, given_, out_):
    """Forces along rows that are on, from the rate that each lacks."""
    words, block, given, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    m = words[1]
    lack = given[m:]
    index = out[m:]
    inverse = index[m:]
    b = inverse[m:]
    x = b[m:]
    S = x[m:]
    h = chosen(words, block, given, index, S, inverse)
    for a in range(h):
        i = int(index[a])
        b[a] = given[i] * lack[i]
    held(words, block, index, S, inverse, h, rounds, b, x)
    for i in range(m):
        out[i] = 0.0
    for a in range(h):
        out[int(index[a])] = x[a]


def rows_along(words_, index, block_, given_, out_):
    """What forces along rows change along each: `G x`."""
    words, block, x, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    n, m = words[0], words[1]
    G = block[n + 2 * m :]
    for i in range(m):
        out[i] = 0.0
    for j in range(m):
        f = x[j]
        if f != 0.0:
            row = G[j * m :]
            for i in range(m):
                out[i] = out[i] + row[i] * f


def rows_moved(words_, index, block_, given_, out_):
    """What forces along rows change unknowns by: `A^-1 J' x`."""
    words, block, x, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    n, m = words[0], words[1]
    A = block[n + 2 * m + m * m :]
    inverse = A[n * n :]
    w, of = int(inverse[n]), inverse[n + 1 :]
    Y = of[m:]
    for k in range(n):
        out[k] = 0.0
    for i in range(m):
        f = x[i]
        if f != 0.0:
            y = Y[int(of[i]) :]
            for k in range(n):
                out[k] = out[k] + y[k * w] * f
    backward(A, inverse, n, out)


def given_by(row, x, m):
    """`row . x` where x is not zero: entries of rows that nobody wants are no numbers."""
    t = 0.0
    for j in range(m):
        if x[j] != 0.0:
            t = t + row[j] * x[j]
    return t


def slides(words, k, along, on):
    """Whether a cone has a direction, and its size is given or what presses it is on."""
    cones = words[HEAD + words[3] + 2 * words[4] + words[1] :]
    first, gate, some = cones[3 * k], cones[3 * k + 2], 0.0
    for i in range(first, first + cones[3 * k + 1]):
        some = max(some, abs(along[i]))
    if some != 0.0 and gate >= 0:
        some = on[gate]
    return some != 0.0


def pressed(words):
    """How many cones a row presses."""
    cones, found = words[HEAD + words[3] + 2 * words[4] + words[1] :], 0
    for k in range(words[2]):
        if cones[3 * k + 1] > 0 and cones[3 * k + 2] >= 0:
            found = found + 1
    return found


def sized(words, low, index, h, lam, moving, parts, s, C, size):
    """Sizes of s cones that slide, from forces without them and what one of each changes: DF.4."""
    cones, alone = words[HEAD + words[3] + 2 * words[4] + words[1] :], pressed(words) == 1
    for p in range(s):
        k = int(moving[p])
        gate, t = cones[3 * k + 2], low[k]
        for q in range(s):
            C[p * s + q] = 0.0
        C[p * s + p] = 1.0
        size[p] = t
        if gate >= 0:
            place = 0
            while int(index[place]) != gate:
                place = place + 1
            if alone and lam[place] < 0.0:  # it takes the size of what presses it
                t = -t
            size[p] = t * lam[place]
            for q in range(s):
                C[p * s + q] = C[p * s + q] - t * parts[q * h + place]
    eliminated(C, size, s)
    for p in range(s):
        if cones[3 * int(moving[p]) + 2] >= 0 and not alone:
            size[p] = max(0.0, size[p])


def rows_forces(words_, rounds, block_, given_, out_):
    """Forces along all rows, then sizes of those of cones: of rows that are on, of directions of
    cones, of rates without them and wanted, of what cones are in proportion to, and of shares:
    forces of rows that are on, to which theirs are the nearest."""
    words, block, given, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    n, m, c = words[0], words[1], words[2]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    along, free, target = given[m:], given[2 * m :], given[3 * m :]
    G = block[n + 2 * m :]
    index = out[m + c :]
    inverse, b, lam = index[m:], index[2 * m :], index[3 * m :]
    moving = lam[m:]
    found, parts = moving[c:], moving[2 * c :]
    C = parts[c * m :]
    S = C[c * c :]
    h, s = chosen(words, block, given, index, S, inverse), 0
    shares = given[4 * m + c :]
    for a in range(h):
        i = int(index[a])
        b[a] = given[i] * (target[i] - free[i] - given_by(G[i * m :], shares, m))
    held(words, block, index, S, inverse, h, rounds, b, lam)
    for a in range(h):
        lam[a] = lam[a] + shares[int(index[a])]  # DF.16
    for k in range(c):
        out[m + k] = 0.0
        if slides(words, k, along, given):
            moving[s] = k
            for a in range(h):
                i, t = int(index[a]), 0.0
                for j in range(cones[3 * k], cones[3 * k] + cones[3 * k + 1]):
                    t = t + G[i * m + j] * along[j]
                b[a] = given[i] * t
            held(words, block, index, S, inverse, h, rounds, b, parts[s * h :])
            s = s + 1
    sized(words, given[4 * m :], index, h, lam, moving, parts, s, C, found)
    for i in range(m):
        out[i] = 0.0
    for p in range(s):
        k, f = int(moving[p]), found[p]
        out[m + k] = f
        for a in range(h):
            lam[a] = lam[a] + parts[p * h + a] * f
        for i in range(cones[3 * k], cones[3 * k] + cones[3 * k + 1]):
            out[i] = -along[i] * f
    for a in range(h):
        i = int(index[a])
        out[i] = out[i] + lam[a]


def rows_loosened(words_, cone, block_, given_, out_):
    """Of a cone of two rows that lets go: their rates without it, what a force along each changes
    them by (row by row), the pressing force, and what one along each changes that by.

    Of which rows are on, forces along them, rates without them and wanted, and whether it is asked.
    """
    words, block, given, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    for k in range(9):
        out[k] = 0.0
    out[0], out[2], out[5] = 1.0, 1.0, 1.0  # of nobody who is asked
    if given[4 * words[1]] > 0.5:
        cones = words[HEAD + words[3] + 2 * words[4] + words[1] :]
        loosened(words, block, given, cones[3 * cone], cones[3 * cone + 2], out)


def loosened(words, block, given, first, gate, out):
    """The same of one that is asked."""
    n, m = words[0], words[1]
    lam, free, target = given[m:], given[2 * m :], given[3 * m :]
    G, on = block[n + 2 * m :], out[9:]
    index, inverse, b = on[m:], on[2 * m :], on[3 * m :]
    x, kept, S = on[4 * m :], on[5 * m :], on[6 * m :]
    for i in range(m):
        on[i] = given[i]
        kept[i] = lam[i] * (1.0 - given[i])
    for i in range(first, first + 2):
        on[i] = 0.0
        kept[i] = 0.0
    h = chosen(words, block, on, index, S, inverse)
    for a in range(h):
        i = int(index[a])
        b[a] = on[i] * (target[i] - free[i] - product(G[i * m :], kept, m))
    held(words, block, index, S, inverse, h, 1, b, x)
    for a in range(h):
        i = int(index[a])
        kept[i] = kept[i] + x[a]
    out[6] = kept[max(gate, 0)]
    for k in range(2):
        out[k] = free[first + k] + product(G[(first + k) * m :], kept, m)
    for k in range(2):
        for a in range(h):
            i = int(index[a])
            b[a] = -(on[i] * G[i * m + first + k])
        held(words, block, index, S, inverse, h, 1, b, x)
        for i in range(m):
            kept[i] = 0.0
        kept[first + k] = 1.0
        for a in range(h):
            kept[int(index[a])] = x[a]
        out[7 + k] = kept[max(gate, 0)]
        for j in range(2):
            out[2 + 2 * j + k] = product(G[(first + j) * m :], kept, m)

"""How frictions at rest share what they hold together: loops over numbers.

Plain text (see `plain`) as that of `row_loops`, with its words and blocks.  Theory: DF.16.
"""

from __future__ import annotations

from .delassus import HEAD, chosen, doubles, given_by, held, longs

SHRINKS, CLIPS, ROUNDS = 17, 60, 3  # cones that are tried, steps for each, rounds of CK.4
FITS = 1e-9  # of what a cone holds
FURTHER = 1.5  # times the way into a cone


def rows_rested(words_, index, block_, given_, out_):
    """Shares, forces along all rows with them, and for each cone 1 if it holds now with those that
    it is joined to, -1 if they cannot, 0 if none of them was asked.

    Of rows that are on, forces along all rows, what each cone holds at most as a multiple of what
    presses it (zero: it has no part in this), shares so far, and which cones are asked.
    """
    words, block, given, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    n, m, c = words[0], words[1], words[2]
    lam, high = given[m:], given[2 * m :]
    old = high[c:]
    x, found, on = out[m:], out[2 * m :], out[2 * m + c :]
    some = 0.0
    for i in range(m):
        out[i] = old[i]
        x[i] = lam[i]
        on[i] = 0.0
    for k in range(c):
        found[k] = 0.0
        some = max(some, old[m + k])
    if some > 0.5:
        joined(words, block, given, old[m:], on)
        number = on[m:]
        inverse, b, d, left = number[m:], number[2 * m :], number[3 * m :], number[4 * m :]
        S = left[m:]
        G, h = block[n + 2 * m :], chosen(words, block, on, number, S, inverse)
        part, turn, shrinks, fits = 0.5, 0, 0, -1.0
        while shrinks < SHRINKS:
            clipped(words, on, high, x, out, 1.0 - part)
            for i in range(m):
                left[i] = 0.0
                if on[i] > 0.5:
                    left[i] = lam[i] - out[i]
            for a in range(h):
                b[a] = given_by(G[int(number[a]) * m :], left, m)
            held(words, block, number, S, inverse, h, ROUNDS, b, d)
            for a in range(h):
                i = int(number[a])
                x[i] = out[i] + d[a]
            turn = turn + 1
            if within(words, on, high, x, 1.0 - part):
                fits = 1.0
                shrinks = SHRINKS
            elif turn == CLIPS:
                turn, part, shrinks = 0, 0.5 * part, shrinks + 1
        for k in range(c):
            if holds(words, on, high, k):
                found[k] = fits


def joined(words, block, given, asked, on):
    """Rows that hold and move with those of the cones that are asked, by way of others too."""
    n, m = words[0], words[1]
    cones, G = words[HEAD + words[3] + 2 * words[4] + m :], block[n + 2 * m :]
    for k in range(words[2]):
        for i in range(cones[3 * k], cones[3 * k] + cones[3 * k + 1]):
            if asked[k] > 0.5 and given[i] > 0.5:
                on[i] = 1.0
    more = True
    while more:
        more = False
        for i in range(m):
            if on[i] > 0.5:
                for j in range(m):
                    if on[j] < 0.5 and given[j] > 0.5 and G[i * m + j] != 0.0:
                        on[j] = 1.0
                        more = True


def holds(words, on, high, k):
    """Whether a cone has a part in this."""
    cones = words[HEAD + words[3] + 2 * words[4] + words[1] :]
    some = cones[3 * k + 1] > 0 and cones[3 * k + 2] >= 0 and high[k] > 0.0
    if some:
        some = on[cones[3 * k]] > 0.5
    return some


def clipped(words, on, high, x, y, part):
    """Shares: what cones hold in x, brought into a part of each."""
    m = words[1]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    for i in range(m):
        if on[i] > 0.5:
            y[i] = 0.0
    for k in range(words[2]):
        if holds(words, on, high, k):
            first, size = cones[3 * k], 0.0
            for i in range(first, first + cones[3 * k + 1]):
                size = size + x[i] * x[i]
            size, most = size**0.5, part * high[k] * max(0.0, x[cones[3 * k + 2]])
            ratio = 1.0
            if size > most:
                ratio = most / size
            for i in range(first, first + cones[3 * k + 1]):
                y[i] = (1.0 + FURTHER * (ratio - 1.0)) * x[i]


def within(words, on, high, x, part):
    """Whether every cone that has a part in this holds what it has in x, with a part of it."""
    cones, fits = words[HEAD + words[3] + 2 * words[4] + words[1] :], True
    for k in range(words[2]):
        if holds(words, on, high, k):
            first, size = cones[3 * k], 0.0
            for i in range(first, first + cones[3 * k + 1]):
                size = size + x[i] * x[i]
            most = part * high[k] * x[cones[3 * k + 2]]
            fits = fits and size**0.5 <= (1.0 + FITS) * most
    return fits

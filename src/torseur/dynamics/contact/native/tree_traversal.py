"""Momenta and wrenches of links, taken down to every joint on the way to the root.

Plain text (see `plain`), as that of `row_loops`.  All vectors are in the axes of one frame, those
of a link at its own origin, so that a step down to the next link is one cross product: no number
grows with the distance from the root.  Theory: CB.3, KI.5, DF.14.

Words: links, walks, unknowns; for each link the one below it, its first unknown and the one behind
its last; for each walk its first link, its links, its row (-1: an unknown's own momentum, by its
number), the unknown behind the last of its first link, and how many numbers it gives.
"""

from __future__ import annotations

from .delassus import doubles, longs

TOP = 3  # words before the tables
WALK = 5  # of each walk


def rows_walked(words_, index, wanted_, given_, out_):
    """Products of joints' axes with what is taken down to them, walk by walk; rows that nobody
    wants are left out.  Given are axes, one an unknown, the arm of each link from the one below,
    what is added to an unknown's own momentum, and what each walk begins with."""
    words, wanted, S, out = longs(words_), doubles(wanted_), doubles(given_), doubles(out_)
    links, walks, n = words[0], words[1], words[2]
    below = words[TOP:]
    first, behind = below[links:], below[2 * links :]
    table = below[3 * links :]
    arms = S[6 * n :]
    own = arms[3 * links :]
    starts = own[n:]
    at = 0
    for w in range(walks):
        here = table[WALK * w :]
        row, count = here[2], here[4]
        some = 1.0
        if row >= 0:
            some = wanted[row]
        if some != 0.0:
            walked(here, below, first, behind, S, arms, starts[6 * w :], out[at:])
            if row < 0:
                out[at + here[3] - 1 - first[here[0]]] += own[w]
        at = at + count


def walked(here, below, first, behind, S, arms, start, out):
    """One walk."""
    k, end, at = here[0], here[3], 0
    a, b, c = start[0], start[1], start[2]
    x, y, z = start[3], start[4], start[5]
    for i in range(here[1]):
        if i > 0:
            r = arms[3 * k :]
            a = a + (r[1] * z - r[2] * y)
            b = b + (r[2] * x - r[0] * z)
            c = c + (r[0] * y - r[1] * x)
            k = below[k]
            end = behind[k]
        for j in range(first[k], end):
            s = S[6 * j :]
            t = s[0] * a + s[1] * b + s[2] * c
            out[at] = t + (s[3] * x + s[4] * y + s[5] * z)
            at = at + 1

"""Newton's steps to impulses that obey the laws of an impact, all contacts at once: plain text.

Words, blocks and what is given as in `impact_loops`.  Theory: DF.15.
"""

from __future__ import annotations

from .delassus import HEAD
from .dense_ldl import pivoted, product

# --------------------------------------------------------------------------------------------
# By how much impulses miss the laws of an impact: plain text.  Theory: DF.15.


def rates(G, free, x, r, m):
    """Rates that impulses leave."""
    for i in range(m):
        r[i] = free[i] + product(G[i * m :], x, m)


def most(words, given, x, k):
    """The most that the friction of a cone can be."""
    m = words[1]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    gate, N = cones[3 * k + 2], 0.0
    if gate >= 0:
        N = x[gate]
    return given[3 * m + k] * max(0.0, N)


def missed(words, G, given, target, x, r):
    """By how much the two laws are missed, as a speed."""
    m, c = words[1], words[2]
    cones, worst = words[HEAD + words[3] + 2 * words[4] + m :], 0.0
    for i in range(m):
        if given[i] == 1.0:
            worst = max(worst, abs(min(x[i] * G[i * m + i], r[i] - target[i])))
        if given[i] == 2.0:
            worst = max(worst, abs(r[i] - target[i]))
        if x[i] != x[i]:
            worst = x[i]
    for k in range(c):
        first, last, h, size = cones[3 * k], cones[3 * k] + cones[3 * k + 1], 0.0, 0.0
        for i in range(first, last):
            h = h + G[i * m + i]
        for i in range(first, last):
            e = x[i] * h - r[i]
            size = size + e * e
        size = size**0.5
        limit = h * most(words, given, x, k)
        if size > limit:
            size = limit / size
        else:
            size = 1.0
        for i in range(first, last):
            worst = max(worst, abs(x[i] * h - size * (x[i] * h - r[i])))
    return worst


SOFT = 1e-10  # of a row's own compliance: rows that repeat others say nothing new
NEWTON = 12


def stepped(words, block, given, target, x, r, y, fine):
    """Steps from x; whether they end below `fine`, x being the answer then.  y: work."""
    n, m = words[0], words[1]
    free, G = given[m:], block[n + 2 * m :]
    A, b = y[m:], y[m + m * m :]
    for i in range(m):
        y[i] = x[i]
    turn, now = 0, 2.0 * fine
    while turn < NEWTON and now > fine:
        rates(G, free, y, r, m)
        pushed(words, G, given, target, y, r, A, b)
        rubbing(words, G, given, y, r, A, b)
        pivoted(A, b, m)
        for i in range(m):
            y[i] = y[i] + b[i]
        rates(G, free, y, r, m)
        now = missed(words, G, given, target, y, r)
        turn = turn + 1
        if now != now:
            turn = NEWTON
    if now <= fine:
        for i in range(m):
            x[i] = y[i]
    rates(G, free, x, r, m)
    return now <= fine


def pushed(words, G, given, target, y, r, A, b):
    """Equations of what pushes or holds: its speed, or no impulse; those of others say none."""
    m = words[1]
    for i in range(m):
        h = G[i * m + i]
        acts = given[i] == 2.0 or (given[i] == 1.0 and y[i] * h > r[i] - target[i])
        for j in range(m):
            A[i * m + j] = 0.0
            if acts:
                A[i * m + j] = G[i * m + j]
        b[i] = -y[i]
        if acts:
            A[i * m + i] = h * (1.0 + SOFT)
            b[i] = target[i] - r[i]
        else:
            A[i * m + i] = 1.0


def rubbing(words, G, given, y, r, A, b):
    """Equations of frictions: no slip, or against it, which turns with the impulses."""
    m = words[1]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    for k in range(words[2]):
        first, last, h, size = cones[3 * k], cones[3 * k] + cones[3 * k + 1], 0.0, 0.0
        for i in range(first, last):
            h = h + G[i * m + i]
        for i in range(first, last):
            size = size + (y[i] * h - r[i]) ** 2.0
        size = size**0.5
        limit = h * most(words, given, y, k)
        for i in range(first, last):
            if size <= limit:
                for j in range(m):
                    A[i * m + j] = G[i * m + j]
                A[i * m + i] = A[i * m + i] + h * SOFT
                b[i] = -r[i]
            else:
                if limit > 0.0:
                    sliding(words, G, given, y, r, A, b, k, i, size, limit, h)


def sliding(words, G, given, y, r, A, b, k, i, size, limit, h):
    """The equation of row i of a friction that slides."""
    m = words[1]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    first, last, s = cones[3 * k], cones[3 * k] + cones[3 * k + 1], limit / size
    d = (y[i] * h - r[i]) / size
    for j in range(m):
        A[i * m + j] = s * G[i * m + j]
    for a in range(first, last):
        e = (y[a] * h - r[a]) / size
        for j in range(m):
            A[i * m + j] = A[i * m + j] - s * d * e * G[a * m + j]
        A[i * m + a] = A[i * m + a] + s * h * d * e
    A[i * m + i] = A[i * m + i] + h - s * h
    gate = cones[3 * k + 2]
    A[i * m + gate] = A[i * m + gate] - given[3 * m + k] * h * d
    b[i] = limit * d - y[i] * h

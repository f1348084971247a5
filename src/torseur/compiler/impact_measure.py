"""By how much impulses miss the laws of an impact: plain text.  Theory: DF.15."""

from __future__ import annotations

from .row_loops import HEAD
from .small_equations import product


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

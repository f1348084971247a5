"""How impulses of an impact move with what they were found from: plain text.

Words, blocks and what is given as in `impact_loops`.  Which contacts push and which frictions slide
is told by the impulses; their equations then have a derivative, but where the least motion changes
these ways.  Theory: DF.17.
"""

from __future__ import annotations

from .delassus import HEAD, doubles, longs
from .dense_ldl import pivoted, product
from .impact_newton import missed, most, rates, sliding

EDGE = 1e-8  # of speeds: nearer than that to where a contact or a friction goes another way
INSIDE = 1e-7  # of the largest impulse: by how much others that do the same are inside the laws
SHARED = 1e5  # of a speed that changes by one: feet share what decides over it
SOFTER, EVENLY = 1e5, 6  # times their compliance, where they do; steps
NEARLY, ALLOWED = 1e-6, 1e-9  # of impulses that are shared so, and of speeds: see `ENOUGH`
APART, MEETS, STICKS, SLIDES = 0.0, 1.0, 2.0, 3.0  # ways of rows


def rows_followed(words_, index, block_, given_, out_):
    """Of impulses that obey the laws: one where they have no derivative, nothing, the way of every
    row, what its equation lacks, and the inverse of the equations.

    Given: of each row what it is, rates before and wanted, of each cone its coefficient, and the
    impulses.
    """
    words, block, given, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    n, m, c = words[0], words[1], words[2]
    free, target, p = given[m:], given[2 * m :], given[3 * m + c :]
    mu, G = block[n + m :], block[n + 2 * m :]
    ways, lacks, B = out[2:], out[2 + m :], out[2 + 2 * m :]
    r, A = B[m * m :], B[m * m + m :]
    C, D, b = A[m * m :], A[2 * m * m :], A[3 * m * m :]
    w, z = b[3 * m :], b[4 * m :]
    large = begun_ways(words, G, given, target, free, p, r, ways, w)
    lacking(words, G, given, target, p, r, ways, lacks, A, b)
    softened_by(A, mu, ways, m, 1.0)
    inverted(A, C, B, b, ways, m)
    out[0], out[1], soft = 0.0, 0.0, 1.0
    if left_open(G, B, ways, m):
        evenly(words, G, mu, given, target, free, p, ways, w, z, A, b)
        for i in range(m):
            if abs(z[i] - p[i]) > NEARLY * large:
                out[0] = 1.0  # they are shared by chance
            w[i] = 0.0
        large = begun_ways(words, G, given, target, free, p, r, ways, w)
        lacking(words, G, given, target, p, r, ways, lacks, A, b)
        evened(A, C, D, B, b, mu, ways, m)
        soft = 0.0
    if on_edge(words, given, mu, A, B, p, ways, w, b, z, large, soft):
        out[0] = 1.0


def shared_evenly(words, block, given, target, p, y):
    """Impulses that obey the laws, shared by compliances where speeds depend on that; y: work."""
    n, m = words[0], words[1]
    free, mu, G = given[m:], block[n + m :], block[n + 2 * m :]
    r, ways, w, lacks = y[m:], y[2 * m :], y[3 * m :], y[4 * m :]
    b, A = y[5 * m :], y[8 * m :]
    C, B = A[m * m :], A[2 * m * m :]
    begun_ways(words, G, given, target, free, p, r, ways, w)
    some = False
    for i in range(m):
        some = some or ways[i] == SLIDES
    if some:
        lacking(words, G, given, target, p, r, ways, lacks, A, b)
        softened_by(A, mu, ways, m, 1.0)
        inverted(A, C, B, b, ways, m)
        if left_open(G, B, ways, m):
            evenly(words, G, mu, given, target, free, p, ways, w, y, A, b)
            rates(G, free, y, r, m)
            size = 0.0
            for i in range(m):
                size = max(size, abs(free[i]))
            if missed(words, G, given, target, y, r) <= ALLOWED * size:
                for i in range(m):
                    p[i] = y[i]


def evenly(words, G, mu, given, target, free, p, ways, x, y, A, b):
    """Put into y impulses of the same ways as p, shared by compliances: the limit of soft feet."""
    m, soft = words[1], SOFTER
    for i in range(m):
        y[i], x[i] = p[i], p[i]
    for turn in range(2):
        for _ in range(EVENLY):
            towards(words, G, mu, given, target, free, ways, x, A, b, soft, soft)
        for i in range(m):
            if turn == 0:
                y[i] = -x[i]
            else:
                y[i] = y[i] + 2.0 * x[i]
        soft = 0.5 * soft
    for _ in range(2):
        towards(words, G, mu, given, target, free, ways, y, A, b, SOFTER, 0.0)


def towards(words, G, mu, given, target, free, ways, x, A, b, soft, pulled):
    """A Newton's step of impulses whose contacts are soft, and pulled back by what they give."""
    m = words[1]
    rates(G, free, x, b[m:], m)
    lacking(words, G, given, target, x, b[m:], ways, b[2 * m :], A, b)
    softened_by(A, mu, ways, m, soft)
    for i in range(m):
        b[i] = b[2 * m + i]
        if ways[i] == MEETS or ways[i] == STICKS:
            b[i] = b[i] + pulled * mu[i] * x[i]
    pivoted(A, b, m)
    for i in range(m):
        x[i] = x[i] - b[i]


def evened(A, C, D, B, b, mu, ways, m):
    """The inverse where impulses are shared so; A is left as it is without softness."""
    softened_by(A, mu, ways, m, SOFTER)
    inverted(A, C, D, b, ways, m)
    softened_by(A, mu, ways, m, -0.5 * SOFTER)
    inverted(A, C, B, b, ways, m)
    softened_by(A, mu, ways, m, -0.5 * SOFTER)
    for i in range(m * m):
        B[i] = 2.0 * B[i] - D[i]


def begun_ways(words, G, given, target, free, p, r, ways, w):
    """Ways of all rows, their rates, and what the least motion might end; the largest impulse."""
    m, edge, large = words[1], 0.0, 0.0
    rates(G, free, p, r, m)
    for i in range(m):
        edge, large = max(edge, EDGE * abs(free[i])), max(large, abs(p[i]))
    met_ways(words, G, given, target, p, r, ways, w, edge, large)
    rubbed_ways(words, G, given, p, r, ways, w, edge)
    return large


def lacking(words, G, given, target, p, r, ways, lacks, A, b):
    """The equations of all ways, and what impulses p lack of them."""
    m = words[1]
    for i in range(m):
        lacks[i] = 0.0
        for j in range(m):
            A[i * m + j] = 0.0
        if ways[i] == MEETS or ways[i] == STICKS:
            lacks[i] = r[i]
            if ways[i] == MEETS:
                lacks[i] = r[i] - target[i]
            for j in range(m):
                A[i * m + j] = G[i * m + j]
        if ways[i] == APART:
            A[i * m + i] = 1.0
    slid_ways(words, G, given, p, r, ways, lacks, A, b)


def softened_by(A, mu, ways, m, soft):
    """Make what holds yield by its compliance."""
    for i in range(m):
        if ways[i] == MEETS or ways[i] == STICKS:
            A[i * m + i] = A[i * m + i] + soft * mu[i]  # CK.4


def met_ways(words, G, given, target, p, r, ways, w, edge, large):
    """Ways of contacts; w tells which impulses the least motion might end."""
    m = words[1]
    for i in range(m):
        ways[i], w[i], feels = APART, 0.0, 0.0
        x, y = p[i] * G[i * m + i], r[i] - target[i]
        if given[i] == 2.0 or (given[i] == 1.0 and x > y):
            ways[i] = MEETS
        near = abs(x)  # what holds may pull: then it does not rub
        if given[i] == 1.0:
            near = max(x, y)
        if given[i] > 0.0 and near <= edge:
            for j in range(m):
                feels = feels + abs(G[i * m + j] * p[j])
            if feels > edge:
                ways[i], w[i] = MEETS, large
            elif given[i] == 1.0:
                ways[i] = APART


def rubbed_ways(words, G, given, p, r, ways, w, edge):
    """Ways of frictions that something presses; w is against those at the end of what they can."""
    m = words[1]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    for k in range(words[2]):
        first, last, gate = cones[3 * k], cones[3 * k] + cones[3 * k + 1], cones[3 * k + 2]
        h, slip, size, pressed = 0.0, 0.0, 0.0, False
        if gate >= 0:
            pressed = ways[gate] == MEETS and (p[gate] * G[gate * m + gate] > edge or w[gate] > 0.0)
        for i in range(first, last):
            h = h + G[i * m + i]
            slip, size = slip + r[i] ** 2.0, size + p[i] ** 2.0
        slip, size, limit = slip**0.5, size**0.5, most(words, given, p, k)
        if pressed and (slip > edge or given[3 * m + k] > 0.0):
            for i in range(first, last):
                ways[i] = STICKS
                if slip > edge:
                    ways[i] = SLIDES
                if slip <= edge and h * (limit - size) <= edge:
                    w[i] = -p[i]


def slid_ways(words, G, given, p, r, ways, lacks, A, b):
    """Equations of frictions that slide, and what they lack."""
    m = words[1]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    for k in range(words[2]):
        first, last, h, size = cones[3 * k], cones[3 * k] + cones[3 * k + 1], 0.0, 0.0
        for i in range(first, last):
            h = h + G[i * m + i]
        for i in range(first, last):
            size = size + (p[i] * h - r[i]) ** 2.0
        size = size**0.5
        limit = h * most(words, given, p, k)
        for i in range(first, last):
            if ways[i] == SLIDES:
                sliding(words, G, given, p, r, A, b, k, i, size, limit, h)
                lacks[i] = -b[i]


def inverted(A, C, B, b, ways, m):
    """The inverse, of those equations that ask for anything."""
    for j in range(m):
        for i in range(m):
            B[i * m + j], b[i] = 0.0, 0.0
        if ways[j] != APART:
            for i in range(m * m):
                C[i] = A[i]
            b[j] = 1.0
            pivoted(C, b, m)
            for i in range(m):
                B[i * m + j] = b[i]


def left_open(G, B, ways, m):
    """Whether speeds depend on how impulses are shared that the equations leave open."""
    found = False
    for j in range(m):
        if ways[j] != APART:
            for i in range(m):
                change = 0.0
                for k in range(m):
                    change = change + G[i * m + k] * B[k * m + j]
                if abs(change) > SHARED:
                    found = True
    return found


def on_edge(words, given, mu, A, B, p, ways, w, b, z, large, soft):
    """Whether the least motion changes a way.  It does not where impulses that do the same are
    inside the laws: feet that stick may pull at each other as they like."""
    m, some, t, found = words[1], False, 0.3, False
    for i in range(m):
        some = some or w[i] != 0.0
        b[i] = product(A[i * m :], w, m)
        if ways[i] == MEETS or ways[i] == STICKS:
            b[i] = b[i] - soft * mu[i] * w[i]
    if some:
        for i in range(m):
            z[i] = w[i] - product(B[i * m :], b, m)
        found = True
        while t > 1e-4 and found:
            for i in range(m):
                b[i] = p[i] + t * z[i]
            found = not inside(words, given, b, ways, INSIDE * large)
            t = 0.3 * t
    return found


def inside(words, given, p, ways, margin):
    """Whether impulses are inside the laws: they push, and friction sticks by less than it can."""
    m, good = words[1], True
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    for i in range(m):
        if given[i] == 1.0 and ways[i] == MEETS and p[i] <= margin:
            good = False
    for k in range(words[2]):
        first, last, size = cones[3 * k], cones[3 * k] + cones[3 * k + 1], 0.0
        if last > first and ways[first] == STICKS:
            for i in range(first, last):
                size = size + p[i] ** 2.0
            if size**0.5 > most(words, given, p, k) - margin:
                good = False
    return good

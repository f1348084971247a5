"""Impulses of an impact at contacts with friction, by sweeps over them: loops over numbers.

Plain text (see `plain`) as that of `row_loops`, with its words and blocks.  Every contact in turn
takes the impulse that Newton's law and Coulomb's cone ask of it alone, under what the others give:
exactly, in three dimensions, its slip being that after the impact.  Theory: DF.15.
"""

from __future__ import annotations

from .delassus import HEAD, doubles, longs
from .impact_newton import missed, most, rates, stepped
from .impact_sensitivity import shared_evenly

NOTHING = 1e-30
FINE, ENOUGH, COARSE = 3e-12, 1e-9, 1e-4  # misses, over speeds: aimed at, let be, no answer
SWEEPS, PHASES, STEPS = 400, 3, 60
AMONG = 10  # sweeps between two trials of Newton's steps
ROOM = 40
TURN = 32  # directions that are looked at, and the cosine and sine between two of them
COS, SIN = 0.9807852804032304, 0.19509032201612825


def rows_struck(words_, index, block_, given_, out_):
    """Impulses along all rows, and one if they are others than those given.

    Of what each row is (1 pushes, 2 holds, 0 else), rates before and wanted, then of each cone its
    coefficient, and the impulses that are tried first.  No numbers, where none obey the laws.
    To the one is added the share of the rates wanted that is given back.
    """
    words, block, given, out = longs(words_), doubles(block_), doubles(given_), doubles(out_)
    n, m, c = words[0], words[1], words[2]
    free, tried = given[m:], given[3 * m + c :]
    G, x, r, w = block[n + 2 * m :], out[m + 1 :], out[2 * m + 1 :], out[4 * m + 1 :]
    target = out[3 * m + 1 :]
    scale, some = NOTHING, 0.0
    for i in range(m):
        scale, some = max(scale, abs(free[i])), max(some, given[i])
        out[i] = tried[i]
        x[i] = tried[i]
        target[i] = given[2 * m + i]
    out[m] = 0.0
    rates(G, free, x, r, m)
    least = missed(words, G, given, target, x, r)
    if some > 0.0 and (least != least or least > ENOUGH * scale):
        if least != least or least > scale:
            for i in range(m):
                x[i] = 0.0
        share = 1.0
        while share >= 0.0:
            for i in range(m):
                target[i] = share * given[2 * m + i]  # less is given back: DF.15
            out[m] = 1.0 + share
            share = share - 0.25
            if sought(words, block, given, target, x, r, w, out, scale) < COARSE * scale:
                share = -1.0
                shared_evenly(words, block, given, target, out, w[ROOM + 1 :])
            else:
                for i in range(m):
                    out[i] = (scale - scale) / (out[m] - out[m])


def sought(words, block, given, target, x, r, w, out, scale):
    """Sweeps from impulses x; by how much the best of them miss the laws, which are put out."""
    n, m = words[0], words[1]
    free, G = given[m:], block[n + 2 * m :]
    least, phase = scale, 0
    while phase < PHASES and least > ENOUGH * scale:
        w[ROOM] = 1.0
        if phase > 1:  # it went back and forth in both orders
            w[ROOM] = 0.4
        turn, since = 0, AMONG - 1
        rates(G, free, x, r, m)
        while turn < SWEEPS and least > FINE * scale:
            since, near = since + 1, False
            if since == AMONG:
                since = 0
                near = stepped(words, block, given, target, x, r, w[ROOM + 1 :], FINE * scale)
            if not near:
                swept(words, block, given, target, x, r, w, phase)
            rates(G, free, x, r, m)
            now = missed(words, G, given, target, x, r)
            turn = turn + 1
            if now < least:
                least = now
                for i in range(m):
                    out[i] = x[i]
        phase = phase + 1
        for i in range(m):
            x[i] = 0.0
    return least


def swept(words, block, given, target, x, r, w, phase):
    """Every contact, with the first friction that it presses, and every other friction once.

    Odd phases go backwards, later ones begin elsewhere.
    """
    m, c = words[1], words[2]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    turn = int(0.5 * phase)
    begin = turn * int(0.34 * m)
    for j in range(m):
        i = begin + j
        if phase != 2 * turn:
            i = begin + m - 1 - j
        while i >= m:
            i = i - m
        if given[i] != 0.0:
            own = -1
            for h in range(c):
                k = c - 1 - h
                if cones[3 * k + 2] == i and cones[3 * k + 1] > 0:
                    own = k
            taken(words, block, given, target, x, r, w, i, own)
    for k in range(c):
        again = False  # another one has been taken with its contact
        for h in range(k):
            again = again or cones[3 * h + 2] == cones[3 * k + 2]
        if again and cones[3 * k + 2] >= 0 and cones[3 * k + 1] > 0:
            taken(words, block, given, target, x, r, w, -1, k)


def taken(words, block, given, target, x, r, w, i, k):
    """What row i (-1: none) and cone k (-1: none) take, under what all others give."""
    m = words[1]
    cones = words[HEAD + words[3] + 2 * words[4] + m :]
    G, row, low = block[words[0] + 2 * m :], w[16:], 0.0
    row[0], row[1], row[2] = i, -1.0, -1.0
    if k >= 0:
        low = given[3 * m + k]
        for j in range(cones[3 * k + 1]):
            row[1 + j] = cones[3 * k] + j
    alone(words, block, x, r, w)
    if i >= 0:
        w[12] = target[i]
        met(w, low, given[i])
    else:
        rubbed(w, w[9 + 1], w[9 + 2], most(words, given, x, k))
    for a in range(3):
        if row[a] >= 0.0:
            j = int(row[a])
            change = w[ROOM] * (w[13 + a] - x[j])
            x[j] = x[j] + change
            if change != 0.0:
                for b in range(m):
                    r[b] = r[b] + G[j * m + b] * change


def alone(words, block, x, r, w):
    """Rates of three rows without what they have, and what one along each changes them by.

    w: that change (three by three), rates, what is wanted, answers, numbers of rows, what they
    have; then what `slid` needs.
    """
    n, m = words[0], words[1]
    mu, G, row = block[n + m :], block[n + 2 * m :], w[16:]
    for a in range(3):
        for b in range(3):
            w[3 * a + b] = 0.0
            if row[a] >= 0.0 and row[b] >= 0.0:
                w[3 * a + b] = G[int(row[a]) * m + int(row[b])]
        w[9 + a], w[13 + a], w[19 + a] = 0.0, 0.0, 0.0
        if row[a] >= 0.0:
            w[3 * a + a] = w[3 * a + a] + mu[int(row[a])]  # CK.4
            w[9 + a], w[19 + a] = r[int(row[a])], x[int(row[a])]
            for b in range(3):
                if row[b] >= 0.0:
                    w[9 + a] = w[9 + a] - w[3 * a + b] * x[int(row[b])]
        else:
            w[3 * a + a] = 1.0


def met(w, low, role):
    """A contact with its friction: apart, stuck, or sliding."""
    u, p, old = w[9:], w[13:], w[19:]
    lack = w[12] - u[0]
    if role == 1.0 and lack <= 0.0:
        p[0], p[1], p[2] = 0.0, 0.0, 0.0
    else:
        stuck(w, lack)
        limit = low * max(0.0, p[0])
        apart = role == 1.0 and p[0] < 0.0
        if apart or p[1] * p[1] + p[2] * p[2] > limit * limit:
            if low == 0.0:
                p[0], p[1], p[2] = lack / w[0], 0.0, 0.0
            else:
                if slid(w, low) == 0.0:  # one after the other
                    N = (lack - w[1] * old[1] - w[2] * old[2]) / w[0]
                    if role == 1.0:
                        N = max(0.0, N)
                    rubbed(w, u[1] + w[3] * N, u[2] + w[6] * N, low * max(0.0, N))
                    p[0] = N


def stuck(w, lack):
    """What keeps a contact as it is wanted, and its slip from going on."""
    p, a, b = w[13:], w[3] / w[0], w[6] / w[0]
    A, B, C = w[4] - a * w[1], w[5] - a * w[2], w[8] - b * w[2]
    y, z = -w[10] - a * lack, -w[11] - b * lack
    h = A * C - B * B
    p[1], p[2] = (C * y - B * z) / h, (A * z - B * y) / h
    p[0] = (lack - w[1] * p[1] - w[2] * p[2]) / w[0]


def rubbed(w, y, z, limit):
    """Friction of at most `limit` against the rates y and z; no normal impulse."""
    p, A, B, C = w[13:], w[4], w[5], w[8]
    h = A * C - B * B
    p[0], p[1], p[2] = 0.0, (B * z - C * y) / h, (B * y - A * z) / h
    if p[1] * p[1] + p[2] * p[2] > limit * limit:
        s = max(0.0, (y * y + z * z) ** 0.5 - limit * (A + C))
        p[1], p[2] = 0.0, 0.0
        if limit > 0.0:
            for _ in range(STEPS):  # DF.8
                a, c = s + limit * A, s + limit * C
                h = 1.0 / (a * c - limit * B * limit * B)
                d, e = (c * y - limit * B * z) * h, (a * z - limit * B * y) * h
                f, g = (c * d - limit * B * e) * h, (a * e - limit * B * d) * h
                size = d * d + e * e
                p[1], p[2] = -limit * d / size**0.5, -limit * e / size**0.5
                more = size / (d * f + e * g) * (size**0.5 - 1.0)
                s = max(0.0, s + more)
                if abs(more) <= 1e-16 * s:
                    break


def slid(w, low):
    """A contact that slides after the impact, its friction against that slip; zero if it cannot."""
    p, old, best, found = w[13:], w[19:], -2.0, 0.0
    size = (old[1] * old[1] + old[2] * old[2]) ** 0.5
    ends = w[22:]
    a, b = 1.0, 0.0
    if size > 0.0:
        a, b = -old[1] / size, -old[2] / size
    d, e = a, b
    last = crossed(w, low, d, e)
    for _ in range(TURN):
        f, g = COS * d - SIN * e, SIN * d + COS * e
        now = crossed(w, low, f, g)
        if last == last and now == now and ((last <= 0.0) != (now <= 0.0) or last == 0.0):
            ends[0], ends[1], ends[2], ends[3] = d, e, f, g
            if halved(w, low, ends, last) == 1.0:
                dot = a * ends[0] + b * ends[1]
                if size == 0.0:
                    dot = 1.0 / (1.0 + abs(w[22 + 5]))
                if dot > best:
                    best, found = dot, 1.0
                    p[0], p[1], p[2] = ends[5], ends[6], ends[7]
        d, e, last = f, g, now
    return found


def crossed(w, low, d, e):
    """How the slip that friction along (d, e) leaves is turned from it; impulses behind w[26]."""
    out, h = w[26:], w[1] * d + w[2] * e
    below = w[0] - low * h
    out[1] = (w[12] - w[9]) / below
    size = low * out[1]
    out[2], out[3] = -size * d, -size * e
    y = w[10] + w[3] * out[1] + w[4] * out[2] + w[5] * out[3]
    z = w[11] + w[6] * out[1] + w[7] * out[2] + w[8] * out[3]
    out[4] = y * d + z * e
    out[5] = below
    return d * z - e * y


def halved(w, low, ends, first):
    """The direction between two of them that the slip has; one if friction is against it."""
    low_side = first <= 0.0
    for _ in range(STEPS):
        d, e = ends[0] + ends[2], ends[1] + ends[3]
        size = (d * d + e * e) ** 0.5
        d, e = d / size, e / size
        now = crossed(w, low, d, e)
        if (now <= 0.0) == low_side:
            ends[0], ends[1] = d, e
        else:
            ends[2], ends[3] = d, e
    fine = crossed(w, low, ends[0], ends[1])
    if ends[8] >= 0.0 and ends[9] > 0.0 and ends[5] >= 0.0 and fine == fine:
        return 1.0
    return 0.0

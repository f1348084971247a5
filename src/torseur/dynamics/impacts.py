"""What contacts and dry frictions do at an event: impacts, and which rows hold afterwards.

Everything happens on the rows that have a switch: a force along one of them changes the motion
along all of them by one small matrix, the same for impulses and speeds as for forces and
accelerations.  Theory: DF.6, DF.8 to DF.10.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..scalar import matrix, vector
from ..spatial import HALF
from .cone import onset, pressed, strength, unit
from .constrained import PROXIMAL, compliances, saddle, terms
from .constraints import rows, substitute
from .sparse import factor, is_zero
from .switching import BARELY, GOING, SLOW, SWEEPS, Constraints, watched

PASSES = 3              # of rows that let go, after an event
REST = 1e-12            # rate [m/s, rad/s] of what is at rest
TOUCH = 1e-9            # gap [m] of what touches at the start of a run,
NEAR = 1e-10            # and of what an impact elsewhere may drive in


class After(NamedTuple):
    """The state after an event."""

    v: np.ndarray
    dissipated: Any             # energies [J] of the impact
    supplied: Any
    memory: np.ndarray          # of all contacts and frictions, end to end


class Problem(NamedTuple):
    """What is asked of the switched rows: of accelerations, or of speeds over an impact."""

    free: np.ndarray            # rate along each row when none of them acts
    target: np.ndarray          # rate wanted along each row that holds
    normal: list                # normal force of each friction when no row acts; None: constant
    low: list                   # of each friction: coefficient or force while sliding
    high: list                  # and when stuck
    stays: list                 # of each contact, 1 when it cannot be released
    joins: list                 # of each contact, 1 when it closes if it is driven in
    forced: list                # of each friction, 1 when it must let go


class Rates:
    """The motion along the switched rows at one state, and what forces along them change."""

    def __init__(self, c: Constraints, tree, now, tau, wrenches):
        self.c, self.K, self.now = c, tree.K, now
        r = self.rows = rows(tree, c.system, now.t, now.q, now.v, switched=True)
        own = c.own(r)
        index = [j for part in own for j in part]
        self.own = [[index.index(j) for j in part] for part in own]
        fixed = [j for j in range(len(r)) if j not in index]
        M, h = terms(tree, now.q, now.v, wrenches or None)
        s = saddle(tree.K, M, r.J[fixed], [r.owners[j] for j in fixed])
        a, lam = s.solve(tau - h, r.gamma[fixed])
        none = vector([0] * len(fixed))
        units = [s.solve(r.J[j], none) for j in index]
        self.moves = [x for x, _ in units]
        self.backs = [x for _, x in units]                   # multipliers of rows that always hold
        self.G = matrix([r.J[j] @ x for x in self.moves] for j in index)              # DF.9
        self.free = r.J[index] @ a - r.gamma[index]
        self.speed = r.psi[index]
        self.drift = r.J[fixed] @ now.v
        self.gaps = [r.phi[r.places.index(j)] for (j,) in own[:len(c.contacts)]]
        # by the masses alone: at a dead point nothing is left of G but rounding, of any sign
        self.mu = compliances(tree.K, M, r.J[index], times=PROXIMAL)
        def whole(x, at=None):
            full = vector([0] * len(r))
            full[fixed] = x
            if at is not None:
                full[at] = 1
            return full
        def pressing(a, lam):
            return c.pressing(tree, now, r, a, lam, wrenches)
        here = pressing(a, whole(lam))
        self.normal = [here.get(i) for i in range(len(c.frictions))]
        then = [pressing(a + x, whole(lam + y, j)) for (x, y), j in zip(units, index, strict=True)]
        self.change = [None if N is None else [x[i] - N for x in then]
                       for i, N in enumerate(self.normal)]
        n = len(c.contacts)
        self.slips = [self.speed[i] for i in self.own[n:]]

    def answer(self, on, iterations=1):
        """A function: forces along rows that hold, from the rate each of them lacks."""
        K, n, G = self.K, len(self.G), self.G
        A = matrix([G[i, j] * (on[i] * on[j]) for j in range(n)] for i in range(n))
        for i in range(n):
            A[i, i] = A[i, i] + self.mu[i] + (1 - on[i])
        F = factor(K, A, list(range(n)))
        def held(lack):
            x = F.solve(on * lack)
            for _ in range(iterations - 1):
                x = F.solve(on * lack + self.mu * x)
            return x
        return held

    def pressed_by(self, problem, i, lam) -> np.ndarray:
        """Normal force of friction i under forces along the rows."""
        return problem.normal[i] + sum((c * x for c, x in zip(self.change[i], lam, strict=True)),
                                       start=0 * problem.normal[i])

    def forces(self, on, along, problem: Problem, iterations=1):
        """Forces along the rows; `along` is where each friction slides, zero when it holds."""
        K, G, held = self.K, self.G, self.answer(on, iterations)
        lam, parts, n = held(problem.target - problem.free), {}, len(self.c.contacts)
        for i, own in enumerate(self.own[n:]):
            if own:
                push = vector([0] * len(G))
                push[own] = -along[i]
                parts[i] = push + held(-(G @ push))
        f = {i: problem.low[i] for i in parts}
        loose = [i for i in parts if problem.normal[i] is not None]
        alone = {i: self.pressed_by(problem, i, lam + sum(
            (parts[j] * f[j] for j in parts if j not in loose), start=0 * lam)) for i in loose}
        change = {i: {j: sum((c * x for c, x in zip(self.change[i], parts[j], strict=True)),
                             start=0 * alone[i]) for j in loose} for i in loose}
        f |= dict.fromkeys(loose, 0)
        for _ in range(SWEEPS if len(loose) > 1 else 1):
            for i in loose:
                N = alone[i] + sum((change[i][j] * f[j] for j in loose if j != i),
                                   start=0 * alone[i])
                f[i] = pressed(K, N, change[i][i], problem.low[i])
        return lam + sum((parts[i] * f[i] for i in parts), start=0 * lam)

    def starting(self, on, lam, problem: Problem, i, d):
        """Direction in which friction i starts to slide, from a first guess.

        Forces of other frictions that slide are those in `lam`.
        """
        K, G, own = self.K, self.G, self.own[len(self.c.contacts) + i]
        if len(own) < 2:
            return d
        off, lam = on.copy(), lam * (1 - on)
        off[own] = lam[own] = 0
        held, units = self.answer(off), []
        lam = lam + held(problem.target - problem.free - G @ lam)
        for k in own:
            push = vector([0] * len(G))
            push[k] = 1
            units.append(push + held(-G[:, k]))
        y = (problem.free + G @ lam)[own]
        W = matrix([(G @ x)[k] for x in units] for k in own)
        if problem.normal[i] is None:
            return onset(K, y, W, lambda d: problem.low[i], d)
        N = self.pressed_by(problem, i, lam)
        change = [self.pressed_by(problem, i, x) - problem.normal[i] for x in units]
        def friction(d):
            return pressed(K, N, -(change[0] * d[0] + change[1] * d[1]), problem.low[i])
        return onset(K, y, W, friction, d)

    def balance(self, closed, stuck, along, problem: Problem):
        """What holds after what cannot hold has let go.

        `closed` and `stuck` are one or zero; answers them, the directions of frictions that slide,
        and one for each friction that has begun to.
        """
        K, n, passes = self.K, len(self.c.contacts), min(1 + len(self.own), PASSES)
        closed, stuck, along = list(closed), list(stuck), list(along)
        started = [0.0] * len(stuck)
        for turn in range(passes):
            lam = self.forces(self.on(closed, stuck), along, problem)
            for j, (k,) in enumerate(self.own[:n]):
                pulls = K.select(K.less(lam[k], -BARELY), 1 - problem.stays[j], 0.0)
                closed[j] = closed[j] * (1 - pulls)
                if not is_zero(problem.joins[j]):
                    rate = problem.free[k] + self.G[k] @ lam
                    closed[j] = K.call("max", closed[j], K.select(
                        K.less(rate, -BARELY), problem.joins[j], 0.0))
            for i in range(len(stuck)):
                own, over = self.own[n + i], self._over(problem, i, lam, stuck[i], turn)
                started[i] = started[i] + over
                stuck[i] = stuck[i] * (1 - over)
                along[i] = _choose(K, over, unit(K, -lam[own], along[i]), along[i])
        on = self.on(closed, stuck)
        for i, d in enumerate(along):
            along[i] = _choose(K, started[i], self.starting(on, lam, problem, i, d), d)  # DF.8
        return closed, stuck, along, started

    def _over(self, problem, i, lam, stuck, turn):
        """One when a stuck friction has to let go."""
        K, own = self.K, self.own[len(self.c.contacts) + i]
        if not own:
            return 0.0
        limit = problem.high[i] if problem.normal[i] is None else \
            problem.high[i] * strength(K, self.pressed_by(problem, i, lam))
        over = K.select(K.less(limit, strength(K, lam[own])), 1.0, 0.0)
        return stuck * (K.call("max", over, problem.forced[i]) if turn == 0 else over)

    def on(self, closed, stuck) -> np.ndarray:
        on, n = vector([0] * len(self.G)), len(closed)
        for own, x in zip(self.own, closed, strict=False):
            on[own] = x
        for i, own in enumerate(self.own[n:]):
            gate = self.c.gates[i]
            on[own] = stuck[i] if gate is None else stuck[i] * closed[gate]
        return on


def _choose(K, flag, x, y):
    yes = K.less(HALF, flag)
    return vector(K.select(yes, a, b) for a, b in zip(x, y, strict=True))


def after(c: Constraints, tree, now, tau, wrenches, event) -> After:
    """Speeds, energies and memory after an event, numbered as the guards; -1 starts a run."""
    r, K = Rates(c, tree, now, tau, wrenches), tree.K
    if not c.contacts:
        return After(now.v, 0, 0, _settled(r, event, 0.0))
    struck = K.symbol("struck")
    settled = _settled(r, event, struck)
    v, dissipated, supplied, touch, hit = _impact(r, event)
    tail = np.concatenate(c.modes(now))
    old = np.concatenate([now.v, tail[:len(touch)], vector((struck,))])
    new = np.concatenate([v, vector(touch), vector((hit,))])
    return After(v, dissipated, supplied, substitute(K, settled, old, new))


def _numbers(c) -> list[int]:
    """Number of the first guard of each switched element."""
    out, n = [], 0
    for e in c.switched:
        out.append(n)
        n += len(watched(e))
    return out


def _is(K, event, k):
    """One when the event has this number."""
    offset = event - k
    return K.select(K.less(offset * offset, 0.25), 1.0, 0.0)


def _impact(r: Rates, event):
    """Speeds after an impact, energies lost and supplied, states of contacts, one if there was one.

    Newton's restitution along the normal, Coulomb's cone across it.
    """
    K, c, n = r.K, r.c, len(r.c.contacts)
    first, modes = _numbers(c), c.modes(r.now)
    begins = K.select(K.less(event, -HALF), 1.0, 0.0)
    closed = c.ons(modes)[:n]
    hits, states, near, target = [], [], [], vector([0] * len(r.G))
    for j, gap in enumerate(r.gaps):
        u = r.speed[r.own[j][0]]
        lifts, lands, turns = (_is(K, event, first[j] + i) for i in range(3))
        meets = lands + turns * K.select(K.less(gap, 1e-13), 1.0, 0.0) + begins * K.select(
            K.less(gap, TOUCH), 1.0, 0.0)
        hits.append(K.select(K.less(u, REST), meets, 0.0))
        near.append(K.select(K.less(gap, NEAR), 1.0, 0.0))
        leaves = K.call("max", lifts, K.select(K.less(0.0, u), begins, 0.0))
        states.append(K.select(K.less(HALF, leaves), -1.0, K.select(
            K.less(HALF, turns + begins), 0.0, modes[j][0])))
        closed[j] = closed[j] * (1 - lifts) * (1 - begins)
    any_ = _largest(K, hits)
    slow = 1.0
    for j, e in enumerate(c.contacts):
        k, u = r.own[j][0], r.speed[r.own[j][0]]
        driven = near[j] * any_ * (1 - closed[j]) * K.select(K.less(u, -BARELY), 1.0, 0.0)
        hits[j] = K.call("max", hits[j], driven)
        fast = K.select(K.less(-u, K.number(e.contact.rest_speed)), 0.0, hits[j])
        target[k] = -(K.number(e.contact.restitution) * u) * fast                     # DF.10
        slow = slow * (1 - fast)
    before = list(closed)
    closed = [K.call("max", x, y) for x, y in zip(closed, hits, strict=True)]
    coned = [e.friction.normal not in (None, "joint") for e in c.frictions]
    low = [K.number(e.friction.sliding) if ok else 0.0
           for e, ok in zip(c.frictions, coned, strict=True)]
    normal = [vector((0,)) if ok else None for ok in coned]
    stuck = [x if ok else 0.0 for x, ok in zip(c.ons(modes)[n:], coned, strict=True)]
    stuck = [x if g is None else K.call("max", x, hits[g])
             for x, g in zip(stuck, c.gates, strict=True)]
    along = [_choose(K, x, vector([0] * len(d)), d) for x, d in zip(
        stuck, c.directions(K, modes[:n] + _sliding(modes[n:]), r.slips), strict=True)]
    stays = [K.call("max", x, slow * y) for x, y in zip(hits, before, strict=True)]
    joins = [x * any_ for x in near] if n > 1 else [0] * n
    problem = Problem(r.speed, target, normal, low, low, stays, joins, [0.0] * len(stuck))
    closed, stuck, along, _ = r.balance(closed, stuck, along, problem)
    p = r.forces(r.on(closed, stuck), along, problem, iterations=3)
    p = vector(K.select(K.less(HALF, any_), x, 0.0) for x in p)
    after_ = r.speed + r.G @ p
    v = r.now.v + sum((m * x for m, x in zip(r.moves, p, strict=True)), start=0 * r.now.v)
    lost = -(p @ (r.speed + after_)) * HALF                                           # DF.10
    given = sum(((b @ r.drift) * x for b, x in zip(r.backs, p, strict=True)), start=0) \
        if len(r.drift) else 0
    touch = []
    for j, (k,) in enumerate(r.own[:n]):
        leaves, driven = K.less(BARELY, after_[k]), K.less(after_[k], -BARELY)
        inside = K.select(driven, near[j], 0.0)
        stays = K.less(HALF, K.call("max", closed[j], inside))
        new = K.select(leaves, -1.0, K.select(stays, 1.0, K.select(
            driven, 0.0, K.select(K.less(HALF, before[j]), -1.0, states[j]))))
        touch.append(K.select(K.less(HALF, any_), new, states[j]))
    return v, lost, given, touch, any_


def _largest(K, x):
    out = 0.0
    for e in x:
        out = K.call("max", out, e)
    return out


def _sliding(modes):
    """The same memory with frictions in a plane as sliding."""
    return [m if len(m) == 1 else np.concatenate([vector((2.0,)), m[1:]]) for m in modes]


def _settled(r: Rates, event, struck) -> np.ndarray:
    """Memory after an event: rows are tried, and let go when they cannot hold."""
    K, c, n = r.K, r.c, len(r.c.contacts)
    first, modes = _numbers(c), c.modes(r.now)
    renew = K.call("max", K.select(K.less(event, -HALF), 1.0, 0.0), struck)
    kept, stuck, forced = [], [], []
    for i, e in enumerate(c.frictions):
        m, u, k = modes[n + i], r.slips[i], first[n + i]
        stops, breaks = _is(K, event, k), _is(K, event, k + 1)
        forced.append(breaks)
        if e.size == 1:
            rest = K.less(K.call("abs", u[0]), REST) if len(u) else True
            moving = K.call("sign", K.select(rest, 0.0, u[0])) if len(u) else 0.0
            mode = K.select(K.less(HALF, renew), moving, K.select(K.less(HALF, stops), 0.0, m[0]))
            kept.append(vector((mode,)))
            stuck.append(1 - mode * mode)
            continue
        turns, rest = _is(K, event, k + 2), K.less(u @ u, REST * REST) if len(u) else True
        going = K.select(K.less(u @ u, SLOW * GOING), 1.0, 2.0) if len(u) else 0.0
        mode = K.select(K.less(HALF, renew), K.select(rest, 0.0, going), K.select(
            K.less(HALF, stops), 0.0, K.select(K.less(HALF, turns), going, m[0])))
        d = _choose(K, renew + turns, u, m[1:1 + len(u)])
        kept.append(np.concatenate([vector((mode,)), d]))
        stuck.append((1 - mode) * (2 - mode) * HALF)
    law = [e.friction for e in c.frictions]
    low, high = ([K.number(getattr(x, w)) * K.number(x.radius) for x in law]
                 for w in ("sliding", "static"))
    along = c.directions(K, modes[:n] + kept, r.slips)
    problem = Problem(r.free, vector([0] * len(r.G)), r.normal, low, high, [0.0] * n, [0] * n,
                      forced)
    before = c.ons(modes)[:n]
    closed, stuck, along, started = r.balance(before, stuck, along, problem)
    out = [K.select(K.less(closed[j], x - HALF), -1.0, modes[j][0]) for j, x in enumerate(before)]
    for i, e in enumerate(c.frictions):
        if e.size == 1:
            out.append(K.select(K.less(HALF, started[i]), along[i][0] if len(along[i]) else 0.0,
                                kept[i][0]))
            continue
        out.append(K.select(K.less(HALF, started[i]), 1.0, kept[i][0]))
        d = _choose(K, started[i], along[i], kept[i][1:])
        out += [*d, *(0.0 for _ in range(2 - len(d)))]
    return vector(out)

"""What contacts and dry frictions do at an event: impacts, stops, and which rows hold afterwards.

Theory: DF.6 to DF.10, FL.7.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...scalars import vector
from ...scalars.values import value
from ...spatial import HALF
from ..constraints.rows import substitute
from ..moving_base_power import gained
from .complementarity import MANY_PASSES, PASSES, SwitchProblem, choose
from .friction_cone import BARELY, FLOOR, GOING, SLOW
from .impact_check import SWEPT, obeying
from .row_velocities import Rates, rates
from .switched_constraints import ConstraintSolver
from .tolerances import AT_STEP, TOUCH

REST = 1e-12  # rate [m/s, rad/s] of what is at rest
SETTLED = 4  # contacts up to which few passes do
NEAR = 1e-10  # gap [m] of what an impact elsewhere may drive in


class After(NamedTuple):
    """The state after an event."""

    v: np.ndarray
    dissipated: Any  # energies [J] of the impact
    supplied: Any
    memory: np.ndarray  # of all contacts and frictions, end to end
    stop: Any = 0  # impulse that a rigid stop adds to its own


class Strike(NamedTuple):
    """A rigid stop that strikes, of which speeds know already: one if it does, row and impulse."""

    on: Any
    row: np.ndarray
    size: Any


def after(c: ConstraintSolver, tree, now, tau, wrenches, event, strike: Strike | None = None):
    """What is `After` an event, numbered as the guards; -1 starts a run."""
    r, K = rates(c, tree, now, tau, wrenches, strike is not None), tree.K
    halted = _halted(r, event)
    hit = 0.0 if strike is None else strike.on
    strikes = bool(c.contacts) or (strike is not None and any(_coned(c)))
    if not strikes and not any(e.size == 2 or e.stores for e in c.frictions):
        return After(now.v, 0, 0, _settled(r, event, hit, halted))
    names = K.symbols(("struck", *(f"halted{i}" for i in range(len(halted)))))
    settled = _settled(r, event, names[0], names[1:])
    share, press = None, None
    if strike is not None:
        r, share, press = r.pinned(strike.row)
        press = [None if x is None else x * strike.size for x in press]
    p, touch = vector([0] * len(r.G)), []
    hops = _hops(c, K)
    if strikes:
        p, touch, hit = _impact(r, event, hit, press, hops)
    p = p + _stop(r, halted)
    v = now.v + r.moved(p)
    lost = -(p @ (2 * r.power + r.along(p))) * HALF  # DF.10
    given = (
        sum(((b @ r.drift) * x for b, x in zip(r.backs, p, strict=True)), start=0)
        if len(r.drift)
        else 0
    )
    if tree.rheonomic:
        given = given + gained(tree, now.q, v - now.v) - p @ r.carried  # RP.6
    old = np.concatenate([now.v, *c.modes(now)[: len(touch)], names])
    new = np.concatenate([v, vector(touch), vector((hit, *halted))])
    memory = substitute(K, settled, old, new)
    found = After(v, lost, given, memory, 0 if share is None else share @ p)
    return _with_hops(K, found, hops) if hops else found


def _hops(c: ConstraintSolver, K) -> dict[int, Any]:
    """Symbols, by contact, that are one where it stays closed: of restitutions that have a name.

    They tell which of those that are zero stand for hops, a matter of derivatives.
    """
    named = [j for j, e in enumerate(c.contacts) if value.symbols(e.contact.restitution)]
    return dict(zip(named, K.symbols(tuple(f"stays{j}" for j in named)), strict=True))


def _with_hops(K, found: After, hops: dict[int, Any]) -> After:
    """What is `After` an event, where contacts that stay closed are known."""
    names, places = vector(hops.values()), [*hops]
    modes = substitute(K, found.memory[places], names, 0 * names)
    stay = vector(K.select(K.less(HALF, x), 1.0, 0.0) for x in modes)
    scalars = [found.dissipated, found.supplied, found.stop]
    whole = np.concatenate([found.v, vector(scalars), found.memory])
    v, (lost, given, stop), memory = np.split(
        substitute(K, whole, names, stay), [len(found.v), len(found.v) + len(scalars)]
    )
    return After(v, lost, given, memory, stop)


def _halted(r: Rates, event) -> list:
    """One for each friction in a plane that comes to rest: it stops, or is slow when another does.

    A body on several feet stops on all of them at once, up to rounding.
    """
    K, c, n = r.K, r.c, len(r.c.contacts)
    stops = []
    for i, (e, u) in enumerate(zip(c.frictions, r.slips, strict=True)):
        m, k = c.modes(r.now)[n + i], _numbers(c)[n + i]
        if e.stores and len(u):  # it would come back from nearer than can be seen
            (j,), h = r.own[n + i], K.number(e.friction.static)
            slow = K.less(u[0] * u[0], 4 * AT_STEP * h * r.G[j, j])  # DF.13
            stops.append(K.select(slow, _is(K, event, k), 0.0))
            continue
        if e.size == 1 or not len(u):
            stops.append(0.0)
            continue
        past = K.select(K.less(u @ m[1 : 1 + len(u)], 0.0), _is(K, event, k + 2), 0.0)
        stops.append(K.call("max", _is(K, event, k), past))  # past: a long step went too far
    some, out = _largest(K, stops), []
    for i, x in enumerate(stops):
        m = c.modes(r.now)[n + i][0]
        slow = (m * (2 - m)) * some if c.frictions[i].size == 2 else 0.0
        out.append(K.call("max", x, slow))
    return out


def _stop(r: Rates, halted) -> np.ndarray:
    """Impulses that take what is left of the slip from frictions that come to rest."""
    K, c, n = r.K, r.c, len(r.c.contacts)
    ons = c.ons(c.modes(r.now))
    stuck = [K.call("max", x, y) for x, y in zip(ons[n:], halted, strict=True)]
    p = r.answer(r.on(ons[:n], stuck), 3)(-r.speed)
    some = K.less(HALF, _largest(K, halted))
    return vector(K.select(some, x, 0.0) for x in p)


def _numbers(c) -> list[int]:
    """Number of the first guard of each switched element."""
    out, n = [], 0
    for e in c.switched:
        out.append(n)
        n += len(e.watched)
    return out


def _is(K, event, k):
    """One when the event has this number."""
    offset = event - k
    return K.select(K.less(offset * offset, 0.25), 1.0, 0.0)


def _coned(c) -> list[bool]:
    """Whose normal force comes from a row, so that it can be an impulse."""
    return [e.friction.normal not in (None, "joint") for e in c.frictions]


def _impact(r: Rates, event, stop, press, hops):
    """Impulses of an impact, states of contacts after it, and one if there was one.

    Newton's restitution along the normal, Coulomb's cone across it.  `stop` is one when a rigid
    stop strikes, `press` the normal impulses it gives to frictions.
    """
    K, c, n = r.K, r.c, len(r.c.contacts)
    first, modes = _numbers(c), c.modes(r.now)
    begins = K.select(K.less(event, -HALF), 1.0, 0.0)
    closed = c.ons(modes)[:n]
    hits, states, near, target = [], [], [], vector([0] * len(r.G))
    strikes = 1 - begins  # what starts in touch, and does not approach, is no impact
    for j, gap in enumerate(r.gaps):
        u = r.speed[r.own[j][0]]
        lifts, lands, turns = (_is(K, event, first[j] + i) for i in range(3))
        meets = (
            lands
            + turns * K.select(K.less(gap, 1e-13), 1.0, 0.0)
            + begins * K.select(K.less(gap, TOUCH), 1.0, 0.0)
        )
        hits.append(K.select(K.less(u, REST), meets, 0.0))
        approaches = K.select(K.less(u, -BARELY), 1.0, 0.0)
        strikes = K.call("max", strikes, hits[-1] * approaches)
        near.append(K.select(K.less(gap, NEAR), 1.0, 0.0))
        leaves = K.call("max", lifts, K.select(K.less(0.0, u), begins, 0.0))
        states.append(
            K.select(
                K.less(HALF, leaves), -1.0, K.select(K.less(HALF, turns + begins), 0.0, modes[j][0])
            )
        )
        closed[j] = closed[j] * (1 - lifts) * (1 - begins)
    any_ = _largest(K, [*hits, stop])
    slow, small = 1.0 - stop, {}
    for j, e in enumerate(c.contacts):
        k, u = r.own[j][0], r.speed[r.own[j][0]]
        driven = near[j] * any_ * (1 - closed[j]) * K.select(K.less(u, -BARELY), 1.0, 0.0)
        hits[j] = K.call("max", hits[j], driven)
        hop = _is(K, event, first[j] + 2)  # too short to be one: no restitution
        bounces = hits[j] * (1 - hop) * (1 - stop)  # a stop's impulse alone drives none back
        fast = K.select(K.less(-u, K.number(e.contact.rest_speed)), 0.0, bounces)
        back = K.number(e.contact.restitution)
        target[k] = -(back * u) * fast  # DF.10
        if j in hops:
            small[j] = K.select(K.less(0.0, back), 0.0, back * hops[j]), -u * fast
        slow = slow * (1 - fast)
    before = list(closed)
    tried = [K.call("max", x, y) for x, y in zip(closed, hits, strict=True)]
    coned = _coned(c)
    low = [
        K.number(e.friction.sliding) if ok else 0.0
        for e, ok in zip(c.frictions, coned, strict=True)
    ]
    normal = [vector((0,)) if ok else None for ok in coned]
    if press is not None:
        normal = [x if ok else None for x, ok in zip(press, coned, strict=True)]
    stuck = [1.0 if ok else 0.0 for ok in coned]
    along = [0 * u for u in r.slips]
    # wants may contradict, those of equal restitutions as well, once others join: DF.10
    stays = [slow * K.call("max", x, y) for x, y in zip(hits, before, strict=True)]
    joins = [x * any_ for x in near] if n > 1 else [0] * n

    def struck(target):
        problem = SwitchProblem(r.speed, target, normal, low, low, stays, joins, [0.0] * len(stuck))
        shut, holds, ways, *_ = r.balance(tried, stuck, along, problem, _passes(n))
        held = r.on(shut, holds)
        p = r.forces(held, ways, problem, 3, decided=r.sought(problem))
        shut, p = obeying(r, tried, any_ * strikes, shut, problem, p)
        return shut, p, (held, ways, problem)

    closed, p, how = struck(target)
    if any(e.contact.restitution != 0 for e in c.contacts) and any(coned):
        shut, rest, _ = struck(0 * target)
        p = _within_energy(r, rest, p)
        closed = [K.call("max", x, y) for x, y in zip(closed, shut, strict=True)]
    for j, (share, u) in small.items():
        p = p - _hop(r, r.own[j][0], u, *how) * share  # SE.11
    if n > 1:
        p, closed = _driven_in(r, p, closed, near)
    some = K.less(HALF, any_ * strikes)
    p = vector(K.select(some, x, 0.0) for x in p)
    after_, touch = r.speed + r.along(p), []
    for j, (k,) in enumerate(r.own[:n]):
        rests = closed[j] * K.select(K.less(after_[k] * after_[k], SWEPT * SWEPT), 1.0, 0.0)
        new = K.select(
            K.less(BARELY, after_[k] * (1 - rests)),
            -1.0,
            K.select(
                K.less(HALF, closed[j]),
                1.0,
                K.select(
                    K.less(after_[k], -BARELY),
                    0.0,
                    K.select(K.less(HALF, before[j]), -1.0, states[j]),
                ),
            ),
        )
        touch.append(K.select(K.less(HALF, any_), new, states[j]))
    return p, touch, any_


def _passes(contacts: int) -> int:
    """In how many passes rows let go: of many feet they do so one after the other."""
    return MANY_PASSES if contacts > SETTLED else PASSES


def _hop(r: Rates, k, u, held, ways, problem: SwitchProblem) -> np.ndarray:
    """Impulses of a rebound at the speed u of row k, with slips that go on as they do: those that
    the second landing gives, less those of the force that is missing as long as the hop lasts."""
    target = 0 * problem.target
    target[k] = u
    normal = [None if x is None else 0 * x for x in problem.normal]
    still = problem._replace(free=0 * problem.free, target=target, normal=normal)
    return r.forces(held, ways, still, iterations=3)


def _driven_in(r: Rates, p, closed, near):
    """Impulses that also stop contacts which those of the others would still drive in."""
    K, u, n = r.K, r.speed + r.along(p), len(closed)
    inside = [
        K.select(K.less(u[k], -BARELY), x, 0.0) for (k,), x in zip(r.own[:n], near, strict=True)
    ]
    closed = [K.call("max", x, y) for x, y in zip(closed, inside, strict=True)]
    lack = 0 * u
    for (k,), x in zip(r.own[:n], inside, strict=True):
        lack[k] = -u[k] * x
    return p + r.answer(r.on(closed, [0] * len(r.c.frictions)), 3)(lack), closed


def _within_energy(r: Rates, rest, p) -> np.ndarray:
    """Impulses between those of no restitution and those asked for, that give no energy."""
    K, u, more = r.K, r.power, p - rest
    lost = -(rest @ (2 * u + r.along(rest))) * HALF
    a, b = (more @ (r.along(more))) * HALF, more @ (u + r.along(rest))
    given = K.less(lost, a + b)  # by the whole of it
    root = K.sqrt(K.call("max", 0.0, b * b + 4 * a * lost))
    share = K.divide(2 * K.call("max", 0.0, lost), root + b + FLOOR)  # DF.10
    share = K.select(given, K.call("min", 1.0, share), 1.0)
    return vector(x + y * share for x, y in zip(rest, more, strict=True))


def _largest(K, x):
    out = 0.0
    for e in x:
        out = K.call("max", out, e)
    return out


def _settled(r: Rates, event, struck, halted) -> np.ndarray:
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
            met = 0.0
            if e.stores:
                x = r.offsets[i]
                off = K.less(AT_STEP * AT_STEP, x * x)
                met = K.select(K.less(HALF, halted[i]), 0.0, moving)
                moving = K.select(off, K.call("sign", x), moving)
            mode = K.select(K.less(HALF, renew), moving, K.select(K.less(HALF, stops), met, m[0]))
            kept.append(vector((mode,)))
            stuck.append(1 - mode * mode)
            continue
        turns, rest = _is(K, event, k + 2), K.less(u @ u, REST * REST) if len(u) else True
        going = K.select(K.less(u @ u, SLOW * GOING), 1.0, 2.0) if len(u) else 0.0
        mode = K.select(
            K.less(HALF, renew),
            K.select(rest, 0.0, going),
            K.select(K.less(HALF, halted[i]), 0.0, K.select(K.less(HALF, turns), going, m[0])),
        )
        d = choose(K, renew + turns, u, m[1 : 1 + len(u)])
        kept.append(np.concatenate([vector((mode,)), d]))
        stuck.append((1 - mode) * (2 - mode) * HALF)
    law = [e.friction for e in c.frictions]
    low, high = (
        [K.number(getattr(x, w)) * K.number(x.radius) for x in law] for w in ("sliding", "static")
    )
    along = c.directions(K, modes[:n] + kept, r.slips)
    problem = SwitchProblem(
        r.free, vector([0] * len(r.G)), r.normal, low, high, [0.0] * n, [0] * n, forced
    )
    before = c.ons(modes)[:n]
    if c.sharing:
        problem = problem._replace(shares=_shares(r, modes, stuck))
    passes = MANY_PASSES if c.sharing else _passes(n)
    closed, stuck, along, started, shares = r.balance(before, stuck, along, problem, passes)
    out = [K.select(K.less(closed[j], x - HALF), -1.0, modes[j][0]) for j, x in enumerate(before)]
    for i, e in enumerate(c.frictions):
        if e.size == 1:
            out.append(
                K.select(
                    K.less(HALF, started[i]), along[i][0] if len(along[i]) else 0.0, kept[i][0]
                )
            )
            continue
        out.append(K.select(K.less(HALF, started[i]), 1.0, kept[i][0]))
        d = choose(K, started[i], along[i], kept[i][1:])
        if i in c.sharing:
            sticks = K.select(K.less(out[-1], HALF), 1.0, 0.0)
            d = choose(K, sticks, vector(shares)[r.own[n + i]], d)
        out += [*d, *(0.0 for _ in range(2 - len(d)))]
    return vector(out)


def _shares(r: Rates, modes, stuck) -> np.ndarray:
    """What frictions that were at rest, and are, remember to hold along each row: DF.16."""
    c, out, n = r.c, vector([0.0] * len(r.free)), len(r.c.contacts)
    ons = c.ons(modes)
    for i in c.sharing:
        out[r.own[n + i]] = modes[n + i][1 : 1 + len(r.slips[i])] * (ons[n + i] * stuck[i])
    return out

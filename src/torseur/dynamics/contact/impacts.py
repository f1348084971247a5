"""State after an event of contacts and dry frictions: impacts, stops of slip, new active set.

Newton's restitution along the normals, Coulomb's cone across them.  The compiled solver is
`native.impact_gauss_seidel`.  Equations DF.6 to DF.10, FL.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...scalars import vector
from ...scalars.values import value
from ...spatial import HALF
from ..constraints.rows import substitute
from ..moving_base_power import gained
from .complementarity import MANY_CONTACTS_PASSES, PASSES, SwitchProblem, select_vector
from .delassus import RowState, row_state
from .impact_law import enforce_impact_law
from .switched_constraints import ConstraintSolver
from .tolerances import (
    EVENT_OFFSET,
    FOLLOWED_SLIP,
    IMPACT_GAP,
    MIN_FORCE,
    RESTING_RATE,
    RESTING_SPEED,
    SLOW_SLIP,
    STEP_DEFLECTION,
    TOUCH,
    TURNING_GAP,
)

if TYPE_CHECKING:
    from ...spatial import Wrench
    from ...system import Tree
    from ..state import Moment

MAX_FEW_CONTACTS = 4  # up to which `PASSES` of the active set method are enough


class StateAfterEvent(NamedTuple):
    """Speeds, energies and history after an event."""

    v: np.ndarray
    dissipated: Any  # energies [J] of the impact
    supplied: Any
    history: np.ndarray  # of all contacts, then of all frictions
    stop_impulse: Any = 0  # that a rigid stop adds to its own


class StopImpact(NamedTuple):
    """Impact of a rigid stop whose own impulse the speeds already contain."""

    on: Any  # one if it strikes
    row: np.ndarray  # (nv,)
    impulse: Any


def state_after_event(
    c: ConstraintSolver,
    tree: Tree,
    state: Moment,
    tau: np.ndarray,
    wrenches: dict[int, Wrench] | None,
    event,
    stop: StopImpact | None = None,
) -> StateAfterEvent:
    """State after an event, numbered as the event functions; -1 is the start of a run."""
    K: Any = tree.K
    r = row_state(c, tree, state, tau, wrenches, stop is not None)
    halted = _halted_frictions(r, event)
    stop_on = 0.0 if stop is None else stop.on
    has_impacts = bool(c.contacts) or (stop is not None and any(_pressed_by_rows(c)))
    if not has_impacts and not any(e.size == 2 or e.stores for e in c.frictions):
        return StateAfterEvent(state.v, 0, 0, _history_after_event(r, event, stop_on, halted))
    names = K.symbols(("struck", *(f"halted{i}" for i in range(len(halted)))))
    history = _history_after_event(r, event, names[0], names[1:])
    share, press = None, None
    if stop is not None:
        r, share, press = r.with_fixed_row(stop.row)
        press = [None if x is None else x * stop.impulse for x in press]
    p = vector([0] * len(r.G))
    modes: list[Any] = []
    hops = _hop_symbols(c, K)
    struck = stop_on
    if has_impacts:
        p, modes, struck = _Impact(r, event, stop_on, press, hops).solve()
    p = p + _slip_stopping_impulses(r, halted)
    v = state.v + r.velocity_change(p)
    dissipated = -(p @ (2 * r.power + r.multiply_delassus(p))) * HALF  # DF.10
    supplied = (
        sum(((b @ r.drift) * x for b, x in zip(r.reactions, p, strict=True)), start=0)
        if len(r.drift)
        else 0
    )
    if tree.rheonomic:
        supplied = supplied + gained(tree, state.q, v - state.v) - p @ r.carried  # RP.6
    old = np.concatenate([state.v, *c.modes(state)[: len(modes)], names])
    new = np.concatenate([v, vector(modes), vector((struck, *halted))])
    history = substitute(K, history, old, new)
    stop_impulse = 0 if share is None else share @ p
    after = StateAfterEvent(v, dissipated, supplied, history, stop_impulse)
    return _substitute_hops(K, after, hops) if hops else after


# ---- hops of restitutions that are parameters: SE.11 ---------------------------------------


def _hop_symbols(c: ConstraintSolver, K: Any) -> dict[int, Any]:
    """Symbols, by contact, that are one where it stays closed: of restitutions that are parameters.

    They decide which zero restitutions stand for hops, which matters for derivatives.
    """
    named = [j for j, e in enumerate(c.contacts) if value.symbols(e.contact.restitution)]
    return dict(zip(named, K.symbols(tuple(f"stays{j}" for j in named)), strict=True))


def _substitute_hops(K: Any, after: StateAfterEvent, hops: dict[int, Any]) -> StateAfterEvent:
    """The state after an event with the symbols of hops replaced by the contacts' modes."""
    names, contacts = vector(hops.values()), [*hops]
    modes = substitute(K, after.history[contacts], names, 0 * names)
    stays = vector(K.select(K.less(HALF, x), 1.0, 0.0) for x in modes)
    scalars = [after.dissipated, after.supplied, after.stop_impulse]
    flat = np.concatenate([after.v, vector(scalars), after.history])
    v, (dissipated, supplied, stop_impulse), history = np.split(
        substitute(K, flat, names, stays), [len(after.v), len(after.v) + len(scalars)]
    )
    return StateAfterEvent(v, dissipated, supplied, history, stop_impulse)


# ---- stops of slip -------------------------------------------------------------------------


def _halted_frictions(r: RowState, event) -> list:
    """One for each friction in a plane that comes to rest: it stops, or is slow when another does.

    A body on several feet stops on all of them at once, up to rounding.
    """
    K, c, n = r.K, r.c, len(r.c.contacts)
    stops = []
    for i, (e, u) in enumerate(zip(c.frictions, r.slips, strict=True)):
        m, k = c.modes(r.state)[n + i], _first_events(c)[n + i]
        if e.stores and len(u):  # it would return from a distance that cannot be resolved
            (j,), h = r.slots[n + i], K.number(e.friction.static)
            is_slow = K.less(u[0] * u[0], 4 * STEP_DEFLECTION * h * r.G[j, j])  # DF.13
            stops.append(K.select(is_slow, _is_event(K, event, k), 0.0))
            continue
        if e.size == 1 or not len(u):
            stops.append(0.0)
            continue
        is_reversed = K.less(u @ m[1 : 1 + len(u)], 0.0)  # a long step went past the stop
        overshoots = K.select(is_reversed, _is_event(K, event, k + 2), 0.0)
        stops.append(K.call("max", _is_event(K, event, k), overshoots))
    any_stop, halted = _largest(K, stops), []
    for i, x in enumerate(stops):
        m = c.modes(r.state)[n + i][0]
        is_slow = (m * (2 - m)) * any_stop if c.frictions[i].size == 2 else 0.0
        halted.append(K.call("max", x, is_slow))
    return halted


def _slip_stopping_impulses(r: RowState, halted) -> np.ndarray:
    """Impulses (m) that take the rest of the slip from frictions that come to rest."""
    K, c, n = r.K, r.c, len(r.c.contacts)
    active = c.active_switches(c.modes(r.state))
    sticking = [K.call("max", x, y) for x, y in zip(active[n:], halted, strict=True)]
    p = r.active_row_solver(r.active_rows(active[:n], sticking), 3)(-r.speed)
    any_halted = K.less(HALF, _largest(K, halted))
    return vector(K.select(any_halted, x, 0.0) for x in p)


def _first_events(c: ConstraintSolver) -> list[int]:
    """Number of the first event function of each switched element."""
    out, n = [], 0
    for e in c.switched:
        out.append(n)
        n += len(e.watched)
    return out


def _is_event(K: Any, event, k):
    """One if the event has this number, else zero."""
    offset = event - k
    return K.select(K.less(offset * offset, 0.25), 1.0, 0.0)


def _largest(K: Any, x):
    """Largest of some numbers that are not negative."""
    out = 0.0
    for e in x:
        out = K.call("max", out, e)
    return out


# ---- impacts -------------------------------------------------------------------------------


def _pressed_by_rows(c: ConstraintSolver) -> list[bool]:
    """Of each friction, whether its normal force comes from a row, so that it can be an impulse."""
    return [e.friction.normal not in (None, "joint") for e in c.frictions]


def _active_set_passes(contacts: int) -> int:
    """Passes of the active set method: many contacts are released one after the other."""
    return MANY_CONTACTS_PASSES if contacts > MAX_FEW_CONTACTS else PASSES


class _Impact:
    """Impulses of an impact and modes of the contacts after it, DF.10.

    `stop_on` is one when a rigid stop strikes.  `press` are the normal impulses that it gives to
    frictions.  Lists have one entry for each contact.
    """

    def __init__(self, r: RowState, event, stop_on, press, hops: dict[int, Any]):
        self.r, self.event, self.stop_on, self.press, self.hops = r, event, stop_on, press, hops
        K, c, modes = r.K, r.c, r.c.modes(r.state)
        self.n = len(c.contacts)
        starts = K.select(K.less(event, -HALF), 1.0, 0.0)  # of a run
        self.closed = c.active_switches(modes)[: self.n]
        self.hits: list[Any] = []
        self.modes: list[Any] = []  # without an impact
        self.near: list[Any] = []  # gap so small that an impact elsewhere drives it in
        self.target = vector([0] * len(r.G))
        # a contact that touches at the start and does not approach has no impact
        self.strikes: Any = 1 - starts
        self.first_events = _first_events(c)
        for j, gap in enumerate(r.gaps):
            self._classify_contact(j, gap, starts, modes[j][0])
        self.any_hit = _largest(K, [*self.hits, stop_on])
        self.all_slow, self.small_hops = self._set_targets()

    def _classify_contact(self, j: int, gap, starts, mode) -> None:
        """Whether contact j hits, and its mode if there is no impact."""
        K, u = self.r.K, self.r.speed[self.r.slots[j][0]]
        lifts, lands, turns = (_is_event(K, self.event, self.first_events[j] + i) for i in range(3))
        meets = (
            lands
            + turns * K.select(K.less(gap, TURNING_GAP), 1.0, 0.0)
            + starts * K.select(K.less(gap, TOUCH), 1.0, 0.0)
        )
        self.hits.append(K.select(K.less(u, RESTING_RATE), meets, 0.0))
        approaches = K.select(K.less(u, -EVENT_OFFSET), 1.0, 0.0)
        self.strikes = K.call("max", self.strikes, self.hits[-1] * approaches)
        self.near.append(K.select(K.less(gap, IMPACT_GAP), 1.0, 0.0))
        leaves = K.call("max", lifts, K.select(K.less(0.0, u), starts, 0.0))
        stays = K.select(K.less(HALF, turns + starts), 0.0, mode)
        self.modes.append(K.select(K.less(HALF, leaves), -1.0, stays))
        self.closed[j] = self.closed[j] * (1 - lifts) * (1 - starts)

    def _set_targets(self) -> tuple[Any, dict[int, tuple[Any, Any]]]:
        """Wanted rates: `-e u` of contacts faster than their rest speed (Newton).

        Result: one if no contact is that fast and no stop strikes, and of contacts whose hops count
        for derivatives the restitution and the speed.
        """
        K, r, c = self.r.K, self.r, self.r.c
        all_slow, small_hops = 1.0 - self.stop_on, {}
        for j, e in enumerate(c.contacts):
            k = r.slots[j][0]
            u = r.speed[k]
            approaches = K.select(K.less(u, -EVENT_OFFSET), 1.0, 0.0)
            driven = self.near[j] * self.any_hit * (1 - self.closed[j]) * approaches
            self.hits[j] = K.call("max", self.hits[j], driven)
            # no restitution at the end of a very short hop, nor from a stop's impulse alone
            ends_hop = _is_event(K, self.event, self.first_events[j] + 2)
            bounces = self.hits[j] * (1 - ends_hop) * (1 - self.stop_on)
            fast = K.select(K.less(-u, K.number(e.contact.rest_speed)), 0.0, bounces)
            restitution = K.number(e.contact.restitution)
            self.target[k] = -(restitution * u) * fast  # DF.10
            if j in self.hops:
                hop = K.select(K.less(0.0, restitution), 0.0, restitution * self.hops[j])
                small_hops[j] = hop, -u * fast
            all_slow = all_slow * (1 - fast)
        return all_slow, small_hops

    def solve(self) -> tuple[np.ndarray, list, Any]:
        """Impulses (m), modes of the contacts after the event, and one if there was an impact."""
        K, r, c, n = self.r.K, self.r, self.r.c, self.n
        before = list(self.closed)
        tried = [K.call("max", x, y) for x, y in zip(self.closed, self.hits, strict=True)]
        pressed = _pressed_by_rows(c)
        closed, p, solution = self._solve_for(self.target, tried, before, pressed)
        if any(e.contact.restitution != 0 for e in c.contacts) and any(pressed):
            closed_inelastic, p_inelastic, _ = self._solve_for(
                0 * self.target, tried, before, pressed
            )
            p = _limit_energy(r, p_inelastic, p)
            closed = [K.call("max", x, y) for x, y in zip(closed, closed_inelastic, strict=True)]
        for j, (hop, u) in self.small_hops.items():
            p = p - _hop_impulses(r, r.slots[j][0], u, *solution) * hop  # SE.11
        if n > 1:
            p, closed = _close_driven_contacts(r, p, closed, self.near)
        has_impulse = K.less(HALF, self.any_hit * self.strikes)
        p = vector(K.select(has_impulse, x, 0.0) for x in p)
        return p, self._modes_after(p, closed, before), self.any_hit

    def _solve_for(self, target: np.ndarray, tried, before, pressed):
        """Closed contacts and impulses for wanted rates, and the active set that they belong to."""
        K, r, c, n = self.r.K, self.r, self.r.c, self.n
        low = [
            K.number(e.friction.sliding) if ok else 0.0
            for e, ok in zip(c.frictions, pressed, strict=True)
        ]
        normal = [vector((0,)) if ok else None for ok in pressed]
        if self.press is not None:
            normal = [x if ok else None for x, ok in zip(self.press, pressed, strict=True)]
        sticking = [1.0 if ok else 0.0 for ok in pressed]
        directions = [0 * u for u in r.slips]
        # wanted rates may contradict, also those of equal restitutions, once others join: DF.10
        stays = [
            self.all_slow * K.call("max", x, y) for x, y in zip(self.hits, before, strict=True)
        ]
        joins = [x * self.any_hit for x in self.near] if n > 1 else [0] * n
        forced = [0.0] * len(sticking)
        problem = SwitchProblem(r.speed, target, normal, low, low, stays, joins, forced)
        closed, sticking, directions, *_ = r.solve_active_set(
            tried, sticking, directions, problem, _active_set_passes(n)
        )
        active = r.active_rows(closed, sticking)
        p = r.row_forces(active, directions, problem, 3, decided=r.can_solve_impact(problem))
        strikes = self.any_hit * self.strikes
        closed, p = enforce_impact_law(r, tried, strikes, closed, problem, p)
        return closed, p, (active, directions, problem)

    def _modes_after(self, p: np.ndarray, closed, before) -> list:
        """Modes of the contacts: 1 closed, 0 open, -1 open and leaving."""
        K, r, modes = self.r.K, self.r, []
        u = r.speed + r.multiply_delassus(p)
        for j, (k,) in enumerate(r.slots[: self.n]):
            is_resting = K.less(u[k] * u[k], RESTING_SPEED * RESTING_SPEED)
            rests = closed[j] * K.select(is_resting, 1.0, 0.0)
            otherwise = K.select(K.less(HALF, before[j]), -1.0, self.modes[j])
            mode = K.select(
                K.less(EVENT_OFFSET, u[k] * (1 - rests)),
                -1.0,
                K.select(
                    K.less(HALF, closed[j]),
                    1.0,
                    K.select(K.less(u[k], -EVENT_OFFSET), 0.0, otherwise),
                ),
            )
            modes.append(K.select(K.less(HALF, self.any_hit), mode, self.modes[j]))
        return modes


def _hop_impulses(
    r: RowState, k: int, u, active: np.ndarray, directions, problem: SwitchProblem
) -> np.ndarray:
    """Impulses of a rebound at the speed u of row k while slips continue.

    Those of the second landing, less those of the force that is missing during the hop.
    """
    target = 0 * problem.target
    target[k] = u
    normal = [None if x is None else 0 * x for x in problem.normal]
    at_rest = problem._replace(free=0 * problem.free, target=target, normal=normal)
    return r.row_forces(active, directions, at_rest, iterations=3)


def _close_driven_contacts(r: RowState, p: np.ndarray, closed, near):
    """Impulses that also stop the contacts which those of the others would drive in."""
    K, u, n = r.K, r.speed + r.multiply_delassus(p), len(closed)
    driven = [
        K.select(K.less(u[k], -EVENT_OFFSET), x, 0.0)
        for (k,), x in zip(r.slots[:n], near, strict=True)
    ]
    closed = [K.call("max", x, y) for x, y in zip(closed, driven, strict=True)]
    missing = 0 * u
    for (k,), x in zip(r.slots[:n], driven, strict=True):
        missing[k] = -u[k] * x
    active = r.active_rows(closed, [0] * len(r.c.frictions))
    return p + r.active_row_solver(active, 3)(missing), closed


def _limit_energy(r: RowState, inelastic, p: np.ndarray) -> np.ndarray:
    """Impulses on the line from the inelastic ones to p, the last that supply no energy (DF.10)."""
    K, u, step = r.K, r.power, p - inelastic
    dissipated = -(inelastic @ (2 * u + r.multiply_delassus(inelastic))) * HALF
    a = (step @ (r.multiply_delassus(step))) * HALF
    b = step @ (u + r.multiply_delassus(inelastic))
    supplies = K.less(dissipated, a + b)
    root = K.sqrt(K.call("max", 0.0, b * b + 4 * a * dissipated))
    share = K.divide(2 * K.call("max", 0.0, dissipated), root + b + MIN_FORCE)  # DF.10
    share = K.select(supplies, K.call("min", 1.0, share), 1.0)
    return vector(x + y * share for x, y in zip(inelastic, step, strict=True))


# ---- history after an event ----------------------------------------------------------------


def _history_after_event(r: RowState, event, struck, halted) -> np.ndarray:
    """History of contacts and frictions after an event: new active set of forces, DF.6.

    `struck` is one after an impact, `halted` one for each friction that comes to rest.
    """
    K, c, n = r.K, r.c, len(r.c.contacts)
    modes = c.modes(r.state)
    renew = K.call("max", K.select(K.less(event, -HALF), 1.0, 0.0), struck)
    histories, sticking, forced = [], [], []
    for i, e in enumerate(c.frictions):
        k = _first_events(c)[n + i]
        forced.append(_is_event(K, event, k + 1))  # it breaks loose
        if e.size == 1:
            mode = _axial_mode(r, i, _is_event(K, event, k), renew, halted[i])
            histories.append(vector((mode,)))
            sticking.append(1 - mode * mode)
        else:
            history = _planar_history(r, i, _is_event(K, event, k + 2), renew, halted[i])
            histories.append(history)
            sticking.append((1 - history[0]) * (2 - history[0]) * HALF)
    laws = [e.friction for e in c.frictions]
    low, high = (
        [K.number(getattr(x, w)) * K.number(x.radius) for x in laws] for w in ("sliding", "static")
    )
    directions = c.slip_directions(K, modes[:n] + histories, r.slips)
    problem = SwitchProblem(
        r.free, vector([0] * len(r.G)), r.normal, low, high, [0.0] * n, [0] * n, forced
    )
    before = c.active_switches(modes)[:n]
    if c.distributing_frictions:
        problem = problem._replace(distribution=_stored_distribution(r, modes, sticking))
    passes = MANY_CONTACTS_PASSES if c.distributing_frictions else _active_set_passes(n)
    closed, sticking, directions, started, distribution = r.solve_active_set(
        before, sticking, directions, problem, passes
    )
    out = [K.select(K.less(closed[j], x - HALF), -1.0, modes[j][0]) for j, x in enumerate(before)]
    for i, e in enumerate(c.frictions):
        has_started = K.less(HALF, started[i])
        if e.size == 1:
            direction = directions[i][0] if len(directions[i]) else 0.0
            out.append(K.select(has_started, direction, histories[i][0]))
            continue
        out.append(K.select(has_started, 1.0, histories[i][0]))
        d = select_vector(K, started[i], directions[i], histories[i][1:])
        if i in c.distributing_frictions:
            sticks = K.select(K.less(out[-1], HALF), 1.0, 0.0)
            d = select_vector(K, sticks, vector(distribution)[r.slots[n + i]], d)
        out += [*d, *(0.0 for _ in range(2 - len(d)))]
    return vector(out)


def _axial_mode(r: RowState, i: int, stops, renew, halted):
    """Mode of a friction along one axis before the active set method: 0 sticking, or a direction.

    `stops` is one at its stop, `renew` one where the mode follows from the slip.
    """
    K, n = r.K, len(r.c.contacts)
    e, u, mode = r.c.frictions[i], r.slips[i], r.c.modes(r.state)[n + i][0]
    is_resting = K.less(K.call("abs", u[0]), RESTING_RATE) if len(u) else True
    direction = K.call("sign", K.select(is_resting, 0.0, u[0])) if len(u) else 0.0
    at_stop = 0.0
    if e.stores:
        x = r.offsets[i]
        is_off_step = K.less(STEP_DEFLECTION * STEP_DEFLECTION, x * x)
        at_stop = K.select(K.less(HALF, halted), 0.0, direction)
        direction = K.select(is_off_step, K.call("sign", x), direction)
    return K.select(K.less(HALF, renew), direction, K.select(K.less(HALF, stops), at_stop, mode))


def _planar_history(r: RowState, i: int, renews_slip, renew, halted) -> np.ndarray:
    """Mode (0 sticking, 1 slow, 2 sliding) and stored slip of a friction in a plane.

    Both are those before the active set method.
    """
    K, n = r.K, len(r.c.contacts)
    u, m = r.slips[i], r.c.modes(r.state)[n + i]
    is_resting = K.less(u @ u, RESTING_RATE * RESTING_RATE) if len(u) else True
    slides = K.select(K.less(u @ u, SLOW_SLIP * FOLLOWED_SLIP), 1.0, 2.0) if len(u) else 0.0
    mode = K.select(
        K.less(HALF, renew),
        K.select(is_resting, 0.0, slides),
        K.select(K.less(HALF, halted), 0.0, K.select(K.less(HALF, renews_slip), slides, m[0])),
    )
    slip = select_vector(K, renew + renews_slip, u, m[1 : 1 + len(u)])
    return np.concatenate([vector((mode,)), slip])


def _stored_distribution(r: RowState, modes, sticking) -> np.ndarray:
    """(m,): static friction distribution in the history of frictions that stay at rest, DF.16."""
    c, out, n = r.c, vector([0.0] * len(r.free)), len(r.c.contacts)
    active = c.active_switches(modes)
    for i in c.distributing_frictions:
        stored = modes[n + i][1 : 1 + len(r.slips[i])]
        out[r.slots[n + i]] = stored * (active[n + i] * sticking[i])
    return out

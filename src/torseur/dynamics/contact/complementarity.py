"""The motion along rows that have a switch, and the forces along them, at one instant.

A force along one of these rows changes the motion along all of them by one small matrix, the same
for impulses and speeds as for forces and accelerations.  Theory: DF.4, DF.6, DF.8, DF.9, FL.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...scalars import NativeText, matrix, vector
from ...spatial import HALF
from ..sparse_factorization import Factor, factor, fill, filled, is_zero, solver
from .delassus import written
from .friction_cone import BARELY, magnitudes, onset, pressed, strength, unit
from .static_friction import rested, resting
from .switched_constraints import ConstraintSolver

PASSES = 4  # of rows that let go, after an event
MANY_PASSES = 12  # of many contacts, which let go and join one after the other
ALIKE = 3  # frictions, from which the start of their slips is a routine
STRUCK = 48  # numbers that `rows_struck` works with beside its rows
NEARLY = 1 - 1e-4  # of a limit: what frictions that cannot hold together have all reached
ONCE = 30  # numbers of a factor below its diagonal, from which it is a routine


class SwitchProblem(NamedTuple):
    """What is asked of the switched rows: of accelerations, or of speeds over an impact."""

    free: np.ndarray  # rate along each row when none of them acts
    target: np.ndarray  # rate wanted along each row that holds
    normal: list[Any]  # normal force of each friction when no row acts; None: constant
    low: list  # of each friction: coefficient or force while sliding
    high: list  # and when stuck
    stays: list  # of each contact, 1 when it cannot be released
    joins: list  # of each contact, 1 when it closes if it is driven in
    forced: list  # of each friction, 1 when it must let go
    shares: Any = ()  # of each row, what frictions at rest remember to hold; none of an impact


class SwitchedRows:
    """What forces along the switched rows change along all of them, and what then holds."""

    def __init__(self, K, c: ConstraintSolver, own, G, mu, change):
        self.K, self.c, self.own, self.G, self.mu = K, c, own, G, mu
        self._take(change)

    def _take(self, change) -> None:
        """What one of each along these rows changes normal forces by."""
        self.change = change
        self._changing = [  # rows that change each normal force at all
            [] if own is None else [k for k, x in enumerate(own) if len(filled(x))]
            for own in change
        ]
        self._pattern: tuple[Any, list[list[int]]] = (None, [])

    def along(self, x) -> np.ndarray:
        """What forces x along the rows change along each: `G x`."""
        if self._pattern[0] is not self.G:
            self._pattern = self.G, [filled(row) for row in self.G]
        return vector(
            sum((row[j] * x[j] for j in own), start=0)
            for row, own in zip(self.G, self._pattern[1], strict=True)
        )

    def _written(self, what: str, f, problem: SwitchProblem, *given, decided=False) -> np.ndarray:
        """`f(rows, problem, *given)`, which is written once for all that is asked in one way.

        `f` sees nothing but what it is given; `given` are lists of numbers.  Derivatives do not go
        through what is `decided`.
        """
        widths = [0 if x is None else len(x) for x in problem.normal]
        held = [None if own is None else [len(x) for x in own] for own in self.change]

        def of(fixed, given):
            other = self._like(fixed)
            free, target, pressing, *lists = given[:9]
            left = iter(pressing)
            normal = [vector(next(left) for _ in range(n)) if n else None for n in widths]
            return f(other, SwitchProblem(free, target, normal, *map(list, lists)), *given[9:])

        pressing = vector(x for own in problem.normal if own is not None for x in own)
        asked = [problem.free, problem.target, pressing, *map(vector, problem[3:])]
        key = (what, repr((widths, held, self.own, self.c.gates, len(problem.shares))))
        write = self.K.decided if decided else self.K.routine
        return write(key, of, self._fixed(), [*asked, *map(vector, given)])

    def _fixed(self) -> list[np.ndarray]:
        """Arrays that say what these rows are."""
        flat = vector(x for own in self.change if own is not None for e in own for x in e)
        return [self.G, self.mu, flat]

    def _like(self, fixed) -> SwitchedRows:
        """Rows of other such arrays."""
        G, mu, parts = fixed[0], fixed[1], iter(fixed[2])
        change = [
            None if own is None else [vector(next(parts) for _ in x) for x in own]
            for own in self.change
        ]
        return SwitchedRows(self.K, self.c, self.own, G, mu, change)

    def answer(self, on, iterations=1):
        """A function: forces along rows that hold, from the rate each of them lacks."""
        solve = solver(self.K, self._factor(vector(on)))

        def held(lack):
            x = solve(on * lack)
            for _ in range(iterations - 1):
                x = solve(on * lack + self.mu * x)
            return x

        return held

    def _factor(self, on) -> Factor:
        """The factors of `G` for rows that hold; of many rows they are written once."""
        n, order = len(self.G), list(range(len(self.G)))
        off = {i for i, x in enumerate(on) if is_zero(x)}
        columns = fill(
            [{i} if i in off else {*filled(x)} - off for i, x in enumerate(self.G)], order
        )
        where = [(k, i) for k in order for i in columns[k]]

        def of(fixed, _):
            G, mu, on = fixed
            A = matrix(
                [0 if is_zero(G[i, j]) else G[i, j] * (on[i] * on[j]) for j in range(n)]
                for i in range(n)
            )
            for i in range(n):
                A[i, i] = A[i, i] + mu[i] + (1 - on[i])
            F = factor(self.K, A, order)
            return vector((*(F.columns[k][i] for k, i in where), *F.inverse))

        own = [self.G, self.mu, on]
        left = iter(of(own, ()) if len(where) < ONCE else self.K.routine(("factor",), of, own, ()))
        parts = [{i: next(left) for i in columns[k]} for k in order]
        return Factor(order, parts, list(left))

    def pressed_by(self, problem, i, lam) -> np.ndarray:
        """Normal force of friction i under forces along the rows."""
        return problem.normal[i] + self._changed(i, lam, 0 * problem.normal[i])

    def _changed(self, i, lam, none) -> np.ndarray:
        """What forces along the rows change the normal force of friction i by."""
        out = none
        for k in self._changing[i]:
            out = out + self.change[i][k] * lam[k]
        return out

    def forces(self, on, along, problem: SwitchProblem, iterations=1, decided=False):
        """Forces along the rows; `along` is where each friction slides, zero when it holds."""

        def found(c, problem, on, *along):
            return c._forces(on, along, problem, iterations)

        return self._written(f"forces{iterations}", found, problem, on, *along, decided=decided)

    def _forces(self, on, along, problem: SwitchProblem, iterations=1):
        K, G, held = self.K, self.G, self.answer(on, iterations)
        lack, parts, n = problem.target - problem.free, {}, len(self.c.contacts)
        if len(problem.shares):
            shares = on * vector(problem.shares)
            lam = shares + held(lack - self.along(shares))  # DF.16
        else:
            lam = held(lack)
        for i, own in enumerate(self.own[n:]):
            if own:
                push = vector([0] * len(G))
                push[own] = -along[i]
                parts[i] = push + held(-self.along(push))
        f = {i: problem.low[i] for i in parts}
        loose = [i for i in parts if problem.normal[i] is not None]
        fixed = lam + sum((parts[j] * f[j] for j in parts if j not in loose), start=0 * lam)
        alone = {i: self.pressed_by(problem, i, fixed) for i in loose}
        change = {i: {j: self._changed(i, parts[j], 0 * alone[i]) for j in loose} for i in loose}
        if loose:
            f |= magnitudes(K, alone, change, problem.low, self.c.pushing)  # DF.4
        return lam + sum((parts[i] * f[i] for i in parts), start=0 * lam)

    def struck(self, role, problem: SwitchProblem, p) -> np.ndarray | None:
        """Impulses p if they obey Newton's and Coulomb's laws, else others that do, and one if so.

        `role` says what each row is: 1 pushes, 2 holds, 0 else.  None where nothing is `sought`.
        The one has the share of restitution added that is left.
        """
        if not self.sought(problem):
            return None
        return self._struck(role, problem.free, problem.target, self.coned(problem), p)

    def sought(self, problem: SwitchProblem) -> bool:
        """Whether impulses that obey the laws of an impact can be: where native text is called, and
        what presses frictions are contacts; one contact alone is exact."""
        native, gates = getattr(self.K, "native", None), self.c.gates
        loose = any(g is None and not is_zero(x) for g, x in zip(gates, problem.low, strict=True))
        return native is not None and not loose and len(self.own) >= 3

    def coned(self, problem: SwitchProblem) -> list:
        """Coefficients of frictions that contacts press."""
        return [0 if gate is None else x for gate, x in zip(self.c.gates, problem.low, strict=True)]

    def _struck(self, role, speed, target, low, p) -> np.ndarray:
        m = len(self.G)
        words, block = written(self)
        given = vector([*role, *speed, *target, *low, *p])
        text = NativeText("rows_struck", words, 0, m + 1, 4 * m + 1 + STRUCK + 3 * m * (m + 3))
        return self.K.native(text, [block, given])[0]

    def starting(self, on, lam, problem: SwitchProblem, i, d, started):
        """Direction in which friction i starts to slide, from a first guess, if it has `started`.

        Forces of other frictions that slide are those in `lam`.  Its own rows and those that change
        its normal force are taken first, so that frictions which are alike share one text.
        """
        own, N = self.own[len(self.c.contacts) + i], problem.normal[i]
        if len(own) < 2:
            return d
        order = sorted(range(len(self.G)), key=lambda k: (k not in own, k not in self._changing[i]))
        change = [] if N is None else [self.change[i][k] for k in order]

        def of(fixed, given):
            G, mu, change = fixed
            on, lam, free, target, low, d, *normal = given
            rows = SwitchedRows(self.K, self.c, [], G, mu, [list(change) if normal else None])
            alone = SwitchProblem(free, target, normal or [None], list(low), [], [], [], [])
            return rows._starting(on, lam, alone, d)

        fixed = [self.G[np.ix_(order, order)], self.mu[order], matrix(change)]
        asked = [x[order] for x in (on, lam, problem.free, problem.target)]
        given = [*asked, vector((problem.low[i],)), d, *([] if N is None else [N])]
        few = len(self.own) - len(self.c.contacts) < ALIKE
        return of(fixed, given) if few else self.K.routine(("starting",), of, fixed, given)

    def _starting(self, on, lam, problem: SwitchProblem, d):
        """The same of the friction whose rows are the first two, the only one there is."""
        K, G, own = self.K, self.G, [0, 1]
        off, lam = on.copy(), lam * (1 - on)
        off[own] = lam[own] = 0
        held, units = self.answer(off), []
        lam = lam + held(problem.target - problem.free - self.along(lam))
        for k in own:
            push = vector([0] * len(G))
            push[k] = 1
            units.append(push + held(-G[:, k]))
        y = (problem.free + self.along(lam))[own]
        W = matrix([self.along(x)[k] for x in units] for k in own)
        if problem.normal[0] is None:
            return onset(K, y, W, lambda d: problem.low[0], d)
        N = self.pressed_by(problem, 0, lam)
        change = [self.pressed_by(problem, 0, x) - problem.normal[0] for x in units]

        def friction(d):
            return pressed(K, N, -(change[0] * d[0] + change[1] * d[1]), problem.low[0])

        return onset(K, y, W, friction, d)

    def balance(self, closed, stuck, along, problem: SwitchProblem, most=PASSES):
        """What holds after what cannot hold has let go.

        `closed` and `stuck` are one or zero; answers them, the directions of frictions that slide,
        one for each friction that has begun to, and the shares of those at rest.
        """
        passes = min(1 + len(self.own), most)

        def of(rows, problem, *given):
            return rows._balance(passes, problem, *given)

        found = self._written(f"balance{passes}", of, problem, closed, stuck, *along, decided=True)
        parts = [*self._parted(found, closed, stuck, along, stuck, vector(problem.shares))]
        return self._following(problem, along, *parts) if self.K.follows else parts

    def _following(self, problem: SwitchProblem, before, closed, stuck, along, started, shares):
        """The same, the directions of frictions in words that have derivatives."""
        on = self.on(closed, stuck)
        lam = self._forces(on, along, problem._replace(shares=shares))
        for i, d in enumerate(along):
            new = self.starting(on, lam, problem, i, d, started[i])
            along[i] = choose(self.K, started[i], new, before[i])
        return [closed, stuck, along, started, shares]

    @staticmethod
    def _parted(found, *like) -> Iterator[Any]:
        """Numbers end to end as lists, and lists of vectors, of the lengths of others."""
        left = iter(found)
        for x in like:
            yield [
                vector(next(left) for _ in e) if isinstance(e, np.ndarray) else next(left)
                for e in x
            ]

    def _balance(self, passes: int, problem: SwitchProblem, closed, stuck, *slides) -> np.ndarray:
        K = self.K
        closed, stuck, along = list(closed), list(stuck), list(slides)
        started: list[Any] = [0.0] * len(stuck)
        first, forced = (list(stuck), list(along)), problem.forced
        for turn in range(passes):
            old = closed
            found = self._written("turn", SwitchedRows._turn, problem, closed, stuck, *along)
            lam = vector([0] * len(self.G))
            shares = vector(problem.shares)
            closed, stuck, along, over, lam, shares = self._parted(
                found, closed, stuck, along, stuck, lam, shares
            )
            problem = problem._replace(shares=shares)
            started = [x + y for x, y in zip(started, over, strict=True)]
            problem = problem._replace(forced=[0.0] * len(stuck))
            if turn == passes - 1 or not closed:
                continue
            anew: Any = 0.0  # what let go under other contacts is tried again
            for x, y in zip(closed, old, strict=True):
                anew = K.call("max", anew, (x - y) * (x - y))
            for i in range(len(stuck)):
                back = anew * started[i] * (1 - forced[i])
                started[i] = started[i] * (1 - back)
                stuck[i] = K.call("max", stuck[i], back * first[0][i])
                along[i] = choose(K, back, first[1][i], along[i])
        on = self.on(closed, stuck)
        for i, d in enumerate(along):
            new = self.starting(on, vector(lam), problem, i, d, started[i])
            along[i] = choose(K, started[i], new, d)  # DF.8
        ways = (x for d in along for x in d)
        return vector((*closed, *stuck, *ways, *started, *problem.shares))

    def _turn(self, problem: SwitchProblem, closed, stuck, *slides) -> np.ndarray:
        """What lets go of what holds, at most one kind at a time; and the forces."""
        K, n = self.K, len(self.c.contacts)
        closed, stuck, along = list(closed), list(stuck), list(slides)
        rounds = 3 if len(problem.shares) else 1  # shares are compared with cones
        lam = self._forces(self.on(closed, stuck), along, problem, rounds)
        problem, lam, rests = resting(self, problem, closed, stuck, lam)
        slips: Any = 0.0
        let: list[Any] = []
        for i in range(len(stuck)):
            over = self.over(problem, i, lam, stuck[i], rests.get(i, 0))
            let.append(over)
            stuck[i] = stuck[i] * (1 - over)
            along[i] = choose(K, over, unit(K, -lam[self.own[n + i]], along[i]), along[i])
            slips = K.call("max", slips, over)
        rate, own = problem.free + self.along(lam), self.own[:n]
        least: Any = 0.0
        deepest: Any = 0.0
        one: Any = 0.0  # where contacts join they do so one by one, and are released one by one
        for j, (k,) in enumerate(own):
            if not is_zero(problem.joins[j]):
                one = K.call("max", one, problem.joins[j])
                least = K.call("min", least, lam[k] * (closed[j] * (1 - problem.stays[j])))
                deepest = K.call("min", deepest, rate[k] * (problem.joins[j] * (1 - closed[j])))
        calm = (1 - slips) * K.select(K.less(least * one, -BARELY), 0.0, 1.0)
        for j, (k,) in enumerate(own):  # once frictions have let go
            most = K.select(K.less(least * one, lam[k]), 0.0, 1 - problem.stays[j])
            pulls = K.select(K.less(lam[k], -BARELY), most, 0.0) * (1 - slips)
            closed[j] = closed[j] * (1 - pulls)
            if not is_zero(problem.joins[j]):
                most = K.select(K.less(deepest, rate[k]), 0.0, problem.joins[j])
                joins = K.select(K.less(rate[k], -BARELY), most, 0.0) * calm
                closed[j] = K.call("max", closed[j], joins)
        ways = (x for d in along for x in d)
        return vector((*closed, *stuck, *ways, *let, *lam, *problem.shares))

    def rested(self, on, lam, high, shares, asked) -> np.ndarray:
        """Shares, forces, and whether frictions hold with them: `rest_loops.rows_rested`."""
        return rested(self, on, lam, high, shares, asked)

    def over(self, problem, i, lam, stuck, rests: Any = 0):
        """One when a stuck friction has to let go; `rests`: 1 when others hold enough, -1 when all
        together, near their limits, cannot."""
        K, own = self.K, self.own[len(self.c.contacts) + i]
        if not own:
            return 0.0
        limit = (
            problem.high[i]
            if problem.normal[i] is None
            else problem.high[i] * strength(K, self.pressed_by(problem, i, lam))
        )
        if is_zero(rests):
            over = K.select(K.less(limit, strength(K, lam[own])), 1.0, 0.0)
        else:
            limit = limit * K.select(K.less(rests, -HALF), NEARLY, 1.0)
            over = K.select(K.less(limit, strength(K, lam[own])), 1.0, 0.0)
        forced = problem.forced[i]
        over = over if is_zero(forced) else K.call("max", over, forced)
        return stuck * over * (1 if is_zero(rests) else K.select(K.less(HALF, rests), 0.0, 1.0))

    def on(self, closed, stuck) -> np.ndarray:
        on, n = vector([0] * len(self.G)), len(closed)
        for own, x in zip(self.own, closed, strict=False):
            on[own] = x
        for i, own in enumerate(self.own[n:]):
            gate = self.c.gates[i]
            on[own] = stuck[i] if gate is None else stuck[i] * closed[gate]
        return on


def choose(K, flag, x, y):
    yes = K.less(HALF, flag)
    return vector(K.select(yes, a, b) for a, b in zip(x, y, strict=True))

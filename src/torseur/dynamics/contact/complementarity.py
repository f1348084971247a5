"""Complementarity problem of contacts and dry frictions, solved by an active set method.

Unknown are which contacts are closed, which frictions stick and in which direction the others
slide, and the forces along the rows.  The Delassus matrix `G = J M^-1 J'` gives rates along all
rows from forces along them, the same for accelerations and forces as for speeds and impulses:
`u = b + G lam`.  Rows that cannot hold are released, and contacts that are driven in are closed, in
a fixed number of passes, so that the method can be written into a graph.  Equations DF.4, DF.6,
DF.8, DF.9, DF.16, FL.7 (Acary and Brogliato, Numerical Methods for Nonsmooth Dynamical Systems).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...scalars import matrix, vector
from ...spatial import HALF
from ..sparse_factorization import Factor, factor, fill, filled, is_zero, solver
from .friction_cone import (
    magnitude,
    sliding_force,
    slip_onset_direction,
    solve_sliding_forces,
    unit_vector,
)
from .native_rows import call_native
from .switched_constraints import ConstraintSolver
from .tolerances import EVENT_OFFSET, JOINT_LIMIT_FACTOR

PASSES = 4  # of the active set method, after an event
MANY_CONTACTS_PASSES = 12  # many contacts are released and closed one after the other
MIN_ROUTINE_FRICTIONS = 3  # from which the direction of a slip onset is a routine
MIN_ROUTINE_ENTRIES = 30  # of a factor below its diagonal, from which it is a routine
GAUSS_SEIDEL_WORKSPACE = 48  # numbers of `native/impact_gauss_seidel`, independent of the rows


class SwitchProblem(NamedTuple):
    """Data of the complementarity problem: of accelerations, or of speeds over an impact."""

    free: np.ndarray  # (m,) rate along each row without forces
    target: np.ndarray  # (m,) wanted rate along each active row
    normal: list[Any]  # normal force of each friction without forces; None: constant friction
    low: list  # of each friction: coefficient or force while sliding
    high: list  # and while sticking
    stays: list  # of each contact, 1 if it cannot be released
    joins: list  # of each contact, 1 if it closes when it is driven in
    forced: list  # of each friction, 1 if it must let go
    distribution: Any = ()  # (m,) static friction distribution; empty for an impact


class SwitchedRows:
    """Switched rows with their Delassus matrix.

    `slots` are the rows of each contact, then of each friction.  `compliance` is the proximal term
    of each row (CK.4).  `change[i][k]` is the change of the normal force of friction i by a unit
    force along row k.
    """

    def __init__(self, K: Any, c: ConstraintSolver, slots, G, compliance, change):
        self.K, self.c, self.slots, self.G, self.compliance = K, c, slots, G, compliance
        self._set_change(change)

    def _set_change(self, change) -> None:
        self.change = change
        self._changing = [  # rows that change each normal force at all
            [] if part is None else [k for k, x in enumerate(part) if len(filled(x))]
            for part in change
        ]
        self._pattern: tuple[Any, list[list[int]]] = (None, [])

    # ---- linear algebra --------------------------------------------------------------------

    def multiply_delassus(self, x) -> np.ndarray:
        """Rates along the rows that forces x along them cause: `G x`."""
        if self._pattern[0] is not self.G:
            self._pattern = self.G, [filled(row) for row in self.G]
        return vector(
            sum((row[j] * x[j] for j in entries), start=0)
            for row, entries in zip(self.G, self._pattern[1], strict=True)
        )

    def active_row_solver(self, active: np.ndarray, iterations=1):
        """A function: forces along the active rows from the rate that each of them lacks."""
        solve = solver(self.K, self._factor(vector(active)))

        def solve_active(missing):
            x = solve(active * missing)
            for _ in range(iterations - 1):
                x = solve(active * missing + self.compliance * x)
            return x

        return solve_active

    def _factor(self, active: np.ndarray) -> Factor:
        """Factors of G of the active rows; of many rows they are a routine."""
        n, order = len(self.G), list(range(len(self.G)))
        off = {i for i, x in enumerate(active) if is_zero(x)}
        columns = fill(
            [{i} if i in off else {*filled(x)} - off for i, x in enumerate(self.G)], order
        )
        entries = [(k, i) for k in order for i in columns[k]]

        def factor_numbers(fixed, _):
            G, compliance, active = fixed
            A = matrix(
                [0 if is_zero(G[i, j]) else G[i, j] * (active[i] * active[j]) for j in range(n)]
                for i in range(n)
            )
            for i in range(n):
                A[i, i] = A[i, i] + compliance[i] + (1 - active[i])
            F = factor(self.K, A, order)
            return vector((*(F.columns[k][i] for k, i in entries), *F.inverse))

        fixed = [self.G, self.compliance, active]
        if len(entries) < MIN_ROUTINE_ENTRIES:
            numbers = iter(factor_numbers(fixed, ()))
        else:
            numbers = iter(self.K.routine(("factor",), factor_numbers, fixed, ()))
        parts = [{i: next(numbers) for i in columns[k]} for k in order]
        return Factor(order, parts, list(numbers))

    def normal_force(self, problem: SwitchProblem, i: int, lam: np.ndarray) -> np.ndarray:
        """Normal force of friction i under forces lam along the rows."""
        return problem.normal[i] + self._normal_change(i, lam, 0 * problem.normal[i])

    def _normal_change(self, i: int, lam: np.ndarray, null) -> np.ndarray:
        """Change of the normal force of friction i by forces lam; `null` if there is none."""
        out = null
        for k in self._changing[i]:
            out = out + self.change[i][k] * lam[k]
        return out

    def active_rows(self, closed, sticking) -> np.ndarray:
        """(m,): one for each active row, from closed contacts and sticking frictions."""
        active, n = vector([0] * len(self.G)), len(closed)
        for rows, x in zip(self.slots, closed, strict=False):
            active[rows] = x
        for i, rows in enumerate(self.slots[n:]):
            normal_contact = self.c.normal_contacts[i]
            active[rows] = (
                sticking[i] if normal_contact is None else sticking[i] * closed[normal_contact]
            )
        return active

    # ---- routines: a part that occurs several times is written once --------------------------

    def _routine(self, name: str, f, problem: SwitchProblem, *inputs, decided=False) -> np.ndarray:
        """`f(rows, problem, *inputs)` as a routine that all uses of one structure share.

        `f` depends on its arguments alone, `inputs` are lists of scalars.  The result of a
        `decided` routine counts as constant where derivatives are taken.
        """
        widths = [0 if x is None else len(x) for x in problem.normal]
        change_widths = [None if part is None else [len(x) for x in part] for part in self.change]

        def call(fixed, inputs):
            other = self._from_numbers(fixed)
            free, target, normal_forces, *lists = inputs[:9]
            left = iter(normal_forces)
            normal = [vector(next(left) for _ in range(n)) if n else None for n in widths]
            return f(other, SwitchProblem(free, target, normal, *map(list, lists)), *inputs[9:])

        normal_forces = vector(x for part in problem.normal if part is not None for x in part)
        data = [problem.free, problem.target, normal_forces, *map(vector, problem[3:])]
        structure = (
            widths,
            change_widths,
            self.slots,
            self.c.normal_contacts,
            len(problem.distribution),
        )
        key = (name, repr(structure))
        write = self.K.decided if decided else self.K.routine
        return write(key, call, self._numbers(), [*data, *map(vector, inputs)])

    def _numbers(self) -> list[np.ndarray]:
        """Arrays that these rows consist of."""
        flat = vector(x for part in self.change if part is not None for e in part for x in e)
        return [self.G, self.compliance, flat]

    def _from_numbers(self, numbers) -> SwitchedRows:
        """Rows of the same structure with other arrays."""
        G, compliance, flat = numbers[0], numbers[1], iter(numbers[2])
        change = [
            None if part is None else [vector(next(flat) for _ in x) for x in part]
            for part in self.change
        ]
        return SwitchedRows(self.K, self.c, self.slots, G, compliance, change)

    @staticmethod
    def _split(numbers, *like) -> Iterator[Any]:
        """Concatenated numbers as lists, and lists of vectors, of the lengths of others."""
        left = iter(numbers)
        for x in like:
            yield [
                vector(next(left) for _ in e) if isinstance(e, np.ndarray) else next(left)
                for e in x
            ]

    # ---- forces ----------------------------------------------------------------------------

    def row_forces(
        self, active: np.ndarray, directions, problem: SwitchProblem, iterations=1, decided=False
    ):
        """(m,): forces along the rows; `directions` of slip are zero for sticking frictions."""

        def solve(rows, problem, active: np.ndarray, *directions):
            return rows._row_forces(active, directions, problem, iterations)

        name = f"forces{iterations}"
        return self._routine(name, solve, problem, active, *directions, decided=decided)

    def _row_forces(self, active: np.ndarray, directions, problem: SwitchProblem, iterations=1):
        """As `row_forces`, written out."""
        K, G, n = self.K, self.G, len(self.c.contacts)
        solve_active = self.active_row_solver(active, iterations)
        missing, responses = problem.target - problem.free, {}
        if len(problem.distribution):
            distribution = active * vector(problem.distribution)
            rest = missing - self.multiply_delassus(distribution)
            lam = distribution + solve_active(rest)  # DF.16
        else:
            lam = solve_active(missing)
        for i, rows in enumerate(self.slots[n:]):
            if rows:
                push = vector([0] * len(G))
                push[rows] = -directions[i]
                responses[i] = push + solve_active(-self.multiply_delassus(push))
        f = {i: problem.low[i] for i in responses}
        pressed = [i for i in responses if problem.normal[i] is not None]
        constant = (responses[j] * f[j] for j in responses if j not in pressed)
        base = lam + sum(constant, start=0 * lam)
        normal = {i: self.normal_force(problem, i, base) for i in pressed}
        change = {
            i: {j: self._normal_change(i, responses[j], 0 * normal[i]) for j in pressed}
            for i in pressed
        }
        if pressed:
            f |= solve_sliding_forces(
                K, normal, change, problem.low, self.c.pressed_frictions
            )  # DF.4
        return lam + sum((responses[i] * f[i] for i in responses), start=0 * lam)

    # ---- impacts ---------------------------------------------------------------------------

    def solve_impact(
        self, role: np.ndarray, problem: SwitchProblem, p: np.ndarray
    ) -> np.ndarray | None:
        """Impulses that obey Newton's and Coulomb's laws from a first guess p, and a flag; DF.15.

        `role` of each row: 1 unilateral, 2 bilateral, 0 other.  The flag is that of
        `native/impact_gauss_seidel`.  None where the law cannot be solved for.
        """
        if not self.can_solve_impact(problem):
            return None
        low = self.contact_coefficients(problem)
        return self._solve_impact(role, problem.free, problem.target, low, p)

    def can_solve_impact(self, problem: SwitchProblem) -> bool:
        """Whether the impact law is solved natively: frictions that impulses cause are pressed by
        contacts, and there are several rows.  One contact alone is exact."""
        native, normal_contacts = getattr(self.K, "native", None), self.c.normal_contacts
        unpressed = any(
            g is None and not is_zero(x) for g, x in zip(normal_contacts, problem.low, strict=True)
        )
        return native is not None and not unpressed and len(self.slots) >= 3

    def contact_coefficients(self, problem: SwitchProblem) -> list:
        """Friction coefficients, zero where no contact presses."""
        return [
            0 if normal_contact is None else x
            for normal_contact, x in zip(self.c.normal_contacts, problem.low, strict=True)
        ]

    def _solve_impact(
        self, role: np.ndarray, speed, target: np.ndarray, low, p: np.ndarray
    ) -> np.ndarray:
        m = len(self.G)
        layout, block = self.native_arrays()
        inputs = vector([*role, *speed, *target, *low, *p])
        work = 3 * m + GAUSS_SEIDEL_WORKSPACE + 3 * m * (m + 3)
        return call_native(self.K, "solve_impact", layout, [block, inputs], m + 1, work)[0]

    def native_arrays(self) -> tuple[tuple[int, ...], np.ndarray]:
        """Integer table and block of `native/schur_complement`, of rows without unknowns."""
        m, n = len(self.G), len(self.c.contacts)
        normals = [
            [] if normal_contact is None else self.slots[normal_contact]
            for normal_contact in self.c.normal_contacts
        ]
        frictions = [
            (rows[0], len(rows), *normal) if rows and normal else (0, 0, -1)
            for rows, normal in zip(self.slots[n:], normals, strict=True)
        ]
        layout = 0, m, len(frictions), 0, 0, *range(m), *(x for part in frictions for x in part)
        return layout, vector([*[0] * m, *self.compliance, *self.G.ravel()])

    # ---- onset of slip ---------------------------------------------------------------------

    def onset_direction(
        self, active: np.ndarray, lam: np.ndarray, problem: SwitchProblem, i: int, d, starts
    ):
        """Direction in which friction i starts to slide (DF.8), from a first guess d.

        Valid if it `starts`.  Forces of other sliding frictions are those in `lam`.  The rows of
        the friction and those that change its normal force come first, so that frictions of one
        structure share a routine.
        """
        rows, N = self.slots[len(self.c.contacts) + i], problem.normal[i]
        if len(rows) < 2:
            return d
        order = sorted(
            range(len(self.G)), key=lambda k: (k not in rows, k not in self._changing[i])
        )
        change = [] if N is None else [self.change[i][k] for k in order]

        def call(fixed, inputs):
            G, compliance, change = fixed
            active, lam, free, target, low, d, *normal = inputs
            change = [list(change) if normal else None]
            rows = SwitchedRows(self.K, self.c, [], G, compliance, change)
            one = SwitchProblem(free, target, normal or [None], list(low), [], [], [], [])
            return rows._onset_direction(active, lam, one, d)

        fixed = [self.G[np.ix_(order, order)], self.compliance[order], matrix(change)]
        data = [x[order] for x in (active, lam, problem.free, problem.target)]
        inputs = [*data, vector((problem.low[i],)), d, *([] if N is None else [N])]
        if len(self.slots) - len(self.c.contacts) < MIN_ROUTINE_FRICTIONS:
            return call(fixed, inputs)
        return self.K.routine(("onset_direction",), call, fixed, inputs)

    def _onset_direction(self, active: np.ndarray, lam: np.ndarray, problem: SwitchProblem, d):
        """As `onset_direction`, of the only friction, whose rows are the first two."""
        K, G, rows = self.K, self.G, [0, 1]
        active, lam = active.copy(), lam * (1 - active)
        active[rows] = lam[rows] = 0
        solve_active, units = self.active_row_solver(active), []
        lam = lam + solve_active(problem.target - problem.free - self.multiply_delassus(lam))
        for k in rows:
            push = vector([0] * len(G))
            push[k] = 1
            units.append(push + solve_active(-G[:, k]))
        y = (problem.free + self.multiply_delassus(lam))[rows]
        W = matrix([self.multiply_delassus(x)[k] for x in units] for k in rows)
        if problem.normal[0] is None:
            return slip_onset_direction(K, y, W, lambda d: problem.low[0], d)
        N = self.normal_force(problem, 0, lam)
        change = [self.normal_force(problem, 0, x) - problem.normal[0] for x in units]

        def friction(d):
            return sliding_force(K, N, -(change[0] * d[0] + change[1] * d[1]), problem.low[0])

        return slip_onset_direction(K, y, W, friction, d)

    # ---- active set method -----------------------------------------------------------------

    def solve_active_set(self, closed, sticking, directions, problem: SwitchProblem, passes=PASSES):
        """Active set of the complementarity problem, from a first guess.

        `closed` and `sticking` are one or zero.  Result: the same, the slip direction of each
        friction that slides, one for each that has started to slide, and the static friction
        distribution.
        """
        passes = min(1 + len(self.slots), passes)

        def solve(rows, problem, *inputs):
            return rows._solve_active_set(passes, problem, *inputs)

        name = f"active_set{passes}"
        numbers = self._routine(name, solve, problem, closed, sticking, *directions, decided=True)
        like = closed, sticking, directions, sticking, vector(problem.distribution)
        parts = [*self._split(numbers, *like)]
        return self._differentiable(problem, directions, *parts) if self.K.follows else parts

    def _differentiable(
        self, problem: SwitchProblem, before, closed, sticking, directions, started, distribution
    ):
        """The result of `solve_active_set` with slip directions that have derivatives."""
        active = self.active_rows(closed, sticking)
        lam = self._row_forces(active, directions, problem._replace(distribution=distribution))
        for i, d in enumerate(directions):
            new = self.onset_direction(active, lam, problem, i, d, started[i])
            directions[i] = select_vector(self.K, started[i], new, before[i])
        return [closed, sticking, directions, started, distribution]

    def _solve_active_set(
        self, passes: int, problem: SwitchProblem, closed, sticking, *slips
    ) -> np.ndarray:
        """As `solve_active_set`, end to end in one array."""
        K = self.K
        closed, sticking, directions = list(closed), list(sticking), list(slips)
        started: list[Any] = [0.0] * len(sticking)
        first, forced = (list(sticking), list(directions)), problem.forced
        for k in range(passes):
            old = closed
            inputs = closed, sticking, *directions
            numbers = self._routine("pass", SwitchedRows._release_rows, problem, *inputs)
            lam = vector([0] * len(self.G))
            distribution = vector(problem.distribution)
            closed, sticking, directions, released, lam, distribution = self._split(
                numbers, closed, sticking, directions, sticking, lam, distribution
            )
            problem = problem._replace(distribution=distribution)
            started = [x + y for x, y in zip(started, released, strict=True)]
            problem = problem._replace(forced=[0.0] * len(sticking))
            if k == passes - 1 or not closed:
                continue
            changed: Any = 0.0  # frictions released under other contacts are tried again
            for x, y in zip(closed, old, strict=True):
                changed = K.call("max", changed, (x - y) * (x - y))
            for i in range(len(sticking)):
                again = changed * started[i] * (1 - forced[i])
                started[i] = started[i] * (1 - again)
                sticking[i] = K.call("max", sticking[i], again * first[0][i])
                directions[i] = select_vector(K, again, first[1][i], directions[i])
        active = self.active_rows(closed, sticking)
        for i, d in enumerate(directions):
            new = self.onset_direction(active, vector(lam), problem, i, d, started[i])
            directions[i] = select_vector(K, started[i], new, d)  # DF.8
        flat = (x for d in directions for x in d)
        return vector((*closed, *sticking, *flat, *started, *problem.distribution))

    def _release_rows(self, problem: SwitchProblem, closed, sticking, *slips) -> np.ndarray:
        """One pass: frictions over their limits let go, else contacts open or close; the forces."""
        K, n = self.K, len(self.c.contacts)
        closed, sticking, directions = list(closed), list(sticking), list(slips)
        rounds = 3 if len(problem.distribution) else 1  # distributions are compared with cones
        lam = self._row_forces(self.active_rows(closed, sticking), directions, problem, rounds)
        problem, lam, outcomes = redistribute_static_friction(self, problem, closed, sticking, lam)
        any_released: Any = 0.0
        released: list[Any] = []
        for i in range(len(sticking)):
            over = self.is_overloaded(problem, i, lam, sticking[i], outcomes.get(i, 0))
            released.append(over)
            sticking[i] = sticking[i] * (1 - over)
            against = unit_vector(K, -lam[self.slots[n + i]], directions[i])
            directions[i] = select_vector(K, over, against, directions[i])
            any_released = K.call("max", any_released, over)
        rate, contacts = problem.free + self.multiply_delassus(lam), self.slots[:n]
        smallest: Any = 0.0
        deepest: Any = 0.0
        # where contacts can close they do so one by one, and are released one by one
        one_by_one: Any = 0.0
        for j, (k,) in enumerate(contacts):
            if not is_zero(problem.joins[j]):
                one_by_one = K.call("max", one_by_one, problem.joins[j])
                can_open = closed[j] * (1 - problem.stays[j])
                smallest = K.call("min", smallest, lam[k] * can_open)
                deepest = K.call("min", deepest, rate[k] * (problem.joins[j] * (1 - closed[j])))
        settled = (1 - any_released) * K.select(
            K.less(smallest * one_by_one, -EVENT_OFFSET), 0.0, 1.0
        )
        for j, (k,) in enumerate(contacts):  # once frictions have let go
            may_open = K.select(K.less(smallest * one_by_one, lam[k]), 0.0, 1 - problem.stays[j])
            opens = K.select(K.less(lam[k], -EVENT_OFFSET), may_open, 0.0) * (1 - any_released)
            closed[j] = closed[j] * (1 - opens)
            if not is_zero(problem.joins[j]):
                may_close = K.select(K.less(deepest, rate[k]), 0.0, problem.joins[j])
                closes = K.select(K.less(rate[k], -EVENT_OFFSET), may_close, 0.0) * settled
                closed[j] = K.call("max", closed[j], closes)
        flat = (x for d in directions for x in d)
        return vector((*closed, *sticking, *flat, *released, *lam, *problem.distribution))

    def is_overloaded(
        self, problem: SwitchProblem, i: int, lam: np.ndarray, sticking, outcome: Any = 0
    ):
        """One if sticking friction i has to let go under forces lam, else zero.

        `outcome` of the static friction distribution: 1 if the friction sticks, -1 if no
        distribution keeps all coupled frictions within their limits.
        """
        K, rows = self.K, self.slots[len(self.c.contacts) + i]
        if not rows:
            return 0.0
        limit = (
            problem.high[i]
            if problem.normal[i] is None
            else problem.high[i] * magnitude(K, self.normal_force(problem, i, lam))
        )
        if not is_zero(outcome):
            limit = limit * K.select(K.less(outcome, -HALF), JOINT_LIMIT_FACTOR, 1.0)
        over = K.select(K.less(limit, magnitude(K, lam[rows])), 1.0, 0.0)
        forced = problem.forced[i]
        over = over if is_zero(forced) else K.call("max", over, forced)
        free = 1 if is_zero(outcome) else K.select(K.less(HALF, outcome), 0.0, 1.0)
        return sticking * over * free

    def distribute_static_friction(
        self, active: np.ndarray, lam: np.ndarray, high, distribution, overloaded
    ) -> np.ndarray:
        """Static friction distribution, forces and outcomes of `native/static_friction`."""
        m, (layout, block) = len(self.G), self.native_arrays()
        inputs = vector([*active, *lam, *high, *distribution, *overloaded])
        shown = 2 * m + len(self.c.normal_contacts)
        name, arrays = "distribute_static_friction", [block, inputs]
        return call_native(self.K, name, layout, arrays, shown, 6 * m + m * m)[0]


def redistribute_static_friction(
    rows: SwitchedRows, problem: SwitchProblem, closed, sticking, lam: np.ndarray
):
    """Static friction distribution (least norm inside the Coulomb cones) where a friction at rest
    is overloaded, DF.16.

    Result: the problem with the distribution, the forces, and the outcome of each friction.
    """
    K, distributing = rows.K, rows.c.distributing_frictions
    if not len(problem.distribution) or not distributing or K.follows:
        return problem, lam, {}
    if getattr(K, "native", None) is None:
        return problem, lam, {}
    high: list[Any] = [0] * len(sticking)
    overloaded: list[Any] = [0] * len(sticking)
    for i in distributing:
        high[i] = problem.high[i]
        overloaded[i] = rows.is_overloaded(problem, i, lam, sticking[i])
    active, m = rows.active_rows(closed, sticking), len(rows.G)
    numbers = rows.distribute_static_friction(active, lam, high, problem.distribution, overloaded)
    outcomes = {i: numbers[2 * m + i] for i in distributing}
    return problem._replace(distribution=list(numbers[:m])), numbers[m : 2 * m], outcomes


def select_vector(K: Any, flag, x, y) -> np.ndarray:
    """The vector x if the flag is one, else y."""
    yes = K.less(HALF, flag)
    return vector(K.select(yes, a, b) for a, b in zip(x, y, strict=True))

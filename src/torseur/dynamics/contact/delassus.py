"""Delassus matrix `G = J M^-1 J'` of the switched rows at one state, and their rates.

`RowState` derives it from the KKT system, as expressions.  `NativeRowState` leaves it to native
routines (`native/schur_complement`).  Equations DF.9, DF.14, FL.7.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...scalars import matrix, vector
from ..constraints.kkt import PROXIMAL, compliances, saddle, terms
from ..constraints.rows import constraint_rows
from .complementarity import GAUSS_SEIDEL_WORKSPACE, SwitchedRows, SwitchProblem
from .friction_cone import sliding_force, slip_onset_direction, subtract
from .native_rows import DelassusBlock, switched_rows, uses_native_rows
from .switched_constraints import ConstraintSolver
from .tolerances import MIN_FORCE

if TYPE_CHECKING:
    from ...spatial import Wrench
    from ...system import Tree
    from ..state import Moment


class RowState(SwitchedRows):
    """Switched rows at one state: Delassus matrix, rates, gaps, normal forces.

    Bilateral rows hold meanwhile.  Arrays of m rows: `free` accelerations along the rows without
    forces along them, `speed` rates before an event, `power` the rates that impulses work on,
    `carried` the part of the rates that time alone brings.  `responses` (m, nv) are the changes of
    the speeds by unit impulses, `reactions` those of the bilateral multipliers.
    """

    def __init__(
        self,
        c: ConstraintSolver,
        tree: Tree,
        state: Moment,
        tau: np.ndarray,
        wrenches: dict[int, Wrench] | None,
    ):
        self.state = state
        rows = self.rows = constraint_rows(tree, c.system, state.t, state.q, state.v, switched=True)
        slots = c.row_slots(rows)
        index = [j for part in slots for j in part]
        positions = [[index.index(j) for j in part] for part in slots]
        bilateral = [j for j in range(len(rows)) if j not in index]
        M, h = terms(tree, state.q, state.v, wrenches or None)
        kkt = saddle(tree.K, M, rows.J[bilateral], [rows.owners[j] for j in bilateral])
        a, lam = kkt.solve(tau - h, rows.gamma[bilateral])
        null = vector([0] * len(bilateral))
        units = [kkt.solve(rows.J[j], null) for j in index]
        self.responses = [x for x, _ in units]
        self.reactions = [x for _, x in units]
        half = [
            [rows.J[j] @ x for x in self.responses[: i + 1]] for i, j in enumerate(index)
        ]  # DF.9
        m = len(half)
        G = matrix([half[max(i, j)][min(i, j)] for j in range(m)] for i in range(m))
        self.free = rows.J[index] @ a - rows.gamma[index]
        self.speed = self.power = rows.psi[index]
        self.drift = rows.J[bilateral] @ state.v
        self.carried = self.speed - rows.J[index] @ state.v
        self.gaps = [rows.phi[rows.places.index(j)] for (j,) in slots[: len(c.contacts)]]
        # from the masses alone: at a dead point G is rounding of any sign.  The rows of a friction
        # share it, so that of two frictions along the same line each carries its part
        owners = [rows.owners[j] for j in index]
        compliance = compliances(tree.K, M, rows.J[index], owners, PROXIMAL)

        def all_multipliers(bilateral_part, unit_row=None):
            full = vector([0] * len(rows))
            full[bilateral] = bilateral_part
            if unit_row is not None:
                full[unit_row] = 1
            return full

        def normal_forces(a: np.ndarray, lam: np.ndarray):
            return c.normal_forces(tree, state, rows, a, lam, wrenches)

        base = normal_forces(a, all_multipliers(lam))
        self.normal = [base.get(i) for i in range(len(c.frictions))]

        def normal_changes(x, y, unit_row=None) -> list:
            changed = normal_forces(a + x, all_multipliers(lam + y, unit_row))
            return [
                None if N is None else subtract(changed[i], N) for i, N in enumerate(self.normal)
            ]

        def row_response(row):
            x, y = kkt.solve(row, null)
            return x, y, normal_changes(x, y)

        self._row_response = row_response
        changes = [normal_changes(x, y, j) for (x, y), j in zip(units, index, strict=True)]
        change: list[Any] = [
            None if N is None else [x[i] for x in changes] for i, N in enumerate(self.normal)
        ]
        super().__init__(tree.K, c, positions, G, compliance, change)
        self.slips = [self.speed[i] for i in self.slots[len(c.contacts) :]]
        self.offsets = [e.offset(tree, state.q) for e in c.frictions]

    def velocity_change(self, p: np.ndarray) -> np.ndarray:
        """Change (nv) of the speeds by impulses p along the rows."""
        out = 0 * self.state.v
        for response, x in zip(self.responses, p, strict=True):
            out = out + response * x
        return out

    def with_fixed_row(self, row) -> tuple[RowState, np.ndarray, list]:
        """A copy in which an impulse along another row keeps the rate along it unchanged, FL.7.

        Also that impulse for a unit along each of these rows, and the change of the normal forces
        by a unit of it.  A null row fixes nothing.
        """
        K, out = self.K, copy(self)
        x, y, press = self._row_response(row)
        mobility = row @ x
        is_null = K.less(mobility, MIN_FORCE)
        mobility = K.select(is_null, 1.0, mobility)
        share = vector(  # FL.7
            -K.select(is_null, 0.0, K.divide(row @ r, mobility)) for r in self.responses
        )
        out.responses = [r + x * k for r, k in zip(self.responses, share, strict=True)]
        out.reactions = [b + y * k for b, k in zip(self.reactions, share, strict=True)]
        out.G = matrix(
            [g + (row @ r) * k for g, k in zip(G, share, strict=True)]
            for G, r in zip(self.G, self.responses, strict=True)
        )
        out.power = self.speed + share * (row @ self.state.v)
        out._set_change(
            [
                None if part is None else [c + p * k for c, k in zip(part, share, strict=True)]
                for part, p in zip(self.change, press, strict=True)
            ]
        )
        return out, share, press


# --------------------------------------------------------------------------------------------
# The same by native routines, DF.14


class NativeSwitchedRows(SwitchedRows):
    """Switched rows whose Delassus matrix is computed by native routines."""

    G: Any  # a `DelassusBlock`

    def multiply_delassus(self, x) -> np.ndarray:
        return self.G.multiply(x)

    def active_row_solver(self, active: np.ndarray, iterations=1):
        return lambda missing: self.G.solve_active_rows(active, missing, iterations)

    def row_forces(
        self, active: np.ndarray, directions, problem: SwitchProblem, iterations=1, decided=False
    ):
        distribution: Any = [0] * len(self.G)
        if len(problem.distribution):
            distribution = active * vector(problem.distribution)
        rates = problem.free, problem.target, problem.low
        return self.G.solve_row_forces(active, directions, *rates, iterations, distribution)[0]

    _row_forces = row_forces

    def _solve_impact(
        self, role: np.ndarray, speed, target: np.ndarray, low, p: np.ndarray
    ) -> np.ndarray:
        return self.G.solve_impact(role, speed, target, low, p, GAUSS_SEIDEL_WORKSPACE)

    def distribute_static_friction(
        self, active: np.ndarray, lam: np.ndarray, high, distribution, overloaded
    ) -> np.ndarray:
        return self.G.distribute_static_friction(active, lam, high, distribution, overloaded)

    def _numbers(self) -> list[np.ndarray]:
        return [vector((self.G.symbol,))]

    def _from_numbers(self, numbers) -> NativeSwitchedRows:
        block = replace(self.G, symbol=numbers[0][0])
        return NativeSwitchedRows(self.K, self.c, self.slots, block, self.compliance, self.change)

    def onset_direction(
        self, active: np.ndarray, lam: np.ndarray, problem: SwitchProblem, i: int, d, starts
    ):
        if len(self.slots[len(self.c.contacts) + i]) < 2:
            return d
        K, is_constant = self.K, problem.normal[i] is None
        local = self.G.reduce_to_friction(active, lam, problem.free, problem.target, i, starts)

        def call(_, inputs):
            x, (low,), d = inputs
            y, W, N, change = x[:2], matrix([x[2:4], x[4:6]]), x[6:7], x[7:]

            def friction(d):
                return low if is_constant else sliding_force(K, N, -vector((change @ d,)), low)

            return slip_onset_direction(K, y, W, friction, d)

        key = ("native_onset_direction", is_constant)
        return K.routine(key, call, [], [local, vector((problem.low[i],)), d])


class NativeRowState(NativeSwitchedRows, RowState):
    """As `RowState`, of a system whose rows all switch."""

    def __init__(
        self,
        c: ConstraintSolver,
        tree: Tree,
        state: Moment,
        tau: np.ndarray,
        wrenches: dict[int, Wrench] | None,
    ):
        self.state = state
        rows = self.rows = switched_rows(c, tree, state)
        M, h = terms(tree, state.q, state.v, wrenches or None)
        every = vector([1] * len(rows))
        block, _, self.free = DelassusBlock.assemble(
            tree, state.q, c, rows, M, tau - h, rows.gamma, every
        )
        slots, null = c.row_slots(rows), vector((0,))
        self.speed = self.power = rows.psi
        self.drift = vector(())  # no bilateral rows
        self.carried = rows.psi - rows.J @ state.v if tree.rheonomic else 0 * rows.psi
        self.gaps = [rows.phi[rows.places.index(j)] for (j,) in slots[: len(c.contacts)]]
        self.normal = [
            None if normal_contact is None else null for normal_contact in c.normal_contacts
        ]
        change = [
            None
            if normal_contact is None
            else [vector((int(slots[normal_contact] == [j]),)) for j in range(len(rows))]
            for normal_contact in c.normal_contacts
        ]
        SwitchedRows.__init__(self, tree.K, c, slots, block, vector(()), change)
        self.slips = [self.speed[i] for i in slots[len(c.contacts) :]]

    def velocity_change(self, p: np.ndarray) -> np.ndarray:
        """Change (nv) of the speeds by impulses p along the rows."""
        return self.G.velocity_change(p)


def row_state(
    c: ConstraintSolver,
    tree: Tree,
    state: Moment,
    tau: np.ndarray,
    wrenches: dict[int, Wrench] | None,
    fixes_row: bool,
) -> RowState:
    """Switched rows at a state; by native routines unless a rigid stop fixes another row."""
    M: Any = terms(tree, state.q, state.v)[0] if tree.K.loops else ()
    native = not fixes_row and uses_native_rows(tree.K, c, M)
    return (NativeRowState if native else RowState)(c, tree, state, tau, wrenches)

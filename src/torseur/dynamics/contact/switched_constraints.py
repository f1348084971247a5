"""Constrained motion with contacts and dry frictions: constraint rows that switch on and off.

The history of an element decides which of its rows are active.  A contact: 1 closed, 0 open, -1
open and leaving.  A dry friction along one axis: 0 sticking, +1 or -1 the direction of sliding.  A
dry friction in a plane: 0 sticking; 1 sliding slowly, after a start or before a stop, in the
direction of the two numbers that follow; 2 sliding, and these two numbers are a recent slip.
Equations DF.1 to DF.7.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...scalars import vector
from ...spatial import HALF, Wrench
from ..constraints.kkt import PROXIMAL_ITERATIONS, project, terms
from ..constraints.reactions import carried, joint_wrenches, merged
from ..constraints.reduced_solutions import firmness, make_solver
from ..constraints.rows import Rows, constraint_rows, substitute
from ..constraints.solution_methods import MULTIPLIERS, SolutionMethod, needs_reactions
from ..sparse_factorization import is_zero, times
from .friction_cone import (
    magnitude,
    planar_friction_events,
    solve_sliding_forces,
    subtract,
    unit_vector,
)
from .native_rows import DelassusBlock, NativeSolver, switched_rows, uses_native_rows
from .tolerances import EVENT_OFFSET, LANDING_DEPTH, REVERSAL_SPEED

if TYPE_CHECKING:
    from ...system import System, Tree
    from ..state import Moment


class ConstrainedMotion(NamedTuple):
    """Accelerations, multipliers and frictions at one state."""

    a: np.ndarray  # (nv,)
    lam: np.ndarray  # of every row; of a sliding friction its force
    slips: tuple[np.ndarray, ...]  # of every friction, one or two numbers [m/s, rad/s]
    sizes: np.ndarray  # of every friction, its magnitude while sliding
    limits: np.ndarray  # of every friction, the largest static one
    dissipation: Any  # [W]
    supply: Any  # [W], of rows that depend on time
    rows: Rows


class DistributedSolver(NamedTuple):
    """A solver whose multipliers are the nearest to the static friction distribution, DF.16."""

    solver: Any
    distribution: np.ndarray  # (rows,)
    push: np.ndarray  # (nv,): J' distribution

    def solve(self, force: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers."""
        a, lam = self.solver.solve(force + self.push, gamma)
        return a, lam + self.distribution

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        """The same of several forces; the distribution enters the first, others are changes."""
        first, *others = self.solver.solve_each([forces[0] + self.push, *forces[1:]], gammas)
        return [(first[0], first[1] + self.distribution), *others]


class ConstraintSolver:
    """Constrained equation of motion of a system, with one of four solution methods.

    `contacts` and `frictions` are the switched elements.  `normal_contacts[i]` is the contact that
    presses friction i, or None.  `pressed_frictions` are the frictions with such a contact, and
    `distributing_frictions` those in a plane that store a static friction distribution.
    """

    def __init__(self, system: System, method: SolutionMethod = MULTIPLIERS):
        self.system, self.way = system, method
        self.switched: tuple[Any, ...] = tuple(system.switched)
        self.contacts = tuple(e for e in self.switched if e.contact)
        self.frictions = tuple(e for e in self.switched if e.friction)
        self.normal_contacts = tuple(
            self._pressing_contact(e.friction.normal) for e in self.frictions
        )
        self.pressed_frictions = tuple(
            i for i, normal_contact in enumerate(self.normal_contacts) if normal_contact is not None
        )
        planar = tuple(i for i in self.pressed_frictions if self.frictions[i].size == 2)
        self.distributing_frictions = planar if len(planar) > 1 else ()

    @classmethod
    def of(cls, system: System, method: SolutionMethod = MULTIPLIERS) -> ConstraintSolver | None:
        """The solver of a system, or None if it has no constraints."""
        return cls(system, method) if system.held or system.switched else None

    def __repr__(self):
        return f"Constraints({self.way})"

    def _pressing_contact(self, normal) -> int | None:
        """Number of the contact whose normal force a friction depends on."""
        names = (i for i, e in enumerate(self.contacts) if normal in (e.name, f"{e.name}.normal"))
        return next(names, None)

    @property
    def needs_reactions(self) -> bool:
        """Whether it needs joint reactions, which a tree of base inertial parameters changes."""
        return needs_reactions(self.system)

    # ---- rows and history ------------------------------------------------------------------

    def modes(self, state: Moment) -> list[np.ndarray]:
        """History variables of each switched element."""
        return [state.m[part] for part in self.system.layout.switches]

    def row_slots(self, r: Rows) -> list[list[int]]:
        """Rows of each switched element."""
        first = len(self.system.held)
        return [
            [j for j, o in enumerate(r.owners) if o == first + i] for i in range(len(self.switched))
        ]

    def active_switches(self, modes) -> list:
        """Of each switched element, one while its rows are active, else zero."""
        n = len(self.contacts)
        out = [x[0] * (x[0] + 1) * HALF for x in modes[:n]]  # DF.7
        for e, normal_contact, x in zip(
            self.frictions, self.normal_contacts, modes[n:], strict=True
        ):
            sticking = 1 - x[0] * x[0] if e.size == 1 else (1 - x[0]) * (2 - x[0]) * HALF
            out.append(sticking if normal_contact is None else sticking * out[normal_contact])
        return out

    def active_rows(self, r: Rows, modes) -> np.ndarray | None:
        """(rows,): one for each active row; None if no row switches."""
        if not self.switched:
            return None
        active = vector([1] * len(r))
        for part, x in zip(self.row_slots(r), self.active_switches(modes), strict=True):
            active[part] = x
        return active

    def static_distribution(self, r: Rows, modes) -> np.ndarray:
        """(rows,): static friction distribution in the history of sticking frictions, DF.16."""
        out, slots, n = vector([0] * len(r)), self.row_slots(r), len(self.contacts)
        active = self.active_switches(modes) if self.distributing_frictions else []
        for i in self.distributing_frictions:
            stored = modes[n + i][1 : 1 + len(slots[n + i])]
            out[slots[n + i]] = stored * active[n + i]
        return out

    def slip_directions(self, K: Any, modes, slips) -> list[np.ndarray]:
        """Direction of slip of each friction along its rows; zero while it sticks."""
        out = []
        for e, m, u in zip(self.frictions, modes[len(self.contacts) :], slips, strict=True):
            if e.size == 1 or not len(u):
                out.append(vector(m[: len(u)]))
                continue
            stored, square = unit_vector(K, m[1 : 1 + len(u)], 0 * u), u @ u
            is_null = K.less(square, 1e-300)
            size = K.sqrt(K.select(is_null, 1.0, square))
            # a step that goes past a stop continues as before it
            sign = K.select(K.less(u @ stored, 0.0), -1.0, 1.0)
            is_slow, is_sticking = K.less(m[0], 1.5), K.less(m[0], HALF)
            out.append(
                vector(
                    K.select(is_sticking, 0.0, K.select(is_slow, x, K.divide(y * sign, size)))
                    for x, y in zip(stored, u, strict=True)
                )
            )  # DF.7
        return out

    def _sliding_coefficients(self, K: Any) -> list:
        """Of each friction, coefficient times radius, or its constant force."""
        laws = [e.friction for e in self.frictions]
        return [K.number(x.sliding) * K.number(x.radius) for x in laws]

    # ---- equation of motion ----------------------------------------------------------------

    def solve_motion(
        self, tree: Tree, state: Moment, tau: np.ndarray, wrenches: dict[int, Wrench] | None
    ) -> ConstrainedMotion:
        """Accelerations, multipliers and frictions under the efforts tau and external wrenches."""
        K, v = tree.K, state.v
        r = switched_rows(self, tree, state)
        if len(state.solved):
            return self._motion_of_solution(tree, state, r, wrenches)
        modes = self.modes(state)
        active = self.active_rows(r, modes)
        M, h = terms(tree, state.q, v, wrenches or None)
        if uses_native_rows(K, self, M):
            return self._solve_natively(tree, state, r, M, tau - h, wrenches)
        solver = make_solver(self.way, K, M, r.J, r.owners, active)
        if self.distributing_frictions:
            distribution = self.static_distribution(r, modes)
            solver = DistributedSolver(solver, distribution, r.J.T @ distribution)
        gamma = r.gamma if active is None else r.gamma * active
        slots = self.row_slots(r)
        first = len(r) - sum(map(len, slots))
        slip_rows = slots[len(self.contacts) :]
        if not self.frictions:
            a, lam = solver.solve(tau - h, gamma)
            supply = self._supplied_power(tree, r, lam, v, first)
            return ConstrainedMotion(a, lam, (), vector(()), vector(()), 0, supply, r)
        slips = tuple(r.psi[i] if tree.rheonomic else r.J[i] @ v for i in slip_rows)
        directions = self.slip_directions(K, modes, slips)
        pushes = [
            -(d @ r.J[i]) if i else vector([0] * tree.nv)
            for i, d in zip(slip_rows, directions, strict=True)
        ]
        data = tree, state, r, wrenches
        sizes, a, lam = self._solve_with_sliding(data, solver, tau - h, gamma, pushes)
        limits = self._static_limits(tree, state, r, a, lam, wrenches)
        dissipation, lam = 0, lam.copy()
        for e, i, d, x, u in zip(self.frictions, slip_rows, directions, sizes, slips, strict=True):
            lam[i] = lam[i] - d * x  # DF.1
            dissipation = dissipation + x * (d @ u) * (not e.stores)  # DF.2
        supply = self._supplied_power(tree, r, lam, v, first)
        return ConstrainedMotion(a, lam, slips, sizes, limits, dissipation, supply, r)

    def _solve_natively(
        self,
        tree: Tree,
        state: Moment,
        r: Rows,
        M: np.ndarray,
        force: np.ndarray,
        wrenches: dict[int, Wrench] | None,
    ) -> ConstrainedMotion:
        """As `solve_motion`, by native routines over the rows that stick or slide, DF.14."""
        K, v, n = tree.K, state.v, len(self.contacts)
        modes, slots = self.modes(state), self.row_slots(r)
        active, requested = self.active_switches(modes), vector([1] * len(r))
        for normal_contact, part in zip((*range(n), *self.normal_contacts), slots, strict=True):
            requested[part] = 1 if normal_contact is None else active[normal_contact]
        slips = tuple(r.psi[i] for i in slots[n:])
        directions = self.slip_directions(K, modes, slips)
        low = self._sliding_coefficients(K)
        block, free, missing = DelassusBlock.assemble(
            tree, state.q, self, r, M, force, r.gamma, requested
        )
        active_rows: Any = self.active_rows(r, modes)
        null = vector([0] * len(r))
        distribution = self.static_distribution(r, modes)
        lam, sizes = block.solve_row_forces(
            active_rows, directions, missing, null, low, PROXIMAL_ITERATIONS, distribution
        )
        a = free + block.velocity_change(lam)
        limits = self._static_limits(tree, state, r, a, lam, wrenches)
        powers = (x * (d @ u) for x, d, u in zip(sizes, directions, slips, strict=True))
        dissipation = sum(powers, start=0)  # DF.2
        supply = self._supplied_power(tree, r, lam, v, 0)
        return ConstrainedMotion(a, lam, slips, sizes, limits, dissipation, supply, r)

    def _motion_of_solution(
        self, tree: Tree, state: Moment, r: Rows, wrenches: dict[int, Wrench] | None
    ) -> ConstrainedMotion:
        """As `solve_motion`, from known accelerations and multipliers; for event functions only."""
        a, lam = state.solved
        slip_rows = self.row_slots(r)[len(self.contacts) :]
        uses_psi = tree.rheonomic or tree.K.loops
        slips = tuple(r.psi[i] if uses_psi else r.J[i] @ state.v for i in slip_rows)
        limits = self._static_limits(tree, state, r, a, lam, wrenches)
        return ConstrainedMotion(a, lam, slips, vector(()), limits, 0, 0, r)

    def _supplied_power(self, tree: Tree, r: Rows, lam: np.ndarray, v: np.ndarray, first: int):
        """Power [W] supplied by rows that depend on time; rows from `first` switch."""
        supply = lam[:first] @ times(r.J[:first], v) if first else 0  # DF.3
        if tree.rheonomic and first < len(r):
            supply = supply + lam[first:] @ (r.J[first:] @ v - r.psi[first:])  # RP.7
        return supply

    def solve_under_forces(
        self, tree: Tree, state: Moment, forces
    ) -> tuple[Rows, list[tuple[np.ndarray, np.ndarray]]]:
        """Rows, and accelerations and multipliers under each of several generalized forces.

        Sliding frictions have a constant force here, without a normal force.
        """
        K, v = tree.K, state.v
        r = constraint_rows(tree, self.system, state.t, state.q, v, switched=bool(self.switched))
        modes = self.modes(state)
        active = self.active_rows(r, modes)
        M, h = terms(tree, state.q, v)
        solver = make_solver(self.way, K, M, r.J, r.owners, active)
        slip_rows = self.row_slots(r)[len(self.contacts) :]
        directions = self.slip_directions(K, modes, tuple(r.J[i] @ v for i in slip_rows))
        low = self._sliding_coefficients(K)
        for i, d, size in zip(slip_rows, directions, low, strict=True):
            h = h + (d @ r.J[i]) * size if i else h
        distribution = self.static_distribution(r, modes)
        distributed = (
            DistributedSolver(solver, distribution, r.J.T @ distribution)
            if self.distributing_frictions
            else solver
        )
        first = distributed.solve(forces[0] - h, r.gamma if active is None else r.gamma * active)
        null = vector([0] * len(r))
        more = (solver.solve(x - forces[0], null) for x in forces[1:])
        return r, [first, *((first[0] + a, first[1] + lam) for a, lam in more)]

    def _solve_with_sliding(
        self, data, solver: Any, force: np.ndarray, gamma: np.ndarray, pushes
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sizes of sliding frictions, accelerations and multipliers, DF.4.

        Normal forces may depend on the frictions.  `pushes` are the generalized forces of unit
        frictions, `data` is (tree, state, rows, wrenches).
        """
        tree, state, r, wrenches = data
        K, laws = tree.K, [e.friction for e in self.frictions]
        low = self._sliding_coefficients(K)
        f = vector(x if law.normal is None else 0 for x, law in zip(low, laws, strict=True))
        constant = (p * x for p, x in zip(pushes, f, strict=True))
        start = force + sum(constant, start=vector([0] * tree.nv))
        pressed = [i for i, x in enumerate(laws) if x.normal is not None]
        if not pressed:
            return f, *solver.solve(start, gamma)
        null = [vector([0] * len(gamma))] * len(pressed)
        (a0, lam0), *more = solver.solve_each(
            [start, *(pushes[i] for i in pressed)], [gamma, *null]
        )
        unit = dict(zip(pressed, more, strict=True))

        def normal_forces(a: np.ndarray, lam: np.ndarray):
            return self.normal_forces(tree, state, r, a, lam, wrenches)

        base = normal_forces(a0, lam0)
        change = {
            j: {
                i: subtract(x, base[i])
                for i, x in normal_forces(a0 + unit[j][0], lam0 + unit[j][1]).items()
            }
            for j in pressed
        }
        sizes = solve_sliding_forces(
            K,
            {i: base[i] for i in pressed},
            {i: {j: change[j][i] for j in pressed} for i in pressed},
            {i: low[i] for i in pressed},
            self.pressed_frictions,
        )
        for i in pressed:
            f[i] = sizes[i]  # DF.4
        a = a0 + sum((unit[i][0] * f[i] for i in pressed), start=0 * a0)
        lam = lam0 + sum((unit[i][1] * f[i] for i in pressed), start=0 * lam0)
        return f, a, lam

    # ---- normal forces ---------------------------------------------------------------------

    def normal_forces(
        self,
        tree: Tree,
        state: Moment,
        r: Rows,
        a: np.ndarray,
        lam: np.ndarray,
        wrenches: dict[int, Wrench] | None,
    ) -> dict[int, np.ndarray]:
        """Normal force of every friction that depends on one, as a vector, DF.5."""
        out, joints = {}, None
        for i, e in enumerate(self.frictions):
            if e.friction.normal is None:
                continue
            if e.friction.normal != "joint":
                out[i] = vector((lam[self._normal_row(r, e.friction.normal)],))
                continue
            if joints is None:
                reactions = carried(tree, self.system, r, state.q, lam).wrenches
                joints = joint_wrenches(tree, state.q, state.v, a, merged(wrenches, reactions))
            link = tree.links[e.friction.link - 1]
            F = Wrench.of(joints[link.index - 1])
            if e.size == 2:
                out[i] = vector((F.force @ e.normal(tree, state.q),))  # DF.5
                continue
            S = link.joint.subspace(tree.K, state.q[link.q])[:, 0]
            axis = S[3:] if all(is_zero(x) for x in S[:3]) else S[:3]
            out[i] = F.force - axis * (F.force @ axis)  # DF.5
        return out

    @staticmethod
    def _normal_row(r: Rows, name: str) -> int:
        """Row of a named normal force: its own name, or that of its element."""
        if name in r.names:
            return r.names.index(name)
        return next(j for j, n in enumerate(r.names) if n.rpartition(".")[0] == name)

    def _static_limits(
        self,
        tree: Tree,
        state: Moment,
        r: Rows,
        a: np.ndarray,
        lam: np.ndarray,
        wrenches: dict[int, Wrench] | None,
    ) -> np.ndarray:
        """(frictions,): largest static friction of each."""
        K, out = tree.K, []
        normal = self.normal_forces(tree, state, r, a, lam, wrenches)
        for i, e in enumerate(self.frictions):
            k = K.number(e.friction.static) * K.number(e.friction.radius)
            out.append(k * magnitude(K, normal[i]) if i in normal else k)
        return vector(out)

    # ---- projection ------------------------------------------------------------------------

    def project(self, tree: Tree, state: Moment) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds projected onto the constraints."""
        active, r = None, None
        solver: Any = partial(make_solver, self.way)
        if self.switched:
            r = switched_rows(self, tree, state)
            active = self.active_rows(r, self.modes(state))
            if tree.K.loops:
                solver = self._projection_solver(tree, state.q, r)
        p = project(
            tree,
            self.system,
            state.t,
            state.q,
            state.v,
            on=active,
            solver=solver,
            again=2 if self.way.implicit else 1,
            rows=r,
        )
        return p.q, p.v

    def _projection_solver(self, tree: Tree, q: np.ndarray, r: Rows):
        """A maker of solvers for `kkt.project`, native where they can be."""

        def make_for_projection(K: Any, M: np.ndarray, J: np.ndarray, owners, on):
            if not uses_native_rows(K, self, M):
                return make_solver(self.way, K, M, J, owners, on=on)
            null = vector([0] * len(M)), vector([0] * len(r))
            block = DelassusBlock.assemble(tree, q, self, r, M, *null, on)[0]
            return NativeSolver(block, on)

        return make_for_projection

    def firmness(self, tree: Tree, state: Moment):
        """Conditioning of the dependent speeds, see `reduced_solutions.firmness`."""
        r = constraint_rows(tree, self.system, state.t, state.q, state.v)
        return firmness(tree.K, terms(tree, state.q, state.v)[0], r.J, self.way.dependent)

    def substitute_dependent(self, tree: Tree, state: Moment, parts) -> list[np.ndarray]:
        """Functions of the state with dependent coordinates and speeds solved for first, CS.6."""
        if not self.way.implicit:
            return list(parts)
        old = np.concatenate([state.q, state.v])
        new = np.concatenate(self.project(tree, state))
        return [substitute(tree.K, x, old, new) if len(x) else x for x in parts]  # CS.6

    # ---- event functions -------------------------------------------------------------------

    def guards(
        self, tree: Tree, state: Moment, tau: np.ndarray, wrenches: dict[int, Wrench] | None
    ) -> list:
        """Event functions of each contact, then of each friction, DF.6 and DF.7."""
        if not self.switched:
            return []
        motion = self.solve_motion(tree, state, tau, wrenches)
        modes, slots, n = self.modes(state), self.row_slots(motion.rows), len(self.contacts)
        out = []
        for m, (j,) in zip(modes[:n], slots[:n], strict=True):
            out += self._contact_events(tree.K, m, motion, j)
        for i, e in enumerate(self.frictions):
            values = self._friction_events(tree, state, i, modes[n + i], motion, slots[n + i])
            normal_contact = self.normal_contacts[i]
            if normal_contact is not None:
                is_closed = tree.K.less(HALF, modes[normal_contact][0])
                values = [tree.K.select(is_closed, x, 1.0) for x in values]
            assert len(values) == len(e.watched)
            out += values
        return out

    @staticmethod
    def _contact_events(K: Any, m, motion: ConstrainedMotion, j: int) -> list:
        """Event functions of the contact of row j: it lifts off, lands, or turns back."""
        is_closed, is_leaving = K.less(HALF, m[0]), K.less(m[0], -HALF)
        r = motion.rows
        gap = r.phi[r.places.index(j)]
        return [
            K.select(is_closed, motion.lam[j] + EVENT_OFFSET, 1.0),
            K.select(is_closed, 1.0, gap + K.select(is_leaving, LANDING_DEPTH, 0.0)),
            K.select(is_leaving, r.psi[j] + EVENT_OFFSET, 1.0),
        ]

    def _friction_events(
        self, tree: Tree, state: Moment, i: int, m, motion: ConstrainedMotion, rows: list[int]
    ) -> list:
        """Event functions of friction i: it stops, breaks loose, and in a plane renews its slip."""
        K, e, u = tree.K, self.frictions[i], motion.slips[i]
        if not rows:
            return [1.0] * len(e.watched)
        margin = motion.limits[i] - magnitude(K, motion.lam[rows])
        if e.size == 2:
            return planar_friction_events(K, m, u, margin)
        is_sticking = K.less(m[0] * m[0], 0.25)
        x = e.offset(tree, state.q)
        stop = m[0] * u[0] + REVERSAL_SPEED if x is None else m[0] * x  # DF.13
        return [K.select(is_sticking, 1.0, stop), K.select(is_sticking, margin, 1.0)]

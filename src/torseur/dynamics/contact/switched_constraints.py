"""Constraint rows in motion, with contacts and dry frictions as rows that switch.

Theory: DF.1 to DF.7.

What is on is memory.  A contact: 1 closed, 0 open, -1 open and leaving.  A dry friction along one
axis: 0 stuck, +1 or -1 the direction it slides in.  In a plane: 0 stuck; 1 sliding so slowly,
after a start or before a stop, that its direction is that of the two numbers that follow; 2
sliding, and then these two are a slip not far from the present one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...scalars import vector
from ...spatial import HALF, Wrench
from ..constraints.kkt import ITERATIONS, project, terms
from ..constraints.reactions import carried, joint_wrenches, merged
from ..constraints.reduced_solutions import firmness
from ..constraints.rows import Rows, constraint_rows, substitute
from ..constraints.solution_methods import MULTIPLIERS, SolutionWay, needs_reactions
from ..sparse_factorization import is_zero, times
from .delassus import NativeSolver, RowBlock, by_loops, known_rows
from .friction_cone import BARELY, difference, magnitudes, slipping, strength, unit
from .static_friction import Shared
from .tolerances import INSIDE

AGAINST = 2e-14  # slip [m/s] against its direction at which what has just let go stops


class Held(NamedTuple):
    """The constrained motion at one instant."""

    a: np.ndarray
    lam: np.ndarray  # of every row; for a sliding friction, its force
    rate: tuple[np.ndarray, ...]  # of every friction, one or two numbers
    force: np.ndarray  # of friction while sliding, its magnitude
    limit: np.ndarray  # the most a stuck friction can hold
    dissipation: Any
    supply: Any
    rows: Rows | None = None


class ConstraintSolver:
    """The rows of a system as the equation of motion wants them, solved in one of four ways."""

    def __init__(self, system, way: SolutionWay = MULTIPLIERS):
        self.system, self.way = system, way
        self.switched = system.switched
        self.contacts = tuple(e for e in self.switched if e.contact)
        self.frictions = tuple(e for e in self.switched if e.friction)
        self.gates = tuple(self._gate(e.friction.normal) for e in self.frictions)
        self.pushing = tuple(i for i, gate in enumerate(self.gates) if gate is not None)
        both = tuple(i for i in self.pushing if self.frictions[i].size == 2)
        self.sharing = both if len(both) > 1 else ()  # frictions at rest that remember shares

    @classmethod
    def of(cls, system, way: SolutionWay = MULTIPLIERS) -> ConstraintSolver | None:
        """The constraints of a system, or None when it has none."""
        return cls(system, way) if system.held or system.switched else None

    def _gate(self, normal) -> int | None:
        """The contact a friction needs closed: the one its normal force comes from."""
        named = (i for i, e in enumerate(self.contacts) if normal in (e.name, f"{e.name}.normal"))
        return next(named, None)

    @property
    def full(self) -> bool:
        """Whether it needs reactions, which a tree of regrouped inertias does not give."""
        return needs_reactions(self.system)

    def modes(self, now) -> list[np.ndarray]:
        """What each switched element remembers."""
        return [now.m[own] for own in self.system.layout.switches]

    def own(self, r: Rows) -> list[list[int]]:
        """The rows of each switched element."""
        first = len(self.system.held)
        return [
            [j for j, o in enumerate(r.owners) if o == first + i] for i in range(len(self.switched))
        ]

    def ons(self, modes) -> list:
        """The switch of each element: one while its rows hold, else zero."""
        n = len(self.contacts)
        out = [x[0] * (x[0] + 1) * HALF for x in modes[:n]]  # DF.7
        for e, gate, x in zip(self.frictions, self.gates, modes[n:], strict=True):
            stuck = 1 - x[0] * x[0] if e.size == 1 else (1 - x[0]) * (2 - x[0]) * HALF
            out.append(stuck if gate is None else stuck * out[gate])
        return out

    def switches(self, r: Rows, modes) -> np.ndarray | None:
        """One a row: whether it holds."""
        if not self.switched:
            return None
        on = vector([1] * len(r))
        for own, x in zip(self.own(r), self.ons(modes), strict=True):
            on[own] = x
        return on

    def shares(self, r: Rows, modes) -> np.ndarray:
        """What rows of frictions at rest hold beside the least that does: DF.16."""
        out, own, n = vector([0] * len(r)), self.own(r), len(self.contacts)
        ons = self.ons(modes) if self.sharing else []
        for i in self.sharing:
            out[own[n + i]] = modes[n + i][1 : 1 + len(own[n + i])] * ons[n + i]
        return out

    def directions(self, K, modes, rates) -> list[np.ndarray]:
        """Where each friction slides, along its rows; zero when it is stuck."""
        out = []
        for e, m, u in zip(self.frictions, modes[len(self.contacts) :], rates, strict=True):
            if e.size == 1 or not len(u):
                out.append(vector(m[: len(u)]))
                continue
            kept, square = unit(K, m[1 : 1 + len(u)], 0 * u), u @ u
            still = K.less(square, 1e-300)
            size = K.sqrt(K.select(still, 1.0, square))
            back = K.select(K.less(u @ kept, 0.0), -1.0, 1.0)  # past a stop, goes on as before
            slow, stuck = K.less(m[0], 1.5), K.less(m[0], HALF)
            out.append(
                vector(
                    K.select(stuck, 0.0, K.select(slow, x, K.divide(y * back, size)))
                    for x, y in zip(kept, u, strict=True)
                )
            )  # DF.7
        return out

    def held(self, tree, now, tau, wrenches) -> Held:
        """Accelerations, multipliers and frictions."""
        K, v = tree.K, now.v
        r = known_rows(self, tree, now)
        if len(now.solved):
            return self._known(tree, now, r, wrenches)
        modes = self.modes(now)
        on = self.switches(r, modes)
        M, h = terms(tree, now.q, v, wrenches or None)
        if by_loops(K, self, M):
            return self._by_loops(tree, now, r, M, tau - h, wrenches)
        s = self.way.solver(K, M, r.J, r.owners, on)
        if self.sharing:
            shares = self.shares(r, modes)
            s = Shared(s, shares, r.J.T @ shares)
        gamma = r.gamma if on is None else r.gamma * on
        first = len(r) - sum(map(len, self.own(r)))
        slips = self.own(r)[len(self.contacts) :]
        if not self.frictions:
            a, lam = s.solve(tau - h, gamma)
            supply = self._supply(tree, r, lam, v, first)
            return Held(a, lam, (), vector(()), vector(()), 0, supply, r)
        rate = tuple(r.psi[i] if tree.rheonomic else r.J[i] @ v for i in slips)
        along = self.directions(K, modes, rate)
        push = [
            -(d @ r.J[i]) if i else vector([0] * tree.nv) for i, d in zip(slips, along, strict=True)
        ]
        f, a, lam = self._frictions(tree, now, r, s, tau - h, gamma, push, wrenches)
        limit = self._limits(tree, now, r, a, lam, wrenches)
        lost, lam = 0, lam.copy()
        for e, i, d, x, u in zip(self.frictions, slips, along, f, rate, strict=True):
            lam[i] = lam[i] - d * x  # DF.1
            lost = lost + x * (d @ u) * (not e.stores)  # DF.2
        supply = self._supply(tree, r, lam, v, first)
        return Held(a, lam, rate, f, limit, lost, supply, r)

    def _by_loops(self, tree, now, r: Rows, M, force, wrenches) -> Held:
        """As `held`, by native loops over the rows that hold or slide."""
        K, v, n = tree.K, now.v, len(self.contacts)
        modes, own = self.modes(now), self.own(r)
        ons, wanted = self.ons(modes), vector([1] * len(r))
        for gate, part in zip((*range(n), *self.gates), own, strict=True):
            wanted[part] = 1 if gate is None else ons[gate]
        rate = tuple(r.psi[i] for i in own[n:])
        along = self.directions(K, modes, rate)
        law = [e.friction for e in self.frictions]
        low = [K.number(x.sliding) * K.number(x.radius) for x in law]
        block, free, lack = RowBlock.of(tree, now.q, self, r, M, force, r.gamma, wanted)
        on, none = self.switches(r, modes), vector([0] * len(r))
        lam, f = block.forces(on, along, lack, none, low, ITERATIONS, self.shares(r, modes))
        a = free + block.moved(lam)
        limit = self._limits(tree, now, r, a, lam, wrenches)
        lost = sum((x * (d @ u) for x, d, u in zip(f, along, rate, strict=True)), start=0)  # DF.2
        return Held(a, lam, rate, f, limit, lost, self._supply(tree, r, lam, v, 0), r)

    def _known(self, tree, now, r: Rows, wrenches) -> Held:
        """As `held`, of accelerations and multipliers that were solved for; for guards only."""
        a, lam = now.solved
        slips = self.own(r)[len(self.contacts) :]
        told = tree.rheonomic or tree.K.loops
        rate = tuple(r.psi[i] if told else r.J[i] @ now.v for i in slips)
        limit = self._limits(tree, now, r, a, lam, wrenches)
        return Held(a, lam, rate, vector(()), limit, 0, 0, r)

    def _supply(self, tree, r: Rows, lam, v, first: int):
        """Power of rows that time moves; those from `first` on switch."""
        supply = lam[:first] @ times(r.J[:first], v) if first else 0  # DF.3
        if tree.rheonomic and first < len(r):
            supply = supply + lam[first:] @ (r.J[first:] @ v - r.psi[first:])  # RP.7
        return supply

    def under(self, tree, now, forces) -> tuple[Rows, list[tuple[np.ndarray, np.ndarray]]]:
        """Accelerations and multipliers under each of several generalized forces, all of them.

        Frictions that slide push with a force of their own, none by a normal force.
        """
        K, v = tree.K, now.v
        r = constraint_rows(tree, self.system, now.t, now.q, v, switched=bool(self.switched))
        modes = self.modes(now)
        on = self.switches(r, modes)
        M, h = terms(tree, now.q, v)
        s = self.way.solver(K, M, r.J, r.owners, on)
        slips = self.own(r)[len(self.contacts) :]
        along = self.directions(K, modes, tuple(r.J[i] @ v for i in slips))
        for e, i, d in zip(self.frictions, slips, along, strict=True):
            size = K.number(e.friction.sliding) * K.number(e.friction.radius)
            h = h + (d @ r.J[i]) * size if i else h
        shares = self.shares(r, modes)
        shared = Shared(s, shares, r.J.T @ shares) if self.sharing else s
        first = shared.solve(forces[0] - h, r.gamma if on is None else r.gamma * on)
        none = vector([0] * len(r))
        more = (s.solve(x - forces[0], none) for x in forces[1:])
        return r, [first, *((first[0] + a, first[1] + lam) for a, lam in more)]

    def _frictions(self, tree, now, r, s: Any, force, gamma, push, wrenches):
        """Sliding forces, whose normal forces may depend on them; accelerations, multipliers."""
        K, law = tree.K, [e.friction for e in self.frictions]
        f = vector(K.number(x.sliding) * K.number(x.radius) if x.normal is None else 0 for x in law)
        start = force + sum(
            (p * x for p, x in zip(push, f, strict=True)), start=vector([0] * tree.nv)
        )
        loose = [i for i, x in enumerate(law) if x.normal is not None]
        if not loose:
            return f, *s.solve(start, gamma)
        none = [vector([0] * len(gamma))] * len(loose)
        (a0, lam0), *more = s.solve_each([start, *(push[i] for i in loose)], [gamma, *none])
        one = dict(zip(loose, more, strict=True))
        here = self.pressing(tree, now, r, a0, lam0, wrenches)
        change = {
            j: {
                i: difference(x, here[i])
                for i, x in self.pressing(
                    tree, now, r, a0 + one[j][0], lam0 + one[j][1], wrenches
                ).items()
            }
            for j in loose
        }
        k = {i: K.number(law[i].sliding) * K.number(law[i].radius) for i in loose}
        found = magnitudes(
            K,
            {i: here[i] for i in loose},
            {i: {j: change[j][i] for j in loose} for i in loose},
            k,
            self.pushing,
        )
        for i in loose:
            f[i] = found[i]  # DF.4
        a = a0 + sum((one[i][0] * f[i] for i in loose), start=0 * a0)
        lam = lam0 + sum((one[i][1] * f[i] for i in loose), start=0 * lam0)
        return f, a, lam

    def pressing(self, tree, now, r, a, lam, wrenches) -> dict[int, np.ndarray]:
        """Normal force of every friction that has one, as a vector."""
        out, joints = {}, None
        for i, e in enumerate(self.frictions):
            if e.friction.normal is None:
                continue
            if e.friction.normal != "joint":
                out[i] = vector((lam[self.row(r, e.friction.normal)],))
                continue
            if joints is None:
                held = carried(tree, self.system, r, now.q, lam)
                joints = joint_wrenches(tree, now.q, now.v, a, merged(wrenches, held.wrenches))
            k = tree.links[e.friction.link - 1]
            F = Wrench.of(joints[k.index - 1])
            if e.size == 2:
                out[i] = vector((F.force @ e.normal(tree, now.q),))  # DF.5
                continue
            S = k.joint.subspace(tree.K, now.q[k.q])[:, 0]
            u = S[3:] if all(is_zero(x) for x in S[:3]) else S[:3]
            out[i] = F.force - u * (F.force @ u)  # DF.5
        return out

    def row(self, r: Rows, name: str) -> int:
        """The row of a named normal force."""
        return (
            r.names.index(name)
            if name in r.names
            else next(j for j, n in enumerate(r.names) if n.rpartition(".")[0] == name)
        )

    def _limits(self, tree, now, r, a, lam, wrenches) -> np.ndarray:
        """The most each friction can hold."""
        K, out = tree.K, []
        pressing = self.pressing(tree, now, r, a, lam, wrenches)
        for i, e in enumerate(self.frictions):
            k = K.number(e.friction.static) * K.number(e.friction.radius)
            out.append(k * strength(K, pressing[i]) if i in pressing else k)
        return vector(out)

    # ---- what the equation of motion asks ------------------------------------------------------

    def solve(self, tree, now, tau, wrenches) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers at one instant."""
        h = self.held(tree, now, tau, wrenches)
        return h.a, h.lam

    def solved(self, tree, now, lam) -> tuple[Rows, np.ndarray]:
        """Rows over a tree, with the multipliers that belong to them."""
        some = bool(self.switched)
        return constraint_rows(tree, self.system, now.t, now.q, now.v, switched=some), lam

    def project(self, tree, now) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds brought back to the constraints."""
        on, solver, r = None, self.way.solver, None
        if self.switched:
            r = known_rows(self, tree, now)
            on = self.switches(r, self.modes(now))
            if tree.K.loops:
                solver = self._solver(tree, now.q, r)
        p = project(
            tree,
            self.system,
            now.t,
            now.q,
            now.v,
            on=on,
            solver=solver,
            again=2 if self.way.implicit else 1,
            rows=r,
        )
        return p.q, p.v

    def _solver(self, tree, q, r: Rows):
        """A maker of solvers that are native loops where they can be."""

        def made(K, M, J, owners, on):
            if not by_loops(K, self, M):
                return self.way.solver(K, M, J, owners, on=on)
            none = vector([0] * len(M)), vector([0] * len(r))
            return NativeSolver(RowBlock.of(tree, q, self, r, M, *none, on)[0], on)

        return made

    def firmness(self, tree, now):
        """How firmly dependent speeds follow those that lead."""
        r = constraint_rows(tree, self.system, now.t, now.q, now.v)
        return firmness(tree.K, terms(tree, now.q, now.v)[0], r.J, self.way.dependent)

    def entered(self, tree, now, parts) -> list[np.ndarray]:
        """Functions of the state, with dependent coordinates and speeds solved for first."""
        if not self.way.implicit:
            return list(parts)
        old, new = np.concatenate([now.q, now.v]), np.concatenate(self.project(tree, now))
        return [substitute(tree.K, x, old, new) if len(x) else x for x in parts]  # CS.6

    def guards(self, tree, now, tau, wrenches) -> list:
        """The values of those `watched`, for each contact and friction."""
        if not self.switched:
            return []
        K, h, out = tree.K, self.held(tree, now, tau, wrenches), []
        r = h.rows
        assert r is not None  # `held` gives them
        modes, own, n = self.modes(now), self.own(r), len(self.contacts)
        for m, (j,) in zip(modes[:n], own[:n], strict=True):
            closed, leaving = K.less(HALF, m[0]), K.less(m[0], -HALF)
            gap = r.phi[r.places.index(j)]
            out += [
                K.select(closed, h.lam[j] + BARELY, 1.0),
                K.select(closed, 1.0, gap + K.select(leaving, INSIDE, 0.0)),
                K.select(leaving, r.psi[j] + BARELY, 1.0),
            ]
        for i, (e, m, rows_, u) in enumerate(
            zip(self.frictions, modes[n:], own[n:], h.rate, strict=True)
        ):
            held, gate = h.lam[rows_], self.gates[i]
            room = h.limit[i] - strength(K, held) if rows_ else 1.0
            if not rows_:
                values = [1.0] * len(e.watched)
            elif e.size == 1:
                stuck = K.less(m[0] * m[0], 0.25)
                x = e.offset(tree, now.q)
                side = m[0] * u[0] + AGAINST if x is None else m[0] * x  # DF.13
                values = [K.select(stuck, 1.0, side), K.select(stuck, room, 1.0)]
            else:
                values = slipping(K, m, u, room)
            if gate is not None:
                shut = K.less(HALF, modes[gate][0])
                values = [K.select(shut, x, 1.0) for x in values]
            out += values
        return out

    def __repr__(self):
        return f"Constraints({self.way})"

"""Equations of motion of a system as pure functions: right-hand side, event functions, resets.

`flow` is the right-hand side of the differential equation, `guards` are the event functions, `jump`
is the reset at an event.  The state consists of q, v and z.  z holds the states of the force
elements, then accumulated energies (dissipated, supplied, dissipated by each element), which act on
nothing.  Equations FL.1 to FL.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import kinematics
from ..constraints import inside, interval_slots
from ..errors import ArgumentError, said
from ..forces import ForceAction, ForceElement, LawAction
from ..formalisms import lagrange
from ..joints import TIME
from ..scalars import vector
from ..spatial import Wrench
from . import base_inertias, forward_dynamics
from .constraints.reactions import carried, joint_wrenches, merged
from .contact.friction_cone import solve_without_pivoting
from .contact.response import apply_contact_response, compute_stop_impulse
from .contact.switched_constraints import ConstraintSolver
from .moving_base_power import carrying
from .state import Moment
from .tree_form_matrices import generalized_forces

if TYPE_CHECKING:
    from ..system import System


class Flow(NamedTuple):
    """Rates of the state, and multipliers of the constraint rows."""

    qdot: np.ndarray
    vdot: np.ndarray
    zdot: np.ndarray
    lam: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Loads:
    """Loads of all force elements at one state, and their sums."""

    acting: tuple[ForceAction | LawAction, ...]  # of each element
    tau: np.ndarray  # (nv,) efforts
    wrenches: dict[int, Wrench]  # on links, in their frames
    moving: list  # motion of each link


class Motion:
    """Equations of motion of a system over one scalar.

    `constraints` solves for accelerations under constraint rows.  By default it is the
    `ConstraintSolver` of the system, if it has rows.
    """

    def __init__(self, system: System, K: Any, constraints: ConstraintSolver | None = None):
        self.system, self.K = system, K
        system.bind_parameters(K)
        self.elements: tuple[ForceElement, ...] = system.elements
        self.constraints = constraints or ConstraintSolver.of(system)
        self.outside = vector([0] * system.nv)  # efforts from outside the system

    @cached_property
    def tree(self):
        """The links over this scalar."""
        return self.system.over(self.K)

    @cached_property
    def lean(self):
        """The tree with base inertial parameters: the same motion for fewer operations."""
        return base_inertias.regroup_inertias(self.tree)

    @property
    def body(self):
        """The tree of the constrained equation: reactions need the inertias of single bodies."""
        return self.tree if self.constraints and self.constraints.needs_reactions else self.lean

    def at(self, state: Moment) -> None:
        """Set the parameters that depend on time: placements, and active intervals of tables.

        The history decides the interval of a driven table: on a knot there are two.
        """
        if self.system.rheonomic:
            self.K.parameters[TIME] = state.t
        for name, (low, high) in self._interval_slots.items() if len(state.m) else ():
            self.K.parameters[name] = inside(self.K, state.m[low], state.m[high], state.t)

    @cached_property
    def _interval_slots(self) -> Mapping[str, tuple[int, int]]:
        """History slots of the ends of the active interval of each driven table."""
        return interval_slots(self.system)

    def loads(self, state: Moment, some=None) -> Loads:
        """Efforts and wrenches of every force element, or of some, by index; FL.1."""
        self.at(state)
        state = self._with_solved_reactions(state) if self.sees and not len(state.lam) else state
        elements = self.elements if some is None else [self.elements[i] for i in some]
        needs_motion = any(e.ends for e in elements)
        motions = kinematics.velocities(self.tree, state.q, state.v) if needs_motion else []
        acting = tuple(e.act(self.K, motions, state) for e in elements)
        tau = self.outside.copy()
        wrenches: dict[int, Wrench] = {}
        for a in acting:
            for i, x in a.efforts:
                tau[i] = tau[i] + x  # FL.1
            for link, F in a.wrenches:
                wrenches[link] = wrenches[link] + F if link in wrenches else F
        return Loads(acting, tau, wrenches, motions)

    @cached_property
    def sees(self) -> tuple[tuple[str, int], ...]:
        """Multipliers and reactions that force laws depend on: (name of the array, index)."""
        return self.system.layout.sees

    def with_reactions(self, state: Moment, x=None) -> Moment:
        """The state with the multipliers and reactions that laws depend on; others are zero."""
        if not self.sees:
            return state
        sizes = {"lam": len(self.system.layout.lam) or 1, "reactions": 6 * len(self.tree.links)}
        arrays = {name: vector([0] * size) for name, size in sizes.items()}
        for (name, i), value in zip(self.sees, x if x is not None else (), strict=False):
            arrays[name][i] = value
        return state._replace(**arrays)

    def _with_solved_reactions(self, state: Moment) -> Moment:
        """The state with the multipliers and reactions that laws depend on, FL.6.

        Forces are linear in them, and they are linear in the forces.  So they follow from their
        values under the forces for zero and for unit multipliers and reactions.
        """
        K, n = self.K, len(self.sees)
        K.need("derive", f"forces of {self.system.name!r} that see multipliers or reactions")
        K.need("divide", f"forces of {self.system.name!r} that see multipliers or reactions")
        units = [[int(i == j) for j in range(n)] for i in range(n)]
        loads = [self.loads(self.with_reactions(state, x)) for x in ([0] * n, *units)]
        forces = [self._force(state, one) for one in loads]
        first, *more = self._reactions_under(state, loads, forces)
        A = [[int(i == j) - (more[j][i] - first[i]) for j in range(n)] for i in range(n)]
        return self.with_reactions(state, solve_without_pivoting(K, A, list(first)))  # FL.6

    def _reactions_under(self, state: Moment, loads: list[Loads], forces) -> list[list]:
        """Multipliers and reactions that laws depend on, under each of several loads."""
        tree, c = self.tree, self.constraints
        needs_wrenches = any(name == "reactions" for name, _ in self.sees)
        if c is None:
            solve = forward_dynamics.cheapest(self.lean)
            solutions: list[tuple] = [
                (solve(self.lean, state.q, state.v, x.tau, x.wrenches or None), vector(()), {})
                for x in loads
            ]
        else:
            rows, motions = c.solve_under_forces(tree, state, forces)
            solutions = [(a, lam, {}) for a, lam in motions]
            if needs_wrenches:
                solutions = [
                    (a, lam, carried(tree, self.system, rows, state.q, lam).wrenches)
                    for a, lam in motions
                ]
        out = []
        for load, (a, lam, reactions) in zip(loads, solutions, strict=True):
            arrays = {"lam": lam}
            if needs_wrenches:
                wrenches = merged(load.wrenches, reactions)
                arrays["reactions"] = joint_wrenches(tree, state.q, state.v, a, wrenches).ravel()
            out.append([arrays[name][i] for name, i in self.sees])
        return out

    def applied(self, state: Moment) -> np.ndarray:
        """(nv,): generalized forces of all elements."""
        return self._force(state, self.loads(state))

    def applied_each(self, state: Moment) -> list[np.ndarray]:
        """Generalized forces (nv,) of each element."""
        out = []
        for acting in self.loads(state).acting:
            Q = generalized_forces(
                self.tree, state.q, merged(*({link: F} for link, F in acting.wrenches))
            )
            for i, x in acting.efforts:
                Q[i] = Q[i] + x
            out.append(Q)
        return out

    def flow(self, state: Moment) -> Flow:
        """Right-hand side: `qdot, vdot, zdot`, and multipliers."""
        loads, dissipation, supply = self.loads(state), 0, 0
        if self.constraints is not None:
            motion = self.constraints.solve_motion(self.body, state, loads.tau, loads.wrenches)
            a, lam = motion.a, motion.lam
            dissipation, supply = motion.dissipation, motion.supply
        else:
            a, lam = self.accelerations(state, loads), vector(())
        supply = supply + carrying(self.tree, state.q, state.v, a, loads.wrenches)
        qdot = kinematics.rates(self.tree, state.q, state.v)
        f = Flow(qdot, a, self._zdot(loads, dissipation, supply), lam)
        if self.constraints is None:
            return f
        return Flow(*self.constraints.substitute_dependent(self.lean, state, f))

    def projected(self, state: Moment) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds projected onto the constraints."""
        self.at(state)
        assert self.constraints is not None
        return self.constraints.project(self.lean, state)

    def driven(self, state: Moment, some) -> tuple[np.ndarray, np.ndarray]:
        """Generalized forces (nv,) and rates `zdot` of some of the elements, by index."""
        loads, zdot = self.loads(state, some), vector([0] * len(self.system.layout.z))
        for i, a in zip(some, loads.acting, strict=True):
            for slot, x in kept(self.K, self.system, i, a):
                zdot[slot] = zdot[slot] + x
        return self._force(state, loads), zdot

    def _zdot(self, loads: Loads, dissipation, supply) -> np.ndarray:
        """Rates of the elements' states and of the accumulated energies [W]."""
        layout = self.system.layout
        zdot = vector([0] * len(layout.z))
        if layout.has_energies:
            zdot[layout.books.start : layout.books.start + 2] = dissipation, supply
        for i, a in enumerate(loads.acting):
            for slot, x in kept(self.K, self.system, i, a):
                zdot[slot] = zdot[slot] + x
        return zdot

    def _force(self, state: Moment, loads: Loads) -> np.ndarray:
        """(nv,): generalized forces of the loads."""
        return loads.tau + generalized_forces(self.tree, state.q, loads.wrenches)

    def accelerations(self, state: Moment, loads: Loads) -> np.ndarray:
        """(nv,): accelerations of the tree under the loads, without constraints; FL.3."""
        solve = forward_dynamics.cheapest(self.lean)
        return solve(self.lean, state.q, state.v, loads.tau, loads.wrenches or None)  # FL.3

    def _law_events(self, loads: Loads) -> list[tuple]:
        """Event functions of the law of each element."""
        return [
            tuple(e.law.guards(self.K, a.seen)) if e.law else ()
            for e, a in zip(self.elements, loads.acting, strict=True)
        ]

    def guards(self, state: Moment) -> np.ndarray:
        """Event functions of all joints, constraints and force elements, in the layout's order."""
        loads = self.loads(state)
        values = [x for k in self.tree.links for *_, x in k.joint.edges(self.K, state.q[k.q])]
        values += self._constraint_limits(state)
        values += [g.value for events in self._law_events(loads) for g in events]
        if self.constraints is not None:
            values += self.constraints.guards(self.body, state, loads.tau, loads.wrenches)
        return vector(values)

    def _constraint_limits(self, state: Moment) -> list:
        """Distances of constraints to the ends of their validity; 1 for an open contact."""
        K, s = self.K, self.system
        out: list[Any] = []
        for e in s.held:
            out += e.edges(self.tree, state.q)
        for e, slots in zip(s.switched, s.layout.switches, strict=True):
            is_closed = K.less(0.5, state.m[slots][0]) if e.loses else None
            out += [K.select(is_closed, x, 1.0) for x in e.edges(self.tree, state.q)]
        return out

    def jump(self, state: Moment, k) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`v, z, m` after the event of event function `k`, a scalar that holds an integer; FL.4.

        -1 is the start of a run, when contacts and dry frictions find their active set.
        """
        K, v, z, m = self.K, state.v.copy(), state.z.copy(), state.m.copy()
        loads, layout = self.loads(state), self.system.layout
        n = sum(not g.acts for g in layout.guards)  # event functions without a reset come first
        stops = []
        for which, (e, a, events) in enumerate(
            zip(self.elements, loads.acting, self._law_events(loads), strict=True)
        ):
            for i in range(len(events)):
                offset = k - n
                is_event = K.less(offset * offset, 0.25)  # FL.4
                zs, ms = e.law.jump(K, i, a.seen)
                for array, before, slots, new in ((z, state.z, e.z, zs), (m, state.m, e.m, ms)):
                    for j, x in zip(range(slots.start, slots.stop), new, strict=True):
                        if x is not before[j]:
                            array[j] = K.select(is_event, x, array[j])
                rate = e.law.impulse(K, i, a.seen)
                if rate is not None:
                    impulse = compute_stop_impulse(self, state, e, a.seen.rate, rate)
                    v = vector(
                        K.select(is_event, x, y) for x, y in zip(v + impulse.dv, v, strict=True)
                    )
                    records = layout.element_energies.get(which, ())
                    dissipated = [j for name, j in records if name == "losing"]
                    energies = [
                        (layout.books.start, impulse.dissipated),
                        (layout.books.start + 1, impulse.supplied),
                        *((j, impulse.dissipated) for j in dissipated),
                    ]
                    for j, x in energies:
                        z[j] = z[j] + K.select(is_event, x, 0.0)
                    stops.append((is_event, impulse, dissipated))
                n += 1
        if self.constraints is not None and self.constraints.switched:
            v, z, m = apply_contact_response(self, state, loads, k, n, stops, (v, z, m))
        return v, z, m

    def energies(self, state: Moment, loads: Loads | None = None) -> tuple[Any, Any]:
        """Kinetic energy, and potential energy of gravity and all elements [J]."""
        self.at(state)
        T, U = lagrange.energies(self.tree, state.q, state.v)
        acting = (loads or self.loads(state)).acting
        return T, U + sum((a.potential for a in acting), start=0)


def kept(
    K: Any, system: System, i: int, a: ForceAction | LawAction, law=None
) -> Iterator[tuple[int, Any]]:
    """(slot, rate) of force element `i` in `zdot`: its states, and its accumulated energies; FL.2.

    `law` is its law over `K` if that is not the element's own.
    """
    e, layout = system.elements[i], system.layout
    law = law or e.law
    yield from zip(range(e.z.start, e.z.stop), a.zdot, strict=True)
    yield layout.books.start, a.dissipation  # FL.2
    yield layout.books.start + 1, a.supply
    for name, slot in layout.element_energies.get(i, ()):
        if name == "losing":
            yield slot, a.dissipation
        elif name == "rated":
            yield slot, law.dynamic(K, a.seen)
        else:
            yield slot, a.dissipation - law.dissipation(K, a.seen)


def start(
    system: System,
    K: Any,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    u=None,
    motion: Motion | None = None,
) -> Moment:
    """Initial state: states and history of the force elements follow from t, q, v and u.

    `motion` are the equations of motion over `K` if they are known.
    """
    layout = system.layout

    def fill(x, ports) -> np.ndarray:
        """An array of scalars; zeros if it is None."""
        if getattr(x, "dtype", None) == np.dtype(object):
            return x.copy()
        return vector([0.0] * len(ports) if x is None else np.asarray(x, float).tolist())

    z, m = fill(None, layout.z), fill(None, layout.m)
    state = Moment(float(t), fill(q, layout.q), fill(v, layout.v), z, m, fill(u, layout.u))
    if not system.elements:
        return state
    motion = motion or Motion(system, K)
    try:
        acting = motion.loads(motion.with_reactions(state)).acting
    except (ArithmeticError, ValueError) as why:
        raise ArgumentError(
            f"the forces of {system.name!r} have no value at the start ({said(why)}); look "
            "for a division by zero, or a root or logarithm of a negative number, "
            "in their expressions, or start elsewhere"
        ) from None
    for e, a in zip(motion.elements, acting, strict=True):
        if e.law is not None:
            initial_z, initial_m = e.begin(K, a.seen)
            state.z[e.z], state.m[e.m] = list(initial_z), list(initial_m)
    return state

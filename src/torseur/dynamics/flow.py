"""The motion of a whole model as pure functions: flow, guards, jump, energies.

Theory: FL.1 to FL.7.

State: q, v, then z = (states of the elements, energy dissipated, energy supplied, energy dissipated
by each element that can).  All but the first are the books of the run; they act on nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import kinematics
from ..constraints import inside, keepers
from ..errors import ArgumentError, said
from ..forces import Acting, ByLaw, ForceElement
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


class Flow(NamedTuple):
    """Rates of the state, and what constraint rows carry."""

    qdot: np.ndarray
    vdot: np.ndarray
    zdot: np.ndarray
    lam: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Loads:
    """All elements at one instant, and their sum."""

    acting: tuple[Acting | ByLaw, ...]
    tau: np.ndarray
    wrenches: dict[int, Wrench]
    moving: list


class Motion:
    """A system over one scalar, with its force elements.

    `constraints` solves for accelerations under constraint rows: an object with
    `solve(tree, now, tau, wrenches) -> (vdot, lam)`; by default the system's own rows, if any.
    """

    def __init__(self, system, K, constraints=None):
        self.system, self.K = system, K
        system.teach(K)
        self.elements: tuple[ForceElement, ...] = system.elements
        self.constraints = constraints or ConstraintSolver.of(system)
        self.outside = vector([0] * system.nv)  # efforts of what is no part of the system

    @cached_property
    def tree(self):
        """The links over this scalar."""
        return self.system.over(self.K)

    @cached_property
    def lean(self):
        """The tree with inertias regrouped: the same motion for fewer operations."""
        return base_inertias.regrouped(self.tree)

    @property
    def body(self):
        """The tree whose inertias the constrained equation takes."""
        return self.tree if self.constraints and self.constraints.full else self.lean

    def at(self, now: Moment) -> None:
        """Placements that time moves go where they are at this instant, and drives to the piece of
        their table that the memory is in: on a knot there are two."""
        if self.system.rheonomic:
            self.K.parameters[TIME] = now.t
        for name, (low, high) in self._keepers.items() if len(now.m) else ():
            self.K.parameters[name] = inside(self.K, now.m[low], now.m[high], now.t)

    @cached_property
    def _keepers(self) -> Mapping[str, tuple[int, int]]:
        """Whose memory says the piece that drives are in: slots of its ends."""
        return keepers(self.system)

    def loads(self, now: Moment, some=None) -> Loads:
        """Efforts and wrenches of every element, or of some, by index."""
        self.at(now)
        now = self._closed(now) if self.sees and not len(now.lam) else now
        elements = self.elements if some is None else [self.elements[i] for i in some]
        seen = any(e.ends for e in elements)
        moving = kinematics.velocities(self.tree, now.q, now.v) if seen else []
        acting = tuple(e.act(self.K, moving, now) for e in elements)
        tau = self.outside.copy()
        wrenches: dict[int, Wrench] = {}
        for a in acting:
            for i, x in a.efforts:
                tau[i] = tau[i] + x  # FL.1
            for link, F in a.wrenches:
                wrenches[link] = wrenches[link] + F if link in wrenches else F
        return Loads(acting, tau, wrenches, moving)

    @cached_property
    def sees(self) -> tuple[tuple[str, int], ...]:
        """Multipliers and reactions that laws see."""
        return self.system.layout.sees

    def seeing(self, now: Moment, x=None) -> Moment:
        """The same moment with values of what laws see of multipliers and reactions; zero else."""
        if not self.sees:
            return now
        sizes = {"lam": len(self.system.layout.lam) or 1, "reactions": 6 * len(self.tree.links)}
        at = {place: vector([0] * size) for place, size in sizes.items()}
        for (place, i), value in zip(self.sees, x if x is not None else (), strict=False):
            at[place][i] = value
        return now._replace(**at)

    def _closed(self, now: Moment) -> Moment:
        """The moment with what laws see of the motion that they are part of.

        Forces are linear in it and it is linear in forces, so that it follows from its value with
        none of it, and with one of each.
        """
        K, n = self.K, len(self.sees)
        K.need("derive", f"forces of {self.system.name!r} that see multipliers or reactions")
        K.need("divide", f"forces of {self.system.name!r} that see multipliers or reactions")
        units = [[int(i == j) for j in range(n)] for i in range(n)]
        loads = [self.loads(self.seeing(now, x)) for x in ([0] * n, *units)]
        forces = [self._force(now, one) for one in loads]
        first, *more = self._seen(now, loads, forces)
        A = [[int(i == j) - (more[j][i] - first[i]) for j in range(n)] for i in range(n)]
        return self.seeing(now, solve_without_pivoting(K, A, list(first)))  # FL.6

    def _seen(self, now, loads, forces) -> list[list]:
        """What laws see under each of several loads."""
        tree, c = self.tree, self.constraints
        full = any(place == "reactions" for place, _ in self.sees)
        if c is None:
            solve = forward_dynamics.cheapest(self.lean)
            answers: list[tuple] = [
                (solve(self.lean, now.q, now.v, x.tau, x.wrenches or None), vector(()), {})
                for x in loads
            ]
        else:
            rows, found = c.solve_under_forces(tree, now, forces)
            answers = [
                (a, lam, carried(tree, self.system, rows, now.q, lam).wrenches if full else {})
                for a, lam in found
            ]
        out = []
        for one, (a, lam, held) in zip(loads, answers, strict=True):
            places = {"lam": lam}
            if full:
                wrenches = merged(one.wrenches, held)
                places["reactions"] = joint_wrenches(tree, now.q, now.v, a, wrenches).ravel()
            out.append([places[place][i] for place, i in self.sees])
        return out

    def applied(self, now: Moment) -> np.ndarray:
        """Generalized forces of all elements, shape (nv,)."""
        return self._force(now, self.loads(now))

    def applied_each(self, now: Moment) -> list[np.ndarray]:
        """Generalized force of each element, (nv,) each."""
        out = []
        for acting in self.loads(now).acting:
            Q = generalized_forces(
                self.tree, now.q, merged(*({link: F} for link, F in acting.wrenches))
            )
            for i, x in acting.efforts:
                Q[i] = Q[i] + x
            out.append(Q)
        return out

    def flow(self, now: Moment) -> Flow:
        """`qdot, vdot, zdot, lam` at one instant."""
        loads, lost, given = self.loads(now), 0, 0
        if self.constraints is not None:
            held = self.constraints.solve_motion(self.body, now, loads.tau, loads.wrenches)
            a, lam, lost, given = held.a, held.lam, held.dissipation, held.supply
        else:
            a, lam = self.accelerations(now, loads), vector(())
        given = given + carrying(self.tree, now.q, now.v, a, loads.wrenches)
        f = Flow(kinematics.rates(self.tree, now.q, now.v), a, self._zdot(loads, lost, given), lam)
        return (
            f
            if self.constraints is None
            else Flow(*self.constraints.substitute_dependent(self.lean, now, f))
        )

    def projected(self, now: Moment) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds brought back to the constraints."""
        self.at(now)
        assert self.constraints is not None
        return self.constraints.project(self.lean, now)

    def driven(self, now: Moment, some) -> tuple[np.ndarray, np.ndarray]:
        """What `some` of the elements, by index, add to generalized forces and to `zdot`."""
        loads, zdot = self.loads(now, some), vector([0] * len(self.system.layout.z))
        for i, a in zip(some, loads.acting, strict=True):
            for slot, x in kept(self.K, self.system, i, a):
                zdot[slot] = zdot[slot] + x
        return self._force(now, loads), zdot

    def _zdot(self, loads, lost, given) -> np.ndarray:
        at = self.system.layout
        zdot = vector([0] * len(at.z))
        if at.keeps_books:
            zdot[at.books.start : at.books.start + 2] = lost, given
        for i, a in enumerate(loads.acting):
            for slot, x in kept(self.K, self.system, i, a):
                zdot[slot] = zdot[slot] + x
        return zdot

    def _force(self, now, loads) -> np.ndarray:
        return loads.tau + generalized_forces(self.tree, now.q, loads.wrenches)

    def accelerations(self, now, loads) -> np.ndarray:
        """Accelerations of the tree under the loads."""
        solve = forward_dynamics.cheapest(self.lean)
        return solve(self.lean, now.q, now.v, loads.tau, loads.wrenches or None)  # FL.3

    def _watched(self, loads) -> list[tuple]:
        """Guards of each element."""
        return [
            tuple(e.law.guards(self.K, a.seen)) if e.law else ()
            for e, a in zip(self.elements, loads.acting, strict=True)
        ]

    def guards(self, now: Moment) -> np.ndarray:
        """Every guard of every joint and element."""
        loads = self.loads(now)
        own = [x for k in self.tree.links for *_, x in k.joint.edges(self.K, now.q[k.q])]
        own += self._ends(now)
        own += [g.value for watched in self._watched(loads) for g in watched]
        if self.constraints is not None:
            own += self.constraints.guards(self.body, now, loads.tau, loads.wrenches)
        return vector(own)

    def _ends(self, now) -> list:
        """How far rows of constraints are from where they fail; of open contacts, far."""
        K, s, out = self.K, self.system, []
        for e in s.held:
            out += e.edges(self.tree, now.q)
        for e, own in zip(s.switched, s.layout.switches, strict=True):
            closed = K.less(0.5, now.m[own][0]) if e.loses else None
            out += [K.select(closed, x, 1.0) for x in e.edges(self.tree, now.q)]
        return out

    def jump(self, now: Moment, k) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`v, z, m` after the event of guard `k` (a scalar that holds a whole number).

        -1 is the start of a run, when contacts and dry frictions find out whether they hold.
        """
        K, v, z, m = self.K, now.v.copy(), now.z.copy(), now.m.copy()
        loads = self.loads(now)
        n = sum(not g.acts for g in self.system.layout.guards)  # nothing jumps there
        watched = self._watched(loads)
        at, hits = self.system.layout, []
        for which, (e, a, own) in enumerate(zip(self.elements, loads.acting, watched, strict=True)):
            for i in range(len(own)):
                offset = k - n
                here = K.less(offset * offset, 0.25)  # FL.4
                zs, ms = e.law.jump(K, i, a.seen)
                for array, places, new in ((z, e.z, zs), (m, e.m, ms)):
                    for j, x in zip(range(places.start, places.stop), new, strict=True):
                        array[j] = (
                            array[j]
                            if x is now_entry(now, array is z, j)
                            else K.select(here, x, array[j])
                        )
                rate = e.law.impulse(K, i, a.seen)
                if rate is not None:
                    hit = compute_stop_impulse(self, now, e, a.seen.rate, rate)
                    v = vector(K.select(here, x, y) for x, y in zip(v + hit.dv, v, strict=True))
                    losing = [j for what, j in at.own_books.get(which, ()) if what == "losing"]
                    books = [(at.books.start, hit.dissipated), (at.books.start + 1, hit.supplied)]
                    for j, x in (*books, *((j, hit.dissipated) for j in losing)):
                        z[j] = z[j] + K.select(here, x, 0.0)
                    hits.append((here, hit, losing))
                n += 1
        if self.constraints is not None and self.constraints.switched:
            v, z, m = apply_contact_response(self, now, loads, k, n, hits, (v, z, m))
        return v, z, m

    def energies(self, now: Moment, loads: Loads | None = None) -> tuple[Any, Any]:
        """Kinetic energy, and potential energy of gravity and of all elements [J]."""
        self.at(now)
        T, U = lagrange.energies(self.tree, now.q, now.v)
        acting = (loads or self.loads(now)).acting
        return T, U + sum((a.potential for a in acting), start=0)


def kept(K, system, i: int, a: Acting | ByLaw, law=None) -> Iterator[tuple[int, Any]]:
    """What force element `i` adds to `zdot`, with the slots: its states, and the books.

    `law` is its law over `K`, where that is not the element's own.
    """
    e, at = system.elements[i], system.layout
    law = law or e.law
    yield from zip(range(e.z.start, e.z.stop), a.zdot, strict=True)
    yield at.books.start, a.dissipation  # FL.2
    yield at.books.start + 1, a.supply
    for what, slot in at.own_books.get(i, ()):
        if what == "losing":
            yield slot, a.dissipation
        elif what == "rated":
            yield slot, law.dynamic(K, a.seen)
        else:
            yield slot, a.dissipation - law.dissipation(K, a.seen)


def now_entry(now, in_z, j):
    return (now.z if in_z else now.m)[j]


def _float_moment(system, t, q, v, z=None, m=None, u=None) -> Moment:
    at = system.layout

    def fill(x, ports):
        if x is not None and getattr(x, "dtype", None) == np.dtype(
            object
        ):  # scalars that are no floats
            return x.copy()
        return vector([0.0] * len(ports) if x is None else np.asarray(x, float).tolist())

    return Moment(
        float(t), fill(q, at.q), fill(v, at.v), fill(z, at.z), fill(m, at.m), fill(u, at.u)
    )


def start(system, K, t, q, v, u=None, motion: Motion | None = None) -> Moment:
    """The state at the start: elements' states and memory from what they see there.

    `motion` is the system over `K` where it is at hand already.
    """
    now = _float_moment(system, t, q, v, u=u)
    if not system.elements:
        return now
    motion = motion or Motion(system, K)
    try:
        acting = motion.loads(motion.seeing(now)).acting
    except (ArithmeticError, ValueError) as why:
        raise ArgumentError(
            f"the forces of {system.name!r} have no value at the start ({said(why)}); look "
            "for a division by zero, or a root or logarithm of a negative number, "
            "in their expressions, or start elsewhere"
        ) from None
    for e, a in zip(motion.elements, acting, strict=True):
        if e.law is not None:
            z, m = e.begin(K, a.seen)
            now.z[e.z], now.m[e.m] = list(z), list(m)
    return now

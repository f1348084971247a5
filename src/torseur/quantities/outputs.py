"""What a result shows of a motion, at every row of a run at once: nothing is compiled for it.

Formulas run over `Columns`; those of constraint rows, which need derivatives, over a graph that
CasADi interprets.  Each answer has the shape (numbers, rows).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .. import kinematics
from ..constraints import Relative
from ..dynamics import Constraints, Moment, Motion, constraint_rows
from ..dynamics.held import reactions, self_stress
from ..numbers import Columns, Graph, evaluate, vector
from ..spatial import Wrench, cross


class Rows(NamedTuple):
    """States of a motion: times (rows,), the others (rows, n)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    m: np.ndarray
    u: np.ndarray


class Stresses(NamedTuple):
    """Self-stress states (k of them) at every row: multipliers, and wrenches they make."""

    lam: np.ndarray  # (k, rows, every row of constraints)
    seen: list[int]  # those that the equation of motion has
    joints: np.ndarray  # (k, rows, 6 a link)
    loops: np.ndarray  # (k, rows, 6 a loop or constraint between bodies)


class Outputs:
    """Signals of one system at one set of parameters, from its states.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> system = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("pivot", "world", "rod", ts.Revolute("y"), at=(0, 0, 3)),)).check()
    >>> q, none = np.array([[0.0], [0.1], [0.2]]), np.zeros((3, 0))
    >>> rows = Rows(np.zeros(3), q, 0 * q, none, none, none)
    >>> Outputs(system, ()).positions(rows)
    array([[0., 0., 0.],
           [0., 0., 0.],
           [3., 3., 3.]])
    """

    def __init__(self, system, parameters):
        self.system, self.p = system, np.asarray(parameters, dtype=float)
        self._names = dict(zip(system.parameters, self.p.tolist(), strict=True))

    @cached_property
    def motion(self) -> Motion:
        return Motion(self.system, Columns(self._names))

    def _evaluate(self, formula, rows, *more) -> np.ndarray:
        def over(t, q, v, z, m, u, *x):
            return formula(Moment(t[0], q, v, z, m, u), *x)

        return evaluate(self.motion.K, over, rows.t[:, None], *rows[1:], *more)

    # bodies and frames -------------------------------------------------------------------
    def places(self) -> tuple[str, ...]:
        """Bodies and frames in the order of the answers."""
        return tuple(n for n in self.system.places if n != "world")

    def _each_place(self, rows, state, formula, *more):
        """`formula(pose in its link, state of the link)` of every place."""
        tree = self.motion.tree

        def all_of_them(now, *x):
            states = state(tree, now, *x)
            return [
                e
                for n in self.places()
                for e in formula(tree.places[n].X_LB, states[tree.places[n].link])
            ]

        return self._evaluate(all_of_them, rows, *more)

    def positions(self, rows) -> np.ndarray:
        """Of the origin of every body and frame, world axes [m]: 3 numbers each."""
        return self._each_place(
            rows, lambda tree, now: kinematics.poses(tree, now.q), lambda X_LB, X: X.point(X_LB.p)
        )

    def orientations(self, rows) -> np.ndarray:
        """Rotation matrix of every body and frame, columns are its axes: 9 numbers each."""
        return self._each_place(
            rows,
            lambda tree, now: kinematics.poses(tree, now.q),
            lambda X_LB, X: (X @ X_LB).R.ravel(),
        )

    def velocities(self, rows) -> np.ndarray:
        """Angular velocity, velocity of the origin, world axes: 6 numbers each."""

        def formula(X_LB, here):
            u = here.V.linear + cross(here.V.angular, X_LB.p)
            return (*here.X_W.rotate(here.V.angular), *here.X_W.rotate(u))

        return self._each_place(
            rows, lambda tree, now: kinematics.velocities(tree, now.q, now.v), formula
        )

    def accelerations(self, rows, a) -> np.ndarray:
        """Angular, of the origin (world axes), of the origin in body axes: 9 numbers each."""

        def formula(X_LB, state):
            here, A = state
            w, r = here.V.angular, X_LB.p
            u = here.V.linear + cross(w, r)
            point = A.linear + cross(A.angular, r) + cross(w, u)  # KI.4
            return (*here.X_W.rotate(A.angular), *here.X_W.rotate(point), *X_LB.unrotate(point))

        return self._each_place(
            rows, lambda tree, now, a: kinematics.accelerations(tree, now.q, now.v, a), formula, a
        )

    # forces and energies -----------------------------------------------------------------
    def energies(self, rows) -> np.ndarray:
        """Kinetic and potential energy [J]."""
        return self._evaluate(self.motion.energies, rows)

    def elements(self, rows) -> np.ndarray:
        """Force, deflection, rate, stored energy, power lost, power supplied, mode of each.

        Then what its law shows besides.
        """
        motion = self.motion

        def formula(now):
            for e, x in zip(motion.elements, motion.loads(now).acting, strict=True):
                mode = e.law.mode(motion.K, x.seen) if e.law is not None else 0
                yield from (
                    x.force,
                    x.deflection,
                    x.seen.rate,
                    x.potential,
                    x.dissipation,
                    x.supply,
                    mode,
                )
                if e.law is not None:
                    yield from e.law.extra(motion.K, x.seen)

        return self._evaluate(formula, rows)

    def torn(self, rows) -> np.ndarray:
        """Energy that events have taken from each element so far [J]."""
        motion = self.motion

        def formula(now):
            for e, x in zip(motion.elements, motion.loads(now).acting, strict=True):
                yield 0 if e.law is None else e.law.torn(motion.K, x.seen)

        return self._evaluate(formula, rows)

    def efforts(self, rows) -> np.ndarray:
        """Of all elements that act on coordinates, one a speed."""
        return self._evaluate(lambda now: self.motion.loads(now).tau, rows)

    def applied(self, rows) -> np.ndarray:
        """Generalised forces of all elements, one a speed."""
        return self._evaluate(self.motion.applied, rows)

    def applied_each(self, rows) -> np.ndarray:
        """Generalised forces of each element, one after the other."""
        return self._evaluate(
            lambda now: (x for Q in self.motion.applied_each(now) for x in Q), rows
        )

    # constraints and joints --------------------------------------------------------------
    def reactions(self, rows, a, lam) -> np.ndarray:
        """Wrench of every joint on its link, at and in the link's frame: 6 numbers each."""
        motion, links = self.motion, joined(self.system)
        held = self._interpreted("carried", rows, lam)[1] if links else np.empty((0, len(rows.t)))

        def formula(now, a, held):
            six = held.reshape(-1, 6)
            wrenches = reactions.merged(
                motion.loads(now).wrenches,
                {i: Wrench.of(F) for i, F in zip(links, six, strict=True)},
            )
            return reactions.joint_wrenches(motion.tree, now.q, now.v, a, wrenches).ravel()

        return self._evaluate(formula, rows, a, held.T)

    def carried(self, rows, lam) -> np.ndarray:
        """Wrench of every loop and constraint on its child, at and in its frame M."""
        return self._interpreted("carried", rows, lam)[0]

    def stresses(self, rows, lam) -> Stresses:
        """Self-stress states at every row, of what is closed and stuck there."""
        names, owners = self._rows_of_all
        n, size = len(rows.t), len(names)
        if not size:
            none = np.empty((0, n, 0))
            return Stresses(none, [], none, none)
        (J,) = self._interpreted("stress_rows", rows)
        J = J.T.reshape(n, size, self.system.nv, order="F")
        found = self_stress.states_of(J, *self._switches(rows, lam, names, owners))
        tree, links, loops, joints = self.motion.tree, joined(self.system), [], []
        weightless = replace(tree, gravity=0 * tree.gravity)

        def formula(now, held):
            six = zip(links, held.reshape(-1, 6), strict=True)
            wrenches, rest = {i: Wrench.of(F) for i, F in six}, vector([0] * tree.nv)
            return reactions.joint_wrenches(weightless, now.q, rest, rest, wrenches).ravel()

        for x in found:
            on_child, on_links = self._interpreted("stressed", rows, x)
            loops.append(on_child.T)
            joints.append(self._evaluate(formula, rows, on_links.T).T)
        seen = [names.index(n) for n in self._names_of_rows]
        shape = (len(found), n, -1) if len(found) else (0, n, 0)
        return Stresses(
            found, seen, np.array(joints).reshape(shape), np.array(loops).reshape(shape)
        )

    def _switches(self, rows, lam, names, owners):
        """Which rows hold, (n, rows), and how sliding frictions follow from other rows' forces."""
        on, follow = np.ones((len(rows.t), len(names))), {}
        c = Constraints.of(self.system)
        modes = [rows.m[:, own].T for own in self.system.layout.switches]
        first, known = len(self.system.held), list(self._names_of_rows)
        for i, (e, x) in enumerate(zip(c.switched, c.ons(modes), strict=True)):
            own = [j for j, o in enumerate(owners) if o == first + i]
            holds = np.asarray(x, dtype=float)
            on[:, own] = holds[:, None]
            normal = e.friction and e.friction.normal
            if normal not in (None, "joint"):
                j = known.index(next(n for n in known if normal in (n, n.rpartition(".")[0])))
                pushes = lam[:, j]
                for k in own:
                    slides = (holds < 0.5) & (pushes != 0)
                    ratio = lam[:, known.index(names[k])] / np.where(slides, pushes, 1.0)
                    follow[k, names.index(known[j])] = np.where(slides, ratio, 0.0)
        return on, follow

    def closure(self, rows) -> list[np.ndarray]:
        """Residuals of positions, and the Jacobian of every row that always holds."""
        return self._interpreted("closure", rows)

    def _interpreted(self, name, rows, *more) -> list[np.ndarray]:
        f = getattr(self, f"_{name}")
        columns = [np.atleast_2d(np.asarray(x, dtype=float).T) for x in (*rows[:3], *more)]
        return [np.array(y) for y in f.call(columns)]

    @cached_property
    def _carried(self):
        K = Graph(self._names)
        tree, (t, q, v) = self.system.over(K), self._symbols(K)
        r = constraint_rows(tree, self.system, t, q, v, switched=bool(self.system.switched))
        lam = K.symbols(f"lam{i}" for i in range(len(r)))
        held = reactions.carried(tree, self.system, r, q, lam)
        loops = [held.on_child.get(n, Wrench()).array for n in reactions.names(self.system)]
        links = [held.wrenches.get(i, Wrench()).array for i in joined(self.system)]
        return _function(K, (vector([t]), q, v, lam), loops, links)

    @cached_property
    def _names_of_rows(self) -> tuple[str, ...]:
        """Rows in the order of the multipliers."""
        return self._row_graphs[2]

    @cached_property
    def _rows_of_all(self):
        return self._row_graphs[3]

    @property
    def _stress_rows(self):
        return self._row_graphs[0]

    @property
    def _stressed(self):
        return self._row_graphs[1]

    @cached_property
    def _row_graphs(self):
        """Jacobian of every row, silent ones too; wrenches of every multiplier; names."""
        K = Graph(self._names)
        tree, (t, q, v) = self.system.over(K), self._symbols(K)
        r = constraint_rows(tree, self.system, t, q, v, switched=bool(self.system.switched))
        every = self_stress.every_row(tree, self.system, r)
        lam = K.symbols(f"lam{i}" for i in range(len(every)))
        held = reactions.carried(tree, self.system, every, q, lam)
        loops = [held.on_child.get(n, Wrench()).array for n in reactions.names(self.system)]
        links = [held.wrenches.get(i, Wrench()).array for i in joined(self.system)]
        ports = (vector([t]), q, v)
        return (
            _function(K, ports, every.J.T),
            _function(K, (*ports, lam), loops, links),
            r.names,
            (every.names, every.owners),
        )

    @cached_property
    def _closure(self):
        K = Graph(self._names)
        t, q, v = self._symbols(K)
        r = constraint_rows(self.system.over(K), self.system, t, q, v)
        return _function(K, (vector([t]), q, v), [r.phi], r.J)

    def _symbols(self, K):
        n = {"q": self.system.nq, "v": self.system.nv}
        return K.symbol("t"), *(K.symbols(f"{x}{i}" for i in range(n[x])) for x in "qv")


def joined(system) -> tuple[int, ...]:
    """Links that loops, constraints, contacts or dry frictions join, world apart."""
    return tuple(
        sorted(
            {
                place.link
                for e in (*system.held, *system.switched)
                if isinstance(e, Relative)
                for place in (e.F, e.M)
            }
            - {0}
        )
    )


def _function(K, inputs, *outputs):
    """A `casadi.Function` of columns; each output is a list of arrays, end to end."""
    lib = K.lib
    ends = (vector(x for part in parts for x in part) for parts in outputs)
    return lib.Function("rows", [K.sx(x) for x in inputs], [lib.densify(K.sx(x)) for x in ends])

"""What a result shows of a motion, at every row of a run at once: nothing is compiled for it.

Formulas run over `Columns`; those of constraint rows, which need derivatives, over a graph that
CasADi interprets.  Each answer has the shape (numbers, rows).
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from .. import kinematics
from ..constraints import Relative
from ..dynamics import Moment, Motion, constraint_rows
from ..dynamics.held import reactions
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
        """Force, deflection, rate, stored energy, power lost, power supplied, mode of each."""
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

"""Evaluation of quantities at all time points of a run: signals, reactions, self-stress.

Formulas run over columns.  Those of constraint rows need derivatives, and CasADi interprets their
graph.  Each answer has the shape (numbers, time points).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.constraints import self_stress
from ..quantities import find
from ..system import System
from .column_evaluation import ColumnEvaluator, column_evaluator, evaluate_parameter_rows
from .interpreter import GraphInterpreter, interpreted


class StateRows(NamedTuple):
    """States of a motion: times (time points,), the others (time points, n)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    m: np.ndarray
    u: np.ndarray


def repeated(
    system: System, name: str, rows: StateRows, p: Any, many: bool = False
) -> list[np.ndarray]:
    """A quantity that every run of a system evaluates, (numbers, time points) each.

    The first run interprets its graph, later ones compile it, for SIMD lanes where there are
    `many` runs.  A graph that is too long is always interpreted.
    """
    ports, graphs = rows._asdict(), interpreted(system)
    arrays = [ports[x] for x in find(name).given(system)]
    kernel = graphs.compiled(name, many) if many or name in graphs.asked else None
    graphs.asked.add(name)
    if kernel is None:
        return graphs.rows(name, *arrays, p=p)
    outputs = kernel(*arrays, p)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return [x.reshape(len(rows.t), -1).T for x in outputs]


class Stresses(NamedTuple):
    """Self-stress states (k of them) at every time point: multipliers, and their wrenches."""

    lam: np.ndarray  # (k, time points, every row of constraints)
    seen: list[int]  # rows that the equation of motion has
    joints: np.ndarray  # (k, time points, 6 a link)
    loops: np.ndarray  # (k, time points, 6 a loop or constraint between bodies)


class Outputs:
    """Quantities of a system from its states, at one set of parameters or one for each time point.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> system = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("pivot", "world", "rod", ts.Revolute("y"), at=(0, 0, 3)),)).check()
    >>> q, none = np.array([[0.0], [0.1], [0.2]]), np.zeros((3, 0))
    >>> rows = StateRows(np.zeros(3), q, 0 * q, none, none, none)
    >>> Outputs(system, ())("positions", rows)
    array([[0., 0., 0.],
           [0., 0., 0.],
           [3., 3., 3.]])
    """

    def __init__(self, system: System, parameters: Any):
        self.system, self.p = system, np.asarray(parameters, dtype=float)

    @cached_property
    def columns(self) -> ColumnEvaluator:
        values = dict(zip(self.system.parameters, self.p.tolist(), strict=True))
        return column_evaluator(self.system, tuple(values.items()))

    @cached_property
    def graphs(self) -> GraphInterpreter:
        return interpreted(self.system)

    def __call__(self, name: str, rows: StateRows, **more: np.ndarray) -> np.ndarray:
        """A quantity by columns; `more` are ports that are not part of the state."""
        ports = rows._asdict() | more
        if self.system.layout.sees:  # laws that read multipliers: columns cannot derive rows
            return np.vstack(self.interpreted(name, rows, **more))
        arrays = [ports[x] for x in find(name).given(self.system)]
        if self.p.ndim == 2:
            kernel = self.graphs.compiled(name)
            if kernel is None:
                return evaluate_parameter_rows(self.system, self.p, name, *arrays)
            outputs = kernel(*arrays, self.p)
            parts = outputs if isinstance(outputs, tuple) else (outputs,)
            return np.concatenate([x.reshape(len(rows.t), -1) for x in parts], axis=1).T
        return self.columns(name, *arrays)

    def interpreted(self, name: str, rows: StateRows, **more: np.ndarray) -> list[np.ndarray]:
        """Outputs of a quantity that needs derivatives: those of constraint rows."""
        ports = rows._asdict() | more
        inputs = find(name).given(self.system)
        return self.graphs.rows(name, *(ports[x] for x in inputs), p=self.p)

    def places(self) -> tuple[str, ...]:
        """Names of bodies and frames in the order of their outputs."""
        return tuple(n for n in self.system.places if n != "world")

    # constraints and joints --------------------------------------------------------------
    def reactions(self, rows: StateRows, a: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """Wrench of every joint on its link, at and in the link's frame: 6 numbers each."""
        from ..quantities import joined

        n = len(rows.t)
        is_linked = bool(joined(self.system))
        links = self.interpreted("carried", rows, lam=lam)[1] if is_linked else np.empty((0, n))
        return self("joint_wrenches", rows, a=a, links=links.T)

    def stresses(self, rows: StateRows, lam: np.ndarray, apart: bool = False) -> Stresses:
        """Self-stress states at every time point, of the contacts and frictions closed there.

        One state of each part that no joint joins to another is combined to a state of all parts,
        unless they are wanted `apart`.
        """
        names, owners = self._rows_of_all
        n, size = len(rows.t), len(names)
        if not size:
            none = np.empty((0, n, 0))
            return Stresses(none, [], none, none)
        (J,) = self.interpreted("every_row", rows)
        J = J.T.reshape(n, size, self.system.nv)
        on, follow = self._switches(rows, lam, names, owners)
        parts = self_stress.parts(self.system, owners, follow, J)
        states = self_stress.together(J, on, follow, parts, apart)
        index = {name: i for i, name in enumerate(names)}
        in_motion = [index[n] for n in self._names_of_rows]
        wrenches = [self._stress_wrenches(rows, x) for x in states]
        if not wrenches:
            none = np.empty((0, n, 0))
            return Stresses(states, in_motion, none, none)
        joints, loops = map(np.array, zip(*wrenches, strict=True))
        return Stresses(states, in_motion, joints, loops)

    def _stress_wrenches(self, rows, lam) -> tuple[np.ndarray, np.ndarray]:
        """Wrenches of one state of self-stress in joints and in loops, where it is not zero."""
        nonzero = np.flatnonzero(lam.any(axis=1))
        some = StateRows(*(x[nonzero] for x in rows))
        loops, links = self.interpreted("carried_by_every_row", some, every_lam=lam[nonzero])
        joints = self("stressed_joints", some, links=links.T)
        out = [np.zeros((len(lam), len(x))) for x in (joints, loops)]
        for wrenches, x in zip(out, (joints, loops), strict=True):
            wrenches[nonzero] = x.T
        return out[0], out[1]

    def _switches(self, rows, lam, names, owners) -> tuple[np.ndarray, dict]:
        """Active rows, (time points, rows), and ratios of sliding frictions to normal rows."""
        from ..dynamics import ConstraintSolver

        on, follow = np.ones((len(rows.t), len(names))), {}
        c: Any = ConstraintSolver.of(self.system)
        modes = [rows.m[:, slots].T for slots in self.system.layout.switches]
        first, motion_rows = len(self.system.held), list(self._names_of_rows)
        for i, (e, x) in enumerate(zip(c.switched, c.active_switches(modes), strict=True)):
            indices = [j for j, o in enumerate(owners) if o == first + i]
            active = np.asarray(x, dtype=float)
            on[:, indices] = active[:, None]
            normal = e.friction and e.friction.normal
            if normal not in (None, "joint"):
                row = next(n for n in motion_rows if normal in (n, n.rpartition(".")[0]))
                j = motion_rows.index(row)
                force = lam[:, j]
                for k in indices:
                    slides = (active < 0.5) & (force != 0)
                    ratio = lam[:, motion_rows.index(names[k])] / np.where(slides, force, 1.0)
                    follow[k, names.index(motion_rows[j])] = np.where(slides, ratio, 0.0)
        return on, follow

    @property
    def _names_of_rows(self) -> tuple[str, ...]:
        """Rows in the order of the multipliers."""
        return self.graphs.labels().names

    @property
    def owners(self) -> tuple[int, ...]:
        """The element of each of these rows: bilateral constraints, then switched ones."""
        return self.graphs.labels().owners

    @property
    def _rows_of_all(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        labels = self.graphs.labels("every_row")
        return labels.names, labels.owners

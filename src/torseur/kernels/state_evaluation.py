"""What a result shows of a motion, at every row of a run at once: nothing is compiled for it.

Formulas run over `Columns`; those of constraint rows, which need derivatives, over a graph that
CasADi interprets.  Each answer has the shape (numbers, rows).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.constraints import self_stress
from ..errors import TorseurError
from ..quantities import find
from ..scalars import Agreed, Floats, Parted, cases
from ..system import once
from . import thresholds
from .column_evaluation import ColumnEvaluator, column_evaluator, evaluate_parameter_rows
from .interpreter import Interpreted, interpreted


def repeated(system, name: str, rows: StateRows, p, many: bool = False) -> list[np.ndarray]:
    """A quantity at the rows of a run, (numbers, rows) each: what every run of a system asks for.

    The first time its graph is interpreted, afterwards compiled, for SIMD lanes where there are
    `many` runs; one too long for that is always interpreted.
    """
    ports, graphs = rows._asdict(), interpreted(system)
    given = [ports[x] for x in find(name).given(system)]
    kernel = graphs.compiled(name, many) if many or name in graphs.asked else None
    graphs.asked.add(name)
    if kernel is None:
        return graphs.rows(name, *given, p=p)
    found = kernel(*given, p)
    found = found if isinstance(found, tuple) else (found,)
    return [x.reshape(len(rows.t), -1).T for x in found]


def _stateless(e) -> bool:
    """Whether an element starts with nothing, and acts along coordinates."""
    return e.line.weighted and e.z.start == e.z.stop and e.m.start == e.m.stop


def begun(system, t: float, q, v, u, p) -> tuple[np.ndarray, np.ndarray]:
    """States of laws and memory, z and m, at the start of a run; (runs, n) for q, v, u and p of so.

    >>> import torseur as ts
    >>> law = ts.Crush(((0, 0), (0.1, 1e5)), 1e7)
    >>> system = ts.Model(bodies=[ts.Body("car", mass=1.0)],
    ...     joints=[ts.Joint("x", "world", "car", ts.Prismatic("x"))],
    ...     forces=[ts.JointForce("front", "x", law)]).check()
    >>> z, m = begun(system, 0.0, [0.02], [1.0], [], [])
    >>> len(z) == len(system.layout.z), len(m) == len(system.layout.m)
    (True, True)
    """
    at = system.layout
    runs = np.shape(q)[:-1]
    Z, M = np.zeros((*runs, len(at.z))), np.zeros((*runs, len(at.m)))
    if not system.elements:
        return Z, M
    from ..dynamics import Moment

    if (
        not runs
        and len(system.elements) > thresholds.MAX_TRACED_START_ELEMENTS
        and all(_stateless(e) for e in system.elements)
    ):
        from ..dynamics import start

        start(system, Floats(dict(zip(system.parameters, p, strict=True))), t, q, v, u)
        return Z, M
    q, v, z, m, u, p = (np.atleast_2d(np.asarray(x, float)) for x in (q, v, Z, M, u, p))
    if (n := len(q)) > 1:
        u, p = (np.broadcast_to(x, (n, x.shape[1])) for x in (u, p))
    x, rate, force = interpreted(system).rows("sighted", np.full(n, t), q, v, z, m, u, p=p)
    good = np.asarray(np.isfinite(x + rate + force).all(axis=0))
    for bad in np.flatnonzero(~good).tolist():
        from ..dynamics import start

        K = Floats(dict(zip(system.parameters, p[bad].tolist(), strict=True)))
        now = start(system, K, t, q[bad], v[bad], u[bad])  # says what has no value there
        z[bad], m[bad] = now.z, now.m
    if n == 1:
        if good[0]:
            _alone(system, Moment(t, *(a[0].tolist() for a in (q, v, z, m, u))), x, rate, p, z, m)
        return Z, M
    known, own = known_starts(system), np.flatnonzero(good)
    for j, e in enumerate(system.elements):
        if own.size and (e.z.start != e.z.stop or e.m.start != e.m.stop):
            sight = np.stack([x[j], np.sign(rate[j]) if e.law.starts_by_sign else rate[j]])
            known.begin(e, Moment(t, q.T, v.T, z.T, m.T, u.T), sight, p.T, own)
    return Z, M


def _alone(system, now, x, rate, p, z, m) -> None:
    """States and memory of the elements in one run, into z and m."""
    K = Floats(dict(zip(system.parameters, p[0].tolist(), strict=True)))
    x, rate = x[:, 0].tolist(), rate[:, 0].tolist()
    for e, at, speed in zip(system.elements, x, rate, strict=True):
        if e.z.start != e.z.stop or e.m.start != e.m.stop:
            speed = float(np.sign(speed)) if e.law.starts_by_sign else speed
            z[0, e.z], m[0, e.m] = e.begin(K, e.look(now, at, speed))


@once()
def known_starts(system) -> Known:
    """Starts of the laws of a system that were asked for before."""
    return Known(system)


class Known:
    """How laws start in many runs: asked once of those that see and read the same."""

    def __init__(self, system):
        self.names = tuple(system.parameters)
        self.place = {n: i for i, n in enumerate(self.names)}

    def begin(self, e, now, sight, p, own) -> None:
        """States and memory of element e in the runs `own`, into `now`, whose arrays are (n, runs).

        A law that every run sees alike is asked once; one that runs see in different ways is asked
        for all at once, apart where they part, and one by one where it cannot be.
        """
        K = ReadFloats(self._bound(p[:, own[0]]))
        self._put(e, now, own[:1], self._ask(K, e, now, sight, own[0]))
        seen = [sight, now.u, *([now.q, now.v] if e.seen else [])]
        read = p[[self.place[n] for n in K.read if n in self.place]]
        all_seen = np.concatenate([*seen, read])[:, own]
        alike = (all_seen == all_seen[:, :1]).all(axis=0)
        for part in (now.z[e.z], now.m[e.m]):
            part[:, own[alike]] = part[:, own[:1]]
        self._together(e, now, sight, p, own[~alike])

    def _together(self, e, now, sight, p, own) -> None:
        if len(own) >= thresholds.MIN_SHARED_START_RUNS:
            K = Agreed({n: cases(x[own]) for n, x in zip(self.names, p, strict=True)})
            try:
                self._put(e, now, own, self._ask(K, e, now, sight, own))
                return
            except Parted as parts:
                where = parts.where
                if where.shape == own.shape:
                    self._together(e, now, sight, p, own[where])
                    self._together(e, now, sight, p, own[~where])
                    return
            except (TypeError, ValueError, TorseurError):
                pass  # a question that needs plain numbers, or has no answer for some
        for i in own:
            alone = Floats(self._bound(p[:, i]))
            self._put(e, now, own[own == i], self._ask(alone, e, now, sight, i))

    def _bound(self, p) -> dict[str, float]:
        return dict(zip(self.names, p.tolist(), strict=True))

    def _ask(self, K, e, now, sight, own) -> tuple:
        def taken(x):
            return [cases(a) for a in x[:, own]] if np.ndim(own) else x[:, own].tolist()

        at = now._replace(**{n: taken(getattr(now, n)) for n in "qvzmu"})
        return e.begin(K, e.look(at, *taken(sight)))

    def _put(self, e, now, own, answer) -> None:
        for part, found in zip((now.z[e.z], now.m[e.m]), answer, strict=True):
            for line, x in zip(part, found, strict=True):
                line[own] = x


class ReadFloats(Floats):
    """Plain numbers that remember which parameters were read."""

    def __init__(self, parameters):
        super().__init__(parameters)
        self.read: set[str] = set()

    def parameter(self, name: str):
        self.read.add(name)
        return super().parameter(name)


class StateRows(NamedTuple):
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
    """Signals of one system from its states, at one set of parameters or at one for every row.

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

    def __init__(self, system, parameters):
        self.system, self.p = system, np.asarray(parameters, dtype=float)

    @cached_property
    def columns(self) -> ColumnEvaluator:
        values = dict(zip(self.system.parameters, self.p.tolist(), strict=True))
        return column_evaluator(self.system, tuple(values.items()))

    @cached_property
    def graphs(self) -> Interpreted:
        return interpreted(self.system)

    def __call__(self, name: str, rows: StateRows, **more) -> np.ndarray:
        """A quantity by columns; `more` are ports that are no part of the state, (rows, n)."""
        ports = rows._asdict() | more
        if self.system.layout.sees:  # laws that see multipliers: columns cannot derive rows
            return np.vstack(self.interpreted(name, rows, **more))
        arrays = [ports[x] for x in find(name).given(self.system)]
        if self.p.ndim == 2:
            kernel = self.graphs.compiled(name)
            if kernel is None:
                return evaluate_parameter_rows(self.system, self.p, name, *arrays)
            found = kernel(*arrays, self.p)
            parts = found if isinstance(found, tuple) else (found,)
            return np.concatenate([x.reshape(len(rows.t), -1) for x in parts], axis=1).T
        return self.columns(name, *arrays)

    def interpreted(self, name: str, rows: StateRows, **more) -> list[np.ndarray]:
        """Outputs of a quantity that needs derivatives: those of constraint rows."""
        ports = rows._asdict() | more
        own = find(name).given(self.system)
        return self.graphs.rows(name, *(ports[x] for x in own), p=self.p)

    def places(self) -> tuple[str, ...]:
        """Bodies and frames in the order of the answers."""
        return tuple(n for n in self.system.places if n != "world")

    # constraints and joints --------------------------------------------------------------
    def reactions(self, rows, a, lam) -> np.ndarray:
        """Wrench of every joint on its link, at and in the link's frame: 6 numbers each."""
        from ..quantities import joined

        n = len(rows.t)
        linked = bool(joined(self.system))
        links = self.interpreted("carried", rows, lam=lam)[1] if linked else np.empty((0, n))
        return self("joint_wrenches", rows, a=a, links=links.T)

    def stresses(self, rows, lam, apart: bool = False) -> Stresses:
        """Self-stress states at every row, of what is closed and stuck there.

        Of parts that no joint joins one each is a state together, or all are `apart`.
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
        found = self_stress.together(J, on, follow, parts, apart)
        place = {name: i for i, name in enumerate(names)}
        seen = [place[n] for n in self._names_of_rows]
        made = [self._stressed(rows, x) for x in found]
        if not made:
            none = np.empty((0, n, 0))
            return Stresses(found, seen, none, none)
        joints, loops = map(np.array, zip(*made, strict=True))
        return Stresses(found, seen, joints, loops)

    def _stressed(self, rows, lam) -> tuple[np.ndarray, np.ndarray]:
        """Wrenches of one state of self-stress, where it is one, in joints and in loops."""
        here = np.flatnonzero(lam.any(axis=1))
        some = StateRows(*(x[here] for x in rows))
        more = {"every_lam": lam[here]}
        loops, links = self.interpreted("carried_by_every_row", some, **more)
        joints = self("stressed_joints", some, links=links.T)
        out = [np.zeros((len(lam), len(x))) for x in (joints, loops)]
        for whole, x in zip(out, (joints, loops), strict=True):
            whole[here] = x.T
        return out[0], out[1]

    def _switches(self, rows, lam, names, owners):
        """Which rows hold, (n, rows), and how sliding frictions follow from other rows' forces."""
        from ..dynamics import ConstraintSolver

        on, follow = np.ones((len(rows.t), len(names))), {}
        c: Any = ConstraintSolver.of(self.system)
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

    @property
    def _names_of_rows(self) -> tuple[str, ...]:
        """Rows in the order of the multipliers."""
        return self.graphs.labels().names

    @property
    def owners(self) -> tuple[int, ...]:
        """The element that each of these rows comes from, of those that hold, then switch."""
        return self.graphs.labels().owners

    @property
    def _rows_of_all(self):
        every = self.graphs.labels("every_row")
        return every.names, every.owners

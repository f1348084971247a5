"""Initial history variables: states and memory of force laws at the start of a run.

A law states them from its deflection and rate.  Of many runs a law is asked once for all that see
the same, and in SIMD lanes of agreed scalars where its branches allow it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import TorseurError
from ..scalars import Agreed, Floats, Parted, cases
from ..system import System, once
from . import thresholds
from .interpreter import interpreted


def begun(system: System, t: float, q, v, u, p) -> tuple[np.ndarray, np.ndarray]:
    """States and history variables z and m of all laws at the start of a run.

    For many runs q, v, u and p have the shape (runs, n).

    >>> import torseur as ts
    >>> law = ts.Crush(((0, 0), (0.1, 1e5)), 1e7)
    >>> system = ts.Model(bodies=[ts.Body("car", mass=1.0)],
    ...     joints=[ts.Joint("x", "world", "car", ts.Prismatic("x"))],
    ...     forces=[ts.JointForce("front", "x", law)]).check()
    >>> z, m = begun(system, 0.0, [0.02], [1.0], [], [])
    >>> len(z) == len(system.layout.z), len(m) == len(system.layout.m)
    (True, True)
    """
    layout = system.layout
    runs = np.shape(q)[:-1]
    Z, M = np.zeros((*runs, len(layout.z))), np.zeros((*runs, len(layout.m)))
    if not system.elements:
        return Z, M
    from ..dynamics import Moment

    is_large = len(system.elements) > thresholds.MAX_TRACED_START_ELEMENTS
    if not runs and is_large and all(_has_no_history(e) for e in system.elements):
        from ..dynamics import start

        start(system, Floats(dict(zip(system.parameters, p, strict=True))), t, q, v, u)
        return Z, M
    q, v, z, m, u, p = (np.atleast_2d(np.asarray(x, float)) for x in (q, v, Z, M, u, p))
    if (n := len(q)) > 1:
        u, p = (np.broadcast_to(x, (n, x.shape[1])) for x in (u, p))
    x, rate, force = interpreted(system).rows("sighted", np.full(n, t), q, v, z, m, u, p=p)
    is_finite = np.asarray(np.isfinite(x + rate + force).all(axis=0))
    for run in np.flatnonzero(~is_finite).tolist():
        from ..dynamics import start

        K = Floats(dict(zip(system.parameters, p[run].tolist(), strict=True)))
        state = start(system, K, t, q[run], v[run], u[run])  # raises with the name of the fault
        z[run], m[run] = state.z, state.m
    if n == 1:
        if is_finite[0]:
            state = Moment(t, *(a[0].tolist() for a in (q, v, z, m, u)))
            _start_single_run(system, state, x, rate, p, z, m)
        return Z, M
    histories, finite_runs = _initial_histories(system), np.flatnonzero(is_finite)
    for j, e in enumerate(system.elements):
        if finite_runs.size and (e.z.start != e.z.stop or e.m.start != e.m.stop):
            speed = np.sign(rate[j]) if e.law.starts_by_sign else rate[j]
            states = Moment(t, q.T, v.T, z.T, m.T, u.T)
            histories.fill_element(e, states, np.stack([x[j], speed]), p.T, finite_runs)
    return Z, M


def _has_no_history(e: Any) -> bool:
    """Whether an element has neither states nor history, and acts along coordinates."""
    return e.line.weighted and e.z.start == e.z.stop and e.m.start == e.m.stop


def _start_single_run(system: System, state, x, rate, p, z, m) -> None:
    """Write states and history of the elements of one run into z and m."""
    K = Floats(dict(zip(system.parameters, p[0].tolist(), strict=True)))
    x, rate = x[:, 0].tolist(), rate[:, 0].tolist()
    for e, deflection, speed in zip(system.elements, x, rate, strict=True):
        if e.z.start != e.z.stop or e.m.start != e.m.stop:
            speed = float(np.sign(speed)) if e.law.starts_by_sign else speed
            z[0, e.z], m[0, e.m] = e.begin(K, e.look(state, deflection, speed))


@once()
def _initial_histories(system: System) -> InitialHistories:
    return InitialHistories(system)


class InitialHistories:
    """Initial history of laws in many runs: a law is asked once for runs that see the same."""

    def __init__(self, system: System):
        self.names = tuple(system.parameters)
        self.index = {n: i for i, n in enumerate(self.names)}

    def fill_element(self, e: Any, states, sight: np.ndarray, p: np.ndarray, runs) -> None:
        """Write states and history of element e in some runs into `states`, arrays (n, runs).

        A law that all runs see alike is asked once.  Otherwise it is asked with all values at once,
        apart where its branches part, and one by one where it needs plain numbers.
        """
        K = RecordingFloats(self._values(p[:, runs[0]]))
        self._store(e, states, runs[:1], self._ask(K, e, states, sight, runs[0]))
        inputs = [sight, states.u, *([states.q, states.v] if e.seen else [])]
        parameters = p[[self.index[n] for n in K.read if n in self.index]]
        columns = np.concatenate([*inputs, parameters])[:, runs]
        is_equal = (columns == columns[:, :1]).all(axis=0)
        for part in (states.z[e.z], states.m[e.m]):
            part[:, runs[is_equal]] = part[:, runs[:1]]
        self._ask_together(e, states, sight, p, runs[~is_equal])

    def _ask_together(self, e: Any, states, sight, p, runs) -> None:
        """Ask a law with the values of several runs at once, or one by one."""
        if len(runs) >= thresholds.MIN_SHARED_START_RUNS:
            K = Agreed({n: cases(x[runs]) for n, x in zip(self.names, p, strict=True)})
            try:
                self._store(e, states, runs, self._ask(K, e, states, sight, runs))
                return
            except Parted as parts:
                where = parts.where
                if where.shape == runs.shape:
                    self._ask_together(e, states, sight, p, runs[where])
                    self._ask_together(e, states, sight, p, runs[~where])
                    return
            except (TypeError, ValueError, TorseurError):
                pass  # the law needs plain numbers, or some run has no answer
        for i in runs:
            plain = Floats(self._values(p[:, i]))
            self._store(e, states, runs[runs == i], self._ask(plain, e, states, sight, i))

    def _values(self, p) -> dict[str, float]:
        return dict(zip(self.names, p.tolist(), strict=True))

    def _ask(self, K: Any, e: Any, states, sight, runs) -> tuple:
        """The initial states and history that the law of an element states."""

        def select(x):
            return [cases(a) for a in x[:, runs]] if np.ndim(runs) else x[:, runs].tolist()

        state = states._replace(**{n: select(getattr(states, n)) for n in "qvzmu"})
        return e.begin(K, e.look(state, *select(sight)))

    def _store(self, e: Any, states, runs, answer) -> None:
        for part, values in zip((states.z[e.z], states.m[e.m]), answer, strict=True):
            for row, x in zip(part, values, strict=True):
                row[runs] = x


class RecordingFloats(Floats):
    """Floats that record which parameters were read."""

    def __init__(self, parameters):
        super().__init__(parameters)
        self.read: set[str] = set()

    def parameter(self, name: str):
        self.read.add(name)
        return super().parameter(name)

"""Runs in SIMD lanes with derivatives beside them: the kernels of single runs, lane by lane.

Theory: SE.1 to SE.8.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import TorseurError
from ...results import Trajectory
from ..ensemble.initial_states import Starts
from ..ensemble.simd_results import finished_runs
from ..ensemble.simd_runs import Cohort
from ..options import Options
from ..run.method_selection import fastest
from ..run.run import Simulation
from .event_times import EventShifts, WideRows
from .initial import Begun, Start
from .parameters import directions
from .run import NEVER, carries, govern
from .signals import Slopes


class SensitiveCohort(Cohort):
    """A cohort whose runs carry the derivatives of their state and memory by some numbers.

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    ...                  forces=(ts.JointForce("stop", "x", ts.Limits(-1, 1, restitution=0.5)),))
    >>> cohort = SensitiveCohort(block.check(), ["x.speed"], 2.0, ts.Options(output=3))
    >>> runs = cohort.runs(2, {"x.speed": [1.0, 0.2]})
    >>> ends = [runs.alone(i).sensitivity("x.displacement", "x.speed")[-1] for i in (0, 1)]
    >>> [round(float(x), 9) for x in ends]
    [-1.0, 2.0]
    """

    def __init__(self, system, names: Iterable[str], t_end: float, options: Options):
        self.directions = where = directions(system, tuple(names))
        carries(options.method)
        super().__init__(where.system, t_end, options)
        self.kernels = where.kernels(self.bare.constraints)
        self.more = self.kernels.sizes["z"] - self.bare.sizes["z"]
        self.begins: dict[int, Begun] = {}  # derivatives of every start

    def _finished(self, s, initial, heed):
        how = self.methods(s)
        told = self.run(s, self._widened(s, initial), how, heed)
        n, nm, wide = s.Y.shape[1], s.M.shape[1], self.kernels.sizes["m"]
        pasts = np.hstack([told.pasts[:, :nm], told.pasts[:, wide:]])
        runs = finished_runs(self, s, told._replace(Y=told.Y[:, :n], pasts=pasts), how)
        alone, cuts = runs.alone, np.cumsum([0, *told.rows])
        logs = np.cumsum([0, *told.logs])

        def sensitive(i: int) -> Trajectory:
            run = alone(i) if alone is not None else None
            if run is None:
                raise TorseurError("a run that was not made has no derivatives")
            own, mine = slice(cuts[i], cuts[i + 1]), slice(logs[i], logs[i + 1])
            pasts, which = np.unique(told.which[own], return_inverse=True)
            every = WideRows(told.time[own], told.Y[own], told.pasts[pasts], which, wide)
            like = self._like(s, i)
            shifts = EventShifts(like, every, told.when[mine], told.guard[mine])
            slopes = Slopes(like, run, every.at(run.time), shifts)
            object.__setattr__(run, "_slopes", slopes)
            return run

        runs.alone = sensitive
        return runs

    def govern(self, record, s: Starts) -> None:
        """By the numbers of the first run."""
        plain = self._plain(s)
        run = self._like(plain, 0)
        like: Any = SimpleNamespace(system=self.system, kernels=self.bare, u=run.u, p=run.p)
        like.rates, like.t_start, like.t_end = (
            partial(Simulation.rates, like),
            self.t_start,
            self.t_end,
        )
        run.decays = fastest(like, plain.Y[0], plain.M[0])
        govern(record, run)

    def longest_step(self, s: Starts) -> float:
        return super().longest_step(self._plain(s))

    def _plain(self, s: Starts) -> Starts:
        """Starts without the derivatives behind z and m."""
        n, nm = s.Y.shape[1] - self.more, self.bare.sizes["m"]
        return s._replace(Y=s.Y[:, :n], M=s.M[:, :nm])

    def _like(self, s: Starts, i: int) -> SimpleNamespace:
        """One of the runs, as far as its derivatives need it."""
        nq, nv = self.system.nq, self.system.nv
        return SimpleNamespace(
            system=self.system,
            directions=self.directions,
            kernels=self.kernels,
            plain=(s.Y.shape[1], s.M.shape[1]),
            p=s.P[i],
            u=s.U[i],
            q=s.Y[i, :nq],
            v=s.Y[i, nq : nq + nv],
            record=SimpleNamespace(y=s.Y[i]),
            untouched=s.untouched[i],
            begins=self.begins.get(i),
            t_start=self.t_start,
            t_end=self.t_end,
        )

    def _widened(self, s: Starts, initial) -> Starts:
        """The starts with their derivatives behind z and m."""
        count, named = len(self.directions.order), self.system.spelt(initial)
        S = np.zeros((len(s.Y), count * s.Y.shape[1]))
        Sm = np.zeros((len(s.Y), count * s.M.shape[1]))
        for i in range(len(s.Y)):
            if i in s.failed:
                continue
            own = {n: float(x[i]) if np.ndim(x) else float(x) for n, x in named.items()}
            begins = Start(self._like(s, i), own, self.options.keep)
            S[i], Sm[i] = (x.T.ravel() for x in begins.slopes())
            self.begins[i] = begins.both
        tail = np.tile([*np.zeros(count), NEVER], (len(s.Y), 1))
        return s._replace(Y=np.hstack([s.Y, S]), M=np.hstack([s.M, Sm, tail]))

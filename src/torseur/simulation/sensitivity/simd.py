"""SIMD batch with variational equations: the kernels of single runs, in SIMD lanes.

Theory: SE.1 to SE.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

from ...errors import TorseurError
from ...integrate import RunRecord
from ...kernels import Variations
from ...results import Runs, Trajectory
from ...system import System
from ..ensemble.initial_states import InitialStates
from ..ensemble.simd_results import build_runs
from ..ensemble.simd_runs import SimdBatch
from ..interrupt import InterruptFlag
from ..options import Options
from ..run.method_selection import count_decays
from .event_times import EventTimeDerivatives
from .initial import NO_EVENT_TIME, InitialState
from .parameters import InitialDerivatives, VariationalRows, VariationalRun, directions
from .signals import SignalDerivatives
from .variational import check_variational_method, tighten_tolerances


class VariationalSimdBatch(SimdBatch):
    """A SIMD batch whose runs also integrate the derivatives of their state and memory.

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    ...                  forces=(ts.JointForce("stop", "x", ts.Limits(-1, 1, restitution=0.5)),))
    >>> batch = VariationalSimdBatch(block.check(), ["x.speed"], 2.0, ts.Options(output=3))
    >>> runs = batch.runs(2, {"x.speed": [1.0, 0.2]})
    >>> ends = [runs.alone(i).sensitivity("x.displacement", "x.speed")[-1] for i in (0, 1)]
    >>> [round(float(x), 9) for x in ends]
    [-1.0, 2.0]
    """

    def __init__(self, system: System, names: Iterable[str], t_end: float, options: Options):
        self.directions = directions(system, tuple(names))
        check_variational_method(options.method)
        super().__init__(self.directions.system, t_end, options)
        self.kernels = self.directions.kernels(self.motion_kernels.constraints)
        self.derivative_count = self.kernels.sizes["z"] - self.motion_kernels.sizes["z"]
        self.initial_derivatives: dict[int, InitialDerivatives] = {}

    def _integrate(self, initial: InitialStates, values: Mapping, interrupt: InterruptFlag) -> Runs:
        """The runs, each with the derivatives of its signals when it is asked for."""
        methods = self.choose_methods(initial)
        extended = self._add_derivatives(initial, values)
        data = self.integrate_rows(initial, extended, methods, interrupt)
        n, nm, nm_extended = initial.Y.shape[1], initial.M.shape[1], self.kernels.sizes["m"]
        history = np.hstack([data.history[:, :nm], data.history[:, nm_extended:]])
        motion = data._replace(Y=data.Y[:, :n], history=history)
        runs = build_runs(self.settings, initial, motion, methods)
        build_run = runs.alone
        rows, logs = np.cumsum([0, *data.row_counts]), np.cumsum([0, *data.log_counts])

        def build_variational_run(i: int) -> Trajectory:
            """The trajectory of a run, with its derivatives."""
            run = build_run(i) if build_run is not None else None
            if run is None:
                raise TorseurError("a run that was not made has no derivatives")
            own_rows, own_logs = slice(rows[i], rows[i + 1]), slice(logs[i], logs[i + 1])
            entries, which = np.unique(data.which[own_rows], return_inverse=True)
            times, states = data.time[own_rows], data.Y[own_rows]
            points = VariationalRows(times, states, data.history[entries], which, nm_extended)
            summary = self._variational_run(initial, i)
            log = data.when[own_logs], data.guard[own_logs]
            shifts = EventTimeDerivatives(summary, points, *log)
            derivatives = SignalDerivatives(summary, run, points.select(run.time), shifts)
            object.__setattr__(run, "_slopes", derivatives)
            return run

        runs.alone = build_variational_run
        return runs

    def tighten_tolerances(self, record: RunRecord, initial: InitialStates) -> None:
        """Let derivatives govern the step size, by the numbers of the first run."""
        motion = self._without_derivatives(initial)
        run, first = self._variational_run(motion, 0), np.zeros(1, int)
        span = (self.settings.t_start, self.settings.t_end)

        def rates(t: Any, Y: np.ndarray, m: np.ndarray) -> np.ndarray:
            return self._rates(motion, np.repeat(first, len(Y)), t, Y)

        decays = count_decays(rates, self.system, span, motion.Y[0], motion.M[0])
        tighten_tolerances(record, run, decays)

    def find_max_step(self, initial: InitialStates) -> float:
        """Largest step [s], by the motion without its derivatives."""
        return super().find_max_step(self._without_derivatives(initial))

    def _without_derivatives(self, initial: InitialStates) -> InitialStates:
        """Initial states without the derivatives behind z and m."""
        n = initial.Y.shape[1] - self.derivative_count
        return initial._replace(
            Y=initial.Y[:, :n], M=initial.M[:, : self.motion_kernels.sizes["m"]]
        )

    def _variational_run(self, initial: InitialStates, i: int) -> VariationalRun:
        """The data of a run that its derivatives read."""
        return VariationalRun(
            self.directions,
            cast(Variations, self.kernels),
            initial.P[i],
            initial.U[i],
            initial.Y[i],
            initial.untouched[i],
            initial.M.shape[1],
            self.settings.t_start,
            self.settings.t_end,
            self.initial_derivatives.get(i),
        )

    def _add_derivatives(self, initial: InitialStates, values: Mapping) -> InitialStates:
        """Initial states with their derivatives behind z and m.  `values` are given by name."""
        count, values = len(self.directions.order), self.system.spelt(values)
        S = np.zeros((len(initial.Y), count * initial.Y.shape[1]))
        Sm = np.zeros((len(initial.Y), count * initial.M.shape[1]))
        for i in range(len(initial.Y)):
            if i in initial.failed:
                continue
            numbers = {n: float(x[i]) if np.ndim(x) else float(x) for n, x in values.items()}
            run, keep = self._variational_run(initial, i), self.settings.options.keep
            dy, dm, before = InitialState(run, numbers, keep).differentiate()
            S[i], Sm[i] = dy.T.ravel(), dm.T.ravel()
            self.initial_derivatives[i] = before
        tail = np.tile([*np.zeros(count), NO_EVENT_TIME], (len(initial.Y), 1))
        return initial._replace(Y=np.hstack([initial.Y, S]), M=np.hstack([initial.M, Sm, tail]))

"""Runs of one system in SIMD lanes, events and memory included: records, the queue, what came out.

Each lane takes runs of a queue from start to end; numbers of a run depend on no other run.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..compiler import lanes as width_of_lanes
from ..errors import ArgumentError
from ..integrate import (
    BUDGET,
    FULL,
    METHODS,
    Method,
    first_steps,
    longest_step,
    members,
    members_seen,
)
from ..quantities import MotionKernels, declared_signals, motion_kernels
from ..results import Runs
from ..solve import arguments
from .ceilings import caps, refuse_rows, refuse_steps
from .choice import smooth, stiff, timed
from .guard_kinds import kinds
from .interrupt import Heed, Pace
from .lane_memory import SPARE, LaneMemory, ToldRuns, gathered
from .of_timed import is_timed
from .options import Options
from .starts import Starts, starts

LEAST_QUEUE, MOST_QUEUE = 64, 512  # runs that one native call takes through its lanes
ROWS = 100_000  # of all of them, about
LEAST_CALL, CALL = 200, 100_000  # attempts of a lane in one native call
STIFFS = 256  # runs at a time whose stiffness is asked for
ACCELERATED = frozenset({"accelerations", "moving"})  # groups of signals that need accelerations


class Cohort:
    """Runs of one system under the same options, in SIMD lanes; `runs` may be called often.

    A lane takes a run from its start to its end, events and memory included, then the next; numbers
    of a run depend on no other.  `signals` are those that will be asked for, if that is known.

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    ...                  forces=(ts.JointForce("stop", "x", ts.Limits(-1, 1, restitution=0.5)),))
    >>> runs = Cohort(block.check(), 2.0, ts.Options(output=3)).runs(2, {"x.speed": [1.0, 0.2]})
    >>> runs.at(runs["x.speed"], np.array([2.0]))[:, 0].tolist(), runs.event_time.round(9).tolist()
    ([-0.5, 0.2], [1.0])
    """

    def __init__(self, system: Any, t_end: float, options: Options, signals: Iterable[str] = ()):
        self.system, self.t_end, self.options = system, float(t_end), options.check()
        self.kernels: MotionKernels = motion_kernels(system)
        self.bare, self.more = self.kernels, 0  # those of the motion itself; numbers beside it
        self.t_start = arguments.seconds("t_start", options.t_start)
        span = arguments.spacing(self.t_start, self.t_end, options.step, options.max_step)
        self.span = span
        self.grid, self.every = arguments.rows(options.output, self.t_start, self.t_end)
        told = declared_signals(system)
        asked = {told[n][0] for n in signals if n in told}
        self.accelerations = bool(asked & ACCELERATED) and not len(system.layout.lam)
        self.kinds = kinds(system.layout.guards, options.stop_when)
        wide = 1 + system.nq + system.nv + len(system.layout.z)
        self.most = caps(options, span, wide)
        refuse_rows(len(self.grid), wide, self.most.rows)
        self.width = width_of_lanes()
        self.native = members.serving(self.width)
        self.queue = min(max(ROWS // (len(self.grid) + SPARE), LEAST_QUEUE), MOST_QUEUE)
        self.free: dict[str, list[LaneMemory]] = {}

    def runs(
        self,
        count: int,
        initial: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
        heed: Heed | None = None,
    ) -> Runs:
        """So many runs; every mapping has a number for all of them, or an array of one a run.

        `heed` is asked now and then whether to stop.
        """
        s = starts(
            self.system,
            self.bare,
            count,
            self.t_start,
            self.options.keep,
            initial or {},
            parameters or {},
            inputs or {},
        )
        return self._finished(s, initial or {}, heed or Heed())

    def _finished(self, s: Starts, initial: Mapping[Any, Any], heed: Heed) -> Runs:
        """The runs, from their starts."""
        from .together import finished_runs

        how = self.methods(s)
        return finished_runs(self, s, self.run(s, s, how, heed), how)

    def parts(
        self,
        count: int,
        initial: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
    ) -> Iterator[tuple[slice, Runs]]:
        """The same runs part by part, so many that their rows fit; starts are found together.

        Rows of a part are there until the next one is asked for: it has the same memory.

        >>> import torseur as ts
        >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
        ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
        >>> cohort = Cohort(block.check(), 2.0, ts.Options(output=3))
        >>> [(own.stop, runs["x.speed"].max().item()) for own, runs in
        ...  cohort.parts(600, {"x.speed": np.arange(600.0)})]
        [(304, 303.0), (600, 599.0)]
        """
        from .together import finished_runs

        given = (initial or {}, parameters or {}, inputs or {})
        s = starts(self.system, self.bare, count, self.t_start, self.options.keep, *given)
        how = self.methods(s)
        size = -(-count // -(-count // self.queue))  # equal parts,
        size = -(-size // self.width) * self.width  # in which no lane is idle
        for first in range(0, count, size):
            own = slice(first, min(first + size, count))
            here = s.part(own)
            lent: list[tuple[str, LaneMemory]] = []
            try:
                told = self.run(here, here, how[own], Heed(), lent)
                yield own, finished_runs(self, here, told, how[own])
            finally:
                for name, lanes in lent:
                    self.free.setdefault(name, []).append(lanes)

    @staticmethod
    def suits(system, options: Options, t_end) -> bool:
        """Whether runs can be made in lanes: no long trees, no many contacts, no leading speeds."""
        if any(is_timed(x) for x in (options.inputs or {}).values()):
            return False
        if options.max_seconds is not None:  # a clock of each run's own
            return False
        led = options.solution != "multipliers" and bool(system.held)
        known = options.method == "auto" or options.method in METHODS
        kernels = motion_kernels(system)
        looped = kernels.looped or kernels.many_contacts
        return bool(system.nq and t_end > options.t_start and known and not led and not looped)

    def methods(self, s: Starts) -> np.ndarray:
        """The name of the method of every run."""
        o = self.options
        if o.method != "auto":
            return np.full(len(s.Y), o.method, dtype=object)
        out = np.full(len(s.Y), smooth(self.system.layout.guards, o.rtol)[0], dtype=object)
        for first in range(0, len(s.Y), STIFFS):
            own = slice(first, first + STIFFS)

            def flow(rows, Y, first=first):
                return self._rates(s, first + rows, np.full(len(Y), self.t_start), Y)

            with np.errstate(all="ignore"):
                out[own][stiff(flow, s.Y[own], self.span)] = "rodas5p"
        return out

    def _rates(self, s: Starts, runs, t, Y) -> np.ndarray:
        """Rates of states of some runs, one row each."""
        nq, end = self.system.nq, self.system.nq + self.system.nv
        own = s.M[runs], s.U[runs], s.P[runs]
        parts = self.bare["flow"](t, Y[:, :nq], Y[:, nq:end], Y[:, end:], *own)
        return np.concatenate([np.reshape(x, (len(Y), -1)) for x in parts[:3]], axis=1)

    def run(
        self,
        s: Starts,
        wide: Starts,
        how: np.ndarray,
        heed: Heed,
        lent: list[tuple[str, LaneMemory]] | None = None,
    ) -> ToldRuns:
        """All runs that can start, to their ends, each by its method.

        `wide` are the starts with whatever runs beside the motion.  With a list `lent`, what is
        told of at most a queue of them lies in the memory that is put there, until it is given
        back: others, in this thread or another, take memory of their own meanwhile.
        """
        good = np.array([i not in s.failed for i in range(len(s.Y))], dtype=bool)
        jobs = []
        for name in dict.fromkeys(how):
            if not METHODS[name].adaptive:
                if self.options.step is None:
                    raise ArgumentError(f"method {name!r} has a fixed step; give step= [s]")
                refuse_steps(self.span, self.options.step, self.most.steps)
            own = np.flatnonzero((how == name) & good)
            jobs += [(name, own[k : k + self.queue]) for k in range(0, len(own), self.queue)]
        found = [self._served(s, wide, heed, name, own, lent) for name, own in jobs]
        return gathered(wide, [own for _, own in jobs], found)

    def _served(self, s: Starts, wide: Starts, heed: Heed, name: str, own, lent) -> ToldRuns:
        waiting = self.free.setdefault(name, [])
        try:
            lanes = waiting.pop()  # at once: threads share what is free
        except IndexError:
            lanes = LaneMemory(self, METHODS[name], wide)
        lanes.begin(wide, own, self._first_steps(s, own, METHODS[name], lanes.record))
        pace = Pace(LEAST_CALL, CALL, LEAST_CALL)
        while True:
            before = clock.perf_counter()
            code = int(self.native(lanes.record.address, pace.steps))
            if code not in (FULL, BUDGET):
                break
            heed.now()
            pace.took(clock.perf_counter() - before)
            if code == FULL:
                lanes.grow()
        found = lanes.told(lent is not None)
        if lent is None:
            waiting.append(lanes)
        else:
            lent.append((name, lanes))
        return found

    def govern(self, record, s: Starts) -> None:
        """Change what governs the steps of all lanes; nothing here."""

    def longest_step(self, s: Starts) -> float:
        """As of single runs, from a few of all."""
        if not timed(self.system):
            return np.inf
        few, parts = members_seen(len(s.Y))

        def flow(t, Y):
            return self._rates(s, np.tile(few, len(Y) // len(few)), t, Y)

        return longest_step(flow, self.t_start, self.t_end, s.Y[few], parts)

    def _first_steps(self, s: Starts, own, method: Method, record) -> np.ndarray:
        if self.options.step is not None:
            return np.full(len(own), float(self.options.step))
        Y, flow = s.Y[own], partial(self._rates, s, own)
        n = Y.shape[1]
        scale = record.atol[:n] + record.rtol * np.maximum(abs(Y), record.floor[:n])
        span = max(self.span, 1e-12)
        return first_steps(flow, self.t_start, Y, scale, method.order, span)

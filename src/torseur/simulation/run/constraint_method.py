"""Solution method of the constraints of a run, its kernels, and the independent speeds.

The null space method and elimination (coordinate partitioning, Wehage and Haug 1982) need speeds
that are independent.  They are chosen at the start.  Native steps watch the conditioning of the
dependent speeds.  When it becomes worse, the run changes the partition and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dynamics import PASSES, WEIGHT, SolutionMethod
from ...dynamics.constraints import reference_solutions
from ...kernels import MotionKernels, motion_kernels
from ...solve import constrained_system
from ...system import System, once

MAX_LISTED_CHANGES = 3  # of the independent speeds, in the text of an outcome


@once()
def kernels_for(system: System, solution: SolutionMethod) -> MotionKernels:
    """Kernels of a system whose constraints are solved by a method.  Cached per system."""
    if solution.solution == "multipliers":
        return motion_kernels(system)
    from ...dynamics import ConstraintSolver

    return MotionKernels(system, ConstraintSolver.of(system, solution))


@once(most=4)
def choose_initial_partition(
    system: System, t: float, q: bytes, parameters: tuple
) -> reference_solutions.SpeedPartition:
    """Independent speeds at the start of a run.  Cached for the next one."""
    return constrained_system(system, dict(parameters)).independent(np.frombuffer(q).copy(), t)


class PartitionPeriod(NamedTuple):
    """A part of a run with one partition of its speeds.  None where the method needs none."""

    t_start: float
    partition: reference_solutions.SpeedPartition | None
    kernels: MotionKernels


class ConstraintMethod:
    """How a run solves its constraints.

    With "null_space" and "elimination" some speeds are independent.  All of a run is the same
    motion, whichever speeds are independent.
    """

    def __init__(
        self, system: System, solution: str, t: float, q: np.ndarray, parameters: dict[str, float]
    ):
        """Choose the independent speeds at a position, if the method needs them."""
        self.system, self.solution = system, solution
        self.is_partitioned = SolutionMethod(solution).led and bool(system.held)
        self.periods: list[PartitionPeriod] = []
        if self.is_partitioned:
            self.constraints = constrained_system(system, parameters)
            key = (t, q.tobytes(), tuple(parameters.items()))
            self._use_partition(t, choose_initial_partition(system, *key))
        else:
            kernels = kernels_for(system, SolutionMethod(solution))
            self.periods.append(PartitionPeriod(t, None, kernels))

    def _use_partition(self, t: float, partition: reference_solutions.SpeedPartition) -> None:
        solution = SolutionMethod(self.solution, partition.dependent)
        self.periods.append(PartitionPeriod(t, partition, kernels_for(self.system, solution)))

    @property
    def is_constrained(self) -> bool:
        """Whether there are constraints to be solved."""
        return bool(self.system.held or self.system.switched)

    @property
    def kernels(self) -> MotionKernels:
        """Kernels of the present partition."""
        return self.periods[-1].kernels

    def update_partition(self, t: float, q: np.ndarray) -> bool:
        """Whether other speeds become independent here: their conditioning is twice as good."""
        before = self.periods[-1].partition
        assert before is not None  # the method is partitioned
        terms = self.constraints.terms(q, np.zeros(self.system.nv), t)
        partition = reference_solutions.better(terms.J, terms.M, before)
        if partition == before:
            return False
        self._use_partition(t, partition)
        return True

    def conditioning(self, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> float:
        """Conditioning of the dependent speeds at a position."""
        layout = self.system.layout
        zeros = (np.zeros(len(x)) for x in (layout.v, layout.z, layout.m))
        return float(self.kernels["leads"](t, q, *zeros, u, p)[0])

    @property
    def solutions(self) -> tuple[tuple[float, SolutionMethod], ...]:
        """Method with its dependent speeds, and the time [s] from which on it was used."""
        return tuple(
            (
                x.t_start,
                SolutionMethod(self.solution)
                if x.partition is None
                else SolutionMethod(self.solution, x.partition.dependent),
            )
            for x in self.periods
        )

    @property
    def independent_speeds(self) -> tuple[tuple[float, tuple[str, ...]], ...]:
        """Names of the independent speeds, and the time [s] from which on they were used."""
        speeds = self.system.speeds
        return tuple(
            (float(x.t_start), tuple(speeds[i] for i in x.partition.independent))
            for x in self.periods
            if x.partition is not None
        )

    def __str__(self) -> str:
        """The method and its independent speeds, for the outcome of a run."""
        if self.solution == "multipliers" or not self.is_constrained:
            return ""
        text = f", constraints by {self.solution}"
        if not self.is_partitioned:
            return text
        (_, first), *later = self.independent_speeds
        text += f", independent speeds: {', '.join(first) or 'none'}"
        for t, names in later[:MAX_LISTED_CHANGES]:
            text += f"; from {t:.4g} s {', '.join(names) or 'none'}"
        more = len(later) - MAX_LISTED_CHANGES
        return text + (f"; and {more} more changes" if more > 0 else "")

    @property
    def provenance(self) -> dict[str, Any]:
        """Entries of the provenance of a result."""
        if not self.is_constrained:
            return {}
        entries: dict[str, Any] = {"solution": self.solution}
        if self.is_partitioned:
            entries["independent"] = self.independent_speeds
        if self.solution == "penalty":
            entries |= {"penalty": WEIGHT, "passes": PASSES}
        return entries


class PiecewiseKernels:
    """Kernels of a run whose partition changed: each time point by those of its period."""

    def __init__(self, periods: Sequence[tuple[float, MotionKernels]]):
        self.starts, self.kernels = zip(*periods, strict=True)

    def __getitem__(self, name: str):
        """A function with the outputs of a kernel at all time points."""

        def call(t, *rest):
            """Outputs of a kernel at all time points, period by period."""
            period = np.maximum(np.searchsorted(self.starts, t, side="right") - 1, 0)
            out: list[np.ndarray] = []
            is_single = False
            for i in np.unique(period):
                rows = period == i
                parts = self.kernels[i][name](t[rows], *(x[rows] for x in rest))
                is_single = isinstance(parts, np.ndarray)
                parts = (parts,) if is_single else parts
                out = out or [np.empty((len(t), *np.shape(x)[1:])) for x in parts]
                for target, part in zip(out, parts, strict=True):
                    target[rows] = part
            return out[0] if is_single else tuple(out)

        return call

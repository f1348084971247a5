"""Which of the four solutions a run takes, its kernels, and the independent speeds that lead it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics import PASSES, WEIGHT, SolutionWay
from ...dynamics.constraints import reference_solutions
from ...kernels import MotionKernels, motion_kernels
from ...solve import constrained_system
from ...system import once

TOLD = 3  # changes of them that an outcome tells


@once()
def kernels_of(system, way: SolutionWay) -> MotionKernels:
    """Kernels of a system with its constraints solved in a way; made once."""
    if way.solution == "multipliers":
        return motion_kernels(system)
    from ...dynamics import ConstraintSolver

    return MotionKernels(system, ConstraintSolver.of(system, way))


@once(most=4)
def first_choice(system, t, q: bytes, parameters: tuple) -> reference_solutions.SpeedPartition:
    """Speeds that lead at the start of a run; remembered for the next one."""
    return constrained_system(system, dict(parameters)).independent(np.frombuffer(q).copy(), t)


class Leading:
    """How a run solves its constraints.

    With "null_space" and "elimination" some speeds lead and the others follow.  They are chosen at
    the start; native steps look how firmly the others follow, and ask here when it is less than it
    was.  When others would be better, the run goes on with kernels of those.  All of a run is the
    same motion, whichever speeds lead.
    """

    def __init__(self, system, solution: str, t, q, parameters):
        self.system, self.solution = system, solution
        self.active = SolutionWay(solution).led and bool(system.held)
        self.pieces: list[
            tuple[float, reference_solutions.SpeedPartition | None, MotionKernels]
        ] = []
        if self.active:
            self.held = constrained_system(system, parameters)
            self._take(t, first_choice(system, t, q.tobytes(), tuple(parameters.items())))
        else:
            self.pieces.append((t, None, kernels_of(system, SolutionWay(solution))))

    def _take(self, t, choice):
        way = SolutionWay(self.solution, choice.dependent)
        self.pieces.append((t, choice, kernels_of(self.system, way)))

    @property
    def constrained(self) -> bool:
        """Whether there are constraints to be solved."""
        return bool(self.system.held or self.system.switched)

    @property
    def kernels(self) -> MotionKernels:
        """Those in use."""
        return self.pieces[-1][2]

    def look(self, t, q) -> bool:
        """Whether other speeds are to lead from here on: these have become half as good."""
        before = self.pieces[-1][1]
        assert before is not None  # some speeds lead: the solution is `active`
        here = self.held.terms(q, np.zeros(self.system.nv), t)
        choice = reference_solutions.better(here.J, here.M, before)
        if choice == before:
            return False
        self._take(t, choice)
        return True

    def firm(self, t, q, u, p) -> float:
        """How firmly the others follow at a position."""
        at = self.system.layout
        none = (np.zeros(len(x)) for x in (at.v, at.z, at.m))
        return float(self.kernels["leads"](t, q, *none, u, p)[0])

    @property
    def ways(self) -> tuple[tuple[float, SolutionWay], ...]:
        """How the constraints were solved, from when on."""
        return tuple(
            (
                t,
                SolutionWay(self.solution)
                if c is None
                else SolutionWay(self.solution, c.dependent),
            )
            for t, c, _ in self.pieces
        )

    @property
    def choices(self) -> tuple[tuple[float, tuple[str, ...]], ...]:
        """When which speeds began to lead."""
        speeds = self.system.speeds
        return tuple(
            (float(t), tuple(speeds[i] for i in c.independent))
            for t, c, _ in self.pieces
            if c is not None
        )

    def __str__(self):
        if self.solution == "multipliers" or not self.constrained:
            return ""
        text = f", constraints by {self.solution}"
        if not self.active:
            return text
        (_, first), *later = self.choices
        text += f", independent speeds: {_names(first)}"
        for t, names in later[:TOLD]:
            text += f"; from {t:.4g} s {_names(names)}"
        more = len(later) - TOLD
        return text + (f"; and {more} more changes" if more > 0 else "")

    @property
    def provenance(self) -> dict:
        """What a result keeps of it."""
        if not self.constrained:
            return {}
        found: dict[str, Any] = {"solution": self.solution}
        if self.active:
            found["independent"] = self.choices
        if self.solution == "penalty":
            found |= {"penalty": WEIGHT, "passes": PASSES}
        return found


class PiecewiseKernels:
    """Kernels whose rows of different times are computed by different ones."""

    def __init__(self, pieces):
        self.starts, self.kernels = zip(*pieces, strict=True)

    def __getitem__(self, name):
        def call(t, *rest):
            which = np.maximum(np.searchsorted(self.starts, t, side="right") - 1, 0)
            out: list[np.ndarray] = []
            alone = False
            for i in np.unique(which):
                here = which == i
                parts = self.kernels[i][name](t[here], *(x[here] for x in rest))
                alone = isinstance(parts, np.ndarray)
                parts = (parts,) if alone else parts
                out = out or [np.empty((len(t), *np.shape(x)[1:])) for x in parts]
                for whole, part in zip(out, parts, strict=True):
                    whole[here] = part
            return out[0] if alone else tuple(out)

        return call


def _names(names) -> str:
    return ", ".join(names) or "none"

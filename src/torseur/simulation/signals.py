"""Signals of a run: accelerations and multipliers by the kernels that it was made with."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..quantities import Signals, StateRows, bounds
from .solution import PiecewiseKernels, kernels_of


class RunSignals(Signals):
    """Signals from the rows of a run; `ways` say how its constraints were solved, from when on."""

    kept = (*Signals.kept, "ways")

    def __init__(self, system, ways, rows: StateRows, p, jumps=(), least_norm=False, firsts=(0,)):
        super().__init__(system, rows, p, jumps, least_norm, firsts)
        self.ways = tuple(ways)

    @cached_property
    def kernels(self):
        """Those of the run; each row by the ones that made it."""
        made = [(t, kernels_of(self.system, way)) for t, way in self.ways]
        return made[0][1] if len(made) == 1 else PiecewiseKernels(made)

    @cached_property
    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest of every coordinate and speed over the rows."""
        return bounds(np.ascontiguousarray(np.hstack(self.rows[1:3]).T))

    @cached_property
    def solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (rows, nv) and multipliers (rows, nc)."""
        rows, n = self.rows, len(self.rows.t)
        p = np.broadcast_to(self.outputs.p, (n, self.outputs.p.shape[-1]))
        with np.errstate(all="ignore"):  # pieces abreast also compute what is not taken
            _, a, _, *lam = self.kernels["flow"](*rows, p)
        return a, lam[0] if lam else np.zeros((n, 0))

"""Several objectives at once: points of a box that none beats in all of them, by pymoo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TorseurError, needs
from ..model import Model

if TYPE_CHECKING:
    import pandas

    from .optima import Seeking

BAD = 1e30  # in place of what a member that failed has not


@dataclass(frozen=True)
class Front:
    """A Pareto front: `table` has a row a point, none of which is beaten in every objective."""

    table: pandas.DataFrame
    objectives: tuple[str, ...]
    model_of: Callable[[int], Model] = field(repr=False)
    evaluations: int = 0

    def __len__(self) -> int:
        return len(self.table)

    def plot(self):
        """Objectives against each other; a Matplotlib figure."""
        with needs("plot", "a figure"):
            from matplotlib.figure import Figure

        first, *others = self.objectives
        fig = Figure(figsize=(5.0, 3.4 * len(others)), layout="constrained")
        for ax, name in zip(np.ravel(fig.subplots(len(others), 1, squeeze=False)), others,
                            strict=True):  # fmt: skip
            ax.plot(self.table[first], self.table[name], ".")
            ax.set_xlabel(first)
            ax.set_ylabel(name)
        return fig


def front(problem: Seeking, generations: int, population: int, seed: int) -> Front:
    """Points that nothing beats in every objective, by NSGA-II; generations run in lanes."""
    with needs("optimize", "a Pareto front"):
        import pandas
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem as Moo
        from pymoo.optimize import minimize

    names, bounds = problem.objectives, problem.bounds

    class Members(Moo):
        def __init__(self):
            n = len(problem.box)
            super().__init__(n_var=n, n_obj=len(names), n_ieq_constr=len(bounds), xl=0.0, xu=1.0)

        def _evaluate(self, U, out, *args, **kwargs):
            found = {k: np.nan_to_num(y, nan=BAD) for k, y in problem.at(U).items()}
            out["F"] = np.stack([problem.signs[k] * found[k] for k in names], axis=1)
            if bounds:
                out["G"] = np.stack([s * (b - found[k]) for k, s, b in bounds], axis=1)

    found = minimize(Members(), NSGA2(pop_size=population), ("n_gen", generations), seed=seed)
    if found.X is None:
        raise TorseurError("optimize: no member meets every bound of subject_to; widen the box")
    U = np.atleast_2d(found.X)
    X = problem.low + U * (problem.high - problem.low)
    kept = problem.at(U)
    evaluations = sum(len(x) for x, _ in problem.tried)
    table = pandas.DataFrame({**dict(zip(problem.box, X.T, strict=True)), **kept})
    table = table.sort_values(names[0], ignore_index=True)

    def model_of(row: int) -> Model:
        return problem.written({n: float(table[n][row]) for n in problem.box})

    return Front(table, names, model_of, evaluations)

"""Evaluation by columns: formulas over arrays with one number for each time point of a run."""

from __future__ import annotations

import numpy as np

from ..quantities import SymbolicSystem, find
from ..scalars import Columns, evaluate
from ..system import System, once
from . import thresholds
from .tracing import evaluate_formula, flatten_numbers


class ColumnEvaluator:
    """Quantities of a system at all time points of a run at once.  Nothing is compiled."""

    def __init__(self, scene: SymbolicSystem):
        self.scene = scene

    def __call__(self, name: str, *arrays: np.ndarray) -> np.ndarray:
        """Numbers of all outputs, (numbers, time points), for arrays of one state a row."""
        quantity = find(name)

        def formula(*columns):
            return flatten_numbers(list(evaluate_formula(quantity, self.scene, columns)))

        columns = (x[:, None] if np.ndim(x) == 1 else x for x in arrays)
        return evaluate(self.scene.K, formula, *columns)


@once(most=16)
def column_evaluator(system: System, values: tuple) -> ColumnEvaluator:
    """The evaluator of a system at some values of its parameters."""
    return ColumnEvaluator(SymbolicSystem(system, Columns(dict(values))))


def evaluate_parameter_rows(
    system: System, p: np.ndarray, name: str, *arrays: np.ndarray
) -> np.ndarray:
    """A quantity by columns, (numbers, time points), each time point with parameters of its own."""
    parts = []
    for first in range(0, max(len(p), 1), thresholds.MAX_COLUMN_ROWS):
        rows = slice(first, first + thresholds.MAX_COLUMN_ROWS)
        K = Columns({})
        K.parameters.update(zip(system.parameters, K.take(p[rows]), strict=True))
        parts.append(ColumnEvaluator(SymbolicSystem(system, K))(name, *(x[rows] for x in arrays)))
    return np.concatenate(parts, axis=1)

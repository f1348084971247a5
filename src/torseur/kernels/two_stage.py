"""Kernels in two stages: numbers that all columns of a matrix share, then one program a column.

Derivatives of accelerations are `-M^-1` of those of the efforts: the factors of M are shared, and
every column takes the same substitutions (FD.4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..quantities import Quantity, SymbolicSystem, factorized_derivatives
from ..scalars import vector
from .tracing import trace_outputs


class TwoStageFormula(NamedTuple):
    """Formulas of the two matrices and the shared numbers, of one column, and of their count."""

    first: Callable[..., tuple]
    column: Callable[..., Any]
    count: Callable[[SymbolicSystem], int]


def _shared_derivatives(s: SymbolicSystem, q, v, tau) -> tuple:
    """Derivatives of the efforts by q and v, and the factors of M as one array."""
    dq, dv, factors = factorized_derivatives(s, q, v, tau)
    return dq, dv, factors.numbers()


def _count_factors(s: SymbolicSystem) -> int:
    from ..dynamics import forward_dynamics

    return forward_dynamics.Factors.size(forward_dynamics.speed_parents(s.reduced))


def _solve_column(s: SymbolicSystem, factors, tau):
    """Accelerations that a column of efforts takes away: FD.4."""
    from ..dynamics import forward_dynamics

    parents = forward_dynamics.speed_parents(s.reduced)
    return -forward_dynamics.Factors.of(factors, parents).solve(tau)


TWO_STAGE_FORMULAS = {
    "forward_dynamics_derivatives": TwoStageFormula(
        _shared_derivatives, _solve_column, _count_factors
    )
}


def trace_first_stage(quantity: Quantity, scene: SymbolicSystem, ports: Sequence[str]) -> Any:
    """The `casadi.Function` of the numbers that all columns share."""
    K = scene.K
    first = replace(quantity, formula=TWO_STAGE_FORMULAS[quantity.name].first)
    values = trace_outputs(first, scene)
    return K.lib.Function(
        quantity.name,
        [K.sx(scene[x]) for x in ports],
        [K.lib.densify(x) for x in values],
        list(ports),
        [*quantity.outputs[: len(values) - 1], "shared"],
    )


def trace_column(quantity: Quantity, scene: SymbolicSystem) -> Any:
    """The `casadi.Function` of one column."""
    K, formula = scene.K, TWO_STAGE_FORMULAS[quantity.name]
    shared = K.symbols([f"s{i}" for i in range(formula.count(scene))])
    x = K.symbols([f"x{i}" for i in range(scene.system.nv)])
    y = K.sx(vector(formula.column(scene, shared, x)))
    return K.lib.Function("column", [K.sx(shared), K.sx(x)], [y], ["shared", "x"], ["y"])

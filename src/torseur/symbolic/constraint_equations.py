"""Constraint equations beside those of the tree: residuals, Jacobian, accelerations."""

from __future__ import annotations

from typing import NamedTuple

from ..dynamics import constraint_rows
from ..errors import NotInRing, said
from .expression import ExactExpression, ExpressionTable


class Constraints(NamedTuple):
    """`tau = A a + h - J' lambda` with `J v = nu`, `J a = gamma`, one multiplier for each row.

    `residuals` are those of positions. Rows of speeds have none. `nu` is zero unless a row depends
    on time. Roots of squares are written without roots (EQ.11): the rows hold where `positive` are
    positive.
    """

    names: tuple[str, ...]
    residuals: ExpressionTable
    jacobian: ExpressionTable  # (rows, nv)
    gamma: ExpressionTable
    nu: ExpressionTable
    positive: tuple[ExactExpression, ...] = ()  # what stood under roots, squared, and is taken so


def has_constraints(system) -> bool:
    return bool(system.held)


def constraints(eq) -> Constraints | None:
    """Exact constraint rows of a system, None for a tree."""
    if not has_constraints(eq.system):
        return None
    S = eq.reading.symbols
    try:
        r = constraint_rows(S.tree, eq.system, S.K["t"], S.q, S.v)
    except (NotInRing, TypeError) as e:
        raise NotInRing(
            f"the constraints of {eq.system.name!r} are not polynomials of sines and "
            f"cosines: {said(e)}; their kernels exist, their equations do not"
        ) from None

    def express(x):
        return ExactExpression(eq.reading, x)

    return Constraints(
        r.names,
        ExpressionTable((len(r.phi),), lambda i: express(r.phi[i])),
        ExpressionTable(r.J.shape, lambda i, j: express(r.J[i, j])),
        ExpressionTable((len(r.gamma),), lambda i: express(r.gamma[i])),
        ExpressionTable((len(r.psi),), lambda i: express(r.J[i] @ S.v - r.psi[i])),  # CO.2
        tuple(map(express, S.K.assumed.values())),
    )

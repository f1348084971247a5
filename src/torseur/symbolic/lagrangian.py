"""Energies as expressions: kinetic and potential by body, stored in force elements, L = T - U.

Equations LA.1, LA.2, LA.8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dynamics import Moment
from ..errors import NotInRing, said
from ..formalisms import lagrange
from ..kinematics import velocities
from ..scalars import vector
from ..spatial import HALF
from . import generalized_forces as loads

if TYPE_CHECKING:
    from .equations import Equations
    from .expression import ExactExpression


def include_forces(eq: Equations) -> Equations:
    """The same equations over a ring that has the parameters of the force elements."""
    if eq.made[1]["forces"] or not eq.system.elements:
        return eq
    system, _, since = eq.made
    out = eq._derive(system, forces=True)
    for substitution in since:
        out = out.substitute(substitution)
    return out


def stored_energies(eq: Equations) -> dict[str, Any]:
    """Energy stored in each force element [J] as ring elements, without zeros."""
    S = eq.reading.symbols
    inputs = [S.K[n] for n in loads.input_names(eq.system)] if eq.system.elements else [0]
    state = Moment(inputs[0], S.q, S.v, vector(()), vector(()), vector(inputs[1:]))
    velocities_of_links, out, problems = velocities(S.tree, S.q, S.v), {}, []
    for e in eq.system.elements:
        try:
            if e.states or e.memory or (e.law is not None and e.law.conserves):
                raise NotInRing("what it stores has no formula of the coordinates")
            energy = e.act(S.K, velocities_of_links, state).potential
        except (NotInRing, TypeError, AttributeError) as why:
            problems.append(f"{e.name!r} ({said(why)})")
            continue
        if not (isinstance(energy, int | float) and energy == 0):
            out[e.name] = energy
    if problems:
        raise NotInRing(
            f"the energy of {eq.system.name!r} is no polynomial of sines and cosines because of "
            f"{'; '.join(problems)}; take dyn.energy for numbers, or the equations of the "
            "model without them for bodies and gravity alone"
        )
    return out


def energies_by_body(eq: Equations) -> dict[str, tuple[ExactExpression, ExactExpression]]:
    """Kinetic and potential energy [J] of each body, then of each force element that stores."""
    eq = include_forces(eq)
    S, express = eq.reading.symbols, eq._express
    out = {
        k.body: (express(T * HALF), express(U))
        for k, (T, U) in zip(S.tree.links, lagrange.energies_by_link(S.tree, S.q, S.v), strict=True)
    }
    return out | {name: (express(0), express(U)) for name, U in stored_energies(eq).items()}


def total_energies(eq: Equations) -> tuple[ExactExpression, ExactExpression]:
    """Kinetic and potential energy [J], of gravity and of every force element that stores."""
    eq = include_forces(eq)
    S = eq.reading.symbols
    kinetic, potential = lagrange.energies(S.tree, S.q, S.v)
    return eq._express(kinetic), eq._express(sum(stored_energies(eq).values(), start=potential))


def form_lagrangian(eq: Equations) -> ExactExpression:
    """`L = T - U` [J], U of gravity and of every force element that stores energy."""
    T, U = total_energies(eq)
    return T - U  # LA.8

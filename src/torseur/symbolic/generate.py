"""From a system to its equations: the ring opened, the formalism run in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import NotInRing, system_of
from ..formalisms import FORMALISMS
from .equations import Equations
from .print.normal_form import Reading
from .ring import asks, open_ring

if TYPE_CHECKING:
    from ..model import Model
    from ..system import System


def equations(
    system: Model | System,
    formalism: str = "newton_euler",
    eliminate: str = "sin",
    forces: bool = False,
    constants: str = "auto",
) -> Equations:
    """Equations of motion of a `System` or a `Model` by one of the formalisms.

    Parameters
    ----------
    system : a checked system, or a model, which is checked first
    formalism : newton_euler, lagrange, virtual_power, gibbs_appell, lie_group, uicker or
        global_inertia; they agree exactly
    eliminate : "sin" or "cos", whose squares the normal form replaces
    constants : "named" keeps cos(0.3) as a symbol, "rational" takes a rational number within 1e-15
        of it such that rotations stay exactly orthogonal, "auto" does so when there are many
    forces : whether `tau` leaves out what the model's force elements give; those that are not
        polynomials appear by name

    >>> from torseur.joints import Revolute
    >>> from torseur.model import Body, Joint, Model
    >>> arm = Model("pendulum", gravity=(0, 0, "-g"),
    ...             bodies=[Body("rod", mass="m", com=(0, 0, "-L/2"))],
    ...             joints=[Joint("pivot", "world", "rod", Revolute("y"))])
    >>> print(equations(arm).tau[0])
    1/4 m L^2 d2q1 + 1/2 L g m s1
    """
    checked: System = system_of(system, "equations")
    checked.alone("equations")
    method = FORMALISMS.element(formalism, "equations")
    S, acting = _open(
        checked, forces, eliminate=eliminate, constants=constants, divide="derive" in method.needs
    )
    for need in sorted(method.needs):
        S.K.need(need, formalism)
    tau = method(S.tree, S.q, S.v, S.a)
    for element in acting:
        for i, Q in element.forces.items():
            tau[i] = tau[i] - (S.K[Q] if element.named else Q)
    made = (
        checked,
        {"formalism": formalism, "eliminate": eliminate, "forces": forces, "constants": constants},
        (),
    )
    return Equations(
        checked, formalism, Reading(checked, S), tuple(tau), acting=tuple(acting), made=made
    )


def remade(system, options, since) -> Equations:
    """Generate equations again from the arguments stored in a pickle."""
    eq = equations(system, **options)
    for given in since:
        eq = eq.substitute(given)
    return eq


def _open(system, forces, **options):
    """The ring of a system, with its force elements over it."""
    if not forces:
        from .constraint_equations import has_constraints

        time = ("t",) if has_constraints(system) else ()
        return open_ring(system, extra=time, **options), []
    from . import generalized_forces as loads

    given, numbers, names = loads.inputs(system), tuple(loads.numbers(system)), ()
    asked: dict = {}
    while True:
        S = open_ring(system, asked, numbers=numbers, extra=(*given, *names), **options)
        failed: list = []
        acting = loads.applied(system, S.tree, S.q, S.v, [S.K[n] for n in given], failed)
        unwritten = tuple(n for e in acting if e.named for n in e.forces.values())
        wanted = dict.fromkeys(asks(S, e) for e in failed if isinstance(e, NotInRing))
        wanted = {x: None for x in wanted if x is not None and x not in asked}
        if unwritten == names and not wanted:
            return S, acting
        names, asked = unwritten, asked | wanted

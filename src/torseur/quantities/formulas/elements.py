"""What force elements do in a motion, and its energies."""

from __future__ import annotations

from ..register import quantity
from .motion import STATE, moment


@quantity(STATE, "kinetic potential")
def energies(s, *now):
    """Kinetic and potential energy, that of elements too [J]."""
    return tuple(s.motion.energies(moment(*now)))


@quantity(STATE, "each")
def elements(s, *now):
    """Force, deflection, rate, stored energy, power lost, power supplied, mode of each.

    Then what its law shows besides.
    """
    out = []
    for e, x in zip(s.motion.elements, s.motion.loads(moment(*now)).acting, strict=True):
        mode = e.law.mode(s.K, x.seen) if e.law is not None else 0
        out += [x.force, x.deflection, x.seen.rate, x.potential, x.dissipation, x.supply, mode]
        out += [] if e.law is None else list(e.law.extra(s.K, x.seen))
    return out


@quantity(STATE, "tau")
def efforts(s, *now):
    """Of all elements that act on coordinates, one a speed."""
    return s.motion.loads(moment(*now)).tau


@quantity(STATE, "Q")
def applied_each(s, *now):
    """Generalized forces of each element, one after the other."""
    return list(s.motion.applied_each(moment(*now)))


@quantity(STATE, "kinetic potential torn force")
def audit(s, *now):
    """What closes the books: energies, what tore in all [J], the force of each element [N, N m]."""
    at = moment(*now)
    loads = s.motion.loads(at)
    each = zip(s.motion.elements, loads.acting, strict=True)
    gone = sum((e.law.torn(s.K, x.seen) for e, x in each if e.law is not None), 0)
    kinetic, potential = s.motion.energies(at, loads)
    return [kinetic], [potential], [gone], [x.force for x in loads.acting]


@quantity(STATE, "x rate force")
def sighted(s, *now):
    """What laws see first: deflection and rate of each element, and its force."""
    acting = s.motion.loads(moment(*now)).acting
    return [x.seen.x for x in acting], [x.seen.rate for x in acting], [x.force for x in acting]


@quantity(STATE, "energy")
def torn(s, *now):
    """Energy that events have taken from each element so far [J]."""
    each = zip(s.motion.elements, s.motion.loads(moment(*now)).acting, strict=True)
    return [0 if e.law is None else e.law.torn(s.K, x.seen) for e, x in each]

"""Quantities of a simulation: flow, guards, jump, projection, derivatives of the flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...scalars import vector
from ..register import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ..symbolic_system import SymbolicSystem

STATE = "t q v z m u"


def moment(
    t: Sequence[Any] | np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    z: np.ndarray,
    m: np.ndarray,
    u: np.ndarray,
):
    from ...dynamics import Moment

    return Moment(t[0], q, v, z, m, u)


@quantity(STATE, "qdot vdot zdot lam")
def flow(s: SymbolicSystem, *state: np.ndarray):
    """Rates of the whole state, and multipliers where there are constraints."""
    f = s.motion.flow(moment(*state))
    rates = (f.qdot, f.vdot, f.zdot)
    return rates if s.motion.constraints is None else (*rates, f.lam)


@quantity(STATE, "q1 v1")
def project(s: SymbolicSystem, *state: np.ndarray):
    """The state projected onto its constraints."""
    return tuple(s.motion.projected(moment(*state)))


@quantity(STATE, "firm")
def leads(s: SymbolicSystem, *state: np.ndarray):
    """Conditioning of the dependent speeds, for reduced solutions."""
    solver: Any = s.motion.constraints
    return (vector((solver.firmness(s.motion.tree, moment(*state)),)),)


def state_rates(s: SymbolicSystem, state):
    f = s.motion.flow(moment(*state))
    return s.K.lib.vertcat(*map(s.K.sx, (f.qdot, f.vdot, f.zdot)))


@quantity(STATE, "J ft", shapes={"J": ("n", "n")})
def flow_jacobian(
    s: SymbolicSystem,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    z: np.ndarray,
    m: np.ndarray,
    u: np.ndarray,
):
    """Derivatives of the rates by the state and by time."""
    K, rates = s.K, state_rates(s, (t, q, v, z, m, u))
    state = K.lib.vertcat(*(K.sx(x) for x in (q, v, z)))
    return K.lib.jacobian(rates, state), K.lib.jacobian(rates, K.sx(t))


@quantity(STATE, "Ju")
def flow_gains(s: SymbolicSystem, *state: np.ndarray):
    """Derivatives of the rates by the inputs."""
    return s.K.lib.jacobian(state_rates(s, state), s.K.sx(state[-1]))


@quantity(STATE, "g")
def guards(s: SymbolicSystem, *state: np.ndarray):
    """Event functions: an event occurs when one falls to zero."""
    return s.motion.guards(moment(*state)._replace(solved=s.solved))


@quantity(f"{STATE} k d", "v1 z1 m1")
def jump(s: SymbolicSystem, *arguments: np.ndarray):
    """State and history variables after the event of guard k.  d are gathered table rows."""
    *state, k, d = arguments
    return tuple(s.motion.jump(moment(*state)._replace(d=d), k[0]))


@quantity(STATE, "Q")
def applied(s: SymbolicSystem, *state: np.ndarray):
    """Generalized forces of all elements, one a speed."""
    return s.motion.applied(moment(*state))


# --------------------------------------------------------------------------------------------
# What force elements do in a motion, and its energies.


@quantity(STATE, "kinetic potential")
def energies(s: SymbolicSystem, *state: np.ndarray):
    """Kinetic and potential energy, that of elements too [J]."""
    return tuple(s.motion.energies(moment(*state)))


@quantity(STATE, "each")
def elements(s: SymbolicSystem, *state: np.ndarray):
    """Force, deflection, rate, stored energy, power lost, power supplied, mode of each.

    Then what its law shows besides.
    """
    out = []
    for e, x in zip(s.motion.elements, s.motion.loads(moment(*state)).acting, strict=True):
        mode = e.law.mode(s.K, x.seen) if e.law is not None else 0
        out += [x.force, x.deflection, x.seen.rate, x.potential, x.dissipation, x.supply, mode]
        out += [] if e.law is None else list(e.law.extra(s.K, x.seen))
    return out


@quantity(STATE, "tau")
def efforts(s: SymbolicSystem, *state: np.ndarray):
    """Of all elements that act on coordinates, one a speed."""
    return s.motion.loads(moment(*state)).tau


@quantity(STATE, "Q")
def applied_each(s: SymbolicSystem, *state: np.ndarray):
    """Generalized forces of each element, one after the other."""
    return list(s.motion.applied_each(moment(*state)))


@quantity(STATE, "kinetic potential torn force")
def audit(s: SymbolicSystem, *state: np.ndarray):
    """Energies, energy of rupture [J], and the force of each element [N, N m], for the audit."""
    instant = moment(*state)
    loads = s.motion.loads(instant)
    each = zip(s.motion.elements, loads.acting, strict=True)
    ruptured = sum((e.law.torn(s.K, x.seen) for e, x in each if e.law is not None), 0)
    kinetic, potential = s.motion.energies(instant, loads)
    return [kinetic], [potential], [ruptured], [x.force for x in loads.acting]


@quantity(STATE, "x rate force")
def sighted(s: SymbolicSystem, *state: np.ndarray):
    """Deflection and rate of each element, and its force, for initial states of laws."""
    acting = s.motion.loads(moment(*state)).acting
    return [x.seen.x for x in acting], [x.seen.rate for x in acting], [x.force for x in acting]


@quantity(STATE, "energy")
def torn(s: SymbolicSystem, *state: np.ndarray):
    """Energy that events have taken from each element so far [J]."""
    each = zip(s.motion.elements, s.motion.loads(moment(*state)).acting, strict=True)
    return [0 if e.law is None else e.law.torn(s.K, x.seen) for e, x in each]


# --------------------------------------------------------------------------------------------
# Efforts that a motion asks for beyond the elements that act.


RESTING_SPEED = 1e-11  # rate [m/s, rad/s] of what is at rest, along a motion that is given


@quantity("t q v", "lam")
def sliding_multipliers(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """Multiplier of every dry friction of given size while it slides."""
    K, first, out = s.K, len(s.system.held), []
    for i, e in enumerate(s.system.switched, first):
        size = K.number(e.friction.sliding) * K.number(e.friction.radius)
        rate = s.rows.psi[s.rows.owners.index(i)]
        still = K.less(rate * rate, RESTING_SPEED * RESTING_SPEED)  # rounding has a sign as well
        out.append(-(size * K.call("sign", K.select(still, 0.0, rate))))  # DF.1
    return out


@quantity("t q v", "Q")
def sliding_forces(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """Generalized force of every dry friction of given size while it slides."""
    first = len(s.system.held)
    return [
        s.rows.J[s.rows.owners.index(i)] * lam
        for i, lam in enumerate(sliding_multipliers(s, t, q, v), first)
    ]


@quantity("t q v z m u a", "tau")
def needed_efforts(
    s: SymbolicSystem,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    z: np.ndarray,
    m: np.ndarray,
    u: np.ndarray,
    a: np.ndarray,
):
    """Efforts of the motion less those of elements that act and of frictions that slide."""
    from ...formalisms import newton_euler

    tau = newton_euler.inverse_dynamics(s.tree, q, v, a)
    for i, Q in enumerate(s.motion.applied_each(moment(t, q, v, z, m, u))):
        if i not in s.skipped:
            tau = tau - Q
    return sum((-Q for Q in sliding_forces(s, t, q, v)), start=vector(tau))

"""The pure kernels of a simulation: flow, guards, jump, projection, derivatives of the flow."""

from __future__ import annotations

from ...numbers import vector
from ..register import quantity

STATE = "t q v z m u"


def moment(t, q, v, z, m, u):
    from ...dynamics import Moment

    return Moment(t[0], q, v, z, m, u)


@quantity(STATE, "qdot vdot zdot lam", lanes=False, called=True)
def flow(s, *now):
    """Rates of the whole state, and multipliers where there are constraints."""
    f = s.motion.flow(moment(*now))
    rates = (f.qdot, f.vdot, f.zdot)
    return rates if s.motion.constraints is None else (*rates, f.lam)


@quantity(STATE, "q1 v1", lanes=False, called=True)
def project(s, *now):
    """The state moved onto its constraints."""
    return tuple(s.motion.projected(moment(*now)))


@quantity(STATE, "firm", lanes=False, rare=True, called=True)
def leads(s, *now):
    """How firmly dependent speeds follow those that lead, where some do."""
    return (vector((s.motion.constraints.firmness(s.motion.tree, moment(*now)),)),)


def _rates(s, now):
    f = s.motion.flow(moment(*now))
    return s.K.lib.vertcat(*map(s.K.sx, (f.qdot, f.vdot, f.zdot)))


@quantity(STATE, "J ft", lanes=False, shapes={"J": ("n", "n")})
def flow_jacobian(s, t, q, v, z, m, u):
    """Derivatives of the rates by the state and by time."""
    K, rates = s.K, _rates(s, (t, q, v, z, m, u))
    state = K.lib.vertcat(*(K.sx(x) for x in (q, v, z)))
    return K.lib.jacobian(rates, state), K.lib.jacobian(rates, K.sx(t))


@quantity(STATE, "Ju", lanes=False)
def flow_gains(s, *now):
    """Derivatives of the rates by the inputs."""
    return s.K.lib.jacobian(_rates(s, now), s.K.sx(now[-1]))


@quantity(STATE, "g", lanes=False)
def guards(s, *now):
    """Numbers whose fall to zero is an event."""
    return s.motion.guards(moment(*now)._replace(solved=s.solved))


@quantity(f"{STATE} k d", "v1 z1 m1", lanes=False, rare=True, called=True)
def jump(s, *given):
    """State and memory after the event of guard k; d are the rows gathered from lists."""
    *now, k, d = given
    return tuple(s.motion.jump(moment(*now)._replace(d=d), k[0]))


@quantity(STATE, "Q")
def applied(s, *now):
    """Generalized forces of all elements, one a speed."""
    return s.motion.applied(moment(*now))

"""Coordinates and speeds: rates, and motions from one position to another."""

from __future__ import annotations

from ..register import quantity


@quantity("q v", "qdot", timed=False)
def rates(s, q, v):
    """`qdot = N(q) v`."""
    from ... import kinematics

    return kinematics.rates(s.tree, q, v)


@quantity("q qdot", "v", timed=False)
def speeds_from(s, q, qdot):
    """`v = W(q) qdot`."""
    from ... import kinematics

    return kinematics.speeds_from(s.tree, q, qdot)


@quantity("q dv", "q1", timed=False)
def integrate(s, q, dv):
    """Coordinates reached from `q` by the motion `dv`."""
    from ... import kinematics

    return kinematics.integrate(s.tree, q, dv)


@quantity("q q1", "dv", timed=False)
def difference(s, q, q1):
    """The motion from `q` to `q1`."""
    from ... import kinematics

    return kinematics.difference(s.tree, q, q1)

"""What MuJoCo compiled of an MJCF file and a `Model` has no place for, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

OFF = (
    "CONSTRAINT",
    "EQUALITY",
    "FRICTIONLOSS",
    "LIMIT",
    "PASSIVE",
    "SPRING",
    "DAMPER",
    "ACTUATION",
)
"""Flags that switch off what is read."""


def unread(mj: Any, m: Any, bodies: Sequence[str], joints: Sequence[str]) -> Iterator[str]:
    """Tendons, contacts, fluids, weight taken off, what joints do beyond straight lines."""
    if m.nkey:
        yield f"{m.nkey} keyframes"
    if m.ntendon:
        yield f"{m.ntendon} tendons"
    for b in np.flatnonzero(m.body_gravcomp):
        yield f"gravcomp of body {bodies[int(b)]!r}"
    kinds = mj.mjtJoint
    for j, name in enumerate(joints):
        at, kind = int(m.jnt_dofadr[j]), m.jnt_type[j]
        wide = {int(kinds.mjJNT_FREE): 6, int(kinds.mjJNT_BALL): 3}.get(int(kind), 1)
        own = slice(at, at + wide)
        if wide > 1 and (m.dof_frictionloss[own].any() or m.jnt_limited[j]):
            yield f"range or frictionloss of joint {name!r}"
        if wide == 6 and m.jnt_stiffness[j]:
            yield f"stiffness of joint {name!r}"
        if any(np.any(x[k]) for x, k in _powers(m, j, own)):
            yield f"powers of stiffness or damping of joint {name!r}"
    if m.opt.density or m.opt.viscosity:
        yield "the fluid (density, viscosity)"
    flags = {n: getattr(mj.mjtDisableBit, f"mjDSBL_{n}", 0) for n in OFF}
    for n in (n for n, bit in flags.items() if m.opt.disableflags & int(bit)):
        yield f"the flag that disables {n.lower()}"
    if not m.opt.disableflags & mj.mjtDisableBit.mjDSBL_CONTACT and _touch(m):
        yield "contacts of geoms"


def _powers(m, j, own) -> Iterator[tuple[np.ndarray, Any]]:
    """Coefficients beyond the first, of versions of MuJoCo that have them."""
    for name, k in (("jnt_stiffnesspoly", j), ("dof_dampingpoly", own)):
        if hasattr(m, name):
            yield getattr(m, name), k


def _touch(m) -> bool:
    """Whether MuJoCo lets two geoms of parts that move apart collide."""
    if m.npair:
        return True
    part = m.body_weldid[m.geom_bodyid]
    above = m.body_weldid[m.body_parentid[part]]
    may = (m.geom_contype[:, None] & m.geom_conaffinity) != 0
    near = (part[:, None] == part) | ((above[:, None] == part) & (part != 0))
    return bool(((may | may.T) & ~(near | near.T)).any())

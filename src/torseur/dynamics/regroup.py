"""Inertial parameters that act only in combination, moved to where they cost nothing.

A part of a body that looks the same from both sides of its joint (about a hinge: mass, first
moment along the axis, equal transverse inertias; on a slider: the whole inertia tensor) may belong
to the parent instead, and at the root it drops out.  Efforts, mass matrix and accelerations are
unchanged; masses of single bodies lose their meaning.  Theory: RG.1 to RG.3.
"""

from __future__ import annotations

from dataclasses import replace

from ..joints import Prismatic, Revolute, Spherical, Universal
from ..scalar import vector
from ..spatial import ZERO3, Inertia
from ..system import Tree


def shared(joint, I: Inertia) -> Inertia | None:
    """The part of an inertia that the joint's motion does not show to the parent."""
    none = vector((0,) * 6)
    if isinstance(joint, Revolute):
        axis = joint.steps()[0].axis
        k = next((k for k in range(3) if axis[k] in (1, -1)), None)
        if k is None:
            return Inertia(I.mass, ZERO3, none)
        i, j = (k + 1) % 3, (k + 2) % 3
        h, J = ZERO3.copy(), none.copy()
        h[k], J[i], J[j] = I.h[k], I.J[j], I.J[j]                                     # RG.1
        return Inertia(I.mass, h, J)
    if isinstance(joint, Prismatic):
        return Inertia(0, ZERO3, I.J)                                                 # RG.2
    if isinstance(joint, Spherical | Universal):
        return Inertia(I.mass, ZERO3, none)                                           # RG.3
    return None


def regrouped(tree: Tree) -> Tree:
    """The same dynamics with fewer inertial parameters."""
    inertias = {k.index: k.inertia for k in tree.links}
    for k in reversed(tree.links):
        I = inertias[k.index]
        D = shared(k.joint, I)
        if D is None:
            continue
        inertias[k.index] = I + Inertia(-D.mass, -D.h, -D.J)
        if k.parent:
            inertias[k.parent] = inertias[k.parent] + D.moved(k.X_PF)
    links = tuple(replace(k, inertia=inertias[k.index]) for k in tree.links)
    return replace(tree, links=links)

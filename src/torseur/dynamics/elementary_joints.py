"""Joints of several degrees of freedom as chains of elementary joints (revolute, prismatic).

Freedoms, coordinates and efforts are the same.  Links between the elementary joints have no mass.
Then the motion subspaces of all such joints are constant in their links.  Equation RF.5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..joints import Prismatic, Revolute
from ..scalars import nominal, vector
from ..spatial import IDENTITY, Inertia
from ..system import Link, Tree

NO_INERTIA = Inertia(0, vector((0,) * 3), vector((0,) * 6))


class Split(NamedTuple):
    """A tree of elementary joints, and the index in it of each link of the original tree."""

    tree: Tree
    last: dict[int, int]


def divisible(joint) -> bool:
    """Whether a joint consists of elementary motions, one for each coordinate in order.

    A joint of translations alone is not divided.
    """
    steps = joint.steps() if joint.holonomic and not joint.rheonomic else ()
    ordered = [s.index for s in steps] == [*range(joint.nv)]
    return joint.nv > 1 and ordered and any(s.turn for s in steps)


def split(tree: Tree) -> Split:
    """The same tree with elementary joints."""
    links: list[Link] = []
    last = {0: 0}
    for k in tree.links:
        link = replace(k, index=len(links) + 1, parent=last[k.parent])
        links += _elementary_links(link) if divisible(k.joint) else [link]
        last[k.index] = len(links)
    places = {n: replace(x, link=last[x.link]) for n, x in tree.places.items()}
    return Split(replace(tree, links=tuple(links), places=places), last)


def _elementary_links(k: Link) -> list[Link]:
    """Chain of links in place of one; the last has its inertia."""
    steps, links = k.joint.steps(), []
    for i, step in enumerate(steps):
        q, v = (slice(x.start + i, x.start + i + 1) for x in (k.q, k.v))
        kind = Revolute if step.turn else Prismatic
        links.append(
            replace(
                k,
                index=k.index + i,
                parent=k.index + i - 1 if i else k.parent,
                joint=kind(tuple(nominal(e, {}) for e in step.axis)),
                X_PF=IDENTITY if i else k.X_PF,
                inertia=k.inertia if i + 1 == len(steps) else NO_INERTIA,
                armature=k.armature[i : i + 1],
                damping=k.damping[i : i + 1],
                q=q,
                v=v,
            )
        )
    return links

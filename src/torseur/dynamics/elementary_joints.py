"""Joints of several motions as joints of one motion each, in a row.

What they grant, their coordinates and their efforts are the same; between them are bodies without
mass.  So every joint made of steps has subspaces that are constant in their links.  Theory: RF.5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..joints import Prismatic, Revolute
from ..scalars import nominal, vector
from ..spatial import IDENTITY, Inertia
from ..system import Link, Tree

NOTHING = Inertia(0, vector((0,) * 3), vector((0,) * 6))


class Split(NamedTuple):
    """A tree with a joint for each step, and where in it the links of the other are."""

    tree: Tree
    last: dict[int, int]


def divisible(joint) -> bool:
    """Whether it is several steps, one a coordinate and in their order; slides alone stay one."""
    steps = joint.steps() if joint.holonomic and not joint.rheonomic else ()
    ordered = [s.index for s in steps] == [*range(joint.nv)]
    return joint.nv > 1 and ordered and any(s.turn for s in steps)


def split(tree: Tree) -> Split:
    """The same tree with a joint for each step."""
    links: list[Link] = []
    last = {0: 0}
    for k in tree.links:
        own = replace(k, index=len(links) + 1, parent=last[k.parent])
        links += _parts(own) if divisible(k.joint) else [own]
        last[k.index] = len(links)
    places = {n: replace(x, link=last[x.link]) for n, x in tree.places.items()}
    return Split(replace(tree, links=tuple(links), places=places), last)


def _parts(k: Link) -> list[Link]:
    """Links in a row for one; the last of them carries the body."""
    steps, made = k.joint.steps(), []
    for i, step in enumerate(steps):
        q, v = (slice(x.start + i, x.start + i + 1) for x in (k.q, k.v))
        kind = Revolute if step.turn else Prismatic
        made.append(
            replace(
                k,
                index=k.index + i,
                parent=k.index + i - 1 if i else k.parent,
                joint=kind(tuple(nominal(e, {}) for e in step.axis)),
                X_PF=IDENTITY if i else k.X_PF,
                inertia=k.inertia if i + 1 == len(steps) else NOTHING,
                armature=k.armature[i : i + 1],
                damping=k.damping[i : i + 1],
                q=q,
                v=v,
            )
        )
    return made

"""Links of the tree, loop closures, and blocks of coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import TorseurError, unknown_name_message
from ..joints import AbstractJoint
from ..scalars import IDLE, Scalars
from ..spatial import FixedFrame, Inertia, Pose, evaluate_pose


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A body with its inboard joint; its frame is the joint's outboard frame M.

    Numbers are exact (`values`) in a `System`, scalars of one kind in a `Tree`.  Link 0 is the
    world; `parent` is always smaller than `index`.
    """

    index: int
    name: str = field(metadata=IDLE)  # of the joint
    body: str = field(metadata=IDLE)  # of the (first) body it carries
    parent: int
    joint: AbstractJoint
    X_PF: Pose
    inertia: Inertia
    armature: np.ndarray  # one a speed
    damping: np.ndarray
    q: slice
    v: slice
    auxiliary: bool = False  # a rotor: inertia without a body
    reads: int = field(default=0, metadata=IDLE)  # index of the link whose coordinates it reads too

    def over(self, K: Any) -> Link:
        """This link with its numbers as scalars of kind `K`."""
        X, I = self.X_PF, self.inertia
        return Link(
            self.index,
            self.name,
            self.body,
            self.parent,
            self.joint,
            evaluate_pose(K, X),
            Inertia(K.number(I.mass), K.numbers(I.h), K.numbers(I.J)),
            K.numbers(self.armature),
            K.numbers(self.damping),
            self.q,
            self.v,
            self.auxiliary,
            self.reads,
        )

    def numbers(self):
        """Every exact number this link carries."""
        yield from self.X_PF.R.ravel()
        yield from self.X_PF.p
        yield from self.inertia.parameters()
        yield from self.armature
        yield from self.damping
        yield from self.joint.constants()


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A joint as a loop: frame F on one link, frame M on another."""

    name: str
    joint: AbstractJoint
    F: FixedFrame
    M: FixedFrame


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The numbers of a system as scalars of one kind; input of the formalisms."""

    K: Scalars
    links: tuple[Link, ...]
    gravity: np.ndarray
    nq: int
    nv: int
    places: Mapping[str, FixedFrame]

    def place(self, name: str) -> FixedFrame:
        if name not in self.places:
            raise TorseurError(
                unknown_name_message("body or frame", name, self.places, "the system")
            )
        return self.places[name]

    @property
    def rheonomic(self) -> bool:
        """Whether time moves a placement."""
        return any(k.joint.rheonomic for k in self.links)

    @property
    def shared(self) -> bool:
        """Whether links read coordinates of others: slices of beams."""
        return any(k.reads for k in self.links)

    @property
    def owners(self) -> tuple[Link, ...]:
        """The first link of every block of coordinates, in the order of q and v."""
        return tuple(k for k in self.links if not k.reads)

    def still(self) -> Tree:
        """The same tree with time-dependent placements fixed at the current time."""
        if not self.rheonomic:
            return self
        return replace(self, links=tuple(replace(k, joint=k.joint.still()) for k in self.links))

    def ancestors(self, index: int):
        """Links from `index` down to the root, world excluded."""
        while index:
            yield self.links[index - 1]
            index = self.links[index - 1].parent


class Block(NamedTuple):
    """Coordinates and speeds that belong together, and the links that read them.

    Each link has its own block, except the slices of a beam, which share one.
    """

    name: str
    q: slice
    v: slice
    links: tuple[int, ...]


def coordinate_blocks(links: Iterable[Link]) -> tuple[Block, ...]:
    """Blocks of coordinates, in the order of q and v."""
    found: dict[int, Block] = {}
    for k in links:
        own = k.reads or k.index
        before = found[own].links if own in found else ()
        found[own] = Block(k.name, k.q, k.v, (*before, k.index))
    return tuple(found.values())

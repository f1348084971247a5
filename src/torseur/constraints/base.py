"""The contract of a constraint, and of its rows: residuals of positions or of speeds.

Each element says which links its residual depends on (`links`, a path of tree indices), how many
rows it has, whether they are of positions or of speeds, and what they are called.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..joints import AbstractJoint
from ..register import Register, derived, owned
from ..scalars import Value, vector
from ..scalars.values import value
from ..spatial import IDENTITY, WORLD, Place, Pose, Twist, pose_over

MULTIPLIER = {"m": "N", "rad": "N m", "1": "J", "m/s": "N", "rad/s": "N m", "1/s": "J"}
"""Unit of a multiplier from that of its residual: their product is a power or a work."""
constraint = Register("constraint", __package__)


class Constraint(abc.ABC):
    """A constraint as described: a frozen dataclass whose first field is `name`.

    A point is the name of a body or frame (its origin), or a pair `("body", (x, y, z))` [m].
    Expressions are texts of numbers, parameters, `t` [s], and names such as `crank.angle`; those
    of surfaces and curves are of x, y, z (or the curve's own) and parameters alone, fixed in a
    body.  Examples stand in the mechanism of the contract test: bodies base, arm, hand, other,
    flier; joints slide (base), ball (arm on base), turn (other on base), wrist (hand on arm), fly
    (flier, frame tip); parameter L.
    """

    __slots__ = ()
    name: str
    inside: ClassVar[dict[str, str]] = {}
    """Units of numbers that stand inside its points and other fields."""
    sided: ClassVar[str | None] = None
    """Field with the coordinate that says whether its numbers are of an angle or of a length."""

    def __post_init__(self):
        owned(self)

    @abc.abstractmethod
    def rows(self, to) -> list[ConstraintElement]:
        """Its elements, with names resolved by `to` (`system.Lowering`), which gets problems."""

    def drawn(self) -> tuple[dict[str, Any], ...]:
        """How a view shows it: marks, each with its `shape` (see `show.drawings`).

        "segment" between ends `a` and `b`, "plane", "line", "curve", "surface", "wheel" or "solid"
        `on` an end, "coordinates" that it ties.
        """
        return ()

    def own_coordinate(self) -> AbstractJoint | None:
        """A joint that moves nothing, whose coordinate belongs to the constraint; None mostly."""
        return None

    @classmethod
    @abc.abstractmethod
    def examples(cls) -> tuple:
        """One of every variant with a formula of its own."""


def parameters(expressions, bound) -> tuple[Value, ...]:
    """Parameters of the model in expressions, beside the names that these bind themselves."""
    return tuple(value.symbol(n) for n in value.symbols(vector(expressions)) if n not in bound)


def path(links, index: int) -> tuple[int, ...]:
    """Indices of links from the root to `index`."""
    out: list[int] = []
    while index:
        out.append(index)
        index = links[index - 1].parent
    return tuple(reversed(out))


def between(links: Any, a: int, b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Paths from the closest common ancestor to links `a` and `b`."""
    up, down = path(links, a), path(links, b)
    n = 0
    while n < min(len(up), len(down)) and up[n] == down[n]:
        n += 1
    return up[n:], down[n:]


def shared(f):
    """Of paths that begin alike, in one kernel with many of them, the beginnings are made once."""

    def along(tree, indices, q, *v, **start):
        if not indices or start or not tree.K.loops or tree.rheonomic:
            return f(tree, indices, q, *v, **start)
        known, own = tree.K.known, (q, *v)
        key = (f.__name__, id(tree), indices, *map(id, own))
        if key not in known:
            before = along(tree, indices[:-1], q, *v)
            known[key] = f(tree, indices[-1:], q, *v, start=before), tree, own
        return known[key][0]

    return along


@shared
def chain(tree, indices, q, start=IDENTITY) -> Pose:
    """Pose of the last link of a path in the parent of the first (or in another frame there)."""
    X = start
    for i in indices:
        k = tree.links[i - 1]
        X = X @ k.X_PF @ k.joint.pose(tree.K, q[k.q])
    return X


@shared
def chain_twist(tree, indices, q, v, start=None) -> tuple[Pose, Twist]:
    """Pose and twist of the last link of a path, relative to the parent of the first."""
    X, V = start or (IDENTITY, Twist())
    for i in indices:
        k = tree.links[i - 1]
        step = k.X_PF @ k.joint.pose(tree.K, q[k.q])
        X, V = X @ step, step.pull_twist(V) + Twist.of(k.joint.twist(tree.K, q[k.q], v[k.v]))
    return X, V


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintElement:
    """A lowered constraint: rows of positions (or of speeds when `speeds`)."""

    name: str
    links: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]  # of the residuals
    speeds: bool = False
    friction: Any = None  # a law that makes rows which may let go
    contact: Any = None  # a law that makes a row which only pushes
    joins: ClassVar[bool] = False  # whether it holds a frame M against a frame F: see `Relative`

    def residual(self, tree, t, q) -> np.ndarray:
        """Position residuals, one a row."""
        raise TypeError(f"constraint {self.name!r} is one of speeds")

    def rate(self, tree, t, q, v) -> np.ndarray:
        """Speed residuals, linear in v, one a row."""
        raise TypeError(f"constraint {self.name!r} is one of positions")

    def numbers(self):
        """Exact numbers it carries."""
        return ()

    def bound(self, q) -> ConstraintElement:
        """Itself with the coordinates of its own that it reads, for what knows only a pose."""
        return self

    @derived
    def meets(self) -> bool:
        """Whether its first three rows are those of two origins that meet."""
        return False

    def turned(self, tree, q) -> np.ndarray:
        """Numbers at a position that tell `reversed`."""
        return vector(())

    def reversed(self, turned) -> bool:
        """Whether its residuals vanish with an axis the wrong way round (floats only)."""
        return False

    def offset(self, tree, q) -> Any:
        """Where the step of a table is a row: how far its deflection is above the step."""
        return None

    def pushed(self, tree, side: float) -> list[tuple[int, float]]:
        """Where the step of a table is a row: what it does along speeds, by its side (floats)."""
        return []

    @derived
    def stores(self) -> bool:
        """Whether what it takes while it slides comes back: the step of a table."""
        return False

    @derived
    def loses(self) -> tuple[str, ...]:
        """What ends its validity, one text a number of `edges`: where a run must stop."""
        return ()

    def edges(self, tree, q) -> tuple:
        """How far each of these is still off: it falls to zero where its rows fail."""
        return ()

    @derived
    def begins(self) -> bool:
        """Whether `first` says anything."""
        return type(self).first is not ConstraintElement.first

    def first(self, tree, q) -> tuple[slice, np.ndarray] | None:
        """Where coordinates of its own start, unless a user says it: a part of q (floats)."""
        return None

    def astray(self, by: str) -> str | None:
        """What is said where `first` does not meet its rows, which nothing else may move to meet;
        None where it may."""
        return None

    def gap(self, K, residual: float) -> float:
        """How far it is from being met, in the unit of the row, from its residual (floats)."""
        return residual

    def off(self, by: str) -> str:
        """The sentence that it is not met, by how much."""
        return f"constraint {self.name!r} is off by {by}"

    def says(self, label: str) -> str:
        """What a multiplier is, with its unit.

        >>> from torseur.constraints import ConstraintElement
        >>> hinge = ConstraintElement("hinge.C", (), ("x", "about_x"), ("m", "rad"))
        >>> hinge.says("x"), hinge.says("about_x")
        ('hinge.C: force along x [N]', 'hinge.C: moment about x [N m]')
        """
        of = self.efforts[self.labels.index(label)]
        said = label.removeprefix("about_").replace("minus_", "-")
        what = {"N": f"force along {said}", "N m": f"moment about {said}"}
        return f"{self.name}: {what.get(of, f'multiplier of {said}')} [{of}]"

    @derived
    def efforts(self) -> tuple[str, ...]:
        """Units of the multipliers."""
        return tuple(MULTIPLIER.get(unit, "1") for unit in self.units)

    @derived
    def size(self) -> int:
        return len(self.labels)

    @derived
    def memory(self) -> tuple[str, ...]:
        """Names of the numbers that the switch of a contact or friction keeps between events."""
        if self.contact:
            return ("contact",)
        if self.friction:
            return ("mode",) if self.size == 1 else ("mode", "slip1", "slip2")
        return ()

    @derived
    def watched(self) -> tuple[tuple[Any, ...], ...]:
        """Guards: what, unit, whether it concerns more than its memory; how it waits on zero."""
        if self.contact:
            return (("lifts off", "N", True), ("lands", "m", True), ("turns back", "m/s", False))
        every = (("stops", "m/s", True), ("breaks loose", "N", True), ("turns", "m/s", False))
        return every[: len(self.memory) and (2 if self.size == 1 else 3)]

    @derived
    def drives(self) -> bool:
        """Whether it depends on time, and so can do work."""
        return False

    @derived
    def keeper(self) -> str | None:
        """The force element whose memory says which piece of time it is in; None mostly."""
        return None

    @derived
    def formulas(self) -> tuple:
        """Expressions in its residual that the user wrote."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Relative(ConstraintElement):
    """A residual of the pose of frame M seen from frame F, on two links."""

    F: Place = WORLD
    M: Place = WORLD
    joins: ClassVar[bool] = True

    def pose(self, tree, q) -> Pose:
        """`X_FM`, from the closest common ancestor only."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        X_AF = chain(tree, up, q) @ pose_over(K, self.F.X_LB)
        X_AM = chain(tree, down, q) @ pose_over(K, self.M.X_LB)
        return X_AF.inverse() @ X_AM  # CO.1

    def twist(self, tree, q, v) -> tuple[Pose, Twist]:
        """`X_FM` and the twist of M relative to F, components in M."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        X_LF, X_LM = pose_over(K, self.F.X_LB), pose_over(K, self.M.X_LB)
        (X_A, V_A), (X_B, V_B) = (chain_twist(tree, i, q, v) for i in (up, down))
        X_FM = (X_A @ X_LF).inverse() @ (X_B @ X_LM)
        return X_FM, X_LM.pull_twist(V_B) - X_FM.pull_twist(X_LF.pull_twist(V_A))

    def numbers(self):
        return (*self.F.X_LB.R.ravel(), *self.F.X_LB.p, *self.M.X_LB.R.ravel(), *self.M.X_LB.p)

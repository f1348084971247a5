"""Contracts of a constraint and of its rows: residuals of positions or of speeds.

`Constraint` is the description by the user, `ConstraintElement` its lowered rows: the links that
the residual depends on (tree indices), labels and units of the rows, residuals.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..joints import AbstractJoint
from ..register import Register, derived, freeze_fields
from ..scalars import Value, vector
from ..scalars.values import value
from ..spatial import IDENTITY, WORLD, FixedFrame, Pose, Twist, evaluate_pose

MULTIPLIER = {"m": "N", "rad": "N m", "1": "J", "m/s": "N", "rad/s": "N m", "1/s": "J"}
"""Unit of a multiplier by the unit of its residual: their product is a power or a work."""
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
    """Units of the numbers inside its points and other fields."""
    sided: ClassVar[str | None] = None
    """Field with the coordinate whose unit, angle or length, its numbers have."""

    def __post_init__(self):
        freeze_fields(self)

    @abc.abstractmethod
    def rows(self, to: Any) -> list[ConstraintElement]:
        """Its elements; `to` (`system.Lowering`) resolves names and collects problems."""

    def drawn(self) -> tuple[dict[str, Any], ...]:
        """Marks of a view, each with its `shape` (see `show.drawings`).

        "segment" between ends `a` and `b`, "plane", "line", "curve", "surface", "wheel" or "solid"
        `on` an end, "coordinates" that it couples.
        """
        return ()

    def own_coordinate(self) -> AbstractJoint | None:
        """A joint without motion whose coordinate belongs to the constraint, or None."""
        return None

    @classmethod
    @abc.abstractmethod
    def examples(cls) -> tuple:
        """One instance of every variant with its own formula."""


def parameters(expressions, bound) -> tuple[Value, ...]:
    """Parameters of the model in expressions; names in `bound` are none."""
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


def shares_prefixes(f):
    """Decorator: paths with a common beginning in one kernel share its poses."""

    def with_shared_prefix(tree: Any, indices, q: np.ndarray, *v, **start):
        if not indices or start or not tree.K.loops or tree.rheonomic:
            return f(tree, indices, q, *v, **start)
        cached, arrays = tree.K.known, (q, *v)
        key = (f.__name__, id(tree), indices, *map(id, arrays))
        if key not in cached:
            prefix = with_shared_prefix(tree, indices[:-1], q, *v)
            cached[key] = f(tree, indices[-1:], q, *v, start=prefix), tree, arrays
        return cached[key][0]

    return with_shared_prefix


@shares_prefixes
def chain(tree: Any, indices, q: np.ndarray, start=IDENTITY) -> Pose:
    """Pose of the last link of a path in the parent of the first, or in the frame of `start`."""
    X = start
    for i in indices:
        k = tree.links[i - 1]
        X = X @ k.X_PF @ k.joint.pose(tree.K, q[k.q])
    return X


@shares_prefixes
def chain_twist(tree: Any, indices, q: np.ndarray, v: np.ndarray, start=None) -> tuple[Pose, Twist]:
    """Pose and twist of the last link of a path, relative to the parent of the first."""
    X, V = start or (IDENTITY, Twist())
    for i in indices:
        k = tree.links[i - 1]
        step = k.X_PF @ k.joint.pose(tree.K, q[k.q])
        X, V = X @ step, step.pull_twist(V) + Twist.of(k.joint.twist(tree.K, q[k.q], v[k.v]))
    return X, V


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintElement:
    """A lowered constraint: rows of positions, or of speeds if `speeds`."""

    name: str
    links: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]  # of the residuals
    speeds: bool = False
    friction: Any = None  # friction law of rows that stick or slide
    contact: Any = None  # contact law of a unilateral row
    joins: ClassVar[bool] = (
        False  # whether it constrains a frame M relative to a frame F: `Relative`
    )

    def residual(self, tree: Any, t: Any, q: np.ndarray) -> np.ndarray:
        """(size,): position residuals."""
        raise TypeError(f"constraint {self.name!r} is one of speeds")

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(size,): speed residuals, linear in v."""
        raise TypeError(f"constraint {self.name!r} is one of positions")

    def numbers(self):
        """Exact numbers that it depends on."""
        return ()

    def bound(self, q: np.ndarray) -> ConstraintElement:
        """A copy that contains its own coordinates at q, for functions of a pose alone."""
        return self

    @derived
    def meets(self) -> bool:
        """Whether its first three rows are those of two coincident origins."""
        return False

    def turned(self, tree: Any, q: np.ndarray) -> np.ndarray:
        """Numbers at a position for `reversed`."""
        return vector(())

    def reversed(self, turned) -> bool:
        """Whether its residuals vanish with an axis in the opposite direction (floats)."""
        return False

    def offset(self, tree: Any, q: np.ndarray) -> Any:
        """Of a row for a step of a table: deflection above the step; None of others."""
        return None

    def pushed(self, tree: Any, side: float) -> list[tuple[int, float]]:
        """Of a row for a step of a table: (speed, effort) on a side of the step (floats)."""
        return []

    @derived
    def stores(self) -> bool:
        """Whether its work while it slides is stored: of a row for a step of a table."""
        return False

    @derived
    def loses(self) -> tuple[str, ...]:
        """Texts for the numbers of `edges`: reasons for which a run must stop."""
        return ()

    def edges(self, tree: Any, q: np.ndarray) -> tuple:
        """Distances to the ends of validity; a row fails where one is zero."""
        return ()

    @derived
    def begins(self) -> bool:
        """Whether it has an own start value, see `first`."""
        return type(self).first is not ConstraintElement.first

    def first(self, tree: Any, q: np.ndarray) -> tuple[slice, np.ndarray] | None:
        """Slice of q and start values of its own coordinates (floats), or None."""
        return None

    def astray(self, by: str) -> str | None:
        """Message if start values miss its rows; None if the assembly may change coordinates."""
        return None

    def gap(self, K: Any, residual: float) -> float:
        """Distance to the constraint in the unit of the row, from its residual (floats)."""
        return residual

    def off(self, by: str) -> str:
        """Message that it is violated by a distance."""
        return f"constraint {self.name!r} is off by {by}"

    def says(self, label: str) -> str:
        """Description of a multiplier, with its unit.

        >>> from torseur.constraints import ConstraintElement
        >>> hinge = ConstraintElement("hinge.C", (), ("x", "about_x"), ("m", "rad"))
        >>> hinge.says("x"), hinge.says("about_x")
        ('hinge.C: force along x [N]', 'hinge.C: moment about x [N m]')
        """
        unit = self.efforts[self.labels.index(label)]
        axis = label.removeprefix("about_").replace("minus_", "-")
        texts = {"N": f"force along {axis}", "N m": f"moment about {axis}"}
        return f"{self.name}: {texts.get(unit, f'multiplier of {axis}')} [{unit}]"

    @derived
    def efforts(self) -> tuple[str, ...]:
        """Units of the multipliers."""
        return tuple(MULTIPLIER.get(unit, "1") for unit in self.units)

    @derived
    def size(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @derived
    def memory(self) -> tuple[str, ...]:
        """Names of the history variables of a contact or friction."""
        if self.contact:
            return ("contact",)
        if self.friction:
            return ("mode",) if self.size == 1 else ("mode", "slip1", "slip2")
        return ()

    @derived
    def watched(self) -> tuple[tuple[Any, ...], ...]:
        """Event functions: name, unit, whether the event is shown, how it waits on zero."""
        if self.contact:
            return (("lifts off", "N", True), ("lands", "m", True), ("turns back", "m/s", False))
        events = (("stops", "m/s", True), ("breaks loose", "N", True), ("turns", "m/s", False))
        return events[: len(self.memory) and (2 if self.size == 1 else 3)]

    @derived
    def drives(self) -> bool:
        """Whether it depends on time, so that it can do work."""
        return False

    @derived
    def keeper(self) -> str | None:
        """Force element whose history has the active interval of its table, or None."""
        return None

    @derived
    def formulas(self) -> tuple:
        """Expressions of the user in its residual."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Relative(ConstraintElement):
    """A constraint on the pose of frame M relative to frame F, on two links."""

    F: FixedFrame = WORLD
    M: FixedFrame = WORLD
    joins: ClassVar[bool] = True

    def pose(self, tree: Any, q: np.ndarray) -> Pose:
        """`X_FM`, from the links below the closest common ancestor, CO.1."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        X_AF = chain(tree, up, q) @ evaluate_pose(K, self.F.X_LB)
        X_AM = chain(tree, down, q) @ evaluate_pose(K, self.M.X_LB)
        return X_AF.inverse() @ X_AM  # CO.1

    def twist(self, tree: Any, q: np.ndarray, v: np.ndarray) -> tuple[Pose, Twist]:
        """`X_FM` and the twist of M relative to F, components in M."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        X_LF, X_LM = evaluate_pose(K, self.F.X_LB), evaluate_pose(K, self.M.X_LB)
        (X_A, V_A), (X_B, V_B) = (chain_twist(tree, i, q, v) for i in (up, down))
        X_FM = (X_A @ X_LF).inverse() @ (X_B @ X_LM)
        return X_FM, X_LM.pull_twist(V_B) - X_FM.pull_twist(X_LF.pull_twist(V_A))

    def numbers(self):
        return (*self.F.X_LB.R.ravel(), *self.F.X_LB.p, *self.M.X_LB.R.ravel(), *self.M.X_LB.p)

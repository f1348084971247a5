"""Rows of constraints: residuals of positions or of speeds, over any scalar.

Each element says which links its residual depends on (`links`, a path of tree indices), how many
rows it has, whether they are of positions or of speeds, and what they are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..joints import Prismatic, Revolute, Spherical, Universal, Weld, unit_axis
from ..numbers import Value, values, vector
from ..spatial import IDENTITY, Pose, Twist
from .core import Closure, Place, pose_over

WORLD = Place(0, IDENTITY)


class Bound:
    """A scalar kind with extra names bound, for expressions of coordinates."""

    def __init__(self, K, names: Mapping[str, Any]):
        self._K, self._names = K, names

    def __getattr__(self, name):
        return getattr(self._K, name)

    def number(self, x):
        return x.over(self) if hasattr(x, "over") else self._K.exact(x)

    def parameter(self, name):
        return self._names[name] if name in self._names else self._K.parameter(name)


def parameters(expressions, bound) -> tuple[Value, ...]:
    """Parameters of the model in expressions, beside the names that these bind themselves."""
    return tuple(values.symbol(n) for n in values.symbols(vector(expressions)) if n not in bound)


def path(links, index: int) -> tuple[int, ...]:
    """Indices of links from the root to `index`."""
    out: list[int] = []
    while index:
        out.append(index)
        index = links[index - 1].parent
    return tuple(reversed(out))


def between(links, a: int, b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Paths from the closest common ancestor to links `a` and `b`."""
    up, down = path(links, a), path(links, b)
    n = 0
    while n < min(len(up), len(down)) and up[n] == down[n]:
        n += 1
    return up[n:], down[n:]


def chain(tree, indices, q, start=IDENTITY) -> Pose:
    """Pose of the last link of a path in the parent of the first (or in another frame there)."""
    X = start
    for i in indices:
        k = tree.links[i - 1]
        X = X @ k.X_PF @ k.joint.pose(tree.K, q[k.q])
    return X


def chain_twist(tree, indices, q, v) -> tuple[Pose, Twist]:
    """Pose and twist of the last link of a path, relative to the parent of the first."""
    X, V = IDENTITY, Twist()
    for i in indices:
        k = tree.links[i - 1]
        step = k.X_PF @ k.joint.pose(tree.K, q[k.q])
        X, V = X @ step, step.pull_twist(V) + Twist.of(k.joint.subspace(tree.K, q[k.q]) @ v[k.v])
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

    def residual(self, tree, t, q) -> np.ndarray:
        """Position residuals, one a row."""
        raise TypeError(f"constraint {self.name!r} is one of speeds")

    def rate(self, tree, t, q, v) -> np.ndarray:
        """Speed residuals, linear in v, one a row."""
        raise TypeError(f"constraint {self.name!r} is one of positions")

    def numbers(self):
        """Exact numbers it carries."""
        return ()

    def digest(self) -> str:
        """Text of everything that decides its mathematics."""
        parts = (
            getattr(self, n, None)
            for n in ("equations", "expressions", "coordinates", "rates", "joint", "axis")
        )
        places = [getattr(self, n).link for n in ("F", "M") if hasattr(self, n)]
        return repr(
            (
                type(self).__name__,
                self.links,
                self.labels,
                places,
                [str(x) for x in self.numbers()],
                *parts,
                self.friction and repr(self.friction),
                *([repr(self.contact)] if self.contact else ()),
            )
        )

    @property
    def size(self) -> int:
        return len(self.labels)

    @property
    def drives(self) -> bool:
        """Whether it depends on time, and so can do work."""
        read = getattr(self, "expressions", ())
        return any(isinstance(e, Value) and "t" in values.symbols(e) for e in read)


@dataclass(frozen=True, slots=True, eq=False)
class Relative(ConstraintElement):
    """A residual of the pose of frame M seen from frame F, on two links."""

    F: Place = WORLD
    M: Place = WORLD

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


@dataclass(frozen=True, slots=True, eq=False)
class LoopRows(Relative):
    """A joint as a loop."""

    joint: Any = None

    def closure(self, K, X_FM) -> np.ndarray:
        return vector(self.joint.closure(K, X_FM))

    def from_base(self, tree, q) -> tuple[Pose, Pose]:
        """F and M seen from the inboard frame of a first joint of the loop, which does not turn."""
        K, (up, down) = tree.K, between(tree.links, self.F.link, self.M.link)
        base = tree.links[(down or up)[0] - 1].X_PF.inverse()
        return (
            chain(tree, up, q, base) @ pose_over(K, self.F.X_LB),
            chain(tree, down, q, base) @ pose_over(K, self.M.X_LB),
        )

    def residual(self, tree, t, q):
        """The closure; where it asks that the origins meet, along axes that cost least."""
        X_BF, X_BM = self.from_base(tree, q)
        rows = self.closure(
            tree.K, Pose((*X_BF.inverse().turns, *X_BM.turns), X_BF.unrotate(X_BM.p - X_BF.p))
        )
        if self.meets:
            rows[:3] = X_BM.p - X_BF.p  # CO.10
        return rows

    @property
    def meets(self) -> bool:
        """Whether the first three residuals are the position of M in F."""
        return isinstance(self.joint, Revolute | Spherical | Universal | Weld)

    def reversed(self, tree, q) -> bool:
        """Whether the residuals vanish with an axis the wrong way round (floats only)."""
        R = np.array(self.pose(tree, q).R, dtype=float)
        if isinstance(self.joint, Weld | Prismatic):
            return bool(np.trace(R) < 2)
        axis = getattr(self.joint, "axis", getattr(self.joint, "normal", None))
        if axis is None:
            return False
        u = np.array(tree.K.numbers(unit_axis(axis)), dtype=float)
        return bool(u @ R @ u < 0)


@dataclass(frozen=True, slots=True, eq=False)
class Rod(Relative):
    """Points a fixed distance apart; the residual is linear in the distance at its zero."""

    length: Any = 1

    def closure(self, K, X_FM):
        L = K.number(self.length)
        return vector((K.divide(X_FM.p @ X_FM.p - L * L, 2 * L),))  # CO.6

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        L = self.length
        return (*Relative.numbers(self), L, *([1 / L] if isinstance(L, Value) else ()))


@dataclass(frozen=True, slots=True, eq=False)
class PointRows(Relative):
    """Components of M's origin in F along fixed directions, against fixed numbers."""

    directions: tuple = ()
    offset: Any = 0

    def closure(self, K, X_FM):
        return vector(K.numbers(u) @ X_FM.p - K.number(self.offset) for u in self.directions)

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), *(e for u in self.directions for e in u), self.offset)


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceRows(Relative):
    """Expressions of the components x, y, z of M's origin in F."""

    equations: tuple = ()

    def closure(self, K, X_FM):
        bound = Bound(K, dict(zip("xyz", X_FM.p, strict=True)))
        return vector(bound.number(e) for e in self.equations)

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), *parameters(self.equations, "xyzt"))


@dataclass(frozen=True, slots=True, eq=False)
class Formula(ConstraintElement):
    """Expressions of coordinates (and speeds) of the system, and of time."""

    expressions: tuple = ()
    coordinates: tuple = ()  # (symbol in the expression, slot of q)
    rates: tuple = ()  # (symbol, slot of v)

    def _evaluate(self, tree, t, q, v=None):
        names = {n: q[i] for n, i in self.coordinates} | {"t": t}
        names |= {n: v[i] for n, i in self.rates} if v is not None else {}
        bound = Bound(tree.K, names)
        return vector(bound.number(e) for e in self.expressions)

    def residual(self, tree, t, q):
        return self._evaluate(tree, t, q)

    def rate(self, tree, t, q, v):
        return self._evaluate(tree, t, q, v)

    def numbers(self):
        return parameters(self.expressions, ("t", *dict(self.coordinates), *dict(self.rates)))


def closure_element(closure: Closure, links) -> LoopRows:
    """A loop of the system as an element."""
    n = 6 - closure.joint.nv
    up, down = between(links, closure.F.link, closure.M.link)
    return LoopRows(
        closure.name,
        tuple(sorted({*up, *down})),
        tuple(f"row{i + 1}" for i in range(n)),
        ("m",) * n,
        F=closure.F,
        M=closure.M,
        joint=closure.joint,
    )

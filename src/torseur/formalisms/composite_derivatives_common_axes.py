"""Derivatives of the inverse dynamics in common axes, for SIMD over links and pairs of joints.

Each link keeps its own origin, but all vectors are in world axes, so that a step towards the root
needs no rotation.  The two joints of a pair are taken at one common point.  Then links, columns
and pairs have one text each.  Equations DE.10 to DE.18 (Singh, Russell and Wensing 2022).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..kinematics import outward
from ..scalars import matrix, vector
from ..spatial import ONE3, ZERO3, GeneralRotation, Inertia, Momentum, Pose, Twist, Wrench, cross
from .composite_derivatives import CompositeCoriolis, _momentum_as_wrench

if TYPE_CHECKING:
    from ..system import Tree

needs: frozenset[str] = frozenset()


class WorldLinkMotion(NamedTuple):
    """Motion of a link in world axes at its own origin."""

    R: np.ndarray  # (3, 3): its axes are the columns
    d: np.ndarray  # from the parent's origin to its own
    S: tuple[Twist, ...]
    V: Twist
    dw: np.ndarray
    a: np.ndarray  # acceleration of the origin, minus gravity
    V_P: Twist  # of the parent, at this origin
    A_P: Twist

    @property
    def A(self) -> Twist:
        """Spatial acceleration, minus gravity."""
        return spatial(self.V, self.dw, self.a)


def shift_twist(V: Twist, d) -> Twist:
    """The twist at an origin displaced by `d`."""
    return Twist(V.angular, V.linear + cross(V.angular, d))


def spatial(V: Twist, dw, a: np.ndarray) -> Twist:
    """Spatial acceleration from angular acceleration and the acceleration of the origin, DE.1."""
    return Twist(dw, a - cross(V.angular, V.linear))  # DE.1


def out(
    K: Any, link, up: WorldLinkMotion, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> WorldLinkMotion:
    """Motion of one link from that of its parent, DE.10."""
    X = link.X_PF @ link.joint.pose(K, q)
    R = matrix([X.unrotate(row) for row in up.R])
    d = up.R @ X.p
    S = [Twist(R @ s[:3], R @ s[3:]) for s in link.joint.subspace(K, q).T]
    w_P, transport = up.V.angular, cross(up.V.angular, d)
    V_P = Twist(w_P, up.V.linear + transport)
    V = V_P
    for s, x in zip(S, v, strict=True):
        V = V + s * x
    joint_w = vector(V.angular - w_P if len(S) > 1 else S[0].angular * v[0]) if S else ZERO3
    dw, acc = up.dw + cross(w_P, joint_w), up.a + cross(up.dw, d) + cross(w_P, transport)
    both = V.angular + w_P
    for s, x, y in zip(S, v, a, strict=True):
        dw = dw + s.angular * y
        acc = acc + s.linear * y + cross(both, s.linear) * x
    A_P = Twist(up.dw, up.A.linear + cross(up.dw, d)) if len(S) > 1 else Twist()
    return WorldLinkMotion(R, d, tuple(S), V, dw, acc, V_P, A_P)


def move_free_root(
    K: Any, link, gravity, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[WorldLinkMotion, np.ndarray]:
    """Motion of a free root in its own axes, which all links then use; gravity in these axes."""
    down = (link.X_PF @ link.joint.pose(K, q)).unrotate(gravity)
    V, dw = Twist.of(v), vector(a[:3])
    acc = a[3:] + cross(V.angular, V.linear) - down
    S = tuple(Twist.of(e) for e in np.eye(6, dtype=int).astype(object))
    none = Twist(ZERO3, -down)
    return WorldLinkMotion(ONE3, ZERO3, S, V, dw, acc, Twist(), none), down


def at_rest(gravity) -> WorldLinkMotion:
    """Motion of the world: it accelerates upwards."""
    return WorldLinkMotion(ONE3, ZERO3, (), Twist(), ZERO3, -gravity, Twist(), Twist())


def motion(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[WorldLinkMotion]:
    """Motion of the world and of every link."""
    return outward(tree, out, at_rest(tree.gravity), (q, "q"), (v, "v"), (a, "v"))


class ExternalWrenches(NamedTuple):
    """External wrenches that are constant in the world: their sum, and its derivative by rotations
    of the bodies that they act on."""

    F: Wrench
    E: np.ndarray  # sum of x f^T - (x . f) 1 over points x of action

    @classmethod
    def at(cls, six, x) -> ExternalWrenches:
        """One wrench, moment and force at a point x."""
        F = Wrench(six[:3] + cross(x, six[3:]), six[3:])
        return cls(F, _lever(x, F.force))

    @classmethod
    def of(cls, x) -> ExternalWrenches:
        """From its `numbers`."""
        return cls(Wrench.of(x[:6]), x[6:].reshape(3, 3))

    def numbers(self) -> np.ndarray:
        return vector([*self.F.array, *self.E.ravel()])

    def moved(self, d) -> ExternalWrenches:
        """The sum about an origin from which this one is at `d`."""
        return ExternalWrenches(Pose(p=d).push_wrench(self.F), self.E + _lever(d, self.F.force))

    def __add__(self, other) -> ExternalWrenches:
        return ExternalWrenches(self.F + other.F, self.E + other.E)

    def turned(self, S: Twist) -> Wrench:
        """Derivative of the sum by a motion S of the bodies, DE.16."""
        return Wrench(self.E @ S.angular + cross(S.linear, self.F.force), ZERO3)  # DE.16

    def couple(self, S: Twist) -> np.ndarray:
        """Derivative of minus the power on S by a rotation of all bodies and of S, DE.17."""
        s, t = S.angular, S.linear
        return cross(self.F.moment, s) - self.E.T @ s + cross(self.F.force, t)  # DE.17


def _lever(x, f) -> np.ndarray:
    """`x f^T - (x . f) 1`."""
    return matrix([[a * b for b in f] for a in x]) - (x @ f) * ONE3


class LinkLoad(NamedTuple):
    """Inertia, wrench and Coriolis matrix of one link, or of all links outboard of it.

    Accelerations need no `B`.
    """

    I: Inertia
    F: Wrench
    B: CompositeCoriolis | None = None
    outside: ExternalWrenches | None = None

    def numbers(self) -> np.ndarray:
        """All numbers but the mass, which is constant."""
        rest = () if self.B is None else (*self.B.rate, *self.B.momentum.array)
        ahead = () if self.outside is None else self.outside.numbers()
        return vector([*ahead, *self.F.array, *self.I.h, *self.I.J, *rest])

    @classmethod
    def of(cls, mass, x) -> LinkLoad:
        """From a mass and the other `numbers`."""
        outside = ExternalWrenches.of(x[:EXTERNAL_SIZE]) if len(x) > LOAD_SIZES[1] else None
        x = x[EXTERNAL_SIZE:] if outside else x
        B = CompositeCoriolis(x[15:21], Momentum.of(x[21:])) if len(x) > LOAD_SIZES[0] else None
        return cls(Inertia(mass, x[6:9], x[9:15]), Wrench.of(x[:6]), B, outside)

    @property
    def pull(self) -> Wrench:
        """Wrench of the joint on the link."""
        return self.F if self.outside is None else self.F - self.outside.F

    def moved(self, d) -> LinkLoad:
        """The load about the parent's origin, from which this one is at `d`; DE.12."""
        X = Pose(p=d)
        B = None if self.B is None else self.B.in_parent(X)
        outside = None if self.outside is None else self.outside.moved(d)
        return LinkLoad(self.I.shifted(d), X.push_wrench(self.F), B, outside)  # DE.12

    def __add__(self, other) -> LinkLoad:
        B = None if self.B is None else self.B + other.B
        outside = None if self.outside is None else self.outside + other.outside
        return LinkLoad(self.I + other.I, self.F + other.F, B, outside)


LOAD_SIZES = 15, 27  # numbers of a load, without and with B
EXTERNAL_SIZE = 15  # more, of wrenches from outside


def own(ten, R, V: Twist, dw, a: np.ndarray, coriolis: bool = True) -> LinkLoad:
    """Load of one link, from its ten inertial parameters in its own frame; DE.11."""
    turn, given = GeneralRotation(R), Inertia.of_parameters(ten)
    I = Inertia(given.mass, turn.rotate(given.h), turn.tensor(given.J))
    w, h = V.angular, I.h
    force = I.mass * a + cross(dw, h) + cross(w, cross(w, h))
    zero = Twist(w, ZERO3)
    moment = (I @ Twist(dw, a)).moment + cross(w, (I @ zero).moment)
    return LinkLoad(I, Wrench(moment, force), CompositeCoriolis.of(I, V) if coriolis else None)


def carried(loads: dict[int, LinkLoad], links, d) -> dict[int, LinkLoad]:
    """Loads of each link with all links outboard; `d` by link, from the parent's origin."""
    total = dict(loads)
    for k in reversed(links):
        if k.parent:
            total[k.parent] = total[k.parent] + total[k.index].moved(d[k.index])
    return total


class JointColumn(NamedTuple):
    """Column of one speed: its parts for pairs with outboard and with inboard joints."""

    there: tuple[Twist, ...]  # S, change of the velocity, of the acceleration by q and by v
    here: tuple[Any, ...]  # momentum, wrenches by q and by v, couple; that of wrenches from outside
    alone: tuple[Any, ...]  # derivatives of its own effort by q, v and a, without armature

    def outboard(self) -> np.ndarray:
        """Numbers of `there`; of the change of the velocity the angular part."""
        S, first, second, turned = self.there
        return vector([*S.array, *first.angular, *second.array, *turned.array])

    def inboard(self) -> np.ndarray:
        """Numbers of `here`."""
        return vector([y for x in self.here for y in getattr(x, "array", x)])


def outboard_part_of(x) -> tuple[Twist, ...]:
    """`JointColumn.there` from `JointColumn.outboard`."""
    return Twist.of(x[:6]), Twist(x[6:9]), Twist.of(x[9:15]), Twist.of(x[15:])


def inboard_part_of(x) -> tuple[Any, ...]:
    """`JointColumn.here` from `JointColumn.inboard`."""
    couples = (x[18:21], x[21:]) if len(x) > COLUMN_SIZE else (x[18:],)
    return Momentum.of(x[:6]), Wrench.of(x[6:12]), Wrench.of(x[12:18]), *couples


COLUMN_SIZE = 21  # numbers of either side
MOMENT_SIZE = 3  # more inboard, with wrenches from outside


def column(
    load: LinkLoad, S: Twist, V: Twist, A: Twist, V_P: Twist, A_P: Twist, p: np.ndarray
) -> JointColumn:
    """Column of the speed with screw S, at the point from which the link is at `p`; DE.13."""
    I, F, B, outside = load
    assert B is not None
    first = V_P.cross(S)
    second = A_P.cross(S) + V_P.cross(first)
    turned = first + first if V is V_P else V.cross(S) + first
    h = I @ S
    by_q = B @ first + _momentum_as_wrench(I @ second)
    by_v = B @ S + _momentum_as_wrench(I @ turned)
    alone, couples = (S @ by_q, S @ by_v, S @ h), [B.transposed_moment(S)]
    by_q = by_q + S.cross(F)
    if outside is not None:
        couples.append(outside.couple(S))
        alone = (alone[0] + couples[1] @ S.angular, *alone[1:])
        by_q = by_q - outside.turned(S)
    X = Pose(p=p)
    there = tuple(X.push_twist(x) for x in (S, first, second, turned))
    here = (X.push_momentum(h), *(X.push_wrench(x) for x in (by_q, by_v)), *couples)
    return JointColumn(there, here, alone)


def pair(there, here) -> tuple:
    """Derivatives of a pair: `d tau_in / d(q, v, a)_out`, `d tau_out / d(q, v)_in`; DE.14.

    `there` is of the inboard, `here` of the outboard joint.
    """
    (S, first, second, turned), (h, by_q, by_v, couple, *outside) = there, here
    back = couple @ first.angular + second @ h
    if outside:
        back = back + outside[0] @ S.angular  # DE.17
    return S @ by_q, S @ by_v, S @ h, back, couple @ S.angular + turned @ h


def rim(here, p: np.ndarray, V: Twist, down) -> tuple[list, list]:
    """Derivatives of a free root and any joint, DE.18.

    `d tau_root / d(q, v, a)` of the joint, then those of the joint's effort by q, v and a of the
    root.  `p` is the root's origin, `V` its twist, `down` gravity.
    """
    X = Pose(p=-p)
    h, by_q, by_v = (X.push_wrench(x) for x in here[:3])
    L, P, (w, u) = h.moment, h.force, (V.angular, V.linear)
    couple, turn = here[3] + cross(L, w) + cross(P, u), cross(down, P)
    if len(here) > 4:
        turn = turn + here[4]
    back = (*turn, 0, 0, 0), (*couple, *cross(P, w)), h.array
    return [by_q.array, by_v.array, h.array], [*back]


def middle(links) -> int:
    """Link none of whose branches has more than half of all links: centroid of the tree."""
    sizes = dict.fromkeys((0, *(k.index for k in links)), 1)
    for k in reversed(links):
        sizes[k.parent] += sizes[k.index]
    here = 0
    while True:
        next_ = [k.index for k in links if k.parent == here and 2 * sizes[k.index] > len(links)]
        if not next_:
            return here
        here = next_[0]


def places(links, d) -> dict[int, Any]:
    """Origins of links relative to that of the middle link; `d` by link."""
    above = {k.index: k.parent for k in links}
    here = middle(links)
    p = {here: ZERO3}
    while here:
        p[above[here]] = p[here] - d[here]
        here = above[here]
    for k in links:
        if k.index not in p:
            p[k.index] = p[k.parent] + d[k.index]
    return p


def derivatives(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    wrenches: dict[int, list] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives (nv, nv) of the efforts by q (tangent space), v and a.

    `wrenches` by link: pairs of (moment, force) in world axes, and the point of action in the link.
    """
    seen = motion(tree, q, v, a)
    d = {k.index: seen[k.index].d for k in tree.links}
    p = places(tree.links, d)
    loads = {
        k.index: own(k.inertia.parameters(), m.R, m.V, m.dw, m.a)
        for k, m in zip(tree.links, seen[1:], strict=True)
    }
    for i, load in loads.items() if wrenches else ():
        outside = ExternalWrenches.of(vector((0,) * EXTERNAL_SIZE))
        for six, x in (wrenches or {}).get(i, ()):
            outside = outside + ExternalWrenches.at(vector(six), seen[i].R @ x)
        loads[i] = load._replace(outside=outside)
    total = carried(loads, tree.links, d)
    dq, dv, M = made = tuple(matrix(((0,) * tree.nv,) * tree.nv) for _ in range(3))
    columns: dict[int, JointColumn] = {}
    for k in tree.links:
        m, single = seen[k.index], k.joint.nv == 1
        V_P, A_P = (m.V, m.A) if single else (m.V_P, m.A_P)
        own_range = range(k.v.start, k.v.stop)
        for c, S in zip(own_range, m.S, strict=True):
            columns[c] = column(total[k.index], S, m.V, m.A, V_P, A_P, p[k.index])
            for M_, x in zip(made, columns[c].alone, strict=True):
                M_[c, c] = x
            M[c, c] = M[c, c] + k.armature[c - k.v.start]
            for below in tree.ancestors(k.parent):
                for j in range(below.v.start, below.v.stop):
                    found = pair(columns[j].there, columns[c].here)
                    dq[j, c], dv[j, c], M[j, c], dq[c, j], dv[c, j] = found
                    M[c, j] = M[j, c]
        for j in own_range:  # of one joint: each moves the other's axis too
            for c in own_range:
                if j != c:
                    _, _, M[c, j], dq[c, j], dv[c, j] = pair(columns[j].there, columns[c].here)
    return dq, dv, M

"""The linear equation of an implicit step by links, out and back: O(n) for trees.

The variation of the inverse dynamics along a tree has the shape of the dynamics itself: motion is
handed outwards (w, dw, a of every link), wrenches inwards.  From tips to root each link's variation
of the wrench is a linear function of its parent's variation of motion, as an articulated body's is
of its acceleration; then motion follows from root to tips.  Theory: IN.14 to IN.19.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...compiler import read
from ...formalisms import newton_euler
from ...joints import Weld
from ...scalars import vector
from ...spatial import NO_SCREWS, Pose, Wrench
from ..graph_trigonometry import turned
from .force_loops import ElementKind, ElementLoops, Own, Work, element_kinds
from .passes import ANGLES, Pass, Slot, Widths

MOTION = 9  # w, dw, a
NO_TURN = np.zeros((3, 3), dtype=int).astype(object)


def inverse(lib, D) -> Any:
    """Inverse of a small matrix whose diagonal leads."""
    n = D.shape[0]
    A = [[D[i, j] for j in range(n)] + [lib.SX(int(i == j)) for j in range(n)] for i in range(n)]
    for k in range(n):
        A[k] = [x / A[k][k] for x in A[k]]
        for i in range(n):
            if i != k:
                ratio = A[i][k]
                A[i] = [x - ratio * y for x, y in zip(A[i], A[k], strict=True)]
    return lib.vertcat(*(lib.horzcat(*row[n:]) for row in A)) if n else lib.SX(0, 0)


def sloped(K, f, *given) -> tuple[list, list[list]]:
    """Results of `f`, columns of scalars, and their Jacobians by each argument, there.

    The first three arguments are coordinates, cosines and sines: derivatives by the first are those
    by the angles.
    """
    own = [K.symbols(f"y{i}_{j}" for j in range(len(x))) for i, x in enumerate(given)]
    before, K.known = K.known, {
        id(x): (x, own[1][i], own[2][i]) for i, x in enumerate(own[0]) if len(own[1])
    }  # fmt: skip
    results = [K.sx(vector(x)) for x in f(*own)]
    K.known = before
    lib, at = K.lib, [K.sx(x) for x in own]
    slopes = []
    for r in results:
        J = [lib.jacobian(r, x) for x in at]
        if len(own[1]):
            J[0] = J[0] - J[1] @ lib.diag(at[2]) + J[2] @ lib.diag(at[1])
        slopes.append(J)
    flat = [*results, *(x for row in slopes for x in row)]
    made = lib.substitute(flat, at, [K.sx(vector(x)) for x in given])
    made = [lib.sparsify(x) for x in made]
    n, m = len(results), len(given)
    return made[:n], [made[n + i * m : n + (i + 1) * m] for i in range(n)]


def _at(kind, x) -> newton_euler.Moving:
    """The motion of a link from w, dw and a, and the wrench that its own inertia needs."""
    still = replace(kind.link, joint=Weld(), X_PF=Pose(), armature=vector(()))
    none = vector(())
    up = newton_euler.Moving(Pose(), NO_SCREWS, x[:3], NO_TURN, x[3:6], x[6:9], Wrench())
    return newton_euler.out(kind.K, still, up, none, none, none)


def _moved(kind, up, q, v, a) -> np.ndarray:
    m = newton_euler.out(kind.K, kind.link, _at(kind, up), turned(kind, q), v, a)
    return np.concatenate([m.w, m.dw, m.a])


def _columns(K, *matrices) -> np.ndarray:
    """Entries of matrices, row by row, one after the other."""
    return np.concatenate([K.unpack(K.lib.vec(x.T)) for x in matrices])


def _out(kind, up, q, _c, _s, v, a):
    K, x = kind.K, _moved(kind, up, q, v, a)
    none = vector(())
    (F,), ((*_, slope),) = sloped(
        K, lambda _q, _c, _s, y: [_at(kind, y).F.array], none, none, none, x
    )
    return x, np.concatenate([K.unpack(F), _columns(K, slope)])


def _carried(kind, q, F, a):
    joint, q = kind.link.joint, turned(kind, q)
    S, X = joint.subspace(kind.K, q), kind.link.X_PF @ joint.pose(kind.K, q)
    none: Any = None
    here = newton_euler.Moving(X, S, none, none, none, none, none)
    tau, carried = newton_euler.back(kind.K, kind.link, here, Wrench.of(F), a)
    return tau, carried.array


def _fold(kind, up, q, c, s, v, a, L, gq, gv, scale):
    """Reduce one joint: what substitution needs of it, and what its parent carries."""
    K, joint, lib = kind.K, kind.link.joint, kind.K.lib
    nq, nv = joint.nq, joint.nv
    F, slope = L[:6], lib.reshape(K.sx(vector(L[6:])), MOTION, 6).T
    _, ((Oq, _, _, Ox, Ov, Oa),) = sloped(
        K, lambda q, _c, _s, x, v, a: [_moved(kind, x, q, v, a)], q, c, s, up, v, a
    )
    (_, carried), ((Tq, _, _, TF, Ta), (Cq, _, _, CF, _)) = sloped(
        K, lambda q, _c, _s, F, a: _carried(kind, q, F, a), q, c, s, F, a
    )
    _, ((Nq, _, _, Nv),) = sloped(K, lambda q, _c, _s, v: [joint.rates(K, q, v)], q, c, s, v)
    sigma, by_q = K.sx(scale[0]), K.sx(scale[1])
    P = inverse(lib, by_q * lib.SX.eye(nq) - Nq)  # IN.14
    PN, OP = P @ Nv, Oq @ P
    Tq = Tq - lib.diag(K.sx(vector(gq))) if joint.holonomic and nv else Tq
    Ok = OP @ Nv + Ov + sigma * Oa  # IN.15
    TS, CS = TF @ slope, CF @ slope
    D = TS @ Ok + Tq @ PN + sigma * Ta - lib.diag(K.sx(vector(gv)))  # IN.16
    Dinv = inverse(lib, lib.densify(D))
    G, Y = Dinv @ (TS @ Ox), CS @ Ok + Cq @ PN
    kept = (CF, TF, CS @ OP + Cq @ P, -CS @ Oa, TS @ OP + Tq @ P, -TS @ Oa - Ta,
            Y, Dinv, G, Ox, Ok, OP, Oa, PN, P)  # fmt: skip
    left = CS @ Ox - Y @ G  # IN.17
    return _columns(K, *kept), np.concatenate([K.unpack(carried), _columns(K, left)])


def _shapes(nq, nv):
    m = MOTION
    return ((6, 6), (nv, 6), (6, nq), (6, nv), (nv, nq), (nv, nv), (6, nv), (nv, nv), (nv, m),
            (m, m), (m, nv), (m, nq), (m, nv), (nq, nv), (nq, nq))  # fmt: skip


def _kept(kind, R) -> list[np.ndarray]:
    out, at = [], 0
    for rows, columns in _shapes(kind.link.joint.nq, kind.link.joint.nv):
        out.append(R[at : at + rows * columns].reshape(rows, columns))
        at += rows * columns
    return out


def _gather(kind, R, phi, rq, rv, Q):
    CF, TF, Aq, Av, Bq, Bv, Y, Dinv, *_ = _kept(kind, R)
    u = Dinv @ (TF @ phi + Bq @ rq + Bv @ rv - Q)  # IN.18
    return u, CF @ phi + Aq @ rq + Av @ rv - Y @ u


def _spread(kind, up, R, u, rq, rv):
    *_, G, Ox, Ok, OP, Oa, PN, P = _kept(kind, R)
    k = -(G @ up + u)  # IN.19
    return Ox @ up + Ok @ k + OP @ rq - Oa @ rv, PN @ k + P @ rq, k


FOLD = (
    Pass(
        True,
        (Slot("state", "parent"), *ANGLES, Slot("v", "v"), Slot("a", "v")),
        (Slot("state", "link"), Slot("L", "link")),
        _out,
        "out",
    ),
    Pass(
        False,
        (Slot("state", "parent"), *ANGLES, Slot("v", "v"), Slot("a", "v"), Slot("L", "link"),
         Slot("gq", "v"), Slot("gv", "v"), Slot("s", "whole")),
        (Slot("R", "link"), Slot("L", "parent", True)),
        _fold,
        "fold",
    ),
)  # fmt: skip
SOLVE = (
    Pass(
        False,
        (Slot("R", "link"), Slot("phi", "link"), Slot("rq", "q"), Slot("rv", "v"), Slot("Q", "v")),
        (Slot("reduced", "v"), Slot("phi", "parent", True)),
        _gather,
        "gather",
    ),
    Pass(
        True,
        (Slot("dx", "parent"), Slot("R", "link"), Slot("reduced", "v"), Slot("rq", "q"),
         Slot("rv", "v")),
        (Slot("dx", "link"), Slot("kq", "q"), Slot("kv", "v")),
        _spread,
        "spread",
    ),
)  # fmt: skip
WIDTHS: Widths = {
    "state": MOTION,
    "L": 6 + 6 * MOTION,
    "R": lambda nv: sum(m * n for m, n in _shapes(nv + 1, nv)),
    "phi": 6,
    "dx": MOTION,
    "s": 3,
}


# --------------------------------------------------------------------------------------------
# Force elements in the linear equation of an implicit step: each acts along one coordinate.


def local_element_classes(system) -> tuple[ElementKind, ...] | None:
    """Kinds of elements of which each acts along one coordinate and sees no other; or None."""
    kinds, rest = element_kinds(system)
    alone = all(k.count("q") <= 1 and k.count("v") == 1 for k in kinds)
    return kinds if alone and not rest else None


class _Slopes:
    """Derivatives of what one kind does, as a graph: e its effort, Z its states, b its books."""

    def __init__(self, kind: ElementKind):
        self.K, self.columns, efforts, added = kind.traced
        K, lib = self.K, self.K.lib
        _, seen, t, _ = self.columns
        places = [place for place, _ in kind.reads[0]]
        nz = kind.count("z")
        at = {x: K.sx(seen[[i for i, y in enumerate(places) if y == x]]) for x in "qvz"}
        at["t"] = K.sx(t)
        (self.e, self.Z, self.b) = (
            {
                x: lib.densify(lib.jacobian(K.sx(vector(e for _, e in part)), y))
                for x, y in at.items()
            }
            for part in (efforts, added[:nz], added[nz:])
        )
        for r in (self.e, self.Z, self.b):  # what sees no coordinate has no slope by it
            if not r["q"].shape[1]:
                r["q"] = lib.SX.zeros(r["q"].shape[0], 1)
        self.scale = K.symbols(("sigma", "by_q", "c"))
        self.P = inverse(lib, K.sx(self.scale[0]) * lib.SX.eye(nz) - self.Z["z"])
        self.nz, self.nb = nz, len(added) - nz

    @property
    def shapes(self):
        n, b = self.nz, self.nb
        return ((1, 1), (1, n), (n, n), (n, 1), (n, 1), (n, 1), (b, 1), (b, 1), (b, n), (b, 1))

    def fold(self, name):
        """Slopes of the effort with the states eliminated; and what substitution needs."""
        K, lib, e, Z, b = self.K, self.K.lib, self.e, self.Z, self.b
        eP = e["z"] @ self.P
        told = lib.vertcat(e["q"] + eP @ Z["q"], e["v"] + eP @ Z["v"])
        own = (e["t"], eP, self.P, Z["q"], Z["v"], Z["t"], b["q"], b["v"], b["z"], b["t"])
        c, seen, t, p = (K.sx(x) for x in self.columns)
        kept = lib.vertcat(*(lib.vec(x.T) for x in own))
        given = [c, seen, t, p, K.sx(self.scale)]
        return read(lib.Function(name, given, [lib.densify(told), lib.densify(kept)]))

    def _own(self):
        lib = self.K.lib
        W = lib.SX.sym("W", sum(m * n for m, n in self.shapes))
        out, at = [], 0
        for m, n in self.shapes:
            out.append(lib.reshape(W[at : at + m * n], n, m).T)
            at += m * n
        return W, out

    def before(self, name):
        """What states and time push with, from the right-hand side of the states."""
        lib, scale = self.K.lib, self.K.sx(self.scale)
        W, (et, eP, _, _, _, Zt, *_) = self._own()
        rz, none = lib.SX.sym("rz", self.nz), lib.SX(0, 1)
        told = scale[2] * et + eP @ (rz + scale[2] * Zt)
        return read(lib.Function(name, [none, rz, scale, W], [lib.densify(told)]))

    def after(self, name, holds: bool):
        """Variations of the states, and of the books."""
        lib, scale = self.K.lib, self.K.sx(self.scale)
        W, (_, _, P, Zq, Zv, Zt, bq, bv, bz, bt) = self._own()
        k, none = lib.SX.sym("k", 1 + holds + self.nz), lib.SX(0, 1)
        kq, kv = k[0] if holds else 0, k[int(holds)]
        rz = lib.reshape(k[1 + holds :], self.nz, 1)
        kz = P @ (Zq * kq + Zv * kv + rz + scale[2] * Zt)
        kb = (bq * kq + bv * kv + bz @ kz + scale[2] * bt) / scale[0]
        return read(lib.Function(name, [none, k, scale, W], [lib.densify(lib.vertcat(kz, kb))]))


class FoldedElements(ElementLoops):
    """Loops over elements in both kernels of the equation."""

    def __init__(self, system, kinds: tuple[ElementKind, ...], solving: bool):
        self.works, self.own, self.late = [], 0, []
        for j, kind in enumerate(kinds):
            slopes, n = _Slopes(kind), len(kind.members)
            width = sum(a * b for a, b in slopes.shapes)
            own = Own(self.own, width, reading=solving)
            self.own += width * n
            holds = kind.count("q") == 1
            v = [next(i for place, i in x if place == "v") for x in kind.reads]
            if not solving:
                adds = [[("gq", i), ("gv", i)] for i in v]
                reads = [list(x) for x in kind.reads]
                self.works.append(
                    Work(f"e{j}", slopes.fold(f"e{j}"), kind.constants, ("t", "p", "s"), reads,
                         adds, own)
                )  # fmt: skip
                continue
            none = np.zeros((n, 0))
            z = [kind.writes(k)[1] for k in range(n)]
            states = [[("rz", i) for i in x[: slopes.nz]] for x in z]
            pushed = [[("Q", i)] for i in v]
            self.works.append(
                Work(f"e{j}", slopes.before(f"e{j}"), none, ("s",), states, pushed, own)
            )
            q = [[("kq", i) for place, i in x if place == "q"] for x in kind.reads]
            reads = [[*a, ("kv", i), *b] for a, i, b in zip(q, v, states, strict=True)]
            adds = [[("kz", i) for i in x] for x in z]
            after = slopes.after(f"f{j}", holds)
            self.late.append(Work(f"f{j}", after, none, ("s",), reads, adds, own))
        self.works += self.late
        self.solving, self.books = solving, system.layout.books
        self.has_z = bool(len(system.layout.z))

    def before(self, text) -> None:
        for w in self.works:
            if w not in self.late:
                w.write(text)

    def after(self, text) -> None:
        if not (self.solving and self.has_z):
            return

        def book(i):
            at = text.value(f"add i64 {i}, {self.books.start}")
            x = text.value(f"load double, ptr {text.at(text.ports['rz'], at)}")
            sigma = text.value(f"load double, ptr {text.ports['s']}")
            y = text.value(f"fdiv double {x}, {sigma}")
            text.line(f"store double {y}, ptr {text.at(text.ports['kz'], at)}")

        if self.books.stop > self.books.start:
            text.loop(self.books.stop - self.books.start, book)
        for w in self.late:
            w.write(text)

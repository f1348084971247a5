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

from ..formalisms import newton_euler
from ..joints import Weld
from ..numbers import vector
from ..spatial import NO_SCREWS, Pose, Wrench
from .angles import turned
from .steps import ANGLES, Pass, Slot, Widths

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

"""Block elimination over the links of a tree for the linear equation of an implicit step, O(n).

The variation of the inverse dynamics has the structure of the Newton-Euler recursion: motion (w,
dw, a of every link) goes outwards, wrenches go inwards.  From tips to root each link's variation of
the wrench is a linear function of its parent's variation of motion, as in the articulated-body
algorithm (Featherstone 2008).  Then the motion follows from root to tips.  Theory: IN.14 to IN.19.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiler import read
from ...formalisms import newton_euler
from ...joints import Weld
from ...scalars import vector
from ...spatial import NO_SCREWS, Pose, Wrench
from ..graph_trigonometry import normalize_quaternion
from .force_loops import ElementClass, ElementLoop, ElementLoops, MemberStorage, classify_elements
from .passes import ANGLES, Pass, Slot, Widths

if TYPE_CHECKING:
    from ...system import System

MOTION = 9  # w, dw, a
ZERO_ROTATION = np.zeros((3, 3), dtype=int).astype(object)


def invert_small(lib: Any, D) -> Any:
    """Inverse of a small matrix by Gauss-Jordan elimination without pivoting."""
    n = D.shape[0]
    A = [[D[i, j] for j in range(n)] + [lib.SX(int(i == j)) for j in range(n)] for i in range(n)]
    for k in range(n):
        A[k] = [x / A[k][k] for x in A[k]]
        for i in range(n):
            if i != k:
                ratio = A[i][k]
                A[i] = [x - ratio * y for x, y in zip(A[i], A[k], strict=True)]
    return lib.vertcat(*(lib.horzcat(*row[n:]) for row in A)) if n else lib.SX(0, 0)


def differentiate(K: Any, f, *arguments) -> tuple[list, list[list]]:
    """Results of `f`, columns of scalars, and their Jacobians by each argument at `arguments`.

    The first three arguments are coordinates, cosines and sines: derivatives by the first are those
    by the angles.
    """
    symbols = [K.symbols(f"y{i}_{j}" for j in range(len(x))) for i, x in enumerate(arguments)]
    known, K.known = K.known, {
        id(x): (x, symbols[1][i], symbols[2][i])
        for i, x in enumerate(symbols[0])
        if len(symbols[1])
    }  # fmt: skip
    results = [K.sx(vector(x)) for x in f(*symbols)]
    K.known = known
    lib, columns = K.lib, [K.sx(x) for x in symbols]
    jacobians = []
    for r in results:
        J = [lib.jacobian(r, x) for x in columns]
        if len(symbols[1]):
            J[0] = J[0] - J[1] @ lib.diag(columns[2]) + J[2] @ lib.diag(columns[1])
        jacobians.append(J)
    flat = [*results, *(x for row in jacobians for x in row)]
    expressions = lib.substitute(flat, columns, [K.sx(vector(x)) for x in arguments])
    expressions = [lib.sparsify(x) for x in expressions]
    n, m = len(results), len(arguments)
    return expressions[:n], [expressions[n + i * m : n + (i + 1) * m] for i in range(n)]


def _inertia_motion(kind, x) -> newton_euler.LinkMotion:
    """The motion of a link from w, dw and a, and the wrench that its own inertia needs."""
    fixed_link = replace(kind.link, joint=Weld(), X_PF=Pose(), armature=vector(()))
    empty = vector(())
    up = newton_euler.LinkMotion(Pose(), NO_SCREWS, x[:3], ZERO_ROTATION, x[3:6], x[6:9], Wrench())
    return newton_euler.out(kind.K, fixed_link, up, empty, empty, empty)


def _propagate_motion(kind, up, q, v, a) -> np.ndarray:
    m = newton_euler.out(
        kind.K, kind.link, _inertia_motion(kind, up), normalize_quaternion(kind, q), v, a
    )
    return np.concatenate([m.w, m.dw, m.a])


def _flatten_matrices(K: Any, *matrices) -> np.ndarray:
    """Entries of matrices, row by row, one after the other."""
    return np.concatenate([K.unpack(K.lib.vec(x.T)) for x in matrices])


def _step_out(kind, up, q, _c, _s, v, a):
    K, x = kind.K, _propagate_motion(kind, up, q, v, a)
    empty = vector(())
    (F,), ((*_, slope),) = differentiate(
        K, lambda _q, _c, _s, y: [_inertia_motion(kind, y).F.array], empty, empty, empty, x
    )
    return x, np.concatenate([K.unpack(F), _flatten_matrices(K, slope)])


def _propagate_wrench(kind, q, F, a):
    joint, q = kind.link.joint, normalize_quaternion(kind, q)
    S, X = joint.subspace(kind.K, q), kind.link.X_PF @ joint.pose(kind.K, q)
    none: Any = None
    moving = newton_euler.LinkMotion(X, S, none, none, none, none, none)
    tau, parent_wrench = newton_euler.back(kind.K, kind.link, moving, Wrench.of(F), a)
    return tau, parent_wrench.array


def _factor_joint(kind, up, q, c, s, v, a, L, gq, gv, scale):
    """Eliminate one joint: factors for the substitution, and the equation of its parent."""
    K, joint, lib = kind.K, kind.link.joint, kind.K.lib
    nq, nv = joint.nq, joint.nv
    F, slope = L[:6], lib.reshape(K.sx(vector(L[6:])), MOTION, 6).T
    _, ((Oq, _, _, Ox, Ov, Oa),) = differentiate(
        K, lambda q, _c, _s, x, v, a: [_propagate_motion(kind, x, q, v, a)], q, c, s, up, v, a
    )
    (_, parent_wrench), ((Tq, _, _, TF, Ta), (Cq, _, _, CF, _)) = differentiate(
        K, lambda q, _c, _s, F, a: _propagate_wrench(kind, q, F, a), q, c, s, F, a
    )
    _, ((Nq, _, _, Nv),) = differentiate(K, lambda q, _c, _s, v: [joint.rates(K, q, v)], q, c, s, v)
    sigma, by_q = K.sx(scale[0]), K.sx(scale[1])
    P = invert_small(lib, by_q * lib.SX.eye(nq) - Nq)  # IN.14
    PN, OP = P @ Nv, Oq @ P
    Tq = Tq - lib.diag(K.sx(vector(gq))) if joint.holonomic and nv else Tq
    Ok = OP @ Nv + Ov + sigma * Oa  # IN.15
    TS, CS = TF @ slope, CF @ slope
    D = TS @ Ok + Tq @ PN + sigma * Ta - lib.diag(K.sx(vector(gv)))  # IN.16
    Dinv = invert_small(lib, lib.densify(D))
    G, Y = Dinv @ (TS @ Ox), CS @ Ok + Cq @ PN
    factors = (CF, TF, CS @ OP + Cq @ P, -CS @ Oa, TS @ OP + Tq @ P, -TS @ Oa - Ta,
            Y, Dinv, G, Ox, Ok, OP, Oa, PN, P)  # fmt: skip
    condensed = CS @ Ox - Y @ G  # IN.17
    return _flatten_matrices(K, *factors), np.concatenate(
        [K.unpack(parent_wrench), _flatten_matrices(K, condensed)]
    )


def _factor_shapes(nq, nv):
    m = MOTION
    return ((6, 6), (nv, 6), (6, nq), (6, nv), (nv, nq), (nv, nv), (6, nv), (nv, nv), (nv, m),
            (m, m), (m, nv), (m, nq), (m, nv), (nq, nv), (nq, nq))  # fmt: skip


def _unpack_factors(kind, R) -> list[np.ndarray]:
    out, first = [], 0
    for rows, columns in _factor_shapes(kind.link.joint.nq, kind.link.joint.nv):
        out.append(R[first : first + rows * columns].reshape(rows, columns))
        first += rows * columns
    return out


def _solve_inward(kind, R, phi, rq, rv, Q):
    CF, TF, Aq, Av, Bq, Bv, Y, Dinv, *_ = _unpack_factors(kind, R)
    u = Dinv @ (TF @ phi + Bq @ rq + Bv @ rv - Q)  # IN.18
    return u, CF @ phi + Aq @ rq + Av @ rv - Y @ u


def _solve_outward(kind, up, R, u, rq, rv):
    *_, G, Ox, Ok, OP, Oa, PN, P = _unpack_factors(kind, R)
    k = -(G @ up + u)  # IN.19
    return Ox @ up + Ok @ k + OP @ rq - Oa @ rv, PN @ k + P @ rq, k


FOLD = (
    Pass(
        True,
        (Slot("state", "parent"), *ANGLES, Slot("v", "v"), Slot("a", "v")),
        (Slot("state", "link"), Slot("L", "link")),
        _step_out,
        "out",
    ),
    Pass(
        False,
        (Slot("state", "parent"), *ANGLES, Slot("v", "v"), Slot("a", "v"), Slot("L", "link"),
         Slot("gq", "v"), Slot("gv", "v"), Slot("s", "whole")),
        (Slot("R", "link"), Slot("L", "parent", True)),
        _factor_joint,
        "fold",
    ),
)  # fmt: skip
SOLVE = (
    Pass(
        False,
        (Slot("R", "link"), Slot("phi", "link"), Slot("rq", "q"), Slot("rv", "v"), Slot("Q", "v")),
        (Slot("reduced", "v"), Slot("phi", "parent", True)),
        _solve_inward,
        "gather",
    ),
    Pass(
        True,
        (Slot("dx", "parent"), Slot("R", "link"), Slot("reduced", "v"), Slot("rq", "q"),
         Slot("rv", "v")),
        (Slot("dx", "link"), Slot("kq", "q"), Slot("kv", "v")),
        _solve_outward,
        "spread",
    ),
)  # fmt: skip
WIDTHS: Widths = {
    "state": MOTION,
    "L": 6 + 6 * MOTION,
    "R": lambda nv: sum(m * n for m, n in _factor_shapes(nv + 1, nv)),
    "phi": 6,
    "dx": MOTION,
    "s": 3,
}


# Force elements: each acts along one coordinate.


def local_element_classes(system: System) -> tuple[ElementClass, ...] | None:
    """Classes of elements that act along one coordinate and read no other.  None if some do not."""
    classes, rest = classify_elements(system)
    is_local = all(k.count("q") <= 1 and k.count("v") == 1 for k in classes)
    return classes if is_local and not rest else None


class ElementJacobians:
    """Jacobians of one class of elements: of the effort e, rates of states Z and of energies b."""

    def __init__(self, kind: ElementClass):
        self.K, self.columns, efforts, added = kind.traced
        K, lib = self.K, self.K.lib
        _, read_symbols, t, _ = self.columns
        columns_of = [array for array, _ in kind.reads[0]]
        nz = kind.count("z")
        columns = {
            x: K.sx(read_symbols[[i for i, y in enumerate(columns_of) if y == x]]) for x in "qvz"
        }
        columns["t"] = K.sx(t)
        (self.e, self.Z, self.b) = (
            {
                x: lib.densify(lib.jacobian(K.sx(vector(e for _, e in part)), y))
                for x, y in columns.items()
            }
            for part in (efforts, added[:nz], added[nz:])
        )
        for r in (
            self.e,
            self.Z,
            self.b,
        ):  # an element that reads no coordinate has no derivative by it
            if not r["q"].shape[1]:
                r["q"] = lib.SX.zeros(r["q"].shape[0], 1)
        self.scale = K.symbols(("sigma", "by_q", "c"))
        self.P = invert_small(lib, K.sx(self.scale[0]) * lib.SX.eye(nz) - self.Z["z"])
        self.nz, self.nb = nz, len(added) - nz

    @property
    def shapes(self):
        n, b = self.nz, self.nb
        return ((1, 1), (1, n), (n, n), (n, 1), (n, 1), (n, 1), (b, 1), (b, 1), (b, n), (b, 1))

    def condense(self, name: str):
        """Derivatives of the effort with the states eliminated, and substitution factors."""
        K, lib, e, Z, b = self.K, self.K.lib, self.e, self.Z, self.b
        eP = e["z"] @ self.P
        slopes = lib.vertcat(e["q"] + eP @ Z["q"], e["v"] + eP @ Z["v"])
        factors = (e["t"], eP, self.P, Z["q"], Z["v"], Z["t"], b["q"], b["v"], b["z"], b["t"])
        c, read_symbols, t, p = (K.sx(x) for x in self.columns)
        packed = lib.vertcat(*(lib.vec(x.T) for x in factors))
        inputs = [c, read_symbols, t, p, K.sx(self.scale)]
        return read(lib.Function(name, inputs, [lib.densify(slopes), lib.densify(packed)]))

    def _stored_factors(self):
        lib = self.K.lib
        W = lib.SX.sym("W", sum(m * n for m, n in self.shapes))
        out, first = [], 0
        for m, n in self.shapes:
            out.append(lib.reshape(W[first : first + m * n], n, m).T)
            first += m * n
        return W, out

    def before(self, name: str):
        """Effort of states and time, from the right-hand side of the states."""
        lib, scale = self.K.lib, self.K.sx(self.scale)
        W, (et, eP, _, _, _, Zt, *_) = self._stored_factors()
        rz, none = lib.SX.sym("rz", self.nz), lib.SX(0, 1)
        force = scale[2] * et + eP @ (rz + scale[2] * Zt)
        return read(lib.Function(name, [none, rz, scale, W], [lib.densify(force)]))

    def after(self, name: str, reads_coordinate: bool):
        """Variations of the states, and of the accumulated energies."""
        lib, scale = self.K.lib, self.K.sx(self.scale)
        W, (_, _, P, Zq, Zv, Zt, bq, bv, bz, bt) = self._stored_factors()
        k, none = lib.SX.sym("k", 1 + reads_coordinate + self.nz), lib.SX(0, 1)
        kq, kv = k[0] if reads_coordinate else 0, k[int(reads_coordinate)]
        rz = lib.reshape(k[1 + reads_coordinate :], self.nz, 1)
        kz = P @ (Zq * kq + Zv * kv + rz + scale[2] * Zt)
        kb = (bq * kq + bv * kv + bz @ kz + scale[2] * bt) / scale[0]
        return read(lib.Function(name, [none, k, scale, W], [lib.densify(lib.vertcat(kz, kb))]))


class CondensedElements(ElementLoops):
    """Loops over force elements in both kernels of the equation."""

    def __init__(self, system: System, classes: tuple[ElementClass, ...], solving: bool):
        self.works, self.own, self.late = [], 0, []
        for j, kind in enumerate(classes):
            jacobians, n = ElementJacobians(kind), len(kind.members)
            width = sum(a * b for a, b in jacobians.shapes)
            storage = MemberStorage(self.own, width, reading=solving)
            self.own += width * n
            reads_coordinate = kind.count("q") == 1
            v = [next(i for array, i in x if array == "v") for x in kind.reads]
            if not solving:
                adds = [[("gq", i), ("gv", i)] for i in v]
                reads = [list(x) for x in kind.reads]
                condensed = jacobians.condense(f"e{j}")
                ports = ("t", "p", "s")
                self.works.append(
                    ElementLoop(f"e{j}", condensed, kind.constants, ports, reads, adds, storage)
                )
                continue
            none = np.zeros((n, 0))
            z = [kind.writes(k)[1] for k in range(n)]
            states = [[("rz", i) for i in x[: jacobians.nz]] for x in z]
            forces = [[("Q", i)] for i in v]
            self.works.append(
                ElementLoop(
                    f"e{j}", jacobians.before(f"e{j}"), none, ("s",), states, forces, storage
                )
            )
            q = [[("kq", i) for array, i in x if array == "q"] for x in kind.reads]
            reads = [[*a, ("kv", i), *b] for a, i, b in zip(q, v, states, strict=True)]
            adds = [[("kz", i) for i in x] for x in z]
            after = jacobians.after(f"f{j}", reads_coordinate)
            self.late.append(ElementLoop(f"f{j}", after, none, ("s",), reads, adds, storage))
        self.works += self.late
        self.solving, self.books = solving, system.layout.books
        self.has_z = bool(len(system.layout.z))

    def before(self, text: Any) -> None:
        for w in self.works:
            if w not in self.late:
                w.write(text)

    def after(self, text: Any) -> None:
        """Write the loops after those over links."""
        if not (self.solving and self.has_z):
            return

        def write_energy(i):
            index = text.value(f"add i64 {i}, {self.books.start}")
            x = text.value(f"load double, ptr {text.at(text.ports['rz'], index)}")
            sigma = text.value(f"load double, ptr {text.ports['s']}")
            y = text.value(f"fdiv double {x}, {sigma}")
            text.line(f"store double {y}, ptr {text.at(text.ports['kz'], index)}")

        if self.books.stop > self.books.start:
            text.loop(self.books.stop - self.books.start, write_energy)
        for w in self.late:
            w.write(text)

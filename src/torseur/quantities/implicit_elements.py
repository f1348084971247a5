"""Force elements in the linear equation of an implicit step: each acts along one coordinate."""

from __future__ import annotations

import numpy as np

from ..compiler import read
from ..numbers import vector
from .element_kinds import ElementKind, element_kinds
from .implicit_steps import inverse
from .rolled_elements import ElementLoops, Own, Work


def local_kinds(system) -> tuple[ElementKind, ...] | None:
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

"""Lines of a stage that factorizes and solves by rows: `M = L^T D L`, its lanes along the columns.

A row has its columns where they are, so that one product and sum serves all those between it and
the root; columns further out are never read again.  Theory: FD.1 to FD.3, FD.5.
"""

from __future__ import annotations

from .sidewise import TreeFactors
from .sidewise_bodies import at, everywhere
from .text import Lines


class FactorsBody:
    """Rows one after the other from the tips; what they have and what L has of them, in vectors."""

    def __init__(self, stage: TreeFactors, width: int, fused: bool, stride: int):
        self.stage, self.width, self.stride = stage, width, stride
        self.t = Lines(width, fused)
        self.n = len(stage.parents)
        self.up = [[*stage.up(k)] for k in range(self.n)]
        self.place = stage.places(width)
        self.chunks = [sorted({j // width for j in up}) for up in self.up]
        self.scaled: dict[int, str] = {}
        self.divided: dict[tuple[int, int], str] = {}

    def write(self) -> str:
        t = self.t
        t.label("entry")
        for i in reversed(range(self.n)):
            t.line(f"br label %row{i}")
            t.label(f"row{i}")
            self._row(i)
        self._back()
        t.line("ret void")
        return str(t)

    def declarations(self) -> str:
        k = self.t.real
        return (
            "declare double @llvm.fma.f64(double, double, double)\n"
            f"declare {k} @llvm.fma.{self.t.suffix}({k}, {k}, {k})"
        )

    def sines(self) -> str:
        return ""

    def _one(self, base: str, place: int) -> str:
        return self.t.value(f"load double, ptr {at(self.t, base, place)}, align 8")

    def _less(self, a: str, b: str, c: str) -> str:
        """`c - a b` of single numbers."""
        t = self.t
        if not t.fused:
            return t.op("fsub", c, t.op("fmul", a, b, "double"), "double")
        minus = t.value(f"fneg double {a}")
        return t.value(f"call double @llvm.fma.f64(double {minus}, double {b}, double {c})")

    def _row(self, i: int) -> None:
        """A row less what those outboard of it take away; the right-hand side alike."""
        t, w = self.t, self.width
        own, lane = divmod(i, w)
        row: dict[int, str] = {}
        for c in sorted({*self.chunks[i], own}):
            row[c] = "zeroinitializer"
            if c in self.chunks[i]:
                row[c] = t.load(at(t, "%i0", i * self.stride + c * w), 8 * w)
        known = self._one("%i1", i)
        row[own] = t.value(f"insertelement {t.real} {row[own]}, double {known}, i64 {lane}")
        tau, pull = self._one("%i2", i), self._one("%i1", self.stride + i)
        y = t.value(f"fsub double {tau}, {pull}")
        for k in (k for k in reversed(range(i + 1, self.n)) if i in self.up[k]):
            one = self._one("%o1", self.place[k, own] + lane)
            y = self._less(one, self.scaled[k], y)
            every = t.neg(everywhere(t, one, w))
            for c in row:
                if self.stage.parents[k] == i:  # it waits for this one, which need not be stored
                    theirs = self.divided[k, c]
                else:
                    theirs = t.load(at(t, "%o2", self.place[k, c]), 8)
                row[c] = t.fma(every, theirs, row[c])
        for c in self.chunks[i]:
            t.store(row[c], at(t, "%o1", self.place[i, c]), 8 * w)
        pivot = t.value(f"extractelement {t.real} {row[own]}, i64 {lane}")
        inverse = t.value(f"fdiv double 1.0, {pivot}")
        self.scaled[i] = t.op("fmul", y, inverse, "double")
        if self.stage.shared:
            place = at(t, "%o2", w * len(self.place) + i)
            t.line(f"store double {inverse}, ptr {place}, align 8")
        every = everywhere(t, inverse, w)
        for c in self.chunks[i]:
            self.divided[i, c] = t.op("fmul", row[c], every)
            t.store(self.divided[i, c], at(t, "%o2", self.place[i, c]), 8)

    def _back(self) -> None:
        """The solution, from the root: what is known first is subtracted first."""
        t, w = self.t, self.width
        x: dict[int, str] = {}
        for k in range(self.n):
            x[k] = self.scaled[k]
            for i in reversed(self.up[k]):
                x[k] = self._less(self._one("%o2", self.place[k, i // w] + i % w), x[i], x[k])
            t.line(f"store double {x[k]}, ptr {at(t, '%o0', k)}, align 8")

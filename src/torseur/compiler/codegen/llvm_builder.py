"""LLVM IR written as text: one class that names values and knows how many lanes they have."""

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def literal(x: float) -> str:
    """A double as LLVM reads it, bit for bit.

    >>> literal(1.0)
    '0x3FF0000000000000'
    """
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


class Lines:
    """Lines of a function body whose values are doubles, or vectors of `width` of them.

    >>> t = Lines(1, fused=True)
    >>> t.fma("%x", t.const(2.0), "%y")
    '%.0'
    >>> print(t)
      %.0 = call double @llvm.fma.f64(double %x, double 0x4000000000000000, double %y)
    """

    def __init__(self, width: int, fused: bool):
        self.width, self.fused = width, fused
        vector = (lambda kind: kind) if width == 1 else (lambda kind: f"<{width} x {kind}>")
        self.real, self.whole, self.bit = vector("double"), vector("i64"), vector("i1")
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self._lines: list[str] = []
        self._count = 0
        self._splats: dict[tuple[str, str], str] = {}
        self._block = ""

    def __str__(self) -> str:
        return "\n".join(self._lines)

    @property
    def here(self) -> str:
        """The block that is being written."""
        return self._block

    def line(self, text: str) -> None:
        self._lines.append("  " + text)

    def label(self, name: str) -> None:
        self._lines.append(f"{name}:")
        self._block = name

    def value(self, text: str) -> str:
        name = f"%.{self._count}"
        self._count += 1
        self._lines.append(f"  {name} = {text}")
        return name

    def _splat(self, kind: str, text: str) -> str:
        if self.width == 1:
            return text
        if (found := self._splats.get((kind, text))) is None:
            found = "<" + ", ".join([f"{kind} {text}"] * self.width) + ">"
            self._splats[kind, text] = found
        return found

    def const(self, x: float) -> str:
        return self._splat("double", literal(x))

    def word(self, n: int) -> str:
        return self._splat("i64", str(n))

    def op(self, name: str, a: str, b: str, kind: str = "") -> str:
        return self.value(f"{name} {kind or self.real} {a}, {b}")

    def neg(self, a: str) -> str:
        return self.value(f"fneg {self.real} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """`a b + c`, rounded once where the machine can."""
        k = self.real
        if not self.fused:
            return self.op("fadd", self.op("fmul", a, b), c)
        return self.value(f"call {k} @llvm.fma.{self.suffix}({k} {a}, {k} {b}, {k} {c})")

    def intrinsic(self, name: str, a: str) -> str:
        return self.value(f"call {self.real} @llvm.{name}.{self.suffix}({self.real} {a})")

    def cast(self, how: str, a: str, kind: str, to: str) -> str:
        return self.value(f"{how} {kind} {a} to {to}")

    def compare(self, how: str, a: str, b: str, kind: str = "") -> str:
        return self.value(f"{how} {kind or self.real} {a}, {b}")

    def select(self, c: str, a: str, b: str) -> str:
        return self.value(f"select {self.bit} {c}, {self.real} {a}, {self.real} {b}")

    def all(self, c: str) -> str:
        """True when a condition holds in every lane."""
        if self.width == 1:
            return c
        bits = self.value(f"bitcast {self.bit} {c} to i{self.width}")
        return self.value(f"icmp eq i{self.width} {bits}, -1")

    def lane(self, a: str, k: int, kind: str = "") -> str:
        if self.width == 1:
            return a
        return self.value(f"extractelement {kind or self.real} {a}, i64 {k}")

    def load(self, pointer: str, align: int) -> str:
        return self.value(f"load {self.real}, ptr {pointer}, align {align}")

    def store(self, a: str, pointer: str, align: int) -> None:
        self.line(f"store {self.real} {a}, ptr {pointer}, align {align}")

    @contextmanager
    def loop(self, count: str) -> Iterator[str]:
        """What is written inside runs for each index from 0 below `count`."""
        k, before = self._count, self._block
        self._count += 1
        self.line(f"br label %head{k}")
        self.label(f"head{k}")
        self.line(f"%i{k} = phi i64 [0, %{before}], [%next{k}, %latch{k}]")
        self.line(f"%go{k} = icmp slt i64 %i{k}, {count}")
        self.line(f"br i1 %go{k}, label %body{k}, label %done{k}")
        self.label(f"body{k}")
        yield f"%i{k}"
        self.line(f"br label %latch{k}")
        self.label(f"latch{k}")
        self.line(f"%next{k} = add i64 %i{k}, 1")
        self.line(f"br label %head{k}")
        self.label(f"done{k}")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """What is written inside runs if the condition holds."""
        k = self._count
        self._count += 1
        self.line(f"br i1 {condition}, label %then{k}, label %after{k}")
        self.label(f"then{k}")
        yield
        self.line(f"br label %after{k}")
        self.label(f"after{k}")


def transposed(t: Lines, rows: list[str]) -> list[str]:
    """Columns of a square tile held in registers, a power of two wide."""
    n = len(rows)
    kind, rows, half = f"<{n} x double>", [*rows], 1

    def mix(a: str, b: str, order: Iterable[int]) -> str:
        mask = ", ".join(f"i32 {k}" for k in order)
        return t.value(f"shufflevector {kind} {a}, {kind} {b}, <{n} x i32> <{mask}>")

    while half < n:
        for i in (i for i in range(n) if not i & half):
            a, b = rows[i], rows[i | half]
            rows[i] = mix(a, b, (n + j - half if j & half else j for j in range(n)))
            rows[i | half] = mix(a, b, (n + j if j & half else j + half for j in range(n)))
        half *= 2
    return rows

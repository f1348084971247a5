"""Builder of LLVM IR as text: names values and basic blocks, for scalars or vectors of lanes."""

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def format_double(x: float) -> str:
    """Hexadecimal literal of a double, bit for bit.

    >>> format_double(1.0)
    '0x3FF0000000000000'
    """
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


class IRBuilder:
    """Lines of a function body whose values are doubles, or vectors of `width` of them.

    >>> ir = IRBuilder(1, fused=True)
    >>> ir.fma("%x", ir.real_constant(2.0), "%y")
    '%.0'
    >>> print(ir)
      %.0 = call double @llvm.fma.f64(double %x, double 0x4000000000000000, double %y)
    """

    def __init__(self, width: int, fused: bool):
        """Builder for vectors of `width` doubles; `fused` says whether the target has FMA."""
        self.width, self.fused = width, fused
        vector = (lambda kind: kind) if width == 1 else (lambda kind: f"<{width} x {kind}>")
        self.real_type, self.int_type, self.bool_type = (
            vector("double"),
            vector("i64"),
            vector("i1"),
        )
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self._lines: list[str] = []
        self._count = 0
        self._splats: dict[tuple[str, str], str] = {}
        self._block = ""

    def __str__(self) -> str:
        return "\n".join(self._lines)

    @property
    def current_block(self) -> str:
        """Label of the basic block that is being written."""
        return self._block

    def emit_line(self, text: str) -> None:
        self._lines.append("  " + text)

    def start_block(self, name: str) -> None:
        self._lines.append(f"{name}:")
        self._block = name

    def emit_value(self, text: str) -> str:
        """Append an instruction.  Returns the name of its value."""
        name = f"%.{self._count}"
        self._count += 1
        self._lines.append(f"  {name} = {text}")
        return name

    def splat_literal(self, kind: str, text: str) -> str:
        if self.width == 1:
            return text
        if (splat := self._splats.get((kind, text))) is None:
            splat = "<" + ", ".join([f"{kind} {text}"] * self.width) + ">"
            self._splats[kind, text] = splat
        return splat

    def real_constant(self, x: float) -> str:
        return self.splat_literal("double", format_double(x))

    def int_constant(self, n: int) -> str:
        return self.splat_literal("i64", str(n))

    def binary_op(self, name: str, a: str, b: str, kind: str = "") -> str:
        return self.emit_value(f"{name} {kind or self.real_type} {a}, {b}")

    def negate_value(self, a: str) -> str:
        return self.emit_value(f"fneg {self.real_type} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """`a b + c`, as a fused multiply-add where the machine has it."""
        k = self.real_type
        if not self.fused:
            return self.binary_op("fadd", self.binary_op("fmul", a, b), c)
        return self.emit_value(f"call {k} @llvm.fma.{self.suffix}({k} {a}, {k} {b}, {k} {c})")

    def call_intrinsic(self, name: str, a: str) -> str:
        return self.emit_value(
            f"call {self.real_type} @llvm.{name}.{self.suffix}({self.real_type} {a})"
        )

    def cast_value(self, how: str, a: str, kind: str, to: str) -> str:
        return self.emit_value(f"{how} {kind} {a} to {to}")

    def compare_values(self, how: str, a: str, b: str, kind: str = "") -> str:
        return self.emit_value(f"{how} {kind or self.real_type} {a}, {b}")

    def select_value(self, c: str, a: str, b: str) -> str:
        return self.emit_value(
            f"select {self.bool_type} {c}, {self.real_type} {a}, {self.real_type} {b}"
        )

    def all_lanes(self, c: str) -> str:
        """Truth value: the condition holds in every lane."""
        if self.width == 1:
            return c
        bits = self.emit_value(f"bitcast {self.bool_type} {c} to i{self.width}")
        return self.emit_value(f"icmp eq i{self.width} {bits}, -1")

    def extract_lane(self, a: str, k: int, kind: str = "") -> str:
        if self.width == 1:
            return a
        return self.emit_value(f"extractelement {kind or self.real_type} {a}, i64 {k}")

    def load_value(self, pointer: str, align: int) -> str:
        return self.emit_value(f"load {self.real_type}, ptr {pointer}, align {align}")

    def store_value(self, a: str, pointer: str, align: int) -> None:
        self.emit_line(f"store {self.real_type} {a}, ptr {pointer}, align {align}")

    @contextmanager
    def count_loop(self, count: str) -> Iterator[str]:
        """Loop: the block inside runs for each index from 0 below `count`."""
        k, predecessor = self._count, self._block
        self._count += 1
        self.emit_line(f"br label %head{k}")
        self.start_block(f"head{k}")
        self.emit_line(f"%i{k} = phi i64 [0, %{predecessor}], [%next{k}, %latch{k}]")
        self.emit_line(f"%go{k} = icmp slt i64 %i{k}, {count}")
        self.emit_line(f"br i1 %go{k}, label %body{k}, label %done{k}")
        self.start_block(f"body{k}")
        yield f"%i{k}"
        self.emit_line(f"br label %latch{k}")
        self.start_block(f"latch{k}")
        self.emit_line(f"%next{k} = add i64 %i{k}, 1")
        self.emit_line(f"br label %head{k}")
        self.start_block(f"done{k}")

    @contextmanager
    def if_then(self, condition: str) -> Iterator[None]:
        """Branch: the block inside runs if the condition holds."""
        k = self._count
        self._count += 1
        self.emit_line(f"br i1 {condition}, label %then{k}, label %after{k}")
        self.start_block(f"then{k}")
        yield
        self.emit_line(f"br label %after{k}")
        self.start_block(f"after{k}")


def transpose_tile(ir: IRBuilder, rows: list[str]) -> list[str]:
    """Transpose a square tile of registers, a power of two wide, by shuffles."""
    n = len(rows)
    kind, rows, half = f"<{n} x double>", [*rows], 1

    def shuffle_rows(a: str, b: str, order: Iterable[int]) -> str:
        mask = ", ".join(f"i32 {k}" for k in order)
        return ir.emit_value(f"shufflevector {kind} {a}, {kind} {b}, <{n} x i32> <{mask}>")

    while half < n:
        for i in (i for i in range(n) if not i & half):
            a, b = rows[i], rows[i | half]
            rows[i] = shuffle_rows(a, b, (n + j - half if j & half else j for j in range(n)))
            rows[i | half] = shuffle_rows(a, b, (n + j if j & half else j + half for j in range(n)))
        half *= 2
    return rows

"""One straight-line program for a vector of lanes, whose ports are arrays of rows (SPMD).

The kernels over the tree, the programs of columns and the routines of several columns write their
code with `LaneBody`.  The lanes differ by the numbers that they read, not by their instructions.
"""

from __future__ import annotations

from ..program.program import Program
from .basic_block import KernelBody
from .llvm_builder import IRBuilder


def element_pointer(ir: IRBuilder, base: str, index: str | int, kind: str = "double") -> str:
    return ir.emit_value(f"getelementptr {kind}, ptr {base}, i64 {index}")


def broadcast_scalar(ir: IRBuilder, x: str, width: int) -> str:
    """Vector with a number in every lane."""
    if width == 1:
        return x
    kind = f"<{width} x double>"
    vector = ir.emit_value(f"insertelement {kind} poison, double {x}, i64 0")
    zeros = f"<{width} x i32> zeroinitializer"
    return ir.emit_value(f"shufflevector {kind} {vector}, {kind} poison, {zeros}")


class LaneBody(KernelBody):
    """Body of a program for a vector of lanes.  `shared_ports` are the same in all lanes."""

    def __init__(
        self,
        program: Program,
        width: int,
        fused: bool,
        stride: int,
        shared: tuple[str, ...] = (),
        step: int = 1,
    ):
        """Element k of a port begins at `k * stride`, of a shared port at `k * shared_step`."""
        super().__init__(program, width, width, fused)
        self.stride, self.splits_blocks = stride, False
        self.shared_ports, self.shared_step = shared, step

    def constant_operand(self, x: float) -> str:
        return self.ir.real_constant(x)

    def real_operand(self, r: int) -> str:
        if self.program.nodes[r >> 1][0] == "input":
            self.real_values.pop(r >> 1, None)  # read anew: part of the instruction that uses it
        return super().real_operand(r)

    def load_leaf(self, k: int) -> str:
        """Input of the lanes; a shared one is broadcast."""
        _, port, element = self.program.nodes[k]
        if self.program.inputs[port].name in self.shared_ports:
            pointer = self.element_pointer(f"%i{port}", element * self.shared_step)
            x = self.ir.emit_value(f"load double, ptr {pointer}, align 8")
            return broadcast_scalar(self.ir, x, self.width)
        return self.ir.load_value(
            self.element_pointer(f"%i{port}", element * self.stride), self.alignment
        )

    def store_outputs(self, k: int) -> None:
        for port, element, sign in self.output_uses.pop(k):
            pointer = self.element_pointer(f"%o{port}", element * self.stride)
            self.ir.store_value(self.real_operand(2 * k | sign), pointer, self.alignment)


class RoutineColumns(LaneBody):
    """Body of a routine for several columns: they share all arrays but the last."""

    def __init__(self, program: Program, width: int, lanes: int, fused: bool):
        shared = tuple(p.name for p in program.inputs[:-1])
        super().__init__(program, width, fused, width, shared)
        self.splits_blocks, self.alignment_bytes = True, 8 * min(width, lanes)

    @property
    def alignment(self) -> int:
        return self.alignment_bytes
